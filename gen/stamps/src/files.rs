//! The files of a bundle in one channel: one CRD each.
//!
//! Invariants: a file is called `<group>_<plural>.yaml`, as controller-gen calls it; what was written can be read again by an
//! independent reader and is the same document ([`BundleFile::read_back`]).

use std::sync::Arc;

use crd_model::CustomResourceDefinition;
use crd_model::yaml;

/// A file of a bundle.
#[derive(Clone, Debug)]
pub struct BundleFile {
    /// Its name within the channel's folder.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Its content.
    pub crd: Arc<CustomResourceDefinition>,
}

impl BundleFile {
    /// Reads the text with an independent reader and compares.
    ///
    /// # Errors
    /// The first difference. It is a bug of the emitter or the reader, not a mistake in the types.
    pub fn read_back(&self) -> Result<(), yaml::Mismatch> {
        yaml::reads_back_as(&self.text, &self.crd)
    }
}

/// The name of a CRD's file.
pub fn file_name(crd: &CustomResourceDefinition) -> String {
    format!("{}_{}.yaml", crd.group, crd.names.plural)
}

/// The files of these CRDs, sorted by name.
pub fn files(crds: impl IntoIterator<Item = impl Into<Arc<CustomResourceDefinition>>>) -> Vec<BundleFile> {
    let mut files: Vec<BundleFile> = crds
        .into_iter()
        .map(|crd| {
            let crd = crd.into();
            let mut writer = yaml::YamlWriter::new(yaml::Start::Marker);
            crd.send(&mut writer);
            let mut text = writer.finish();
            // Texts are kept until all are known to be good: what a growing string has to spare would be kept with them.
            text.shrink_to_fit();
            BundleFile { name: file_name(&crd), text, crd }
        })
        .collect();
    files.sort_by(|left, right| left.name.cmp(&right.name));
    files
}
