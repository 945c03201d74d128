//! A finding: a change or a state with its rule, severity and required bump, as data.

use crd_diagnostics::Severity;
use crd_inclusion::{Direction, Ground, Proof};
use crd_model::channel::Channel;
use crd_model::words;
use serde::Serialize;
use serde_json::Value;

use crate::policy::{self, Need};
use crate::required_bump::{Lowered, RequiredBump};
use crate::rule::RULES;
use crate::witness::Witness;

/// A waiver that lowered a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Waived {
    /// What it lowers the finding to.
    pub to: RequiredBump,
    /// Why.
    pub reason: String,
}

/// A change or a state, with the rule that reports it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// The id of the rule. Waivers name it, and `explain RULE` prints its page.
    pub rule: &'static str,
    /// The required bump, without waivers.
    pub required_bump: RequiredBump,
    /// Why that is less than usual; none if it is not.
    #[serde(rename = "loweredBy")]
    pub lowered: Option<Lowered>,
    /// What the policy requires in addition to the bump, and is missing.
    pub needs: Vec<Need>,
    /// True if it is permitted with a warning.
    pub warning: bool,
    /// The channel.
    pub channel: Channel,
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none for what concerns the resource.
    pub version: Option<String>,
    /// The schema path: `spec.rules[*].matches`. Empty for what concerns the resource or the version.
    pub path: String,
    /// The value in the baseline; absent without one, because null is a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<Value>,
    /// The value in the candidate; absent without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Value>,
    /// What it does to the set of accepted objects, if it is about them.
    pub direction: Option<Direction>,
    /// What happened and why it matters, in one sentence without the location.
    pub message: String,
    /// How to fix it.
    #[serde(rename = "help")]
    pub fix: Option<String>,
    /// What proves that it refuses no accepted object.
    #[serde(skip)]
    pub proof: Option<Proof>,
    /// What the proof needs of the baseline; empty if that was not asked.
    #[serde(skip)]
    pub grounds: Vec<Ground>,
    /// What the baseline accepts and the candidate refuses; none if nothing was searched for.
    #[cfg_attr(feature = "schema", schemars(with = "Option<crate::witness::WitnessDocument<'static>>"))]
    pub witness: Option<Witness>,
    /// True for a state that the baseline also has: it is reported and does not count.
    pub known: bool,
    /// The waiver that lowers it.
    pub waived: Option<Waived>,
}

words! {
    /// What decided what a change does to objects: a proof that no accepted object is refused, an object, or nothing.
    pub enum Decision {
        /// A proof by the keyword itself, before and after.
        Keyword = "keyword",
        /// A proof by CEL rules.
        Rules = "rules",
        /// A proof by the rest of the schema.
        Schema = "schema",
        /// An object, or an update, that is refused.
        Witness = "witness",
        /// Neither was found, so the row of the policy decides.
        NotDecided = "not decided",
    }
}

impl From<Proof> for Decision {
    fn from(proof: Proof) -> Self {
        match proof {
            Proof::Keyword => Self::Keyword,
            Proof::Rules => Self::Rules,
            Proof::Schema => Self::Schema,
        }
    }
}

impl Finding {
    /// What decided, if the change is about the objects that are accepted.
    pub fn decision(&self) -> Option<Decision> {
        match (&self.witness, self.proof) {
            (Some(Witness::Object(_) | Witness::Status { .. } | Witness::Update { .. }), _) => Some(Decision::Witness),
            (_, Some(proof)) => Some(proof.into()),
            (Some(Witness::None(_)), None) if self.is_about_objects() => Some(Decision::NotDecided),
            (_, None) => None,
        }
    }

    /// Whether it may refuse objects, by a row of the policy that is about the objects that are accepted.
    fn is_about_objects(&self) -> bool {
        let rule = RULES.iter().find(|rule| rule.id == self.rule);
        let row = rule.and_then(|rule| policy::row(rule.row));
        let may_refuse = matches!(self.direction, Some(Direction::Tightened | Direction::Neither));
        may_refuse && row.is_some_and(|row| row.section == "objects accepted")
    }

    /// Why it requires less than usual, as a clause.
    pub fn why_lowered(&self) -> Option<String> {
        Some(match (self.lowered?, &self.version) {
            (Lowered::Alpha, Some(version)) => format!("{version} is an alpha version"),
            (Lowered::Alpha, None) => "the resource has only alpha versions".to_owned(),
            (Lowered::BelowOne, _) => "the baseline is below v1.0.0".to_owned(),
        })
    }

    /// The required bump with its waiver; states that the baseline also has need none.
    pub fn effective(&self) -> RequiredBump {
        match (&self.waived, self.known) {
            (_, true) => RequiredBump::None,
            (Some(waived), false) => waived.to,
            (None, false) => self.required_bump,
        }
    }

    /// The required bump without its waiver.
    pub fn without_waivers(&self) -> RequiredBump {
        if self.known { RequiredBump::None } else { self.required_bump }
    }

    /// How severe it is for a release that permits this bump.
    pub fn severity(&self, permitted: RequiredBump) -> Severity {
        let effective = self.effective();
        if effective.blocks() || effective > permitted {
            Severity::Error
        } else if self.warning || self.known || self.waived.is_some() {
            Severity::Warning
        } else {
            Severity::Note
        }
    }
}
