//! The API of caches.

pub mod v1;
pub mod v1beta1;

crd_channels::resources!();
