//! The CustomResourceDefinitions of a cluster.

use std::time::Duration;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_texts;
use crd_model::CustomResourceDefinition;
use crd_model::schema::ReadErrorKind;
use serde::Deserialize;
use serde_json::Value;

use crate::cluster::Cluster;
use crate::codes;
use crate::list::{Item, list};
use crate::metadata::{Metadata, WithMetadata, or_default};
use crate::resource::Resource;

/// How many errors a message lists.
const MOST_LISTED: usize = 3;

/// Which CRDs to read: all of them, or those that have one of these properties.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// API groups, and the groups below them: `example.com` selects `a.example.com` too.
    pub groups: Vec<String>,
    /// A prefix of stamps: CRDs with an annotation or label `PREFIX/…`.
    pub prefix: Option<String>,
}

impl Selection {
    pub fn all() -> Self {
        Self::default()
    }

    /// The CRDs of the API with this prefix: those with its stamps, and those of its group, which may have lost their stamps.
    pub fn prefix(prefix: &str) -> Self {
        Self { groups: vec![prefix.to_owned()], prefix: Some(prefix.to_owned()) }
    }

    /// The CRDs of these groups too.
    #[must_use]
    pub fn and_groups<'g>(mut self, groups: impl IntoIterator<Item = &'g str>) -> Self {
        self.groups.extend(groups.into_iter().map(str::to_owned));
        self
    }

    /// Whether a CRD is selected.
    pub fn contains(&self, metadata: &Metadata) -> bool {
        // A server accepts no other name than `PLURAL.GROUP`.
        let group = metadata.name.split_once('.').map_or("", |(_, group)| group);
        let is_below =
            |suffix: &str| group == suffix || group.strip_suffix(suffix).is_some_and(|before| before.ends_with('.'));
        let is_all = self.groups.is_empty() && self.prefix.is_none();
        let has_group = self.groups.iter().any(|suffix| is_below(suffix));
        is_all || has_group || self.prefix.as_ref().is_some_and(|prefix| metadata.has_prefix(prefix))
    }
}

/// A CRD in a cluster.
#[derive(Clone, Debug)]
pub struct InstalledCrd {
    /// Its metadata: name, annotations, labels, generation, who manages it, and whether it is being deleted.
    pub metadata: Metadata,
    /// The CRD, as a server reads it; or why it cannot be read.
    pub crd: Result<CustomResourceDefinition, Diagnostic>,
    /// Keywords that are left out of the CRD, because this program does not support them: their paths.
    pub left_out: Vec<String>,
    /// `status.storedVersions`: the versions that objects may be stored as.
    pub stored_versions: Vec<String>,
    /// `status.conditions`, such as `Established`.
    pub conditions: Vec<Condition>,
    /// The size of the object as the server sent it, in bytes.
    pub bytes: usize,
    /// The size of all annotations together, keys and values, in bytes. The limit is [`crd_model::crd::ANNOTATIONS_LIMIT`].
    pub annotation_bytes: usize,
}

/// How often CRDs are read again while one of them is being installed, and the pause before it.
const PAUSES: usize = 20;
const INSTALLING: Duration = Duration::from_millis(500);

impl InstalledCrd {
    /// The CRD of a document that a server sent; nothing for a document without a readable name.
    pub(crate) fn of_document(document: &Value) -> Option<Self> {
        let text = document.to_string();
        let metadata = serde_json::from_value::<WithMetadata>(document.clone()).ok()?.metadata;
        installed(Item { metadata: Ok(metadata), text: &text }, &Selection::all())
    }

    /// Whether another client created it a moment ago: its server has accepted the names, and serves it within a second or two.
    fn is_being_installed(&self) -> bool {
        self.condition("Established")
            .is_some_and(|established| established.status == "False" && established.reason == "Installing")
    }

    /// The condition of this type.
    pub fn condition(&self, kind: &str) -> Option<&Condition> {
        self.conditions.iter().find(|condition| condition.kind == kind)
    }
}

/// A condition of a CRD.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Condition {
    /// `type`, such as `Established`.
    #[serde(rename = "type", default)]
    pub kind: String,
    /// `status`: `True`, `False` or `Unknown`.
    #[serde(default)]
    pub status: String,
    /// `reason`: one word.
    #[serde(default)]
    pub reason: String,
    /// `message`: for people.
    #[serde(default)]
    pub message: String,
}

/// What a cluster adds to a CRD.
#[derive(Deserialize)]
struct Outline {
    #[serde(default, deserialize_with = "or_default")]
    status: Status,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Status {
    #[serde(default, deserialize_with = "or_default")]
    stored_versions: Vec<String>,
    #[serde(default, deserialize_with = "or_default")]
    conditions: Vec<Condition>,
}

impl Cluster {
    /// The selected CRDs, in the order of their names. Those that another client is installing are awaited for some seconds.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed. A CRD that cannot be read is part of the result, with its diagnostic.
    pub async fn crds(&self, selection: &Selection) -> Result<Vec<InstalledCrd>, Diagnostic> {
        let mut pauses = [INSTALLING; PAUSES].into_iter();
        loop {
            let mut crds: Vec<InstalledCrd> = Vec::new();
            list(&self.requests, &Resource::crds(), &mut |item| crds.extend(installed(item, selection))).await?;
            let is_waiting = crds.iter().any(InstalledCrd::is_being_installed);
            match pauses.next().filter(|_| is_waiting) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Ok(crds),
            }
        }
    }

    /// A CRD as the server has it, and its document; nothing if it is not installed. One that another client is installing is awaited for some
    /// seconds.
    ///
    /// # Errors
    /// A diagnostic if it cannot be requested.
    pub async fn crd(&self, name: &str) -> Result<Option<(InstalledCrd, Value)>, Diagnostic> {
        let mut pauses = [INSTALLING; PAUSES].into_iter();
        loop {
            let document = self.get(&Resource::crds(), None, name).await?;
            let found = document.and_then(|document| Some((InstalledCrd::of_document(&document)?, document)));
            let is_waiting = found.as_ref().is_some_and(|(crd, _)| crd.is_being_installed());
            match pauses.next().filter(|_| is_waiting) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Ok(found),
            }
        }
    }
}

fn installed(item: Item<'_>, selection: &Selection) -> Option<InstalledCrd> {
    // CRDs without a readable name match no selection; a server has none.
    let metadata = item.metadata.ok()?;
    if !selection.contains(&metadata) {
        return None;
    }
    let mut left_out = Vec::new();
    let (status, crd) = match serde_json::from_str::<Outline>(item.text) {
        Ok(outline) => (outline.status, crd(item.text, &metadata, &mut left_out)),
        Err(error) => (Status::default(), Err(unreadable(&metadata, &[error.to_string()]))),
    };
    Some(InstalledCrd {
        crd,
        left_out,
        stored_versions: status.stored_versions,
        conditions: status.conditions,
        bytes: item.text.len(),
        annotation_bytes: metadata.annotations.iter().map(|(key, value)| key.len().saturating_add(value.len())).sum(),
        metadata,
    })
}

fn crd(text: &str, metadata: &Metadata, left_out: &mut Vec<String>) -> Result<CustomResourceDefinition, Diagnostic> {
    let mut value: Value = serde_json::from_str(text).map_err(|error| unreadable(metadata, &[error.to_string()]))?;
    // Items of a typed list have neither, although every single object has both.
    if let Some(object) = value.as_object_mut() {
        object.entry("apiVersion").or_insert_with(|| "apiextensions.k8s.io/v1".into());
        object.entry("kind").or_insert_with(|| "CustomResourceDefinition".into());
    }
    let (crd, errors) = CustomResourceDefinition::from_published(&value);
    let mut fatal = Vec::new();
    for error in errors {
        match error.kind {
            ReadErrorKind::Unknown => left_out.push(error.path),
            ReadErrorKind::Absent => {}
            _ => fatal.push(error.to_string()),
        }
    }
    if fatal.is_empty() { Ok(crd) } else { Err(unreadable(metadata, &fatal)) }
}

fn unreadable(metadata: &Metadata, errors: &[String]) -> Diagnostic {
    let listed = some_texts(errors, MOST_LISTED);
    codes::UNREADABLE_CRD
        .finding(format!("the CRD {} cannot be read: {listed}", metadata.name))
        .of_crd(&*metadata.name, None, "")
        .help(format!("compare it with the published CRD: `kubectl get crd {} --output yaml`", metadata.name))
}
