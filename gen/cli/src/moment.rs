//! The moment of a release: who says when it was.
//!
//! Fed with the committed bundle, the arguments, the environment and git. Read by `release`, which writes it down, and by `check`, which asks how
//! long something has been deprecated.
//!
//! Invariants: no clock; the committed bundle says it itself, else `--date`, else SOURCE_DATE_EPOCH, else the last commit.

use std::path::Path;

use crd_bundle::Released;

use crate::session::Session;
use crate::working_tree::WorkingTree;
use crd_diagnostics::Diagnostic;

/// When a bundle was released, and who says so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moment {
    pub(crate) released: Released,
    pub(crate) source: &'static str,
}

/// When a bundle is released: as the committed one says, else as the user does, else as the environment does, else as git does.
pub(crate) fn moment(
    committed: Option<Released>,
    asked: Option<Released>,
    tree: Option<&WorkingTree>,
    session: &Session<'_>,
) -> Result<Moment, Diagnostic> {
    for (released, source) in [(committed, "the committed bundle"), (asked, "--date")] {
        if let Some(released) = released {
            return Ok(Moment { released, source });
        }
    }
    if let Some(text) = session.epoch() {
        let seconds = text.parse::<i64>().ok().and_then(|seconds| Released::of_unix_seconds(seconds).ok());
        let released = seconds.ok_or_else(|| {
            let message = format!(
                "SOURCE_DATE_EPOCH is {text:?}, which is not a number of seconds between the years 1970 and 2106"
            );
            Diagnostic::error("release::date", message).help("correct or unset it, or pass `--date`")
        })?;
        return Ok(Moment { released, source: "SOURCE_DATE_EPOCH" });
    }
    let seconds = match tree {
        Some(tree) => tree.last_commit()?,
        None => None,
    };
    match seconds.and_then(|seconds| Released::of_unix_seconds(seconds).ok()) {
        Some(released) => Ok(Moment { released, source: "the last commit" }),
        None => Err(Diagnostic::error("release::date", "no release date: there is no commit to take it from")
            .help("pass `--date`, such as `--date 2026-11-21`")),
    }
}

/// When the types would be released if it were now; none if nobody knows.
pub(crate) fn unreleased(root: &Path, session: &Session<'_>) -> Option<Released> {
    let tree = WorkingTree::around(root).ok().flatten();
    moment(None, None, tree.as_ref(), session).ok().map(|moment| moment.released)
}
