//! Codes of bundles that cannot be read.

pub(super) const TOO_LARGE: &str = "too-large";
pub(super) const BINARY: &str = "binary";
pub(super) const ENCODING: &str = "encoding";
pub(super) const ARCHIVE: &str = "archive";
/// A text is not valid YAML or JSON.
pub const YAML: &str = "yaml";
/// A kustomization lists what cannot be read.
pub const KUSTOMIZATION: &str = "kustomization";
/// A text is a template that is not rendered yet.
pub const TEMPLATE: &str = "template";
pub(super) const CRD_VERSION: &str = "crd-version";
pub(super) const CRD_KIND: &str = "crd-kind";
/// A part of a CRD is unknown, missing, or of the wrong type.
pub const CRD_STRUCTURE: &str = "crd-structure";
/// A part of a CRD that servers leave out or accept, and that is most likely a mistake.
pub const CRD_IGNORED: &str = "crd-ignored";
pub(super) const CRD_NAME: &str = "crd-name";
/// A bundle contains the same CRD twice.
pub const CRD_TWICE: &str = "crd-twice";
/// A bundle contains no CRD.
pub const NO_CRDS: &str = "no-crds";

/// The page of each code, in Markdown.
pub const PAGES: &str = include_str!("codes.md");
