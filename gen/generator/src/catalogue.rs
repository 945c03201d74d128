//! Checks of a catalogue: its resources and channels.

use crd_diagnostics::Diagnostic;
use crd_generate::{Catalogue, Projection, annotated};
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

/// The types of a catalogue that generate CRDs. `channel` is the one that the user names.
pub(crate) fn projected(catalogue: &Catalogue, channel: Option<Channel>) -> Result<Projection<'_>, Vec<Diagnostic>> {
    unreleased_version(catalogue)?;
    channel.map_or(Ok(()), |channel| check_channel(catalogue, channel))?;
    Ok(Projection::new(catalogue, annotated(catalogue)?, GENERATOR))
}

/// Whether the settings have a channel that the user names.
pub fn check_channel(catalogue: &Catalogue, channel: Channel) -> Result<(), Diagnostic> {
    if catalogue.channels().contains(&channel) {
        return Ok(());
    }
    let message = format!("the settings do not have the channel {channel}");
    Err(Diagnostic::error("catalogue::channels", message).help("add it to `channels` in `crd-channels.yaml`"))
}
