//! What `history` is asked for.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::ArgMatches;
use crd_bundle::published::choice::Choice;
use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::for_shell;
use crd_generator::command::generated_page::CHECK;
use crd_generator::session::Session;
use crd_model::profile::Profile;
use crd_review::assembly::Unstamped;

use super::{DATES, OUT, PROJECTS};
use crate::arguments::{Format, TAGS, bundle_choice, channel, format, requested_profile, value, values};
use crate::release_dates::{self, Dates};
use crate::releases::ReleaseSource;

/// Which projects are read, and where their releases are written.
pub(super) struct Request {
    pub(super) projects: Vec<OsString>,
    pub(super) unstamped: Unstamped,
    pub(super) tags: Option<String>,
    pub(super) profile: Option<Profile>,
    pub(super) choice: Choice,
    pub(super) dates: Option<PathBuf>,
    pub(super) out: Option<PathBuf>,
    pub(super) is_check: bool,
    pub(super) format: Format,
}

impl From<&ArgMatches> for Request {
    fn from(matches: &ArgMatches) -> Self {
        Self {
            projects: values(matches, PROJECTS),
            unstamped: channel(matches).map_or(Unstamped::Standard, Unstamped::Of),
            tags: value(matches, TAGS),
            profile: requested_profile(matches),
            choice: bundle_choice(matches),
            dates: value(matches, DATES),
            out: value(matches, OUT),
            is_check: matches.get_flag(CHECK),
            format: format(matches),
        }
    }
}

impl Request {
    pub(super) fn source<'r>(&'r self, argument: &'r OsStr) -> ReleaseSource<'r> {
        let Self { tags, unstamped, choice, .. } = self;
        ReleaseSource { argument, tags: tags.as_deref(), unstamped: *unstamped, choice }
    }

    /// The dates that the user names: those of one project.
    pub(super) fn dates(&self, session: &Session<'_>) -> Result<Dates, Vec<Diagnostic>> {
        match (&self.dates, &*self.projects) {
            (None, _) => Ok(Dates::new()),
            (Some(dates), [_]) => release_dates::named_dates(&session.folder.join(dates)),
            (Some(_), _) => {
                let error = Diagnostic::error("usage::conflict", "`--dates` has the dates of one project");
                Err(error.help("name one project, or write `dates.tsv` into the folder of each").into())
            }
        }
    }

    /// The call that writes the same again.
    pub(super) fn again(&self, out: &Path, session: &Session<'_>) -> String {
        let mut call = format!("{} history", session.program.call());
        let mut add = |word: &str, value: &Path| call.push_str(&format!(" {word}{}", for_shell(value)));
        self.projects.iter().for_each(|project| add("", Path::new(project)));
        self.tags.iter().for_each(|tags| add("--tags ", Path::new(tags)));
        add("--format ", Path::new(self.format.word()));
        self.dates.iter().for_each(|dates| add("--dates ", dates));
        add("--out ", out);
        call
    }
}
