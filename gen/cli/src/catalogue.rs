//! Checks of a catalogue: its resources, version, prefix and name.

use crd_apiserver::refusal::refusals;
use crd_bundle::{BUNDLE_VERSION, BundleVersion, CHANNEL};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;

/// The next bundle version.
pub(crate) fn next_version(catalogue: &Catalogue) -> Result<BundleVersion, Diagnostic> {
    let error = |error| Diagnostic::error("catalogue::version", format!("the catalogue's next version: {error}"));
    catalogue.next_version().parse().map_err(error)
}

/// The version in the stamps of generated CRDs. Errors in the resources and the prefix are reported with it.
pub(crate) fn unreleased_version(catalogue: &Catalogue) -> Result<BundleVersion, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    if catalogue.descriptors().is_empty() {
        errors.push(
            Diagnostic::error("catalogue::empty", "the catalogue has no resources, so every file would be removed")
                .help("add root types with `.resource::<T>()` or `.resources(…)`"),
        );
    }
    // A CRD with stamps only: what a server rejects in it is an error of the prefix.
    let mut stamped = CustomResourceDefinition::default();
    for key in [BUNDLE_VERSION, CHANNEL] {
        stamped.annotations.insert(format!("{}/{key}", catalogue.prefix()).into(), "".into());
    }
    for refusal in refusals(&stamped).into_iter().filter(|refusal| refusal.rule == "metadata-annotations") {
        errors.push(Diagnostic::error(
            "catalogue::prefix",
            format!("the catalogue's prefix is not valid in annotations: {}", refusal.message),
        ));
    }
    match next_version(catalogue) {
        Ok(version) if errors.is_empty() => Ok(version.unreleased()),
        version => {
            errors.extend(version.err());
            Err(errors)
        }
    }
}

/// Whether the catalogue has a channel that the user names.
pub(crate) fn check_channel(catalogue: &Catalogue, channel: Channel) -> Result<(), Diagnostic> {
    if catalogue.channels().contains(&channel) {
        return Ok(());
    }
    let message = format!("the catalogue does not have the channel {channel}");
    Err(Diagnostic::error("catalogue::channels", message).help("remove `.standard_only()` from the catalogue"))
}

/// The channel of a catalogue that has only one.
pub(crate) fn only_channel(catalogue: &Catalogue) -> Option<Channel> {
    match catalogue.channels() {
        [only] => Some(*only),
        _ => None,
    }
}

/// Helm permits 53 characters, and the channel follows the name.
const MAX_NAME: usize = 40;

/// Kubernetes permits names of 253 characters. Our longest prefix of a name is `safe-upgrades-by-reference.`.
const MAX_PREFIX: usize = 226;

/// Whether charts and archives can have the catalogue's name, and policies its prefix.
pub(crate) fn check_names(catalogue: &Catalogue) -> Result<(), Vec<Diagnostic>> {
    let (name, prefix) = (catalogue.name(), catalogue.prefix());
    let mut errors = Vec::new();
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let is_label =
        |label: &str| !label.is_empty() && label.bytes().all(plain) && !label.starts_with('-') && !label.ends_with('-');
    if !is_label(name) || name.len() > MAX_NAME || !name.starts_with(|first: char| first.is_ascii_lowercase()) {
        let message = format!("the catalogue's name {name:?} is not valid for charts and archives");
        errors.push(Diagnostic::error("catalogue::name", message).help(format!(
            "set it with `.named(\"…\")`: at most {MAX_NAME} lower-case letters, digits and `-`, beginning with a letter"
        )));
    }
    if prefix.len() > MAX_PREFIX || !prefix.split('.').all(is_label) {
        let message = format!("the catalogue's prefix {prefix:?} is not valid in names of policies");
        errors.push(Diagnostic::error("catalogue::prefix", message).help(format!(
            "choose a DNS name of at most {MAX_PREFIX} characters: lower-case letters, digits, `-` and `.`"
        )));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}
