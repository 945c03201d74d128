//! The setting `size`: CRDs lose descriptions until their installer takes them.
//!
//! Invariants: a CRD is as large as it is with its stamps, before and after the release.

use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::fit::Limit;
use crd_stamps::stamp;

use crate::catalogue::Catalogue;

/// The CRD of a channel within a limit.
///
/// # Errors
/// Why it does not fit, in words.
pub(crate) fn fitted(
    crd: &CustomResourceDefinition,
    limit: Limit,
    catalogue: &Catalogue,
    channel: Channel,
) -> Result<CustomResourceDefinition, String> {
    let next = catalogue.next_version();
    let longest = [next, next.unreleased()].into_iter().max_by_key(|version| version.to_string().len());
    limit.fit(crd, |crd| {
        let mut crd = crd.clone();
        stamp(&mut crd, catalogue.prefix(), longest.unwrap_or(next), channel);
        crd
    })
}
