//! CRDs that are fitted into the limit of an installer, and the report.
//!
//! Invariants: CRDs that one installer takes together are measured together: those of a channel in a chart, and else each alone. If there are several
//! channels, each has a folder of files.

use std::collections::BTreeMap;
use std::str::FromStr;

use crd_bundle::published::Published;
use crd_bundle::{BundleFile, files};
use crd_diagnostics::layout::{count, thousands};
use crd_diagnostics::{Diagnostic, all, printable};
use crd_generator::generated_tree::TreeDocument;
use crd_model::channel::Channel;
use crd_model::document::SchemaVersion;
use crd_model::fit::{Descriptions, Limit, Subtree, fit, heaviest};
use crd_model::{CustomResourceDefinition, parallel};
use crd_release::chart::{LARGEST, stored_crds};
use serde::Serialize;

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

/// What `fit` prints with `--format json`: one document, on one line. Exit code 1: something does not fit, and nothing is written.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fit<'f> {
    schema_version: SchemaVersion<1>,
    /// The most bytes of a CRD, or with `helm` of a chart; null after an error.
    most: Option<usize>,
    /// Each CRD, or with `helm` the CRDs of each chart.
    fitted: &'f [FittedCrds],
    /// The files with `--out`, if everything fits.
    pub(crate) output: Option<TreeDocument<'f>>,
    /// What servers would leave out of the CRDs.
    pub(crate) warnings: Vec<Diagnostic>,
    /// Why nothing was fitted.
    pub(crate) errors: Vec<Diagnostic>,
}

/// CRDs that an installer takes together.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FittedCrds {
    /// Their names.
    crds: Vec<String>,
    /// The channel, if CRDs are in several.
    channel: Option<Channel>,
    /// Their bytes before.
    before: usize,
    /// Their bytes now.
    after: usize,
    /// Whether they are within the limit.
    fits: bool,
    /// The descriptions before.
    descriptions: Descriptions,
    /// The descriptions that are kept.
    kept: Descriptions,
    /// The heaviest subtrees before; without descriptions if the limit is exceeded.
    heaviest: Vec<Subtree>,
}

pub(crate) struct Fitting {
    installer: Installer,
    fitted: Vec<FittedCrds>,
    /// The new files by path.
    pub(crate) files: BTreeMap<String, BundleFile>,
}

/// Fits published CRDs, and lists so many of the heaviest subtrees.
///
/// # Errors
/// CRDs of one name whose channels are unknown, and a structure that would change.
pub(crate) fn fitted(published: Published, installer: Installer, subtrees: usize) -> Result<Fitting, Vec<Diagnostic>> {
    let mut by_channel = BTreeMap::<_, Vec<_>>::new();
    for crd in published.crds {
        by_channel.entry(crd.origin.channel()).or_default().push(crd.crd);
    }
    let are_several = by_channel.len() > 1;
    let sets = by_channel.into_iter().flat_map(|(channel, crds)| {
        let size = if installer == Installer::Helm { crds.len() } else { 1 };
        crds.chunks(size).map(|crds| (channel.filter(|_| are_several), crds.to_vec())).collect::<Vec<_>>()
    });
    let sets = sets.collect::<Vec<_>>();
    let results = all(parallel::each(&sets, |(channel, crds)| {
        let fitted = fit(crds, installer.most(), |crds| installer.bytes(crds)).map_err(|message| {
            Diagnostic::error("fit::structure", message).help("this is a bug in this tool; please report it")
        })?;
        let fits = fitted.after <= installer.most();
        let report = FittedCrds {
            crds: crds.iter().map(|crd| crd.name.to_string()).collect(),
            channel: *channel,
            before: fitted.before,
            after: fitted.after,
            fits,
            descriptions: Descriptions::from(&**crds),
            kept: Descriptions::from(&*fitted.crds),
            heaviest: heaviest(if fits { crds } else { &fitted.crds }, subtrees),
        };
        Ok::<_, Vec<Diagnostic>>((report, files(fitted.crds)))
    }))?;
    let mut fitting = Fitting { installer, fitted: Vec::new(), files: BTreeMap::new() };
    for (report, files) in results {
        let folder = report.channel.map_or_else(String::new, |channel| format!("{channel}/"));
        for file in files {
            let name = file.crd.name.to_string();
            if fitting.files.insert(format!("{folder}{}", file.name), file).is_some() {
                let error = Diagnostic::error("usage::conflict", format!("there are two CRDs {}", printable(&name)));
                return Err(error.help("choose one of them with `--select`").into());
            }
        }
        fitting.fitted.push(report);
    }
    Ok(fitting)
}

impl Fitting {
    /// Whether everything is within the limit.
    pub(crate) fn fits(&self) -> bool {
        self.fitted.iter().all(|set| set.fits)
    }

    /// The document, without files and diagnostics.
    pub(crate) fn document(&self) -> Fit<'_> {
        Fit { most: Some(self.installer.most()), fitted: &self.fitted, ..Fit::default() }
    }

    /// The report for reading: what has changed or is too large.
    pub(crate) fn text(&self) -> String {
        let changed = self.fitted.iter().filter(|set| set.before != set.after || !set.fits);
        let mut text = changed.clone().map(FittedCrds::lines).collect::<String>();
        let noun = if self.installer == Installer::Helm { "chart" } else { "CRD" };
        let large = self.fitted.iter().filter(|set| !set.fits).count();
        let (all, fitted) = (count(self.fitted.len(), noun), changed.count() - large);
        let most = thousands(self.installer.most());
        text += &format!("{all}, {fitted} fitted, {large} too large: {most} bytes are allowed for each");
        let largest = self.fitted.iter().max_by_key(|set| set.after).filter(|_| fitted + large == 0);
        let largest = largest.map(|set| format!("; the largest: {}, {} bytes", set.name(), thousands(set.after)));
        text + &largest.unwrap_or_default() + "\n"
    }
}

impl FittedCrds {
    /// The name of the CRD, or how many they are.
    fn name(&self) -> String {
        let name = if let [name] = &*self.crds { printable(name) } else { count(self.crds.len(), "CRD") };
        self.channel.map_or_else(String::new, |channel| format!("{channel} ")) + &name
    }

    fn lines(&self) -> String {
        let Self { before, after, fits, descriptions: all, kept, heaviest, .. } = self;
        let of = |kept: usize, all: usize| format!("{} of {}", thousands(kept), thousands(all));
        let mut lines = format!(
            "{}: {} → {} bytes{}; {} descriptions are kept, and {} in types of Kubernetes\n",
            self.name(),
            thousands(*before),
            thousands(*after),
            if *fits { "" } else { ", too many" },
            of(kept.own, all.own),
            of(kept.foreign, all.foreign)
        );
        for Subtree { crd, version, path, bytes, percent } in heaviest {
            let crd = if self.crds.len() > 1 { format!("{} ", printable(crd)) } else { String::new() };
            lines += &format!("  {percent:>3} % {:>9}  {crd}{version} {}\n", thousands(*bytes), printable(path));
        }
        lines
    }
}
