//! The baseline of CRDs of files without `--against`: that of `gate`.
//!
//! Invariants: a path that git does not compare has no baseline, and the reason is printed: then everything is new.

use std::ffi::OsString;

use crd_bundle::Release;
use crd_bundle::published::choice::{Choice, Chosen};
use crd_diagnostics::Diagnostic;
use crd_generator::session::Session;
use crd_review::assembly::Unstamped;

use crate::base::{Base, Sides};
use crate::working_tree::git::Git;

/// The CRDs of a path in the base of `gate`, or why there are none.
pub(crate) fn of_gate(
    files: &[OsString],
    unstamped: Unstamped,
    choice: &Choice,
    session: &Session<'_>,
) -> Chosen<Result<Release, String>> {
    let none = |reason: &str| Chosen::from(Ok::<_, Diagnostic>(Err(reason.to_owned())));
    let [file] = files else { return none("there are several paths") };
    let from = session.working_folder();
    let Some(path) = file.to_str().filter(|path| from.path.join(path).exists()) else {
        return none("the CRDs are not a path on disk");
    };
    if Git::new(from).folder_in_repository().is_err() {
        return none("the folder is not in a git repository");
    }
    let base = match Base::choose(None, None, path, from) {
        Ok(base) => base,
        Err(error) => return none(&error.message),
    };
    let Chosen { kept, used } = base.sides(path, None, unstamped, choice, from);
    let kept = match kept {
        Ok(Sides { old, .. }) => Ok(old),
        Err(errors) => Err(errors.into_iter().next().map(|error| error.message).unwrap_or_default()),
    };
    Chosen { kept: Ok(kept), used }
}
