//! `new`: writes a workspace that generates CRDs, with a small resource or with the types of published CRDs.

pub mod arguments;
mod inputs;
pub mod report;

use std::path::PathBuf;

use clap::ArgMatches;
use crd_diagnostics::{Diagnostic, Severity, json};
use crd_model::profile::Profile;
use crd_names::rust::{is_free, type_name};

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::Format;
use crate::exit::Exit;
use crate::new_workspace;
use crate::published_types::{PublishedTypes, Read};
use crate::session::Session;
use crate::workspace::{OF_OPERATOR, Types, Workspace};
use arguments::Request;
use inputs::{Inputs, inputs, profile};

/// The subcommand of a program that does not read bundles: the full program writes the types of published CRDs.
pub const SUBCOMMAND: Subcommand = Subcommand {
    name: "new",
    about: "Write a workspace for a new API, or for published CRDs",
    group: Group::Types,
    arguments: arguments::arguments,
    run: Run::Forwarding(|_, matches, session| run(matches, session, &|_| Ok(None)), &arguments::OF_CRDS),
};

#[derive(Default)]
struct Written {
    folder: PathBuf,
    files: Vec<String>,
    published: PublishedTypes,
    notes: Vec<String>,
}

pub fn run(matches: &ArgMatches, session: &mut Session<'_>, read: &Read<'_>) -> Outcome {
    let request = Request::from(matches);
    let result = new(&request, session, read);
    let exit = match &result {
        Err(_) => Exit::Unusable,
        Ok(written) if !written.published.differences.is_empty() => Exit::Findings,
        Ok(_) => Exit::Fine,
    };
    if request.format == Format::Json {
        session.print(json::line(&report::document(&result, session)));
        return Ok(exit);
    }
    report::print(&result?, session);
    Ok(exit)
}

fn new(request: &Request, session: &mut Session<'_>, read: &Read<'_>) -> Result<Written, Vec<Diagnostic>> {
    let folder = session.folder.join(&request.folder);
    let Inputs { name, group, kind, dependencies, is_outside, crds } = inputs(request, &folder, session, read)?;
    let (profile, standard_only) = profile(request, crds.as_ref().map(|crds| crds.has_channels()))?;
    let mut written = Written { folder: folder.clone(), ..Written::default() };
    if let Some(crds) = &crds {
        session.begin("writing the types");
        written.published = crds.types(profile);
        if written.published.resources.is_empty() {
            let differences = written.published.differences.into_iter();
            return Err(differences.map(|difference| Diagnostic { severity: Severity::Error, ..difference }).collect());
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
    let version = request.version.or_else(|| crds.as_ref()?.version()).map(|version| version.to_string());
    let version = version.unwrap_or_else(|| arguments::DEFAULT_VERSION.to_owned());
    let workspace = Workspace {
        name: &name,
        prefix: &prefix,
        version: &version,
        profile,
        standard_only,
        has_operator: request.has_operator,
        annotations: &published.annotations,
        dependencies: &dependencies,
    };
    let files = workspace.files(types);
    let others = new_workspace::has_others(&folder);
    new_workspace::write(&folder, &files, session)?;
    written.files = files.into_iter().map(|file| file.path).collect();
    let shown = session.shown(&folder).display().to_string();
    written.notes.extend(others.then(|| format!("`{shown}` was not empty: its other files are as they were")));
    written.notes.extend(choices(request, &workspace));
    if let Some(clone) = request.path.as_ref().filter(|_| is_outside) {
        written.notes.push(format!(
            "the workspace depends on `{}`, outside its repository, so CI cannot build it: before you push it, write `git = \"URL\"` for `path` \
             in every `Cargo.toml`, or use `--git` instead of `--path`",
            clone.display()
        ));
    }
    // A repository in another one is not committed with it.
    let is_in_repository = folder.ancestors().any(|above| above.join(".git").exists());
    let init = if is_in_repository { "" } else { ", `git init`" };
    written.notes.push(format!("next: `cd {shown}`{init} and `cargo xtask generate`"));
    if request.has_crds {
        written.notes.push("compare the result with `crd-channels diff PUBLISHED bundles/unreleased`".to_owned());
    }
    Ok(written)
}

/// What was chosen for the user, and the other choice.
fn choices(request: &Request, workspace: &Workspace<'_>) -> Vec<String> {
    let mut notes = Vec::new();
    if request.profile.is_none() && workspace.profile == Profile::Gep922 {
        let other = match request.has_crds {
            true => "`--profile semver` is for semantic versions",
            false => "`--standard-only` is for one set of CRDs with semantic versions",
        };
        notes.push(format!("the profile is `gep-922`, so every name starts in the channel experimental; {other}"));
    }
    if workspace.has_operator {
        let [(_, kube), (_, openapi), (_, kubernetes)] = OF_OPERATOR;
        notes.push(format!("the operator uses kube {kube} and k8s-openapi {openapi} with the feature `{kubernetes}`"));
    }
    notes
}
