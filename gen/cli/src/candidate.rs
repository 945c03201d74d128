//! The candidate: the CRDs of the types, compared with the history.

use std::path::Path;

use crd_bundle::{BundleVersion, stamp};
use crd_compat::Channels;
use crd_diagnostics::{Diagnostic, all};
use crd_generate::{AnnotatedResource, Catalogue, annotated};
use crd_model::parallel;
use crd_review::history::channels_of;
use crd_review::{Request, Review, Reviewed};

use crate::history;
use crate::root::BUNDLES;
use crate::session::Session;

/// Generates the CRDs, reads the history and compares both. Errors of both are reported together.
pub(crate) fn review(
    request: Request<'_>,
    catalogue: &Catalogue,
    root: &Path,
    session: &Session<'_>,
) -> Result<Reviewed, Vec<Diagnostic>> {
    session.begin(format_args!("reading `{BUNDLES}`"));
    let without = request.is_release.then_some(request.version);
    let history = history::read(root, &[], without, session);
    session.begin("generating the CRDs of the types");
    let (resources, candidate, history) = match (generated(catalogue, request.version), history) {
        (Ok((resources, candidate)), Ok(history)) => (resources, candidate, history),
        (types, history) => return Err(types.err().into_iter().chain(history.err()).flatten().collect()),
    };
    session.begin("comparing the types with the released bundles");
    let review = Review {
        request,
        prefix: catalogue.prefix(),
        resources: &resources,
        candidate,
        constants: catalogue.condition_constants(),
        history,
    };
    Ok(review.run()?)
}

/// The resources, and their CRDs in every channel.
pub(crate) fn generated(
    catalogue: &Catalogue,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
    let resources = annotated(catalogue)?;
    let projected = parallel::each(&resources, |resource| {
        let project = |channel| {
            let stamped = |mut crd| {
                stamp(&mut crd, catalogue.prefix(), version, channel);
                (channel, crd)
            };
            resource.project(catalogue, channel).map(|crd| crd.map(stamped))
        };
        catalogue.channels().iter().copied().map(project).collect::<Vec<_>>()
    });
    let crds = all(projected.into_iter().flatten())?.into_iter().flatten();
    Ok((resources, channels_of(catalogue.channels(), crds)))
}
