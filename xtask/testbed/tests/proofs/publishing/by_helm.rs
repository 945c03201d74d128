//! Charts on a cluster: install, upgrade, refusals and their effects, a change of channel, and uninstall.
//!
//! What each step prints, writes and leaves in Helm's history is on the page, which is compared with the committed one.

use std::sync::LazyLock;

use crd_channels::Channel;

use super::by_kubectl::{probe_in, shell};
use super::cluster::{self, Cluster};
use super::journey::{Recorder, Steps};
use super::release::{BRACES, CHANGED, NEW_FIELD, Published};
use crate::server::Printed;

/// What was done, and what was seen in between.
pub(super) struct Story {
    pub(super) steps: Steps,
    /// The output of the command in the chart's notes.
    probe: Printed,
    /// The answers to an experimental field, without and with guardrails.
    unguarded: (u16, String),
    guarded: (u16, String),
    /// The values of the release after the changes of channel.
    values: String,
    releases: Releases,
}

/// The releases of the story.
struct Releases {
    old: Published,
    new: Published,
    newest: Published,
}

/// The story. Prints `skipped` and returns `None` if no server can be started.
pub(super) fn story() -> Option<&'static Story> {
    // After a failed step every test fails; the first failure has the reason.
    static STORY: LazyLock<Option<Story>> = LazyLock::new(record);
    STORY.as_ref()
}

fn record() -> Option<Story> {
    let mut recorder = Recorder::start()?;
    let releases = Releases {
        old: Published::of_few("v1.6.1"),
        new: Published::of_few("v1.7.0"),
        newest: Published::of_few("v1.8.0"),
    };
    let (patch, second_patch) = (Published::of_few("v1.7.1"), Published::of_few("v1.7.2"));
    let chart = |release: &Published, channel| release.chart(channel).display().to_string();
    let standard = |release: &Published| chart(release, Channel::Standard);
    let (old, new, newest) = (standard(&releases.old), standard(&releases.new), standard(&releases.newest));
    let experimental = chart(&releases.new, Channel::Experimental);

    recorder.step("install", &["install", "gw", &old]);
    let notes = recorder.steps[0].printed.stdout.clone();
    let probe = shell(&recorder.server, &probe_in(&notes));
    cluster::settle(&recorder.server, releases.old.files(Channel::Standard).iter().map(|file| &*file.crd.name));
    cluster::make_objects(&recorder.server);
    recorder.look();
    recorder.step("upgrade", &["upgrade", "gw", &new]);

    // Downgrades, which are refused.
    recorder.step("rollback", &["rollback", "gw", "1"]);
    recorder.step("rollback again", &["rollback", "gw", "1"]);
    recorder.step("rollback once more", &["rollback", "gw", "1"]);
    recorder.step("rollback without a number", &["rollback", "gw"]);
    recorder.step("upgrade after a refused rollback", &["upgrade", "gw", &new]);
    recorder.step("refused upgrade", &["upgrade", "gw", &old]);
    recorder.step("rollback after a refused upgrade", &["rollback", "gw"]);
    recorder.step("refused upgrade that rolls back", &["upgrade", "gw", &old, "--rollback-on-failure"]);

    // Uninstall and install again.
    recorder.step("uninstall", &["uninstall", "gw"]);
    recorder.step("reinstall", &["install", "gw", &new]);
    recorder.step("a second release", &["install", "other", &new]);

    // The other channel.
    recorder.step("refused switch", &["upgrade", "gw", &experimental]);
    let without_policy = ["upgrade", "gw", &experimental, "--set", "safeUpgrades.enabled=false"];
    recorder.step("refused switch with the policy turned off", &without_policy);
    recorder.delete_policy("standard");
    recorder.step("switch to experimental", &["upgrade", "gw", &experimental]);
    cluster::settle(&recorder.server, releases.new.files(Channel::Experimental).iter().map(|file| &*file.crd.name));
    cluster::wait_for_policy(&recorder.server, "experimental", true);
    let unguarded = cluster::try_experimental_field(&recorder.server);
    recorder.step("guardrails", &["upgrade", "gw", &experimental, "--set", "guardrails.enabled=true"]);
    let guarded = cluster::wait_for_guardrails(&recorder.server);
    recorder.step("guardrails turned off", &["upgrade", "gw", &experimental, "--set", "guardrails.enabled=false"]);
    recorder.step("switch to standard", &["upgrade", "gw", &new]);
    let values = recorder.helm.run(&recorder.server, &["get", "values", "gw", "-o", "json"]).expect("values");

    // A refused install.
    recorder.step("uninstall again", &["uninstall", "gw"]);
    recorder.step("refused install", &["install", "gw", &old]);
    recorder.step("install after a refused install", &["install", "gw", &new]);
    recorder.step("upgrade after a refused install", &["upgrade", "--install", "gw", &new]);

    // A partly refused upgrade: one CRD is newer than the remaining ones.
    let ahead =
        releases.newest.files(Channel::Standard).iter().find(|file| file.crd.name.starts_with("referencegrants."));
    let apply = ["apply", "--server-side", "--force-conflicts", "-f", "-"];
    recorder.server.kubectl_reading(&apply, &ahead.expect("a CRD").text).expect("it is applied");
    recorder.look();
    recorder.step("refused in part", &["upgrade", "gw", &standard(&patch), "--force-conflicts"]);
    let second_patch = standard(&second_patch);
    let arguments = ["upgrade", "gw", &second_patch, "--force-conflicts", "--rollback-on-failure"];
    recorder.step("refused in part and rolled back", &arguments);
    recorder.step("upgrade after a refusal in part", &["upgrade", "gw", &newest, "--force-conflicts"]);
    Some(Story { steps: Steps(recorder.steps), probe, unguarded, guarded, values, releases })
}

#[test]
fn install_creates_the_same_crds_as_kubectl_and_active_policies() {
    let Some(story) = story() else { return };
    let step = story.steps.step("install");
    step.assert_done();
    assert_eq!(step.printed.stderr, "");
    assert_eq!(step.revisions(), ["1 deployed gateway-api-standard-1.6.1"]);
    let files = story.releases.old.files(Channel::Standard);
    assert_eq!(step.after.crds.len(), files.len());
    for file in files {
        step.after.assert_holds(&file.crd);
    }
    assert_eq!(step.after.policies.len(), story.releases.old.safe_upgrades.len());
    assert!(story.probe.success, "the command of the notes: {}{}", story.probe.stdout, story.probe.stderr);
}

#[test]
fn upgrade_changes_crds() {
    let Some(story) = story() else { return };
    let step = story.steps.step("upgrade");
    step.assert_done();
    for file in story.releases.new.files(Channel::Standard) {
        step.after.assert_holds(&file.crd);
    }
    let description = |cluster: &Cluster| {
        let spec = &cluster.crds[CHANGED]["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]["spec"];
        spec["properties"][NEW_FIELD]["description"].as_str().map(str::to_owned)
    };
    assert_eq!((description(&step.before), description(&step.after).as_deref()), (None, Some(BRACES)));
    assert_eq!(step.revisions(), ["1 superseded gateway-api-standard-1.6.1", "2 deployed gateway-api-standard-1.7.0"]);
    step.after.assert_lost_nothing_since(&step.before);
}

#[test]
fn a_switch_to_experimental_and_back_deletes_nothing() {
    let Some(story) = story() else { return };
    let (standard, experimental) =
        (story.releases.new.files(Channel::Standard), story.releases.new.files(Channel::Experimental));
    let step = story.steps.step("switch to experimental");
    step.assert_done();
    step.after.assert_lost_nothing_since(&step.before);
    assert_eq!(step.after.objects.len(), 3);
    assert_eq!(step.after.crds.len(), experimental.len());
    for file in experimental {
        step.after.assert_holds(&file.crd);
    }
    assert_eq!(step.after.policies.len(), story.releases.new.safe_upgrades.len(), "the chart created it again");

    let step = story.steps.step("switch to standard");
    step.assert_done();
    step.after.assert_lost_nothing_since(&step.before);
    for file in standard {
        step.after.assert_holds(&file.crd);
    }
    // CRDs that only experimental has remain, with their stamps.
    let more = experimental.len() - standard.len();
    let counts: Vec<_> = step.after.counts().into_iter().collect();
    assert_eq!(counts, [("v1.7.0 experimental".to_owned(), more), ("v1.7.0 standard".to_owned(), standard.len())]);
}

#[test]
fn guardrails_remain_when_their_value_is_disabled() {
    let Some(story) = story() else { return };
    assert_eq!(story.unguarded.0, 201, "{}", story.unguarded.1);
    let (code, message) = &story.guarded;
    assert_eq!(*code, 403, "{message}");
    assert!(message.contains("guardrails.") && message.contains("useDefaultGateways"), "{message}");
    let step = story.steps.step("guardrails");
    step.assert_done();
    let (safe_upgrades, guardrails) = (&story.releases.new.safe_upgrades, &story.releases.new.guardrails);
    assert_eq!(step.after.policies.len(), safe_upgrades.len() + guardrails.len());
    let step = story.steps.step("guardrails turned off");
    step.assert_done();
    step.after.assert_lost_nothing_since(&step.before);
    assert_eq!(step.after.policies.len(), safe_upgrades.len() + guardrails.len());
    // Values of a refused upgrade are not kept; values of a deployed one remain unless they are replaced.
    assert_eq!(story.values.trim(), r#"{"guardrails":{"enabled":false}}"#);
}

#[test]
fn uninstall_deletes_nothing_and_the_same_name_can_be_installed_again() {
    let Some(story) = story() else { return };
    let step = story.steps.step("uninstall");
    step.assert_done();
    assert_eq!(step.written(), Vec::<String>::new());
    assert_eq!(step.history, []);
    assert_eq!(step.after.objects.len(), 3);
    let step = story.steps.step("reinstall");
    step.assert_done();
    step.after.assert_lost_nothing_since(&step.before);
    assert_eq!(step.revisions(), ["1 deployed gateway-api-standard-1.7.0"]);
    let step = story.steps.step("a second release");
    step.assert_refused("cannot be imported into the current release");
    assert_eq!(step.written(), Vec::<String>::new());
}

#[test]
fn no_step_deletes_anything_or_leaves_a_revision_pending() {
    let Some(story) = story() else { return };
    for step in &story.steps.0 {
        step.after.assert_lost_nothing_since(&step.before);
        assert_eq!(step.after.objects.len(), if step.name == "install" { 0 } else { 3 }, "{}", step.name);
        let pending = step.history.iter().any(|revision| revision.status.starts_with("pending"));
        assert!(!pending, "{}: {:?}", step.name, step.revisions());
    }
}
