//! Enums with data on the API server's own libraries: the CRD is valid, and the server accepts exactly the objects that are one variant. What it
//! accepts reads strictly.

use crd_channels::{Channel, ObjectMeta, api, strict};
use crd_generate::settings::Settings;
use crd_generate::{Catalogue, generate};
use crd_testbed::{DEFAULT_MINOR, Minor};
use serde_json::{Value, json};

use crate::oracle::Oracle;

#[api(group = "example.com", version = "v1", kind = "Job")]
struct Job {
    metadata: ObjectMeta,
    spec: JobSpec,
}

#[api]
struct JobSpec {
    source: Option<Source>,
    rollout: Option<Rollout>,
}

#[api]
enum Source {
    Git {
        url: String,
    },
    /// +experimental
    Import(Vec<String>),
    Nothing {},
}

#[api]
#[serde(tag = "type")]
enum Rollout {
    Recreate,
    RollingUpdate {
        /// +kubebuilder:validation:Minimum=1
        max_surge: i32,
        namespace: Option<String>,
    },
    /// +experimental
    BlueGreen(BlueGreen),
}

/// +kubebuilder:validation:XValidation:rule="self.namespace != self.other",message="both differ"
#[api]
struct BlueGreen {
    namespace: String,
    other: String,
}

/// Specs, and whether standard and experimental accept them.
fn specs() -> Vec<(Value, bool, bool)> {
    let source = |source: Value| json!({"source": source});
    let rollout = |rollout: Value| json!({"rollout": rollout});
    vec![
        (json!({}), true, true),
        (source(json!({"git": {"url": "a"}})), true, true),
        (source(json!({"nothing": {}})), true, true),
        (source(json!({})), false, false),
        (source(json!({"git": {}})), false, false),
        (source(json!({"git": {"url": "a"}, "nothing": {}})), false, false),
        (source(json!({"import": ["a"]})), false, true),
        (source(json!({"import": ["a"], "nothing": {}})), true, false),
        (rollout(json!({"type": "Recreate"})), true, true),
        (rollout(json!({})), false, false),
        (rollout(json!({"type": "Other"})), false, false),
        (rollout(json!({"type": "RollingUpdate"})), false, false),
        (rollout(json!({"type": "RollingUpdate", "maxSurge": 0})), false, false),
        (rollout(json!({"type": "RollingUpdate", "maxSurge": 1})), true, true),
        (rollout(json!({"type": "RollingUpdate", "maxSurge": 1, "namespace": "a"})), true, true),
        (rollout(json!({"type": "Recreate", "maxSurge": 1})), false, false),
        (rollout(json!({"type": "Recreate", "namespace": "a"})), false, false),
        (rollout(json!({"type": "BlueGreen", "namespace": "a", "other": "b"})), false, true),
        (rollout(json!({"type": "BlueGreen", "namespace": "a", "other": "a"})), false, false),
        (rollout(json!({"type": "BlueGreen", "namespace": "a"})), false, false),
        (rollout(json!({"type": "BlueGreen", "namespace": "a", "other": "b", "maxSurge": 1})), false, false),
    ]
}

#[test]
fn exactly_the_variants_of_an_enum_are_valid() {
    let minor = Minor::named(DEFAULT_MINOR).expect("the testbed has its default minor");
    match crd_testbed::oracle(minor) {
        Err(failure) if failure.is_missing_go() && !crd_testbed::is_required() => {
            println!("skipped: {failure}");
            return;
        }
        _ => {}
    }
    let mut oracle = Oracle::start(minor);
    let catalogue =
        Catalogue::new(Settings::new("example.com", "v1.0.0".parse().expect("a version"))).resource::<Job>();
    for channel in Channel::ALL {
        let crds = generate(&catalogue, channel).expect("the types have CRDs");
        let answer = oracle.ask(&json!({"define": channel.name(), "crd": crds[0].to_value()}));
        assert!(answer.get("errors").is_none() && answer.get("refused").is_none(), "{answer}");
        for (spec, standard, experimental) in specs() {
            let new = json!({"apiVersion": "example.com/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "b"}, "spec": spec});
            let answer = oracle.ask(&json!({"crd": channel.name(), "version": "v1", "new": new}));
            let accepted = answer.get("errors").is_none() && answer.get("refused").is_none();
            let expected = if channel == Channel::Standard { standard } else { experimental };
            assert_eq!(accepted, expected, "{channel}: {spec}: {answer}");
            if accepted {
                strict::read::<Job>(&answer["stored"]).expect("what the server accepts reads strictly");
            }
        }
    }
}
