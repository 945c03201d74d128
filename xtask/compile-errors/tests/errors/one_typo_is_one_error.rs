//! An item with a typo has its impls all the same, so that nothing that uses it has an error of its own.

use crd_channels::{ObjectMeta, api};

use std::collections::BTreeMap;

/// A thing.
///
/// +kubebuilder:storageversoin
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct Thing {
    /// Metadata.
    pub metadata: ObjectMeta,
    /// Spec.
    pub spec: Spec,
}

/// A spec.
#[api]
pub struct Spec {
    /// One.
    ///
    /// +optinal
    pub one: Option<Name>,
    /// Two.
    ///
    /// +kubebuilder:default=Yes
    pub two: Option<Choice>,
    /// Three.
    ///
    /// +listType=map
    /// +listMapKey=name
    pub three: Vec<Item>,
    /// Four.
    pub four: BTreeMap<String, Item>,
}

/// A name.
///
/// +kubebuilder:validation:MaxLenght=3
#[api]
pub struct Name(pub String);

/// A choice.
#[api]
pub enum Choice {
    /// Yes.
    Yes,
    /// No.
    ///
    /// +exprimental
    No,
}

/// An item.
///
/// +structtype=atomik
#[api]
pub struct Item {
    /// Its name.
    pub name: Name,
}

pub fn uses(thing: &Thing) -> Option<(bool, Name)> {
    let choice = thing.spec.two.clone()?;
    Some((choice == Choice::Yes && choice.as_str() == "Yes", thing.spec.three.first()?.name.clone()))
}

pub fn describes() -> &'static crd_channels::TypeDescriptor {
    <Thing as crd_channels::Described>::DESCRIPTOR
}

pub fn writes(thing: &Thing) -> Result<String, serde_json::Error> {
    serde_json::to_string(thing)
}

fn main() {}
