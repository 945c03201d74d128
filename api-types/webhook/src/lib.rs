//! The validating webhook of Gateway API: the rules that its CRDs and admission policies cannot state.
#![deny(missing_docs)]
