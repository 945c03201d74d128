//! YAML: the one module that writes and reads it.
//!
//! Invariants: what [`YamlWriter`] writes, every reader of YAML 1.1 and 1.2 reads as the document that was sent; equal
//! documents become equal bytes; [`read()`] understands a text as kubectl and the API server do; [`reads_back_as`] does
//! not trust the writer: the parser is another project's, and the meaning of scalars is decided by code of its own.
//! Lines are not kept while a document is read: [`locate`] finds them again for diagnostics.
//!
//! Texts become tokens (`scan`), nodes (`compose`, `json`) and values (`read`). The plain form that almost all published CRDs have is read
//! without them (`block`), several times as fast, and tests compare both. What we wrote is read back with granit-parser, whose events are
//! taken directly: building values through serde takes twice as long.

mod block;
mod checked;
mod compare;
mod compose;
mod json;
mod locate;
mod parse;
mod read;
mod resolve;
mod scan;
mod search;
mod section;
mod shared;
mod style;
mod write;

#[cfg(test)]
mod tests;

pub use checked::{Codes, Problem, Problems, checked, words};
pub use compare::{Mismatch, reads_back, reads_back_as};
pub use locate::{item_positions, locate};
pub use parse::{DEEPEST, YamlError};
pub use read::{Document, Documents, RepeatedKey, documents, read};
pub use search::push_key;
pub use section::{Section, TextPosition};
pub use shared::{SharedDocument, SharedSchemas, shared_documents};
pub use write::{Start, YamlWriter};
