//! `deprecation-warning`: only a deprecated version has a warning, of 1 to 256 bytes that can be printed in one line.
//!
//! The server sends the text in an HTTP header with every answer.

use super::{ExaminedVersion, Report};
use crate::go_text::is_printable;

const LONGEST: usize = 256;

pub(super) fn check(version: &ExaminedVersion<'_>, report: &mut Report) {
    let Some(warning) = &version.version.deprecation_warning else { return };
    let mut refuse = |message: String| report.version(version, "deprecationWarning", message);
    if !version.version.deprecated {
        refuse(
            "the version is not deprecated, so it can have no warning; set `deprecated: true` or leave the warning out"
                .to_owned(),
        );
        return;
    }
    if warning.len() > LONGEST {
        refuse(format!("the warning has {} bytes; it may have {LONGEST}", warning.len()));
    }
    if warning.is_empty() {
        refuse("the warning is empty; leave it out, and the server makes one up".to_owned());
    }
    if let Some(character) = warning.chars().find(|character| !is_printable(*character)) {
        refuse(format!("the warning has {character:?}, which cannot be printed in an HTTP header"));
    }
}
