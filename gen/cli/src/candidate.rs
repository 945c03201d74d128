//! The candidate: the CRDs of the types, compared with the history.

use std::path::Path;

use crd_bundle::{BundleVersion, Released, stamp};
use crd_compat::Channels;
use crd_compat::policy::Profile;
use crd_diagnostics::Diagnostic;
use crd_generate::{AnnotatedResource, Catalogue, annotated};
use crd_model::channel::Channel;
use crd_review::history::channels_of;
use crd_review::{Baseline, Review, Reviewed};

use crate::history;
use crate::parallel;
use crate::session::Session;

/// What a command asks about the types; see [`Review`].
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

/// The resources, and the CRDs of every channel as the types say.
pub(crate) fn generated(
    catalogue: &Catalogue,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
    let resources = annotated(catalogue)?;
    let projected = parallel::each(&resources, |resource| {
        Channel::ALL.map(|channel| (channel, resource.project(catalogue, channel)))
    });
    let (mut crds, mut errors) = (Vec::new(), Vec::new());
    for (channel, result) in projected.into_iter().flatten() {
        match result {
            Ok(Some(mut crd)) => {
                stamp(&mut crd, catalogue.prefix(), version, channel);
                crds.push((channel, crd));
            }
            Ok(None) => {}
            Err(wrong) => errors.extend(wrong),
        }
    }
    if errors.is_empty() { Ok((resources, channels_of(crds))) } else { Err(errors) }
}
