//! The release date of a bundle, and where it comes from.
//!
//! Invariants: no clock. The committed bundle contains it, else `--date`, else SOURCE_DATE_EPOCH, else the last commit.

use std::path::Path;

use crd_bundle::Released;
use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;

use crate::working_tree::WorkingTree;

/// A release date and its source.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReleaseDate {
    pub(crate) released: Released,
    pub(crate) source: &'static str,
}

/// The release date: of the committed bundle, else the requested one, else from the environment, else from git.
pub(crate) fn release_date(
    committed: Option<Released>,
    asked: Option<Released>,
    tree: Option<&WorkingTree>,
    session: &Session<'_>,
) -> Result<ReleaseDate, Diagnostic> {
    for (released, source) in [(committed, "the committed bundle"), (asked, "--date")] {
        if let Some(released) = released {
            return Ok(ReleaseDate { released, source });
        }
    }
    if let Some(text) = &session.source_date_epoch {
        let seconds = text.parse::<i64>().ok().and_then(|seconds| Released::of_unix_seconds(seconds).ok());
        let released = seconds.ok_or_else(|| {
            let message = format!(
                "SOURCE_DATE_EPOCH is {text:?}, which is not a number of seconds between the years 1970 and 2106"
            );
            Diagnostic::error("release::date", message).help("correct or unset it, or pass `--date`")
        })?;
        return Ok(ReleaseDate { released, source: "SOURCE_DATE_EPOCH" });
    }
    let seconds = match tree {
        Some(tree) => tree.last_commit()?,
        None => None,
    };
    match seconds.and_then(|seconds| Released::of_unix_seconds(seconds).ok()) {
        Some(released) => Ok(ReleaseDate { released, source: "the last commit" }),
        None => Err(Diagnostic::error("release::date", "no release date: there is no commit to take it from")
            .help("pass `--date`, such as `--date 2026-11-21`")),
    }
}

/// The release date of a release of the types at this time; none if it cannot be found out.
pub(crate) fn unreleased(root: &Path, session: &Session<'_>) -> Option<Released> {
    let tree = WorkingTree::around(root).ok().flatten();
    release_date(None, None, tree.as_ref(), session).ok().map(|date| date.released)
}
