//! `labels-and-annotations`: labels and annotations of the CRD itself.
//!
//! Except the stamps (`stamps`), the loss of an approval (`api-approved-lost`) and the version of a tool (`words`). What installers write in a cluster
//! is not a change.

use crd_inclusion::Edit;

use crate::policy::{Cell, Cells};
use crate::required_bump::RequiredBump::{Minor, Patch};
use crate::rule::{Assessment, Rule, Section, words};

pub(crate) const RULE: Rule = Rule {
    id: "labels-and-annotations",
    row: "labels-and-annotations",
    cells: Cells::of(Cell::of(&[Minor]), Cell::of(&[Minor]), Cell::of(&[Patch])),
    one: "label or annotation changed",
    many: "labels or annotations changed",
    section: Section::Documentation,
    summary: "A label or an annotation of the CRD was added, changed or removed.",
    explanation: "\
        Installers select CRDs by their labels, and tools read their annotations. Objects are not affected. \
        What kubectl, Helm, Argo CD, Flux, kustomize, OLM, kapp and Rancher write in a cluster is not \
        compared.",
    example: "\
        old: {}\n\
        new: { metadata: { labels: { example.com/policy: direct } } }",
};

/// Beginnings of what kubectl, Helm, Argo CD, Flux, kustomize, OLM, kapp and Rancher write in the objects that they install.
const OF_INSTALLERS: &str = "\
    kubectl.kubernetes.io/ meta.helm.sh/ app.kubernetes.io/managed-by app.kubernetes.io/instance \
    argocd.argoproj.io/tracking-id argocd.argoproj.io/installation-id argocd.argoproj.io/instance \
    kustomize.toolkit.fluxcd.io/name kustomize.toolkit.fluxcd.io/checksum helm.toolkit.fluxcd.io/name \
    config.kubernetes.io/ config.k8s.io/ internal.config.kubernetes.io/ alpha.config.kubernetes.io/ \
    olm.managed olm.owner olm.operatorframework.io/ operatorframework.io/installed-alongside operators.coreos.com/ \
    kapp.k14s.io/ objectset.rio.cattle.io/";

/// Whether installers write a label or an annotation with this key.
pub(crate) fn is_of_installer(key: &str) -> bool {
    OF_INSTALLERS.split(' ').any(|beginning| key.starts_with(beginning))
}

/// What generators write in the place of a version that they do not know.
const UNKNOWN_VERSIONS: [&str; 2] = ["(devel)", "(unknown)"];

/// Whether the key and each value name the version of a tool or chart.
fn names_a_version(key: &str, value: &Edit<&str>) -> bool {
    let name = key.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let is_named = name.ends_with("version") && !name.ends_with("conversion");
    let mut values = [value.before(), value.after()].into_iter().flatten();
    key == "helm.sh/chart" || is_named && values.all(|value| is_version(value))
}

/// `v0.16.1`, `1.2`, `3.0.0-rc.1`. A version of a Kubernetes API such as `v1beta1` is not the version of a tool.
fn is_version(text: &str) -> bool {
    let number = text.strip_prefix(['v', 'V']).unwrap_or(text);
    let core = number.split(['-', '+', '_']).next().unwrap_or_default();
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    UNKNOWN_VERSIONS.contains(&text) || core.split('.').all(is_number)
}

pub(crate) fn assess(what: &str, key: &str, value: &Edit<&str>, verb: &str) -> Assessment {
    if names_a_version(key, value) {
        return words::version_of_tool(value);
    }
    Assessment::new(
        &RULE,
        format!("{what} of the CRD was {verb}: tools that select or read CRDs by it may be affected"),
    )
}
