//! The setting `size`: CRDs lose descriptions until their installer takes them.
//!
//! Invariants: a CRD is as large as it is with its stamps, before and after the release.

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::TypeDescriptor;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::fit::{Limit, heaviest};
use crd_stamps::stamp;

use crate::catalogue::Catalogue;
use crate::problem::of_type;

/// How many subtrees a message names.
const NAMED: usize = 3;

/// The CRD within the limit of the settings. An error is about `root`.
///
/// # Errors
/// Its structure alone is larger.
pub(crate) fn fitted(
    crd: &CustomResourceDefinition,
    limit: Limit,
    (catalogue, channel): (&Catalogue, Channel),
    root: &TypeDescriptor,
) -> Result<CustomResourceDefinition, Diagnostic> {
    let next = catalogue.next_version();
    let longest = [next, next.unreleased()].into_iter().max_by_key(|version| version.to_string().len());
    let stamped = |crd: &CustomResourceDefinition| {
        let mut crd = crd.clone();
        stamp(&mut crd, catalogue.prefix(), longest.unwrap_or(next), channel);
        crd
    };
    let error = |message| of_type("generate::unfit", root, message).in_channel(channel);
    let mut fitted = limit.fit(crd, stamped).map_err(|unequal| error(unequal.to_string()))?;
    if fitted.after <= limit.most()
        && let Some(crd) = fitted.crds.pop()
    {
        return Ok(crd);
    }
    let parts = fitted.crds.iter().flat_map(|crd| heaviest(crd, NAMED));
    let parts = parts.map(|part| format!("`{}` in {} has {}", part.path, part.version, part.bytes));
    let message = format!(
        "{} does not fit into `size`: it has {} bytes without descriptions, and {} are allowed. {}",
        crd.name,
        fitted.after,
        limit.most(),
        parts.collect::<Vec<_>>().join(", ")
    );
    let help = "use large types in fewer places, give a field a type without a schema, such as `RawExtension`, or change `size` in the settings";
    Err(error(message).help(help))
}
