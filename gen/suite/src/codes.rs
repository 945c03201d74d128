//! The codes of this crate.

use crd_model::yaml::Codes;

/// A suite that cannot be read.
pub const MALFORMED: &str = "suite::file";
/// A document is not an object of Kubernetes.
pub const NOT_AN_OBJECT: &str = "object::not-an-object";
/// Some rules of an object were not checked.
pub const RULES_NOT_CHECKED: &str = "object::rules-not-checked";
/// A field of an object is not in its schema.
pub(crate) const UNKNOWN_FIELD: &str = "object::unknown-field";
/// A value is not in an `enum`.
pub(crate) const UNSUPPORTED: &str = "object::unsupported";
/// An item of a list appears twice.
pub(crate) const DUPLICATE: &str = "object::duplicate";
/// The pages of the codes.
pub const PAGES: &str = include_str!("codes.md");

pub(crate) const CODES: Codes = Codes { syntax: MALFORMED, unknown: MALFORMED, value: MALFORMED, missing: MALFORMED };
