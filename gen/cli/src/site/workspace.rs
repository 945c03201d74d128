//! The sources of the site of a workspace: the bundles in `bundles/`, the history archive, and the unreleased bundle.
//!
//! Invariants: files are only read. The unreleased bundle belongs to the site unless its version is released.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_bundle::published::choice::Choice;
use crd_bundle::timeline::TimelineRelease;
use crd_convert::{Document, Lens};
use crd_diagnostics::Diagnostic;
use crd_model::parallel;
use crd_model::profile::Profile;
use crd_review::assembly::Unstamped;
use crd_review::history::Bundle;
use serde_json::Value;

use super::sizes::{self, Sizes};
use super::{Known, Sources};
use crate::bundle_folder::open_folder;
use crate::root::BUNDLES;
use crate::session::Session;
use crate::timeline::{Contents, Timeline, of_bundle, read_with_contents};
use crate::{file, input, ledger};

/// The table of sizes of a workspace.
const SIZES: &str = "bundles/sizes.tsv";
/// The document about graduation in a bundle.
const GRADUATION: &str = "graduation.json";
/// Its format.
const GRADUATION_FORMAT: u64 = 1;
/// The folder of the unreleased bundle.
const UNRELEASED: &str = "unreleased";

/// Which part of a workspace the site is about.
pub(crate) struct Selection<'a> {
    /// The name of the project; otherwise that of the folder.
    pub(crate) name: Option<String>,
    /// The table of sizes that the user names.
    pub(crate) sizes: Option<&'a Path>,
    /// The channel of unreleased CRDs without a channel stamp.
    pub(crate) unstamped: Unstamped,
    /// The next version of the catalogue.
    pub(crate) next: Option<BundleVersion>,
}

/// The sources of the site of a workspace, and the profile of its releases.
pub(crate) fn workspace(
    root: &Path,
    selection: &Selection<'_>,
    session: &Session<'_>,
) -> Result<(Sources, Option<Profile>), Vec<Diagnostic>> {
    session.begin(format_args!("reading `{BUNDLES}`"));
    let mut errors = Vec::new();
    let mut or_default = |read: Result<Read, Vec<Diagnostic>>| read.map_err(|more| errors.extend(more)).ok();
    let timeline = or_default(read_with_contents(root, session).map(Read::Timeline));
    let unreleased =
        or_default(unreleased(root, selection, session).map(|unreleased| Read::Unreleased(Box::new(unreleased))));
    let sizes = or_default(table(root, selection.sizes, session).map(Read::Sizes));
    let ledger = or_default(ledger::read(root).map(Read::Ledger));
    let (
        Some(Read::Timeline(timeline)),
        Some(Read::Unreleased(unreleased)),
        Some(Read::Sizes(sizes)),
        Some(Read::Ledger(ledger)),
    ) = (timeline, unreleased, sizes, ledger)
    else {
        return Err(errors);
    };
    let Timeline { releases, mut bundles } = timeline;
    let newest_bundle = bundles.keys().next_back().copied();
    let profile = newest_bundle.and_then(|version| bundles.get(&version)?.profile);
    let lenses_of_newest = newest_bundle
        .and_then(|version| bundles.get_mut(&version))
        .map(|contents| std::mem::take(&mut contents.lenses));
    let mut known = parallel::each(&releases, |release| bundle(release, bundles.get(&release.version)));
    let released = releases.iter().map(|release| release.version).collect::<Vec<_>>();
    let mut known = known
        .drain(..)
        .zip(releases)
        .map(|(bundle, timeline)| Known::new(timeline.version.to_string(), false, bundle, timeline))
        .collect::<Vec<_>>();
    let Unreleased { bundle, lenses } = *unreleased;
    if let Some(bundle) = bundle {
        let version = selection.next.or(bundle.version).map(BundleVersion::core);
        if version.is_none_or(|version| !released.contains(&version)) {
            known.push(candidate(version, bundle));
        }
    }
    if known.is_empty() {
        let error = file::error("docs::no-releases", root.join(BUNDLES), "contains no release and no unreleased CRDs");
        return Err(error.help("run `cargo xtask generate`, or name published CRDs with `--crds`").into());
    }
    let graduation = graduation(root, newest_bundle)?;
    let of_folder = || root.file_name().map_or("crds".to_owned(), |name| name.to_string_lossy().into_owned());
    let sources = Sources {
        name: selection.name.clone().unwrap_or_else(of_folder),
        releases: known,
        ledger,
        lenses: lenses.or(lenses_of_newest).unwrap_or_default(),
        graduation,
        sizes,
    };
    Ok((sources, profile))
}

/// What is read from a workspace.
enum Read {
    Timeline(Timeline),
    Unreleased(Box<Unreleased>),
    Sizes(Sizes),
    Ledger(crd_compat::tombstone::Ledger),
}

/// The unreleased bundle, and the lenses in its folder.
struct Unreleased {
    bundle: Option<Bundle>,
    lenses: Option<Vec<Lens>>,
}

fn unreleased(root: &Path, selection: &Selection<'_>, session: &Session<'_>) -> Result<Unreleased, Vec<Diagnostic>> {
    let folder = root.join(BUNDLES).join(UNRELEASED);
    if !folder.is_dir() {
        return Ok(Unreleased { bundle: None, lenses: None });
    }
    let path = folder.join(crd_convert::FILE_NAME);
    let lenses = match input::text(&path)? {
        None => None,
        Some(text) => {
            let error = |error: crd_convert::DocumentError| {
                let message = format!("{}: {}", error.path, error.message);
                Diagnostic::error("bundle::conversions", message).at_file(&path).help(error.help)
            };
            let document = Document::read(&text);
            Some(document.map_err(|errors| errors.into_iter().map(error).collect::<Vec<_>>())?.lenses)
        }
    };
    let choice = Choice::default();
    let bundle = open_folder(&folder, UNRELEASED, None, selection.unstamped, &choice, session.working_folder());
    Ok(Unreleased { bundle: Some(bundle?), lenses })
}

/// The candidate as the last release.
fn candidate(version: Option<BundleVersion>, mut bundle: Bundle) -> Known {
    bundle.version = version;
    let label = version.map_or(UNRELEASED.to_owned(), |version| version.to_string());
    let timeline = timeline_of(version, &bundle);
    Known::new(label, true, bundle, timeline)
}

/// A bundle as a release of a timeline. Without a version it has the lowest one, which is not shown.
pub(super) fn timeline_of(version: Option<BundleVersion>, bundle: &Bundle) -> TimelineRelease {
    let crds = Bundle { channels: bundle.channels.clone(), ..empty(bundle.name.clone()) };
    of_bundle(version.unwrap_or_else(|| BundleVersion::new(0, 0, 0)), crds)
}

/// A release of a timeline as a bundle.
pub(super) fn bundle(release: &TimelineRelease, contents: Option<&Contents>) -> Bundle {
    let channels = release.channels.iter();
    let channels = channels.map(|(channel, crds)| (*channel, crds.iter().map(|crd| (**crd).clone()).collect()));
    Bundle {
        version: Some(release.version),
        constants: contents.and_then(|contents| contents.constants.clone()),
        channels: channels.collect(),
        ..empty(release.version.to_string())
    }
}

pub(super) fn empty(name: String) -> Bundle {
    Bundle {
        name,
        version: None,
        manifest: None,
        manifest_digest: None,
        constants: None,
        lenses: Vec::new(),
        channels: BTreeMap::new(),
        origins: BTreeMap::new(),
        left_out: Vec::new(),
        warnings: Vec::new(),
    }
}

/// The table of sizes. One that the user names must exist.
pub(super) fn table(root: &Path, named: Option<&Path>, session: &Session<'_>) -> Result<Sizes, Vec<Diagnostic>> {
    match named {
        Some(named) => named_table(&session.folder.join(named)),
        None => sizes::read(&root.join(SIZES)).map(Option::unwrap_or_default),
    }
}

/// The table that the user names.
pub(super) fn named_table(path: &Path) -> Result<Sizes, Vec<Diagnostic>> {
    sizes::read(path)?.ok_or_else(|| file::error("file::io", path, "does not exist").into())
}

/// The document about graduation of the unreleased bundle, or of the newest one.
fn graduation(root: &Path, newest: Option<BundleVersion>) -> Result<Option<Value>, Vec<Diagnostic>> {
    let folders = [Some(UNRELEASED.to_owned()), newest.map(|version| version.to_string())];
    let paths = folders.into_iter().flatten().map(|folder| root.join(BUNDLES).join(folder).join(GRADUATION));
    for path in paths.collect::<Vec<PathBuf>>() {
        let Some(text) = input::text(&path)? else { continue };
        let document = serde_json::from_str::<Value>(&text);
        let document =
            document.map_err(|error| file::error("docs::graduation", &path, format!("is not JSON: {error}")));
        let document = document.map_err(|error| vec![error.help("run `cargo xtask graduate` again")])?;
        if document.get("format").and_then(Value::as_u64) != Some(GRADUATION_FORMAT) {
            let predicate = format!("does not have the format {GRADUATION_FORMAT}, which this program reads");
            let error = file::error("docs::graduation", &path, predicate);
            return Err(error.help("use a newer program, or run `cargo xtask graduate` again").into());
        }
        return Ok(Some(document));
    }
    Ok(None)
}
