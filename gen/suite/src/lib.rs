//! Objects that users write ([`objects`]), and suites: objects with the answers that an API must give to them. Suites are run ([`Kinds`]) without a
//! server.
//!
//! Knows nothing of `crd-markers`, `crd-generate`, `crd-review`, `crd-cluster` or `clap`.
//!
//! Invariants: pure functions over values; the same suite and CRDs give the same results in the same order.
#![deny(missing_docs)]

pub mod case;
pub mod codes;
pub mod coverage;
pub mod edit;
pub mod element;
mod equality;
pub mod file;
pub mod form;
pub mod kinds;
mod lcov;
pub mod mutant;
pub mod mutation;
pub mod objects;
pub mod openshift;
pub mod repeat;
pub mod run;
pub mod tested;
mod type_lines;
mod union;
pub mod update;
pub mod used;
pub mod write;

pub use case::{Case, Expected, Selection, Suite};
pub use coverage::{Coverage, Hits, State, coverage};
pub use element::{Element, Place, Requirement, elements};
pub use file::read;
pub use form::yaml;
pub use kinds::Kinds;
pub use lcov::lcov;
pub use mutant::{Mutant, OPERATORS, mutants};
pub use mutation::{Notice, Run, Score, Verdict};
pub use run::{CaseResult, Failure, failure, run};
pub use type_lines::TypeLines;
