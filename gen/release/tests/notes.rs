//! The notes: no finding is lost, each statement is true, and the layout is as recorded.
//!
//! Snapshots stand in `tests/notes/`; with `CRD_WRITE_SNAPSHOTS=1` they are written anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crd_bundle::BundleVersion;
use crd_bundle::admission::ReleasedChannel;
use crd_compat::policy::Profile;
use crd_compat::tombstone::{Element, Kind, Ledger, Tombstone};
use crd_compat::{Channels, Comparison, Declared, Finding, RequiredBump, Verdict, Waived, states};
use crd_convert::Lens;
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_release::Release;
use crd_release::notes::{Notes, SECTIONS, Section, Since, changes, notes, row_of};
use crd_release::template::Templates;
use serde_json::{Value, json};

/// Everything that notes borrow.
struct Case {
    release: Release,
    baseline: Option<BundleVersion>,
    since: Option<(BundleVersion, Channels)>,
    findings: Vec<Finding>,
    verdict: Verdict,
    ledger: Ledger,
    lenses: Vec<Lens>,
    artefacts: Vec<String>,
}

impl Case {
    /// The notes of a bundle over an earlier one, compared as the command line does.
    fn new(since: Option<(&str, Channels)>, version: &str, candidate: Channels) -> Self {
        let declared = Declared::default();
        let old = since.as_ref().map(|(_, channels)| channels);
        let mut findings =
            old.map_or_else(Vec::new, |old| Comparison::new(old, &candidate, Profile::Gep922, &declared).findings());
        findings.extend(states(Some(old.unwrap_or(&candidate)), &candidate, Profile::Gep922, &Arc::default(), false));
        let verdict = Verdict::over(&findings, old.into_iter().flatten().map(|(channel, _)| *channel));
        let channels =
            candidate.into_iter().map(|(channel, crds)| ReleasedChannel { channel, files: crd_bundle::files(crds) });
        let release = Release {
            documents: Vec::new(),
            webhook: None,
            policies: Vec::new(),
            name: "sample-api".to_owned(),
            prefix: "example.com".to_owned(),
            version: version.parse().unwrap(),
            released: "2026-11-21T16:53:52Z".parse().unwrap(),
            channels: channels.collect(),
        };
        let plain = release.plain_version();
        let artefacts = [
            "SHA256SUMS".to_owned(),
            "experimental-install.yaml".to_owned(),
            "guardrails.yaml".to_owned(),
            "release-notes.md".to_owned(),
            format!("sample-api-experimental-{plain}.tgz"),
            format!("sample-api-standard-{plain}.tgz"),
            format!("sample-api-{version}.cdx.json"),
            format!("sample-api-{version}.tar.gz"),
            "standard-install.yaml".to_owned(),
        ];
        let since = since.map(|(version, channels)| (version.parse().unwrap(), channels));
        Self {
            baseline: since.as_ref().map(|(version, _)| *version),
            release,
            since,
            findings,
            verdict,
            ledger: Ledger::default(),
            lenses: Vec::new(),
            artefacts: artefacts.to_vec(),
        }
    }

    fn input(&self) -> Notes<'_> {
        Notes {
            release: &self.release,
            baseline: self.baseline,
            verdict: &self.verdict,
            verdict_findings: &self.findings,
            since: self.since.as_ref().map(|(version, channels)| Since { version: *version, channels }),
            findings: &self.findings,
            ledger: &self.ledger,
            lenses: &self.lenses,
            artefacts: &self.artefacts,
        }
    }

    fn text(&self) -> String {
        let artefact = notes(&self.input(), &Templates::embedded()).unwrap();
        assert_eq!(artefact.name, "release-notes.md");
        String::from_utf8(artefact.bytes).unwrap()
    }
}

/// The bundles of Gateway API's history, oldest first.
fn history() -> Vec<(String, Channels)> {
    let bundle = |version: &&str| {
        let channels = Channel::ALL.into_iter().map(|channel| (channel, crds(version, channel)));
        ((*version).to_owned(), channels.collect())
    };
    crd_testdata::GATEWAY_API.iter().map(bundle).collect()
}

fn crds(version: &str, channel: Channel) -> Vec<Arc<CustomResourceDefinition>> {
    let files = crd_testdata::gateway_api(version, channel.name());
    files.iter().map(|file| Arc::new(CustomResourceDefinition::from_value(&file.json()).unwrap())).collect()
}

/// Every pair of neighbours, and the longest way in both directions: what was added is removed then.
fn pairs(bundles: &[(String, Channels)]) -> Vec<Case> {
    let case = |old: &(String, Channels), new: &(String, Channels), version: &str| {
        Case::new(Some((&old.0, old.1.clone())), version, new.1.clone())
    };
    let mut pairs = bundles.windows(2).map(|pair| case(&pair[0], &pair[1], &pair[1].0)).collect::<Vec<_>>();
    if let [first, .., last] = bundles {
        pairs.push(case(first, last, &last.0));
        pairs.push(case(last, first, "v9.0.0"));
    }
    pairs
}

/// The lines of each section, by heading.
fn by_heading(text: &str) -> BTreeMap<&str, Vec<&str>> {
    let mut sections: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let mut heading = "";
    for line in text.lines() {
        match line.strip_prefix("## ") {
            Some(next) => {
                heading = next;
                assert!(sections.insert(next, Vec::new()).is_none(), "`{next}` twice");
            }
            None => sections.entry(heading).or_default().push(line),
        }
    }
    sections
}

#[test]
fn no_finding_of_the_whole_history_is_lost() {
    let mut listed = 0;
    for case in pairs(&history()) {
        let name = format!("{:?} → {}", case.baseline.map(|version| version.to_string()), case.release.version);
        let input = case.input();
        let changes = changes(&input);
        // Each finding is in one change, and the change has the content of the finding.
        let mut seen = changes.iter().flat_map(|change| change.findings.iter().copied()).collect::<Vec<_>>();
        seen.sort_unstable();
        assert_eq!(seen, (0..case.findings.len()).collect::<Vec<_>>(), "{name}");
        for change in &changes {
            for finding in change.findings.iter().map(|index| &case.findings[*index]) {
                let of = |finding: &Finding| {
                    (
                        finding.rule,
                        finding.crd.clone(),
                        finding.path.clone(),
                        finding.message.clone(),
                        finding.before.clone(),
                    )
                };
                assert_eq!(of(change.finding), of(finding), "{name}");
                assert!(change.channels.contains(&finding.channel), "{name}");
                assert!(finding.version.as_deref().is_none_or(|version| change.versions.contains(version)), "{name}");
            }
        }
        // And the text contains it, in that section: the sentence, the kind with its versions, and the path.
        let text = case.text();
        let sections = by_heading(&text);
        for change in &changes {
            let (row, finding) = (row_of(change.section), change.finding);
            if matches!(change.section, Section::Documentation | Section::States | Section::Stamps) {
                assert!(row.heading.is_empty() || sections.contains_key(row.heading), "{name}: {}", row.heading);
                continue;
            }
            let lines = sections.get(row.heading).unwrap_or_else(|| panic!("{name}: no section {}", row.heading));
            let kind = case.kind(&finding.crd);
            let place = [kind].into_iter().chain(change.versions.iter().map(|version| (*version).to_owned()));
            let place = place.collect::<Vec<_>>();
            let head = finding.message.split(": ").next().unwrap().to_lowercase().replace('`', "");
            assert!(
                lines.iter().any(|line| line.to_lowercase().replace('`', "").contains(&head)),
                "{name}: {head}\n{text}"
            );
            let mut under = false;
            let found = lines.iter().any(|line| {
                if line.starts_with("  * ") {
                    under = place.iter().all(|word| line.contains(word.as_str()));
                }
                under && (finding.path.is_empty() || line.contains(&format!("`{}`", finding.path)))
            });
            assert!(found, "{name}: {place:?} {}\n{}", finding.path, lines.join("\n"));
            listed += 1;
        }
        let counts = SECTIONS
            .iter()
            .map(|row| (row.heading, changes.iter().filter(|change| change.section == row.section).count()));
        for (heading, count) in counts.filter(|(heading, count)| !heading.is_empty() && *count > 0) {
            assert!(
                text.contains(&format!("* [{heading}](#")) && text.contains(&format!("): {count}\n")),
                "{name}: {heading}"
            );
        }
        well_formed(&text);
    }
    println!("{listed} changes looked for");
}

/// What holds for all notes: links lead somewhere, code blocks end, and no line break is doubled or left over.
fn well_formed(text: &str) {
    let anchor = |heading: &str| heading.to_lowercase().replace(' ', "-");
    let anchors = text.lines().filter_map(|line| line.strip_prefix("## ")).map(anchor).collect::<BTreeSet<_>>();
    for link in text.split("](#").skip(1) {
        let link = link.split(')').next().unwrap();
        assert!(anchors.contains(link), "{link}: {anchors:?}");
    }
    assert_eq!(text.lines().filter(|line| *line == "```").count() % 2, 0);
    assert!(!text.contains("\n\n\n") && text.ends_with('\n') && !text.ends_with("\n\n"), "{text}");
    assert!(text.lines().all(|line| line.trim_end() == line), "{text}");
}

impl Case {
    fn kind(&self, crd: &str) -> String {
        let new = self.release.channels.iter().flat_map(|released| released.files.iter().map(|file| &file.crd));
        let old = self.since.iter().flat_map(|(_, channels)| channels.values().flatten());
        new.chain(old).find(|known| known.name == crd).unwrap().names.kind.to_string()
    }
}

/// A version of the sample: its name, what holds of it, and the properties of its `spec`.
fn version(name: &str, marks: &[&str], spec: Value) -> Value {
    let has = |mark: &str| marks.contains(&mark);
    let schema = json!({
        "type": "object",
        "properties": {
            "spec": { "type": "object", "properties": spec },
            "status": { "type": "object", "properties": { "phase": { "type": "string" } } },
        },
    });
    let mut version = json!({
        "name": name,
        "served": !has("unserved"),
        "storage": has("stored"),
        "schema": { "openAPIV3Schema": schema },
    });
    if has("deprecated") {
        version["deprecated"] = json!(true);
        version["deprecationWarning"] = json!("use <v1> | *now*");
    }
    version
}

fn sample(kind: &str, versions: Value) -> Arc<CustomResourceDefinition> {
    let plural = format!("{}s", kind.to_lowercase());
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.example.com") },
        "spec": {
            "group": "example.com",
            "names": { "kind": kind, "plural": plural },
            "scope": if kind == "Mesh" { "Cluster" } else { "Namespaced" },
            "versions": versions,
        },
    });
    Arc::new(CustomResourceDefinition::from_value(&crd).unwrap())
}

fn text() -> Value {
    json!({ "type": "string" })
}

fn limited(length: u32) -> Value {
    json!({ "type": "string", "maxLength": length })
}

/// Two bundles in which everything happens that notes have words for.
fn everything() -> (Channels, Channels) {
    let one_of = |values: &[&str]| json!({ "type": "string", "enum": values });
    let route = |name: &str, marks: &[&str], more: Value| {
        let mut spec = json!({ "host": limited(63), "mode": one_of(&["Fast", "Slow"]), "old": text(), "port": { "type": "integer" } });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        version(name, marks, spec)
    };
    let trial =
        || json!({ "retry": { "type": "object", "properties": { "times": { "type": "integer" } } }, "trial": text() });
    let old = Channels::from([
        (
            Channel::Standard,
            vec![sample("Route", json!([route("v1beta1", &[], json!({})), route("v1", &["stored"], json!({}))]))],
        ),
        (
            Channel::Experimental,
            vec![
                sample("Mesh", json!([version("v1alpha1", &["stored"], json!({}))])),
                sample(
                    "Policy",
                    json!([
                        version("v1alpha1", &[], json!({ "name": text() })),
                        version("v1alpha2", &["stored"], json!({ "name": text() })),
                    ]),
                ),
                sample("Route", json!([route("v1beta1", &[], trial()), route("v1", &["stored"], trial())])),
            ],
        ),
    ]);
    let changed = |name: &str, marks: &[&str], more: Value| {
        let mut spec = json!({
            "host": limited(253), "mode": one_of(&["Fast"]), "port": { "type": "integer", "minimum": 1, "default": 80 },
            "retry": { "type": "object", "properties": { "times": { "type": "integer" } } },
        });
        spec.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        version(name, marks, spec)
    };
    let trial = || json!({ "trial": text(), "mode": one_of(&["Fast", "Turbo|`x`"]), "new": text() });
    let new = Channels::from([
        (
            Channel::Standard,
            vec![sample(
                "Route",
                json!([changed("v1beta1", &["deprecated"], json!({})), changed("v1", &["stored"], json!({}))]),
            )],
        ),
        (
            Channel::Experimental,
            vec![
                sample("Backend", json!([version("v1alpha1", &["stored"], json!({}))])),
                sample(
                    "Policy",
                    json!([
                        version("v1alpha2", &["unserved"], json!({ "name": text() })),
                        version("v1", &["stored"], json!({ "name": text() })),
                    ]),
                ),
                sample(
                    "Route",
                    json!([changed("v1beta1", &["deprecated"], trial()), changed("v1", &["stored"], trial())]),
                ),
            ],
        ),
    ]);
    (old, new)
}

fn buried(kind: Kind, crd: &str, path: &str, name: &str, reason: &str, replacement: Option<&str>) -> Tombstone {
    Tombstone {
        name: Element::at(crd, kind, path, name),
        removed: "v1.7.0".to_owned(),
        reason: reason.to_owned(),
        replacement: replacement.map(str::to_owned),
        migrated: false,
    }
}

/// Notes of these bundles, with a ledger and a waiver.
fn all_changes() -> Case {
    let (old, new) = everything();
    let mut case = Case::new(Some(("v1.6.1", old)), "v1.7.0", new);
    let tombstones = [
        buried(Kind::Resource, "meshs.example.com", "", "", "had no users", Some("backends.example.com")),
        buried(Kind::Field, "routes.example.com", "spec", "old", "never did anything", None),
        buried(Kind::Value, "routes.example.com", "spec.mode", "Slow", "Fast is not slower", Some("Fast")),
        buried(Kind::Version, "policys.example.com", "", "v1alpha1", "was a draft", Some("v1")),
    ];
    for tombstone in tombstones {
        case.ledger.add(tombstone).unwrap();
    }
    let lens = |since: &str, kind: &str, step: Value| {
        let name = format!("{kind} {since}");
        let lens = json!({
            "name": name, "resource": "routes.example.com", "group": "example.com", "kind": kind, "since": since, "steps": [step]
        });
        Lens::from_value(&lens).unwrap()
    };
    case.lenses = vec![
        lens("v1.6.1", "Policy", json!({"operation": "rename", "from": "spec.a", "to": "spec.b"})),
        lens("v1.7.0", "Route", json!({"operation": "rename", "from": "spec.old", "to": "spec.trial"})),
        lens("v1.7.0", "Mesh", json!({"operation": "drop", "path": "spec.size", "reason": "no <mesh> had one"})),
        lens(
            "v1.7.0",
            "Mesh",
            json!({"operation": "code", "name": "weigh", "from": ["spec.weight", "spec.unit"], "to": ["spec.mass"]}),
        ),
    ];
    for finding in &mut case.findings {
        if finding.rule == "tightened" && finding.channel == Channel::Standard {
            finding.waived =
                Some(Waived { to: RequiredBump::Patch, reason: "no user <can> use port 0, see #12".to_owned() });
        }
    }
    case.verdict = Verdict::over(&case.findings, Channel::ALL);
    case
}

/// Compares with a file, or writes it.
fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notes").join(name);
    if std::env::var_os("CRD_WRITE_SNAPSHOTS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(text == expected, "{} differs from these notes:\n{text}", path.display());
}

#[test]
fn every_kind_of_change_is_described() {
    let case = all_changes();
    let text = case.text();
    well_formed(&text);
    // In addition to the snapshot: each of these by itself, so that an accepted snapshot cannot lack one.
    let lines = text.lines().map(str::trim_start).collect::<BTreeSet<_>>();
    for line in [
        "* Write `apiVersion: example.com/v1` instead of `example.com/v1alpha1` in manifests of Policy (experimental).",
        "* Create objects of Mesh anew as `backends.example.com`.",
        "* Route: `spec.old` is renamed to `spec.trial`.",
        "* Mesh: `spec.weight` and `spec.unit` become `spec.mass`, by the functions `weigh`.",
        "* Write manifests of Mesh and Route in the new form: see [Conversions](#conversions). `crd-channels convert MANIFESTS --in-place --conversions conversions.json` edits them. Lenses of Mesh are functions: `cargo xtask convert MANIFESTS --in-place` of this project has them. Objects in the cluster need no change.",
        r"* Mesh: `spec.size` is removed. Lost: the value of `spec.size` (no \<mesh\> had one).",
        "* Convert the objects of Mesh and Route that you read to the new form, in memory only, by the lenses in `conversions.json`: see [Conversions](#conversions).",
        "* Route v1, v1beta1: `spec.retry`",
        "* Route v1, v1beta1: `spec.host`, `63` → `253`",
        "* Route v1, v1beta1: `spec.old`, never did anything",
        "* Route v1, v1beta1: `spec.mode`, was `Slow`; Fast is not slower; instead: `Fast`",
        r"* Route v1beta1: the server's warning: use \<v1\> \| \*now\*",
        "* Route v1, v1beta1 (experimental): `spec.mode`, `` Turbo|`x` ``",
        "* Policy v1alpha2 (experimental)",
        "* Policy (experimental): `v1alpha2` → `v1`",
        "kubectl get meshs.example.com",
        "kubectl delete crd --ignore-not-found meshs.example.com",
        "kubectl get policys.v1.example.com --all-namespaces -o json | kubectl replace -f -",
        "* `spec.mode`: the value `` Turbo|`x` ``",
        "* `spec.trial`",
        "* `tightened` asks for a major bundle; waived, it asks for a patch bundle: no user \\<can\\> use port 0, see #12",
        "| standard | 1 | major | stable parts, which change only compatibly |",
    ] {
        assert!(lines.contains(line), "{line}\n{text}");
    }
    snapshot("everything.md", &text);
}

#[test]
fn the_first_release_says_what_there_is() {
    let (_, new) = everything();
    let text = Case::new(None, "v1.7.0-rc.1", new).text();
    well_formed(&text);
    for absent in ["## For ", "asks for", "required bump", "stay behind\n", "## Added", "since"] {
        assert!(!text.contains(absent), "{absent}\n{text}");
    }
    snapshot("first.md", &text);
}

#[test]
fn a_bundle_that_changes_nothing_asks_for_nothing() {
    let (old, mut new) = everything();
    // Nothing is experimental either.
    let standard = new[&Channel::Standard].clone();
    new.insert(Channel::Experimental, standard.clone());
    let unchanged = Channels::from([(Channel::Standard, standard.clone()), (Channel::Experimental, standard)]);
    let text = Case::new(Some(("v1.6.1", unchanged.clone())), "v1.6.2", unchanged).text();
    assert_eq!(text.matches("No action is required.").count(), 3, "{text}");
    let headings = by_heading(&text).into_keys().collect::<Vec<_>>();
    assert_eq!(text.matches(" | works |").count(), 8, "{text}");
    assert_eq!(
        headings,
        ["", "Clients", "Files", "For implementers", "For installers", "For users", "Install"],
        "{text}"
    );
    // A channel that only one bundle has is not compared, and its CRDs stay in the cluster.
    let only = Channels::from([(Channel::Standard, old[&Channel::Standard].clone())]);
    let text = Case::new(Some(("v1.6.1", old)), "v1.6.2", only).text();
    assert!(text.contains("policys.example.com") && !text.contains("From experimental to standard"), "{text}");
}

/// Guardrails that no release replaces would refuse what is standard by now.
#[test]
fn guardrails_that_nothing_replaces_are_to_be_deleted() {
    const DELETE: &str = "`kubectl delete --ignore-not-found validatingadmissionpolicybinding,validatingadmissionpolicy guardrails.example.com`";
    let (old, new) = everything();
    let same = |channels: &Channels, channel| {
        let crds = channels[&channel].clone();
        Channels::from([(Channel::Standard, crds.clone()), (Channel::Experimental, crds)])
    };
    let graduated = same(&new, Channel::Experimental);
    let only = Channels::from([(Channel::Standard, new[&Channel::Standard].clone())]);
    for (since, candidate, expected) in [
        (&old, &graduated, true),
        (&old, &only, true),
        (&old, &new, false),
        (&graduated, &new, false),
        (&graduated, &only, false),
        (&graduated, &graduated, false),
    ] {
        let text = Case::new(Some(("v1.6.1", since.clone())), "v1.7.0", candidate.clone()).text();
        let sections = by_heading(&text);
        let is_listed = sections["For installers"].iter().any(|line| line.contains(DELETE));
        assert_eq!(is_listed, expected, "{text}");
        assert_eq!(text.matches("guardrails.example.com").count(), usize::from(expected), "{text}");
    }
    assert!(!Case::new(None, "v1.7.0", graduated).text().contains("guardrails.example.com"));
}

/// The notes of a pre-release list the changes since the previous one; the verdict is over the release.
#[test]
fn a_pre_release_is_compared_with_the_one_before() {
    let (old, new) = everything();
    let verdict_findings = Case::new(Some(("v1.6.1", old)), "v1.7.0-rc.2", new.clone());
    let since = Case::new(Some(("v1.7.0-rc.1", new.clone())), "v1.7.0-rc.2", new);
    let input = Notes {
        baseline: verdict_findings.baseline,
        verdict: &verdict_findings.verdict,
        verdict_findings: &verdict_findings.findings,
        ..since.input()
    };
    let text = String::from_utf8(notes(&input, &Templates::embedded()).unwrap().bytes).unwrap();
    for part in [
        "since v1.7.0-rc.1.",
        "The baseline of this bundle is v1.6.1",
        "This is a pre-release",
        "| standard | 1 | major |",
        "No action is required.",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    assert!(!text.contains("## Tightened"), "{text}");
}

/// Only published files are named.
#[test]
fn files_that_are_not_shipped_are_not_named() {
    let mut case = all_changes();
    case.artefacts = vec!["standard-install.yaml".to_owned(), "other|file".to_owned()];
    let text = case.text();
    assert!(text.contains("| `standard-install.yaml` |") && text.contains("| `other\\|file` |  |"), "{text}");
    for absent in ["tgz", "tar.gz", "experimental-install", "SBOM", "helm "] {
        assert!(!text.contains(absent), "{absent}\n{text}");
    }
}

/// Names and values that only experimental has are the additions that `diff` finds from standard to experimental.
#[test]
fn experimental_only_elements_are_those_of_a_diff_of_the_channels() {
    use crd_compat::{Change, Difference, Presence, Renames, changes};
    use crd_stamps::experimental_only::{Element, experimental_only};

    let mut compared = 0;
    for (bundle, channels) in history() {
        let (standard, experimental) = (&channels[&Channel::Standard], &channels[&Channel::Experimental]);
        let mut ours = BTreeSet::new();
        for crd in experimental {
            let known = standard.iter().find(|known| known.name == crd.name).map(|known| &**known);
            for only in experimental_only(known, crd) {
                let location = |detail: String| (crd.name.to_string(), only.version.clone(), only.path.text(), detail);
                match &only.element {
                    Element::Resource => ours.insert(location("resource".to_owned())),
                    Element::Version { listed: true } => ours.insert(location("served".to_owned())),
                    Element::Version { listed: false } => ours.insert(location("version".to_owned())),
                    Element::Field => ours.insert(location("field".to_owned())),
                    Element::Values(values) => {
                        values.iter().fold(false, |_, value| ours.insert(location(value.to_string())))
                    }
                    Element::ValuesExcept(_) => ours.insert(location("enum".to_owned())),
                    Element::Empty => unreachable!("only features are about it"),
                };
            }
        }
        let theirs = changes(Channel::Standard, standard, experimental, &Renames::default())
            .iter()
            .filter_map(|located| {
                let detail = match &located.change {
                    Change::Resource(Presence::Added(())) => "resource".to_owned(),
                    Change::Version(Presence::Added(_)) => "version".to_owned(),
                    Change::Served(Presence::Added(())) => "served".to_owned(),
                    Change::Schema(Difference::Enum(Presence::Removed(_))) => "enum".to_owned(),
                    Change::Schema(Difference::Field(Presence::Added(_))) => "field".to_owned(),
                    Change::Schema(Difference::EnumValue(Presence::Added(value))) => value.to_string(),
                    _ => return None,
                };
                let location = &located.location;
                Some((location.crd().to_owned(), location.version().map(str::to_owned), located.path(), detail))
            })
            .collect::<BTreeSet<_>>();
        assert_eq!(ours, theirs, "{bundle}");
        compared += ours.len();
    }
    println!("{compared} names compared");
}

#[test]
fn a_real_pair_reads_well() {
    let bundle = |version| Channel::ALL.into_iter().map(|channel| (channel, crds(version, channel))).collect();
    let text = Case::new(Some(("v1.4.0", bundle("v1.4.0"))), "v1.6.0", bundle("v1.6.0")).text();
    snapshot("gateway-api-v1.4.0-v1.6.0.md", &text);
}

/// By an independent reader of CommonMark: `python3 -m pip install markdown-it-py`.
#[test]
fn a_reader_of_markdown_finds_what_was_meant() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/validate_notes.py");
    let folder = tempfile::tempdir().unwrap();
    let mut cases = pairs(&history()).into_iter().map(|case| case.text()).collect::<Vec<_>>();
    cases.push(all_changes().text());
    let mut command = std::process::Command::new("python3");
    command.arg(script);
    for (index, text) in cases.iter().enumerate() {
        let path = folder.path().join(format!("{index}.md"));
        std::fs::write(&path, text).unwrap();
        command.arg(path);
    }
    let output = command.output();
    let (code, output) = match output {
        Ok(output) => {
            (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
        }
        Err(error) => (Some(77), format!("python3: {error}")),
    };
    if code == Some(77) {
        assert!(std::env::var_os("CRD_RELEASE_TOOLS").is_none_or(|value| value != "require"), "{output}");
        println!("skipped: {output}");
        return;
    }
    assert_eq!(code, Some(0), "{output}");
    println!("{output}");
}
