//! The identity of a node, for what is computed once for each node.
//!
//! Invariant: the node is borrowed, so that it lives, and stays where it is, as long as a table of what was computed for it.

use std::hash::{Hash, Hasher};

/// A node that is equal to itself only, and not to nodes with the same content.
pub struct Identity<'n, T: ?Sized>(pub &'n T);

impl<T: ?Sized> Clone for Identity<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: ?Sized> Copy for Identity<'_, T> {}

impl<T: ?Sized> PartialEq for Identity<'_, T> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl<T: ?Sized> Eq for Identity<'_, T> {}

impl<T: ?Sized> Hash for Identity<'_, T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::hash(self.0, state);
    }
}

/// The content would hide which node it is.
impl<T: ?Sized> std::fmt::Debug for Identity<'_, T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Identity")
    }
}
