//! The CRDs to validate against: those of the types, of a bundle, or of files.

use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use crd_bundle::published::choice::{Choice, Chosen};
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generator::catalogue::{check_channel, unreleased_version};
use crd_generator::root;
use crd_generator::session::Session;
use crd_generator::settings::{Project, only_channel, types_of};
use crd_model::channel::Channel;
use crd_review::assembly::Unstamped;
use crd_suite::objects::validation::KnownCrd;
use crd_suite::objects::validation::crds::{ReadCrds, known, of_bundle, of_files};

use crate::arguments::CrdArguments;
use crate::source::{open, readable};
use crate::types::Types;

/// Where the CRDs come from.
#[derive(Clone, Debug)]
pub(crate) enum Against<'a> {
    /// The types of the workspace.
    Types(Box<Catalogue>),
    /// A bundle: a version in `bundles/`, a folder, an install file, or an archive. With `--root`, if it was named.
    Bundle(&'a OsStr, Option<&'a Path>),
    /// Files and folders with CRDs.
    Files(Vec<OsString>),
}

impl<'a> Against<'a> {
    /// What `--bundle` or `--crds` names, the types, or the CRDs of the settings.
    pub(crate) fn named(
        arguments: &'a CrdArguments,
        catalogue: Option<&Catalogue>,
        session: &Session<'_>,
    ) -> Result<Self, Vec<Diagnostic>> {
        let root = arguments.root.as_deref();
        let project = Project::read(catalogue, root, session)?;
        let of_settings = project.crds(session);
        match (&arguments.bundle, project.catalogue) {
            (Some(bundle), _) => Ok(Self::Bundle(bundle, root)),
            (None, _) if !arguments.files.is_empty() => Ok(Self::Files(arguments.files.clone())),
            (None, Some(catalogue)) => Ok(Self::Types(Box::new(catalogue))),
            (None, None) if project.settings.types.is_some() => {
                Ok(Self::Types(Box::new(types_of(None, root, session)?)))
            }
            (None, None) if !of_settings.is_empty() => Ok(Self::Files(of_settings)),
            (None, None) => Err(Diagnostic::error("usage::missing", "the CRDs are missing")
                .help("name them with `--crds FILE` or `--bundle VERSION`, or with `crds` in `crd-channels.yaml`")
                .into()),
        }
    }
}

/// Reads the CRDs. Without a channel, the types and bundles give their standard channel, and so do files with both channels of a group.
pub(crate) fn crds(
    against: &Against<'_>,
    channel: Option<Channel>,
    choice: &Choice,
    session: &Session<'_>,
) -> Result<ReadCrds, Vec<Diagnostic>> {
    choice.all_used(match against {
        Against::Types(catalogue) => {
            Chosen::from(of_types(catalogue, channel, session).map(|crds| ReadCrds { crds, ..ReadCrds::default() }))
        }
        Against::Bundle(name, explicit_root) => {
            session.begin(format_args!("reading `{}`", name.display()));
            let unstamped = channel.map_or(Unstamped::Standard, Unstamped::Of);
            let bundle = match root::if_any(*explicit_root, session) {
                Ok(root) => open(name, unstamped, choice, root.as_deref(), session),
                Err(errors) => Chosen::from(Err(errors)),
            };
            bundle.and_then(|bundle| of_bundle(bundle, channel))
        }
        Against::Files(files) => {
            session.begin("reading the CRDs");
            readable(files, choice, session)
                .and_then(|(published, unreadable)| of_files(published, unreadable, channel))
        }
    })
}

fn of_types(
    catalogue: &Catalogue,
    channel: Option<Channel>,
    session: &Session<'_>,
) -> Result<Vec<KnownCrd>, Vec<Diagnostic>> {
    if let Some(channel) = channel {
        check_channel(catalogue, channel)?;
    }
    let channel = channel.or_else(|| only_channel(catalogue.settings())).unwrap_or(Channel::Standard);
    let types = Types::read(catalogue, unreleased_version(catalogue)?, session)?;
    let crds = types
        .candidate
        .channels
        .into_iter()
        .flat_map(|(of, crds)| crds.into_iter().map(move |crd| (of, Arc::unwrap_or_clone(crd))));
    // Generation refuses what a server refuses.
    Ok(crds.map(|(of, crd)| known(crd, None, true, of, channel)).collect())
}
