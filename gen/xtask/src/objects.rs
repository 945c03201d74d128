//! Objects in files: the files that arguments name, their documents, and the objects in them with their positions.

pub(crate) mod document;
pub(crate) mod files;
pub(crate) mod identity;
pub(crate) mod json;
