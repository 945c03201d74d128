//! The API of {{ kind }} objects.

pub mod {{ api_version }};

crd_channels::resources!();
