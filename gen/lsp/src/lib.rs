//! A language server: what the command line reports about files, while they are typed.
//!
//! The steps: `server` exchanges messages with an editor, `documents` are the texts that it has open, `text` converts positions, `objects` are the
//! diagnostics of objects, `cursor` is what is at a place of a text, and `completion`, `hover` and `fixes` use it.
//!
//! Knows nothing of `crd-channels-cli`, `crd-cluster`, `ureq`, or of arguments.
//!
//! Invariants: it never writes a file and opens no connection; files are read by the program that serves. Diagnostics are those of `validate`, at the
//! same ranges. A text that cannot be read silences no other.

mod completion;
mod cursor;
mod documents;
mod fields;
mod fixes;
mod hover;
mod kinds;
mod objects;
mod server;
mod settings;
mod text;
mod words;

pub use kinds::Kinds;
pub use server::{Program, ProjectCrds, Verdict, serve};

use lsp_server::{Connection, IoThreads};

/// A connection over standard input and output.
pub fn stdio() -> (Connection, IoThreads) {
    Connection::stdio()
}
