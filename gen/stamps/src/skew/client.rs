//! A client: a program that watches or writes objects of CRDs, such as a controller. Its file is `client.yaml`.
//!
//! Invariants: all errors of a file are reported together, each with its line. What is written reads back as the same client.

use std::ops::Not;
use std::path::Path;
use std::sync::Arc;

use crate::installed::BuiltFor;
use crd_diagnostics::Diagnostic;
use crd_model::channel::Channel;
use crd_model::document::send_value;
use crd_model::yaml::{Codes, Problems, Start, YamlWriter, checked};
use crd_model::{BundleVersion, CustomResourceDefinition};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The code of a client file that cannot be read.
pub const MALFORMED: &str = "skew::client";
/// The JSON schema of the file.
pub const SCHEMA: &str = include_str!("../../schemas/client.json");

const CODES: Codes = Codes { syntax: MALFORMED, unknown: MALFORMED, value: MALFORMED, missing: MALFORMED };

/// A client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// Its name, for messages.
    pub name: String,
    /// The bundle version and channel of its types.
    pub built_for: Option<(BundleVersion, Channel)>,
    /// The kinds that it uses, each once.
    pub kinds: Vec<ClientKind>,
}

/// A kind that a client uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientKind {
    /// The API group.
    pub group: String,
    /// The kind.
    pub kind: String,
    /// The API versions that it can read, the preferred one first.
    pub versions: Vec<String>,
    /// Whether the client also works without the kind.
    #[serde(rename = "optional", default, skip_serializing_if = "Not::not")]
    pub is_optional: bool,
    /// The paths of the fields that it needs, such as `spec.rules[*].name`. Nothing: all fields of the bundle that it was built for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fields: Option<Vec<String>>,
}

impl Client {
    /// Reads a client file.
    ///
    /// # Errors
    /// All errors of the file.
    pub fn read(text: &str, file: &Path) -> Result<Self, Vec<Diagnostic>> {
        let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
        let (mut root, _) = checked(text, &schema, CODES, across_keys).map_err(|problems| {
            problems.into_iter().map(|problem| Diagnostic::of_file(problem, file)).collect::<Vec<_>>()
        })?;
        let text = |pointer: &str| root.get("builtFor")?.get(pointer)?.as_str();
        let built_for =
            text("version").and_then(|version| version.parse().ok()).zip(text("channel").and_then(Channel::named));
        let name = root.get("name").and_then(Value::as_str).unwrap_or_default().to_owned();
        // The schema describes the same form.
        let kinds = root.get_mut("kinds").map(Value::take).unwrap_or_default();
        let kinds = serde_json::from_value(kinds).map_err(|error| {
            Diagnostic::error(MALFORMED, format!("the kinds cannot be read: {error}")).at_file(file)
        })?;
        Ok(Self { name, built_for, kinds })
    }

    /// The file of the client.
    #[must_use]
    pub fn yaml(&self) -> String {
        let mut value = json!({ "name": self.name, "kinds": self.kinds });
        if let Some((version, channel)) = self.built_for {
            value["builtFor"] = json!({ "version": version.to_string(), "channel": channel.name() });
        }
        let mut writer = YamlWriter::new(Start::None);
        send_value(&value, &mut writer);
        writer.finish()
    }

    /// A client as if it were built for a bundle and channel: it needs every kind, in the version through which programs read and write objects.
    #[must_use]
    pub fn of_bundle(
        name: &str,
        version: BundleVersion,
        channel: Channel,
        crds: &[Arc<CustomResourceDefinition>],
    ) -> Self {
        let kind = |crd: &Arc<CustomResourceDefinition>| {
            Some(ClientKind {
                group: crd.group.to_string(),
                kind: crd.names.kind.to_string(),
                versions: vec![crd.preferred()?.name.to_string()],
                is_optional: false,
                fields: None,
            })
        };
        let kinds = crds.iter().filter_map(kind).collect();
        Self { name: name.to_owned(), built_for: Some((version, channel)), kinds }
    }
}

/// What a controller has as constants. Its name is not among them.
impl From<&BuiltFor<'_>> for Client {
    fn from(built: &BuiltFor<'_>) -> Self {
        let kinds = built.kinds.iter().map(|used| ClientKind {
            group: used.group.to_owned(),
            kind: used.kind.to_owned(),
            versions: used.versions.iter().map(|version| (*version).to_owned()).collect(),
            is_optional: used.is_optional,
            fields: None,
        });
        let built_for = Some((built.version, built.channel));
        Self { name: "controller".to_owned(), built_for, kinds: kinds.collect() }
    }
}

/// Checks what the schema cannot express: the version, and that each kind is listed once.
fn across_keys(root: &Map<String, Value>, problems: &mut Problems<'_>) {
    let version = root.get("builtFor").and_then(|built| built.get("version")?.as_str());
    if let Some(Err(error)) = version.filter(|text| text.starts_with('v')).map(str::parse::<BundleVersion>) {
        problems.add(MALFORMED, "builtFor.version", error.to_string(), "");
    }
    let kinds = root.get("kinds").and_then(Value::as_array).into_iter().flatten();
    let names = kinds.map(|kind| Some((kind.get("group")?.as_str()?, kind.get("kind")?.as_str()?))).collect::<Vec<_>>();
    for (index, name) in names.iter().enumerate() {
        if let Some((group, kind)) = name.filter(|_| names[..index].contains(name)) {
            let message = format!("the kind {kind} of {group} is listed twice");
            problems.add(MALFORMED, &format!("kinds[{index}]"), message, "remove one");
        }
    }
}
