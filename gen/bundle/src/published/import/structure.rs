//! `structure/…`: what an API server would refuse of a CRD, by the rules of `crd_apiserver::refusal`.
//!
//! A CRD that no server accepts was never installed, so it cannot be a baseline.

use crd_apiserver::refusal::{Authority, Part, Refusal, refusals};

use super::{Expected, ImportFinding, ImportPlace, ImportRule, ImportSeverity};
use crate::published::{Published, PublishedCrd, path};

pub(super) const RULE: ImportRule =
    ImportRule { id: "structure", summary: "CRDs that an API server would refuse", check };

fn check(published: &Published, _: &Expected<'_>, findings: &mut Vec<ImportFinding>) {
    for crd in &published.crds {
        let refusals = refusals(&crd.crd);
        if refusals.is_empty() {
            continue;
        }
        let paths: Vec<String> = refusals.iter().map(|refusal| document_path(crd, refusal)).collect();
        let places = crd.places(&paths);
        for (refusal, place) in refusals.iter().zip(places) {
            let severity = match refusal.authority() {
                Authority::Server => ImportSeverity::Error,
                Authority::House => ImportSeverity::Warning,
            };
            let version = refusal.version.as_ref().map(|version| format!("{version}: ")).unwrap_or_default();
            let path = if refusal.path.is_empty() { String::new() } else { format!("{}: ", refusal.path) };
            findings.push(ImportFinding {
                rule: format!("{}/{}", RULE.id, refusal.rule),
                severity,
                message: format!("{}: {version}{path}{}", crd.crd.name, refusal.message),
                fix: String::new(),
                places: vec![ImportPlace {
                    crd: crd.crd.name.to_string(),
                    file: crd.file.clone(),
                    line: place.line,
                    column: place.column,
                }],
            });
        }
    }
}

/// Where in the document a refusal is.
fn document_path(crd: &PublishedCrd, refusal: &Refusal) -> String {
    let version = refusal.version.as_deref().unwrap_or_default();
    match refusal.part {
        Part::Document => refusal.path.clone(),
        Part::Version => format!("{}.{}", path::of_version(&crd.crd, version), refusal.path),
        Part::Schema => crd.schema_path(version, &refusal.path),
    }
}
