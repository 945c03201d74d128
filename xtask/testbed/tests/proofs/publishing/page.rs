//! `HELM.md`: what Helm does with the charts, and what it leaves behind where it is refused something.
//!
//! Invariants: words are from here, everything in a block of commands from a run; what is different in each run (times, sizes) is not on it.

use std::fmt::Write as _;

use super::by_helm::{Step, Story, story};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/HELM.md");

/// The page, with the names of steps where their transcripts belong: `@ NAME, REVISIONS` alone on a line.
const TEXT: &str = r#"# Charts and Helm

The charts of a bundle, which are for Helm 4, tried with Helm HELM_VERSION on a real API server. What is said here is held by tests in
`tests/proofs/publishing`; the transcripts are of such a run, with releases that never were, shortened where it says `…`.

| what you do | what happens to the cluster | what Helm says after |
|---|---|---|
| `helm upgrade` to a newer bundle | CRDs change; objects stay | `deployed` |
| `helm upgrade` to an older bundle | nothing | the refused revision `failed`, the old one still `deployed` |
| `helm rollback` to an older bundle, however often | nothing | the refused revision `failed`, **none `deployed`** |
| `helm upgrade` where only some CRDs are refused | **all others change** | `failed`; there is no way back, only forward |
| `helm upgrade` from standard to experimental | nothing, until the policy is deleted | `failed` |
| `helm upgrade` from experimental to standard | CRDs change; those that only experimental has stay | `deployed` |
| `helm uninstall` | nothing | the release is forgotten |
| `helm install` of an older bundle after that | nothing | `failed`, and the name is taken until `helm upgrade --install` |
| `helm upgrade --install --take-ownership --force-conflicts` over kubectl | CRDs change; objects stay | `deployed` |

No release is ever left `pending`: a refusal is an answer, and Helm writes it down. Nothing of a chart is ever deleted by Helm,
since everything in it is annotated `helm.sh/resource-policy: keep`.

## Install and upgrade

@ install, 3
@ upgrade, 3

CRDs are templates of the chart, so an upgrade changes them. They are what `kubectl apply` of the install file gives; Helm
adds its label and two annotations, the chart the one that keeps them. The policies begin to act about a second later, and the
notes that `helm install` prints have a command that waits for it.

## A refused rollback

@ rollback, 3

Helm goes through all objects, is refused each CRD, and applies the rest, which is the policies of the older chart. They carry no
version, and where both bundles have the same CRDs nothing changes with them; else they are the older ones until the next upgrade
(`SAFE_UPGRADES.md`). Either way, the second and the third time are like the first:

@ rollback once more, 5

When a rollback fails, Helm marks the revision before it as superseded all the same. So the release is the older chart and `failed`,
although the cluster holds the newer one, and `helm rollback` without a number goes to the revision before the last, which is a
refused one as well:

@ rollback without a number, 2

The next upgrade puts it right. It writes nothing to the cluster, where all is as it should be:

@ upgrade after a refused rollback, 2

## A refused upgrade

@ refused upgrade, 2

Here the deployed revision stays so, and both ways out work: upgrade to what is installed or newer, or roll back without a number.

@ rollback after a refused upgrade, 3

`--rollback-on-failure` does the same at once, and still exits with 1:

@ refused upgrade that rolls back, 3

## Uninstall, install again

@ uninstall, 0

Everything is still there, and still carries the name of the release. So the same name can be installed again, and
another one is refused:

@ reinstall, 1
@ a second release, 0

## From standard to experimental, and back

No CRD that only experimental has is made beside a standard bundle. A refusal to *create* something ends an upgrade at once, other than a
refusal to change something, and is then the only one that Helm tells:

@ refused switch, 2

Turning the policy off in the chart does not help: it is kept in the cluster like everything else.

@ refused switch with the policy turned off, 2

The refusal names what does help. Delete the policy, wait a moment, and upgrade with another chart under the same name. No CRD is deleted, no
object, and the chart brings the policy back:

```console
$ kubectl delete validatingadmissionpolicy POLICY
```

@ switch to experimental, 2

(The value above is forgotten, since it came with a refused upgrade. Those of a deployed revision stay with the release until an upgrade
is given others.) Back to standard needs nothing; what only experimental has stays, with its objects and its stamps:

@ switch to standard, 2

`guardrails.enabled=true` adds the opt-in policy; setting it to false again leaves that in the cluster.

## A refused install

The bundle is older than what was left in the cluster when the release was uninstalled. The name is taken then:

@ refused install, 1
@ install after a refused install, 0
@ upgrade after a refused install, 2

## An upgrade that is refused in part

Somebody applied one CRD of v1.8.0 with kubectl, beside a release of v1.7.0. An upgrade to v1.7.1 is refused that CRD alone. Helm does
not stop there and takes nothing back:

@ refused in part, 2

`--rollback-on-failure` is of no use then, since to go back is to install an older bundle, which is refused in all the other parts:

@ refused in part and rolled back, 3

The only way is forward, to a bundle that is at least as new as the newest CRD:

@ upgrade after a refusal in part, 2

(`--force-conflicts` is about fields that kubectl wrote last, not about policies: nothing forces those.)

## What kubectl installed

`helm upgrade --install NAME CHART --take-ownership --force-conflicts` takes it over, whether it was applied on the client's side or
on the server's. Without `--take-ownership` Helm refuses and leaves no revision; without `--force-conflicts` the server refuses every
CRD with a field that differs, and a failed revision stays.

What kubectl and Helm say alike then belongs to both. So if the first chart was of the bundle that was there already, **the next
upgrade has to be forced once more**; from then on everything is Helm's alone.

## What Helm stores

One Secret for each revision, ten of them; Kubernetes gives a Secret 1 MiB. A revision holds the chart and what was rendered from it,
as JSON, gzip, and base64: less than 450,000 bytes even as the API shows them, where every character is encoded once more. The JSON alone
would be too large. A refused revision also holds every refusal, in words, and `helm history` prints them all: `-o json` is
easier to read.
"#;

/// What a policy is called in the text above.
const POLICY: &str = "POLICY";

/// A policy's refusals, in the order in which Helm tells them; each without what follows its first sentences.
fn refusals(step: &Step) -> Vec<&str> {
    let error = step.printed.stderr.lines().find(|line| line.starts_with("Error: ")).unwrap_or_default();
    let texts = error.split("denied request: ").skip(1);
    texts.map(|text| text.split(" To do it all the same").next().unwrap_or(text)).collect()
}

/// A command, what Helm said, and what it remembers.
fn transcript(step: &Step, revisions: usize) -> String {
    let mut text = format!("```console\n$ {}\n", step.command);
    let refusals = refusals(step);
    if step.printed.success {
        // Where everything goes well, Helm says it in its first line; the rest has times in it.
        let said =
            step.printed.stdout.lines().find(|line| line.contains("Happy Helming") || line.starts_with("release \""));
        let _ = writeln!(text, "{}", said.unwrap_or("…\nSTATUS: deployed\n…"));
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
    let mut page = "<!-- Written by `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs publishing::page` from what Helm and an \
                    API server did. -->\n"
        .to_owned();
    let policy = crd_release::admission::safe_upgrades::name(super::release::PREFIX);
    for line in TEXT.lines() {
        match line.strip_prefix("@ ").and_then(|line| line.rsplit_once(", ")) {
            Some((name, revisions)) => {
                if !page.ends_with("\n\n") {
                    page.push('\n');
                }
                page.push_str(&transcript(story.step(name), revisions.parse().expect("a number")));
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

/// What a release says of itself is what is tried here.
#[test]
fn texts_of_releases_name_this_helm_and_the_oldest_kubernetes() {
    let helm = format!("For Helm 4 (proven with {})", crd_testbed::HELM_VERSION.trim_start_matches('v'));
    let oldest = crd_testbed::MINORS.last().expect("a minor").name;
    assert!(crd_testbed::MINORS.iter().all(|minor| minor.name >= oldest), "the oldest stands last");
    for (text, part) in [
        (include_str!("../../../../../templates/chart/README.md"), helm.clone()),
        (include_str!("../../../../../templates/notes/release-notes.md"), helm.replace("For", "With")),
        (include_str!("../../../../../templates/chart/Chart.yaml"), format!("kubeVersion: \">={oldest}.0-0\"")),
        (include_str!("../../../../../templates/install/install.yaml"), format!("Kubernetes {oldest}, the oldest")),
        (include_str!("../../../../../templates/install/guardrails.yaml"), format!("Kubernetes {oldest}, the oldest")),
    ] {
        assert!(text.contains(&part), "{part}: {text}");
    }
}

#[test]
fn the_page_is_up_to_date() {
    let Some(story) = story() else { return };
    let page = page(story);
    if std::env::var_os("CRD_TESTBED_WRITE").is_some() {
        std::fs::write(PAGE, &page).expect("the page is writable");
    }
    let found = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert!(
        found == page,
        "{PAGE} is stale: CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs publishing::page"
    );
}

#[test]
fn every_step_of_the_story_that_the_page_shows_is_one() {
    let Some(story) = story() else { return };
    let shown = TEXT.lines().filter_map(|line| line.strip_prefix("@ ")?.rsplit_once(", "));
    let shown: Vec<&str> = shown.map(|(name, _)| name).collect();
    assert!(shown.len() > 15);
    // Those that are told in words.
    let told = ["rollback again", "guardrails", "guardrails turned off", "uninstall again"];
    for step in &story.steps {
        assert!(shown.contains(&step.name) || told.contains(&step.name), "{} is not on the page", step.name);
    }
}
