//! Tests of `crd-oci`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod registry;
mod signature;
mod source;

use crd_oci::layout::{Artifact, Layout};

#[test]
fn a_blob_is_stored_once() {
    let mut layout = Layout::default();
    layout.add(Artifact::default());
    layout.add(Artifact { artifact_type: Some("text/plain".to_owned()), ..Artifact::default() });
    assert_eq!(layout.files().len(), 5);
}
