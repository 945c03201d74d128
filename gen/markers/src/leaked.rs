//! What a descriptor refers to, if it was read from source: it is never freed.
//!
//! Invariants: nothing else is leaked. Descriptors are constants of compiled crates, and whatever uses them takes both for constants. A program
//! reads the source of a workspace once, so that what it leaks is the size of the descriptors.

/// A value.
pub fn value<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

/// A list.
pub fn list<T>(items: Vec<T>) -> &'static [T] {
    Vec::leak(items)
}

/// A text.
pub fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}
