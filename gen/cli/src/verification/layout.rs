//! An OCI layout on disk, and nothing else in its folder.

use std::collections::BTreeMap;
use std::path::Path;

use crd_bundle::Digest;
use crd_release::sums::FILE as SUMS;
use crd_release::verification::{self, Verification};

use crate::oci_layout::OciLayout;
use crate::walk;

const DO_NOT_USE: &str = "do not use it: copy or download the layout again";

pub(super) fn layout(folder: &Path, result: &mut Verification<'_>) {
    let blobs = OciLayout::new(folder.to_owned(), result.shown(folder));
    let sizes = verification::layout(&blobs, folder, result);
    stray(folder, &sizes, result);
}

/// What a layout has in addition to the blobs that its manifests list.
fn stray(folder: &Path, sizes: &BTreeMap<Digest, u64>, result: &mut Verification<'_>) {
    for entry in walk::walk(folder, usize::MAX, |_| true) {
        let Some(entry) = result.read(entry) else { continue };
        let name = walk::relative(folder, entry.path());
        let digest = name.strip_prefix("blobs/sha256/").and_then(|digest| digest.parse::<Digest>().ok());
        let is_listed = digest.is_some_and(|digest| sizes.contains_key(&digest));
        if !(is_listed || entry.file_type().is_dir() || ["index.json", "oci-layout", SUMS].contains(&&*name)) {
            result.refuse("verify::files", entry.path(), "is not listed by a manifest", DO_NOT_USE);
        }
    }
}
