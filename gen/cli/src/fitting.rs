//! CRDs that are fitted into the limit of an installer.
//!
//! Invariants: CRDs that one installer takes together are measured together: those of a channel in a chart, and else each alone. Where a name has CRDs in
//! several channels, each channel has a folder of files.

pub(crate) mod report;

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use crd_bundle::published::Published;
use crd_bundle::{BundleFile, files};
use crd_diagnostics::{Diagnostic, all};
use crd_model::channel::Channel;
use crd_model::fit::{Descriptions, Limit, fit, heaviest};
use crd_model::{CustomResourceDefinition, parallel};
use crd_release::chart::{LARGEST, stored_crds};

use report::{Chart, FittedCrd, HeavyPart, Kept};

/// An installer with a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Installer {
    /// It takes each CRD alone.
    OfEach(Limit),
    /// Helm, which stores all CRDs of a chart in one Secret.
    Helm,
}

impl FromStr for Installer {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "helm" => Ok(Self::Helm),
            text => text.parse().map(Self::OfEach).map_err(|_| "write `apply`, `helm` or a number of bytes".to_owned()),
        }
    }
}

impl Installer {
    fn most(self) -> usize {
        match self {
            Self::OfEach(limit) => limit.most(),
            Self::Helm => LARGEST,
        }
    }

    /// The bytes of CRDs that count.
    fn bytes(self, crds: &[CustomResourceDefinition]) -> usize {
        match self {
            Self::OfEach(limit) => crds.iter().map(|crd| limit.bytes(crd)).sum(),
            Self::Helm => stored_crds(crds),
        }
    }
}

/// What was fitted.
pub(crate) struct Fitting {
    pub(crate) installer: Installer,
    /// The charts, for Helm.
    pub(crate) charts: Vec<Chart>,
    pub(crate) crds: Vec<FittedCrd>,
    /// The new files by path.
    pub(crate) files: BTreeMap<String, BundleFile>,
}

impl Fitting {
    /// Whether everything is within the limit.
    pub(crate) fn fits(&self) -> bool {
        self.crds.iter().all(|crd| crd.fits)
    }
}

/// CRDs that are measured together.
struct Set {
    channel: Option<Channel>,
    crds: Vec<CustomResourceDefinition>,
}

/// Fits published CRDs, and lists so many of the heaviest subtrees of each.
///
/// # Errors
/// CRDs of one name whose channels are unknown, and a structure that would change.
pub(crate) fn fitted(published: Published, installer: Installer, subtrees: usize) -> Result<Fitting, Vec<Diagnostic>> {
    let sets = sets(published, installer)?;
    let fitted = all(parallel::each(&sets, |set| set.fit(installer, subtrees)))?;
    let mut fitting = Fitting { installer, charts: Vec::new(), crds: Vec::new(), files: BTreeMap::new() };
    for (chart, crds, files) in fitted {
        if installer == Installer::Helm {
            fitting.charts.push(chart);
        }
        let folder = chart.channel.map_or_else(String::new, |channel| format!("{channel}/"));
        fitting.files.extend(files.into_iter().map(|file| (format!("{folder}{}", file.name), file)));
        fitting.crds.extend(crds);
    }
    Ok(fitting)
}

fn sets(published: Published, installer: Installer) -> Result<Vec<Set>, Diagnostic> {
    let names = published.crds.iter().map(|crd| &*crd.crd.name).collect::<BTreeSet<_>>();
    let by_channel = match names.len() == published.crds.len() {
        true => vec![(None, published)],
        false => {
            let channels = published.by_channel().ok_or_else(|| {
                let error =
                    Diagnostic::error("usage::missing", "CRDs have the same name, and their channels are unknown");
                error.help("choose one of them with `--select` or `--skip`")
            })?;
            channels.into_iter().map(|(channel, published)| (Some(channel), published)).collect()
        }
    };
    let sets = by_channel.into_iter().flat_map(|(channel, published)| {
        let crds = published.crds.into_iter().map(|crd| crd.crd).collect::<Vec<_>>();
        match installer {
            Installer::Helm => vec![Set { channel, crds }],
            Installer::OfEach(_) => crds.into_iter().map(|crd| Set { channel, crds: vec![crd] }).collect(),
        }
    });
    Ok(sets.collect())
}

impl Set {
    fn fit(
        &self,
        installer: Installer,
        subtrees: usize,
    ) -> Result<(Chart, Vec<FittedCrd>, Vec<BundleFile>), Vec<Diagnostic>> {
        let Self { channel, crds } = self;
        let fitted = fit(crds, installer.most(), |crds| installer.bytes(crds)).map_err(|unequal| {
            let error = Diagnostic::error("fit::structure", unequal.to_string());
            error.help("this is a bug in this tool; please report it")
        })?;
        let fits = fitted.after <= installer.most();
        let chart = Chart { channel: *channel, before: fitted.before, after: fitted.after, fits };
        let reports = crds.iter().zip(&fitted.crds).map(|(old, new)| {
            let [all, kept] = [old, new].map(Descriptions::from);
            // Of a structure that is too large, its own parts count.
            let weighed = if fits { old } else { new };
            FittedCrd {
                name: old.name.to_string(),
                channel: *channel,
                before: installer.bytes(std::slice::from_ref(old)),
                after: installer.bytes(std::slice::from_ref(new)),
                fits,
                descriptions: Kept { kept: kept.own, all: all.own },
                foreign_descriptions: Kept { kept: kept.foreign, all: all.foreign },
                heaviest: heaviest(weighed, subtrees).into_iter().map(|part| HeavyPart::of(part, weighed)).collect(),
            }
        });
        Ok((chart, reports.collect(), files(fitted.crds.iter().cloned())))
    }
}
