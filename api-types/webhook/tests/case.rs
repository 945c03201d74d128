//! Cases: a request, the objects of the cluster, and what a rule reports.
//!
//! The files below `tests/cases` contain them, one for each rule. A file has two lists, `fires` and `silent`. A case has
//!
//! * `case`: what it is about;
//! * `object`: the object as it will be stored, with its `kind`; `old`: as it is stored, for an update;
//! * `objects`: the objects that the cache has; `unknown`: the kinds that were not read. All other kinds were read to their end;
//! * `refusals` and `warnings`: all reports, each as `FIELD: MESSAGE`. A silent case has none.
//!
//! Invariants: an unknown key is a mistake of the case and fails. The CRDs of the experimental channel accept all objects of a case: a rule
//! for what they refuse has no use.

use std::fs;
use std::path::PathBuf;

use crd_channels::Channel;
use crd_channels::Resource;
use crd_channels::validation::Validate;
use crd_model::yaml;
use crd_webhook::{Change, Objects, Remark, Report, Rule, Watched};
use gateway_api_types::v1::{GRPCRoute, Gateway, HTTPRoute, ListenerSet, ReferenceGrant, TCPRoute, TLSRoute, UDPRoute};
use gateway_api_types::v1alpha1::{XBackend, XTelemetryPolicy};
use gateway_api_webhook::{Namespace, Service, rule};
use serde_json::{Map, Value};

/// A case of a file.
pub(crate) struct Case {
    /// The rule.
    pub(crate) rule: String,
    /// What it is about.
    pub(crate) name: String,
    /// Whether the rule must report something.
    pub(crate) fires: bool,
    data: Map<String, Value>,
}

const KEYS: &[&str] = &["case", "object", "old", "objects", "unknown", "refusals", "warnings"];

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/cases")
}

/// The names of the files.
pub(crate) fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("there are cases");
    let name = |entry: std::io::Result<fs::DirEntry>| {
        let name = entry.expect("a folder can be read").file_name().into_string().expect("names are plain");
        name.strip_suffix(".yaml").expect("cases are YAML").to_owned()
    };
    entries.map(name).collect()
}

/// The cases of a rule.
pub(crate) fn cases(rule: &str) -> Vec<Case> {
    let path = folder().join(format!("{rule}.yaml"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let document = yaml::read(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display())).remove(0);
    let mut cases = Vec::new();
    for (list, entries) in document.as_object().expect("a file of cases is a map") {
        assert!(["fires", "silent"].contains(&&**list), "{rule}: `{list}` is neither `fires` nor `silent`");
        for entry in entries.as_array().expect("a list of cases") {
            let data = entry.as_object().expect("a case is a map").clone();
            let name = data["case"].as_str().expect("a case has a name").to_owned();
            let unknown = data.keys().find(|key| !KEYS.contains(&&***key));
            assert!(unknown.is_none(), "{rule}, {name}: the key {unknown:?} is unknown");
            cases.push(Case { rule: rule.to_owned(), name, fires: list == "fires", data });
        }
    }
    cases
}

fn kind(object: &Value) -> &str {
    object["kind"].as_str().expect("an object has a kind")
}

macro_rules! kinds {
    ($($type:ty: $rules:expr;)*) => {
        /// The kinds with rules, and the rules.
        pub(crate) fn table() -> Vec<(&'static str, &'static str)> {
            let mut table = Vec::new();
            $(table.extend($rules.iter().map(|rule| (<$type as Resource>::KIND, rule.name)));)*
            table
        }

        /// What a rule reports about the object of a case.
        fn report(case: &Case, objects: &Objects) -> Report {
            match kind(&case.data["object"]) {
                $(<$type as Resource>::KIND => apply::<$type>(&$rules, case, objects),)*
                other => panic!("{other} has no rules"),
            }
        }
    };
}

kinds! {
    Gateway: rule::GATEWAY;
    GRPCRoute: rule::GRPC_ROUTE;
    HTTPRoute: rule::HTTP_ROUTE;
    ListenerSet: rule::LISTENER_SET;
    TCPRoute: rule::TCP_ROUTE;
    TLSRoute: rule::TLS_ROUTE;
    UDPRoute: rule::UDP_ROUTE;
    XBackend: rule::X_BACKEND;
    XTelemetryPolicy: rule::X_TELEMETRY_POLICY;
}

/// An object that the CRD accepts.
fn valid<T: Watched + Validate>(object: &Value) -> T {
    let read = T::read(object.clone()).unwrap_or_else(|error| panic!("{error}: {object}"));
    read.validate(Channel::Experimental).unwrap_or_else(|error| panic!("{error}: {object}"));
    read
}

fn apply<T: Watched + Validate + Clone>(rules: &[Rule<T>], case: &Case, objects: &Objects) -> Report {
    let rule = rules.iter().find(|rule| rule.name == case.rule).expect("the kind has the rule");
    let object = &case.data["object"];
    let namespace = object["metadata"]["namespace"].as_str().map(str::to_owned);
    let change = Change { object: valid(object), old: case.data.get("old").map(valid), namespace, is_dry_run: false };
    rule.apply(&change, objects).expect("the rule applies to creations and updates")
}

impl Case {
    /// The kind of the object.
    pub(crate) fn kind(&self) -> &str {
        kind(&self.data["object"])
    }

    /// What the rule reports: refusals and warnings.
    pub(crate) fn reported(&self) -> [Vec<String>; 2] {
        let report = report(self, &self.objects());
        let text = |remark: &Remark| format!("{}: {}", remark.field, remark.message);
        [&report.refusals, &report.warnings].map(|remarks| remarks.iter().map(text).collect())
    }

    /// What the rule must report.
    pub(crate) fn expected(&self) -> [Vec<String>; 2] {
        ["refusals", "warnings"].map(|key| self.texts(key))
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let texts = self.data.get(key).map(|texts| texts.as_array().expect("a list")).into_iter().flatten();
        texts.map(|text| text.as_str().expect("a text").to_owned()).collect()
    }

    fn objects(&self) -> Objects {
        let objects = self.data.get("objects").map(|objects| objects.as_array().expect("a list"));
        let objects = objects.into_iter().flatten().collect::<Vec<_>>();
        let unknown = self.texts("unknown");
        let mut read = Objects::default();
        let mut placed = 0;
        macro_rules! add {
            ($kind:ty, $check:expr) => {
                let resource = <$kind as Watched>::resource();
                let of_kind = objects.iter().filter(|object| kind(object) == resource.kind);
                let of_kind = of_kind.map(|object| (*object).clone()).inspect($check).collect::<Vec<_>>();
                placed += of_kind.len();
                if !unknown.contains(&resource.kind) {
                    read = read.with::<$kind>(of_kind);
                }
            };
        }
        add!(Gateway, |object| drop(valid::<Gateway>(object)));
        add!(ListenerSet, |object| drop(valid::<ListenerSet>(object)));
        add!(Namespace, |_| {});
        add!(ReferenceGrant, |object| drop(valid::<ReferenceGrant>(object)));
        add!(Service, |_| {});
        add!(XBackend, |object| drop(valid::<XBackend>(object)));
        assert_eq!(placed, objects.len(), "{}, {}: an object has a kind that no rule reads", self.rule, self.name);
        read
    }
}
