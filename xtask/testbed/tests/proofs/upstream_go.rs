//! Our Go packages in place of those of Gateway API v1.7.0: no exported identifier is missing, clients are generated from ours with the generators of
//! that release, and its own packages and tests build on them.
//!
//! Invariants: everything of upstream stays in a temporary folder; each hand-written file and each difference is listed with its reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::go_modules::{REPOSITORY, files_of, go, is_skipped, run, written};

const MODULE: &str = "sigs.k8s.io/gateway-api";
const VERSION: &str = "v1.7.0";
/// Pins the generators of that release, and apidiff.
const TOOLS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/proofs/upstream_go/tools");
const PACKAGES: [&str; 5] = ["apis/v1", "apis/v1alpha2", "apis/v1alpha3", "apis/v1beta1", "apisx/v1alpha1"];

const META: [&str; 3] =
    ["k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/runtime", "k8s.io/apimachinery/pkg/version"];

/// Files of upstream's packages that stay, with the reason.
const HAND_WRITTEN: [(&str, &str); 8] = [
    ("apis/doc.go", "the parent of the packages has no types"),
    ("apisx/doc.go", "the parent of the packages has no types"),
    ("apis/v1/gatewayclass_types_overrides.go", "code that reads an older form of a field"),
    ("apis/v1/gatewayclass_types_test.go", "its test"),
    ("apis/v1/well_known_labels.go", "labels that are made of the name of the group"),
    ("apis/v1/util/", "functions"),
    ("apis/v1alpha2/util/", "functions"),
    ("apis/v1beta1/util/", "functions"),
];

/// Exported identifiers of upstream that our packages alone lack. All are in hand-written files.
const LACKING: [&str; 3] =
    ["apis/v1 (*SupportedFeature).UnmarshalJSON", "apis/v1 GatewayClassNameLabelKey", "apis/v1 GatewayNameLabelKey"];

/// The module of the echo servers. Not every mirror has the version that upstream asks for; an older one has the same packages.
const IMAGES: &str = "sigs.k8s.io/gateway-api-conformance-images";

/// Go's tools, built for this proof.
struct Tools(tempfile::TempDir);

impl Tools {
    /// Builds the tool of this package, or all of them: `tool`.
    fn build(tool: &str) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        run(&go(), &["build", "-o", &format!("{}/", shown(folder.path())), tool], TOOLS.as_ref());
        Self(folder)
    }

    fn run(&self, name: &str, arguments: &[&str], folder: &Path) -> String {
        run(&shown(&self.0.path().join(name)), arguments, folder)
    }
}

fn shown(path: &Path) -> String {
    path.to_str().expect("UTF-8").to_owned()
}

fn ours() -> PathBuf {
    PathBuf::from(REPOSITORY).join("api-types/go")
}

/// Whether the change is that an older version has an alias of a type of v1, where upstream defines the type again: `changed from A to …/v1.A`. Rust
/// has one type, which the older version exports.
fn is_alias(change: &str) -> bool {
    let types = change.strip_prefix("changed from ").and_then(|types| types.split_once(" to "));
    types.is_some_and(|(theirs, ours)| ours.replace(&format!("{MODULE}/apis/v1."), "") == theirs)
}

#[test]
fn no_identifier_of_upstream_is_missing() {
    if is_skipped() {
        return;
    }
    let upstream = crd_testdata::go_module(&format!("{MODULE}@{VERSION}"));
    let (tools, exports) = (Tools::build("golang.org/x/exp/cmd/apidiff"), tempfile::tempdir().expect("a folder"));
    let packages = crd_testdata::sample_of(PACKAGES.to_vec(), |package| *package == "apis/v1");
    let (mut removed, mut aliases, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for package in packages {
        let [theirs, ours] = [("theirs", upstream.clone()), ("ours", ours())].map(|(name, folder)| {
            let file = shown(&exports.path().join(name));
            tools.run("apidiff", &["-w", &file, &format!("{MODULE}/{package}")], &folder);
            file
        });
        let report = tools.run("apidiff", &["-incompatible", &theirs, &ours], &upstream);
        for line in report.lines().filter_map(|line| line.strip_prefix("- ")) {
            let (name, change) = line.split_once(": ").expect("a name and its change");
            let list = match change {
                "removed" => &mut removed,
                change if is_alias(change) => &mut aliases,
                _ => &mut others,
            };
            list.push(format!("{package} {name}"));
        }
    }
    println!("{} identifiers are aliases of those of v1: {}", aliases.len(), aliases.join(", "));
    assert_eq!((removed.as_slice(), others.as_slice()), (LACKING.map(str::to_owned).as_slice(), [].as_slice()));
}

/// Upstream's files without those that are generated from its types, and with our packages.
fn assembled(upstream: &Path) -> tempfile::TempDir {
    let mut files = BTreeMap::new();
    for folder in ["apis", "apisx", "hack/boilerplate", "pkg"] {
        files_of(upstream, &upstream.join(folder), &mut files);
    }
    let is_hand_written = |path: &str| HAND_WRITTEN.iter().any(|(kept, _)| path.starts_with(kept));
    files.retain(|path, _| match path.split('/').next() {
        Some("apis" | "apisx") => is_hand_written(path),
        _ => !path.starts_with("pkg/client/") && !path.starts_with("pkg/generated/"),
    });
    for (kept, reason) in HAND_WRITTEN {
        assert!(files.keys().any(|path| path.starts_with(kept)), "{kept}: {reason}");
        println!("kept {kept}: {reason}");
    }
    for file in ["go.mod", "go.sum"] {
        files.insert(file.to_owned(), fs::read_to_string(upstream.join(file)).expect("a file"));
    }
    let ours = ours();
    for folder in ["apis", "apisx"] {
        files_of(&ours, &ours.join(folder), &mut files);
    }
    files.insert("schema/main.go".to_owned(), include_str!("upstream_go/models.go").to_owned());
    written(&files)
}

/// Writes OpenAPI, apply configurations, the client set, listers and informers, as the script of upstream does.
fn generate(tools: &Tools, folder: &Path) {
    let packages = PACKAGES.map(|package| format!("{MODULE}/{package}"));
    let packages = packages.iter().map(String::as_str).collect::<Vec<_>>();
    let client = format!("{MODULE}/pkg/client");
    let generate = |name: &str, output: &str, arguments: &[&str], packages: &[&str]| {
        let package = format!("{MODULE}/{output}");
        let usual = ["--go-header-file", "hack/boilerplate/boilerplate.generatego.txt"];
        let places = ["--output-dir", output, "--output-pkg", &package];
        tools.run(name, &[&usual[..], &places, arguments, packages].concat(), folder);
    };
    let with_meta = [&packages[..], &META].concat();
    let report = ["--output-file", "zz_generated.openapi.go", "--report-filename", "schema/report"];
    generate("openapi-gen", "pkg/generated/openapi", &report, &with_meta);
    let schema = run(&go(), &["run", "./schema"], folder);
    fs::write(folder.join("schema/openapi.json"), schema).expect("a file");
    generate("applyconfiguration-gen", "applyconfiguration", &["--openapi-schema", "schema/openapi.json"], &packages);
    let (input, apply) = (PACKAGES.join(","), format!("{MODULE}/applyconfiguration"));
    let of_client = ["--clientset-name", "versioned", "--input-base", MODULE, "--input", &input];
    let of_client = [&of_client[..], &["--apply-configuration-package", &apply]].concat();
    generate("client-gen", "pkg/client/clientset", &of_client, &[]);
    generate("lister-gen", "pkg/client/listers", &[], &packages);
    let (clients, listers) = (format!("{client}/clientset/versioned"), format!("{client}/listers"));
    let of_informers = ["--versioned-clientset-package", &clients, "--listers-package", &listers];
    generate("informer-gen", "pkg/client/informers", &of_informers, &packages);
}

#[test]
fn upstream_builds_on_our_packages() {
    if !crd_testdata::is_proof() || is_skipped() {
        println!("skipped: `cargo xtask prove upstream-go` runs it");
        return;
    }
    let folder = assembled(&crd_testdata::go_module(&format!("{MODULE}@{VERSION}")));
    generate(&Tools::build("tool"), folder.path());
    let all = ["./apis/...", "./apisx/...", "./pkg/...", "./applyconfiguration/..."];
    for command in ["build", "vet"] {
        run(&go(), &[&[command], &all[..]].concat(), folder.path());
    }
    let tested = ["./apis/...", "./pkg/features/...", "./pkg/consts/...", "./pkg/utils/..."];
    print!("{}", run(&go(), &[&["test"], &tested[..]].concat(), folder.path()));

    let conformance = crd_testdata::go_module(&format!("{MODULE}/conformance@{VERSION}"));
    let mut files = BTreeMap::new();
    files_of(&conformance, &conformance, &mut files);
    let conformance = written(&files);
    let ours = format!("{MODULE}={}", folder.path().display());
    let images = format!("{IMAGES}={IMAGES}@v0.1.0");
    run(&go(), &["mod", "edit", "-replace", &ours, "-replace", &images], conformance.path());
    for command in ["build", "vet"] {
        run(&go(), &[command, "-mod=mod", "./..."], conformance.path());
    }
    // The tests in the root need a cluster.
    print!("{}", run(&go(), &["test", "-mod=mod", "./apis/...", "./utils/..."], conformance.path()));
}
