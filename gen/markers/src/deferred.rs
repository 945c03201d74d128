//! What a descriptor refers to without holding it: other types, foreign schemas and Rust defaults.
//!
//! Invariants: in a compiled descriptor it is a function, so that a recursive type is a constant; in a descriptor that was read from source it is a
//! value. Both are used alike. `Debug` does not follow it, because a recursive type has no end.

use std::sync::OnceLock;

use crate::leaked;

/// A value that is computed or was read.
pub enum Deferred<T: 'static> {
    /// From the compiled crate.
    Compiled(fn() -> T),
    /// From its source. The reader sets it before it returns.
    Read(&'static OnceLock<T>),
}

impl<T> Clone for Deferred<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Deferred<T> {}

impl<T> std::fmt::Debug for Deferred<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("…")
    }
}

impl<T> Deferred<T> {
    /// A value that was read. It is never freed, because descriptors are not.
    pub fn read(value: T) -> Self {
        Deferred::Read(leaked::value(OnceLock::from(value)))
    }
}

impl<T: Clone> Deferred<T> {
    /// The value.
    ///
    /// # Panics
    /// If the reader left it unset.
    pub fn get(self) -> T {
        match self {
            Deferred::Compiled(value) => value(),
            Deferred::Read(value) => value.get().cloned().expect("a reader sets every reference before it returns"),
        }
    }
}
