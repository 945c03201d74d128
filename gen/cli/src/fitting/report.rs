//! The report of `fit` as text and as JSON.

use crd_diagnostics::layout::{count, thousands};
use crd_diagnostics::{Diagnostic, printable};
use crd_generator::generated_tree::{GeneratedTree, TreeDocument};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::document::{SchemaVersion, json_bytes};
use crd_model::fit::{Limit, Subtree};
use crd_model::words;
use serde::Serialize;

use super::{Fitting, Installer};

words! {
    /// What the limit is of.
    enum LimitName {
        /// The annotations after `kubectl apply`.
        Apply = "apply",
        /// What Helm stores of a chart.
        Helm = "helm",
        /// The YAML.
        Bytes = "bytes",
    }
}

/// What `fit` prints with `--format json`: one document, on one line. Exit code 1: something does not fit, and nothing is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Fit<'f> {
    schema_version: SchemaVersion<1>,
    /// What the limit is of; null after an error.
    limit: Option<LimitName>,
    /// The most bytes of a CRD, or with `helm` of a chart.
    most: usize,
    /// Whether everything fits.
    fits: bool,
    /// With `helm`, a chart of all CRDs of a channel.
    charts: &'f [Chart],
    /// Each CRD.
    crds: &'f [FittedCrd],
    /// The files with `--out`, if everything fits.
    output: Option<TreeDocument<'f>>,
    /// What servers would leave out of the CRDs.
    warnings: Vec<Diagnostic>,
    /// Why nothing was fitted.
    errors: Vec<Diagnostic>,
}

/// What Helm stores of a chart, approximately.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Chart {
    /// The channel, if CRDs are in several.
    pub(super) channel: Option<Channel>,
    /// The bytes before.
    pub(super) before: usize,
    /// The bytes now.
    pub(super) after: usize,
    /// Whether they are within the limit.
    pub(super) fits: bool,
}

/// A CRD before and after fitting.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct FittedCrd {
    /// Its name.
    pub(super) name: String,
    /// The channel, if CRDs are in several.
    pub(super) channel: Option<Channel>,
    /// Its bytes before, as the limit counts them.
    pub(super) before: usize,
    /// Its bytes now.
    pub(super) after: usize,
    /// Whether it is within the limit, or its chart is.
    pub(super) fits: bool,
    /// Its own descriptions.
    pub(super) descriptions: Kept,
    /// The descriptions in types of Kubernetes.
    pub(super) foreign_descriptions: Kept,
    /// Its heaviest subtrees: before, or of its structure if that does not fit.
    pub(super) heaviest: Vec<HeavyPart>,
}

/// How many descriptions are kept.
#[derive(Clone, Copy, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Kept {
    /// So many are kept.
    pub(super) kept: usize,
    /// So many were there.
    pub(super) all: usize,
}

/// A field with everything below it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct HeavyPart {
    /// The API version.
    version: String,
    /// The path of the field; empty for the whole schema.
    path: String,
    /// The bytes of its schema as compact JSON.
    bytes: usize,
    /// The share of the bytes of the CRD, rounded down.
    percent: usize,
}

impl HeavyPart {
    /// A subtree of a CRD.
    pub(super) fn of(Subtree { version, path, bytes }: Subtree, crd: &CustomResourceDefinition) -> Self {
        let percent = bytes * 100 / json_bytes(|sink| crd.send(sink)).max(1);
        Self { version, path: path.text(), bytes, percent }
    }
}

/// The document of a result. `tree` is what was written.
pub(crate) fn document<'f>(
    fitting: Option<&'f Fitting>,
    tree: Option<&'f GeneratedTree>,
    warnings: Vec<Diagnostic>,
    errors: Vec<Diagnostic>,
) -> Fit<'f> {
    Fit {
        schema_version: SchemaVersion,
        limit: fitting.map(|fitting| match fitting.installer {
            Installer::OfEach(Limit::Apply) => LimitName::Apply,
            Installer::OfEach(Limit::Bytes(_)) => LimitName::Bytes,
            Installer::Helm => LimitName::Helm,
        }),
        most: fitting.map_or(0, |fitting| fitting.installer.most()),
        fits: fitting.is_some_and(Fitting::fits),
        charts: fitting.map_or(&[], |fitting| &fitting.charts),
        crds: fitting.map_or(&[], |fitting| &fitting.crds),
        output: tree.map(|tree| tree.document(tree.folder.display().to_string(), false)),
        warnings,
        errors,
    }
}

/// The report for reading: what has changed or is too large.
pub(crate) fn text(fitting: &Fitting) -> String {
    let changed = fitting.crds.iter().filter(|crd| crd.before != crd.after || !crd.fits).collect::<Vec<_>>();
    let mut lines = changed.iter().map(|crd| crd.lines()).collect::<String>();
    let most = thousands(fitting.installer.most());
    for Chart { channel, before, after, fits } in &fitting.charts {
        let of = channel.map_or_else(String::new, |channel| format!(" of {channel}"));
        lines += &format!("a chart{of}: {} for Helm\n", bytes(*before, *after, *fits));
    }
    let of = if fitting.charts.is_empty() { "each" } else { "a chart" };
    let crds = count(fitting.crds.len(), "CRD");
    let large = fitting.crds.iter().filter(|crd| !crd.fits).count();
    let fitted = changed.len() - large;
    lines += &format!("{crds}, {fitted} fitted, {large} too large: {most} bytes are allowed for {of}");
    let largest = fitting.crds.iter().max_by_key(|crd| crd.after).filter(|_| changed.is_empty());
    let largest = largest.map(|crd| format!("; {} has {}", printable(&crd.name), thousands(crd.after)));
    lines + &largest.unwrap_or_default() + "\n"
}

/// What became of bytes.
fn bytes(before: usize, after: usize, fits: bool) -> String {
    let change = if before == after { String::new() } else { format!("{} → ", thousands(before)) };
    format!("{change}{} bytes{}", thousands(after), if fits { "" } else { ", too many" })
}

impl FittedCrd {
    fn lines(&self) -> String {
        let Self { name, channel, before, after, fits, descriptions, foreign_descriptions, heaviest } = self;
        let channel = channel.map_or_else(String::new, |channel| format!("{channel} "));
        let mut lines = format!("{channel}{}: {}", printable(name), bytes(*before, *after, *fits));
        let [own, foreign] = [descriptions, foreign_descriptions]
            .map(|Kept { kept, all }| format!("{} of {}", thousands(*kept), thousands(*all)));
        lines += &format!("; {own} descriptions are kept, and {foreign} in types of Kubernetes\n");
        for HeavyPart { version, path, bytes, percent } in heaviest {
            let path = if path.is_empty() { "(root)".to_owned() } else { printable(path) };
            lines += &format!("  {percent:>3} % {:>9}  {version} {path}\n", thousands(*bytes));
        }
        lines
    }
}
