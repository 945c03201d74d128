//! The types that published CRDs would have, for bindings that are made of types.
//!
//! Invariants: what `new --from-crds` writes is read as `generate` reads it, in memory; the same CRDs give the same types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use crd_bindings::go::places::Place;
use crd_bundle::BundleVersion;
use crd_diagnostics::Diagnostic;
use crd_generate::Catalogue;
use crd_generate::settings::{ControllerGen, Settings};
use crd_model::channel::Channel;
use crd_model::profile::Profile;
use crd_source::importer::{Difference, Published, Source, TypePlace, source};

/// The manifest of a crate that exists in memory only.
const MANIFEST: &str = "[package]\nname = \"types\"\nedition = \"2024\"\n[dependencies]\ncrd-channels = \"0.1\"\n";

/// The source of the types of published CRDs.
pub struct TypesOfCrds {
    written: Source,
    settings: Settings,
}

impl TypesOfCrds {
    pub fn new(published: Published) -> Self {
        let prefix = published.prefix().unwrap_or_default();
        let channels: &'static [Channel] = if published.has_channels() { &Channel::ALL } else { &[Channel::Standard] };
        let written = source(&published.with_own_types(), Profile::Semver);
        let settings = Settings {
            profile: Some(Profile::Semver),
            channels: Some(channels),
            annotations: written.annotations.clone(),
            controller_gen: ControllerGen::V23,
            ..Settings::new(prefix, BundleVersion::new(0, 0, 0))
        };
        Self { written, settings }
    }

    /// What the types do not express.
    pub fn differences(&self) -> &[Difference] {
        &self.written.differences
    }

    /// Where the types are in the CRDs.
    pub fn places(&self) -> BTreeMap<(String, String), Place> {
        let place = |of: &TypePlace| Place {
            of: format!("{}/{}", of.crd, of.version),
            path: of.path.clone(),
            name: of.wanted.clone(),
            kind: of.kind.clone(),
        };
        let all = self.written.types.iter();
        all.map(|of| ((format!("types/src/{}", of.file), of.name.clone()), place(of))).collect()
    }

    /// The types.
    ///
    /// # Errors
    /// CRDs whose types cannot be read, such as those with two kinds of one name.
    pub fn catalogue(self) -> Result<Catalogue, Vec<Diagnostic>> {
        let Self { written, settings } = self;
        let root = Path::new("/crds");
        let mut files: BTreeMap<PathBuf, String> = BTreeMap::new();
        files.insert(root.join("types/Cargo.toml"), MANIFEST.to_owned());
        for file in &written.files {
            files.insert(root.join("types/src").join(&file.path), file.text.clone());
        }
        let modules: BTreeSet<&str> =
            written.resources.iter().filter_map(|resource| resource.path.split("::").next()).collect();
        let modules: String = modules.iter().map(|name| format!("pub mod {name};\n")).collect();
        files.insert(root.join("types/src/lib.rs"), format!("{modules}crd_channels::resources!();\n"));
        let read = |path: &Path| Ok(files.get(path).cloned());
        let crate_source = crd_source::reader::Source { root, types: Path::new("types"), program: &[], files: &read };
        crd_source::reader::catalogue(&crate_source, None, settings)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crd_bindings::go::model::Type;
    use crd_bindings::go::places::{Names, Places};
    use crd_bindings::go::{Options, module};
    use crd_model::{CustomResourceDefinition, yaml};

    use super::*;

    /// The Go types of a CRD whose spec has these properties.
    fn go_types(properties: &str) -> BTreeMap<String, Type> {
        let text = format!(
            "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {{name: lamps.example.com}}, spec: {{group: example.com, \
             names: {{kind: Lamp, plural: lamps}}, scope: Namespaced, versions: [{{name: v1, served: true, storage: true, schema: {{openAPIV3Schema: \
             {{type: object, properties: {{spec: {{type: object, properties: {{{properties}}}}}}}}}}}}}]}}}}"
        );
        let crd = CustomResourceDefinition::from_value(&yaml::read(&text).unwrap()[0]).unwrap();
        let types = TypesOfCrds::new(Published::one_channel(vec![crd]));
        let places = Places { types: types.places(), names: Names::new() };
        let (catalogue, none) = (types.catalogue().unwrap(), BTreeMap::new());
        let places = Some(&places);
        let options =
            Options { module: "example.com/api", folders: &none, clients: &none, channel: Channel::Standard, places };
        let packages = module(&catalogue, &options).unwrap().packages;
        let types = packages.into_iter().flat_map(|package| package.files).flat_map(|file| file.types);
        types.map(|declared| (declared.name.clone(), declared)).collect()
    }

    #[test]
    fn a_field_that_is_added_elsewhere_changes_no_name() {
        const BULB: &str = "{type: object, properties: {kind: {type: string, enum: [Halogen, Led]}}}";
        let before = go_types(&format!("socket: {{type: object, properties: {{bulb: {BULB}}}}}"));
        // An equal part with a shorter path, and a further field next to the old one.
        let after = go_types(&format!(
            "bulb: {BULB}, socket: {{type: object, properties: {{bulb: {BULB}, volts: {{type: integer}}}}}}"
        ));
        let names: BTreeSet<&str> = before.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            BTreeSet::from(["Lamp", "LampSpec", "LampSpecSocket", "LampSpecSocketBulb", "LampSpecSocketBulbKind"])
        );
        for unchanged in ["Lamp", "LampSpecSocketBulb", "LampSpecSocketBulbKind"] {
            assert_eq!(format!("{:?}", before[unchanged]), format!("{:?}", after[unchanged]));
        }
        assert!(before.keys().all(|name| after.contains_key(name)) && after.contains_key("LampSpecBulb"));
    }
}
