//! An edit: what two sides have where they differ.
//!
//! Invariant: exchanging the sides exchanges *added* and *removed* and nothing else.

/// A value that one side lacks, or that both sides have with different content.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit<T> {
    /// Only the new side has it.
    Added(T),
    /// Only the old side has it.
    Removed(T),
    /// Both sides have it, and it differs.
    Replaced {
        /// The value of the old side.
        old: T,
        /// The value of the new side.
        new: T,
    },
}

impl<T> Edit<T> {
    /// The edit between two optional values; none if they are equal.
    pub fn between(old: Option<T>, new: Option<T>) -> Option<Self>
    where
        T: PartialEq,
    {
        match (old, new) {
            (None, None) => None,
            (None, Some(new)) => Some(Edit::Added(new)),
            (Some(old), None) => Some(Edit::Removed(old)),
            (Some(old), Some(new)) => (old != new).then_some(Edit::Replaced { old, new }),
        }
    }

    /// The value of the old side.
    pub fn before(&self) -> Option<&T> {
        match self {
            Edit::Added(_) => None,
            Edit::Removed(old) | Edit::Replaced { old, .. } => Some(old),
        }
    }

    /// The value of the new side.
    pub fn after(&self) -> Option<&T> {
        match self {
            Edit::Removed(_) => None,
            Edit::Added(new) | Edit::Replaced { new, .. } => Some(new),
        }
    }

    /// True if only the new side has it.
    pub fn is_addition(&self) -> bool {
        matches!(self, Edit::Added(_))
    }

    /// True if only the old side has it.
    pub fn is_removal(&self) -> bool {
        matches!(self, Edit::Removed(_))
    }
}

/// A value that only one side has, and that has no content which could differ: a flag, a name, a list entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence<T = ()> {
    /// Only the new side has it.
    Added(T),
    /// Only the old side has it.
    Removed(T),
}

impl<T> Presence<T> {
    pub fn value(&self) -> &T {
        match self {
            Presence::Added(value) | Presence::Removed(value) => value,
        }
    }

    /// The value, if the old side has it.
    pub fn before(&self) -> Option<&T> {
        match self {
            Presence::Added(_) => None,
            Presence::Removed(value) => Some(value),
        }
    }

    /// The value, if the new side has it.
    pub fn after(&self) -> Option<&T> {
        match self {
            Presence::Added(value) => Some(value),
            Presence::Removed(_) => None,
        }
    }

    /// True if only the new side has it.
    pub fn is_addition(&self) -> bool {
        matches!(self, Presence::Added(_))
    }

    /// True if only the old side has it.
    pub fn is_removal(&self) -> bool {
        matches!(self, Presence::Removed(_))
    }
}

impl Presence {
    /// The edit between two flags; none if they are equal.
    pub fn between(old: bool, new: bool) -> Option<Self> {
        match (old, new) {
            (false, true) => Some(Presence::Added(())),
            (true, false) => Some(Presence::Removed(())),
            _ => None,
        }
    }
}

/// One of the two schemas.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Side {
    Old,
    New,
}

impl Side {
    /// The keyword of this side.
    pub(crate) fn of<T>(self, edit: &Edit<T>) -> Option<&T> {
        match self {
            Side::Old => edit.before(),
            Side::New => edit.after(),
        }
    }

    /// The same for a keyword that only one side has.
    pub(crate) fn has<T>(self, presence: &Presence<T>) -> Option<&T> {
        match self {
            Side::Old => presence.before(),
            Side::New => presence.after(),
        }
    }

    /// The value of this side.
    pub(crate) fn of_both<T>(self, old: T, new: T) -> T {
        match self {
            Side::Old => old,
            Side::New => new,
        }
    }

    pub(crate) fn other(self) -> Self {
        match self {
            Side::Old => Side::New,
            Side::New => Side::Old,
        }
    }
}
