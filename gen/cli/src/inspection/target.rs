//! The target of `inspect`: a known bundle, or one that the user names; and the lenses of the API.

use std::ffi::OsString;
use std::path::Path;

use crd_bundle::BundleVersion;
use crd_bundle::published::choice::Choice;
use crd_bundle::published::codes::CRD_TWICE;
use crd_bundle::published::skips::notes;
use crd_convert::{Conversions, Document};
use crd_diagnostics::Diagnostic;
use crd_generator::root::{self, BUNDLES};
use crd_generator::session::Session;
use crd_model::channel::{CHANNELS, Channel};
use crd_review::assembly::Unstamped;
use crd_suite::objects::conversion::document_errors;
use crd_upgrade::inspect::{KnownBundles, Target};

use crate::conversion::{PUBLISHED, chosen};
use crate::source::open;

/// The target that the options name; nothing without one.
pub(crate) fn target(
    named: Option<&OsString>,
    channel: Option<Channel>,
    known: &KnownBundles,
    explicit_root: Option<&Path>,
    session: &mut Session<'_>,
) -> Result<Option<Target>, Vec<Diagnostic>> {
    let Some(named) = named else {
        return Ok(channel.map(|channel| Target { bundle: None, channel: Some(channel) }));
    };
    let name = named.to_string_lossy().into_owned();
    let version = name.parse::<BundleVersion>().ok();
    let is_known = |version: &BundleVersion| known.versions().any(|known| known == *version);
    if let Some(version) = version.filter(is_known) {
        let of_channel = |channel: Channel| Some((channel, known.crds((version, channel))?.to_vec()));
        let release = CHANNELS.iter().filter_map(|row| of_channel(row.channel)).collect();
        return Ok(Some(Target { bundle: Some((name, Some(version), release)), channel }));
    }
    let root = root::locate(explicit_root, session).ok();
    if let Some((version, newest)) = version.zip(known.versions().next_back())
        && !session.folder.join(named).exists()
        && root.as_deref().is_none_or(|root| !root.join(BUNDLES).join(&name).exists())
    {
        let error =
            Diagnostic::error("bundle::unknown", format!("{version} is not a known release: the newest is {newest}"));
        return Err(error
            .help("name a known release, a folder, a file or an archive; `--releases` names more releases")
            .into());
    }
    let bundle =
        open(named, channel.map_or(Unstamped::Standard, Unstamped::Of), &Choice::default(), root.as_deref(), session)
            .kept
            .map_err(|errors| one_release(errors, &name))?;
    session.notes(&notes(&bundle.left_out));
    // The folder of a bundle is named by its version in the report.
    let name = bundle.version.map_or(name, |version| version.to_string());
    Ok(Some(Target { bundle: Some((name, bundle.version, bundle.channels)), channel }))
}

/// A folder of several releases has each CRD several times.
fn one_release(errors: Vec<Diagnostic>, name: &str) -> Vec<Diagnostic> {
    let is_twice = |error: &Diagnostic| error.code == CRD_TWICE;
    let help = || format!("name the folder of one release, such as `{name}/v1.2.3`");
    errors.into_iter().map(|error| if is_twice(&error) { error.help(help()) } else { error }).collect()
}

/// The lenses that the user names, or those of the workspace, if it has any.
pub(crate) fn lenses(
    named: Option<&OsString>,
    explicit_root: Option<&Path>,
    session: &Session<'_>,
) -> Result<Option<(Conversions, Document)>, Vec<Diagnostic>> {
    let is_in_workspace = || root::locate(explicit_root, session).is_ok_and(|root| root.join(PUBLISHED).is_file());
    if named.is_none() && !is_in_workspace() {
        return Ok(None);
    }
    let (document, name) = chosen(None, named, explicit_root, session)?;
    // Lenses with functions recognise old forms without them.
    let conversions = Conversions::with_known_code(&document, &[]).map_err(|errors| document_errors(errors, &name))?;
    Ok(Some((conversions, document)))
}
