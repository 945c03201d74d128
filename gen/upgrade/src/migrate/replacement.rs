//! Resources that were replaced by a resource of another kind: each object gets a successor.
//!
//! Invariants:
//! * A successor is created only if no object has its name, and has a mark with the UID of the old object. An object without this mark is never changed.
//! * The old object gets a mark only after its successor was read from the server and found to be equal. It is deleted only on request, and only if both
//!   are still equal.
//! * A run that ends anywhere is completed by the next one.

use std::cell::RefCell;

use crd_cluster::{Cluster, Content, Metadata, Object, Part, Resource, Written};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use serde_json::{Map, Value, json};

use crate::migrate::blocked::{about, changed};
use crate::migrate::codes;
use crate::migrate::conversion::{Journal, form_of, no_form};
use crate::migrate::form::Form;
use crate::migrate::install::annotate;
use crate::migrate::migrated::{Forms, Migrated};
use crate::migrate::pass::{Outcome, Work, pass};
use crate::migrate::settings::{OnProgress, Settings};
use crate::migrate::target::{Target, through};

/// The mark of a successor: the UID of the old object.
const REPLACES: &str = "crd-channels/replaces";
/// The mark of an old object: the kind of its successor.
const REPLACED_BY: &str = "crd-channels/replaced-by";

/// The metadata that a successor has of the old object.
const INHERITED: [&str; 5] = ["name", "namespace", "labels", "annotations", "ownerReferences"];

/// The replacement of one resource.
pub struct Replacement<'t> {
    old: CustomResourceDefinition,
    metadata: Metadata,
    new: &'t CustomResourceDefinition,
    target: &'t Target,
}

impl<'t> Replacement<'t> {
    /// The replacement of the resource of an installed CRD; nothing if no lens goes from it to another kind that the target has.
    ///
    /// # Errors
    /// A diagnostic if the CRD cannot be read.
    pub fn of(installed: &crd_cluster::InstalledCrd, target: &'t Target) -> Result<Option<Self>, Diagnostic> {
        let old = installed.crd.as_ref().map_err(Clone::clone)?;
        let successor = target.successor(&old.group, &old.names.kind);
        Ok(successor.map(|new| Self { old: old.clone(), metadata: installed.metadata.clone(), new, target }))
    }

    /// The name of the CRD that is replaced.
    pub fn name(&self) -> &str {
        &self.old.name
    }

    /// The name of the CRD of the successors.
    pub fn successor(&self) -> &str {
        &self.new.name
    }

    /// Looks at the objects, and writes nothing. Those that would be written are counted so: objects without a mark, or all if `deletes`.
    ///
    /// # Errors
    /// Why they cannot be listed.
    pub async fn survey(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        deletes: bool,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let settings = Settings { rate: u32::MAX, ..*settings };
        self.each(cluster, &settings, on_progress, &async |entry: Object, form: &Form<'_>, forms: &RefCell<Forms>| {
            let is_done = entry.metadata.annotations.contains_key(REPLACED_BY) && !deletes;
            let outcome = if is_done { Outcome::Unchanged } else { Outcome::Written };
            Ok(self.successor_of(&entry, form, forms).map_or_else(Outcome::Refused, |_| outcome))
        })
        .await
    }

    /// Creates the successors, marks the old objects, and deletes them if `deletes`.
    ///
    /// # Errors
    /// Why the cluster could not be read or written.
    pub async fn run(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        deletes: bool,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let Some(version) = through(self.new) else { return Err(changed(self.successor())) };
        let resource = Resource::of(self.new, version);
        self.each(cluster, settings, on_progress, &async |entry: Object, form: &Form<'_>, forms: &RefCell<Forms>| {
            match self.successor_of(&entry, form, forms) {
                Ok(wanted) => self.replace(cluster, settings, &resource, entry, &wanted, deletes, journal).await,
                Err(diagnostic) => Ok(Outcome::Refused(diagnostic)),
            }
        })
        .await
    }

    /// One pass over the old objects.
    async fn each(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        on_progress: OnProgress<'_>,
        work: &impl AsyncFn(Object, &Form<'_>, &RefCell<Forms>) -> Result<Outcome, Diagnostic>,
    ) -> Result<Migrated, Diagnostic> {
        let Some(version) = through(&self.old) else { return Ok(Migrated::complete()) };
        let (form, forms) = (form_of(self.new, self.target, cluster)?, RefCell::default());
        let (content, step, expected) = (Content::Whole, "replacing", Some(&self.metadata));
        let objects = Work { crd: &self.old, version, content, step, expected };
        let each = async |entry: Object| work(entry, &form, &forms).await;
        let counts = pass(cluster, &objects, settings, &each, on_progress).await?;
        Ok(Migrated::of_forms(counts, forms.into_inner()))
    }

    /// The successor of an object.
    fn successor_of(&self, entry: &Object, form: &Form<'_>, forms: &RefCell<Forms>) -> Result<Value, Diagnostic> {
        let reformed = form.of(&entry.value).map_err(|reasons| no_form(&self.old, entry, &reasons.join("; ")))?;
        forms.borrow_mut().add(&reformed);
        let mut successor = reformed.object;
        let known = successor.get("metadata").and_then(Value::as_object).cloned().unwrap_or_default();
        let mut metadata: Map<String, Value> =
            known.into_iter().filter(|(key, _)| INHERITED.contains(&&**key)).collect();
        let annotations = metadata.entry("annotations").or_insert_with(|| json!({}));
        if let Some(annotations) = annotations.as_object_mut() {
            annotations.remove("kubectl.kubernetes.io/last-applied-configuration");
            annotations.remove(REPLACED_BY);
            annotations.insert(REPLACES.to_owned(), entry.metadata.uid.clone().into());
        }
        if let Some(members) = successor.as_object_mut() {
            // Controllers write the status of the successor.
            members.remove("status");
            members.insert("metadata".to_owned(), metadata.into());
        }
        Ok(successor)
    }

    #[expect(clippy::too_many_arguments, reason = "all of them differ")]
    async fn replace(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        resource: &Resource,
        entry: Object,
        wanted: &Value,
        deletes: bool,
        journal: Journal<'_>,
    ) -> Result<Outcome, Diagnostic> {
        let writer = cluster.writer(settings.is_dry_run);
        let (namespace, name) = (entry.metadata.namespace.as_deref(), &*entry.metadata.name);
        let mut is_written = false;
        let successor = match cluster.get(resource, namespace, name).await? {
            Some(successor) => successor,
            None => match writer.create(resource, wanted).await? {
                Written::Done(successor) => {
                    is_written = true;
                    successor
                }
                Written::Refused(diagnostic) => return Ok(Outcome::Refused(diagnostic)),
                // Someone else was faster: the next run sees it.
                Written::Changed | Written::Gone => return Ok(Outcome::Overtaken),
            },
        };
        let mark = |object: &Value, key: &str| {
            object
                .pointer("/metadata/annotations")
                .and_then(|annotations| Some(annotations.get(key)?.as_str()?.to_owned()))
        };
        if mark(&successor, REPLACES).as_deref() != Some(&entry.metadata.uid) {
            let message = format!("a {} of this name exists, and was not made from it", self.new.names.kind);
            return Ok(Outcome::Refused(self.refused(&entry, &codes::EXISTS, &message)));
        }
        let is_equal = content(&successor) == content(wanted);
        let is_marked = mark(&entry.value, REPLACED_BY).is_some();
        if !is_equal && (deletes || !is_marked) {
            let message = format!("it and its successor ({}) differ", self.new.names.kind);
            return Ok(Outcome::Refused(self.refused(&entry, &codes::DIFFERS, &message)));
        }
        let old = Resource::of(&self.old, through(&self.old).unwrap_or_default());
        let written = match () {
            () if deletes => {
                journal(&entry.value)?;
                writer.delete(&old, &entry.metadata).await?
            }
            () if is_marked => return Ok(if is_written { Outcome::Written } else { Outcome::Unchanged }),
            () => {
                let marking = annotate(&entry.metadata, REPLACED_BY, Some(&*self.new.names.kind));
                writer.patch(&old, &entry.metadata, Part::Object, &marking).await?
            }
        };
        Ok(match written {
            Written::Done(_) => Outcome::Written,
            written => Outcome::of(written, ""),
        })
    }

    fn refused(&self, entry: &Object, code: &crd_diagnostics::Code, message: &str) -> Diagnostic {
        let help = "make them alike, or delete one of them";
        about(code, self.name(), message).of_object(entry.metadata.object(&self.old.names.kind)).help(help)
    }
}

/// What the user of an object wrote, except for its metadata.
fn content(object: &Value) -> Map<String, Value> {
    let members = object.as_object().cloned().unwrap_or_default();
    members.into_iter().filter(|(key, _)| !["apiVersion", "kind", "metadata", "status"].contains(&&**key)).collect()
}
