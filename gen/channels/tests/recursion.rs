//! A recursive type compiles, with and without markers on the fields by which it recurs, so that generation can say what
//! recurs; and it reads and writes, because Rust can hold it.

use std::collections::BTreeMap;

use crd_channels::{Described, Shape, TypeDescriptor, TypeRef, api};

/// Recurs by way of `B`.
#[api]
pub struct A {
    /// Its name.
    pub name: String,
    pub b: Option<Box<B>>,
}

/// Recurs by way of `A`.
#[api]
pub struct B {
    pub a: Vec<A>,
}

/// Recurs with markers that look at the types.
///
/// +kubebuilder:validation:AtMostOneOf=child;children
#[api]
pub struct Marked {
    /// Its name.
    pub name: String,
    /// +optional
    /// +kubebuilder:default={name: a}
    /// +kubebuilder:validation:MinProperties=1
    pub child: Option<Box<Marked>>,
    /// +listType=map
    /// +listMapKey=name
    /// +kubebuilder:validation:MaxItems=3
    /// +kubebuilder:validation:items:MinProperties=1
    /// +kubebuilder:default={{name: a}}
    pub children: Option<Vec<Marked>>,
    /// +mapType=atomic
    pub by_name: Option<BTreeMap<String, Marked>>,
    /// +structType=atomic
    pub wrapped: Option<Box<Wrapped>>,
}

/// A newtype in the circle.
///
/// +kubebuilder:validation:MinProperties=1
#[api]
pub struct Wrapped(Marked);

/// A newtype of a list in the circle.
///
/// +listType=map
/// +listMapKey=name
#[api]
pub struct Nodes(Vec<Node>);

/// Recurs through the newtype.
#[api]
pub struct Node {
    /// Its name.
    pub name: String,
    /// +kubebuilder:validation:MaxItems=3
    pub nodes: Option<Nodes>,
}

fn named(kind: TypeRef) -> Option<&'static TypeDescriptor> {
    match kind {
        TypeRef::Named(descriptor) => Some(descriptor.get()),
        TypeRef::List(items) => named(*items),
        TypeRef::Map(_, values) => named(*values),
        _ => None,
    }
}

fn fields(descriptor: &'static TypeDescriptor) -> Vec<&'static str> {
    let Shape::Struct(fields) = descriptor.shape else { return Vec::new() };
    fields.iter().filter_map(|field| named(field.kind)).map(|descriptor| descriptor.name).collect()
}

#[test]
fn descriptors_reach_each_other() {
    assert_eq!((fields(A::DESCRIPTOR), fields(B::DESCRIPTOR)), (vec!["B"], vec!["A"]));
    assert_eq!(fields(Marked::DESCRIPTOR), ["Marked", "Marked", "Marked", "Wrapped"]);
    let Shape::Newtype(inner) = Nodes::DESCRIPTOR.shape else { panic!("it is a newtype") };
    assert_eq!(named(inner).map(fields), Some(vec!["Nodes"]));
}

#[test]
fn values_read_and_write_back() {
    let text = r#"{"name":"a","b":{"a":[{"name":"b"},{"name":"c","b":{"a":[]}}]}}"#;
    let a: A = serde_json::from_str(text).expect("it is valid");
    assert_eq!(serde_json::to_string(&a).expect("it can be written"), text);
    let text = r#"{"name":"a","children":[{"name":"b","byName":{"c":{"name":"c"}}}],"wrapped":{"name":"d"}}"#;
    let marked: Marked = serde_json::from_str(text).expect("it is valid");
    assert_eq!(serde_json::to_string(&marked).expect("it can be written"), text);
    let text = r#"{"name":"a","nodes":[{"name":"b","nodes":[]}]}"#;
    let node: Node = serde_json::from_str(text).expect("it is valid");
    assert_eq!(serde_json::to_string(&node).expect("it can be written"), text);
}
