//! CRDs that the project's own generator wrote, such as controller-gen: the schemas of all channels together, without what only markers of channels say.
//!
//! The types say the rest: a type of Go, or of a file of marks, is the same descriptor as a Rust type, so that everything after the annotated schema
//! treats both alike. Only the projection begins with the written schema instead of an empty one.
//!
//! Invariants: what no marker limits to a channel stays as it was written; every element of the types is in the written schema, and every field of
//! the schema is one of the types, or the CRDs are older than the types.

mod join;
pub mod marks;
mod overlay;
mod tags;

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_markers::descriptor::Location;
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;

use crate::settings::ControllerGen;

pub(crate) use join::join;
pub(crate) use overlay::overlay;
pub(crate) use tags::without_tags;

/// The annotation with the release of controller-gen. It is left out, because a new release would change every CRD.
const GENERATOR: &str = "controller-gen.kubebuilder.io/version";

/// Written CRDs, with what descriptors cannot say about their marks.
#[derive(Clone, Debug, Default)]
pub struct WrittenCrds {
    /// The CRDs, each with all its versions.
    pub crds: Vec<Arc<CustomResourceDefinition>>,
    /// The gate of each mark that names one, by the line of the marker.
    pub gates: BTreeMap<Location, &'static str>,
    /// The command that writes the CRDs, for messages.
    pub command: Option<String>,
    /// The types whose markers are not read, each with a line that uses it.
    pub opaque: BTreeMap<String, Location>,
}

impl WrittenCrds {
    /// The CRD of a kind.
    pub(crate) fn of_kind(&self, group: &str, kind: &str) -> Option<&Arc<CustomResourceDefinition>> {
        self.crds.iter().find(|crd| crd.group == group && crd.names.kind == kind)
    }

    /// A note for each type whose markers are not read.
    pub fn notes(&self) -> impl Iterator<Item = String> {
        let note = |(name, location): (&String, &Location)| {
            format!("the markers of `{name}` are not read, because another module has it ({location})")
        };
        self.opaque.iter().map(note)
    }

    /// How the CRDs are written again.
    pub(crate) fn help(&self) -> String {
        match &self.command {
            Some(command) => format!("run `{command}`, or `generate`, which runs it"),
            None => "write the CRDs again, such as with `make manifests`".to_owned(),
        }
    }
}

/// The release of controller-gen that wrote a CRD, as far as releases differ.
pub(crate) fn controller_gen(crd: &CustomResourceDefinition) -> Option<ControllerGen> {
    let minor = crd.annotations.get(GENERATOR)?.strip_prefix("v0.")?.split('.').next()?.parse::<u32>().ok()?;
    Some(if minor > 21 { ControllerGen::V23 } else { ControllerGen::V21 })
}

/// Everything of a CRD but its versions.
pub(crate) fn header(crd: &CustomResourceDefinition) -> CustomResourceDefinition {
    let mut header = CustomResourceDefinition { versions: Vec::new(), ..crd.clone() };
    header.annotations.remove(GENERATOR);
    header
}

/// A version of a CRD.
pub(crate) fn version<'c>(crd: &'c CustomResourceDefinition, name: &str) -> Option<&'c Version> {
    crd.versions.iter().find(|version| version.name == name)
}
