//! What the generated code needs of types of the standard library and of apimachinery: how they are copied.
//!
//! Invariant: a type that is not listed is a struct with `DeepCopyInto`. A proof compares with controller-gen, which reads the source.

/// How values of a type of another module are copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Foreign {
    /// A string, boolean or number.
    Basic,
    /// `[]byte`
    Bytes,
    /// A struct that is assigned.
    Flat,
    /// A struct with `DeepCopyInto`, which a generator wrote.
    Struct,
    /// A struct with `DeepCopyInto`, written by hand.
    Into,
    /// A struct with a `DeepCopy` that returns a value, written by hand.
    Copy,
}

pub(super) fn foreign(path: &str, name: &str) -> Foreign {
    let package = path.strip_prefix("k8s.io/apimachinery/pkg/").unwrap_or(path);
    match (package, name) {
        ("encoding/json", "RawMessage") => Foreign::Bytes,
        ("encoding/json", "Number") | ("time", "Duration") | ("types", "UID") => Foreign::Basic,
        ("apis/meta/v1", "ConditionStatus" | "LabelSelectorOperator") => Foreign::Basic,
        ("apis/meta/v1", "TypeMeta" | "Duration") => Foreign::Flat,
        ("apis/meta/v1", "GroupVersionKind" | "GroupKind" | "GroupVersionResource" | "GroupResource") => Foreign::Flat,
        ("types", "NamespacedName") | ("util/intstr", "IntOrString") => Foreign::Flat,
        ("apis/meta/v1", "Time" | "MicroTime") => Foreign::Into,
        ("api/resource", "Quantity") => Foreign::Copy,
        _ => Foreign::Struct,
    }
}
