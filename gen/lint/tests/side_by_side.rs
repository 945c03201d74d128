//! kube-api-linter on our Go types of Gateway API, and our conventions on the CRDs of the same types: each finding is one of both, or its difference is
//! explained.
//!
//! Invariants: Go downloads the module, so only the proof runs this. A finding is a linter, `KIND VERSION` and a path.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::{env, fs};

use crd_lint::linters::LINTERS;
use crd_lint::{RULES, findings};
use crd_model::channel::Channel;
use crd_model::schema::Schema;
use crd_model::{Channels, CustomResourceDefinition, yaml};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/side_by_side");
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Types in Go, and the CRDs that are made of them.
struct Subject {
    /// A Go module; none for our own.
    module: Option<&'static str>,
    packages: &'static [&'static str],
    crds: &'static str,
}

const SUBJECTS: [Subject; 5] = [
    Subject { module: None, packages: &["./..."], crds: "bundles/unreleased/experimental" },
    Subject {
        module: Some("sigs.k8s.io/cluster-api@v1.13.0"),
        packages: &["./api/core/...", "./api/ipam/...", "./api/addons/...", "./api/runtime/..."],
        crds: "config/crd/bases",
    },
    Subject { module: Some("sigs.k8s.io/karpenter@v1.14.0"), packages: &["./pkg/apis/..."], crds: "pkg/apis/crds" },
    Subject {
        module: Some("github.com/argoproj/argo-rollouts@v1.9.0"),
        packages: &["./pkg/apis/rollouts/v1alpha1"],
        crds: "manifests/crds",
    },
    Subject {
        module: Some("github.com/cert-manager/cert-manager@v1.21.0"),
        packages: &["./pkg/apis/acme/v1", "./pkg/apis/certmanager/v1"],
        crds: "deploy/crds",
    },
];

/// The program in Go, built in a folder for the test.
struct Program(tempfile::TempDir);

impl Program {
    fn build() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("linters");
        let go = env::var_os("GO").unwrap_or_else(|| "go".into());
        run(go.as_ref(), &["build", "-o", output.to_str().unwrap(), "."], FOLDER.as_ref());
        Self(folder)
    }

    /// The fields of each line that it prints.
    fn lines(&self, arguments: &[&str], folder: &Path) -> Vec<Vec<String>> {
        let text = run(&self.0.path().join("linters"), arguments, folder);
        text.lines().map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }
}

fn run(program: &Path, arguments: &[&str], folder: &Path) -> String {
    let mut command = Command::new(program);
    let output = command.args(arguments).current_dir(folder).env("GOTOOLCHAIN", "auto").env("GOWORK", "off").output();
    let output = output.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Of each linter, the places where it found something, or our conventions did, with a message: `KIND VERSION PATH`.
type Places = BTreeMap<String, BTreeMap<String, String>>;

impl Subject {
    fn folder(&self) -> PathBuf {
        self.module.map_or_else(|| REPOSITORY.into(), crd_testdata::go_module)
    }

    fn crds(&self) -> Vec<Arc<CustomResourceDefinition>> {
        let files = fs::read_dir(self.folder().join(self.crds)).unwrap().map(|entry| entry.unwrap().path());
        let files = files.filter(|path| path.extension().is_some_and(|end| end == "yaml"));
        let values = files.flat_map(|path| yaml::read(&fs::read_to_string(path).unwrap()).unwrap());
        let values = values.filter(|value| value["kind"] == "CustomResourceDefinition");
        values.map(|value| CustomResourceDefinition::from_value(&value).unwrap().into()).collect()
    }

    fn ours(&self) -> Places {
        let crds = self.crds();
        let kinds = crds.iter().map(|crd| (crd.name.to_string(), crd.names.kind.to_string()));
        let (kinds, mut found) = (kinds.collect::<BTreeMap<_, _>>(), Places::new());
        let channels = Channels::from([(Channel::Experimental, crds)]);
        for finding in findings(RULES, &channels, None, &BTreeMap::new()) {
            for (place, linter) in
                finding.places.iter().flat_map(|place| finding.rule.linters.iter().map(move |linter| (place, linter)))
            {
                let path = if place.path.is_empty() { "(root)" } else { &place.path };
                let place = format!("{} {} {path}", kinds[&place.crd], place.version);
                found.entry((*linter).to_owned()).or_default().insert(place, finding.problem.message.clone());
            }
        }
        found
    }

    /// In served versions. `foreign` are the fields that the linters do not look into.
    fn theirs(&self, program: &Program) -> Places {
        let crds = self.crds();
        let versions = crds.iter().flat_map(|crd| {
            let served = crd.versions.iter().filter(|version| version.served);
            served.map(|version| format!("{} {}", crd.names.kind, version.name))
        });
        let (versions, mut found) = (versions.collect::<BTreeSet<_>>(), Places::new());
        let folder = if self.module.is_none() { self.folder().join("api-types/go") } else { self.folder() };
        for line in program.lines(self.packages, &folder) {
            let [linter, version, path, message] = line.try_into().unwrap();
            if versions.contains(&version) {
                let items = if message.contains("array element") { "[*]" } else { "" };
                let path = path.replace("[]", "[*]").replace(".*", "[*]");
                found.entry(linter).or_default().insert(format!("{version} {path}{items}"), message);
            }
        }
        found
    }
}

/// Why only the linter finds it.
fn why_theirs(place: &str, message: &str, crds: &[Arc<CustomResourceDefinition>]) -> Option<&'static str> {
    let Some((node, is_required)) = node(place, crds) else { return Some("the CRD does not have the field") };
    let requires =
        |node: &Schema| !node.required.is_empty() || node.items.as_ref().is_some_and(|item| !item.required.is_empty());
    let below = |part: &&str| place.contains(*part) && !place.ends_with(*part);
    let is_described = node
        .description
        .as_deref()
        .is_some_and(|text| text.starts_with(place.rsplit(['.', ' ']).next().unwrap_or(place)));
    let has = |part: &str| message.contains(part);
    Some(match message {
        _ if has("must be the first field") => "a CRD does not keep the order of fields",
        _ if has("+default marker") => "a CRD does not keep the spelling of markers",
        _ if has("omitempty") || has("omitzero") => "a CRD has no tags of Go",
        _ if has("must be marked as required") => "a CRD has no pointers",
        _ if KUBERNETES.iter().any(below) => "the type is that of Kubernetes, or a copy",
        _ if has("required field") && requires(node) => "the CRD requires a field: embedded, or without marker",
        _ if has("marked as optional") && !is_required => "the field is optional in the CRD, without marker",
        _ if has("slice of metav1.Condition") => "the conditions are of another type with the same fields",
        _ if has("godoc") && node.description.is_none() => "the CRDs have no descriptions",
        _ if has("godoc") && is_described => "a marker is above the description",
        _ if has("map type") && node.values().is_some_and(|values| values.kind.as_deref() == Some("string")) => {
            "the values are strings, of a type of another package"
        }
        _ if has("maximum length") && node.max_length.is_some() => "the CRD is edited after its generation",
        _ if has("Duration") && place.ends_with("waitInsteadOfSelfCheck") => {
            "the name does not show that the string is a duration"
        }
        _ => return None,
    })
}

/// Paths of types of Kubernetes.
const KUBERNETES: [&str; 5] =
    ["openAPIV3Schema", "podTemplate.spec", ".conditions[*]", "job.spec", "template.spec.template"];

/// Why only our conventions find it.
fn why_ours(linter: &str, place: &str, foreign: &BTreeMap<String, String>) -> Option<&'static str> {
    let is_foreign =
        (1..=place.len()).filter(|end| place.is_char_boundary(*end)).any(|end| foreign.contains_key(&place[..end]));
    Some(match linter {
        _ if is_foreign => "the type is of another package",
        "nodurations" => "a duration of another type: a string, or a number without a unit",
        "maxlength" | "minlength" | "ssatags" if place.ends_with("[*]") => {
            "lists in lists and maps, and values of maps, count"
        }
        "maxlength" => "maps count",
        "minlength" if place.ends_with("limits") => "the type is of another package",
        "minlength" | "commentstart" if place.ends_with("After") => "the field is schemaless for the linter",
        "nonpointerstructs" => "the type is a pointer in Go",
        "statussubresource" | "defaultorrequired" => "the marker of a root type or required field is absent in Go",
        "jsontags" => "the field name has an abbreviation",
        _ => return None,
    })
}

/// The node at a place, and whether it is required.
fn node<'s>(place: &str, crds: &'s [Arc<CustomResourceDefinition>]) -> Option<(&'s Schema, bool)> {
    let [kind, version, path] = place.splitn(3, ' ').collect::<Vec<_>>().try_into().unwrap();
    let crd = crds.iter().find(|crd| crd.names.kind == kind)?;
    let (mut node, mut is_required) = (&crd.version(version)?.schema, false);
    for step in path.split('.').filter(|step| *step != "(root)") {
        let name = step.trim_end_matches("[*]");
        is_required = node.required.iter().any(|required| required == name);
        node = node.properties.get(name)?;
        for _ in 0..step.matches("[*]").count() {
            node = node.items.as_deref().or_else(|| node.values())?;
        }
    }
    Some((node, is_required))
}

#[test]
fn findings_are_those_of_kube_api_linter() {
    if !crd_testdata::is_proof() {
        return;
    }
    let (program, mut unexplained) = (Program::build(), Vec::new());
    for subject in SUBJECTS {
        let name = subject.module.unwrap_or("our types");
        let (theirs, ours, crds, nothing) = (subject.theirs(&program), subject.ours(), subject.crds(), BTreeMap::new());
        for linter in LINTERS.iter().filter(|linter| linter.rules().next().is_some()) {
            let [theirs, ours, foreign] = [(&theirs, linter.name), (&ours, linter.name), (&theirs, "foreign")]
                .map(|(found, name)| found.get(name).unwrap_or(&nothing));
            let mut reasons = BTreeMap::<_, usize>::new();
            for (place, message) in theirs.iter().filter(|(place, _)| !ours.contains_key(*place)) {
                match why_theirs(place, message, &crds) {
                    Some(reason) => *reasons.entry(("only theirs", reason)).or_default() += 1,
                    None => unexplained.push(format!("{name}: only {}: {place}: {message}", linter.name)),
                }
            }
            for (place, message) in ours.iter().filter(|(place, _)| !theirs.contains_key(*place)) {
                match why_ours(linter.name, place, foreign) {
                    Some(reason) => *reasons.entry(("only ours", reason)).or_default() += 1,
                    None => unexplained.push(format!("{name}: only our rules for {}: {place}: {message}", linter.name)),
                }
            }
            let both = theirs.keys().filter(|place| ours.contains_key(*place)).count();
            if !theirs.is_empty() || !ours.is_empty() {
                println!("{name}\t{}\t{}\t{}\t{both}\t{reasons:?}", linter.name, theirs.len(), ours.len());
            }
        }
    }
    assert!(unexplained.is_empty(), "{} differences:\n{}", unexplained.len(), unexplained.join("\n"));
}

#[test]
fn the_table_has_every_linter() {
    if !crd_testdata::is_proof() {
        return;
    }
    let names = Program::build().lines(&["names"], FOLDER.as_ref());
    assert_eq!(
        names.iter().map(|line| &*line[0]).collect::<Vec<_>>(),
        LINTERS.iter().map(|linter| linter.name).collect::<Vec<_>>()
    );
}
