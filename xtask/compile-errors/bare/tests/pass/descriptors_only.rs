//! Descriptors without serde: this program does not depend on it, and derives nothing.

#![deny(warnings, missing_docs, unreachable_pub, unused_qualifications, missing_copy_implementations)]
#![allow(missing_debug_implementations)]

use std::collections::BTreeMap;

use crd_channels::{Described, ObjectMeta, Shape, api};

/// A thing.
///
/// +kubebuilder:subresource:status
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// What is wanted.
    pub spec: Spec,
}

/// What is wanted.
///
/// +kubebuilder:validation:AtMostOneOf=name;option
#[api]
pub struct Spec {
    /// A name.
    ///
    /// +optional
    /// +kubebuilder:default="a"
    pub name: Option<Name>,
    /// A choice.
    #[serde(rename = "option")]
    pub choice: Option<Choice>,
    /// More of it.
    ///
    /// +listType=map
    /// +listMapKey=name
    pub more: Vec<Recursive>,
    #[deprecated]
    private: Option<i32>,
    /// With a default that is compared although values cannot be written.
    ///
    /// +kubebuilder:default={"a": [3]}
    #[serde(default = "numbers")]
    pub numbers: BTreeMap<String, Vec<i32>>,
}

fn numbers() -> BTreeMap<String, Vec<i32>> {
    BTreeMap::from([("a \"b\n".to_owned(), vec![3, -4])])
}

/// A type that holds itself.
#[api]
pub struct Recursive {
    /// A name.
    pub name: Name,
    /// More of it.
    pub more: Option<Box<Recursive>>,
}

/// A name.
///
/// +kubebuilder:validation:MaxLength=3
#[api]
pub struct Name(String);

/// A choice.
#[api]
pub enum Choice {
    /// A value.
    Yes,
}

#[api]
struct Private {
    one: Option<PrivateChoice>,
    two: Option<PrivateUnion>,
    three: Option<PrivateTagged>,
}

#[api]
enum PrivateUnion {
    Named { one: i32 },
    Recursive(Recursive),
}

#[api]
#[serde(tag = "type")]
enum PrivateTagged {
    Unit,
    Named { one: i32 },
    Recursive(Recursive),
}

#[api]
enum PrivateChoice {
    Yes,
}

/// A trait that `Choice` would have, were there derives.
trait NotClone {
    const IS_CLONE: bool = false;
}

impl<T> NotClone for T {}

struct Probe<T>(std::marker::PhantomData<T>);

impl<T: Clone> Probe<T> {
    const IS_CLONE: bool = true;
}

fn main() {
    let Shape::Struct(fields) = Spec::DESCRIPTOR.shape else { panic!("it is a struct") };
    assert_eq!(fields.iter().map(|field| field.wire_name).collect::<Vec<_>>(), ["name", "option", "more", "private", "numbers"]);
    let default = fields[4].rust_default.and_then(|text| text.get());
    assert_eq!(default.as_deref(), Some(r#"{"a \"b\u000a":[3,-4]}"#));
    assert!(Thing::DESCRIPTOR.resource.is_some() && Private::DESCRIPTOR.name == "Private");
    assert!(!Probe::<Choice>::IS_CLONE && Probe::<String>::IS_CLONE, "nothing is derived");
}
