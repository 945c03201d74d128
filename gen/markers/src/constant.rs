//! Constants of an API: recommended condition types and reasons, and strings that its clients use.

use crate::docs::documentation;

/// A string that controllers write into the status of an object, or that clients use otherwise; `conditions!` of crd-channels declares it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Constant {
    /// What it is.
    pub kind: ConstantKind,
    /// The name of the constant: `GATEWAY_REASON_PROGRAMMED`.
    pub name: &'static str,
    /// The string.
    pub value: &'static str,
    /// The doc comment as it is written, a line for each line.
    pub docs: &'static str,
    /// The name of its type in the Go module: `RouteConditionType`, or `v1::RouteConditionType` of another API version.
    pub go_type: Option<&'static str>,
    /// The module, with the crate: `api::v1::conditions`.
    pub module: &'static str,
}

impl Constant {
    /// A constant without documentation that belongs to no module.
    pub const fn new(kind: ConstantKind, name: &'static str, value: &'static str) -> Self {
        Self { kind, name, value, docs: "", go_type: None, module: "" }
    }

    /// The description.
    pub fn description(&self) -> String {
        documentation(self.docs.lines()).description
    }
}

/// What a constant is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConstantKind {
    /// A condition type.
    Condition,
    /// A reason of a condition.
    Reason,
    /// Any other string, such as the key of a label. It is in the Go module, and not in the file of a bundle.
    Constant,
}

impl ConstantKind {
    /// Every kind.
    pub const ALL: [ConstantKind; 3] = [ConstantKind::Condition, ConstantKind::Reason, ConstantKind::Constant];

    /// The word in `conditions!` and in the file of a bundle.
    pub const fn word(self) -> &'static str {
        match self {
            ConstantKind::Condition => "condition",
            ConstantKind::Reason => "reason",
            ConstantKind::Constant => "constant",
        }
    }
}
