//! The API of Widgets.

pub mod v1;
pub mod v1alpha1;

crd_channels::resources!();
