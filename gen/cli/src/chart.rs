//! Charts of Helm as sources of CRDs.
//!
//! Steps: the files of a chart (`find`) → whether CRDs of it need Helm (`needs_helm`) → what `helm` prints (`helm`) → texts by the files that they come
//! from (`rendered`).
//!
//! Invariants: a chart is read within the limits of archives before `helm` gets it. Without `helm`, its files are read as every other folder or archive.
//! What is in `crds/` is read as it is written, also if `helm` prints it.

mod helm;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_bundle::BundleVersion;
use crd_bundle::published::layout::{can_have_crds, is_subchart};
use crd_bundle::published::tree::Entry;
use crd_bundle::published::{Input, Part, Source, read_unpacked, texts};
use crd_diagnostics::{Diagnostic, fail_on, printable};
use crd_generator::file;
use crd_generator::session::{ChartOptions, WorkingFolder};
use crd_model::yaml::documents;
use crd_review::releases;
use serde_json::Value;
use tempfile::TempDir;

use crate::files::{Files, visible};

/// The file that makes a folder a chart.
const CHART: &str = "Chart.yaml";
/// The defaults of a chart.
const VALUES: &str = "values.yaml";
/// The folder of CRDs that Helm installs as they are.
const CRDS: &str = "crds";
/// What a text about CRDs contains.
const KIND: &str = "CustomResourceDefinition";
/// How the archive of a chart ends.
const PACKED: &str = ".tgz";

/// The code of a chart that `helm` does not render.
pub(crate) const RENDERING: &str = "chart::rendering";
/// The code of a chart without CRDs.
pub(crate) const NO_CRDS: &str = "chart::no-crds";

/// A chart whose CRDs need Helm.
struct Chart {
    /// Its name in messages.
    shown: String,
    /// Its files and those of its subcharts, by their paths in the chart.
    sources: Vec<Source>,
}

/// What a root is, if it is a chart whose CRDs need Helm, and `helm` is installed: its CRDs as `helm` renders them. `None` for every other root.
///
/// # Errors
/// The chart cannot be read, `helm` does not render it, or it has no CRD.
pub(crate) fn read(files: &dyn Files, from: WorkingFolder<'_>) -> Result<Option<Part>, Vec<Diagnostic>> {
    let Some(chart) = Chart::find(files)? else { return Ok(None) };
    let options = from.charts;
    if !chart.needs_helm() {
        return Ok(None);
    }
    let Some(helm) = &options.helm else {
        // What a template includes is not in its text.
        let states_kind = |line: &str| line.trim().strip_prefix("kind:").is_some_and(|kind| kind.trim() == KIND);
        let has_crd = |source: &&Source| source.path.ends_with(".tpl") && source.text.lines().any(states_kind);
        let included = chart.sources.iter().find(has_crd);
        return match included {
            Some(source) => Err(helm::missing(&source.name, "render the CRDs of this file").into()),
            None if options.is_empty() => Ok(None),
            None => Err(helm::missing(&chart.shown, "use `--set` and `--values`").into()),
        };
    };
    let copy = copy(files)?;
    let path = copy.as_ref().map_or_else(|| files.disk(), |(_, path)| Some(path));
    let Some(path) = path else { return Ok(None) };
    let sources = chart.rendered(&helm::template(helm, path, &chart.shown, from)?);
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    let has_kind = |source: &Source| source.text.lines().any(|line| line.contains(KIND) && !is_comment(line));
    if !sources.iter().any(has_kind) {
        return Err(chart.without_crds(options).into());
    }
    let part = read_unpacked(&chart.shown, sources, files.skips(), from.schemas);
    Ok(Some(match chart.looks_up() {
        None => part,
        Some(source) => part.without(source.name.clone(), "what `lookup` finds: `helm` has no cluster here".to_owned()),
    }))
}

/// The version of the chart at a root, if it is one.
pub(crate) fn version(files: &dyn Files) -> Option<BundleVersion> {
    let chart = Chart::find(files).ok()??;
    let manifest = chart.sources.iter().find(|source| source.path == CHART)?;
    let document = documents(&manifest.text).next()?.ok()?;
    releases::version(document.value.get("version")?.as_str()?)
}

impl Chart {
    /// The chart at a root: a folder with `Chart.yaml`, or the archive of one.
    fn find(files: &dyn Files) -> Result<Option<Self>, Vec<Diagnostic>> {
        let shown = files.shown("");
        let sources = match files.entry("") {
            Some(Entry::Folder) if matches!(files.entry(CHART), Some(Entry::File)) => unpacked(files)?,
            Some(Entry::File) if shown.ends_with(PACKED) || files.disk().is_none() => {
                let (sources, errors) = texts(files.input("")?);
                // The archive of something else can hold what its reader leaves out.
                if !sources.iter().any(|source| is_manifest(&source.path)) {
                    return Ok(None);
                }
                fail_on(errors)?;
                let below = |path: &str| path.split_once('/').map(|(_, below)| below.to_owned());
                sources.into_iter().filter_map(|source| Some(Source { path: below(&source.path)?, ..source })).collect()
            }
            _ => return Ok(None),
        };
        Ok(Some(Self { shown, sources }))
    }

    /// Whether CRDs may come from more than files that Helm installs as they are.
    fn needs_helm(&self) -> bool {
        let is_made = |source: &&Source| {
            let (folder, name) = source.path.rsplit_once('/').unwrap_or(("", &source.path));
            // Whether the CRDs of a subchart are there depends on values.
            folder != CRDS && !folder.starts_with("crds/") && !name.starts_with("values") && !folder.starts_with("ci")
        };
        self.sources.iter().filter(is_made).any(|source| source.text.contains(KIND))
    }

    /// The first template that asks a cluster.
    fn looks_up(&self) -> Option<&Source> {
        self.sources.iter().find(|source| {
            let mut actions = source.text.split("{{").skip(1).map(|rest| rest.split("}}").next().unwrap_or_default());
            source.path.contains("templates/")
                && actions.any(|action| action.split(['(', ' ', '-']).any(|word| word == "lookup"))
        })
    }

    /// The texts that `helm` printed, each with the name of the file that it comes from.
    fn rendered(&self, output: &str) -> Vec<Source> {
        let known = self.sources.iter().map(|source| (&*source.path, source)).collect::<BTreeMap<_, _>>();
        let mut by_path: BTreeMap<String, String> = BTreeMap::new();
        let mut path = None;
        let mut is_separated = true;
        for line in output.split_inclusive('\n') {
            if let Some(named) = line.strip_prefix("# Source: ").filter(|_| is_separated) {
                path = named.trim_end().split_once('/').map(|(_, below)| below.to_owned());
            }
            is_separated = line.trim_end() == "---";
            if let Some(path) = &path {
                by_path.entry(path.clone()).or_default().push_str(line);
            }
        }
        let source = |(path, text): (String, String)| {
            let is_as_written = path.split('/').rev().nth(1).is_some_and(|folder| folder == CRDS);
            match known.get(&*path) {
                Some(written) if is_as_written => (*written).clone(),
                _ => Source {
                    name: known.get(&*path).map_or_else(|| format!("{}!{path}", self.shown), |it| it.name.clone()),
                    path,
                    is_rendered: true,
                    ..Source::new(String::new(), text)
                },
            }
        };
        by_path.into_iter().map(source).collect()
    }

    /// The error of a chart that has no CRD with these values.
    fn without_crds(&self, options: &ChartOptions) -> Diagnostic {
        let message = "the chart has no CRD with these values";
        let error = Diagnostic::error(NO_CRDS, message).at_file(self.shown.clone());
        let values = self.sources.iter().find(|source| source.path == VALUES);
        let values = values.and_then(|source| documents(&source.text).next()?.ok());
        let mut switches = Vec::new();
        if let Some(document) = values {
            find_switches(&document.value, &mut Vec::new(), &mut switches);
        }
        match &*switches {
            [] if options.is_empty() => error.help("name the values that enable them, with `--set` or `--values`"),
            [] => error.help("correct the values of `--set` and `--values`"),
            switches => {
                let set = switches.iter().map(|switch| format!("`--set {}=true`", printable(switch)));
                error.help(format!("enable them with {}", set.collect::<Vec<_>>().join(" or ")))
            }
        }
    }
}

/// The values of a chart that are false, and whose names are about CRDs: `crds.enabled`, `installCRDs`.
fn find_switches(value: &Value, path: &mut Vec<String>, found: &mut Vec<String>) {
    let Value::Object(map) = value else { return };
    for (name, value) in map {
        path.push(name.clone());
        let text = path.join(".");
        if *value == Value::Bool(false) && text.to_ascii_lowercase().contains("crd") {
            found.push(text);
        } else {
            find_switches(value, path, found);
        }
        path.pop();
    }
}

/// Whether a path of an archive is that of the chart's own manifest.
fn is_manifest(path: &str) -> bool {
    path.split_once('/').is_some_and(|(_, below)| below == CHART)
}

/// The texts of a chart that is a folder, and of its packed subcharts.
fn unpacked(files: &dyn Files) -> Result<Vec<Source>, Vec<Diagnostic>> {
    let mut errors = Vec::new();
    let is_wanted = |name: &str| can_have_crds(name) || name.ends_with(".tpl") || name.ends_with(PACKED);
    let mut sources = Vec::new();
    for path in visible(files, "", &is_wanted, &mut errors) {
        if path.ends_with(PACKED) && !is_subchart(&path) {
            continue;
        }
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        match files.bytes(&path) {
            Err(error) => errors.push(error),
            Ok(bytes) => {
                let (read, wrong) = texts(Input::new(files.shown(&path), bytes));
                errors.extend(wrong);
                sources.extend(read.into_iter().map(|source| match source.path.is_empty() {
                    true => Source { path: path.clone(), ..source },
                    false => Source { path: format!("{folder}/{}", source.path), ..source },
                }));
            }
        }
    }
    fail_on(errors).map(|()| sources)
}

/// A copy on disk of a chart that is not there, with its path. It is removed with the value.
fn copy(files: &dyn Files) -> Result<Option<(TempDir, PathBuf)>, Vec<Diagnostic>> {
    if files.disk().is_some() {
        return Ok(None);
    }
    let cannot = |error| Diagnostic::error("file::io", format!("cannot write a copy of the chart: {error}"));
    let folder = tempfile::tempdir().map_err(cannot)?;
    let root = folder.path().join("chart");
    let write = |path: &Path, bytes: &[u8]| {
        let above = path.parent().unwrap_or(path);
        std::fs::create_dir_all(above).and_then(|()| std::fs::write(path, bytes))
    };
    let path = match files.entry("") {
        Some(Entry::File) => {
            let path = root.with_extension("tgz");
            write(&path, &files.bytes("")?).map_err(cannot)?;
            path
        }
        _ => {
            let mut errors = Vec::new();
            for path in visible(files, "", &|_| true, &mut errors) {
                let is_inside = path.split('/').all(|name| !matches!(name, "" | "." | ".."));
                if is_inside {
                    write(&root.join(&path), &files.bytes(&path)?)
                        .map_err(|error| file::cannot(&root, "write", &error))?;
                }
            }
            fail_on(errors)?;
            root
        }
    };
    Ok(Some((folder, path)))
}
