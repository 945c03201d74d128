//! One side of an upgrade: the CRDs of a source, and where a chart has each of them.

use std::ffi::OsStr;
use std::sync::Arc;

use crd_bundle::published::choice::Choice;
use crd_bundle::published::skips::notes;
use crd_bundle::{BundleVersion, Release};
use crd_diagnostics::{Diagnostic, printable};
use crd_generator::root;
use crd_generator::session::Session;
use crd_model::channel::Channel;
use crd_model::{Channels, CustomResourceDefinition};
use crd_review::assembly::Unstamped;
use crd_upgrade::fate::Place;
use crd_upgrade::installers::ChartPlace;

use crate::source::open;

/// The CRDs of a source.
pub(super) struct Side {
    /// As the user named it.
    pub(super) name: String,
    version: Option<BundleVersion>,
    pub(super) channel: Channel,
    /// The CRDs of the channel.
    pub(super) crds: Vec<(Arc<CustomResourceDefinition>, Place)>,
    pub(super) is_chart: bool,
    /// The namespace and the name of the release of its chart.
    release: (String, String),
}

impl Side {
    /// Reads a source. Notes are printed.
    pub(super) fn read(
        argument: &OsStr,
        channel: Option<Channel>,
        session: &mut Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        session.begin(format_args!("reading `{}`", argument.display()));
        let root = root::locate(None, session).ok();
        let unstamped = channel.map_or(Unstamped::Standard, Unstamped::Of);
        let Release { channels, origins, version, left_out, .. } =
            open(argument, unstamped, &Choice::default(), root.as_deref(), session).kept?;
        session.notes(&notes(&left_out));
        let only = || Some(channels.keys().next().copied()).filter(|_| channels.len() == 1).flatten();
        let channel = channel.or_else(only).unwrap_or(Channel::Standard);
        let name = argument.to_string_lossy().into_owned();
        let is_chart = ["chart:", "oci://"].iter().any(|prefix| name.starts_with(prefix))
            || name.ends_with(".tgz")
            || session.folder.join(argument).join("Chart.yaml").is_file();
        let place = |file: &str| {
            let has = |folder: &str| file.split(['/', '!']).any(|name| name == folder);
            match () {
                () if is_chart && has("templates") => ChartPlace::Templates,
                () if is_chart && has("crds") => ChartPlace::Crds,
                () => ChartPlace::File,
            }
        };
        let origins = origins.get(&channel).into_iter().flatten();
        let places = origins.map(|origin| Place { place: place(&origin.file), is_kept: origin.is_kept });
        let unknown = Place { place: ChartPlace::File, is_kept: false };
        let crds = channels.get(&channel).into_iter().flatten().cloned();
        let crds = crds.zip(places.chain(std::iter::repeat(unknown))).collect();
        let release = (session.charts.namespace.clone(), session.charts.release.clone());
        Ok(Self { name, version, channel, crds, is_chart, release })
    }

    /// Its CRDs, by channel.
    pub(super) fn channels(&self) -> Channels {
        [(self.channel, self.crds.iter().map(|(crd, _)| Arc::clone(crd)).collect())].into()
    }

    /// Its name and its version.
    pub(super) fn shown(&self) -> String {
        let name = printable(&self.name);
        match self.version {
            Some(version) if !name.contains(&version.to_string()) => format!("{name} ({version})"),
            _ => name,
        }
    }

    /// Whether annotations name the release of its chart.
    pub(super) fn is_release(&self, namespace: Option<&str>, name: Option<&str>) -> bool {
        namespace == Some(&*self.release.0) && name == Some(&*self.release.1)
    }
}
