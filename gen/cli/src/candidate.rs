//! The candidate: the CRDs of the types, compared with the history.

use std::path::Path;

use crd_bundle::{BundleVersion, Released, stamp};
use crd_compat::Channels;
use crd_compat::policy::Profile;
use crd_diagnostics::{Diagnostic, successes};
use crd_generate::{AnnotatedResource, Catalogue, annotated};
use crd_model::channel::Channel;
use crd_review::history::channels_of;
use crd_review::{Baseline, Review, Reviewed};

use crate::history;
use crate::parallel;
use crate::session::Session;

/// The arguments of a comparison of the types; see [`Review`].
pub(crate) struct Request<'a> {
    pub(crate) version: BundleVersion,
    pub(crate) against: Baseline,
    pub(crate) profile: Profile,
    pub(crate) with_witnesses: bool,
    pub(crate) release_date: &'a dyn Fn() -> Option<Released>,
    pub(crate) is_release: bool,
}

impl Request<'_> {
    /// Generates the CRDs, reads the history and compares both. Errors of both are reported together.
    pub(crate) fn run(
        &self,
        catalogue: &Catalogue,
        root: &Path,
        session: &Session<'_>,
    ) -> Result<Reviewed, Vec<Diagnostic>> {
        let without = self.is_release.then_some(self.version);
        let history = history::read(root, &[], without, session);
        let (resources, candidate, history) = match (generated(catalogue, self.version), history) {
            (Ok((resources, candidate)), Ok(history)) => (resources, candidate, history),
            (types, history) => return Err(types.err().into_iter().chain(history.err()).flatten().collect()),
        };
        let review = Review {
            version: self.version,
            against: self.against,
            profile: self.profile,
            with_witnesses: self.with_witnesses,
            release_date: self.release_date,
            is_release: self.is_release,
            prefix: catalogue.prefix(),
            resources: &resources,
            candidate,
            history,
        };
        review.run().map_err(|diagnostic| vec![diagnostic])
    }
}

/// The resources, and their CRDs in every channel.
pub(crate) fn generated(
    catalogue: &Catalogue,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
    let resources = annotated(catalogue)?;
    let projected = parallel::each(&resources, |resource| {
        Channel::ALL.map(|channel| {
            let stamped = |mut crd| {
                stamp(&mut crd, catalogue.prefix(), version, channel);
                (channel, crd)
            };
            resource.project(catalogue, channel).map(|crd| crd.map(stamped))
        })
    });
    let mut errors = Vec::new();
    let crds = successes(projected.into_iter().flatten(), &mut errors).into_iter().flatten();
    if errors.is_empty() { Ok((resources, channels_of(crds))) } else { Err(errors) }
}
