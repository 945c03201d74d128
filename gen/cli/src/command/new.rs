//! `new` of the full program: also with the types of published CRDs.

mod published;

use crd_bundle::published::skips;
use crd_diagnostics::Diagnostic;
use crd_generator::command::new::{self, arguments, run};
use crd_generator::published_types::{Published, PublishedTypes};
use crd_generator::session::Session;
use crd_model::profile::Profile;
use crd_source::importer::source;
use crd_stamps::BundleVersion;

use super::{Run, Subcommand};
use crate::arguments::{SELECT, with_choice};
use published::{Crds, Request};

pub(super) const SUBCOMMAND: Subcommand = Subcommand {
    arguments: |command, program| arguments::arguments(command, program).mut_arg(SELECT, with_choice),
    run: Run::WithoutTypes(|matches, session| {
        let request = Request::from(matches);
        run(matches, session, &|session| published_crds(&request, session))
    }),
    ..new::SUBCOMMAND
};

fn published_crds(request: &Request, session: &Session<'_>) -> Result<Option<Box<dyn Published>>, Vec<Diagnostic>> {
    let crds = published::published(request, session)?;
    Ok(crds.map(|crds| Box::new(crds) as Box<dyn Published>))
}

impl Published for Crds {
    fn has_channels(&self) -> bool {
        self.published.has_channels()
    }

    fn version(&self) -> Option<BundleVersion> {
        self.stamped_version()
    }

    fn types(&self, profile: Profile) -> PublishedTypes {
        let source = source(&self.published, profile);
        PublishedTypes {
            prefix: self.prefix().or_else(|| self.published.prefix()),
            annotations: source.annotations,
            files: source.files.into_iter().map(|file| (file.path, file.text)).collect(),
            resources: source.resources.into_iter().map(|resource| (resource.crd, resource.path)).collect(),
            differences: source.differences.into_iter().map(difference).collect(),
            warnings: self.warnings.clone(),
            notes: skips::notes(&self.left_out),
        }
    }
}

fn difference(difference: crd_source::importer::Difference) -> Diagnostic {
    let message = format!("`{}`: {}", difference.keyword, difference.reason);
    let diagnostic = Diagnostic::warning("new::difference", message);
    let diagnostic = diagnostic.of_crd(difference.crd, difference.version, difference.path);
    match difference.channel {
        Some(channel) => diagnostic.in_channel(channel),
        None => diagnostic,
    }
}
