//! `history --format archive`: the releases of one project as history archive.

use crd_diagnostics::{Diagnostic, both};
use crd_generator::session::Session;

use super::request::Request;
use crate::command::Outcome;
use crate::history_archive;
use crate::releases;

/// Writes the releases of one project as history archive.
pub(super) fn archive(request: &Request, session: &mut Session<'_>) -> Outcome {
    let [folder] = &*request.projects else {
        let error = Diagnostic::error("usage::conflict", "a history archive has the releases of one project");
        return Err(error.help("name one folder or archive").into());
    };
    let Some(out) = &request.out else {
        let error = Diagnostic::error("usage::missing", "`--format archive` requires `--out`");
        return Err(error.help("pass `--out bundles/history.tar.xz`").into());
    };
    let read = request.choice.all_used(releases::read(request.source(folder), session));
    let (mut read, dates) = both(read, request.dates(session))?;
    read.date(&dates);
    let (archive, left_out) = history_archive::of_releases(read, request.dates.as_deref())?;
    for left_out in left_out {
        session.note(format_args!("`{}` is left out: {}", left_out.name, left_out.reason));
    }
    history_archive::write(&archive, out, &request.again(out, session), request.is_check, session)
}
