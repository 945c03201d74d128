//! OpenAPI documents of CRDs, as an API server with these CRDs publishes them.
//!
//! Files, below one folder: `CHANNEL/v3/apis/GROUP/VERSION.json` is the document of `/openapi/v3/apis/GROUP/VERSION`, and `CHANNEL-swagger.json` is the
//! part of `/openapi/v2` that belongs to the CRDs of the channel, as Gateway API's releases contain it. `index.json` lists all documents.
//!
//! Invariants:
//! * Schemas, paths and operations are those of the server: the proof `openapi` compares them. Versions that are not served have none.
//! * A document contains everything that it refers to. Kubernetes' own types and parameters are data, in `openapi/kubernetes.json`.
//! * A path has the names of a channel, a group and a version in it, and leads out of the folder for no input.

mod dialect;
mod kubernetes;
mod operations;
mod schemas;

use std::collections::{BTreeMap, BTreeSet};

use crd_diagnostics::{Diagnostic, fail_on};
use crd_model::crd::{Scope, Version};
use crd_model::document::{HtmlCharacters, JsonWriter, send_value};
use crd_model::{Channels, CustomResourceDefinition};
use serde_json::{Map, Value, json};

use dialect::Dialect;
use kubernetes::Kubernetes;

/// The file that lists every document.
pub const INDEX: &str = "index.json";

/// The version of the format of [`INDEX`]. It grows when a key changes its meaning or is removed.
pub const INDEX_VERSION: u32 = 1;

/// The text of each file, by path.
///
/// # Errors
/// A name that cannot be part of a path, or two schemas with one name.
pub fn files(channels: &Channels) -> Result<BTreeMap<String, String>, Vec<Diagnostic>> {
    let kubernetes = Kubernetes::read();
    let (mut files, mut listed, mut errors) = (BTreeMap::new(), Vec::new(), Vec::new());
    for (channel, crds) in channels {
        let mut resources = Vec::new();
        for crd in crds {
            for version in crd.versions.iter().filter(|version| version.served) {
                match Resource::new(crd, version) {
                    Ok(resource) => resources.push(resource),
                    Err(error) => errors.push(error.in_channel(*channel)),
                }
            }
        }
        errors.extend(clashes(&resources).map(|error| error.in_channel(*channel)));
        let mut by_version = BTreeMap::<_, Vec<_>>::new();
        for resource in &resources {
            by_version.entry((resource.group, resource.version)).or_default().push(resource);
        }
        let groups = by_version.keys().map(|(group, _)| *group).collect::<BTreeSet<_>>();
        let title = format!("{}, {channel} channel", groups.into_iter().collect::<Vec<_>>().join(", "));
        let path = format!("{channel}-swagger.json");
        listed.push(json!({ "channel": channel.name(), "path": path, "url": "/openapi/v2" }));
        let all = resources.iter().collect::<Vec<_>>();
        files.insert(path, text(&document(Dialect::V2, &kubernetes, &all, &title, "unversioned")));
        for ((group, version), resources) in by_version {
            let title = format!("{group} {version}, {channel} channel");
            let path = format!("{channel}/v3/apis/{group}/{version}.json");
            let url = format!("/openapi/v3/apis/{group}/{version}");
            listed.push(
                json!({ "channel": channel.name(), "group": group, "version": version, "path": path, "url": url }),
            );
            files.insert(path, text(&document(Dialect::V3, &kubernetes, &resources, &title, version)));
        }
    }
    fail_on(errors)?;
    files.insert(INDEX.to_owned(), text(&json!({ "schemaVersion": INDEX_VERSION, "documents": listed })));
    Ok(files)
}

/// A served version of a CRD.
struct Resource<'a> {
    crd: &'a CustomResourceDefinition,
    group: &'a str,
    version: &'a str,
    kind: &'a str,
    list_kind: String,
    definition: &'a Version,
}

impl<'a> Resource<'a> {
    /// Fails if a name of it cannot be part of a path or of a schema's name.
    fn new(crd: &'a CustomResourceDefinition, version: &'a Version) -> Result<Self, Diagnostic> {
        let (group, kind) = (&*crd.group, &*crd.names.kind);
        let list_kind = crd.names.list_kind.as_deref().map_or_else(|| format!("{kind}List"), str::to_owned);
        let is_label =
            |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let others = [
            ("spec.names.kind", kind),
            ("spec.names.listKind", &list_kind),
            ("spec.names.plural", &crd.names.plural),
            ("spec.versions", &version.name),
        ];
        let labels = group.split('.').map(|label| ("spec.group", label)).chain(others);
        if let Some((path, name)) = { labels }.find(|(_, name)| !is_label(name)) {
            let error = Diagnostic::error("bindings::name", format!("`{name}` is not a valid name"));
            let error = error.of_crd(&*crd.name, Some(version.name.to_string()), path);
            return Err(error.help("use letters, digits and dashes; an API group has labels between dots"));
        }
        Ok(Self { crd, group, version: &version.name, kind, list_kind, definition: version })
    }

    /// The name of the schema of a kind: the labels of the group in reverse order, the version, and the kind.
    fn schema_name(&self, kind: &str) -> String {
        let group = self.group.rsplit('.').collect::<Vec<_>>().join(".");
        format!("{group}.{}.{kind}", self.version)
    }

    fn is_namespaced(&self) -> bool {
        self.crd.scope == Scope::Namespaced
    }

    /// The value of `x-kubernetes-group-version-kind`.
    fn identity(&self, kind: &str) -> Value {
        json!({ "group": self.group, "version": self.version, "kind": kind })
    }
}

/// Schemas with one name. A server refuses the second CRD.
fn clashes(resources: &[Resource<'_>]) -> impl Iterator<Item = Diagnostic> {
    let mut owners = BTreeMap::new();
    let mut errors = Vec::new();
    for resource in resources {
        for kind in [resource.kind, &resource.list_kind] {
            let name = resource.schema_name(kind);
            if let Some(owner) = owners.insert(name.clone(), &*resource.crd.name) {
                let error = Diagnostic::error("bindings::path", format!("two schemas have the name `{name}`"));
                let error = error.of_crd(&*resource.crd.name, Some(resource.version.to_owned()), "spec.names");
                errors.push(error.help(format!("rename the kind or the list kind, or remove `{owner}`")));
            }
        }
    }
    errors.into_iter()
}

/// A document. Its version is that of the bundle, or this one if the CRDs have none.
fn document(
    dialect: Dialect,
    kubernetes: &Kubernetes,
    resources: &[&Resource<'_>],
    title: &str,
    version: &str,
) -> Value {
    let stamps = resources.iter().flat_map(|resource| &resource.crd.annotations);
    let bundle = stamps.filter(|(key, _)| key.ends_with("/bundle-version")).map(|(_, bundle)| &**bundle).next();
    let info = json!({ "title": title, "version": bundle.unwrap_or(version) });
    let (mut paths, mut schemas) = (Map::new(), Map::new());
    for resource in resources {
        paths.extend(operations::paths(resource, dialect, kubernetes));
        schemas.extend(schemas::of(resource, dialect));
    }
    let paths = Value::Object(paths);
    for (name, schema) in kubernetes.schemas_of([&paths].into_iter().chain(schemas.values())) {
        schemas.insert(name, dialect.translate(schema));
    }
    match dialect {
        Dialect::V3 => {
            json!({ "openapi": "3.0.0", "info": info, "paths": paths, "components": { "schemas": schemas } })
        }
        Dialect::V2 => {
            let parameters =
                kubernetes.parameters.iter().map(|(key, parameter)| (key.clone(), dialect.parameter(parameter)));
            let parameters = parameters.collect::<Map<_, _>>();
            json!({ "swagger": "2.0", "info": info, "paths": paths, "definitions": schemas, "parameters": parameters })
        }
    }
}

fn text(document: &Value) -> String {
    let mut writer = JsonWriter::new(HtmlCharacters::Plain);
    send_value(document, &mut writer);
    writer.finish() + "\n"
}
