//! `new`: writes a workspace that generates CRDs, with a small resource or with the types of published CRDs.

pub mod arguments;
mod inputs;
mod report;

use std::path::PathBuf;

use clap::ArgMatches;
use crd_diagnostics::{Diagnostic, json};
use crd_markers::rust_names::{is_free, type_name};

use super::{Outcome, Run, Subcommand};
use crate::arguments::{Format, format};
use crate::exit::Exit;
use crate::new_workspace;
use crate::published_types::{PublishedTypes, Read};
use crate::session::Session;
use crate::workspace::{Types, Workspace};
use inputs::{Inputs, inputs, profile};

/// The subcommand of a program that does not read bundles: the full program writes the types of published CRDs.
pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "new",
    arguments: arguments::arguments,
    run: Run::Forwarding(|_, matches, session| run(matches, session, |_, _| Ok(None)), &arguments::OF_CRDS),
};

/// What was written.
#[derive(Default)]
struct Written {
    folder: PathBuf,
    files: Vec<String>,
    published: PublishedTypes,
    notes: Vec<String>,
}

/// Writes the workspace.
pub fn run(matches: &ArgMatches, session: &mut Session<'_>, read: Read) -> Outcome {
    let result = new(matches, session, read);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(written) if !written.published.differences.is_empty() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if format(matches) == Format::Json {
        session.print(json::line(&report::document(&result, session)));
        return Ok(exit);
    }
    report::print(&result?, session);
    Ok(exit)
}

fn new(matches: &ArgMatches, session: &mut Session<'_>, read: Read) -> Result<Written, Vec<Diagnostic>> {
    let folder = session.folder.join(arguments::folder(matches));
    let Inputs { name, group, kind, dependencies, is_outside, crds } = inputs(matches, &folder, session, read)?;
    let (profile, standard_only) = profile(matches, crds.as_ref().map(|crds| crds.has_channels()))?;
    let mut written = Written { folder: folder.clone(), ..Written::default() };
    if let Some(crds) = &crds {
        session.begin("writing the types");
        written.published = crds.types(profile);
        if written.published.resources.is_empty() {
            let differences = written.published.differences.into_iter();
            return Err(differences.map(|difference| difference.into_error()).collect());
        }
    }
    let published = &mut written.published;
    written.notes.append(&mut published.notes);
    let prefix = group.map(str::to_owned).or_else(|| published.prefix.clone());
    let prefix = prefix.unwrap_or_else(|| arguments::DEFAULT_GROUP.to_owned());
    let kind = kind.map_or_else(|| type_name(&name), str::to_owned);
    let root = if is_free(&kind) { kind.clone() } else { format!("{kind}Resource") };
    let types = match crds {
        Some(_) => Types::Written { files: &published.files },
        None => Types::Sample { group: &prefix, kind: &kind, root: &root },
    };
    let version = arguments::version(matches).or_else(|| crds.as_ref()?.version()).map(|version| version.to_string());
    let version = version.unwrap_or_else(|| arguments::DEFAULT_VERSION.to_owned());
    let workspace = Workspace {
        name: &name,
        prefix: &prefix,
        version: &version,
        profile,
        standard_only,
        annotations: &published.annotations,
        dependencies: &dependencies,
    };
    let files = workspace.files(types);
    new_workspace::write(&folder, &files, session)?;
    written.files = files.into_iter().map(|file| file.path).collect();
    if let Some(clone) = arguments::path(matches, arguments::PATH).filter(|_| is_outside) {
        written.notes.push(format!(
            "the workspace depends on `{}`, outside its repository, so CI cannot build it: before you push it, write `git = \"URL\"` for `path` \
             in every `Cargo.toml`, or use `--git` instead of `--path`",
            clone.display()
        ));
    }
    let shown = session.shown(&folder).display().to_string();
    written.notes.push(format!("next: `cd {shown}`, `git init` and `cargo xtask generate`"));
    if arguments::has_crds(matches) {
        written.notes.push("compare the result with `crd-channels diff PUBLISHED bundles/unreleased`".to_owned());
    }
    Ok(written)
}
