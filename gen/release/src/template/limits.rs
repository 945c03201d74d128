//! Limits of templates: rendering always ends, in limited time and memory.
//!
//! Invariants: each limit is far above the needs of a release (the longest known notes take 6,000 steps and have 40 KiB);
//! a template that reaches a limit is an error that names the limit. Memory for values that a template never writes is not limited:
//! the template belongs to the repository whose release it renders, and code there can do the same.

use std::io::{self, Write};
use std::thread;

use super::TemplateError;

/// The largest size of a replaced template, in bytes.
pub(super) const LARGEST_TEXT: usize = 256 * 1024;

/// The largest size of a rendered text, in bytes.
const LARGEST_OUTPUT: usize = 16 * 1024 * 1024;

/// The largest number of engine steps. Each step can nest a value in another one, and [`STACK`] is large enough to drop them.
pub(super) const STEPS: u64 = 250_000;

/// The size of the stack, in bytes. The engine follows nested expressions and values by recursion, as deep as the longest text and the most
/// steps permit: half of this size is too small without optimisation. Memory is only used as far as the recursion reaches.
const STACK: usize = 256 * 1024 * 1024;

/// Functions that are removed: this one writes the state of the engine, in a random order.
pub(super) const TAKEN_FUNCTIONS: [&str; 1] = ["debug"];

/// Filters that are removed: in one step, these create as much text, or as many values, as their number states.
pub(super) const TAKEN_FILTERS: [&str; 4] = ["batch", "format", "indent", "slice"];

/// Runs work on a template in a thread with a large stack.
pub(super) fn with_stack<R: Send>(path: &str, work: impl FnOnce() -> R + Send) -> Result<R, TemplateError> {
    let failure = |message: &str| TemplateError::whole(path, message.to_owned());
    thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        let thread = thread.map_err(|error| failure(&format!("no thread could be started: {error}: try again")))?;
        thread.join().map_err(|_| failure("the template engine failed: simplify the template"))
    })
}

/// The rendered text, up to [`LARGEST_OUTPUT`].
pub(super) struct Output {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Output {
    pub(super) fn new() -> Self {
        Self { bytes: Vec::new(), is_full: false }
    }

    pub(super) fn is_full(&self) -> bool {
        self.is_full
    }

    /// The error when it is full.
    pub(super) fn too_large(&self, path: &str) -> TemplateError {
        TemplateError::whole(path, format!("renders to more than {LARGEST_OUTPUT} bytes: let its loops write less"))
    }

    pub(super) fn text(self, path: &str) -> Result<String, TemplateError> {
        // The engine writes text only.
        String::from_utf8(self.bytes)
            .map_err(|error| TemplateError::whole(path, format!("does not render to UTF-8: {error}: fix the template")))
    }
}

impl Write for Output {
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
