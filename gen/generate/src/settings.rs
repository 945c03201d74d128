//! The settings of a project: `crd-channels.yaml` in its root, which both programs read.
//!
//! Invariants: the JSON schema is the only list of keys: the parser, editors and the reference page read it. All errors are reported together,
//! each at its line. A file with an error has no settings.

mod page;
mod reader;

use std::collections::BTreeMap;
use std::path::Path;

use crd_convert::Lens;
use crd_diagnostics::{Diagnostic, Severity};
use crd_model::channel::Channel;
use crd_model::fit::Limit;
use crd_model::graduation::Graduation;
use crd_model::profile::Profile;
use crd_model::yaml::{Section, TextPosition, item_positions, locate, push_key};
use crd_stamps::features::{Implementations, Reference};
use crd_stamps::{Bump, BundleVersion};
use serde_json::{Map, Value};

pub use page::{page, rows};

/// What begins the setting `types` if they are in Go.
pub const GO: &str = "go:";
/// The name of the file.
pub const FILE_NAME: &str = "crd-channels.yaml";
/// The JSON schema of the file.
pub const SCHEMA: &str = include_str!("../schemas/settings.json");
/// The keys that a project with types must have.
pub const REQUIRED: [&str; 2] = ["prefix", "version"];

/// The settings of a project. Each field is a key of the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Settings {
    pub prefix: String,
    pub name: Option<String>,
    pub version: Option<BundleVersion>,
    pub profile: Option<Profile>,
    pub channels: Option<&'static [Channel]>,
    pub annotations: BTreeMap<String, String>,
    pub description_limit: Option<usize>,
    pub size: Option<Limit>,
    pub lean: Option<Limit>,
    pub controller_gen: ControllerGen,
    pub graduation: Graduation,
    /// Each lens with its line.
    pub lenses: Vec<(Lens, usize)>,
    /// Each name with its line.
    pub exclude: Vec<(String, usize)>,
    pub folders: BTreeMap<String, String>,
    /// Where the types are: the folder of a crate, or `go:` and packages of Go.
    pub types: Option<String>,
    /// How the CRDs of another generator are divided into channels.
    pub division: Division,
    pub go: Option<GoModule>,
    pub implementations: Option<Implementations>,
    /// The line of the class, and those of the references.
    pub implementation_lines: Vec<usize>,
    pub conventions: Conventions,
    pub crds: Vec<String>,
    pub gate: Option<Gate>,
}

/// A release of controller-gen, where releases write different schemas: rules of unions, `+k8s:required`, and equal bounds of properties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ControllerGen {
    /// Fields of a union that are set are counted in a list.
    #[default]
    V21,
    /// They are added up, and what `+k8s:required` marks is not empty.
    V23,
}

/// What `lint` checks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Conventions {
    /// Whether `check` reports findings too.
    pub check: bool,
    /// The level of a convention, none for `off`, and its line.
    pub levels: BTreeMap<String, (Option<Severity>, usize)>,
    pub exceptions: Vec<AcceptedFinding>,
}

/// An accepted finding of `lint`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedFinding {
    pub rule: String,
    pub crd: String,
    /// The path; none for the whole CRD.
    pub path: Option<String>,
    pub line: usize,
}

/// How the CRDs of another generator are divided into channels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Division {
    /// The command that writes the CRDs of Go types.
    pub run: Option<String>,
    /// Whether the tags of Gateway API in comments of Go are read.
    pub has_tags: bool,
    /// The channel of each feature gate.
    pub gates: BTreeMap<String, Channel>,
    /// The root types of the channel standard, each with its line; all if there are none.
    pub standard: Vec<(String, usize)>,
    /// The root types that servers of standard do not serve, each with its line.
    pub unserved: Vec<(String, usize)>,
    /// The file with what is only in experimental, for CRDs whose types are not read.
    pub marks: Option<String>,
}

/// A Go module with the types.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoModule {
    pub module: String,
    /// Its folder in the root.
    pub folder: String,
    /// The folder of each group in the module.
    pub groups: BTreeMap<String, String>,
    /// The name of each group in generated clients.
    pub clients: BTreeMap<String, String>,
}

/// The changes that `diff` permits without an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    /// All below this bump.
    FailOn(Bump),
    /// All up to this bump.
    Expect(Bump),
}

impl Settings {
    /// Settings in code, for tests and for programs without a file. `prefix` begins the stamps; `version` is the next bundle version.
    pub fn new(prefix: impl Into<String>, version: BundleVersion) -> Self {
        Self { prefix: prefix.into(), version: Some(version), ..Self::default() }
    }

    /// Reads the text of a file.
    ///
    /// ```
    /// use crd_generate::settings::{REQUIRED, Settings};
    ///
    /// let errors = Settings::read("crd-channels.yaml".as_ref(), "prefix: example.com\nverison: v1.0.0\n", &REQUIRED).unwrap_err();
    /// assert_eq!(errors[1].location.line, Some(2));
    /// assert_eq!(errors[1].help.as_deref(), Some("did you mean `version`?"));
    /// ```
    ///
    /// # Errors
    /// Everything that is wrong in the file, and the required keys that it lacks.
    pub fn read(file: &Path, text: &str, required: &[&str]) -> Result<Self, Vec<Diagnostic>> {
        let (root, section) = reader::read(file, text, required)?;
        // The items of an alias have no lines of their own.
        let line = |list: &str, index: usize| {
            item_positions(text, section, list).get(index).map_or(1, |position| position.line)
        };
        let word = |key: &str| root.get(key).and_then(Value::as_str);
        let list = |key: &str| root.get(key).and_then(Value::as_array).into_iter().flatten();
        let texts = |key: &str| list(key).filter_map(Value::as_str).chain(word(key)).map(str::to_owned);
        let map = |key: &str| texts_of(root.get(key));
        let lines = |_| {
            let positions = locate(text, section, &["implementations.class"]).into_iter();
            positions.chain(item_positions(text, section, "implementations.references"))
        };
        let roots =
            |key: &str| -> Vec<_> { (0..).zip(texts(key)).map(|(index, name)| (name, line(key, index))).collect() };
        let bump = |key: &str| root.get("gate")?.get(key)?.as_str()?.parse().ok();
        Ok(Self {
            prefix: word("prefix").unwrap_or_default().to_owned(),
            name: word("name").map(str::to_owned),
            version: word("version").and_then(|version| version.parse().ok()),
            profile: word("profile").and_then(Profile::named),
            channels: root.get("channels").map(|_| match list("channels").count() {
                1 => &[Channel::Standard][..],
                _ => &Channel::ALL[..],
            }),
            annotations: map("annotations"),
            description_limit: root.get("description-limit").and_then(|limit| usize::try_from(limit.as_u64()?).ok()),
            size: root.get("size").and_then(limit),
            lean: root.get("lean").and_then(limit),
            controller_gen: match word("controllerGen") {
                Some("v0.23") => ControllerGen::V23,
                _ => ControllerGen::V21,
            },
            graduation: root.get("graduation").map_or_else(Graduation::default, Graduation::from_value),
            lenses: (0..)
                .zip(list("lenses"))
                .filter_map(|(index, lens)| Some((Lens::from_value(lens).ok()?, line("lenses", index))))
                .collect(),
            exclude: roots("exclude"),
            folders: map("folders"),
            types: word("types").map(str::to_owned),
            division: division(&root, &roots),
            go: root.get("go").map(go_module),
            implementations: root.get("implementations").map(implementations),
            implementation_lines: root
                .get("implementations")
                .into_iter()
                .flat_map(lines)
                .map(|position| position.line)
                .collect(),
            conventions: conventions(root.get("conventions").unwrap_or(&Value::Null), text, section),
            crds: texts("crds").collect(),
            gate: bump("fail-on").map(Gate::FailOn).or_else(|| bump("expect").map(Gate::Expect)),
        })
    }

    /// The name of the API: without a setting, the first label of the prefix.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.prefix.split('.').next().unwrap_or_default())
    }

    /// Whether the project has types.
    pub fn has_types(&self) -> bool {
        self.version.is_some()
    }

    /// The packages of Go with the types.
    pub fn go_types(&self) -> Option<&str> {
        self.types.as_deref()?.strip_prefix(GO)
    }

    /// Whether the project's own generator writes the CRDs, which the types or a file of marks divide into channels.
    pub fn has_written_crds(&self) -> bool {
        self.go_types().is_some() || self.division.marks.is_some()
    }

    /// The profile. Projects with types have a default one.
    pub fn policy_profile(&self) -> Option<Profile> {
        self.profile.or_else(|| self.has_types().then(Profile::default))
    }

    /// A folder in the root, by its key.
    pub fn folder<'s>(&'s self, key: &'s str) -> &'s str {
        self.folders.get(key).map_or(key, String::as_str)
    }
}

/// The texts of a checked map.
fn texts_of(map: Option<&Value>) -> BTreeMap<String, String> {
    let entries = map.and_then(Value::as_object).into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// The Go module of a checked section.
fn go_module(go: &Value) -> GoModule {
    GoModule {
        module: go["module"].as_str().unwrap_or_default().to_owned(),
        folder: go["folder"].as_str().unwrap_or("go").trim_end_matches('/').to_owned(),
        groups: texts_of(go.get("groups")),
        clients: texts_of(go.get("clients")),
    }
}

/// The division of a checked section. `roots` are the root types of a key, with their lines.
fn division(root: &Map<String, Value>, roots: &dyn Fn(&str) -> Vec<(String, usize)>) -> Division {
    let word = |key: &str| root.get(key).and_then(Value::as_str);
    let gates = root.get("gates").and_then(Value::as_object).into_iter().flatten();
    let gate = |(gate, name): (&String, &Value)| Some((gate.clone(), Channel::named(name.as_str()?)?));
    Division {
        run: word("run").map(str::to_owned),
        has_tags: word("tags").is_some(),
        gates: gates.filter_map(gate).collect(),
        standard: roots("standard"),
        unserved: roots("unserved"),
        marks: word("marks").map(str::to_owned),
    }
}

/// The limit of a checked section: a word or a number.
fn limit(value: &Value) -> Option<Limit> {
    value.as_str().map_or_else(|| value.to_string().parse(), str::parse).ok()
}

/// The conventions of a checked section.
fn conventions(value: &Value, text: &str, section: Section) -> Conventions {
    let line = |position: Option<&TextPosition>| position.map_or(1, |position| position.line);
    let level = |(name, level): (&String, &Value)| {
        let mut path = "conventions.levels".to_owned();
        push_key(&mut path, name);
        let level = [Severity::Error, Severity::Warning].into_iter().find(|known| level == known.word());
        (name.clone(), (level, line(locate(text, section, &[path]).first())))
    };
    let lines = item_positions(text, section, "conventions.exceptions");
    let exception = |(index, exception): (usize, &Value)| {
        let text = |key: &str| exception[key].as_str().map(str::to_owned);
        let named = |key: &str| text(key).unwrap_or_default();
        AcceptedFinding { rule: named("rule"), crd: named("crd"), path: text("path"), line: line(lines.get(index)) }
    };
    Conventions {
        check: value["check"] == true,
        levels: value["levels"].as_object().into_iter().flatten().map(level).collect(),
        exceptions: value["exceptions"].as_array().into_iter().flatten().enumerate().map(exception).collect(),
    }
}

/// The implementations of a checked section.
fn implementations(value: &Value) -> Implementations {
    let text = |of: &Value, key: &str| of.get(key).and_then(Value::as_str).map(str::to_owned);
    let named = |of: &Value, key: &str| text(of, key).unwrap_or_default();
    let references = value.get("references").and_then(Value::as_array).into_iter().flatten();
    let reference = |of: &Value| {
        let listed = of.get("to").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
        let to = listed.map(str::to_owned).chain(text(of, "to")).collect();
        Reference { from: named(of, "from"), path: named(of, "path"), to }
    };
    Implementations {
        class: named(value, "class"),
        features: named(value, "features"),
        controller: text(value, "controller"),
        references: references.map(reference).collect(),
    }
}
