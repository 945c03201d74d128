//! The API of {{ kind }} objects.

pub mod {{ api_version }};
