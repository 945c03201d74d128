//! The CustomResourceDefinition of `apiextensions.k8s.io/v1`.
//!
//! Invariants: every property of the CRD that a person or generator writes has a field (status and server-made metadata do
//! not); versions are in the order of their names, as controller-gen writes them.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crd_names::wire::is_version;
use serde_json::{Map, Value};

use crate::channel::Channel;
use crate::document::{Sink, ValueBuilder, json_bytes, send_text, send_value};
use crate::entries::{Entry, Part, Reader, entries};
#[cfg(doc)]
use crate::schema::ReadErrorKind;
use crate::schema::{ReadError, Schema, Text};

/// The CRDs of a release, by channel. A release may lack channels. Releases share CRDs that did not change.
pub type Channels = BTreeMap<Channel, Vec<Arc<CustomResourceDefinition>>>;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct CustomResourceDefinition {
    /// `metadata.name`: `<plural>.<group>`.
    pub name: Text,
    /// `metadata.annotations`
    pub annotations: BTreeMap<Text, Text>,
    /// `metadata.labels`
    pub labels: BTreeMap<Text, Text>,
    /// `spec.group`
    pub group: Text,
    /// `spec.names`
    pub names: Names,
    /// `spec.scope`
    pub scope: Scope,
    /// `spec.versions`
    pub versions: Vec<Version>,
    /// `spec.conversion`, kept as it was read; what we generate has none, which means `strategy: None`.
    pub conversion: Option<Value>,
    /// `spec.preserveUnknownFields`: only `false` is legal in v1.
    pub preserve_unknown_fields: Option<bool>,
}

entries! {
    /// `spec.names`
    Names, "key of a CRD's names", |_| &[], {
        categories: Vec<Text> = "categories",
        kind: Text = "kind",
        list_kind: Option<Text> = "listKind",
        plural: Text = "plural",
        short_names: Vec<Text> = "shortNames",
        singular: Option<Text> = "singular",
    }
}

/// `spec.scope`
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Objects live in namespaces.
    #[default]
    Namespaced,
    Cluster,
}

impl Scope {
    /// The word that the CRD carries.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Namespaced => "Namespaced",
            Scope::Cluster => "Cluster",
        }
    }
}

/// One entry of `spec.versions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Version {
    /// `additionalPrinterColumns`
    pub columns: Vec<PrinterColumn>,
    /// `deprecated`
    pub deprecated: bool,
    /// `deprecationWarning`
    pub deprecation_warning: Option<Text>,
    /// `name`
    pub name: Text,
    /// `schema.openAPIV3Schema`
    pub schema: Schema,
    /// `selectableFields`: their JSON paths.
    pub selectable_fields: Vec<Text>,
    /// `served`
    pub served: bool,
    /// `storage`
    pub storage: bool,
    /// `subresources`; `Some` and empty is written as `{}`.
    pub subresources: Option<Subresources>,
}

/// Whether an API version of this name is an alpha version, such as `v1alpha1`.
pub fn is_alpha(version: &str) -> bool {
    version.contains("alpha")
}

/// True for a GA version such as `v1`, false for `v1beta1`.
pub fn is_ga(version: &str) -> bool {
    version
        .strip_prefix('v')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The order in which servers list versions, the greatest first: GA above beta above alpha, then by number; names of another form come last, in the order of the
/// alphabet ("Versions in CustomResourceDefinitions", *Version priority*, Kubernetes documentation).
pub fn priority(version: &str) -> impl Ord + Copy + use<'_> {
    let numbers = || {
        let rest = version.strip_prefix('v').filter(|_| is_version(version))?;
        let (level, (major, minor)) = match (rest.split_once("beta"), rest.split_once("alpha")) {
            (Some(beta), _) => (2, beta),
            (None, Some(alpha)) => (1, alpha),
            (None, None) => (3, (rest, "0")),
        };
        Some((level, major.parse::<u64>().ok()?, minor.parse::<u64>().ok()?, Reverse("")))
    };
    numbers().unwrap_or((0, 0, 0, Reverse(version)))
}

entries! {
    /// One entry of `additionalPrinterColumns`.
    PrinterColumn, "key of a print column", |_| &["jsonPath", "name", "type"], {
        description: Option<Text> = "description",
        format: Option<Text> = "format",
        json_path: Text = "jsonPath",
        name: Text = "name",
        /// Columns above 0 are shown by `kubectl get -o wide` only.
        priority: Option<i64> = "priority",
        kind: Text = "type",
    }
}

/// `subresources`
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Subresources {
    /// `scale`
    pub scale: Option<Scale>,
    /// `status`, whose value is always `{}`.
    pub status: bool,
}

entries! {
    /// `subresources.scale`
    Scale, "key of the scale subresource", |_| &[], {
        label_selector_path: Option<Text> = "labelSelectorPath",
        spec_replicas_path: Text = "specReplicasPath",
        status_replicas_path: Text = "statusReplicasPath",
    }
}

fn map(sink: &mut dyn Sink, key: &str, values: &BTreeMap<Text, Text>) {
    if !values.is_empty() {
        sink.key(key);
        sink.begin_map();
        for (name, value) in values {
            send_text(sink, name, value);
        }
        sink.end_map();
    }
}

/// The largest size of all annotations of an object together, keys and values, in bytes.
pub const ANNOTATIONS_LIMIT: usize = 256 * 1024;

impl CustomResourceDefinition {
    /// The version of this name.
    pub fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// The version in which objects are stored. Servers accept no CRD without one.
    pub fn storage(&self) -> Option<&Version> {
        self.versions.iter().find(|version| version.storage)
    }

    /// The version through which programs read and write objects: the stored one if it is served.
    pub fn preferred(&self) -> Option<&Version> {
        self.storage().into_iter().chain(&self.versions).find(|version| version.served)
    }

    /// Whether a webhook converts objects between the versions.
    pub fn has_conversion_webhook(&self) -> bool {
        self.conversion.as_ref().is_some_and(|conversion| conversion["strategy"] == "Webhook")
    }

    /// The CRD without the descriptions in its schemas.
    #[must_use]
    pub fn without_descriptions(&self) -> Self {
        let mut crd = self.clone();
        for version in &mut crd.versions {
            version.schema.each_mut(&mut |schema| schema.description = None);
        }
        crd
    }

    /// The size of all annotations of the CRD in a cluster after `kubectl apply` without `--server-side`, in bytes: it copies the object into
    /// an annotation, as Go writes JSON. Above [`ANNOTATIONS_LIMIT`] it fails.
    pub fn client_side_bytes(&self) -> usize {
        const KEY: &str = "kubectl.kubernetes.io/last-applied-configuration";
        let annotations: usize = self.annotations.iter().map(|(key, value)| key.len() + value.len()).sum();
        // A line break follows the object.
        KEY.len() + json_bytes(|sink| self.send(sink)) + 1 + annotations
    }

    /// Sends the whole document, keys in alphabetical order at every level, as `kubectl get -o yaml` shows them.
    pub fn send(&self, sink: &mut dyn Sink) {
        sink.begin_map();
        send_text(sink, "apiVersion", "apiextensions.k8s.io/v1");
        send_text(sink, "kind", "CustomResourceDefinition");
        sink.key("metadata");
        sink.begin_map();
        map(sink, "annotations", &self.annotations);
        map(sink, "labels", &self.labels);
        send_text(sink, "name", &self.name);
        sink.end_map();
        sink.key("spec");
        sink.begin_map();
        if let Some(conversion) = &self.conversion {
            sink.key("conversion");
            send_value(conversion, sink);
        }
        send_text(sink, "group", &self.group);
        sink.key("names");
        self.names.send(sink);
        self.preserve_unknown_fields.send("preserveUnknownFields", sink);
        send_text(sink, "scope", self.scope.as_str());
        sink.key("versions");
        sink.begin_list();
        for version in &self.versions {
            sink.item();
            version.send(sink);
        }
        sink.end_list();
        sink.end_map();
        sink.end_map();
    }

    /// The document as a JSON value.
    pub fn to_value(&self) -> Value {
        let mut builder = ValueBuilder::default();
        self.send(&mut builder);
        builder.finish()
    }

    /// Reads a published CRD. `status` and metadata that a server makes (`uid`, `managedFields`, …) are skipped.
    ///
    /// # Errors
    /// Everything that is missing, unknown or of the wrong kind, each with its path.
    pub fn from_value(value: &Value) -> Result<Self, Vec<ReadError>> {
        let mut reader = Reader::default();
        let crd = reader.crd(value);
        if reader.errors.is_empty() { Ok(crd) } else { Err(reader.errors) }
    }

    /// Reads a CRD as a server does, with everything that is not as it should be. Whether that matters is up to the caller: parts of the kinds
    /// [`ReadErrorKind::Unknown`] and [`ReadErrorKind::Absent`] are left out, as a server leaves them out. The other kinds are errors there too,
    /// and what is read in their place has no meaning.
    pub fn from_published(value: &Value) -> (Self, Vec<ReadError>) {
        let mut reader = Reader { is_published: true, ..Reader::default() };
        let crd = reader.crd(value);
        (crd, reader.errors)
    }
}

impl Version {
    fn send(&self, sink: &mut dyn Sink) {
        sink.begin_map();
        Entry::send(&self.columns, "additionalPrinterColumns", sink);
        Entry::send(&self.deprecated, "deprecated", sink);
        self.deprecation_warning.send("deprecationWarning", sink);
        send_text(sink, "name", &self.name);
        sink.key("schema");
        sink.begin_map();
        sink.key("openAPIV3Schema");
        self.schema.send(sink);
        sink.end_map();
        if !self.selectable_fields.is_empty() {
            sink.key("selectableFields");
            sink.begin_list();
            for path in &self.selectable_fields {
                sink.item();
                sink.begin_map();
                send_text(sink, "jsonPath", path);
                sink.end_map();
            }
            sink.end_list();
        }
        Some(self.served).send("served", sink);
        Some(self.storage).send("storage", sink);
        if let Some(subresources) = &self.subresources {
            sink.key("subresources");
            sink.begin_map();
            subresources.scale.send("scale", sink);
            if subresources.status {
                sink.key("status");
                sink.begin_map();
                sink.end_map();
            }
            sink.end_map();
        }
        sink.end_map();
    }
}

/// The keys of `spec.conversion`, and of the maps in it.
const CONVERSION: &[&str] = &["strategy", "webhook"];
const WEBHOOK: &[&str] = &["clientConfig", "conversionReviewVersions"];
const CLIENT: &[&str] = &["caBundle", "service", "url"];
const SERVICE: &[&str] = &["name", "namespace", "path", "port"];

impl Reader {
    fn crd(&mut self, value: &Value) -> CustomResourceDefinition {
        let mut crd = CustomResourceDefinition::default();
        let Some(top) = self.entries(value, |reader, key, value| match key {
            "apiVersion" if value == "apiextensions.k8s.io/v1" => {}
            "apiVersion" => reader.fail(format!("expected apiextensions.k8s.io/v1, found {value}")),
            "kind" if value == "CustomResourceDefinition" => {}
            "kind" => reader.fail(format!("expected CustomResourceDefinition, found {value}")),
            "metadata" => reader.crd_metadata(&mut crd, value),
            "spec" => reader.crd_spec(&mut crd, value),
            "status" => {}
            _ => reader.unknown("key of a CustomResourceDefinition"),
        }) else {
            return crd;
        };
        for needed in ["apiVersion", "kind", "metadata", "spec"] {
            if !top.contains_key(needed) {
                self.missing(needed);
            }
        }
        crd
    }

    fn crd_metadata(&mut self, crd: &mut CustomResourceDefinition, value: &Value) {
        self.entries(value, |reader, key, value| match key {
            "annotations" => crd.annotations = reader.text_map(value),
            "labels" => crd.labels = reader.text_map(value),
            "name" => crd.name = reader.text(value).unwrap_or_default(),
            _ => {}
        });
    }

    fn text_map(&mut self, value: &Value) -> BTreeMap<Text, Text> {
        let mut texts = BTreeMap::new();
        self.entries(value, |reader, name, value| {
            texts.insert(Text::Owned(name.to_owned()), reader.text(value).unwrap_or_default());
        });
        texts
    }

    fn crd_spec(&mut self, crd: &mut CustomResourceDefinition, value: &Value) {
        let Some(spec) = self.entries(value, |reader, key, value| match key {
            "conversion" => crd.conversion = reader.conversion(value, CONVERSION),
            "group" => crd.group = reader.text(value).unwrap_or_default(),
            "names" => crd.names = Part::read(reader, value).unwrap_or_default(),
            "preserveUnknownFields" => crd.preserve_unknown_fields = Entry::read(reader, value),
            "scope" => match value.as_str() {
                Some("Namespaced") => crd.scope = Scope::Namespaced,
                Some("Cluster") => crd.scope = Scope::Cluster,
                _ => reader.fail(format!("expected Namespaced or Cluster, found {value}")),
            },
            "versions" => crd.versions = reader.list(value, Self::crd_version),
            _ => reader.unknown("key of a CRD's spec"),
        }) else {
            return;
        };
        for needed in ["group", "names", "scope", "versions"] {
            if !spec.contains_key(needed) {
                self.missing(needed);
            }
        }
    }

    /// A part of `spec.conversion`. Of published CRDs, unknown keys and nulls are left out.
    fn conversion(&mut self, value: &Value, known: &[&str]) -> Option<Value> {
        if !self.is_published || !value.is_object() {
            return (!self.is_absent(value)).then(|| value.clone());
        }
        let mut parts = Map::new();
        self.entries(value, |reader, key, value| {
            if !known.contains(&key) {
                return reader.unknown("key of a CRD's conversion");
            }
            let below = match key {
                "webhook" => WEBHOOK,
                "clientConfig" => CLIENT,
                "service" => SERVICE,
                _ => &[],
            };
            parts.extend(reader.conversion(value, below).map(|value| (key.to_owned(), value)));
        });
        Some(Value::Object(parts))
    }

    fn crd_version(&mut self, value: &Value) -> Version {
        let mut version = Version::default();
        self.entries(value, |reader, key, value| match key {
            "additionalPrinterColumns" => version.columns = Entry::read(reader, value),
            "deprecated" => version.deprecated = reader.boolean(value),
            "deprecationWarning" => version.deprecation_warning = reader.text(value),
            "name" => version.name = reader.text(value).unwrap_or_default(),
            "schema" => match value.get("openAPIV3Schema") {
                Some(schema) => {
                    reader.others(value, "openAPIV3Schema", "key of a version's schema");
                    version.schema = reader.at("openAPIV3Schema", |reader| reader.schema(schema));
                }
                None => reader.missing("openAPIV3Schema"),
            },
            "selectableFields" => {
                version.selectable_fields = reader.list(value, |reader, item| match item.get("jsonPath") {
                    Some(path) => {
                        reader.others(item, "jsonPath", "key of a selectable field");
                        reader.at("jsonPath", |reader| reader.text(path)).unwrap_or_default()
                    }
                    None => {
                        reader.missing("jsonPath");
                        Text::default()
                    }
                });
            }
            "served" => version.served = reader.boolean(value),
            "storage" => version.storage = reader.boolean(value),
            "subresources" => version.subresources = Some(reader.crd_subresources(value)),
            _ => reader.unknown("key of a CRD's version"),
        });
        version
    }

    /// Adds all keys of a map except for one.
    fn others(&mut self, value: &Value, known: &str, whole: &str) {
        self.entries(value, |reader, key, _| {
            if key != known {
                reader.unknown(whole);
            }
        });
    }

    fn crd_subresources(&mut self, value: &Value) -> Subresources {
        let mut subresources = Subresources::default();
        self.entries(value, |reader, key, value| match key {
            // As on a server: an empty `status:` is not a subresource.
            "status" | "scale" if value.is_null() => {}
            "status" => {
                subresources.status = true;
                reader.entries(value, |reader, _, _| reader.unknown("key of the status subresource"));
            }
            "scale" => subresources.scale = Some(Part::read(reader, value).unwrap_or_default()),
            _ => reader.unknown("subresource"),
        });
        subresources
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::schema::ReadErrorKind;

    /// What we write has no such parts, so they are errors there.
    #[test]
    fn published_crds_are_read_with_what_is_odd_and_own_ones_without() {
        let schema = json!({ "type": "object", "properties": { "a": null }, "anyOf": null, "optional": true });
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "as.b" },
            "spec": {
                "group": "b", "scope": "Cluster", "names": { "kind": "A", "plural": "as", "x": 1 },
                "conversion": { "strategy": "None", "webhook": null, "x": 1 },
                "versions": [{ "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema } }],
            },
        });
        let (read, odd) = CustomResourceDefinition::from_published(&crd);
        let mut odd = odd.iter().map(|odd| (&*odd.path, odd.kind)).collect::<Vec<_>>();
        odd.sort_by_key(|(path, _)| *path);
        let schema = |below: &str| format!("spec.versions.[0].schema.openAPIV3Schema.{below}");
        assert_eq!(
            odd,
            [
                ("spec.conversion.webhook", ReadErrorKind::Absent),
                ("spec.conversion.x", ReadErrorKind::Unknown),
                ("spec.names.x", ReadErrorKind::Unknown),
                (&*schema("anyOf"), ReadErrorKind::Absent),
                (&*schema("optional"), ReadErrorKind::Unknown),
                (&*schema("properties.a"), ReadErrorKind::Absent),
            ]
        );
        assert_eq!(read.conversion, Some(json!({ "strategy": "None" })));
        assert_eq!(read.versions[0].schema.properties.get("a"), Some(&Schema::default()));
        let errors = CustomResourceDefinition::from_value(&crd).expect_err("errors");
        assert!(errors.iter().all(|error| error.kind != ReadErrorKind::Absent), "{errors:?}");
        assert!(errors.iter().any(|error| error.message == "expected a list, found null"), "{errors:?}");
    }

    /// `status:` without a value is YAML's null, which a server treats as absent.
    #[test]
    fn a_subresource_that_is_null_is_none() {
        let read = |subresources: Value| {
            let version = json!({ "name": "v1", "served": true, "storage": true, "subresources": subresources,
                                  "schema": { "openAPIV3Schema": { "type": "object" } } });
            let crd = json!({
                "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": { "name": "as.b" },
                "spec": { "group": "b", "scope": "Cluster", "names": { "kind": "A", "plural": "as" }, "versions": [version] },
            });
            CustomResourceDefinition::from_value(&crd).expect("a CRD").versions[0]
                .subresources
                .clone()
                .unwrap_or_default()
        };
        assert_eq!(read(json!({ "status": null, "scale": null })), Subresources::default());
        assert!(read(json!({ "status": {} })).status);
    }
}
