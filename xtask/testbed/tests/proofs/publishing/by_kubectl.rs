//! Install files, folders and the archive with kubectl and its kustomize, and Helm taking over CRDs that kubectl installed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::Duration;

use crd_channels::Channel;
use crd_model::yaml;
use serde_json::Value;

use super::cluster::{self, Cluster};
use super::helm::Size;
use super::journey::{Recorder, Steps};
use super::release::{Published, kind_and_name};
use crate::server::{self, Crds, Printed, Server};

/// The steps with kubectl and Helm, and what was measured in between.
struct Story {
    release: Published,
    newer: Published,
    steps: Steps,
    /// The time until the policy was active, client-side and server-side, and the output of the command in the install file.
    acted_after: [Duration; 2],
    probe: Printed,
    /// The size of a revision of the standard chart, and of the experimental chart with all options.
    sizes: [Size; 2],
}

/// The story. Prints `skipped` and returns `None` if no server can be started.
fn story() -> Option<&'static Story> {
    // After a failed step every test fails; the first failure has the reason.
    static STORY: LazyLock<Option<Story>> = LazyLock::new(tell);
    STORY.as_ref()
}

fn tell() -> Option<Story> {
    let mut recorder = Recorder::start()?;
    let (release, newer) = (Published::of("v1.6.1"), Published::of("v1.7.0"));
    let names = |channel| release.files(channel).iter().map(|file| &*file.crd.name);
    let chart = |published: &Published, channel| published.chart(channel).display().to_string();

    // `apply -k` of the folder of a bundle, and `apply -f` of the same bundle.
    let bundle = release.bundle_folder(Channel::Standard);
    recorder.apply("folder", &["-k"], &bundle);
    cluster::settle(&recorder.server, names(Channel::Standard));
    recorder.apply("folder again", &["-k"], &bundle);
    let file = release.install_file(Channel::Standard);
    recorder.apply("client-side", &["-f"], &file);
    let client_side = cluster::wait_for_policy(&recorder.server, "standard", true);
    let probe = shell(&recorder.server, &probe_in(&std::fs::read_to_string(&file).expect("readable")));
    recorder.apply("client-side again", &["-f"], &file);

    // The other channel over it.
    cluster::make_objects(&recorder.server);
    let experimental = release.install_file(Channel::Experimental);
    recorder.apply("over", &["-f"], &experimental);
    recorder.apply("over, server-side", &["--server-side", "--force-conflicts", "-f"], &experimental);

    // Helm takes over the same bundle, without and with the options for it, and upgrades it.
    let standard = chart(&release, Channel::Standard);
    let upgrade = ["upgrade", "--install", "gw"];
    let take_over = ["--take-ownership", "--force-conflicts"];
    recorder.step("without options", &[&upgrade[..], &[&standard]].concat());
    recorder.step("without ownership", &[&upgrade[..], &[&standard, "--force-conflicts"]].concat());
    recorder.step("taken over", &[&upgrade[..], &[&standard], &take_over].concat());
    let newer_chart = chart(&newer, Channel::Standard);
    recorder.step("upgrade", &[&upgrade[..], &[&newer_chart]].concat());
    recorder.step("forced upgrade", &[&upgrade[..], &[&newer_chart, "--force-conflicts"]].concat());
    recorder.step("second upgrade", &[&upgrade[..], &[&chart(&Published::of("v1.8.0"), Channel::Standard)]].concat());
    let revisions = recorder.helm.history(&recorder.server, "gw").len() as u64;
    let size = Size::of(&recorder.server, "gw", revisions);
    recorder.helm.run(&recorder.server, &["uninstall", "gw"]).expect("it uninstalls");

    // Server-side apply on a server without CRDs, and folders of the archive over it.
    cluster::delete_everything(&recorder.server);
    recorder.apply("server-side", &["--server-side", "-f"], &experimental);
    cluster::settle(&recorder.server, names(Channel::Experimental));
    let server_side = cluster::wait_for_policy(&recorder.server, "experimental", true);
    recorder.apply("server-side again", &["--server-side", "-f"], &experimental);
    let unpacked = release.unpacked();
    for folder in ["experimental", "policies/safe-upgrades", "policies/guardrails"] {
        recorder.apply(folder, &["--server-side", "-k"], &unpacked.join(folder));
    }

    // Helm takes over CRDs of server-side apply with a newer chart, which it then installs on a server without CRDs.
    let chart = chart(&newer, Channel::Experimental);
    recorder.step("taken over, newer", &[&upgrade[..], &[&chart], &take_over].concat());
    recorder.helm.run(&recorder.server, &["uninstall", "gw"]).expect("it uninstalls");
    cluster::delete_everything(&recorder.server);
    recorder.step("installed", &["install", "gw", &chart, "--set", "guardrails.enabled=true"]);
    let sizes = [size, Size::of(&recorder.server, "gw", 1)];
    Some(Story { release, newer, steps: Steps(recorder.steps), acted_after: [client_side, server_side], probe, sizes })
}

/// The command in the texts of a release that waits until the policies are active: from `until` to `done`.
pub(super) fn probe_in(text: &str) -> String {
    let lines = text.lines().map(|line| line.trim_start_matches('#').trim());
    let lines = lines.skip_while(|line| !line.starts_with("until "));
    let mut command = String::new();
    for line in lines {
        command.push_str(line);
        command.push('\n');
        if line.ends_with("done") {
            return command;
        }
    }
    panic!("no command that waits for the policies in:\n{text}");
}

/// Runs a command of these texts, for at most ten minutes.
pub(super) fn shell(server: &Server, script: &str) -> Printed {
    let folder = server.kubectl_program().parent().expect("a folder").display().to_string();
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new("timeout")
        .args(["600", "sh", "-eu", "-c", script])
        .envs(server.environment())
        .env("KUBERC", "off")
        .env("PATH", format!("{folder}:{path}"))
        .output()
        .expect("a shell runs");
    Printed {
        success: output.status.success(),
        stdout: String::from_utf8(output.stdout).expect("UTF-8"),
        stderr: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Panics unless kubectl printed exactly this word for this number of objects. Warnings of the server appear on stderr.
#[track_caller]
fn assert_printed(printed: &Printed, word: &str, count: usize) {
    assert!(printed.success, "{}", printed.stderr);
    assert_eq!(printed.stderr, "");
    let lines: Vec<&str> = printed.stdout.lines().collect();
    assert!(lines.iter().all(|line| line.ends_with(&format!(" {word}"))), "{}", printed.stdout);
    assert_eq!(lines.len(), count, "{}", printed.stdout);
}

/// The output of `kubectl kustomize` for a folder, by kind and name.
fn kustomized(server: &Server, folder: &Path) -> BTreeMap<String, Value> {
    let printed = server.kubectl(&["kustomize", &folder.display().to_string()]);
    assert_eq!(printed.stderr, "");
    let documents = yaml::read(&printed.expect("it is a base")).expect("YAML");
    documents.into_iter().map(|object| (kind_and_name(&object), object)).collect()
}

fn assert_same(found: BTreeMap<String, Value>, expected: impl Iterator<Item = Value>) {
    let expected: BTreeMap<String, Value> = expected.map(|object| (kind_and_name(&object), object)).collect();
    assert_eq!(found.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
    for (name, object) in &expected {
        assert!(found[name] == *object, "{name} differs");
    }
}

#[test]
fn folders_of_a_bundle_and_of_the_archive_are_bases_of_just_what_they_hold() {
    // Any server: kustomize does not use it.
    let Some(server) = server::server(Crds::Nothing) else { return };
    let release = Published::of("v1.7.0");
    let unpacked = release.unpacked();
    for channel in Channel::ALL {
        let crds = || release.files(channel).iter().map(|file| file.crd.to_value());
        assert_same(kustomized(server, &release.bundle_folder(channel)), crds());
        assert_same(kustomized(server, &unpacked.join(channel.name())), crds());
    }
    for (name, policies) in [("safe-upgrades", &release.safe_upgrades), ("guardrails", &release.guardrails)] {
        assert!(!policies.is_empty());
        assert_same(kustomized(server, &unpacked.join("policies").join(name)), policies.iter().cloned());
    }
}

#[test]
fn apply_k_installs_a_bundle_folder_and_a_second_time_changes_nothing() {
    let Some(story) = story() else { return };
    let files = story.release.files(Channel::Standard);
    assert_printed(&story.steps.step("folder").printed, "created", files.len());
    assert_printed(&story.steps.step("folder again").printed, "unchanged", files.len());
    assert_eq!(story.steps.step("folder again").after.crds.len(), files.len());
    for file in files {
        story.steps.step("folder again").after.assert_holds(&file.crd);
    }
}

#[test]
fn the_standard_install_file_applies_client_side_without_a_warning() {
    let Some(story) = story() else { return };
    let (crds, policies) = (story.release.files(Channel::Standard).len(), story.release.safe_upgrades.len());
    let printed = &story.steps.step("client-side").printed;
    assert!(printed.success, "{}", printed.stderr);
    assert_eq!(printed.stderr, "", "the server's warnings are printed there");
    let count = |word: &str| printed.stdout.lines().filter(|line| line.ends_with(word)).count();
    assert_eq!((count(" unchanged"), count(" created")), (crds, policies), "{}", printed.stdout);
    assert_printed(&story.steps.step("client-side again").printed, "unchanged", crds + policies);
    let names: Vec<String> = story.release.safe_upgrades.iter().map(kind_and_name).collect();
    assert!(
        names.iter().all(|name| story.steps.step("client-side again").after.policies.contains_key(name)),
        "{names:?}"
    );
    assert_eq!(story.steps.step("client-side again").after.policies.len(), policies);
}

#[test]
fn the_experimental_install_file_applies_server_side_without_a_warning() {
    let Some(story) = story() else { return };
    let files = story.release.files(Channel::Experimental);
    let count = files.len() + story.release.safe_upgrades.len();
    assert_printed(&story.steps.step("server-side").printed, "serverside-applied", count);
    assert_printed(&story.steps.step("server-side again").printed, "serverside-applied", count);
    assert_eq!(story.steps.step("server-side again").after.crds.len(), files.len());
    for file in files {
        story.steps.step("server-side again").after.assert_holds(&file.crd);
    }
}

#[test]
fn the_policies_act_soon_and_the_install_file_says_how_to_wait_for_them() {
    let Some(story) = story() else { return };
    println!("client-side after {:?}, server-side after {:?}", story.acted_after[0], story.acted_after[1]);
    assert!(story.probe.success, "{}{}", story.probe.stdout, story.probe.stderr);
}

#[test]
fn kubectl_is_refused_the_other_channel_and_nothing_is_changed() {
    let Some(story) = story() else { return };
    let count = story.release.files(Channel::Experimental).len();
    for printed in [&story.steps.step("over").printed, &story.steps.step("over, server-side").printed] {
        assert!(!printed.success);
        assert_eq!(printed.stderr.matches("denied request").count(), count, "{}", printed.stderr);
        // kubectl continues after a refusal: objects after the CRDs are applied, as `docs/evidence/safe-upgrades.md` describes.
        let policies = printed.stdout.lines().filter(|line| line.contains("validatingadmissionpolicy")).count();
        assert_eq!(policies, story.release.safe_upgrades.len(), "{}", printed.stdout);
    }
    // Except for objects, which were created in between, and policies, which have another owner after server-side apply.
    let before = Cluster {
        objects: story.steps.step("over, server-side").after.objects.clone(),
        ..story.steps.step("client-side again").after.clone()
    };
    let mut written = before.written_until(&story.steps.step("over, server-side").after);
    written.retain(|name| {
        before
            .policies
            .get(name)
            .is_none_or(|policy| policy["spec"] != story.steps.step("over, server-side").after.policies[name]["spec"])
    });
    assert_eq!(written, Vec::<String>::new());
    // Client-side apply prints the patch before each refusal.
    println!("refusals: client-side {} bytes", story.steps.step("over").printed.stderr.len());
    println!("refusals: server-side {} bytes", story.steps.step("over, server-side").printed.stderr.len());
    assert!(
        story.steps.step("over, server-side").printed.stderr.len() < 1000 * count,
        "{}",
        story.steps.step("over, server-side").printed.stderr
    );
}

#[test]
fn helm_takes_over_what_client_side_apply_installed() {
    let Some(story) = story() else { return };
    for refused in [&story.steps.step("without options").printed, &story.steps.step("without ownership").printed] {
        assert!(!refused.success);
        assert!(refused.stderr.contains("cannot be imported into the current release"), "{}", refused.stderr);
    }
    assert!(story.steps.step("taken over").printed.success, "{}", story.steps.step("taken over").printed.stderr);
    for file in story.release.files(Channel::Standard) {
        story.steps.step("taken over").after.assert_holds(&file.crd);
    }
    story.steps.step("taken over").after.assert_lost_nothing_since(&story.steps.step("over, server-side").after);
    assert_eq!(story.steps.step("taken over").after.objects.len(), 3);
}

/// kubectl and Helm both own fields on which they agree, because no conflict was forced.
#[test]
fn the_first_upgrade_after_helm_took_over_has_to_be_forced_once_more() {
    let Some(story) = story() else { return };
    assert!(!story.steps.step("upgrade").printed.success);
    let conflicts =
        story.steps.step("upgrade").printed.stderr.matches("conflicts with \"kubectl-client-side-apply\"").count();
    assert!(conflicts > 0, "{}", story.steps.step("upgrade").printed.stderr);
    assert!(
        story.steps.step("forced upgrade").printed.success,
        "{}",
        story.steps.step("forced upgrade").printed.stderr
    );
    for file in story.newer.files(Channel::Standard) {
        story.steps.step("forced upgrade").after.assert_holds(&file.crd);
    }
    story.steps.step("forced upgrade").after.assert_lost_nothing_since(&story.steps.step("over, server-side").after);
    assert!(
        story.steps.step("second upgrade").printed.success,
        "{}",
        story.steps.step("second upgrade").printed.stderr
    );
    // The refusal without ownership left no revision, and the conflict left a failed one.
    let statuses: Vec<&str> =
        story.steps.step("second upgrade").history.iter().map(|revision| &*revision.status).collect();
    assert_eq!(statuses, ["superseded", "failed", "superseded", "deployed"]);
}

#[test]
fn the_whole_experimental_chart_installs_on_an_empty_server() {
    let Some(story) = story() else { return };
    assert!(story.steps.step("installed").printed.success, "{}", story.steps.step("installed").printed.stderr);
    assert_eq!(story.steps.step("installed").printed.stderr, "");
    let files = story.newer.files(Channel::Experimental);
    assert_eq!(story.steps.step("installed").after.crds.len(), files.len());
    for file in files {
        story.steps.step("installed").after.assert_holds(&file.crd);
    }
    let policies = story.newer.safe_upgrades.len() + story.newer.guardrails.len();
    assert_eq!(story.steps.step("installed").after.policies.len(), policies);
}

/// Kubernetes limits the stored Secret to 1 MiB. This test compares the API's form, which is a third larger, with a lower limit.
#[test]
fn what_helm_stores_is_below_800_000_bytes() {
    let Some(story) = story() else { return };
    for (channel, size) in ["standard", "experimental with guardrails"].into_iter().zip(story.sizes) {
        println!(
            "{channel}: {} bytes stored, {} as the API shows them; {} of JSON before gzip",
            size.stored, size.shown, size.json
        );
        assert!(size.stored < size.shown && size.shown < size.json, "{size:?}");
        assert!(size.shown <= 800_000, "{channel}: {size:?}");
        assert!(size.shown < 500_000, "{channel}: {size:?}: as docs/evidence/helm.md states");
    }
    // The check for too large charts uses an estimate; this is the measured size.
    let (estimate, stored) = (story.newer.stored_size(Channel::Experimental), story.sizes[1].stored);
    println!("experimental with guardrails: {estimate} bytes by estimate");
    assert!(estimate.abs_diff(stored) * 20 < stored, "{estimate}, and {stored} in truth");
}

#[test]
fn helm_takes_over_what_server_side_apply_installed() {
    let Some(story) = story() else { return };
    assert!(
        story.steps.step("taken over, newer").printed.success,
        "{}",
        story.steps.step("taken over, newer").printed.stderr
    );
    for file in story.newer.files(Channel::Experimental) {
        story.steps.step("taken over, newer").after.assert_holds(&file.crd);
    }
    story
        .steps
        .step("taken over, newer")
        .after
        .assert_lost_nothing_since(&story.steps.step("policies/guardrails").after);
}

#[test]
fn apply_k_installs_the_folders_of_the_archive() {
    let Some(story) = story() else { return };
    for (folder, count) in [
        ("experimental", story.release.files(Channel::Experimental).len()),
        ("policies/safe-upgrades", story.release.safe_upgrades.len()),
        ("policies/guardrails", story.release.guardrails.len()),
    ] {
        assert_printed(&story.steps.step(folder).printed, "serverside-applied", count);
    }
    // The same CRDs and policies were installed; guardrails were not.
    let mut written =
        story.steps.step("server-side again").after.written_until(&story.steps.step("policies/guardrails").after);
    let mut expected: Vec<String> = story.release.guardrails.iter().map(kind_and_name).collect();
    written.sort();
    expected.sort();
    assert_eq!(written, expected);
}
