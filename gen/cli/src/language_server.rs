//! What the language server asks: the project of a file, and its CRDs.
//!
//! Invariants: the CRDs are those that `validate` would use there. Types are not read again and again, because what is read of them is never freed: of a
//! project with types, the CRDs that `generate` wrote are read.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crd_bundle::published::choice::Choice;
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, Severity};
use crd_generate::settings::FILE_NAME;
use crd_generator::root::BUNDLES;
use crd_generator::session::Session;
use crd_generator::settings::Project;
use crd_lsp::{Program, ProjectCrds, Verdict};
use crd_model::channel::Channel;
use serde_json::Value;

use crate::ledger;
use crate::validation::{Against, crds};

/// The CRDs of projects on disk.
pub(crate) struct ServedProjects<'s, 'w> {
    pub(crate) session: &'s Session<'w>,
    /// CRDs that the user named for all projects.
    pub(crate) named: Vec<OsString>,
    pub(crate) channel: Option<Channel>,
    pub(crate) minors: Vec<u32>,
}

/// Where projects without settings have their CRDs, as generators write them.
const USUAL: [&str; 4] = ["config/crd/bases", "config/crd", "deploy/crds", "crds"];

impl Program for ServedProjects<'_, '_> {
    fn root(&self, file: &Path) -> PathBuf {
        let folders = || file.ancestors().skip(1);
        let with = |name: &str| folders().find(|folder| folder.join(name).exists());
        let folder = with(FILE_NAME).or_else(|| with(".git")).or_else(|| file.parent());
        folder.unwrap_or(file).to_owned()
    }

    fn crds(&self, root: &Path) -> Result<ProjectCrds, Vec<Diagnostic>> {
        let (files, reason) = self.sources(root)?;
        let read = match files.is_empty() {
            // Every kind of a group is unknown then, and no object of another project is an error.
            true => crd_suite::objects::validation::crds::ReadCrds::default(),
            false => crds(&Against::Files(files), self.channel, &Choice::default(), self.session)?,
        };
        let number = count(read.crds.iter().filter(|known| known.left_out.is_none()).count(), "CRD");
        let ledger = ledger::if_any(Some(root), self.session)?;
        Ok(ProjectCrds { crds: read, ledger, minors: self.minors.clone(), reason: format!("{number}: {reason}") })
    }

    fn verdicts(&self, root: &Path) -> Vec<Verdict> {
        let project = Project::read(None, Some(root), self.session).unwrap_or_default();
        if project.settings.types.is_none() {
            return Vec::new();
        }
        let run = |program: PathBuf| {
            let arguments = ["check", "--source", "--format", "json", "--root"];
            Command::new(program).args(arguments).arg(root).stdin(Stdio::null()).stderr(Stdio::null()).output().ok()
        };
        let output = std::env::current_exe().ok().and_then(run);
        let report = output.and_then(|output| serde_json::from_slice::<Value>(&output.stdout).ok()).unwrap_or_default();
        let list = |key: &str| report[key].as_array().into_iter().flatten();
        let all = ["errors", "problems", "findings"].into_iter().flat_map(list);
        all.filter_map(|found| verdict(found, root)).collect()
    }
}

/// A line of the report of `check`.
fn verdict(found: &Value, root: &Path) -> Option<Verdict> {
    let text = |key: &str| found[key].as_str().unwrap_or_default();
    let place = if found["source"].is_object() { &found["source"] } else { found };
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let bump = text("effectiveBump");
    let message = match bump {
        "blocked" => format!("needs a fix or a waiver: {}", text("message")),
        "" => {
            [text("message"), text("help")].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n")
        }
        _ => format!("needs a {bump} bundle: {}", text("message")),
    };
    let severity = match (text("severity"), bump) {
        ("error", _) | (_, "blocked") => Severity::Error,
        ("warning", _) | (_, "major") => Severity::Warning,
        _ => Severity::Note,
    };
    Some(Verdict {
        file: root.join(place["file"].as_str()?),
        line: number(&place["line"])?,
        column: number(&found["column"]),
        severity,
        code: [text("rule"), text("code")].concat(),
        message,
    })
}

impl ServedProjects<'_, '_> {
    /// The files with CRDs of a root, and why these.
    fn sources(&self, root: &Path) -> Result<(Vec<OsString>, String), Vec<Diagnostic>> {
        if !self.named.is_empty() {
            return Ok((self.named.clone(), "`--crds` names them".to_owned()));
        }
        let project = Project::read(None, Some(root), self.session)?;
        let settings = &project.settings;
        if settings.types.is_some() || settings.has_written_crds() {
            let folder = root.join(BUNDLES).join("unreleased");
            let reason = format!("`generate` wrote them to {}, as {FILE_NAME} names types", folder.display());
            return Ok((Vec::from_iter(folder.is_dir().then(|| folder.into())), reason));
        }
        let of_settings = settings.crds.iter().map(|path| root.join(path).into()).collect::<Vec<OsString>>();
        if !of_settings.is_empty() {
            return Ok((of_settings, format!("`crds` in {FILE_NAME} names them")));
        }
        Ok(match USUAL.iter().map(|name| root.join(name)).find(|folder| folder.is_dir()) {
            Some(folder) => {
                let reason = format!(
                    "{} is where generators write CRDs, and no {FILE_NAME} names another place",
                    folder.display()
                );
                (vec![folder.into()], reason)
            }
            None => (Vec::new(), format!("{} has no {FILE_NAME} with `crds`", root.display())),
        })
    }
}
