//! `graduate --past`: the criteria of the graduations of the past.

use crd_diagnostics::{Diagnostic, json};
use crd_generator::command::generated_page;
use crd_generator::exit::Exit;
use crd_generator::session::Session;
use crd_graduation::document;

use super::document::GraduateDocument;
use super::{Printed, Request};
use crate::arguments::Format;
use crate::graduation::GraduationsOfTypes;

pub(super) fn past(
    graduations: &GraduationsOfTypes<'_>,
    request: &Request,
    session: &mut Session<'_>,
) -> Result<Printed, Vec<Diagnostic>> {
    let past = graduations.past();
    let listed = Some(document::past(&past));
    let document = json::line(&GraduateDocument { graduations: listed, ..GraduateDocument::default() });
    let call = session.program.call();
    let path = request.page.as_ref();
    let again = format!("{call} graduate --past --page {}", path.map_or("FILE".into(), |path| path.to_string_lossy()));
    let settings = graduations.types.catalogue.settings();
    let text = crd_graduation::page(settings.name(), &settings.graduation, &past, &again);
    let exit = match path {
        Some(path) => generated_page::write("graduate --past", path, &text, request.is_check, session)?,
        None => {
            if request.format == Format::Text {
                session.print(text);
            }
            Exit::Fine
        }
    };
    Ok(Printed { exit, document })
}
