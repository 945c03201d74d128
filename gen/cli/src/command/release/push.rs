//! `--push`: the artefacts of the release go to a registry, in a program with the feature `registry`.

use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;

use crate::release::Options;

#[cfg(feature = "registry")]
pub(super) use crd_oci::registry::Pushed as Artefact;

/// Nothing is pushed.
#[cfg(not(feature = "registry"))]
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) enum Artefact {}

/// What the registry has now, also as text.
pub(super) type Pushed = (Vec<Artefact>, String);

/// Whether a registry can be pushed to. It is called before anything is written.
pub(super) fn check(registry: &str) -> Result<(), Diagnostic> {
    #[cfg(feature = "registry")]
    return registry.parse::<crd_oci::registry::Reference>().map(|_| ());
    #[cfg(not(feature = "registry"))]
    Err(Diagnostic::error("usage::registry", "this program was built without a client of registries").help(format!(
        "run `crd-channels push dist/oci {registry}` after the release, or enable the feature `registry` of `crd-channels-cli`"
    )))
}

/// Pushes what was written.
pub(super) fn push(options: &Options, registry: &str, session: &Session<'_>) -> Result<Pushed, Vec<Diagnostic>> {
    let layout = options.root.join(&options.dist).join("oci");
    #[cfg(feature = "registry")]
    return crate::registry::push_layout(&layout.to_string_lossy(), registry, false, session);
    #[cfg(not(feature = "registry"))]
    check(registry).map(|()| Pushed::default()).map_err(|error| error.at_file(session.shown(&layout)).into())
}
