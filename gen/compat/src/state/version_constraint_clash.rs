//! `version-constraint-clash`: a served version refuses objects that another version accepts.
//!
//! A witness shows the object where one is found.

use crd_inclusion::{Difference, Direction};

use crate::change::Change;
use crate::clash::Kind;
use crate::constraint::constraint;
use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Major, Minor, NotAllowed, Waiver};
use crate::rule::{Rule, Section};
use crate::state::version_type_clash::{Words, of_kind};
use crate::state::{Occurrence, State, Subject};

pub(super) const STATE: State = State {
    rule: Rule {
        id: "version-constraint-clash",
        row: "version-constraint-clash",
        cells: Cells::of(
            Cell::of(&[Waiver, Minor]).warned(),
            Cell::of(&[Waiver, Minor]).warned(),
            Cell::of(&[NotAllowed]),
        )
        .semver(Cell::of(&[Major, Minor]).warned()),
        one: "constraint that not all served versions have",
        many: "constraints that not all served versions have",
        section: Section::States,
        summary: "A served version refuses objects that another version of the resource accepts.",
        explanation: "\
            An object is validated by the version of the request only. A client of the stricter version reads \
            objects that its version does not permit, and may be unable to write them. This includes required \
            fields, and rules about updates. With a conversion webhook it depends on the webhook.",
        example: r#"new:
  versions:
  - { name: v1 }
  - { name: v1beta1, storage: false, field: { type: string, maxLength: 63 } }"#,
    },
    found,
};

fn found<'a>(subject: &Subject<'a>) -> Vec<Occurrence<'a>> {
    of_kind(subject, Kind::Constraint, &|clash| {
        let (from, to) = (&clash.from.name, &clash.to.name);
        let what = match &clash.difference.change {
            Change::Schema(Difference::Required(_)) => format!("the field is required in {to} and not in {from}"),
            Change::Schema(difference) if clash.direction == Direction::Tightened => {
                format!("{} is stricter in {to} than in {from}", constraint(difference))
            }
            Change::Schema(difference) => format!("{} differs between {from} and {to}", constraint(difference)),
            other => format!("{} differs between {from} and {to}", other.description()),
        };
        Words {
            what,
            effect: format!(
                "an object that is written through {from} may be refused when it is created or changed through {to}"
            ),
            fix: "Give both versions the same constraint, or stop serving one of them.",
        }
    })
}
