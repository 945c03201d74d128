//! The input of `bindings`, and the trees that an index lists.
//!
//! Invariant: only what the index of an earlier run lists is replaced or removed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crd_bundle::Release;
use crd_bundle::published::skips::notes;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::GoModule;
use crd_generator::catalogue::{check_channel, unreleased_version};
use crd_generator::generated_tree::{GeneratedTree, Owned};
use crd_generator::session::Session;
use crd_generator::settings::{Project, of_source, only_channel};
use crd_model::{Channel, Channels};
use crd_review::assembly::Unstamped;

use super::Request;
use crate::source::bundle;
use crate::types::Types;

/// The argument with published CRDs.
pub(super) const CRDS: &str = "crds";

/// What bindings are made of.
pub(super) struct Input {
    /// The types, unless the user named CRDs.
    pub(super) types: Option<Catalogue>,
    /// The Go module of the settings.
    pub(super) go: Option<GoModule>,
    /// The CRDs of each channel.
    pub(super) channels: Channels,
    /// Where they come from, if the user named CRDs.
    pub(super) release: Option<Release>,
    pub(super) only: Option<Channel>,
    /// Whether nothing is written.
    pub(super) is_check: bool,
}

/// The CRDs that the user names, those of the types, or those of the settings.
pub(super) fn input(
    catalogue: Option<&Catalogue>,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<Input, Vec<Diagnostic>> {
    let project = Project::read(catalogue, request.root.as_deref(), session)?;
    let (only, settings) = (request.channel, &project.settings);
    let mut named = request.crds.clone();
    let has_types = project.catalogue.is_some() || settings.types.is_some();
    if named.is_empty() && !has_types {
        named = project.crds(session);
    }
    let (mut types, mut release) = (None, None);
    let mut channels = match (has_types, named.is_empty()) {
        (_, false) => {
            session.begin("reading the CRDs");
            let choice = &request.choice;
            let unstamped = Unstamped::Of(only.or_else(|| only_channel(settings)).unwrap_or(Channel::Standard));
            let bundle = choice.all_used(bundle(&named, unstamped, choice, session))?;
            session.diagnostics(&bundle.warnings);
            session.notes(&notes(&bundle.left_out));
            release.insert(bundle).channels.clone()
        }
        (true, true) => {
            let read = of_source(catalogue, request.root.as_deref(), session)?;
            only.map_or(Ok(()), |channel| check_channel(&read, channel))?;
            let channels = Types::read(&read, unreleased_version(&read)?, session)?.candidate.channels;
            types = Some(read);
            channels
        }
        (false, true) => {
            let error = Diagnostic::error("usage::missing", "the CRDs are missing");
            return Err(error.help("name them with `--crds FILE`, or with `crds` in `crd-channels.yaml`").into());
        }
    };
    channels.retain(|channel, crds| only.is_none_or(|only| only == *channel) && !crds.is_empty());
    Ok(Input { types, go: project.settings.go, channels, release, only, is_check: request.is_check })
}

/// Files that a file among them lists. Only what the index of an earlier run lists is replaced or removed.
pub(super) fn by_index(
    folder: PathBuf,
    files: BTreeMap<String, String>,
    index: &str,
    listed: fn(&[u8]) -> Option<BTreeSet<String>>,
    is_check: bool,
) -> Result<GeneratedTree, Vec<Diagnostic>> {
    let old = crd_generator::file::existing(&folder.join(index))?;
    let old = old.map_or(Some(BTreeSet::new()), |text| {
        listed(&text).map(|mut paths| {
            paths.insert(index.to_owned());
            paths
        })
    });
    let candidates = old.unwrap_or_default();
    let is_own = |path: &str, _: &[u8]| candidates.contains(path);
    let owned = Owned { candidates: candidates.clone(), is_own: &is_own };
    GeneratedTree::compare(folder.clone(), &folder, files, &owned, is_check)
}
