//! The page `docs/evidence/helm.md`: how Helm installs and upgrades the charts, and the effects of refusals.
//!
//! Invariants: the prose is in `page.md`; the transcripts are from a run. The page has no values that differ between runs (times, sizes).

use std::fmt::Write as _;

use crate::pages::compare;

use super::by_helm::{Story, story};
use super::journey::Step;

/// The page. A line `@ NAME, REVISIONS` is replaced with the transcript of that step.
const TEXT: &str = include_str!("page.md");

/// The placeholder of the policy's name in the text above.
const POLICY: &str = "POLICY";

/// The refusals of a policy in the order of Helm's output, each without its last sentence.
fn refusals(step: &Step) -> Vec<&str> {
    let error = step.printed.stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
    let texts = error.split("denied request: ").skip(1);
    texts.map(|text| text.split(" To do it all the same").next().unwrap_or(text)).collect()
}

/// A command, its output, and the revisions after it.
fn transcript(step: &Step, revisions: usize) -> String {
    let mut text = format!("```console\n$ {}\n", step.command);
    let refusals = refusals(step);
    if step.printed.success {
        // After a success, Helm's first line is shown; the rest contains times.
        let first_line =
            step.printed.stdout.lines().find(|line| line.contains("Happy Helming") || line.starts_with("release \""));
        let _ = writeln!(text, "{}", first_line.unwrap_or("…\nSTATUS: deployed\n…"));
    } else if let Some(first) = refusals.first() {
        let error = step.printed.stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
        let beginning = error.split(": ").take(2).collect::<Vec<_>>().join(": ");
        let beginning = if error.contains("FAILED") { beginning } else { "Error".to_owned() };
        let _ = writeln!(text, "{beginning}: … denied request: {first} …");
        for part in [
            "has been rolled back due to rollback-on-failure being set",
            "an error occurred while rolling back the release",
        ] {
            if error.contains(part) {
                let _ = writeln!(text, "… {part} …");
            }
        }
        if refusals.len() > 1 {
            let _ = writeln!(text, "… and {} more refusals", refusals.len() - 1);
        }
    } else {
        let error = step.printed.stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
        let shown: String = error.chars().take(200).collect();
        let _ = writeln!(text, "{shown}{}", if shown.len() < error.len() { "…" } else { "" });
    }
    if revisions > 0 {
        let _ = writeln!(text, "$ helm history gw --max {revisions}\nREVISION  STATUS      CHART");
        let skipped = step.history.len().saturating_sub(revisions);
        for revision in &step.history[skipped..] {
            let _ = writeln!(text, "{:<8}  {:<10}  {}", revision.number, revision.status, revision.chart);
        }
    }
    text.push_str("```\n");
    let counts: Vec<String> =
        step.after.counts().into_iter().map(|(stamps, count)| format!("{count} of {stamps}")).collect();
    let written = if step.written().is_empty() { "Nothing was written. " } else { "" };
    let _ = writeln!(text, "\n{written}CRDs in the cluster: {}.", counts.join(", "));
    text
}

fn page(story: &Story) -> String {
    let mut page = String::new();
    let policy = crd_bundle::admission::safe_upgrades::name(super::release::PREFIX);
    for line in TEXT.lines() {
        match line.strip_prefix("@ ").and_then(|line| line.rsplit_once(", ")) {
            Some((name, revisions)) => {
                if !page.ends_with("\n\n") {
                    page.push('\n');
                }
                page.push_str(&transcript(story.steps.step(name), revisions.parse().expect("a number")));
            }
            None => {
                let line = line.replace("HELM_VERSION", crd_testbed::HELM_VERSION).replace(POLICY, &policy);
                page.push_str(&line);
                page.push('\n');
            }
        }
    }
    page
}

/// The texts of a release name the versions that these tests use.
#[test]
fn texts_of_releases_name_this_helm_and_the_oldest_kubernetes() {
    let helm = format!("For Helm 4 (proven with {})", crd_testbed::HELM_VERSION.trim_start_matches('v'));
    let oldest = crd_testbed::MINORS.last().expect("a minor").name;
    assert!(crd_testbed::MINORS.iter().all(|minor| minor.name >= oldest), "the oldest is last");
    for (text, part) in [
        (include_str!("../../../../../templates/chart/README.md"), helm.clone()),
        (include_str!("../../../../../templates/notes/release-notes.md"), helm.replace("For", "With")),
        (include_str!("../../../../../templates/chart/Chart.yaml"), format!("kubeVersion: \">={oldest}.0-0\"")),
        (include_str!("../../../../../templates/install/install.yaml"), format!("Kubernetes {oldest}, the oldest")),
        (include_str!("../../../../../templates/install/guardrails.yaml"), format!("Kubernetes {oldest}, the oldest")),
        (include_str!("../../../../../templates/install/policies.yaml"), format!("Kubernetes {oldest}, the oldest")),
        (include_str!("../../../../../templates/install/webhook.yaml"), format!("Kubernetes {oldest}, the oldest")),
    ] {
        assert!(text.contains(&part), "{part}: {text}");
    }
}

#[test]
fn the_page_is_up_to_date() {
    let Some(story) = story() else { return };
    compare(&page(story), "evidence/helm.md", "publishing::page");
}

#[test]
fn the_page_shows_every_step_or_describes_it() {
    let Some(story) = story() else { return };
    let shown = TEXT.lines().filter_map(|line| line.strip_prefix("@ ")?.rsplit_once(", "));
    let shown: Vec<&str> = shown.map(|(name, _)| name).collect();
    assert!(shown.len() > 15);
    // Steps that the prose describes.
    let described = ["rollback again", "guardrails", "guardrails turned off", "uninstall again"];
    for step in &story.steps.0 {
        assert!(shown.contains(&step.name) || described.contains(&step.name), "{} is not on the page", step.name);
    }
}
