//! An inspection of a scripted cluster: the cluster, the known bundles, and the question.

use std::collections::BTreeMap;
use std::sync::Arc;

use crd_bundle::Release;
use crd_cluster::Limits;
use crd_convert::{Conversions, Document};
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_stamps::features::Features;
use crd_upgrade::inspect::{KnownBundles, ObjectReport, Question, Redaction, Report, Target, inspect};
use serde_json::{Value, json};

use super::cluster::{BUNDLES, CHANNELS, Cluster, PREFIX, published, widget};
use super::script::{Answer, Script};

/// The published CRDs by bundle and channel.
pub(crate) type Releases = BTreeMap<(String, &'static str), Vec<Value>>;

pub(crate) struct Case {
    pub(crate) cluster: Cluster,
    /// The known bundles.
    pub(crate) releases: Releases,
    pub(crate) prefix: Option<String>,
    pub(crate) lenses: Vec<Value>,
    pub(crate) features: Option<Features>,
    /// The CRDs of a target, if it is another bundle.
    pub(crate) target: Option<(String, Vec<Value>)>,
    /// The channel of the target.
    pub(crate) channel: Option<Channel>,
    pub(crate) reads_objects: bool,
}

/// The result.
#[derive(Debug)]
pub(crate) struct Inspected {
    pub(crate) report: Report,
    pub(crate) objects: Vec<ObjectReport>,
}

impl Case {
    /// A healthy cluster with a bundle.
    pub(crate) fn of(bundle: &str, channel: &str) -> Self {
        let mut releases = Releases::new();
        for bundle in BUNDLES {
            for channel in CHANNELS {
                let crds = ["gadgets", "widgets"].map(|plural| published(plural, bundle, channel));
                releases.insert((bundle.to_owned(), channel), crds.into());
            }
        }
        Self {
            cluster: Cluster::new(bundle, channel),
            releases,
            prefix: Some(PREFIX.to_owned()),
            lenses: Vec::new(),
            features: None,
            target: None,
            channel: None,
            reads_objects: true,
        }
    }

    /// A healthy cluster with v1.0.0 experimental.
    pub(crate) fn new() -> Self {
        Self::of("v1.0.0", "experimental")
    }

    /// Changes the CRDs of a plural: the installed one and those of all bundles.
    pub(crate) fn everywhere(&mut self, plural: &str, mut change: impl FnMut(&mut Value)) {
        for crd in self.releases.values_mut().flatten().chain(&mut self.cluster.crds) {
            if crd["spec"]["names"]["plural"] == plural {
                change(crd);
            }
        }
    }

    /// Names v1.1.0 as the target.
    pub(crate) fn upgrade(&mut self) -> &mut Vec<Value> {
        let crds = self.releases[&("v1.1.0".to_owned(), "experimental")].clone();
        &mut self.target.insert(("v1.1.0".to_owned(), crds)).1
    }

    /// A lens that renames a field of widgets.
    pub(crate) fn rename(&mut self, since: &str) {
        self.lenses.push(json!({
            "name": "title-to-text", "resource": "widgets.example.com", "group": PREFIX, "kind": "Widget", "since": since,
            "steps": [{"operation": "rename", "from": "spec.title", "to": "spec.text"}],
        }));
    }

    /// The text of a widget names its class, a gadget, and its items are its parents. `size` needs the feature Size, and `mode` the feature Mode.
    pub(crate) fn with_features(&mut self) {
        let element = |path: &str, feature: &str| json!({"crd": "widgets.example.com", "path": path, "versions": ["v1"], "features": [feature]});
        let reference = |path: &str, to: &str| json!({"from": "widgets.example.com", "path": path, "to": [to]});
        let document = json!({
            "schemaVersion": 1, "generator": "test", "prefix": PREFIX,
            "implementations": {
                "class": "gadgets.example.com", "features": "spec.features[*]", "controller": "spec.controller",
                "references": [reference("spec.text", "gadgets.example.com"), reference("spec.items[*]", "widgets.example.com")],
            },
            "elements": [element("spec.size", "Size"), element("spec.mode", "Mode")],
        });
        self.features = Some(Features::from_json(&document.to_string()).unwrap());
    }

    /// Adds a class with these features.
    pub(crate) fn class(&mut self, name: &str, features: &[&str]) {
        let mut class = widget(name, &json!({"features": features, "controller": "example.com/controller"}));
        class["kind"] = json!("Gadget");
        self.cluster.objects.entry("v1/gadgets".to_owned()).or_default().push(class);
    }

    pub(crate) fn known(&self) -> KnownBundles {
        let mut known = KnownBundles::default();
        for bundle in self.releases.keys().map(|(bundle, _)| bundle) {
            let of_bundle = |channel: &'static str| {
                let crds = self.releases.get(&(bundle.clone(), channel))?;
                Some((Channel::named(channel).unwrap(), crds.iter().map(read).map(Arc::new).collect()))
            };
            let channels = CHANNELS.into_iter().filter_map(of_bundle).collect();
            known.add(&Release::new(&**bundle, bundle.parse().ok(), channels), None);
        }
        known
    }

    pub(crate) fn script(&self) -> Script {
        let answer = |(code, body): (u16, Value)| Answer::Http(code, None, body.to_string().into_bytes());
        let answers = self.cluster.answers().into_iter();
        answers.fold(Script::new(), |script, (path, body)| script.on(&path, [answer(body)]))
    }

    pub(crate) async fn run(&self) -> Result<Inspected, Diagnostic> {
        let cluster = self.script().connect(Limits { retries: 0, ..Limits::default() }).await?;
        let known = self.known();
        let document = json!({"schemaVersion": 1, "generator": "test", "prefix": PREFIX, "lenses": self.lenses});
        let document = Document::from_value(&document).unwrap();
        let conversions = Conversions::new(&document).unwrap();
        let lenses = Some(&conversions).filter(|_| !self.lenses.is_empty());
        let bundle = self.target.as_ref().map(|(name, crds)| {
            let crds = crds.iter().map(|crd| read(crd).into()).collect::<Vec<_>>();
            let channels = [Channel::Standard, Channel::Experimental].map(|channel| (channel, crds.clone()));
            (name.clone(), name.parse().ok(), channels.into())
        });
        let target = (bundle.is_some() || self.channel.is_some()).then_some(Target { bundle, channel: self.channel });
        let prefix = self.prefix.clone();
        let features = self.features.as_ref();
        let question = Question {
            prefix,
            known: &known,
            lenses,
            features,
            target,
            reads_objects: self.reads_objects,
            redaction: Redaction::None,
        };
        let mut objects = Vec::new();
        let report = inspect(&cluster, &question, &mut |object| objects.push(object), &mut |_, _| {}).await?;
        Ok(Inspected { report, objects })
    }

    /// Runs; it must succeed.
    pub(crate) async fn inspected(&self) -> Inspected {
        self.run().await.unwrap()
    }
}

impl Inspected {
    /// The codes of all findings, without `inspect::`, in the order of the report.
    pub(crate) fn codes(&self) -> Vec<&'static str> {
        self.report.findings().map(|finding| finding.code.strip_prefix("inspect::").unwrap()).collect()
    }

    /// The only finding with this code.
    #[track_caller]
    pub(crate) fn finding(&self, code: &str) -> &Diagnostic {
        let of_code = |finding: &&Diagnostic| finding.code.strip_prefix("inspect::") == Some(code);
        let found = self.report.findings().filter(of_code).collect::<Vec<_>>();
        let [finding] = &*found else { panic!("{code}: {found:?} of {:?}", self.codes()) };
        finding
    }

    /// The message of the only finding with this code.
    #[track_caller]
    pub(crate) fn message(&self, code: &str) -> &str {
        &self.finding(code).message
    }

    /// The findings about objects: `NAME CODE PATH DETAIL`.
    pub(crate) fn lines(&self) -> Vec<String> {
        let line = |object: &ObjectReport| {
            let name = object.object.name.clone();
            object
                .findings
                .iter()
                .map(move |finding| {
                    let code = finding.code.strip_prefix("inspect::").unwrap();
                    format!("{name} {code} {} {}", finding.path, finding.detail).trim_end().to_owned()
                })
                .collect::<Vec<_>>()
        };
        self.objects.iter().flat_map(line).collect()
    }
}

fn read(crd: &Value) -> CustomResourceDefinition {
    let (crd, errors) = CustomResourceDefinition::from_published(crd);
    assert!(errors.is_empty(), "{errors:?}");
    crd
}
