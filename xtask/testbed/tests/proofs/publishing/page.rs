//! The page `docs/evidence/helm.md`: how Helm installs and upgrades the charts, and the effects of refusals.
//!
//! Invariants: the prose is in this file; the transcripts are from a run. The page has no values that differ between runs (times, sizes).

use std::fmt::Write as _;

use super::by_helm::{Step, Story, story};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/evidence/helm.md");

/// The page. A line `@ NAME, REVISIONS` is replaced with the transcript of that step.
const TEXT: &str = r#"# Charts and Helm

The charts of a bundle are for Helm 4. Tests in `xtask/testbed/tests/proofs/publishing` install them with Helm HELM_VERSION on a real API
server and check every statement of this page. The transcripts are from such a run, with example releases; `…` marks omitted text.

| action | effect on the cluster | state of the release in Helm |
|---|---|---|
| `helm upgrade` to a newer bundle | CRDs change; objects remain | `deployed` |
| `helm upgrade` to an older bundle | none | the refused revision is `failed`, the previous one `deployed` |
| `helm rollback` to an older bundle, also repeated | none | the refused revision is `failed`, **no revision is `deployed`** |
| `helm upgrade` if some CRDs are refused | **all other CRDs change** | `failed`; a rollback is not possible, only an upgrade |
| `helm upgrade` from standard to experimental | none, until the policy is deleted | `failed` |
| `helm upgrade` from experimental to standard | CRDs change; CRDs that only experimental has remain | `deployed` |
| `helm uninstall` | none | the release is removed |
| `helm install` of an older bundle after that | none | `failed`; the name is in use until `helm upgrade --install` |
| `helm upgrade --install --take-ownership --force-conflicts` over kubectl | CRDs change; objects remain | `deployed` |

No release remains `pending`, because Helm records a refusal as a failed revision. Helm never deletes an object of a chart, because
all objects have the annotation `helm.sh/resource-policy: keep`.

## Install and upgrade

@ install, 3
@ upgrade, 3

CRDs are templates of the chart, so an upgrade changes them. They are equal to the CRDs that `kubectl apply` of the install file
creates. Helm adds its label and two annotations; the chart adds the annotation that keeps the CRDs. The policies become active about
a second later. The notes that `helm install` prints contain a command that waits for them.

## A refused rollback

@ rollback, 3

Helm sends all objects. The server refuses each CRD and accepts the rest, the policies of the older chart. Policies have no version.
If both bundles have the same CRDs, the policies do not change. Otherwise the older policies remain until the next upgrade
([safe upgrades](safe-upgrades.md)). In both cases, a second and a third attempt have the same result:

@ rollback once more, 5

When a rollback fails, Helm still marks the previous revision as superseded. The release then has the older chart and is `failed`,
although the cluster has the newer CRDs. `helm rollback` without a number selects the revision before the last, which was refused
too:

@ rollback without a number, 2

The next upgrade repairs the release. It writes nothing to the cluster, because the CRDs are already correct:

@ upgrade after a refused rollback, 2

## A refused upgrade

@ refused upgrade, 2

Here the deployed revision remains deployed. Two commands repair the release: an upgrade to the installed or a newer bundle, and a
rollback without a number.

@ rollback after a refused upgrade, 3

`--rollback-on-failure` does the same immediately, and still exits with 1:

@ refused upgrade that rolls back, 3

## Uninstall and install again

@ uninstall, 0

All objects remain, with the name of the release. A release of the same name can be installed again; another name is refused:

@ reinstall, 1
@ a second release, 0

## From standard to experimental and back

The policy refuses CRDs that only experimental has while a standard bundle is installed. If the *creation* of an object is refused, Helm
stops the upgrade immediately and prints only this refusal. A refused *change* does not stop it.

@ refused switch, 2

Disabling the policy in the chart does not help, because it remains in the cluster like all other objects.

@ refused switch with the policy turned off, 2

The refusal contains the solution: delete the policy, wait a moment, and upgrade to the other chart under the same name. No CRD and no
object is deleted, and the chart creates the policy again:

```console
$ kubectl delete validatingadmissionpolicy POLICY
```

@ switch to experimental, 2

(Helm does not keep the value above, because the upgrade was refused. Values of a deployed revision remain until an upgrade sets other
values.) The way back to standard needs no extra step. CRDs that only experimental has remain, with their objects and stamps:

@ switch to standard, 2

`guardrails.enabled=true` adds the optional policy. It remains in the cluster if the value is set to false again.

## A refused install

The bundle is older than the CRDs that remained in the cluster after `helm uninstall`. The name is in use after the refusal:

@ refused install, 1
@ install after a refused install, 0
@ upgrade after a refused install, 2

## A partly refused upgrade

A user applied one CRD of v1.8.0 with kubectl, in addition to a release of v1.7.0. The server refuses only that CRD in an upgrade to
v1.7.1. Helm does not stop, and does not revert the other CRDs:

@ refused in part, 2

`--rollback-on-failure` does not help, because a rollback installs an older bundle, and all other CRDs refuse it:

@ refused in part and rolled back, 3

The only solution is an upgrade to a bundle that is at least as new as the newest CRD:

@ upgrade after a refusal in part, 2

(`--force-conflicts` concerns fields that kubectl wrote last. It does not override policies.)

## CRDs that kubectl installed

`helm upgrade --install NAME CHART --take-ownership --force-conflicts` takes over CRDs that kubectl installed with client-side or
server-side apply. Without `--take-ownership`, Helm refuses and creates no revision. Without `--force-conflicts`, the server refuses
every CRD with a field that differs, and a failed revision remains.

kubectl and Helm then both own the fields on which they agree. If the first chart is of the installed bundle, **the next upgrade needs
`--force-conflicts` once more**. After that, Helm alone owns all fields.

## Storage of Helm

Helm stores one Secret for each of the last ten revisions. Kubernetes limits a Secret to 1 MiB. A revision contains the chart and its
rendered objects as JSON, compressed with gzip and encoded as base64. It takes less than 450,000 bytes even in the API's form, which
encodes it once more. The uncompressed JSON would exceed the limit. A refused revision also contains the text of all refusals, and
`helm history` prints them; `-o json` is easier to read.
"#;

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
    let mut page = "<!-- Written by `CRD_TESTBED_WRITE=1 cargo test -p crd-testbed --test proofs publishing::page` from a run of Helm with \
                    an API server. -->\n"
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
fn the_page_shows_every_step_or_describes_it() {
    let Some(story) = story() else { return };
    let shown = TEXT.lines().filter_map(|line| line.strip_prefix("@ ")?.rsplit_once(", "));
    let shown: Vec<&str> = shown.map(|(name, _)| name).collect();
    assert!(shown.len() > 15);
    // Steps that the prose describes.
    let described = ["rollback again", "guardrails", "guardrails turned off", "uninstall again"];
    for step in &story.steps {
        assert!(shown.contains(&step.name) || described.contains(&step.name), "{} is not on the page", step.name);
    }
}
