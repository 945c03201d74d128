//! The codes of `convert`, and of lenses that `check` cannot check.

use super::command_line::Code;

/// Every code, in the order in which a reader meets them.
pub(crate) const CODES: &[Code] = &[
    (
        "convert::lenses",
        "The lenses cannot be used.",
        "Lenses are in `conversions.json`, which `generate` writes. The message names the place in the file.",
        "lenses: [{name: tls-to-validation, …}]     # `since` is missing",
    ),
    (
        "convert::failed",
        "An object cannot be converted.",
        "A lens finds something that it cannot carry: both forms in one object, or a value of another type. The object stays as it is.",
        "spec: {tls: {}, validation: {}}     # the old and the new name of one field",
    ),
    (
        "convert::resource",
        "The bundle of `--to` does not have the resource of an object.",
        "A cluster with that bundle would refuse the object, so it stays as it is. The bundles are those of `bundles/` and of the history archive.",
        "crd-channels convert listener-sets.yaml --to v1.0.0     # ListenerSet is newer",
    ),
    (
        "convert::version",
        "The CRD does not serve the API version.",
        "`--to-api-version` writes only versions that servers return, and an object for an older bundle needs a version that this bundle serves.",
        "crd-channels convert objects.yaml --to-api-version v9 --crds crds",
    ),
    (
        "convert::field",
        "The schema does not have a field of the object.",
        "A server would drop it. With `--channel standard`, objects with experimental fields stay as they are.",
        "spec: {retry: {}}     # only experimental has `retry`",
    ),
    (
        "convert::text",
        "An object cannot be replaced in its file.",
        "Another object would change with it, for example through an anchor, or the file is part of an archive.",
        "items: [{metadata: &m {}, …}, {metadata: *m, …}]",
    ),
    (
        "conversion-unproven",
        "`check` found no object to check a lens with.",
        "It generates objects of the old form that the release before the lens accepts. If the rules of this release refuse all of them, nothing shows \
         whether the lens is right. Test it with objects of your own, for example with `convert`.",
        "/// +kubebuilder:validation:XValidation:rule=\"!has(self.tls)\"   // and `+lens:rename:from=tls,since=v1.1.0`",
    ),
];
