//! Bytes of a stranger become CRDs or errors: an archive, compressed or not, or a text.
#![no_main]

use crd_bundle::published::{Input, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    for name in ["crds.tar.gz", "crds.tar.xz", "chart.tgz", "crds.yaml"] {
        if let Err(errors) = read("fuzz", [Input::new(name, bytes)]) {
            assert!(!errors.is_empty());
        }
    }
});
