//! Fitting: CRDs that are too large for their installer lose descriptions, and nothing else.
//!
//! Invariants: what is removed begins one order, and no more of it than is needed: foreign descriptions before those of the project, deeper ones before
//! those above them, longer before shorter. The structure stays equal, or fitting is an error.

mod foreign;
mod heaviest;

use std::cmp::Reverse;
use std::num::ParseIntError;
use std::str::FromStr;

use serde::Serialize;

use crate::CustomResourceDefinition;
use crate::crd::ANNOTATIONS_LIMIT;
use crate::schema::{SchemaPath, walk};
use crate::yaml::{Start, YamlWriter};

pub use foreign::FOREIGN;
pub use heaviest::{Subtree, heaviest};

/// How many heavy parts a message names.
const NAMED: usize = 3;

/// The most bytes that an installer takes of one CRD.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `kubectl apply` without `--server-side`: all annotations together, with the copy of the CRD.
    Apply,
    /// So many bytes of YAML.
    Bytes(usize),
}

impl Limit {
    pub fn most(self) -> usize {
        match self {
            Self::Apply => ANNOTATIONS_LIMIT,
            Self::Bytes(most) => most,
        }
    }

    /// The bytes of a CRD that count.
    pub fn bytes(self, crd: &CustomResourceDefinition) -> usize {
        match self {
            Self::Apply => crd.client_side_bytes(),
            Self::Bytes(_) => {
                let mut writer = YamlWriter::new(Start::Marker);
                crd.send(&mut writer);
                writer.finish().len()
            }
        }
    }

    /// The CRD, fitted into the limit. `stamped` makes what is installed of it.
    ///
    /// # Errors
    /// Why it does not fit, in words: its structure alone is larger, with the heaviest parts of it.
    pub fn fit(
        self,
        crd: &CustomResourceDefinition,
        stamped: impl Fn(&CustomResourceDefinition) -> CustomResourceDefinition,
    ) -> Result<CustomResourceDefinition, String> {
        let bytes = |crds: &[CustomResourceDefinition]| crds.iter().map(|crd| self.bytes(&stamped(crd))).sum();
        let Fitted { mut crds, after, .. } = fit(std::slice::from_ref(crd), self.most(), bytes)?;
        let parts = heaviest(&crds, NAMED).into_iter();
        let parts = parts.map(|part| format!("`{}` in {} has {}", part.path, part.version, part.bytes));
        let fitting = crds.pop().filter(|_| after <= self.most());
        fitting.ok_or_else(|| {
            let (name, most, parts) = (&crd.name, self.most(), parts.collect::<Vec<_>>().join(", "));
            format!("{name} has {after} bytes without descriptions, and {most} are allowed: {parts}")
        })
    }
}

/// Written as the setting and the option have it.
impl FromStr for Limit {
    type Err = ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "apply" { Ok(Self::Apply) } else { text.parse().map(Self::Bytes) }
    }
}

#[derive(Clone, Debug)]
pub struct Fitted {
    /// The CRDs, in their order.
    pub crds: Vec<CustomResourceDefinition>,
    /// The bytes of all together before.
    pub before: usize,
    /// The bytes of all together now: more than the limit where no description is left.
    pub after: usize,
}

/// A description in the schema of a version.
struct Description {
    crd: usize,
    version: usize,
    path: SchemaPath,
    /// Of a type of Kubernetes.
    is_foreign: bool,
    bytes: usize,
}

/// How many descriptions CRDs have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Descriptions {
    /// In types of Kubernetes.
    pub foreign: usize,
    /// Of the project.
    pub own: usize,
}

impl From<&[CustomResourceDefinition]> for Descriptions {
    fn from(crds: &[CustomResourceDefinition]) -> Self {
        let all = descriptions(crds);
        let foreign = all.iter().filter(|description| description.is_foreign).count();
        Self { foreign, own: all.len() - foreign }
    }
}

/// Removes descriptions until CRDs together have at most so many bytes, or have none left. `bytes` counts them.
///
/// # Errors
/// The structure would change, in words.
pub fn fit(
    crds: &[CustomResourceDefinition],
    most: usize,
    bytes: impl Fn(&[CustomResourceDefinition]) -> usize,
) -> Result<Fitted, String> {
    let mut order = descriptions(crds);
    order.sort_by_key(|text| (Reverse(text.is_foreign), Reverse(text.path.steps().len()), Reverse(text.bytes)));
    let before = bytes(crds);
    // The least number of removed descriptions is from `low` to `high`.
    let (mut low, mut high) = (0, if before > most { order.len() } else { 0 });
    while low < high {
        let middle = low.midpoint(high);
        match bytes(&without(crds, &order[..middle])) > most {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    let fitted = without(crds, &order[..low]);
    for (old, new) in crds.iter().zip(&fitted) {
        if old.without_descriptions() != new.without_descriptions() {
            return Err(format!("{} would lose more than descriptions", old.name));
        }
    }
    Ok(Fitted { before, after: bytes(&fitted), crds: fitted })
}

/// All descriptions of nodes, in the order of the CRDs.
fn descriptions(crds: &[CustomResourceDefinition]) -> Vec<Description> {
    let mut found = Vec::new();
    let versions = (0..).zip(crds).flat_map(|(crd, of)| (0..).zip(&of.versions).map(move |version| (crd, version)));
    for (crd, (version, of)) in versions {
        // How deep the type of Kubernetes is in which the walk is.
        let mut depth = None;
        walk(&of.schema, &mut |steps, node| {
            depth = depth.filter(|depth| steps.len() > *depth);
            if let Some(text) = &node.description {
                let (is_foreign, bytes) = (depth.is_some(), text.len());
                found.push(Description { crd, version, path: steps.into(), is_foreign, bytes });
            }
            depth = depth.or_else(|| foreign::is_foreign(node).then_some(steps.len()));
        });
    }
    found
}

fn without(crds: &[CustomResourceDefinition], removed: &[Description]) -> Vec<CustomResourceDefinition> {
    let mut crds = crds.to_vec();
    for Description { crd, version, path, .. } in removed {
        if let Some(node) = path.node_mut(&mut crds[*crd].versions[*version].schema) {
            node.description = None;
        }
    }
    crds
}

#[cfg(test)]
mod tests;
