//! The origin of a new name: whether the experimental channel of the baseline has it.
//!
//! A name of standard that experimental has is `graduated`, and another one is `name-added`.

use crd_inclusion::Step;
use crd_model::CustomResourceDefinition;
use crd_model::schema::Schema;
use serde_json::Value;

use crate::change::Location;
use crate::context::Context;

/// A name or value that was added.
#[derive(Clone, Copy)]
pub(crate) enum NewName<'a> {
    Resource,
    Field(&'a str),
    Value(&'a Value),
}

impl NewName<'_> {
    /// The kind of the added element.
    pub(crate) fn word(self) -> &'static str {
        match self {
            NewName::Resource => "resource",
            NewName::Field(_) => "field",
            NewName::Value(_) => "value",
        }
    }
}

/// Whether a name started in experimental.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// The experimental channel of the baseline has it.
    Experimental,
    /// The experimental channel of the baseline does not have it.
    New,
    /// This is not standard, or the baseline has no experimental channel.
    Unknown,
}

/// Where a new name started.
pub(crate) fn origin(name: NewName<'_>, location: &Location<'_>, context: &Context<'_>) -> Origin {
    let Some(crds) = context.baseline_experimental else { return Origin::Unknown };
    let crd = location.crd();
    // The CRD itself, and the CRDs that it replaces.
    let former = context.declared.moved.iter().filter(|(_, new)| *new == crd).map(|(old, _)| &**old);
    let names = std::iter::once(crd).chain(former).collect::<Vec<_>>();
    match crds.iter().filter(|known| names.contains(&&*known.name)).any(|known| has(known, name, location, context)) {
        true => Origin::Experimental,
        false => Origin::New,
    }
}

fn has(crd: &CustomResourceDefinition, name: NewName<'_>, location: &Location<'_>, context: &Context<'_>) -> bool {
    let declared = context.declared;
    let path = location.position.path();
    let version = || crd.versions.iter().find(|version| Some(&*version.name) == location.version());
    let node = || version().and_then(|version| node_at(&version.schema, &location.position.steps));
    match name {
        NewName::Resource => true,
        // Under this name, or under a name that this one replaces.
        NewName::Field(name) => node().is_some_and(|node| {
            let is_former = |field: &str| declared.renames.of(location.crd(), &path, field) == Some(name);
            node.properties.keys().any(|field| field == name || is_former(field))
        }),
        NewName::Value(added) => node().is_some_and(|node| {
            let is_former = |value: &str| {
                let replacement = declared.replaced_values.of(location.crd(), &path, value);
                replacement.is_some() && replacement == added.as_str()
            };
            // Where any value is allowed, this one is allowed.
            node.enumeration
                .as_ref()
                .is_none_or(|values| values.iter().any(|value| value == added || value.as_str().is_some_and(is_former)))
        }),
    }
}

/// The node at a path.
fn node_at<'s>(schema: &'s Schema, steps: &[Step<'_>]) -> Option<&'s Schema> {
    steps.iter().try_fold(schema, |node, step| step.below(node))
}
