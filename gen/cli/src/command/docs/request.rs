//! What `docs` is asked for.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ArgMatches;
use crd_bundle::published::choice::Choice;
use crd_generator::command::generated_page::CHECK;
use crd_model::channel::Channel;
use crd_model::profile::Profile;

use super::{CRDS, NAME, OUT, PATHS, SIZES};
use crate::arguments::{Format, TAGS, bundle_choice, channel, format, named_root, requested_profile, value, values};

/// What the page is made of, and where it is written.
pub(super) struct Request {
    pub(super) out: Option<PathBuf>,
    pub(super) crds: Vec<OsString>,
    pub(super) tags: Option<String>,
    pub(super) name: Option<String>,
    pub(super) sizes: Option<PathBuf>,
    pub(super) channel: Option<Channel>,
    pub(super) profile: Option<Profile>,
    pub(super) choice: Choice,
    pub(super) is_check: bool,
    pub(super) format: Format,
    pub(super) root: Option<PathBuf>,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            out: value(matches, OUT),
            crds: values(matches, CRDS).into_iter().chain(values(matches, PATHS)).collect(),
            tags: value(matches, TAGS),
            name: value(matches, NAME),
            sizes: value(matches, SIZES),
            channel: channel(matches),
            profile: requested_profile(matches),
            choice: bundle_choice(matches),
            is_check: matches.get_flag(CHECK),
            format: format(matches),
            root: named_root(matches),
        }
    }
}
