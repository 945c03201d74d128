//! The admission policy *safe-upgrades*: no bundle goes over a newer one, and no channel over a more stable one.
//!
//! Invariants: what is installed is what counts, so the policy carries no bundle version, neither in its rules nor as a
//! stamp, and a `helm rollback` that was refused is refused again (by the older policy, which it has put in place). It compiles on Kubernetes 1.32, has no error on any
//! CRD whatever its annotations are, and checks no CRD of another project. Versions and months are ordered as
//! [`crate::BundleStamp`] orders them.
//!
//! `docs/evidence/safe-upgrades.md` explains the decisions behind it.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crd_model::channel::Channel;
use serde_json::{Value, json};

use super::guardrails::text;
use super::{Bundle, match_constraints};
use crate::{BUNDLE_VERSION, CHANNEL};

/// The API group and version of admission policies.
const API_VERSION: &str = "admissionregistration.k8s.io/v1";

/// Three numbers: `v1.6.1`. Matches what [`crd_bundle::BundleVersion`] reads.
const NUMBERS: &str = r"v(0|[1-9][0-9]{0,3})([.](0|[1-9][0-9]{0,3})){2}";

/// What may follow them.
const PRE_RELEASE: &str = r"-(alpha|beta|dev|rc)([.](0|[1-9][0-9]{0,3}))?";

/// A month: `monthly-2026.06`. Matches what [`crd_bundle::Month`] reads.
const MONTH: &str = "monthly-[0-9]{4}[.](0[1-9]|1[0-2])";

/// Longer texts are not versions. This bounds the cost of looking at them: annotations may have 256 KiB.
const LONGEST_VERSION: usize = 64;

/// The versions of the request, of the installed CRD and of the reference.
const VERSIONS: &str = "[variables.version, variables.installedVersion, variables.referenceVersion]";

/// So much of a stamp is repeated in messages.
const LONGEST_SHOWN: usize = 40;

/// The names of the policy and of the binding that compares without a reference.
pub fn name(prefix: &str) -> String {
    format!("safe-upgrades.{prefix}")
}

/// The CRD that shows what is installed where a CRD is new; none if the release has no CRDs.
pub fn reference<'b>(bundle: impl Into<Bundle<'b>>) -> Option<&'b str> {
    let bundle = bundle.into();
    // An API that is all experimental has a standard channel without CRDs.
    let mut channels = bundle.channels.iter().filter(|channel| !channel.files.is_empty());
    let most_stable = channels.next()?;
    let in_all = |name: &str| channels.clone().all(|channel| channel.files.iter().any(|file| file.crd.name == name));
    most_stable
        .files
        .iter()
        .map(|file| {
            let served = file.crd.versions.iter().filter(|version| version.served).count();
            let name: &str = &file.crd.name;
            // The least of these is taken: what is in all channels, then what has the most versions, then the first name.
            ((!in_all(name), Reverse(served), name), name)
        })
        .min()
        .map(|(_, name)| name)
}

/// A command that changes nothing and is refused as soon as the policy acts, if the CRDs are installed; none if the release has no CRDs.
pub fn probe<'b>(bundle: impl Into<Bundle<'b>>) -> Option<String> {
    let bundle = bundle.into();
    let reference = reference(bundle)?;
    Some(format!(
        "kubectl annotate crd {reference} {}/{BUNDLE_VERSION}=none --overwrite --dry-run=server",
        bundle.prefix
    ))
}

/// The policy and its bindings; nothing if the release has no CRDs.
pub fn policies<'b>(bundle: impl Into<Bundle<'b>>) -> Vec<Value> {
    let bundle = bundle.into();
    let Some(reference) = reference(bundle) else { return Vec::new() };
    let name = name(bundle.prefix);
    let binding = |binding: String, reference: Option<&str>| {
        let mut spec = json!({ "policyName": name, "validationActions": ["Deny"] });
        if let Some(reference) = reference {
            spec["paramRef"] = json!({ "name": reference, "parameterNotFoundAction": "Allow" });
        }
        json!({
            "apiVersion": API_VERSION,
            "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": { "name": binding },
            "spec": spec,
        })
    };
    vec![
        policy(bundle, &name),
        binding(name.clone(), None),
        binding(format!("safe-upgrades-by-reference.{}", bundle.prefix), Some(reference)),
    ]
}

fn policy(bundle: Bundle<'_>, name: &str) -> Value {
    let stamps = Stamps::of(bundle.prefix);
    let names: BTreeSet<&str> =
        bundle.channels.iter().flat_map(|channel| &channel.files).map(|file| file.crd.name.as_ref()).collect();
    json!({
        "apiVersion": API_VERSION,
        "kind": "ValidatingAdmissionPolicy",
        "metadata": { "name": name },
        "spec": {
            "failurePolicy": "Fail",
            "paramKind": { "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition" },
            "matchConstraints": match_constraints(vec![json!({
                "apiGroups": ["apiextensions.k8s.io"],
                "apiVersions": ["v1"],
                "operations": ["CREATE", "UPDATE"],
                // Not its status, which is a resource of its own.
                "resources": ["customresourcedefinitions"],
                "scope": "*",
            })]),
            "matchConditions": [
                { "name": "belongs-to-the-bundle", "expression": belongs(&names, &stamps) },
                {
                    "name": "is-not-being-deleted",
                    // Of the object in the cluster: a request cannot forge it.
                    "expression": "oldObject == null || !has(oldObject.metadata.deletionTimestamp)",
                },
                { "name": "changes-the-spec-or-a-stamp", "expression": changes(&stamps) },
            ],
            "variables": variables(&stamps),
            "validations": [{
                // What one binding refuses already, the other lets pass: the server shows one answer, and which one is chance.
                "expression": "params == null ? variables.faults.size() == 0 :\n\
                               variables.faults.size() > 0 || variables.faultsByReference.size() == 0",
                "messageExpression": format!(
                    "(params == null ? variables.faults : variables.faultsByReference).join(' ') + {}",
                    text(&format!(" {}", on_purpose(name)))
                ),
                // Where the expression fails, which it should not.
                "message": format!("this would put an older bundle or a less stable channel over what is installed. {}", on_purpose(name)),
            }],
        },
    })
}

/// How to do what is refused.
fn on_purpose(name: &str) -> String {
    format!(
        "To do it all the same: kubectl delete validatingadmissionpolicy {name}, install, and apply the policy again."
    )
}

/// The names of the stamps.
struct Stamps {
    version: String,
    channel: String,
}

impl Stamps {
    fn of(prefix: &str) -> Self {
        Self { version: format!("{prefix}/{BUNDLE_VERSION}"), channel: format!("{prefix}/{CHANNEL}") }
    }

    fn both(&self) -> [&str; 2] {
        [&self.version, &self.channel]
    }
}

fn annotation(of: &str, name: &str) -> String {
    format!("{of}.metadata.?annotations[?{}]", text(name))
}

fn list<'a>(texts: impl IntoIterator<Item = &'a str>) -> String {
    format!("[{}]", texts.into_iter().map(text).collect::<Vec<_>>().join(", "))
}

/// Whether a CRD is of this API: by its name, or by a stamp that it has or had.
fn belongs(names: &BTreeSet<&str>, stamps: &Stamps) -> String {
    let stamped = |of| stamps.both().map(|stamp| format!("{}.hasValue()", annotation(of, stamp))).join(" || ");
    format!(
        "object.metadata.name in {} ||\n{} ||\n(oldObject != null && ({}))",
        list(names.iter().copied()),
        stamped("object"),
        stamped("oldObject")
    )
}

/// Whether a request installs something.
fn changes(stamps: &Stamps) -> String {
    let stamps =
        stamps.both().map(|stamp| format!("{} != {}", annotation("object", stamp), annotation("oldObject", stamp)));
    format!(
        "oldObject == null || object.metadata.?generation != oldObject.metadata.?generation ||\n{}",
        stamps.join(" ||\n")
    )
}

/// A stamp as messages repeat it: shortened, in quotes, on one line.
fn shown(stamp: &str) -> String {
    format!("strings.quote({stamp}.size() > {LONGEST_SHOWN} ? {stamp}.substring(0, {LONGEST_SHOWN}) + '…' : {stamp})")
}

/// The steps from stamps to faults, each a CEL variable. A variable sees those before it only.
fn variables(stamps: &Stamps) -> Vec<Value> {
    let of_candidate = |stamp| format!("{}.orValue('')", annotation("object", stamp));
    let of_installed = |stamp| format!("oldObject == null ? '' : {}.orValue('')", annotation("oldObject", stamp));
    let of_reference = |stamp| format!("params == null ? '' : {}.orValue('')", annotation("params", stamp));
    let channels = list(Channel::ALL.map(Channel::name));
    let steps = [
        ("version", of_candidate(&stamps.version)),
        ("channel", of_candidate(&stamps.channel)),
        ("installedVersion", of_installed(&stamps.version)),
        ("installedChannel", of_installed(&stamps.channel)),
        ("referenceVersion", of_reference(&stamps.version)),
        ("referenceChannel", of_reference(&stamps.channel)),
        ("isVersion", matches("variables.version", &format!("^{NUMBERS}({PRE_RELEASE})?$"))),
        ("versions", ranks(VERSIONS)),
        ("months", months(VERSIONS)),
        // Unknown ones are -1.
        (
            "channels",
            format!(
                "[variables.channel, variables.installedChannel, variables.referenceChannel].map(channel, {channels}.indexOf(channel))"
            ),
        ),
        ("faults", faults(stamps)),
        ("faultsByReference", faults_by_reference()),
    ];
    steps.into_iter().map(|(name, expression)| json!({ "name": name, "expression": expression })).collect()
}

/// Whether a text matches. Long texts are not checked.
fn matches(value: &str, pattern: &str) -> String {
    format!("{value}.size() <= {LONGEST_VERSION} && {value}.matches({})", text(pattern))
}

/// Versions as numbers in their order: four digits for each of the three, one for the stage and five for its number.
/// One with another end is read up to its numbers; -1 for other texts.
fn ranks(versions: &str) -> String {
    format!(
        "{versions}.map(text, !({}) ? -1 :\n\
         \u{20} [text.matches({}) ? text : text.find({}) + '-']\n\
         \u{20} .map(text, text.substring(1).replace('-', '.').split('.'))\n\
         \u{20} .map(part, ((int(part[0]) * 10000 + int(part[1])) * 10000 + int(part[2])) * 1000000 +\n\
         \u{20}   (part.size() == 3 ? 500000 : ['', 'alpha', 'beta', 'dev', 'rc'].indexOf(part[3]) * 100000) +\n\
         \u{20}   (part.size() == 5 ? int(part[4]) + 1 : 0))[0])",
        matches("text", &format!("^{NUMBERS}([-+].*)?$")),
        text(&format!("^{NUMBERS}({PRE_RELEASE})?$")),
        text(&format!("^{NUMBERS}")),
    )
}

/// Months as numbers in their order; -1 for other texts.
fn months(versions: &str) -> String {
    format!(
        "{versions}.map(text, {} ? int(text.substring(8, 12)) * 100 + int(text.substring(13)) : -1)",
        matches("text", &format!("^{MONTH}$"))
    )
}

/// A CEL list of the texts whose conditions hold.
fn messages(faults: impl IntoIterator<Item = (String, String)>) -> String {
    let faults = faults.into_iter().map(|(condition, text)| format!("  {condition} ?\n    {text} : ''"));
    format!("[\n{}\n].filter(fault, fault != '')", faults.collect::<Vec<_>>().join(",\n"))
}

/// A version over a month is the way back to releases. A month over a version may be older.
fn older(index: usize, owner: &str, version: &str) -> [(String, String); 2] {
    let text = |why, help| {
        format!("'bundle ' + variables.version + ' {why}: ' + {owner} + ' is of ' + {version} + '. {help}'")
    };
    let is_older = format!(
        "(variables.isVersion && variables.versions[0] < variables.versions[{index}] ||\n\
         \u{20}   variables.months[0] >= 0 && variables.months[0] < variables.months[{index}])"
    );
    let has_no_order = format!("variables.months[0] >= 0 && variables.versions[{index}] >= 0");
    [
        (is_older, text("is older than what is installed", "Install that or a newer one.")),
        (
            has_no_order,
            text("is a month, which has no order with what is installed", "Install that or a newer version."),
        ),
    ]
}

fn less_stable(owner: &str, channel: &str) -> String {
    format!(
        "'channel ' + variables.channel + ' is less stable than what is installed: ' + {owner} + ' is of channel ' + {channel} + \
         '. Install that channel.'"
    )
}

/// What is wrong with the CRD, by itself and over what it was.
fn faults(stamps: &Stamps) -> String {
    let malformed = |stamp: &str, variable: &str, meant: &str| {
        format!(
            "({variable} == '' ? {} : {} + {} + {})",
            text(&format!("annotation {stamp} is missing or empty: it has to be a {meant}.")),
            text(&format!("annotation {stamp}: ")),
            shown(variable),
            text(&format!(" is not a {meant}."))
        )
    };
    let version = "bundle version (vMAJOR.MINOR.PATCH such as v1.6.1, or a pre-release such as v1.7.0-rc.1; numbers \
                   without leading zeros, of at most four digits), or a month such as monthly-2026.06";
    let channel = format!("channel ({})", Channel::ALL.map(Channel::name).join(" or "));
    let itself = [
        (
            "!variables.isVersion && variables.months[0] < 0".to_owned(),
            malformed(&stamps.version, "variables.version", version),
        ),
        ("variables.channels[0] < 0".to_owned(), malformed(&stamps.channel, "variables.channel", &channel)),
    ];
    let is_less_stable = "variables.channels[1] >= 0 && variables.channels[0] > variables.channels[1]".to_owned();
    let less_stable = (is_less_stable, less_stable("object.metadata.name", "variables.installedChannel"));
    let older = older(1, "object.metadata.name", "variables.installedVersion");
    messages(itself.into_iter().chain(older).chain([less_stable]))
}

/// What is wrong compared with the reference, for stamps that the CRD itself does not decide.
fn faults_by_reference() -> String {
    let undecided =
        |(condition, text)| (format!("variables.versions[1] < 0 && variables.months[1] < 0 && {condition}"), text);
    let older = older(2, "params.metadata.name", "variables.referenceVersion").map(undecided);
    let is_less_stable =
        "variables.channels[1] < 0 && variables.channels[2] >= 0 && variables.channels[0] > variables.channels[2]";
    let less_stable = less_stable("params.metadata.name", "variables.referenceChannel");
    messages(older.into_iter().chain([(is_less_stable.to_owned(), less_stable)]))
}

#[cfg(test)]
mod tests {
    use crd_model::CustomResourceDefinition;

    use super::super::ReleasedChannel;
    use super::*;
    use crate::{BundleVersion, files};

    /// A CRD with the given number of served versions, and one version that is not served.
    fn crd(plural: &str, served: usize) -> CustomResourceDefinition {
        let versions = (0..=served).map(|number| {
            json!({
                "name": format!("v{}", number + 1), "served": number < served, "storage": number == 0,
                "schema": { "openAPIV3Schema": { "type": "object" } },
            })
        });
        let crd = json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": { "name": format!("{plural}.example.com") },
            "spec": {
                "group": "example.com",
                "names": { "plural": plural, "kind": "Thing" },
                "scope": "Namespaced",
                "versions": versions.collect::<Vec<Value>>(),
            },
        });
        CustomResourceDefinition::from_value(&crd).unwrap()
    }

    fn channels(channels: &[(Channel, &[(&str, usize)])]) -> Vec<ReleasedChannel> {
        let channels = channels.iter().map(|(channel, crds)| ReleasedChannel {
            channel: *channel,
            files: files(crds.iter().map(|(plural, served)| crd(plural, *served))),
        });
        channels.collect()
    }

    fn bundle<'b>(version: &'b BundleVersion, channels: &'b [ReleasedChannel]) -> Bundle<'b> {
        Bundle { name: "example", prefix: "example.com", version, channels, policies: &[] }
    }

    const STANDARD: Channel = Channel::Standard;
    const EXPERIMENTAL: Channel = Channel::Experimental;

    #[test]
    fn the_reference_is_old_and_in_every_channel() {
        let two = |standard, experimental| channels(&[(STANDARD, standard), (EXPERIMENTAL, experimental)]);
        let version = "v1.0.0".parse().unwrap();
        for (channels, expected) in [
            (two(&[("b", 1), ("a", 1)], &[("a", 1), ("b", 1)]), Some("a.example.com")),
            // More versions are served.
            (two(&[("a", 1), ("b", 2), ("c", 2)], &[("a", 3), ("b", 2), ("c", 2)]), Some("b.example.com")),
            // It is in one channel only.
            (two(&[("a", 9), ("b", 1)], &[("b", 1), ("c", 1)]), Some("b.example.com")),
            // No other is in both.
            (two(&[("a", 1)], &[("b", 1)]), Some("a.example.com")),
            (channels(&[(EXPERIMENTAL, &[("x", 1)])]), Some("x.example.com")),
            (two(&[], &[("b", 1)]), Some("b.example.com")),
            (two(&[], &[]), None),
            (channels(&[]), None),
        ] {
            let bundle = bundle(&version, &channels);
            assert_eq!(reference(bundle), expected);
            assert_eq!(policies(bundle).len(), if expected.is_some() { 3 } else { 0 });
            assert_eq!(probe(bundle).is_some(), expected.is_some());
        }
    }

    #[test]
    fn the_policy_says_nothing_of_its_own_bundle() {
        let channels = channels(&[(STANDARD, &[("a", 1)]), (EXPERIMENTAL, &[("a", 1), ("b", 1)])]);
        let [old, new] = ["v1.2.3-rc.4", "v9.8.7"].map(|version| version.parse().unwrap());
        assert_eq!(policies(bundle(&old, &channels)), policies(bundle(&new, &channels)));
        let policies = policies(bundle(&new, &channels));
        assert!(policies.iter().all(|object| object["metadata"].as_object().unwrap().len() == 1), "{policies:#?}");
        let condition = policies[0]["spec"]["matchConditions"][0]["expression"].as_str().unwrap();
        assert!(condition.starts_with("object.metadata.name in ['a.example.com', 'b.example.com'] ||"), "{condition}");
        // Not there before 1.34.
        assert!(!policies[0].to_string().contains("semver("));
    }
}
