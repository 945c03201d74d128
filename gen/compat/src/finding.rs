//! A finding: what a difference or a state means for the release, as data.
//!
//! Made by [`crate::comparison`] from what a rule claims. Read by verdicts, waivers, and every rendering of the command line.

use crd_model::channel::Channel;
use serde_json::Value;

use crate::policy::Need;
use crate::ruling::Ruling;

/// What a change does to the set of objects that are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// Every object that was accepted still is, and more are.
    Loosened,
    /// Every object that is accepted now was before, and some no longer are.
    Tightened,
    /// Neither of both, or nobody can tell.
    Neither,
}

/// Every direction with its word.
pub const DIRECTIONS: [(Direction, &str); 3] =
    [(Direction::Loosened, "loosened"), (Direction::Tightened, "tightened"), (Direction::Neither, "neither")];

impl Direction {
    /// The word of the policy.
    pub fn word(self) -> &'static str {
        DIRECTIONS.iter().find(|(direction, _)| *direction == self).map_or("", |(_, word)| word)
    }

    /// The direction of the same difference when the bundles are exchanged.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Direction::Loosened => Direction::Tightened,
            Direction::Tightened => Direction::Loosened,
            Direction::Neither => Direction::Neither,
        }
    }
}

/// How much a reader should worry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth a line in the notes.
    Note,
    /// Permitted, and still likely to hurt somebody.
    Warning,
    /// Not permitted in this bundle.
    Error,
}

/// A waiver that lowered a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waived {
    /// What it lowers the finding to.
    pub to: Ruling,
    /// Why.
    pub reason: String,
}

/// A small object that the baseline accepts and the candidate refuses.
#[derive(Clone, Debug, PartialEq)]
pub enum Witness {
    /// The object.
    Object(Value),
    /// There can be none, or none was found; why.
    None(&'static str),
}

/// What a difference or a state means.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule that claims it; its documentation has a page of that name.
    pub rule: &'static str,
    /// What it asks of the bundle.
    pub ruling: Ruling,
    /// What else it needs.
    pub needs: Vec<Need>,
    /// True if it is permitted with a warning.
    pub warning: bool,
    /// The channel.
    pub channel: Channel,
    /// The name of the CRD.
    pub crd: String,
    /// The API version; none for what concerns the resource.
    pub version: Option<String>,
    /// Where in the schema: `spec.rules[*].matches`. Empty for what concerns the whole.
    pub path: String,
    /// How it was.
    pub before: Option<Value>,
    /// How it is.
    pub after: Option<Value>,
    /// What it does to the objects that are accepted, if it is about them.
    pub direction: Option<Direction>,
    /// What happened and why it matters, in one sentence without the place.
    pub message: String,
    /// What to do about it.
    pub fix: Option<String>,
    /// An object that the baseline accepts and the candidate refuses.
    pub witness: Option<Witness>,
    /// True for a state that the baseline has already: it is told, and does not count.
    pub known: bool,
    /// The waiver that lowers it.
    pub waived: Option<Waived>,
}

impl Finding {
    /// What it asks when waivers hold, and when what is known does not count.
    pub fn effective(&self) -> Ruling {
        match (&self.waived, self.known) {
            (_, true) => Ruling::None,
            (Some(waived), false) => waived.to,
            (None, false) => self.ruling,
        }
    }

    /// What it asks when no waiver holds.
    pub fn without_waivers(&self) -> Ruling {
        if self.known { Ruling::None } else { self.ruling }
    }

    /// How much a reader should worry, when this much is permitted.
    pub fn severity(&self, permitted: Ruling) -> Severity {
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
