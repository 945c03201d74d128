//! Limits of templates: rendering always ends, in limited time and memory.
//!
//! Invariants: each limit is far above what a text of a release needs (the longest notes that we know take 6,000 steps and become 40 KiB);
//! a template that reaches one is an error that names it. What is left is a text that fills the memory with values that it never writes:
//! it belongs to the repository whose release it renders, and code there can do the same.

use std::io::{self, Write};
use std::thread;

use super::TemplateError;

/// A template that replaces ours has at most so many bytes.
pub(super) const LARGEST_TEXT: usize = 256 * 1024;

/// What a template becomes has at most so many bytes.
const LARGEST_OUTPUT: usize = 16 * 1024 * 1024;

/// A template takes at most so many steps of the engine. Each may put a value into another one, and it takes [`STACK`] to let go of them.
pub(super) const STEPS: u64 = 250_000;

/// Expressions within expressions and values within values are followed by recursion, as deep as the longest text and the most steps
/// can make them: half of this was too little where nothing is optimised. What is not reached is not used.
const STACK: usize = 256 * 1024 * 1024;

/// Functions that no template has: this one writes the state of the engine, in another order each time.
pub(super) const TAKEN_FUNCTIONS: [&str; 1] = ["debug"];

/// Filters that no template has: these make as much text, or as many values, as a number demands, in one step.
pub(super) const TAKEN_FILTERS: [&str; 4] = ["batch", "format", "indent", "slice"];

/// Does something with a template on a stack of its own.
pub(super) fn with_stack<R: Send>(path: &str, work: impl FnOnce() -> R + Send) -> Result<R, TemplateError> {
    let fault = |message: &str| TemplateError::whole(path, message.to_owned());
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| fault(&format!("there is no thread to read it in: {error}: try again")))?;
        thread.join().map_err(|_| fault("the template engine gave up on it: simplify the template"))
    })
}

/// What a template has become, as far as there is room.
pub(super) struct Room {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Room {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), is_full: false }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The error when it is full.
    pub(super) fn too_much(&self, path: &str) -> TemplateError {
        TemplateError::whole(path, format!("renders to more than {LARGEST_OUTPUT} bytes: let its loops write less"))
    }

    pub(super) fn text(self, path: &str) -> Result<String, TemplateError> {
        // The engine writes text only.
        String::from_utf8(self.bytes)
            .map_err(|error| TemplateError::whole(path, format!("does not render to UTF-8: {error}: fix the template")))
    }
}

impl Write for Room {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.len() > LARGEST_OUTPUT - self.bytes.len() {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
