//! The manifest of an Indexed Job of Kubernetes that carries out a plan: one pod for each part of the objects.
//!
//! Invariants: the account of the pods may do what the plan needs, and a right that Kubernetes can limit to an object by its name is limited. The name
//! of the Job depends on everything that the pods do, because a server refuses to change the pods of a Job.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use crd_model::crd::Scope;
use crd_model::yaml;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::migrate::conversion::Way;
use crate::migrate::lease::lease_of;
use crate::migrate::plan::{Migration, Plan, Row};
use crate::migrate::settings::{Settings, Shard};

/// The folder in which the pods have the files.
pub const FOLDER: &str = "/migration";

/// The objects, in the order of [`Job::manifest`].
const MANIFEST: &str = include_str!("job.yaml");

const CRDS: (&str, &str) = ("apiextensions.k8s.io", "customresourcedefinitions");
const LEASES: (&str, &str) = ("coordination.k8s.io", "leases");

#[derive(Clone, Copy, Debug)]
pub struct Job<'j> {
    /// The namespace of the Job, which exists.
    pub namespace: &'j str,
    /// The container image, whose entry point is the program.
    pub image: &'j str,
    /// The number of parts, at most [`Shard::MOST`].
    pub shards: u32,
    /// The arguments of the program.
    pub arguments: &'j [String],
    /// The names and bytes of the files in [`FOLDER`].
    pub files: &'j [(&'static str, Vec<u8>)],
}

impl Job<'_> {
    /// The objects to apply, in their order.
    pub fn manifest(&self, migration: &Migration<'_>) -> Vec<Value> {
        let Self { namespace, image, shards, .. } = *self;
        let rights = Rights::of(migration, shards);
        // Kubernetes replaces `$(NAME)` in arguments.
        let arguments = self.arguments.iter().map(|argument| argument.replace('$', "$$")).collect::<Vec<_>>();
        let files = self.files.iter().map(|(name, bytes)| ((*name).to_owned(), BASE64_STANDARD.encode(bytes).into()));
        let files = files.collect::<Map<_, _>>();
        let plans = migration.rows.iter().flat_map(|row| &row.plan).map(|plan| (plan.storage(), plan.leaving()));
        let plans = plans.collect::<Vec<_>>();
        let all = json!([MANIFEST, image, shards, arguments, files, rights.cluster, rights.probes, plans]).to_string();
        let digest = Sha256::digest(all).iter().take(4).map(|byte| format!("{byte:02x}")).collect::<String>();
        let text = MANIFEST.replace("$NAME", &format!("crd-channels-migrate-{digest}"));
        let text = text.replace("$SPACE", namespace).replace("$SHARDS", &shards.to_string());
        // The tests read it.
        let objects = yaml::read(&text).ok().and_then(|objects| <[Value; 9]>::try_from(objects).ok());
        let [account, mut role, binding, mut leases, of_leases, mut probes, of_probes, mut data, mut job] =
            objects.unwrap_or_default();
        let pod = &mut job["spec"]["template"]["spec"];
        pod["containers"][0]["image"] = image.into();
        pod["containers"][0]["args"] = arguments.into();
        let (has_files, has_probes) = (!files.is_empty(), !rights.probes.is_empty());
        if !has_files {
            pod["volumes"] = json!([]);
            pod["containers"][0]["volumeMounts"] = json!([]);
        }
        data["binaryData"] = files.into();
        role["rules"] = rights.cluster.into();
        leases["rules"] = rights.leases.into();
        probes["rules"] = rights.probes.into();
        let mut objects = vec![account, role, binding, leases, of_leases];
        objects.extend([probes, of_probes].into_iter().filter(|_| has_probes));
        objects.extend(Some(data).filter(|_| has_files));
        objects.push(job);
        objects
    }
}

/// What the pods may do.
#[derive(Default)]
struct Rights {
    /// In the whole cluster.
    cluster: Vec<Value>,
    /// In the namespace of the leases.
    leases: Vec<Value>,
    /// In the namespace `default`, where a server is asked what it would do with an object.
    probes: Vec<Value>,
}

impl Rights {
    fn of(migration: &Migration<'_>, shards: u32) -> Self {
        let mut rights = Self::default();
        let rows = || migration.rows.iter().filter(|row| row.is_pending());
        let crds = rows().map(|row| &*row.name).collect::<Vec<_>>();
        let has_target = rows().any(|row| matches!(row.plan, Some(Plan::Bundle(_))));
        // A request that lists or creates objects has no name that a rule could compare.
        rights.cluster.push(rule(CRDS, &["list"], None));
        let verbs: &[&str] = if has_target { &["get", "patch", "update"] } else { &["get", "patch"] };
        rights.cluster.push(rule(CRDS, verbs, Some(&crds)));
        rights.cluster.push(rule((CRDS.0, &format!("{}/status", CRDS.1)), &["patch"], Some(&crds)));
        let leases = rows().flat_map(|row| {
            let part = |index| Settings { shard: Some(Shard { index, of: shards }), ..migration.settings };
            (1..=shards).map(move |index| lease_of(&row.name, &part(index)))
        });
        rights.leases.push(rule(LEASES, &["create"], None));
        let leases = leases.collect::<Vec<_>>();
        let leases = leases.iter().map(String::as_str).collect::<Vec<_>>();
        rights.leases.push(rule(LEASES, &["get", "update", "delete"], Some(&leases)));
        rows().for_each(|row| rights.add(row, migration.options.deletes));
        rights
    }

    /// Adds what the plan for a CRD needs.
    fn add(&mut self, row: &Row<'_>, deletes: bool) {
        let Some((own, plan)) = resource(&row.name).zip(row.plan.as_ref()) else { return };
        match plan {
            Plan::Bundle(plan) if plan.way() == Way::Create => {
                let create = rule(CRDS, &["create"], None);
                if !self.cluster.contains(&create) {
                    self.cluster.push(create);
                }
            }
            Plan::Bundle(plan) => {
                self.cluster.push(rule(own, &["list", "patch", "update"], None));
                self.cluster.push(rule((own.0, &format!("{}/status", own.1)), &["update"], None));
                let is_namespaced = plan.crd().scope == Scope::Namespaced;
                let probes = if is_namespaced { &mut self.probes } else { &mut self.cluster };
                probes.push(rule(own, &["create"], None));
            }
            Plan::Replacement(plan) => {
                let verbs: &[&str] = if deletes { &["list", "patch", "delete"] } else { &["list", "patch"] };
                self.cluster.push(rule(own, verbs, None));
                let successor = resource(plan.successor());
                self.cluster.extend(successor.map(|successor| rule(successor, &["get", "create"], None)));
            }
            Plan::Storage(_) | Plan::Rollback(_) => self.cluster.push(rule(own, &["list", "patch"], None)),
        }
    }
}

/// The group and plural of the objects of a CRD.
fn resource(crd: &str) -> Option<(&str, &str)> {
    crd.split_once('.').map(|(plural, group)| (group, plural))
}

fn rule((group, plural): (&str, &str), verbs: &[&str], names: Option<&[&str]>) -> Value {
    let mut rule = json!({"apiGroups": [group], "resources": [plural], "verbs": verbs});
    if let Some(names) = names {
        rule["resourceNames"] = json!(names);
    }
    rule
}
