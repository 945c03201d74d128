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

/// Each code, what it means, and an example.
pub const READ_CODES: [(&str, &str, &str); 14] = [
    (TOO_LARGE, "An input is larger than the limit.", "a YAML file of 200 MiB"),
    (BINARY, "An input is binary data of an unknown form.", "crd-channels diff ./program bundles/v1.0.0"),
    (ENCODING, "A text is not UTF-8.", "iconv -t utf-16 crd.yaml | crd-channels diff v1.0.0 -"),
    (ARCHIVE, "An archive cannot be unpacked.", "head -c 100 bundle.tar.gz | crd-channels diff v1.0.0 -"),
    (
        YAML,
        "A text is not valid YAML or JSON, or cannot be what Kubernetes reads.",
        "kind: CustomResourceDefinition\nkind: CustomResourceDefinition",
    ),
    (KUSTOMIZATION, "A `kustomization.yaml` lists what kustomize refuses.", "resources:\n- bases/missing.yaml"),
    (TEMPLATE, "A file is a template whose CRDs are not rendered yet.", "metadata:\n  name: {{ .Values.name }}"),
    (
        CRD_VERSION,
        "A CRD has an API version other than `apiextensions.k8s.io/v1`. One of `v1beta1` is read as servers converted it, with a warning.",
        "apiVersion: apiextensions.k8s.io/v1beta1\nkind: CustomResourceDefinition",
    ),
    (
        CRD_KIND,
        "A document is almost a CRD: its kind or its API version is misspelt or missing.",
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinitions",
    ),
    (
        CRD_STRUCTURE,
        "A part of a CRD is unknown, missing, or of the wrong type.",
        "spec:\n  group: example.com\n  scopes: Namespaced",
    ),
    (
        CRD_IGNORED,
        "A part of a CRD is unknown, repeated or null. Servers accept it, some with a warning. It has no effect.",
        "properties:\n  size:\n    type: integer\n    optional: true",
    ),
    (
        CRD_NAME,
        "The name of a CRD is not `PLURAL.GROUP`.",
        "metadata:\n  name: widget.example.com\nspec:\n  names: {plural: widgets}",
    ),
    (CRD_TWICE, "A bundle contains the same CRD twice.", "cat crd.yaml crd.yaml | crd-channels diff v1.0.0 -"),
    (NO_CRDS, "A bundle contains no CRD.", "crd-channels diff v1.0.0 README.md"),
];
