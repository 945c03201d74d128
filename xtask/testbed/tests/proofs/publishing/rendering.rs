//! Charts without a server: Helm's checks and rendered objects.

use std::collections::BTreeMap;

use crd_channels::Channel;
use crd_model::yaml;
use serde_json::{Value, json};

use super::helm::Helm;
use super::release::{BRACES, CHANGED, NEW_FIELD, Published, kind_and_name};

/// An object with the chart's annotation that keeps it.
fn kept(mut object: Value) -> Value {
    object["metadata"]["annotations"]["helm.sh/resource-policy"] = json!("keep");
    object
}

/// The rendered objects of the chart, by kind and name.
fn rendered(helm: &Helm, published: &Published, channel: Channel, options: &[&str]) -> BTreeMap<String, Value> {
    let chart = published.chart(channel).display().to_string();
    let printed = helm.alone(&[&["template", "gw", &chart], options].concat());
    assert_eq!(printed.stderr, "", "{channel}");
    let documents = yaml::read(&printed.expect("it renders")).expect("YAML");
    let count = documents.len();
    let found: BTreeMap<String, Value> = documents.into_iter().map(|object| (kind_and_name(&object), object)).collect();
    assert_eq!(found.len(), count, "{channel}: each once");
    found
}

/// The expected objects of the chart.
fn expected<'a>(
    published: &'a Published,
    channel: Channel,
    policies: impl Iterator<Item = &'a Value>,
) -> BTreeMap<String, Value> {
    let crds = published.files(channel).iter().map(|file| file.crd.to_value());
    crds.chain(policies.cloned()).map(|object| (kind_and_name(&object), kept(object))).collect()
}

fn assert_equal(found: &BTreeMap<String, Value>, expected: &BTreeMap<String, Value>) {
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, object) in expected {
        assert!(found[name] == *object, "{name} differs");
    }
}

#[test]
fn helm_has_nothing_to_say_of_our_charts() {
    let Some(helm) = Helm::find() else { return };
    let published = Published::of("v1.7.0");
    for channel in Channel::ALL {
        let chart = published.chart(channel).display().to_string();
        let printed = helm.alone(&["lint", "--strict", &chart]);
        assert!(printed.success, "{}{}", printed.stdout, printed.stderr);
        assert!(printed.stdout.contains("1 chart(s) linted, 0 chart(s) failed"), "{}", printed.stdout);
        assert!(!printed.stdout.contains("[WARNING]") && !printed.stdout.contains("[ERROR]"), "{}", printed.stdout);
        assert_eq!(printed.stderr, "");
    }
}

#[test]
fn helm_renders_what_the_release_holds_and_no_brace_is_lost() {
    let Some(helm) = Helm::find() else { return };
    let published = Published::of("v1.7.0");
    for channel in Channel::ALL {
        let found = rendered(&helm, &published, channel, &[]);
        assert_equal(&found, &expected(&published, channel, published.safe_upgrades.iter()));
        // The comparison above includes this, if the release is complete.
        let route = &found[&format!("CustomResourceDefinition {CHANGED}")];
        let spec = &route["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        assert_eq!(spec["properties"][NEW_FIELD]["description"], BRACES, "{channel}");
    }
}

#[test]
fn values_choose_the_policies_and_other_values_are_refused() {
    let Some(helm) = Helm::find() else { return };
    let published = Published::of_few("v1.6.1");
    assert!(!published.safe_upgrades.is_empty() && !published.guardrails.is_empty());
    for channel in Channel::ALL {
        let none = rendered(&helm, &published, channel, &["--set", "safeUpgrades.enabled=false"]);
        assert_equal(&none, &expected(&published, channel, [].iter()));
        let both = rendered(&helm, &published, channel, &["--set", "guardrails.enabled=true"]);
        let policies = published.safe_upgrades.iter().chain(&published.guardrails);
        assert_equal(&both, &expected(&published, channel, policies));
        let chart = published.chart(channel).display().to_string();
        for value in ["guardrails.enabeld=true", "safeUpgrades.enabled=yes"] {
            let printed = helm.alone(&["template", "gw", &chart, "--set", value]);
            assert!(!printed.success, "{value}");
            assert!(printed.stderr.contains(value.split('.').next().expect("a key")), "{}", printed.stderr);
        }
    }
}
