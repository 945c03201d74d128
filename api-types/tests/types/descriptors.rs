//! All types with `#[api]`: the parts of resources, and the few types that no resource uses.
//!
//! Invariants: complete, compared with the source files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crd_channels::{Described, Shape, TypeDescriptor, TypeRef};
use gateway_api_types::v1;

/// Types that no schema here has: one for other projects' policies, and the keys of maps, which are any strings to a schema.
const ALONE: [&TypeDescriptor; 3] = [
    <v1::NamespacedPolicyTargetReference as Described>::DESCRIPTOR,
    <v1::AnnotationKey as Described>::DESCRIPTOR,
    <v1::LabelKey as Described>::DESCRIPTOR,
];

/// All types, each once, those of resources first.
pub fn all() -> Vec<&'static TypeDescriptor> {
    let mut found = Vec::new();
    for descriptor in gateway_api_types::RESOURCES.iter().copied().chain(ALONE) {
        visit(descriptor, &mut found);
    }
    found
}

fn visit(descriptor: &'static TypeDescriptor, found: &mut Vec<&'static TypeDescriptor>) {
    if found.iter().any(|known| std::ptr::eq(*known, descriptor)) {
        return;
    }
    found.push(descriptor);
    match descriptor.shape {
        Shape::Struct(fields) | Shape::Union { variants: fields, .. } => {
            fields.iter().for_each(|field| follow(field.kind, found))
        }
        Shape::Newtype(inner) => follow(inner, found),
        Shape::Enum { .. } => {}
    }
}

fn follow(reference: TypeRef, found: &mut Vec<&'static TypeDescriptor>) {
    match reference {
        TypeRef::List(inner) | TypeRef::Map(_, inner) => follow(*inner, found),
        TypeRef::Named(descriptor) => visit(descriptor.get(), found),
        _ => {}
    }
}

/// The module of `api-types` that defines the type. `None`: a base type of Kubernetes.
pub fn module(descriptor: &TypeDescriptor) -> Option<&'static str> {
    let file = descriptor.location.file.replace('\\', "/");
    ["v1", "v1alpha1", "v1alpha2", "v1alpha3", "v1beta1"]
        .into_iter()
        .find(|module| file.contains(&format!("src/{module}/")))
}

/// `module::Name` of every item below `#[api…]` in the source files.
fn written() -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let folders = std::fs::read_dir(&source).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    for folder in folders {
        let module = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in std::fs::read_dir(&folder).unwrap().map(|entry| -> PathBuf { entry.unwrap().path() }) {
            let text = std::fs::read_to_string(file).unwrap();
            let mut lines = text.lines();
            while let Some(line) = lines.next() {
                if line.starts_with("#[api") {
                    let item = lines.find(|line| line.starts_with("pub ")).unwrap();
                    let name = item.split([' ', '(', '{']).filter(|word| !word.is_empty()).nth(2).unwrap();
                    assert!(names.insert(format!("{module}::{name}")), "{module}::{name}");
                }
            }
        }
    }
    names
}

#[test]
fn every_type_in_the_source_is_found() {
    let found: BTreeSet<String> = all()
        .into_iter()
        .filter_map(|descriptor| module(descriptor).map(|module| format!("{module}::{}", descriptor.name)))
        .collect();
    let written = written();
    assert!(written.len() > 150, "{written:?}");
    assert_eq!(found.symmetric_difference(&written).collect::<Vec<_>>(), Vec::<&String>::new());
    let base: Vec<&str> =
        all().into_iter().filter(|descriptor| module(descriptor).is_none()).map(|known| known.name).collect();
    assert_eq!(base, ["Condition", "ConditionStatus", "LabelSelector", "LabelSelectorRequirement"]);
}
