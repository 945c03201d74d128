//! Constants of an API: recommended condition types and reasons.

/// A string that controllers write into the status of an object; `conditions!` of crd-channels declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// What it is.
    pub kind: ConstantKind,
    /// The name of the constant: `GATEWAY_REASON_PROGRAMMED`.
    pub name: &'static str,
    /// The string.
    pub value: &'static str,
}

/// What a constant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// A condition type.
    Condition,
    /// A reason of a condition.
    Reason,
}

impl ConstantKind {
    /// The word in the file of a bundle.
    pub const fn word(self) -> &'static str {
        match self {
            ConstantKind::Condition => "condition",
            ConstantKind::Reason => "reason",
        }
    }
}
