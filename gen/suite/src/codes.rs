//! The codes of this crate.

use crd_model::yaml::Codes;

/// A suite that cannot be read.
pub const MALFORMED: &str = "suite::file";
/// The pages of the codes.
pub const PAGES: &str = include_str!("codes.md");

pub(crate) const CODES: Codes = Codes { syntax: MALFORMED, unknown: MALFORMED, value: MALFORMED, missing: MALFORMED };
