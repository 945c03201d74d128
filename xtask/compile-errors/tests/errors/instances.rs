//! Instances of generic types that are not instances, or that have no schema.

use crd_channels::{ObjectMeta, api};

/// A thing.
///
/// +optinal
#[api(instances(Text = Thing<String>, Again = Thing<String>, Other = String, Two = Thing<String, i32>, Set = Thing<HashSet<i32>>))]
pub struct Thing<T> {
    /// One.
    ///
    /// +kubebuilder:validation:MaxLenght=3
    pub one: T,
    /// Two.
    ///
    /// +kubebuilder:validation:MaxLength=3
    pub two: Option<T>,
}

/// Numbers.
#[api(instances(Number = Bounded<i32>, Word = Bounded<String>))]
pub struct Bounded<T> {
    /// One.
    ///
    /// +kubebuilder:validation:Maximum=3
    pub one: T,
}

/// Not generic.
#[api(instances(Plain = NotGeneric))]
pub struct NotGeneric {
    /// One.
    pub one: Text,
    /// Two.
    pub two: Thing<bool>,
}

/// A lifetime.
#[api(instances(Borrowed = Lent<'static>))]
pub struct Lent<'a> {
    /// One.
    pub one: &'a str,
}

/// A resource.
#[api(group = "things.example.com", version = "v1", kind = "Root", instances(TextRoot = Root<Text>))]
pub struct Root<T> {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// One.
    pub spec: T,
}

fn main() {}
