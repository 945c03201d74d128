//! The published CRDs that a workspace is written for.

use std::ffi::OsString;
use std::path::Path;

use clap::ArgMatches;
use crd_bundle::published::Published as Read;
use crd_bundle::published::choice::{Choice, LeftOut};
use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::channel::Channel;
use crd_model::crd::CustomResourceDefinition;
use crd_source::Published;

use super::arguments;
use crate::arguments::bundle_choice;
use crate::session::Session;
use crate::source::{self as sources, all_used};

/// The CRDs, if any are named, the warnings about their files, and what the user leaves out.
pub(super) type Crds = (Option<Published>, Vec<Diagnostic>, Vec<LeftOut>);

/// The CRDs that the arguments name, if they name any, with warnings about their files and what is left out.
pub(super) fn published(matches: &ArgMatches, session: &Session<'_>) -> Result<Crds, Vec<Diagnostic>> {
    let choice = bundle_choice(matches);
    all_used(chosen(matches, &choice, session), &choice)
}

fn chosen(matches: &ArgMatches, choice: &Choice, session: &Session<'_>) -> Result<Crds, Vec<Diagnostic>> {
    let (mut warnings, mut left_out) = (Vec::new(), Vec::new());
    let mut crds = |read: Read| {
        warnings.extend(read.warnings);
        left_out.extend(read.left_out);
        read.crds.into_iter().map(|found| found.crd).collect::<Vec<CustomResourceDefinition>>()
    };
    let files = arguments::files(matches);
    if !files.is_empty() {
        session.begin("reading CRDs");
        let read = sources::published_in(&files, choice, session)?;
        if let Some(pair) = read.crds.windows(2).find(|pair| pair[0].crd.name == pair[1].crd.name) {
            let message = format!("`{}` is there twice, once for each channel", pair[0].crd.name);
            let help = "name the input twice, with `--standard` and `--experimental`";
            return Err(Diagnostic::error("new::two-channels", message).help(help).into());
        }
        let published = Published::one_channel(crds(read));
        return Ok((Some(published), warnings, left_out));
    }
    let [standard, experimental] = Channel::ALL.map(|channel| arguments::path(matches, channel.name()));
    let (Some(standard), Some(experimental)) = (standard, experimental) else { return Ok((None, warnings, left_out)) };
    session.begin("reading CRDs");
    let mut read = |path: &Path, channel| {
        let argument = OsString::from(path);
        sources::published(&argument, choice, session).map(|read| crds(read.of_channel(channel)))
    };
    let mut errors = Vec::new();
    let mut channel = |path, channel| read(path, channel).map_err(|more| errors.extend(more)).unwrap_or_default();
    let (standard, experimental) = (channel(standard, Channel::Standard), channel(experimental, Channel::Experimental));
    fail_on(errors)?;
    Ok((Some(Published::two_channels(standard, experimental)), warnings, left_out))
}
