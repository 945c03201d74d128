//! How a CRD and its objects get to the CRD of a target.
//!
//! Installed CRD → [`open`]: objects of all forms can be read, and get the new form → [`gate`]: only the new form can be written, so that a last look
//! at all objects is final → `status.storedVersions` → CRD of the target. If no object can have another form, the CRD is installed directly, and the
//! stored version is migrated.
//!
//! Invariants:
//! * Each stage is recognised from the cluster ([`State`]); a run that ends anywhere is completed by the next one.
//! * Objects are read and written only while the server uses the transitional CRD of the stage, and the CRD has not been changed by someone else.
//! * An object is written with everything that was read, in its new form. So nothing is lost if someone changes the CRD at this moment.
//! * Until the CRD of the target is installed, a rollback converts the objects back and restores the CRD.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crd_apiserver::objects::RuleProblem;
use crd_cluster::{Cluster, Content, InstalledCrd, Object, Part, Resource, Written};
use crd_convert::{BundleVersion, Conversions};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::schema::Text;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::migrate::blocked::{Blocked, about, changed, converted_by_webhook, unready};
use crate::migrate::codes;
use crate::migrate::form::{Direction, Form};
use crate::migrate::install::{Annotations, mark, replace, set_stored_versions, unchanged, until_used};
use crate::migrate::migrated::{Forms, Migrated};
use crate::migrate::pass::{Outcome, Work, pass};
use crate::migrate::settings::{OnProgress, Settings};
use crate::migrate::shards;
use crate::migrate::state::{ANNOTATION, Stage, State, digest};
use crate::migrate::storage::StoragePlan;
use crate::migrate::target::{Target, through};
use crate::migrate::transition::{gate, may_have_old_forms, open};

/// How often all objects are looked at in a stage, until no client writes an old form in between.
const MOST_PASSES: u32 = 20;

/// How often a part plans anew because the CRD has changed, and the pause before that.
const MOST_REPLANS: u32 = 3;
const REPLAN: Duration = Duration::from_secs(1);

/// The newest minor that rules are evaluated for.
const NEWEST_MINOR: u32 = crd_apiserver::objects::MINORS.1;

/// The end of the annotation with the bundle version.
const BUNDLE_VERSION: &str = "/bundle-version";

/// How a CRD gets to the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    Nothing,
    Create,
    /// Objects do not change; they are stored in another version.
    Storage,
    /// Objects can have old forms, and are converted while a transitional CRD is installed.
    Forms,
}

/// Gets each object before it is changed.
pub type Journal<'j> = &'j dyn Fn(&Value) -> Result<(), Diagnostic>;

/// What a migration to a target does with one CRD.
pub struct BundlePlan<'t> {
    installed: Option<(InstalledCrd, Value)>,
    state: Option<State>,
    crd: &'t CustomResourceDefinition,
    target: &'t Target,
    way: Way,
}

impl<'t> BundlePlan<'t> {
    /// What a migration would do with the CRD of a target.
    ///
    /// # Errors
    /// Everything for which the CRD cannot be migrated.
    pub async fn new(
        cluster: &Cluster,
        crd: &'t CustomResourceDefinition,
        target: &'t Target,
    ) -> Result<Self, Blocked> {
        let Some((installed, document)) = cluster.crd(&crd.name).await? else {
            return Ok(Self { installed: None, state: None, crd, target, way: Way::Create });
        };
        let mut blocked = Blocked::new();
        let today = installed.crd.as_ref().map_err(|diagnostic| blocked.push(diagnostic.clone())).ok();
        blocked.extend(unready(&installed));
        let state = state(&installed).map_err(|diagnostic| blocked.push(diagnostic)).ok().flatten();
        blocked.extend(other_migration(&installed.metadata.name, state.as_ref(), &target.name));
        blocked.extend(today.into_iter().flat_map(|today| refusals(today, crd)));
        let (Some(today), true) = (today, blocked.is_empty()) else { return Err(blocked) };
        let way = match &state {
            Some(_) => Way::Forms,
            None => match way(&installed, today, crd, target) {
                Way::Forms if storage(today) == storage(crd) && has_no_objects(cluster, today).await? => Way::Storage,
                Way::Storage if has_kept_values(cluster, today, target).await? => Way::Forms,
                way => way,
            },
        };
        Ok(Self { state, crd, target, way, installed: Some((installed, document)) })
    }

    /// The name of the CRD.
    pub fn name(&self) -> &str {
        &self.crd.name
    }

    /// The CRD of the target.
    pub(crate) fn crd(&self) -> &CustomResourceDefinition {
        self.crd
    }

    /// How it gets to the target.
    pub fn way(&self) -> Way {
        self.way
    }

    /// The version in which the objects will be stored.
    pub fn storage(&self) -> Option<&str> {
        storage(self.crd)
    }

    /// Whether an earlier run has begun.
    pub fn is_begun(&self) -> bool {
        self.state.is_some()
    }

    /// The entries that leave `status.storedVersions`.
    pub fn leaving(&self) -> impl Iterator<Item = &str> {
        let stored = self.installed.iter().flat_map(|(installed, _)| &installed.stored_versions);
        stored.map(String::as_str).filter(|stored| self.storage() != Some(stored))
    }

    /// How many objects there are; nothing if the server does not show it.
    ///
    /// # Errors
    /// A diagnostic if they cannot be listed.
    pub async fn count(&self, cluster: &Cluster) -> Result<Option<u64>, Diagnostic> {
        let today = self.installed.as_ref().and_then(|(installed, _)| installed.crd.as_ref().ok());
        match today.and_then(|today| Some((today, through(today)?))) {
            Some((today, version)) => cluster.count(today, version).await,
            None => Ok(Some(0)),
        }
    }

    /// Looks at the objects as the server shows them now, and writes nothing. Values of removed fields become visible only when the migration begins.
    ///
    /// # Errors
    /// Why they cannot be listed.
    pub async fn survey(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let today = self.installed.as_ref().and_then(|(installed, _)| installed.crd.as_ref().ok());
        let today = today.filter(|_| self.way == Way::Forms);
        let Some((today, read)) = today.and_then(|today| Some((today, through(today)?))) else {
            return Ok(Migrated::default());
        };
        let form = form_of(self.crd, self.target, cluster)?;
        let forms = RefCell::default();
        let settings = Settings { rate: u32::MAX, ..*settings };
        let work = async |entry: Object| {
            Ok(match look(self.crd, &entry, &form, &forms) {
                Ok(object) if object == entry.value => Outcome::Unchanged,
                Ok(_) => Outcome::Written,
                Err(diagnostic) => Outcome::Refused(diagnostic),
            })
        };
        let objects = Work { crd: today, version: read, content: Content::Whole, step: "reading", expected: None };
        let counts = pass(cluster, &objects, &settings, &work, on_progress).await?;
        Ok(Migrated::of_forms(counts, forms.into_inner()))
    }

    /// Carries out the plan. `on_progress` is called after each page.
    ///
    /// # Errors
    /// Why the cluster could not be read or written, or who changed the CRD. What was written stays, and loses nothing.
    pub async fn run(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let mut done = self.run_once(cluster, settings, journal, &mut *on_progress).await;
        for _ in 0..MOST_REPLANS {
            match &done {
                Err(changed) if settings.shard.is_some() && changed.code == codes::CHANGED.name => sleep(REPLAN).await,
                _ => break,
            }
            // Another part has changed the CRD: a new plan goes on from there, or finds that someone else did it.
            let Ok(plan) = Self::new(cluster, self.crd, self.target).await else { break };
            done = plan.run_once(cluster, settings, journal, &mut *on_progress).await;
        }
        done
    }

    async fn run_once(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        match self.way {
            Way::Nothing => Ok(Migrated::complete()),
            Way::Create => self.create(cluster, settings).await,
            Way::Storage => self.store(cluster, settings, on_progress).await,
            Way::Forms => self.convert(cluster, settings, journal, on_progress).await,
        }
    }

    async fn create(&self, cluster: &Cluster, settings: &Settings) -> Result<Migrated, Diagnostic> {
        let written = cluster.writer(settings.is_dry_run).create(&Resource::crds(), &self.crd.to_value()).await?;
        written.accepted()?.map(|_| Migrated::complete()).ok_or_else(|| changed(self.name()))
    }

    /// Removes the entries of other versions, and installs the CRD of the target, whose storage version is the same.
    async fn store(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let (installed, _) = read(cluster, self.name()).await?;
        let migrated = match StoragePlan::new(&installed) {
            Ok(plan) => plan.run(cluster, settings, on_progress).await?,
            Err(diagnostics) => return Ok(Migrated { diagnostics, ..Migrated::default() }),
        };
        let current = unchanged(cluster, &installed.metadata).await?;
        // A dry run has not removed the entries.
        if migrated.is_pruned && (!settings.is_dry_run || self.leaving().next().is_none()) {
            Goal::of(self.crd).install(cluster, &current, settings.is_dry_run).await?;
        }
        Ok(migrated)
    }

    /// Goes through the stages.
    async fn convert(
        &self,
        cluster: &Cluster,
        settings: &Settings,
        journal: Journal<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let form = form_of(self.crd, self.target, cluster)?;
        let mut migrated = Migrated::default();
        loop {
            let current = read(cluster, self.name()).await?;
            let installed = &current.0;
            let today = installed.crd.as_ref().map_err(Clone::clone)?;
            let known = self.target.known(self.name());
            match state(installed)? {
                // Another part has completed it.
                None if migrated.has_begun && is_at(installed, today, self.crd) => {
                    return Ok(Migrated { is_pruned: true, ..migrated });
                }
                None if migrated.has_begun => return Err(changed(self.name())),
                None => {
                    let first = open(today, &known, self.crd, &installed.stored_versions);
                    let spec = current.1.get("spec").cloned().unwrap_or_default();
                    let state = State { to: self.target.name.clone(), stage: Stage::Open, spec, digest: String::new() };
                    enter(cluster, &current, first, state, settings.is_dry_run).await?;
                }
                Some(state) => {
                    if let Some(diagnostic) = other_migration(self.name(), Some(&state), &self.target.name) {
                        return Err(diagnostic);
                    }
                    check_digest(installed, today, &state)?;
                    if !settings.is_dry_run {
                        let at = At { cluster, installed, crd: today, stage: state.stage, settings, journal };
                        let done = at.convert(self.crd, &form, on_progress).await?;
                        migrated = Migrated { has_begun: true, ..migrated.and(done) };
                        if !migrated.can_go_on() {
                            return Ok(migrated);
                        }
                        let before = read_spec(installed, &state);
                        let next = |stored: &[String]| gate(&before, &known, self.crd, stored);
                        if at.leave(state, &Goal::of(self.crd), next).await? {
                            return Ok(Migrated { is_pruned: true, ..migrated });
                        }
                    }
                }
            }
            if settings.is_dry_run {
                return self.survey(cluster, settings, on_progress).await;
            }
            migrated.has_begun = true;
        }
    }
}

/// Whether the migration of a CRD to a target has begun.
pub fn is_begun(installed: &InstalledCrd) -> bool {
    installed.metadata.annotations.contains_key(ANNOTATION)
}

/// Takes a migration back that has begun: objects get the form of the bundle before, and the CRD is restored.
///
/// # Errors
/// If the CRD is not on the way to a target, if its earlier bundle is not known, or as [`BundlePlan::run`].
pub async fn roll_back(
    cluster: &Cluster,
    name: &str,
    conversions: &Conversions,
    settings: &Settings,
    journal: Journal<'_>,
    on_progress: OnProgress<'_>,
) -> Result<Migrated, Diagnostic> {
    let mut migrated = Migrated::default();
    loop {
        let current = read(cluster, name).await?;
        let installed = &current.0;
        let today = installed.crd.as_ref().map_err(Clone::clone)?;
        let Some(state) = state(installed)? else {
            return match migrated.has_begun {
                true => Ok(Migrated { is_pruned: true, ..migrated }),
                false => Err(about(&codes::NO_MIGRATION, name, "it is not on the way to a target")
                    .help("migrate to the old bundle: `--to`")),
            };
        };
        check_digest(installed, today, &state)?;
        let before = read_spec(installed, &state);
        let versions = today.versions.iter().map(|version| version.name.to_string());
        let versions = versions.chain(installed.stored_versions.clone()).collect::<Vec<_>>();
        if matches!(state.stage, Stage::Open | Stage::Gate) {
            let first = open(today, &[&before], &before, &versions);
            enter(cluster, &current, first, State { stage: Stage::Back, ..state }, settings.is_dry_run).await?;
        } else if !settings.is_dry_run {
            let drops = BTreeSet::new();
            let form = form_before(cluster, installed, today, &before, conversions, &drops)?;
            // A rollback has no parts.
            let settings = &Settings { shard: None, ..*settings };
            let at = At { cluster, installed, crd: today, stage: state.stage, settings, journal };
            migrated = migrated.and(at.convert(&before, &form, on_progress).await?);
            if !migrated.can_go_on() {
                return Ok(migrated);
            }
            let goal = Goal::restored(&before, state.spec.clone());
            at.leave(state, &goal, |_| gate(today, &[], &before, &versions)).await?;
        }
        if settings.is_dry_run {
            return Ok(migrated);
        }
        migrated.has_begun = true;
    }
}

/// The form of objects before a migration.
fn form_before<'f>(
    cluster: &Cluster,
    installed: &InstalledCrd,
    today: &'f CustomResourceDefinition,
    before: &'f CustomResourceDefinition,
    conversions: &'f Conversions,
    drops: &'f BTreeSet<String>,
) -> Result<Form<'f>, Diagnostic> {
    let name = &*installed.metadata.name;
    let bundle = bundle(installed).ok_or_else(|| {
        let message =
            "the annotation with the bundle version before the migration is missing, names a month, or cannot be read";
        about(&codes::UNKNOWN_FORM, name, message)
            .help("set `PREFIX/bundle-version` to a version whose objects have the same form")
    })?;
    let version = through(before).unwrap_or_default();
    let wider = today.version(version).map(|version| &version.schema);
    let lenses = (conversions, Direction::Back(bundle));
    prepared(Form::new((before, version), wider, lenses, drops, minor(cluster)), name)
}

/// The CRD at the end of a migration.
struct Goal<'g> {
    crd: &'g CustomResourceDefinition,
    spec: Value,
    labels: BTreeMap<String, String>,
    annotations: Annotations<'g>,
}

impl<'g> Goal<'g> {
    /// The CRD of the target as it was published.
    fn of(crd: &'g CustomResourceDefinition) -> Self {
        let text = |(key, value): (&Text, &Text)| (key.to_string(), value.to_string());
        let mut goal = Self::restored(crd, crd.to_value().get("spec").cloned().unwrap_or_default());
        goal.labels = crd.labels.iter().map(text).collect();
        goal.annotations.extend(crd.annotations.iter().map(|(key, value)| (&**key, Some(value.to_string()))));
        goal
    }

    /// A CRD as it was, with this `spec`. Labels and annotations stay, except for the marks of the migration.
    fn restored(crd: &'g CustomResourceDefinition, spec: Value) -> Self {
        let annotations = Annotations::from([(ANNOTATION, None), (shards::ANNOTATION, None)]);
        Self { crd, spec, labels: BTreeMap::new(), annotations }
    }

    async fn install(
        &self,
        cluster: &Cluster,
        current: &(InstalledCrd, Value),
        is_dry_run: bool,
    ) -> Result<(), Diagnostic> {
        replace(cluster, current, &self.spec, &self.labels, &self.annotations, is_dry_run).await
    }
}

/// A stage with its CRD.
struct At<'a> {
    cluster: &'a Cluster,
    installed: &'a InstalledCrd,
    crd: &'a CustomResourceDefinition,
    stage: Stage,
    settings: &'a Settings,
    journal: Journal<'a>,
}

impl At<'_> {
    /// Looks at all objects until each of them has the form of the target.
    async fn convert(
        &self,
        target: &CustomResourceDefinition,
        form: &Form<'_>,
        on_progress: OnProgress<'_>,
    ) -> Result<Migrated, Diagnostic> {
        let Some(version) = through(target) else { return Err(changed(&target.name)) };
        until_used(self.cluster, self.crd, version, self.stage).await?;
        let forms = RefCell::default();
        let resource = Resource::of(self.crd, version);
        let work = async |entry: Object| match look(target, &entry, form, &forms) {
            Ok(object) => self.write(&resource, entry, object).await,
            Err(diagnostic) => Ok(Outcome::Refused(diagnostic)),
        };
        // Parts are of the open stage: the look at all objects under the gate is one.
        let settings = Settings { shard: self.settings.shard.filter(|_| self.stage.is_open()), ..*self.settings };
        let step = if self.stage.is_open() { "converting" } else { "verifying" };
        let (content, expected) = (Content::Whole, Some(&self.installed.metadata));
        let objects = Work { crd: self.crd, version, content, step, expected };
        let mut migrated = Migrated::default();
        for _ in 0..MOST_PASSES {
            let counts = pass(self.cluster, &objects, &settings, &work, on_progress).await?;
            let is_final = self.stage.is_open() || counts.overtaken == 0;
            migrated.counts = migrated.counts.and(counts);
            if !migrated.counts.is_complete() || is_final {
                break;
            }
        }
        migrated.forms = forms.into_inner();
        if migrated.counts.is_complete()
            && let Some(shard) = settings.shard
        {
            migrated.waits_for_shards = !shards::complete(self.cluster, &self.installed.metadata, None, shard).await?;
        }
        Ok(migrated)
    }

    /// Leaves a stage in which all objects have their form, for the gate or for the goal. Whether that is the end. `gate` gets the stored versions.
    async fn leave(
        &self,
        state: State,
        goal: &Goal<'_>,
        gate: impl FnOnce(&[String]) -> CustomResourceDefinition,
    ) -> Result<bool, Diagnostic> {
        let read = &self.installed.metadata;
        if let Some(stage) = self.stage.gate() {
            let current = unchanged(self.cluster, read).await?;
            let next = gate(&current.0.stored_versions);
            enter(self.cluster, &current, next, State { stage, ..state }, false).await?;
            return Ok(false);
        }
        let Some(storage) = storage(goal.crd) else { return Err(changed(&read.name)) };
        let stored = &self.installed.stored_versions;
        if *stored != [storage] {
            let written = set_stored_versions(&self.cluster.writer(false), read, stored, &[storage]).await?;
            written.accepted()?.ok_or_else(|| changed(&read.name))?;
        }
        goal.install(self.cluster, &unchanged(self.cluster, read).await?, false).await?;
        Ok(true)
    }

    /// Writes an object in its new form.
    async fn write(&self, resource: &Resource, entry: Object, object: Value) -> Result<Outcome, Diagnostic> {
        let is_changed = object != entry.value;
        if !is_changed && !self.stage.is_open() {
            return Ok(Outcome::Unchanged);
        }
        if is_changed {
            (self.journal)(&entry.value)?;
        }
        let writer = self.cluster.writer(false);
        let written = writer.replace(resource, &object, Part::Object).await?;
        let Written::Done(answer) = written else { return Ok(Outcome::of(written, &entry.metadata.resource_version)) };
        let (mut outcome, mut answer) =
            (Outcome::of(Written::Done(answer.clone()), &entry.metadata.resource_version), answer);
        let status = object.get("status");
        if status != answer.get("status") && entry.value.get("status") != status {
            if let Some(members) = answer.as_object_mut() {
                match status {
                    Some(status) => members.insert("status".to_owned(), status.clone()),
                    None => members.remove("status"),
                };
            }
            match writer.replace(resource, &answer, Part::Status).await? {
                Written::Done(object) => (outcome, answer) = (Outcome::Written, object),
                written => return Ok(Outcome::of(written, "")),
            }
        }
        Ok(match first_difference(&object, &answer) {
            Some(path) => {
                let message = format!("the server changed `{path}` when it was written");
                Outcome::Refused(no_form(self.crd, &entry, &message))
            }
            None => outcome,
        })
    }
}

fn look(
    crd: &CustomResourceDefinition,
    entry: &Object,
    form: &Form<'_>,
    forms: &RefCell<Forms>,
) -> Result<Value, Diagnostic> {
    match form.of(&entry.value) {
        Ok(reformed) => {
            if reformed.object != entry.value {
                forms.borrow_mut().add(&reformed);
            }
            Ok(reformed.object)
        }
        Err(reasons) => Err(no_form(crd, entry, &reasons.join("; "))),
    }
}

/// An object that does not get its new form.
pub(crate) fn no_form(crd: &CustomResourceDefinition, entry: &Object, message: &str) -> Diagnostic {
    let help = "change the object, or permit a loss with `--drop PATH`";
    about(&codes::BLOCKED, &crd.name, message).of_object(entry.metadata.object(&crd.names.kind)).help(help)
}

/// The first value that was sent and is missing or different in the answer. What the server adds does not count.
fn first_difference(sent: &Value, answer: &Value) -> Option<String> {
    fn below(sent: &Value, answer: &Value, path: &mut String) -> bool {
        let mut step = |name: &str, sent: &Value, answer: Option<&Value>| {
            let length = path.len();
            path.push_str(name);
            let differs = answer.is_none_or(|answer| below(sent, answer, path));
            if !differs {
                path.truncate(length);
            }
            differs
        };
        match (sent, answer) {
            (Value::Object(sent), Value::Object(answer)) => {
                sent.iter().any(|(name, value)| !value.is_null() && step(&format!(".{name}"), value, answer.get(name)))
            }
            (Value::Array(sent), Value::Array(answer)) if sent.len() == answer.len() => {
                sent.iter().enumerate().any(|(index, value)| step(&format!("[{index}]"), value, answer.get(index)))
            }
            _ => sent != answer,
        }
    }
    ["spec", "status"].into_iter().find_map(|part| {
        let mut path = part.to_owned();
        let sent = sent.get(part)?;
        answer.get(part).is_none_or(|answer| below(sent, answer, &mut path)).then_some(path)
    })
}

/// Installs the transitional CRD of a stage, together with its state, and waits for nothing.
async fn enter(
    cluster: &Cluster,
    current: &(InstalledCrd, Value),
    mut crd: CustomResourceDefinition,
    state: State,
    is_dry_run: bool,
) -> Result<(), Diagnostic> {
    mark(&mut crd, state.stage);
    let state = State { digest: digest(&crd), ..state };
    let spec = crd.to_value().get("spec").cloned().unwrap_or_default();
    let annotations = Annotations::from([(ANNOTATION, Some(state.text()))]);
    replace(cluster, current, &spec, &BTreeMap::new(), &annotations, is_dry_run).await
}

/// The CRD of this name, which the migration has read before.
async fn read(cluster: &Cluster, name: &str) -> Result<(InstalledCrd, Value), Diagnostic> {
    cluster.crd(name).await?.ok_or_else(|| changed(name))
}

/// The minor that rules are evaluated for.
fn minor(cluster: &Cluster) -> u32 {
    cluster.server().minor.unwrap_or(NEWEST_MINOR)
}

/// The state of a migration that has begun.
fn state(installed: &InstalledCrd) -> Result<Option<State>, Diagnostic> {
    let Some(text) = installed.metadata.annotations.get(ANNOTATION) else { return Ok(None) };
    match State::read(text) {
        Some(state) => Ok(Some(state)),
        None => {
            let message = format!("its annotation {ANNOTATION} cannot be read");
            let help = "restore it from a backup of the CRD";
            Err(about(&codes::OTHER_MIGRATION, &installed.metadata.name, message).help(help))
        }
    }
}

fn other_migration(name: &str, state: Option<&State>, to: &str) -> Option<Diagnostic> {
    let state = state?;
    let (message, help) = match state.stage {
        Stage::Back | Stage::BackGate => {
            ("its migration is being taken back".to_owned(), "complete that: `--rollback`")
        }
        _ if state.to != to => {
            (format!("it is on the way to {}", state.to), "complete that, or take it back: `--rollback`")
        }
        _ => return None,
    };
    Some(about(&codes::OTHER_MIGRATION, name, message).help(help))
}

/// Only the migration may change the CRD on the way.
fn check_digest(installed: &InstalledCrd, today: &CustomResourceDefinition, state: &State) -> Result<(), Diagnostic> {
    if digest(today) == state.digest { Ok(()) } else { Err(changed(&installed.metadata.name)) }
}

/// The CRD before the migration.
fn read_spec(installed: &InstalledCrd, state: &State) -> CustomResourceDefinition {
    let metadata = json!({"name": installed.metadata.name});
    let document = json!({"metadata": metadata, "spec": state.spec});
    let (crd, _) = CustomResourceDefinition::from_published(&document);
    match &installed.crd {
        Ok(today) => {
            CustomResourceDefinition { annotations: today.annotations.clone(), labels: today.labels.clone(), ..crd }
        }
        Err(_) => crd,
    }
}

/// The bundle in the stamps of a CRD.
fn bundle(installed: &InstalledCrd) -> Option<BundleVersion> {
    let annotations = &installed.metadata.annotations;
    BundleVersion::parse_release(annotations.iter().find(|(key, _)| key.ends_with(BUNDLE_VERSION))?.1).ok()
}

/// The form of a CRD of a target.
pub(crate) fn form_of<'t>(
    crd: &'t CustomResourceDefinition,
    target: &'t Target,
    cluster: &Cluster,
) -> Result<Form<'t>, Diagnostic> {
    let version = through(crd).unwrap_or_default();
    let wider = target
        .experimental
        .iter()
        .find(|wider| wider.name == crd.name)
        .and_then(|wider| wider.version(version).or_else(|| wider.storage()));
    let lenses = (&target.conversions, Direction::Forward);
    let wider = wider.map(|version| &version.schema);
    prepared(Form::new((crd, version), wider, lenses, &target.drops, minor(cluster)), &crd.name)
}

fn prepared<'f>(form: Result<Option<Form<'f>>, Vec<RuleProblem>>, name: &str) -> Result<Form<'f>, Diagnostic> {
    let refused = |message: String| about(&codes::TARGET_REFUSED, name, message).help("choose another target");
    match form {
        Ok(Some(form)) => Ok(form),
        Ok(None) => Err(refused("its storage version is missing".to_owned())),
        Err(problems) => {
            let problems = problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            Err(refused(format!("its rules do not compile: {problems}")))
        }
    }
}

/// Why no server accepts the target as a change of the CRD, or no migration can foresee it.
fn refusals(today: &CustomResourceDefinition, target: &CustomResourceDefinition) -> Vec<Diagnostic> {
    let mut refusals = Vec::new();
    let fixed =
        [("scope", today.scope.as_str(), target.scope.as_str()), ("kind", &today.names.kind, &target.names.kind)];
    for (field, installed, wanted) in fixed.into_iter().filter(|(_, installed, wanted)| installed != wanted) {
        let message = format!("its {field} is {installed}, and that of the target is {wanted}");
        let help = "keep a copy of the objects, and delete the CRD first";
        refusals.push(about(&codes::TARGET_REFUSED, &target.name, message).help(help));
    }
    if today.has_conversion_webhook() || target.has_conversion_webhook() {
        refusals.push(converted_by_webhook(&target.name));
    }
    if through(target).is_none() || storage(target).is_none() {
        let message = "the CRD of the target does not serve a version";
        refusals.push(about(&codes::TARGET_REFUSED, &target.name, message).help("choose another target"));
    }
    refusals
}

fn way(
    installed: &InstalledCrd,
    today: &CustomResourceDefinition,
    crd: &CustomResourceDefinition,
    target: &Target,
) -> Way {
    let is_stored = storage(crd).is_some_and(|storage| installed.stored_versions == [storage]);
    let is_there = is_at(installed, today, crd);
    if is_there && is_stored && !target.looks_for_removed_fields {
        return Way::Nothing;
    }
    // While the storage version changes, the wait for the server needs a transitional CRD.
    match may_have_old_forms(today, &target.known(&crd.name), crd) || storage(today) != storage(crd) {
        true => Way::Forms,
        false if is_there && is_stored => Way::Nothing,
        false => Way::Storage,
    }
}

/// Whether an object has values in its annotation that may return.
async fn has_kept_values(
    cluster: &Cluster,
    today: &CustomResourceDefinition,
    target: &Target,
) -> Result<bool, Diagnostic> {
    // Standard removed them.
    let Some(version) = through(today).filter(|_| target.experimental.is_empty()) else { return Ok(false) };
    let mut pages = cluster.pages(today, version, Content::Metadata);
    while let Some(page) = pages.next().await? {
        let mut data =
            page.objects.iter().filter_map(|entry| entry.metadata.annotations.get(target.conversions.annotation()));
        if data.any(|text| text.contains("\"dropped\"")) {
            return Ok(true);
        }
    }
    Ok(false)
}

async fn has_no_objects(cluster: &Cluster, today: &CustomResourceDefinition) -> Result<bool, Diagnostic> {
    match through(today) {
        Some(version) => Ok(cluster.count(today, version).await? == Some(0)),
        None => Ok(false),
    }
}

/// Whether the CRD of the target is installed.
fn is_at(installed: &InstalledCrd, today: &CustomResourceDefinition, target: &CustomResourceDefinition) -> bool {
    let has = |of: &BTreeMap<String, String>, key: &str, value: &str| of.get(key).is_some_and(|known| known == value);
    let metadata = &installed.metadata;
    digest(today) == digest(target)
        && today.names.short_names == target.names.short_names
        && today.names.categories == target.names.categories
        && target.annotations.iter().all(|(key, value)| has(&metadata.annotations, key, value))
        && target.labels.iter().all(|(key, value)| has(&metadata.labels, key, value))
}

fn storage(crd: &CustomResourceDefinition) -> Option<&str> {
    crd.storage().map(|version| &*version.name)
}
