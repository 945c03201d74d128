//! Refused CRDs: why no server takes a CRD that was read. All commands that read CRDs ask here.

use crd_apiserver::refusal::{Authority, Part, Refusal, of_servers};
use crd_cel::SchemaChecks;
use crd_diagnostics::{Diagnostic, Severity, printable};
use crd_model::CustomResourceDefinition;

use super::{Origin, path, schema_path};

/// What servers of any supported minor refuse of a CRD, and its CEL rules that no minor compiles, with the place of each.
pub fn refused(crd: &CustomResourceDefinition, origin: &Origin) -> Vec<Diagnostic> {
    // Installers render what charts write.
    let is_rendered = |refusal: &Refusal| refusal.rule.starts_with("metadata-") && refusal.message.contains("{{");
    let refusals = of_servers(crd).into_iter().filter(|refusal| !is_rendered(refusal));
    let mut found = located(crd, origin, refusals.collect());
    let mut checks = SchemaChecks::default();
    for version in &crd.versions {
        for problem in checks.check(&version.schema) {
            let path = schema_path(crd, &version.name, &problem.path);
            let place = origin.places(&[path]).into_iter().next();
            found.push(
                Diagnostic::error("object::crd-rule", printable(&problem.to_string()))
                    .help(problem.problem.kind.help().unwrap_or_default())
                    .at_position(&origin.file, place.map(|place| place.line), place.map(|place| place.column))
                    .of_crd(&*crd.name, Some(version.name.to_string()), problem.path),
            );
        }
    }
    found
}

/// Refusals as diagnostics. What servers accept is a warning, and so is what they accepted before Kubernetes 1.22 converted it.
pub(super) fn located(crd: &CustomResourceDefinition, origin: &Origin, refusals: Vec<Refusal>) -> Vec<Diagnostic> {
    if refusals.is_empty() {
        return Vec::new();
    }
    let paths = refusals.iter().map(|refusal| document_path(crd, refusal)).collect::<Vec<_>>();
    let located = refusals.into_iter().zip(origin.places(&paths)).map(|(refusal, place)| {
        let severity = match refusal.authority() {
            Authority::Server if !origin.is_converted() => Severity::Error,
            Authority::Server | Authority::House | Authority::Advice => Severity::Warning,
        };
        let version = refusal.version.as_ref().map(ToString::to_string);
        Diagnostic::new(refusal.rule, severity, printable(&refusal.message))
            .at_position(&origin.file, place.line, place.column)
            .of_crd(&*crd.name, version, refusal.path)
    });
    located.collect()
}

/// Where in the document a refusal is.
fn document_path(crd: &CustomResourceDefinition, refusal: &Refusal) -> String {
    let version = refusal.version.as_deref().unwrap_or_default();
    match refusal.part {
        Part::Document => refusal.path.clone(),
        Part::Version => format!("{}.{}", path::of_version(crd, version), refusal.path),
        Part::Schema => schema_path(crd, version, &refusal.path),
    }
}
