//! `docs`: the API reference of all releases as one HTML file.

pub(crate) mod page_file;
mod request;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, ArgMatches, Command, value_parser};
use crd_diagnostics::layout::count;
use crd_diagnostics::{Diagnostic, json};
use crd_generate::Catalogue;
use crd_generator::command::generated_page::CHECK;
use crd_generator::exit::Exit;
use crd_generator::program::Program;
use crd_generator::session::Session;
use crd_generator::settings::{Project, only_channel};
use crd_generator::{file, root};
use crd_model::document::SchemaVersion;
use crd_review::assembly::Unstamped;
use crd_site::{Counts, Page};

use super::{Group, Outcome, Run, Subcommand};
use crate::arguments::{
    Format, after_help, channel_argument, chart_arguments, choice_arguments, flag, format_argument, option, positional,
    profile_argument, root_argument, tags_argument,
};
use crate::site::{Selection, page_of, published, workspace};
use page_file::{Docs, FILE, State, again, write};
use request::Request;

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    name: "docs",
    about: "Write the API reference of all releases as one HTML file",
    group: Group::Crds,
    arguments,
    run: Run::WithDefaults(run),
};

const PATHS: &str = "paths";
const CRDS: &str = "crds";
const PUBLISHED: &str = "published";
const OUT: &str = "out";
const NAME: &str = "name";
const SIZES: &str = "sizes";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Write the API reference of all releases as one HTML file: every field with its description, rules and costs, its history, the \
             differences between releases, and pictures. It loads nothing, so it works from a disk and from any web server.\n\n\
             Without a path, the CRDs are those of `crds` in `crd-channels.yaml`. Without both, the releases are those of the workspace: the bundles in `bundles/`, the history archive, and \
             `bundles/unreleased` if its version is not released yet.\n\n\
             With paths or `--crds`, each argument is a folder of releases as `history` reads it, such as `releases/v1.2.3`, or one release: a file or \
             folder of CRDs, an archive, `git:REF:PATH`, an OCI layout (`oci-layout:DIR`), a registry (`oci://HOST/REPOSITORY`) or a cluster (`cluster:CONTEXT`). Its version is that of its bundle-version stamps, of its tag or folder such as `v1.2.3`, or follows its name: `crds.yaml=v1.2.3`. \
             Arguments of one version form one release, and so do those without a version.",
        )
        .arg(
            positional(PATHS, "PATH", "Published CRDs instead of the workspace, as with `--crds`")
                .num_args(1..)
                .value_parser(value_parser!(OsString))
                ,
        )
        .group(ArgGroup::new(PUBLISHED).args([PATHS, CRDS]))
        .arg(
            option(OUT, "DIR", "The output directory, in which `index.html` is written [default: site]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(
            option(CRDS, "FILE|DIR", "Published CRDs instead of the workspace")
                .num_args(1..)
                .value_parser(value_parser!(OsString)),
        )
        .arg(tags_argument("Read the path in each of these tags of its git repository: a release each").requires(PUBLISHED))
        .arg(option(NAME, "NAME", "The name of the project [default: that of the settings, or the API group]"))
        .arg(
            option(SIZES, "FILE", "The bytes of CRDs whose texts are unknown: version, channel, CRD and bytes in each line, separated by tabs [default: `bundles/sizes.tsv`, if it exists]")
                .value_parser(value_parser!(PathBuf)),
        )
        .arg(channel_argument("The channel of CRDs without a channel stamp"))
        .arg(profile_argument("The profile of the policy"))
        .args(choice_arguments().map(|argument| argument.requires(PUBLISHED)))
        .args(chart_arguments().map(|argument| argument.requires(PUBLISHED)))
        .arg(flag(CHECK, "Write nothing; exit with 3 if the file is out of date"))
        .arg(format_argument())
        .arg(root_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Unusable, Exit::Stale], &[
            ("docs", "write `site/index.html` for this workspace"),
            ("docs --check", "whether it is up to date"),
            ("docs config/crd --tags 'v*'", "all releases of a git repository"),
            ("docs releases/widgets --out public", "the releases of another project"),
            ("docs config/crd --name widgets", "one release of CRDs without a version"),
            ("docs old.yaml=v1.0.0 new.yaml=v1.1.0", "two releases"),
        ]))
}

fn run(catalogue: Option<&Catalogue>, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let request = Request::from(matches);
    let project = Project::read(catalogue, request.root.as_deref(), session)?;
    let page = page(&project, &request, session)?;
    let out = &request.out.clone().unwrap_or_else(|| match project.settings.folders.contains_key("site") {
        true => project.in_root(project.settings.folder("site"), session),
        false => "site".into(),
    });
    let state = write(&page, out, request.is_check, session)?;
    let path = out.join(FILE);
    match request.format {
        Format::Json => {
            let (file, bytes) = (path.display().to_string(), page.html.len());
            session.print(json::line(&Docs { schema_version: SchemaVersion, file, state, bytes, counts: page.counts }));
        }
        _ => {
            let Counts { releases, resources, fields, findings, .. } = page.counts;
            let parts = [
                count(releases, "release"),
                count(resources, "resource"),
                count(fields, "field"),
                count(findings, "finding"),
                count(page.html.len(), "byte"),
            ];
            session.print(format_args!("{} {}: {}\n", path.display(), state.predicate(), parts.join(", ")));
        }
    }
    if state != State::Stale && state != State::Missing {
        return Ok(Exit::Fine);
    }
    let predicate = if state == State::Missing { "does not exist" } else { "is out of date" };
    let error = file::error("docs::stale", session.folder.join(&path), predicate);
    session.diagnostic(&error.help(format!("run `{}`", again(&request, out, session))));
    Ok(Exit::Stale)
}

fn page(project: &Project, request: &Request, session: &mut Session<'_>) -> Result<Page, Vec<Diagnostic>> {
    let settings = &project.settings;
    let sizes = request.sizes.as_deref();
    let (mut name, mut requested, mut crds) = (request.name.clone(), request.profile, request.crds.clone());
    // CRDs that the user names may belong to another project.
    if crds.is_empty() {
        name = name.or_else(|| Some(settings.name().to_owned()).filter(|name| !name.is_empty()));
        requested = requested.or(settings.policy_profile());
        crds = if project.catalogue.is_none() { project.crds(session) } else { crds };
    }
    let only = request.channel.or_else(|| only_channel(settings));
    let unstamped = only.map_or(Unstamped::Standard, Unstamped::Of);
    let sources = if !crds.is_empty() {
        published(
            &crds.iter().collect::<Vec<_>>(),
            request.tags.as_deref(),
            name,
            unstamped,
            &request.choice,
            sizes,
            session,
        )?
    } else {
        let root = root::locate(request.root.as_deref(), session)?;
        let selection = Selection { name, sizes, unstamped, next: settings.version };
        let (sources, of_newest) = workspace(&root, &selection, session)?;
        // All releases of a workspace follow one policy.
        requested = requested.or(of_newest);
        sources
    };
    session.begin(format_args!("comparing {}", count(sources.releases.len(), "release")));
    page_of(sources, requested)
}
