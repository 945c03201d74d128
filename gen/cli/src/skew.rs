//! Clients and bundles: what the user names becomes a matrix, and the matrix is printed.

pub(crate) mod cluster;
pub(crate) mod columns;
pub(crate) mod document;
pub(crate) mod runs;
pub(crate) mod text;

use crd_stamps::skew::{Cell, Client};

/// A client, and what happens to it.
pub(crate) struct Row {
    pub(crate) client: Client,
    pub(crate) cells: Vec<Cell>,
}
