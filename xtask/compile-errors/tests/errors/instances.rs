//! Instances of generic types that are not instances, or that have no schema.

use crd_channels::{ObjectMeta, api};

/// +optinal
#[api(instances(Text = Thing<String>, Again = Thing<String>, Other = String, Two = Thing<String, i32>, Set = Thing<HashSet<i32>>))]
pub struct Thing<T> {
    /// +kubebuilder:validation:MaxLenght=3
    pub one: T,
    /// +kubebuilder:validation:MaxLength=3
    pub two: Option<T>,
}

/// Numbers.
#[api(instances(Number = Bounded<i32>, Word = Bounded<String>))]
pub struct Bounded<T> {
    /// +kubebuilder:validation:Maximum=3
    pub one: T,
}

#[api(instances(Plain = NotGeneric))]
pub struct NotGeneric {
    pub one: Text,
    pub two: Thing<bool>,
}

/// A lifetime.
#[api(instances(Borrowed = Lent<'static>))]
pub struct Lent<'a> {
    pub one: &'a str,
}

/// A resource.
#[api(group = "things.example.com", version = "v1", kind = "Root", instances(TextRoot = Root<Text>))]
pub struct Root<T> {
    pub metadata: ObjectMeta,
    pub spec: T,
}

fn main() {}
