//! Checks of a catalogue: its resources and channels.

use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_model::channel::Channel;
use crd_stamps::BundleVersion;

/// The `generator` of `conversions.json`.
pub const GENERATOR: &str = "crd-channels";

/// The version in the stamps of generated CRDs.
pub fn unreleased_version(catalogue: &Catalogue) -> Result<BundleVersion, Diagnostic> {
    match catalogue.descriptors().next() {
        Some(_) => Ok(catalogue.next_version().unreleased()),
        None => {
            Err(Diagnostic::error("catalogue::empty", "the catalogue has no resources, so every file would be removed")
                .help("add root types with `.resource::<T>()` or `.resources(…)`"))
        }
    }
}

/// Whether the settings have a channel that the user names.
pub fn check_channel(catalogue: &Catalogue, channel: Channel) -> Result<(), Diagnostic> {
    if catalogue.channels().contains(&channel) {
        return Ok(());
    }
    let message = format!("the settings do not have the channel {channel}");
    Err(Diagnostic::error("catalogue::channels", message).help("add it to `channels` in `crd-channels.yaml`"))
}
