//! The files of a new workspace: the crate of the types, the `xtask`, and what `init` writes.
//!
//! Invariants: the texts come from `templates/new`; values fill their places `{{ NAME }}`. A workspace with types of its own has the same
//! files as the sample, except for the types.

use std::collections::BTreeMap;

use crd_model::profile::Profile;
use serde_json::Value;

use crate::init;

#[derive(Clone, Debug)]
pub struct Workspace<'w> {
    /// The name, of which the packages have their names.
    pub name: &'w str,
    /// The prefix of the stamps: the API group.
    pub prefix: &'w str,
    /// The bundle version in progress.
    pub version: &'w str,
    /// The profile of the policy.
    pub profile: Profile,
    /// Whether there is only the channel standard.
    pub standard_only: bool,
    /// Whether it has an operator of the sample.
    pub has_operator: bool,
    /// Annotations of every CRD.
    pub annotations: &'w BTreeMap<String, String>,
    /// The dependencies on this project.
    pub dependencies: &'w Dependencies,
}

/// Where the manifests of a workspace find the crates of this project: keys of TOML tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// `crd-channels`
    pub types: String,
    /// `crd-channels-cli`
    pub command_line: String,
    /// `crd-generator`
    pub generator: String,
}

/// The types of a new workspace.
#[derive(Clone, Copy, Debug)]
pub enum Types<'w> {
    Sample {
        group: &'w str,
        kind: &'w str,
        /// The Rust name of the root type.
        root: &'w str,
    },
    /// Files below `api/src`.
    Written {
        /// Path and text of each file.
        files: &'w [(String, String)],
    },
}

/// A file of a new workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFile {
    /// Where it belongs, from the root of the workspace.
    pub path: String,
    pub text: String,
}

/// The API version of the sample.
const SAMPLE_VERSION: &str = "v1";
/// The longest attribute that rustfmt leaves on one line.
const LONGEST_ATTRIBUTE: usize = 70;

macro_rules! templates {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../templates/new/", $path)))),*]
    };
}

/// The releases that operators depend on: those with which `examples/cache-operator` is tested.
pub const OF_OPERATOR: [(&str, &str); 3] = [("kube", "5"), ("k8s_openapi", "0.29"), ("kubernetes", "v1_36")];

/// Parts of texts that depend on the options.
const KUBE_FEATURE: &str = "# For operators.\nkube = [\"crd-channels/kube\"]\n";
const EXPERIMENTAL: &str = "* `+experimental` marks what exists only in the experimental channel.\n";
const EXPERIMENTAL_FIELD: &str = "    /// Whether the copies are paused. Only the experimental channel has this field: remove the marker to graduate it.
    ///
    /// +experimental
    pub paused: Option<bool>,
";
const WITHOUT_DOC_TESTS: &str =
    "[lib]\n# Code in descriptions is for users of the API; it is not Rust.\ndoctest = false\n\n";

/// The templates: path below `templates/new`, and text. None is a `Cargo.toml`, because `cargo package` leaves out a folder with
/// such a file.
static TEMPLATES: [(&str, &str); 14] = templates![
    "README.md",
    "api-Cargo.toml",
    "cargo-config.toml",
    "crd-channels.yaml",
    "generator-Cargo.toml",
    "generator-main.rs",
    "operator-Cargo.toml",
    "operator-main.rs",
    "sample-lib.rs",
    "sample-version.rs",
    "workspace-Cargo.toml",
    "xtask-Cargo.toml",
    "xtask-main.rs",
    "xtask-source.rs",
];

/// The files that each workspace has: path, and template.
const FILES: [(&str, &str); 10] = [
    ("Cargo.toml", "workspace-Cargo.toml"),
    ("README.md", "README.md"),
    ("api/Cargo.toml", "api-Cargo.toml"),
    (".cargo/config.toml", "cargo-config.toml"),
    ("xtask/Cargo.toml", "xtask-Cargo.toml"),
    ("xtask/generator/Cargo.toml", "generator-Cargo.toml"),
    ("xtask/generator/src/main.rs", "generator-main.rs"),
    ("xtask/src/main.rs", "xtask-main.rs"),
    ("xtask/tests/source.rs", "xtask-source.rs"),
    ("crd-channels.yaml", "crd-channels.yaml"),
];

impl Workspace<'_> {
    /// All files, sorted by path.
    pub fn files(&self, types: Types<'_>) -> Vec<NewFile> {
        let package = if self.name.ends_with("-api") { self.name.to_owned() } else { format!("{}-api", self.name) };
        let mut files: Vec<NewFile> = init::FILES
            .iter()
            .map(|file| NewFile { path: file.path.to_owned(), text: file.text.to_string() })
            .collect();
        let annotation = |(key, value): (&String, &String)| format!("  {}: {}\n", yaml(key), yaml(value));
        let annotations = self.annotations.iter().map(annotation).collect::<String>();
        let is_sample = matches!(types, Types::Sample { .. });
        let label = self.prefix.split('.').next();
        let api_name = (is_sample && label != Some(self.name)).then(|| format!("name: {}\n", self.name));
        let values: [(&str, &str); 15] = [
            ("api_name", api_name.as_deref().unwrap_or_default()),
            ("operator_member", if self.has_operator { "\"operator\", " } else { "" }),
            ("kube_feature", if self.has_operator { KUBE_FEATURE } else { "" }),
            ("name", self.name),
            ("package", &package),
            ("prefix", self.prefix),
            ("version", self.version),
            ("profile", self.profile.name()),
            ("channels", if self.standard_only { "standard" } else { "standard, experimental" }),
            ("experimental", if self.standard_only { "" } else { EXPERIMENTAL }),
            ("annotations", &if annotations.is_empty() { annotations } else { format!("annotations:\n{annotations}") }),
            ("library", if is_sample { "" } else { WITHOUT_DOC_TESTS }),
            ("types", &self.dependencies.types),
            ("command_line", &self.dependencies.command_line),
            ("generator", &self.dependencies.generator),
        ];
        let crate_name = package.replace('-', "_");
        let values = [&values[..], &[("crate_name", &crate_name)]].concat();
        files.extend(
            FILES.iter().map(|(path, template)| NewFile { path: (*path).to_owned(), text: filled(template, &values) }),
        );
        files.extend(self.type_files(types));
        files.extend(self.operator_files(types, &values));
        files.sort_by(|left, right| left.path.cmp(&right.path));
        files
    }

    fn type_files(&self, types: Types<'_>) -> Vec<NewFile> {
        match types {
            Types::Sample { group, kind, root } => {
                let arguments = [("group", group), ("version", SAMPLE_VERSION), ("kind", kind)];
                let arguments = arguments.map(|(key, value)| format!("{key} = \"{value}\""));
                let attribute = match arguments.join(", ") {
                    short if short.len() <= LONGEST_ATTRIBUTE => format!("#[api({short})]"),
                    _ => format!("#[api(\n    {}\n)]", arguments.join(",\n    ")),
                };
                let values = [
                    ("kind", kind),
                    ("root", root),
                    ("api_version", SAMPLE_VERSION),
                    ("attribute", &*attribute),
                    ("experimental", if self.standard_only { "" } else { EXPERIMENTAL_FIELD }),
                ];
                vec![
                    NewFile { path: "api/src/lib.rs".to_owned(), text: filled("sample-lib.rs", &values) },
                    NewFile {
                        path: format!("api/src/{SAMPLE_VERSION}.rs"),
                        text: filled("sample-version.rs", &values),
                    },
                ]
            }
            Types::Written { files } => {
                let end = |path: &str| if path == "lib.rs" { "\ncrd_channels::resources!();\n" } else { "" };
                let file = |(path, text): &(String, String)| NewFile {
                    path: format!("api/src/{path}"),
                    text: format!("{text}{}", end(path)),
                };
                files.iter().map(file).collect()
            }
        }
    }
}

impl Workspace<'_> {
    /// The operator of the sample.
    fn operator_files(&self, types: Types<'_>, values: &[(&str, &str)]) -> Vec<NewFile> {
        let Types::Sample { kind, root, .. } = types else { return Vec::new() };
        let package = format!("{}-operator", self.name.trim_end_matches("-operator"));
        let own = [("operator", &*package), ("kind", kind), ("root", root), ("api_version", SAMPLE_VERSION)];
        let values = [&own[..], &OF_OPERATOR, values].concat();
        let files = [("operator/Cargo.toml", "operator-Cargo.toml"), ("operator/src/main.rs", "operator-main.rs")];
        let files = files.into_iter().filter(|_| self.has_operator);
        files.map(|(path, template)| NewFile { path: path.to_owned(), text: filled(template, &values) }).collect()
    }
}

/// A text as a YAML scalar in quotes, which JSON is.
fn yaml(text: &str) -> String {
    Value::from(text).to_string()
}

/// A template with its values in the places `{{ NAME }}`. A place without a value stays, which a test excludes.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let mut rest = TEMPLATES.iter().find(|(path, _)| *path == template).map_or("", |(_, text)| *text);
    let mut text = String::new();
    while let Some((before, after)) = rest.split_once("{{ ") {
        let (name, after) = after.split_once(" }}").unwrap_or((after, ""));
        text.push_str(before);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, value)) => text.push_str(value),
            None => text.push_str(&format!("{{{{ {name} }}}}")),
        }
        rest = after;
    }
    text + rest
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn dependencies() -> Dependencies {
        let version = "version = \"0.1.0\"".to_owned();
        Dependencies { types: version.clone(), command_line: version.clone(), generator: version }
    }

    fn files(standard_only: bool, profile: Profile, types: Types<'_>) -> BTreeMap<String, String> {
        let workspace = Workspace {
            name: "my-trees",
            prefix: "trees.example.com",
            version: "v0.1.0",
            profile,
            standard_only,
            has_operator: standard_only,
            annotations: &BTreeMap::from([("a/b".to_owned(), "c \"d\"".to_owned())]),
            dependencies: &dependencies(),
        };
        let files = workspace.files(types);
        for NewFile { path, text } in &files {
            assert!(init::FILES.iter().any(|file| file.path == path) || !text.contains("{{ "), "{path}: {text}");
        }
        files.into_iter().map(|file| (file.path, file.text)).collect()
    }

    #[test]
    fn every_template_is_embedded() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/new");
        let mut found: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        found.sort();
        assert_eq!(found, TEMPLATES.map(|(path, _)| path));
    }

    #[test]
    fn the_sample_follows_the_options() {
        let sample = Types::Sample { group: "trees.example.com", kind: "Tree", root: "Tree" };
        let two = files(false, Profile::Gep922, sample);
        assert!(two["api/src/v1.rs"].contains("/// +experimental\n    pub paused: Option<bool>,\n}"));
        assert!(two["crd-channels.yaml"].ends_with(
            "name: my-trees\nprefix: trees.example.com\nversion: v0.1.0\ntypes: api\nprofile: gep-922\nchannels: [standard, experimental]\nannotations:\n  \"a/b\": \"c \\\"d\\\"\"\n"
        ));
        assert!(two["xtask/src/main.rs"].contains("use my_trees_api::RESOURCES;"));
        let one = files(true, Profile::Semver, sample);
        assert!(!one["api/src/v1.rs"].contains("experimental") && !one["README.md"].contains("experimental"));
        assert!(one["crd-channels.yaml"].contains("profile: semver\nchannels: [standard]\n"));
        for init in &init::FILES {
            assert_eq!(one[init.path], init.text);
        }
    }

    #[test]
    fn types_take_the_place_of_the_sample() {
        let written = [("lib.rs".to_owned(), "pub mod v1;\n".to_owned())];
        let files = files(false, Profile::Semver, Types::Written { files: &written });
        assert_eq!(files["api/src/lib.rs"], "pub mod v1;\n\ncrd_channels::resources!();\n");
        assert!(!files.contains_key("api/src/v1.rs"));
    }
}
