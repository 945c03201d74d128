//! The candidate: the CRDs of the types, compared with the history.

use std::path::Path;

use crd_bundle::{BundleVersion, stamp};
use crd_compat::Channels;
use crd_diagnostics::{Diagnostic, all};
use crd_generate::{AnnotatedResource, Catalogue, annotated, conversions};
use crd_model::parallel;
use crd_review::history::channels_of;
use crd_review::{Lenses, Request, Review, Reviewed};

use crate::generation::GENERATOR;
use crate::history;
use crate::root::BUNDLES;
use crate::session::Session;

/// Generates the CRDs, reads the history and compares both. Errors of both are reported together. `edit` changes each resource first.
pub(crate) fn review(
    request: Request<'_>,
    catalogue: &Catalogue,
    edit: &dyn Fn(AnnotatedResource) -> AnnotatedResource,
    root: &Path,
    session: &Session<'_>,
) -> Result<Reviewed, Vec<Diagnostic>> {
    session.begin("generating the CRDs of the types");
    let resources = annotated(catalogue).map(|resources| resources.into_iter().map(edit).collect());
    let types = resources.and_then(|resources| projected(catalogue, resources, request.version));
    let types = types.and_then(|(resources, candidate)| {
        let (document, lines) = conversions(catalogue, &resources, GENERATOR)?;
        Ok((resources, candidate, document, lines))
    });
    session.begin(format_args!("reading `{BUNDLES}`"));
    let without = request.is_release.then_some(request.version);
    let history = history::read(root, &[], without, session);
    let ((resources, candidate, document, locations), history) = match (types, history) {
        (Ok(types), Ok(history)) => (types, history),
        (types, history) => return Err(types.err().into_iter().chain(history.err()).flatten().collect()),
    };
    session.begin("comparing the types with the released bundles");
    let review = Review {
        request,
        prefix: catalogue.prefix(),
        resources: &resources,
        candidate,
        constants: catalogue.condition_constants(),
        lenses: Lenses { document: &document, locations: &locations, functions: catalogue.lens_functions() },
        history,
    };
    Ok(review.run()?)
}

/// The resources, and their CRDs in every channel.
pub(crate) fn generated(
    catalogue: &Catalogue,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
    projected(catalogue, annotated(catalogue)?, version)
}

fn projected(
    catalogue: &Catalogue,
    resources: Vec<AnnotatedResource>,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
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
