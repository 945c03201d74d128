//! The target of a migration: a bundle that the user names, in a channel, with the lenses and the earlier releases of the API.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io;
use std::path::Path;

use crd_bundle::history_archive::{FILE_NAME as HISTORY, HistoryArchive, tar_xz};
use crd_bundle::published::choice::Choice;
use crd_bundle::published::skips::notes;
use crd_bundle::{CHANNEL, Release, Released};
use crd_cluster::InstalledCrd;
use crd_convert::{BundleVersion, Conversions, Document, FILE_NAME, Lens};
use crd_diagnostics::Diagnostic;
use crd_generator::root;
use crd_generator::session::Session;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_review::assembly::Unstamped;
use crd_suite::objects::conversion::document_errors;
use crd_upgrade::inspect::KnownBundles;
use crd_upgrade::migrate::Target;

use crate::command::conversions::CONVERSIONS;
use crate::source::open;

/// What the user names as target.
pub(crate) struct Named<'n> {
    pub(crate) bundle: &'n OsString,
    /// The channel; without it, the installed one.
    pub(crate) channel: Option<Channel>,
    /// Paths whose values may be dropped.
    pub(crate) drops: BTreeSet<String>,
    /// Whether values of removed fields are looked for everywhere.
    pub(crate) looks_for_removed_fields: bool,
}

/// A bundle that was read, before the cluster is known.
pub(crate) struct ReadTarget {
    bundle: Release,
    name: String,
    document: Document,
}

impl ReadTarget {
    /// Reads the bundle. `document` has the lenses, if there are any.
    ///
    /// # Errors
    /// Everything that is wrong in the bundle.
    pub(crate) fn read(
        named: &Named<'_>,
        document: Option<&Document>,
        explicit_root: Option<&Path>,
        session: &mut Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let root = root::locate(explicit_root, session).ok();
        let bundle = open(
            named.bundle,
            named.channel.map_or(Unstamped::Standard, Unstamped::Of),
            &Choice::default(),
            root.as_deref(),
            session,
        )
        .kept?;
        session.notes(&notes(&bundle.left_out));
        let month = bundle.month();
        let name = bundle.version.map(|version| version.to_string()).or(month.map(|month| month.to_string()));
        let name = name.unwrap_or_else(|| named.bundle.to_string_lossy().into_owned());
        let mut document = document.cloned().unwrap_or_else(|| of_lenses(bundle.lenses.clone()));
        if let Some(month) = month.filter(|_| !document.lenses.is_empty()) {
            let message =
                format!("{month} has no order with the versions of lenses, so the form of its objects is not known");
            return Err(Diagnostic::error("usage::conflict", message).help("migrate to a release").into());
        }
        // Later lenses lead to later bundles.
        if let Ok(version) = BundleVersion::parse_release(&name) {
            document.lenses.retain(|lens| lens.since <= version);
        }
        Ok(Self { bundle, name, document })
    }

    /// The names of its CRDs.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.bundle.crds().map(|(_, crd)| &*crd.name)
    }

    /// The target for a cluster with these CRDs.
    ///
    /// # Errors
    /// Everything that is wrong in the lenses.
    pub(crate) fn target(
        &self,
        named: &Named<'_>,
        prefix: &str,
        installed: &[InstalledCrd],
        known: &KnownBundles,
    ) -> Result<Target, Vec<Diagnostic>> {
        // A bundle may have one channel only.
        let only = || Channel::ALL.into_iter().find(|channel| !self.bundle.of_channel(*channel).is_empty());
        let channel = named.channel.or_else(|| installed_channel(prefix, installed)).or_else(only);
        let channel = channel.unwrap_or(Channel::Standard);
        let crds_of =
            |channel: Channel| self.bundle.of_channel(channel).iter().map(|crd| (**crd).clone()).collect::<Vec<_>>();
        let experimental = if channel == Channel::Standard { crds_of(Channel::Experimental) } else { Vec::new() };
        let crds = crds_of(channel);
        if crds.is_empty() {
            let message = format!("{} does not have the channel {}", self.name, channel.name());
            return Err(Diagnostic::error("usage::conflict", message)
                .help("choose another one: `--to-channel`")
                .into());
        }
        let mut forms = Vec::<CustomResourceDefinition>::new();
        for name in crds.iter().map(|crd| &*crd.name) {
            for (_, crd) in known.with_name(name) {
                if !forms.contains(crd) {
                    forms.push(crd.clone());
                }
            }
        }
        let document = Document { prefix: prefix.to_owned(), ..self.document.clone() };
        let conversions =
            Conversions::with_known_code(&document, &[]).map_err(|errors| document_errors(errors, "the lenses"))?;
        Ok(Target {
            name: format!("{} {}", self.name, channel.name()),
            crds,
            experimental,
            known: forms,
            conversions,
            drops: named.drops.clone(),
            looks_for_removed_fields: named.looks_for_removed_fields,
        })
    }

    /// The same target, with the known releases, as files and arguments for another run.
    ///
    /// # Errors
    /// Why the files cannot be packed.
    pub(crate) fn packed(
        &self,
        prefix: &str,
        known: &KnownBundles,
    ) -> io::Result<Vec<(&'static str, &'static str, Vec<u8>)>> {
        let file = |(index, (channel, crd)): (usize, (Channel, &CustomResourceDefinition))| {
            (format!("{channel}/{index}.yaml"), crd.to_value().to_string())
        };
        let bundle = tar_xz(self.bundle.crds().enumerate().map(file))?;
        let mut files = vec![("to", "bundle.tar.xz", bundle)];
        let released = Released::of_unix_seconds(0).ok();
        let stable = known.releases().filter(|release| release.version.is_some_and(BundleVersion::is_release));
        let history = HistoryArchive::new(stable.map(|release| Release { released, ..release }));
        if !history.releases().is_empty() {
            files.push(("releases", HISTORY, history.to_bytes()?));
        }
        if !self.document.lenses.is_empty() {
            let document = Document { prefix: prefix.to_owned(), ..self.document.clone() };
            files.push((CONVERSIONS, FILE_NAME, document.to_value().to_string().into_bytes()));
        }
        Ok(files)
    }

    /// What each lens does not carry, in words.
    pub(crate) fn losses(&self) -> BTreeMap<String, Vec<String>> {
        let lenses = self.document.lenses.iter().map(|lens| (lens.name.clone(), lens.loses()));
        lenses.filter(|(_, losses)| !losses.is_empty()).collect()
    }
}

/// The document of the lenses that a bundle was published with.
fn of_lenses(lenses: Vec<Lens>) -> Document {
    Document { generator: String::new(), prefix: String::new(), lenses, removed: Vec::new() }
}

/// The channel that most CRDs have.
fn installed_channel(prefix: &str, installed: &[InstalledCrd]) -> Option<Channel> {
    let key = format!("{prefix}/{CHANNEL}");
    let mut numbers = BTreeMap::<Channel, usize>::new();
    for crd in installed {
        if let Some(channel) = crd.metadata.annotations.get(&key).and_then(|name| Channel::named(name)) {
            *numbers.entry(channel).or_default() += 1;
        }
    }
    numbers.into_iter().max_by_key(|(_, number)| *number).map(|(channel, _)| channel)
}
