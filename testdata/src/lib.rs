//! Facts about published APIs, which tests compare with: the archives in this folder, read from memory, and the Go modules that proofs download.
//!
//! `README.md` lists the source, version, licence and checksum of each archive, and what was removed from it.
//!
//! Invariants: only tests depend on this crate; an unknown version or channel panics, so that no test passes without its data.

mod dice;
mod go_types;
mod laws;
pub mod reader;

pub use dice::Dice;
pub use go_types::{
    GO_GATEWAY_API, GO_OVERLAYS, GateMarker, GoProject, go_gates, go_gateway_api, go_project, kubebuilder,
};
pub use laws::{Law, RulePair, laws};

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use flate2::read::GzDecoder;
use lzma_rust2::XzReader;
use serde_json::{Value, json};

/// What a reader takes for a plus; the plus is the first one.
pub const PLUSES: &[&str] = &[
    "+",
    "++",
    "＋",
    "﹢",
    "⁺",
    "₊",
    "➕",
    "˖",
    "✚",
    "&plus;",
    "&#43;",
    "&#x2B;",
    "+\u{fe0f}",
    "\u{200b}+",
    "⨥",
    "∔",
    "&plus",
    "&#43",
    "&#0043;",
    "&#x002b;",
    "&amp;plus;",
    "&oplus;",
    "ⵜ",
    "<b>+</b>",
    "[+](a)",
    "+\u{308}",
    "⨢",
    "⨧",
    "᛭",
    "𐊛",
    "𐀫",
    "十",
    "┼",
    "☩",
    "&#x2b",
    "&CirclePlus;",
    "&#xFF0B;",
    "<i>+",
    "+<!-- a -->",
    "+&nbsp;",
    "+&#8203;",
    "+\u{301}",
    "\u{200b}+\u{200b}",
];

/// Both release channels of Gateway API.
const CHANNELS: [&str; 2] = ["standard", "experimental"];

/// One of so many cases is in a sample.
const STEP: usize = 25;

/// How many of so many random cases a test runs: one of 25, or all of them in a proof (`cargo xtask prove`).
#[must_use]
pub fn sample(all: usize) -> usize {
    if is_proof() { all } else { all.div_ceil(STEP) }
}

/// Which of these cases a test runs: one of 25, the last one, and those that a sample needs; or all of them in a proof.
pub fn sample_of<T>(mut all: Vec<T>, is_needed: impl Fn(&T) -> bool) -> Vec<T> {
    let mut left = all.len();
    all.retain(|case| {
        left -= 1;
        is_proof() || left.is_multiple_of(STEP) || is_needed(case)
    });
    all
}

/// Whether `cargo xtask prove` runs the test: all cases count, not the time.
#[must_use]
pub fn is_proof() -> bool {
    std::env::var_os("CRD_PROVE").is_some()
}

/// The folder of a Go module, for example `istio.io/api@v1.32.0`. Go downloads what its cache does not have, so only proofs ask for it. `GO` names
/// another program than `go`.
///
/// # Panics
/// If Go is missing, or does not find the module.
#[must_use]
pub fn go_module(module: &str) -> PathBuf {
    let go = std::env::var_os("GO").unwrap_or_else(|| "go".into());
    let output = Command::new(go)
        .args(["mod", "download", "-json", module])
        .env("GOTOOLCHAIN", "auto")
        .output()
        .expect("go runs");
    let answer: Value = serde_json::from_slice(&output.stdout).expect("JSON of Go");
    answer["Dir"].as_str().map(PathBuf::from).unwrap_or_else(|| panic!("{module}: {answer}"))
}

/// A file of an archive.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// The path below the folder that was asked for, for example `httproutes.gateway.networking.k8s.io.json`.
    pub path: &'static str,
    /// The content.
    pub text: &'static str,
}

impl File {
    /// The content as JSON.
    ///
    /// # Panics
    /// If it is not JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        serde_json::from_str(self.text).unwrap_or_else(|error| panic!("{}: {error}", self.path))
    }
}

/// An archive, unpacked at its first use: the files by path.
struct Archive {
    /// Compressed by xz or gzip.
    bytes: &'static [u8],
    files: OnceLock<BTreeMap<String, String>>,
}

/// The first bytes of what xz compressed.
const XZ: &[u8] = b"\xfd7zXZ\0";

impl Archive {
    const fn new(bytes: &'static [u8]) -> Self {
        Self { bytes, files: OnceLock::new() }
    }

    fn files(&'static self) -> &'static BTreeMap<String, String> {
        self.files.get_or_init(|| {
            let unpacked: Box<dyn Read> = match self.bytes.starts_with(XZ) {
                true => Box::new(XzReader::new(self.bytes, false)),
                false => Box::new(GzDecoder::new(self.bytes)),
            };
            let mut archive = tar::Archive::new(unpacked);
            let entries = archive.entries().expect("an archive");
            let files = entries.map(|entry| {
                let mut entry = entry.expect("an entry");
                let path = entry.path().expect("a path").to_str().expect("a path in UTF-8").to_owned();
                let mut text = String::new();
                entry.read_to_string(&mut text).expect("text in UTF-8");
                (path, text)
            });
            files.collect()
        })
    }

    fn file(&'static self, path: &str) -> &'static str {
        self.files().get(path).unwrap_or_else(|| panic!("the archive has no file {path}"))
    }

    /// The files below a folder, sorted by path.
    fn folder(&'static self, folder: &str) -> Vec<File> {
        let below = |path: &'static String| path.strip_prefix(folder)?.strip_prefix('/');
        let files = self.files().iter().filter_map(|(path, text)| Some(File { path: below(path)?, text }));
        let files = files.collect::<Vec<_>>();
        assert!(!files.is_empty(), "the archive has no folder {folder}");
        files
    }
}

macro_rules! histories {
    ($($project:literal)*) => {
        /// The projects whose stable releases are archived: each one whose CRDs differ from those of the release before it. Of Gateway API,
        /// each one.
        pub const HISTORIES: &[&str] = &[$($project),*];

        fn history(project: &str) -> &'static Archive {
            match project {
                $($project => {
                    static ARCHIVE: Archive = Archive::new(include_bytes!(concat!("../", $project, ".tar.xz")));
                    &ARCHIVE
                })*
                _ => panic!("the history of {project} is not archived"),
            }
        }
    };
}

histories! {
    "argo-rollouts" "cert-manager" "cluster-api" "ec2-controller" "external-secrets" "gateway-api" "karpenter" "openshift-api" "s3-controller"
}

/// The CRDs of all archived releases of a project.
///
/// # Panics
/// If the project is not in [`HISTORIES`].
pub fn history_files(project: &str) -> impl Iterator<Item = File> {
    history(project).files().iter().map(|(path, text)| File { path, text })
}

/// Writes the CRDs of all archived releases of a project into a new folder, for programs that read folders: `VERSION/NAME.json`, or
/// `VERSION/CHANNEL/NAME.json`, and `dates.tsv`.
///
/// # Panics
/// If the project is not in [`HISTORIES`], or a file cannot be written.
pub fn unpack_history(project: &str, folder: &Path) {
    let dates =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/dates.tsv")).expect("a file of the repository");
    let dates = dates.lines().filter_map(|line| line.strip_prefix(project)?.strip_prefix('\t'));
    let dates = ("dates.tsv".to_owned(), dates.map(|line| format!("{line}\n")).collect::<String>());
    for (path, text) in history(project).files().iter().chain([(&dates.0, &dates.1)]) {
        let path = folder.join(path);
        let parent = path.parent().expect("a folder");
        let written = std::fs::create_dir_all(parent).and_then(|()| std::fs::write(&path, text));
        written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

static NODES: Archive = Archive::new(include_bytes!("../nodes.tar.xz"));

/// Nodes of the schemas of 49 projects that have rules or unions, as one JSON list.
#[must_use]
pub fn nodes() -> &'static str {
    NODES.file("nodes.json")
}

static CHART_PAIRS: Archive = Archive::new(include_bytes!("../chart-pairs.tar.xz"));

/// Pairs of releases whose charts have CRDs: the CRDs of the old and of the new one, by the name of the pair and their versions: `breaks-contour`.
#[must_use]
pub fn chart_pairs() -> BTreeMap<&'static str, [(&'static str, Vec<File>); 2]> {
    let mut pairs: BTreeMap<&str, BTreeMap<Vec<u32>, &str>> = BTreeMap::new();
    for path in CHART_PAIRS.files().keys() {
        let mut names = path.trim_start_matches("./").split('/');
        // Folders are entries too.
        if let (Some(pair), Some(version), Some(1..)) = (names.next(), names.next(), names.next().map(str::len)) {
            let order = version.trim_start_matches('v').split('.').filter_map(|number| number.parse().ok()).collect();
            pairs.entry(pair).or_default().insert(order, version);
        }
    }
    let sides = |pair: &str, versions: BTreeMap<Vec<u32>, &'static str>| {
        let files = |version| {
            CHART_PAIRS
                .folder(&format!("./{pair}/{version}"))
                .into_iter()
                .filter(|file| !file.path.is_empty())
                .collect()
        };
        let sides = versions.into_values().map(|version| (version, files(version)));
        <[_; 2]>::try_from(sides.collect::<Vec<_>>()).expect("two releases")
    };
    pairs.into_iter().map(|(pair, versions)| (pair, sides(pair, versions))).collect()
}

/// The releases of Gateway API that tests compare in detail, oldest first.
pub const GATEWAY_API: &[&str] = &[
    "v0.5.0", "v0.6.0", "v0.7.0", "v0.8.1", "v1.0.0", "v1.1.0", "v1.2.0", "v1.3.0", "v1.4.0", "v1.5.0", "v1.6.0",
    "v1.6.1", "v1.6.3", "v1.7.0",
];

/// The release of Gateway API whose types `api-types` has.
pub const NEWEST_GATEWAY_API: &str = "v1.7.0";

/// The CRDs that a release of Gateway API published in a channel, as `NAME.json`, sorted by name.
///
/// # Panics
/// If the version is not archived, or the channel is not `standard` or `experimental`.
#[must_use]
pub fn gateway_api(version: &str, channel: &str) -> Vec<File> {
    history("gateway-api").folder(&format!("{version}/{channel}"))
}

/// The CRDs of [`GATEWAY_API`], both channels, with a label such as `v1.6.1 standard NAME.json`.
pub fn all_gateway_api() -> impl Iterator<Item = (String, File)> {
    GATEWAY_API.iter().flat_map(|version| {
        CHANNELS.into_iter().flat_map(move |channel| {
            let files = gateway_api(version, channel).into_iter();
            files.map(move |file| (format!("{version} {channel} {}", file.path), file))
        })
    })
}

/// Writes the CRDs that a release of Gateway API published in a channel into an existing folder, for programs that read folders.
///
/// # Panics
/// If a file cannot be written, and as [`gateway_api`] does.
pub fn unpack_gateway_api(version: &str, channel: &str, folder: &Path) {
    unpack(&gateway_api(version, channel), folder);
}

static EXAMPLES_AND_CONSTANTS: Archive = Archive::new(include_bytes!("../gateway-api-v1.7.0.tar.gz"));

/// The example manifests of Gateway API v1.7.0 that the CRDs of a channel accept: YAML files.
///
/// # Panics
/// If the channel is not `standard` or `experimental`.
#[must_use]
pub fn gateway_api_examples(channel: &str) -> Vec<File> {
    EXAMPLES_AND_CONSTANTS.folder(&format!("examples/{channel}"))
}

/// The objects of Gateway API v1.7.0 that the CRDs of a channel refuse: YAML files.
///
/// # Panics
/// If the channel is not `standard` or `experimental`.
#[must_use]
pub fn gateway_api_invalid_examples(channel: &str) -> Vec<File> {
    EXAMPLES_AND_CONSTANTS.folder(&format!("invalid-examples/{channel}"))
}

/// The constants of Gateway API v1.7.0: lists of `{"name", "type", "value"}` by API version.
#[must_use]
pub fn gateway_api_constants() -> Value {
    File { path: "constants.json", text: EXAMPLES_AND_CONSTANTS.file("constants.json") }.json()
}

/// The releases of Karpenter that tests compare in detail, oldest first.
pub const KARPENTER: &[&str] =
    &["v0.33.0", "v0.34.0", "v0.35.0", "v0.36.0", "v0.37.0", "v1.0.0", "v1.12.0", "v1.13.0", "v1.14.0"];

/// The CRDs that a release of Karpenter published, as `NAME.json`, sorted by name.
///
/// # Panics
/// If the version is not archived.
#[must_use]
pub fn karpenter(version: &str) -> Vec<File> {
    history("karpenter").folder(version)
}

/// Writes the CRDs that a release of Karpenter published into an existing folder, for programs that read folders.
///
/// # Panics
/// If a file cannot be written, and as [`karpenter`] does.
pub fn unpack_karpenter(version: &str, folder: &Path) {
    unpack(&karpenter(version), folder);
}

fn unpack(files: &[File], folder: &Path) {
    for file in files {
        let path = folder.join(file.path);
        std::fs::write(&path, file.text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }
}

/// Releases of other projects that tests compare in detail: project and version. Of each project the newest release, and the oldest one with CRDs of
/// `apiextensions.k8s.io/v1`.
pub const PROJECTS: &[(&str, &str)] = &[
    ("argo-rollouts", "v1.0.0"),
    ("argo-rollouts", "v1.9.0"),
    ("cert-manager", "v1.0.0"),
    ("cert-manager", "v1.21.0"),
    ("cluster-api", "v0.3.0"),
    ("cluster-api", "v1.13.0"),
    ("ec2-controller", "v0.0.5"),
    ("ec2-controller", "v1.20.0"),
    ("external-secrets", "v0.1.2"),
    ("external-secrets", "v2.9.0"),
    ("karpenter", "v0.21.0"),
    ("karpenter", "v1.14.0"),
    ("openshift-api", "release-4.8"),
    ("openshift-api", "release-5.1"),
    ("s3-controller", "v0.0.3"),
    ("s3-controller", "v1.10.0"),
];

/// CRDs of OpenShift with keywords that Kubernetes does not have.
const NOT_STRUCTURAL: [&str; 2] = ["dnses.operator.openshift.io.json", "routes.route.openshift.io.json"];

/// The CRDs that a release of a project published, as `NAME.json`, by channel. A project without channels has only `standard`. Two CRDs that are
/// not structural are left out, and so is the experimental channel of the oldest release.
///
/// # Panics
/// If the release is not in [`PROJECTS`].
#[must_use]
pub fn project(project: &str, version: &str) -> BTreeMap<&'static str, Vec<File>> {
    let mut channels: BTreeMap<&'static str, Vec<File>> = BTreeMap::new();
    for File { path, text } in history(project).folder(version) {
        let (channel, path) = path.split_once('/').unwrap_or(("standard", path));
        if !NOT_STRUCTURAL.contains(&path)
            && (project, version, channel) != ("openshift-api", "release-4.8", "experimental")
        {
            channels.entry(channel).or_default().push(File { path, text });
        }
    }
    channels
}

static CONTROLLER_GEN_21: Archive = Archive::new(include_bytes!("../controller-gen-v0.21.tar.gz"));
static CONTROLLER_GEN_23: Archive = Archive::new(include_bytes!("../controller-gen-v0.23.tar.gz"));

/// The markers of controller-gen v0.23 as a table, separated by tabs: marker, target, arguments, whether it is deprecated.
#[must_use]
pub fn controller_gen_markers() -> &'static str {
    CONTROLLER_GEN_23.file("markers.tsv")
}

/// Go fields and types with markers, and the schema that a release of controller-gen makes of each: one JSON object in each line.
#[must_use]
pub fn controller_gen_effects(release: &str) -> &'static str {
    let archive = if release == "v0.21" { &CONTROLLER_GEN_21 } else { &CONTROLLER_GEN_23 };
    archive.file("effects.jsonl")
}

/// The conformance features of Gateway API as a table, separated by tabs: release, feature, channel. The names of some begin with `Support`, which
/// reports leave out.
pub const CONFORMANCE_FEATURES: &str = include_str!("../conformance-features.tsv");

/// GitHub actions with the commits of their tags as a table, separated by tabs: action, tag, commit.
pub const GITHUB_ACTIONS: &str = include_str!("../github-actions.tsv");

/// A CRD of `things.example.com` with one namespaced version, `v1`, of this schema.
#[must_use]
pub fn thing_crd(schema: &Value, subresources: &Value) -> Value {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
            "versions": [{
                "name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}, "subresources": subresources,
            }],
        },
    })
}

/// The CRD of one side of a pair. `spec` is the schema of `spec` in the only version; `versions`, `conversion`, `scope` and `stored` (the stored
/// versions of its status) replace parts of the CRD.
#[must_use]
pub fn side_crd(side: &Value) -> Value {
    let schema = || json!({"type": "object", "properties": {"spec": side["spec"]}});
    let version = || json!({"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema()}});
    let mut crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "ts.q.example.com"},
        "spec": {
            "group": "q.example.com",
            "names": {"plural": "ts", "singular": "t", "kind": "T", "listKind": "TList"},
            "scope": side.get("scope").cloned().unwrap_or_else(|| json!("Namespaced")),
            "versions": side.get("versions").cloned().unwrap_or_else(|| json!([version()])),
        },
    });
    if let Some(conversion) = side.get("conversion") {
        crd["spec"]["conversion"] = conversion.clone();
    }
    if let Some(stored) = side.get("stored") {
        crd["status"] = json!({"storedVersions": stored});
    }
    crd
}

/// A thing of the CRD of [`thing_crd`] as it is stored, with these members in addition to, or in place of, those of every thing.
///
/// # Panics
/// If the members are not an object.
#[must_use]
pub fn thing(members: &Value) -> Value {
    let mut thing = json!({
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "b", "resourceVersion": "1"},
    });
    let members = members.as_object().expect("an object").clone();
    thing.as_object_mut().expect("an object").extend(members);
    thing
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;
    use std::path::Path;

    use sha2::{Digest as _, Sha256};

    use super::*;

    /// Rows of the README: `` | `FILE` | … | `SHA-256` | ``.
    #[test]
    fn every_archive_has_the_checksum_of_the_readme() {
        let readme = include_str!("../README.md");
        let rows = readme.lines().filter_map(|line| {
            let (file, rest) = line.strip_prefix("| `")?.split_once('`')?;
            let (_, checksum) = rest.strip_suffix("` |")?.rsplit_once('`')?;
            (checksum.len() == 64).then(|| (file.to_owned(), checksum.to_owned()))
        });
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
        let entries = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
        let files = entries.filter_map(|entry| {
            let name = entry.file_name().into_string().expect("a name in UTF-8");
            let is_data = [".tar.gz", ".tar.xz", ".tsv"].iter().any(|end| name.ends_with(end));
            is_data.then(|| (name, checksum(&std::fs::read(entry.path()).expect("a file"))))
        });
        assert_eq!(files.collect::<BTreeMap<_, _>>(), rows.collect::<BTreeMap<_, _>>());
    }

    fn checksum(bytes: &[u8]) -> String {
        Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
            write!(text, "{byte:02x}").expect("text");
            text
        })
    }

    /// Keywords that hold prose are removed; a property may have the name of such a keyword.
    fn schema_without_text(schema: &Value, label: &str) {
        for keyword in ["description", "title", "example", "externalDocs"] {
            assert!(schema.get(keyword).is_none(), "{label}: {keyword}");
        }
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    properties.values().for_each(|schema| schema_without_text(schema, label));
                }
                ("items" | "additionalProperties" | "not", schema) => schema_without_text(schema, label),
                ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                    schemas.iter().for_each(|schema| schema_without_text(schema, label));
                }
                _ => {}
            }
        }
    }

    pub(crate) fn crd_without_text(crd: &Value, label: &str) {
        // `apiextensions.k8s.io/v1beta1` has a schema and columns of all versions.
        let versions = crd["spec"]["versions"].as_array().into_iter().flatten();
        for version in versions.chain([&crd["spec"]]) {
            for schema in [&version["schema"]["openAPIV3Schema"], &version["validation"]["openAPIV3Schema"]] {
                schema_without_text(schema, label);
            }
            let columns = version["additionalPrinterColumns"].as_array().into_iter().flatten();
            assert!(columns.into_iter().all(|column| column.get("description").is_none()), "{label}");
            let warning = version.get("deprecationWarning").map(|text| text.as_str().expect("text"));
            assert!(warning.is_none_or(|text| text.contains(" is deprecated; use ")), "{label}: {warning:?}");
        }
    }

    #[test]
    fn no_archive_has_text_of_its_authors() {
        let mut count = 0;
        for (project, file) in
            HISTORIES.iter().flat_map(|project| history_files(project).map(move |file| (project, file)))
        {
            crd_without_text(&file.json(), &format!("{project} {}", file.path));
            count += 1;
        }
        assert_eq!(count, 6631);
        let examples = CHANNELS.into_iter().flat_map(gateway_api_examples).collect::<Vec<_>>();
        assert_eq!(examples.len(), 89);
        assert!(examples.iter().all(|file| !file.text.contains('#')));
    }
}
