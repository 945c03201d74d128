//! The migration of the stored version: each object is written as it is, and then `status.storedVersions` is pruned ("Versions in
//! CustomResourceDefinitions", *Upgrade existing objects to a new stored version*, Kubernetes documentation).
//!
//! Invariants:
//! * Objects are written in the storage version. If a stored version has fields that the storage version lacks, each object is read before
//!   anything is written, and a value that would be lost ends the migration.
//! * An object is written through a version that has every field of the storage version. After a change of the CRD, the
//!   objects of one page are written at most.
//! * The entries are removed by a patch that tests the UID, the generation and the list. So they stay if the CRD changed after the listing began:
//!   only then can an object be stored in another version.

use std::sync::LazyLock;
use std::time::Duration;

use crd_apiserver::prune;
use crd_cluster::{Cluster, Content, InstalledCrd, Metadata, Object, Resource, Written};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use crd_model::schema::{AdditionalProperties, Schema};
use tokio::time::sleep;

use crate::migrate::blocked::{Blocked, about, converted_by_webhook, unready};
use crate::migrate::codes;
use crate::migrate::install::set_stored_versions;
use crate::migrate::migrated::{Counts, Migrated};
use crate::migrate::pass::{Outcome, Work, pass};
use crate::migrate::settings::{OnProgress, Settings};
use crate::migrate::shards;

/// How long a server may take to use a changed CRD.
const SETTLING: Duration = Duration::from_secs(2);

/// How often the removal of entries is tried: writes of controllers to the CRD can come before it.
const MOST_TRIES: u32 = 5;

/// What a migration of the stored version does.
#[derive(Clone, Debug)]
pub struct StoragePlan {
    metadata: Metadata,
    crd: CustomResourceDefinition,
    stored_versions: Vec<String>,
    storage: String,
    /// The version through which objects are read and written.
    through: String,
    /// The served stored versions with fields that the storage version lacks.
    richer: Vec<String>,
}

impl StoragePlan {
    /// What a migration of a CRD would do.
    ///
    /// # Errors
    /// Everything for which the CRD cannot be migrated.
    pub fn new(installed: &InstalledCrd) -> Result<Self, Blocked> {
        let name = &*installed.metadata.name;
        let mut blocked = unready(installed);
        let crd = match &installed.crd {
            Ok(crd) => crd,
            Err(diagnostic) => return Err(std::iter::once(diagnostic.clone()).chain(blocked).collect()),
        };
        if crd.has_conversion_webhook() {
            blocked.push(converted_by_webhook(name));
        }
        let storage = crd.storage();
        // Without `preserveUnknownFields`, a write drops what the version of the request or the storage version lacks.
        let missing = |of: &Version, other: &Version| match crd.preserve_unknown_fields {
            Some(true) => None,
            _ => first_missing(&of.schema, &other.schema),
        };
        let served = || storage.into_iter().chain(&crd.versions).filter(|version| version.served);
        let loses_nothing = |version: &&Version| storage.is_some_and(|storage| missing(storage, version).is_none());
        let through = served().find(loses_nothing).or_else(|| served().next());
        let (Some(storage), Some(through)) = (storage, through) else {
            let message = "it serves no version, so its objects cannot be written";
            blocked.push(about(&codes::UNREADY, name, message).help("serve a version"));
            return Err(blocked);
        };
        if let Some(field) = missing(storage, through) {
            let stored = &storage.name;
            let message = format!("{stored} is not served, and has `{field}`, which {} does not have", through.name);
            let help = format!("serve {stored}, so that objects can be written with all of their values");
            blocked.push(about(&codes::HIDDEN_FIELDS, name, message).help(help));
        }
        let mut richer = Vec::new();
        for stored in installed.stored_versions.iter().filter(|stored| **stored != *storage.name) {
            let Some(version) = crd.version(stored) else {
                let message = format!("objects may be stored as {stored}, which the CRD does not have");
                let help = format!("add {stored} to the CRD again, with `served: false`");
                blocked.push(about(&codes::MISSING_VERSION, name, message).help(help));
                continue;
            };
            match missing(version, storage) {
                Some(_) if version.served => richer.push(stored.clone()),
                Some(field) => {
                    let message =
                        format!("{stored} is not served, and has `{field}`, which {} does not have", storage.name);
                    let help = format!("serve {stored} so that its values can be read, or migrate to a bundle: `--to`");
                    blocked.push(about(&codes::HIDDEN_FIELDS, name, message).help(help));
                }
                None => {}
            }
        }
        if !blocked.is_empty() {
            return Err(blocked);
        }
        Ok(Self {
            metadata: installed.metadata.clone(),
            stored_versions: installed.stored_versions.clone(),
            storage: storage.name.to_string(),
            through: through.name.to_string(),
            richer,
            crd: crd.clone(),
        })
    }

    pub(crate) fn crd(&self) -> &CustomResourceDefinition {
        &self.crd
    }

    /// The versions that objects may be stored as.
    pub(crate) fn stored_versions(&self) -> &[String] {
        &self.stored_versions
    }

    /// The name of the CRD.
    pub fn name(&self) -> &str {
        &self.metadata.name
    }

    /// The version in which the objects will be stored.
    pub fn storage(&self) -> &str {
        &self.storage
    }

    /// The entries that leave `status.storedVersions`.
    pub fn leaving(&self) -> impl Iterator<Item = &str> {
        self.stored_versions.iter().map(String::as_str).filter(|stored| *stored != self.storage)
    }

    /// Whether there is nothing to do.
    pub fn is_done(&self) -> bool {
        self.leaving().next().is_none() && !self.metadata.annotations.contains_key(shards::ANNOTATION)
    }

    /// How many objects there are; nothing if the server does not show it.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed.
    pub async fn count(&self, cluster: &Cluster) -> Result<Option<u64>, Diagnostic> {
        cluster.count(&self.crd, &self.through).await
    }

    /// Writes the objects, and removes the entries. `on_progress` is called after each page.
    ///
    /// # Errors
    /// Why the cluster could not be read or written. What was written stays, and loses nothing.
    pub async fn run(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        if self.leaving().next().is_none() {
            // The last part was killed before it removed the annotation.
            if !settings.is_dry_run && self.metadata.annotations.contains_key(shards::ANNOTATION) {
                shards::remove(cluster, self.name()).await?;
            }
            return Ok(Migrated::complete());
        }
        // The CRD may have been changed a moment ago, and servers then store objects in its earlier storage version for a moment.
        if !settings.is_dry_run {
            sleep(SETTLING).await;
        }
        for version in &self.richer {
            let counts = self.find_losses(version, cluster, settings, on_progress).await?;
            if !counts.refused.is_empty() {
                return Ok(Migrated { counts, ..Migrated::default() });
            }
        }
        let (writer, resource) = (cluster.writer(settings.is_dry_run), Resource::of(&self.crd, &self.through));
        let work = async |entry: Object| {
            let written = writer.touch(&resource, &entry.metadata).await?;
            // In a dry run, no object gets another resourceVersion.
            let before = if settings.is_dry_run { "" } else { &entry.metadata.resource_version };
            Ok(Outcome::of(written, before))
        };
        let step = if settings.is_dry_run { "asking the server" } else { "writing" };
        let objects = self.objects(&self.through, Content::Metadata, step);
        let counts = pass(cluster, &objects, settings, &work, on_progress).await?;
        let mut migrated = Migrated { counts, ..Migrated::default() };
        if migrated.counts.is_complete() {
            self.finish(cluster, settings, &mut migrated).await?;
        }
        Ok(migrated)
    }

    /// Finds the objects with values that the storage version lacks.
    async fn find_losses(
        &self,
        version: &str,
        cluster: &Cluster,
        settings: &Settings,
        on_progress: OnProgress<'_>,
    ) -> Result<Counts, Diagnostic> {
        let schema = self.crd.storage().map(|version| &version.schema);
        let work = async |mut entry: Object| {
            let lost = schema.map(|schema| prune(schema, &mut entry.value)).unwrap_or_default();
            Ok(match lost.first() {
                None => Outcome::Unchanged,
                Some(first) => Outcome::Refused(self.lost(&entry.metadata, first, version)),
            })
        };
        // Reading has no pace.
        let settings = Settings { rate: u32::MAX, ..*settings };
        pass(cluster, &self.objects(version, Content::Whole, "reading"), &settings, &work, on_progress).await
    }

    fn objects<'w>(&'w self, version: &'w str, content: Content, step: &'static str) -> Work<'w> {
        Work { crd: &self.crd, version, content, step, expected: Some(&self.metadata) }
    }

    fn lost(&self, metadata: &Metadata, path: &str, version: &str) -> Diagnostic {
        let message = format!("`{path}` of {version} would be lost: {} does not have it", self.storage);
        let help = "remove the value, or migrate with lenses to a bundle: `--to`";
        about(&codes::LOST, self.name(), message).of_object(metadata.object(&self.crd.names.kind)).help(help)
    }

    /// Removes the entries, if this is the last part.
    pub(crate) async fn finish(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        migrated: &mut Migrated,
    ) -> Result<(), Diagnostic> {
        if let Some(shard) = settings.shard.filter(|_| !settings.is_dry_run) {
            migrated.waits_for_shards = !shards::complete(cluster, &self.metadata, Some(&self.storage), shard).await?;
            if migrated.waits_for_shards {
                if let Now::Changed(diagnostic) = self.now(cluster).await? {
                    migrated.diagnostics.push(diagnostic);
                }
                return Ok(());
            }
        }
        let writer = cluster.writer(settings.is_dry_run);
        let mut tries = 0;
        while !migrated.is_pruned && migrated.diagnostics.is_empty() {
            tries += 1;
            match set_stored_versions(&writer, &self.metadata, &self.stored_versions, &[&self.storage]).await? {
                Written::Done(_) => migrated.is_pruned = true,
                Written::Changed | Written::Gone => match self.now(cluster).await? {
                    // A patch whose answer was lost has done its work.
                    Now::Pruned => migrated.is_pruned = true,
                    Now::Same if tries < MOST_TRIES => {}
                    Now::Same => migrated.diagnostics.push(self.changed()),
                    Now::Changed(diagnostic) => migrated.diagnostics.push(diagnostic),
                },
                Written::Refused(diagnostic) => migrated.diagnostics.push(diagnostic),
            }
        }
        if migrated.is_pruned && settings.shard.is_some() && !settings.is_dry_run {
            shards::remove(cluster, self.name()).await?;
        }
        Ok(())
    }

    /// The CRD now, compared with the one of the plan.
    async fn now(&self, cluster: &Cluster) -> Result<Now, Diagnostic> {
        let now = cluster.crd(self.name()).await?.map(|(installed, _)| installed);
        let now = now.filter(|now| now.metadata.identity() == self.metadata.identity());
        Ok(match now.map(|now| now.stored_versions) {
            Some(stored) if stored == [&*self.storage] => Now::Pruned,
            Some(stored) if stored == self.stored_versions => Now::Same,
            _ => Now::Changed(self.changed()),
        })
    }

    fn changed(&self) -> Diagnostic {
        let message = "it was changed during the migration, so `status.storedVersions` stays as it is";
        about(&codes::CHANGED, self.name(), message)
            .help("run the migration again, and let one program manage the CRDs")
    }
}

enum Now {
    /// As in the plan.
    Same,
    /// The entries were removed, by this run or by another part.
    Pruned,
    /// Not as in the plan.
    Changed(Diagnostic),
}

/// A schema of a value of which every field is pruned.
static NO_FIELDS: LazyLock<Schema> = LazyLock::new(Schema::default);

/// A schema of a value that can have any field.
static ANY_FIELDS: LazyLock<Schema> =
    LazyLock::new(|| Schema { preserve_unknown_fields: Some(true), ..Schema::default() });

/// The first field that a schema keeps and another one prunes, as [`prune`] does.
fn first_missing(of: &Schema, other: &Schema) -> Option<String> {
    missing(of, other, [false; 2], true)
}

/// [`first_missing`] of a node. The two sides may keep unknown fields because the list around them does.
fn missing(of: &Schema, other: &Schema, keep: [bool; 2], is_resource: bool) -> Option<String> {
    let [of_keeps, other_keeps] = [(of, keep[0]), (other, keep[1])]
        .map(|(schema, inherited)| inherited || schema.preserve_unknown_fields == Some(true));
    let is_scalar =
        |schema: &Schema| schema.int_or_string || !matches!(schema.kind.as_deref(), None | Some("object" | "array"));
    if of_keeps && !other_keeps && !is_scalar(other) {
        return Some("{*}".to_owned());
    }
    let is_resource = is_resource || other.embedded_resource;
    let is_own = |name: &str| !is_resource || !["apiVersion", "kind", "metadata"].contains(&name);
    let below = |name: &str, of: &Schema, other: Option<&Schema>, keep: [bool; 2]| match other {
        None if other_keeps => None,
        None => Some(name.to_owned()),
        Some(other) => missing(of, other, keep, false).map(|rest| format!("{name}.{rest}")),
    };
    let known = of.properties.iter().filter(|(name, _)| is_own(name));
    let known = known.map(|(name, schema)| below(name, schema, field(other, name), [false; 2]));
    let values = values(of).map(|of| below("{*}", of, self::values(other), [false; 2]));
    let unknown = other.properties.iter().filter(|(name, _)| of_keeps && is_own(name) && field(of, name).is_none());
    let unknown = unknown.map(|(name, schema)| below(name, &ANY_FIELDS, Some(schema), [false; 2]));
    let items = match (&of.items, &other.items) {
        (Some(of), None) if !other_keeps => below("[*]", of, Some(&NO_FIELDS), [of_keeps, false]),
        (Some(of), Some(other)) => below("[*]", of, Some(other), [of_keeps, other_keeps]),
        (None, Some(other)) if of_keeps => below("[*]", &ANY_FIELDS, Some(other), [true, other_keeps]),
        _ => None,
    };
    known.chain(values).chain(unknown).flatten().next().or(items)
}

/// The schema of a field, if the field is not unknown.
fn field<'s>(schema: &'s Schema, name: &str) -> Option<&'s Schema> {
    schema.properties.get(name).or_else(|| values(schema))
}

/// The schema of the values of a map.
fn values(schema: &Schema) -> Option<&Schema> {
    schema.additional_properties.as_ref().map(|properties| match properties {
        AdditionalProperties::Values(values) => &**values,
        AdditionalProperties::Allowed(_) => &NO_FIELDS,
    })
}
