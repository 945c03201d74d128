//! What an API server would refuse of a CRD. The codes are those of `crd_apiserver::refusal`.
//!
//! A CRD that no server accepts was never installed, so it cannot be a baseline.

use crd_apiserver::refusal::{Authority, Part, Refusal, refusals};

use crd_diagnostics::{Diagnostic, Severity};

use super::{Expected, ImportRule, diagnostic};
use crate::published::{Published, PublishedCrd, path, schema_path};

pub(super) const RULE: ImportRule =
    ImportRule { id: "structure", summary: "CRDs that an API server would refuse", check };

fn check(published: &Published, _: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    for crd in &published.crds {
        let refusals = refusals(&crd.crd);
        if refusals.is_empty() {
            continue;
        }
        let paths: Vec<String> = refusals.iter().map(|refusal| document_path(crd, refusal)).collect();
        for (refusal, place) in refusals.iter().zip(crd.origin.places(&paths)) {
            let severity = match refusal.authority() {
                // Servers before Kubernetes 1.22 accepted more.
                Authority::Server if crd.origin.is_converted() => Severity::Warning,
                Authority::Server => Severity::Error,
                Authority::House | Authority::Advice => Severity::Warning,
            };
            found.push(
                diagnostic(refusal.rule, severity, &refusal.message, "", [])
                    .at_position(&crd.origin.file, place.line, place.column)
                    .of_crd(&*crd.crd.name, refusal.version.as_ref().map(ToString::to_string), &*refusal.path),
            );
        }
    }
}

/// Where in the document a refusal is.
fn document_path(crd: &PublishedCrd, refusal: &Refusal) -> String {
    let version = refusal.version.as_deref().unwrap_or_default();
    match refusal.part {
        Part::Document => refusal.path.clone(),
        Part::Version => format!("{}.{}", path::of_version(&crd.crd, version), refusal.path),
        Part::Schema => schema_path(&crd.crd, version, &refusal.path),
    }
}
