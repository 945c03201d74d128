//! `containment`: standard holds something that experimental lacks or refuses.
//!
//! GEP-922 says that experimental holds everything that standard holds: who changes the channel must not lose anything. It is asked in the
//! same way as for two bundles: what would change for the worse if experimental followed standard? What only presents objects (short names,
//! columns), and defaults, may differ.

use crd_cel::laid_out;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

use crate::comparison::Channels;
use crate::difference::Subject;
use crate::direction::direction;
use crate::finding::Direction;
use crate::policy::{Cell, Cells};
use crate::rule::name_below_preserved;
use crate::ruling::Ruling;
use crate::state::{Occurrence, State};
use crate::walk::{Renames, differences};

pub(super) const STATE: State = State {
    id: "containment",
    row: "containment",
    cells: Cells::of(Cell::of(&[Ruling::Finding]), Cell::SILENT, Cell::SILENT),
    summary: "Standard has what experimental lacks, or accepts what experimental refuses.",
    explanation: "Who goes from standard to experimental expects that all objects stay valid. CEL rules cannot be \
        compared, so one that only experimental has counts, even if it only guards a field that standard lacks.",
    example: "new: { field: { type: string } }\n\
              experimental: { field: { type: string, maxLength: 63 } }",
    found,
};

fn found(channels: &Channels, channel: Channel) -> Vec<Occurrence> {
    let (Channel::Standard, Some(standard), Some(experimental)) =
        (channel, channels.get(&Channel::Standard), channels.get(&Channel::Experimental))
    else {
        return Vec::new();
    };
    containment(standard, experimental)
}

/// Every place where the CRDs of standard are not, or cannot be shown to be, contained in those of experimental.
pub fn containment(
    standard: &[CustomResourceDefinition],
    experimental: &[CustomResourceDefinition],
) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for difference in differences(Channel::Standard, standard, experimental, &Renames::default()) {
        let message = match (difference.subject, direction(&difference)) {
            // Without a default it must be given; a field that only experimental has cannot be in an object of standard.
            (Subject::Required, Some(Direction::Tightened)) => {
                let name = difference.name().unwrap_or_default();
                let property = difference.place.new_node().and_then(|node| node.properties.get(name));
                match property.is_some_and(|property| property.default.is_some()) {
                    true => continue,
                    false => format!("experimental requires `{name}`, and standard does not"),
                }
            }
            (Subject::EnumValue, Some(Direction::Tightened)) => {
                format!("experimental lacks the value {}", difference.before.clone().unwrap_or_default())
            }
            (Subject::Rule, Some(_)) if !difference.is_removal() => {
                let rule = difference.parts.new_rule;
                let words = rule.and_then(|rule| rule.message.as_deref().or(Some(&rule.rule))).unwrap_or_default();
                format!("experimental may be stricter: it has the rule `{words}`")
            }
            (subject, Some(Direction::Tightened)) => format!("experimental is stricter: {}", subject.words()),
            (subject, Some(Direction::Neither)) => format!("experimental may be stricter: {} differs", subject.words()),
            (Subject::Resource, _) if difference.is_removal() => "experimental lacks this resource".to_owned(),
            (Subject::Version, _) if difference.is_removal() => "experimental lacks this API version".to_owned(),
            (Subject::Served, _) if difference.is_removal() => {
                "experimental does not serve this API version".to_owned()
            }
            (Subject::Field, _) if difference.is_removal() => "experimental lacks this field".to_owned(),
            (Subject::Field, _) if name_below_preserved::is_preserved(&difference) => {
                "experimental may be stricter: it says what this field is, and standard keeps whatever is there"
                    .to_owned()
            }
            (Subject::StatusSubresource | Subject::ScaleSubresource | Subject::SelectableField, _)
                if !difference.is_addition() =>
            {
                format!("experimental lacks this of standard: {}", difference.subject.words())
            }
            (Subject::Type | Subject::Items, _) => "experimental has another type here".to_owned(),
            (Subject::Kind | Subject::Scope, _) => "experimental has another kind or scope".to_owned(),
            (Subject::ListType | Subject::ListMapKeys | Subject::MapType, _) => {
                "experimental merges this list or map otherwise".to_owned()
            }
            (Subject::PreserveUnknownFields, _) if difference.is_removal() => {
                "experimental does not preserve unknown fields here".to_owned()
            }
            (Subject::EmbeddedResource, _) => "experimental has an embedded resource here, or none".to_owned(),
            _ => continue,
        };
        // A rule is known by what it asks, however it is laid out and whatever it says to people.
        let asked = match (difference.subject, difference.parts.new_rule) {
            (Subject::Rule, Some(rule)) => laid_out(&rule.rule),
            _ => message.clone(),
        };
        let identity = format!("{} {:?} {asked}", difference.path(), difference.subject);
        found.push(Occurrence {
            crd: difference.place.crd().to_owned(),
            version: difference.place.version().map(str::to_owned),
            path: difference.path(),
            message,
            fix: Some(match difference.subject {
                Subject::Rule => {
                    "If the rule only guards what standard lacks, waive this finding in `bundles/waivers.yaml`; otherwise standard needs it, too."
                }
                _ => "Let experimental take what standard takes, or standard only what experimental does.",
            }
            .to_owned()),
            identity,
        });
    }
    found
}
