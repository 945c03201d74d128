//! Objects in files: the files that arguments name, their documents, and the objects in them with their positions.

use std::ffi::OsString;

use crd_diagnostics::{Diagnostic, fail_on};
use crd_suite::objects::document::{self, no_objects};
use serde_json::Value;

use crd_generator::session::Session;

pub(crate) mod files;

/// All objects of files, folders or standard input, without their positions. Lists are unpacked.
///
/// # Errors
/// Everything that cannot be read, and if there is no object.
pub fn values(arguments: &[OsString], session: &Session<'_>) -> Result<Vec<Value>, Vec<Diagnostic>> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for file in files::files(arguments, session, &mut errors) {
        let (texts, unreadable) = file.texts();
        errors.extend(unreadable);
        for source in texts {
            for document in document::read(&source, &|_, _| false) {
                match document {
                    Ok(document) => {
                        for object in document.objects {
                            errors.extend(object.type_in(&source.name).err());
                            values.push(object.value);
                        }
                    }
                    Err(wrong) => errors.extend(wrong),
                }
            }
        }
    }
    if values.is_empty() && errors.is_empty() {
        errors.push(no_objects("the inputs contain no objects"));
    }
    fail_on(errors).map(|()| values)
}
