//! The keys of the settings: what each takes and what it does, the JSON schema for editors, and the reference page.
//!
//! Invariants: [`keys`] is the only list of keys. The schema and the page contain what the parser accepts, in the order of the table.

use crd_bundle::{BUMPS, BundleVersion};
use crd_model::channel::CHANNELS;
use crd_model::graduation::{CRITERIA, CriterionRow, PROBATION_MONTHS, Requirement};
use crd_model::profile::PROFILES;
use serde_json::{Map, Value, json};

/// A key of the file, or of a section.
#[derive(Clone, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it takes.
    pub form: Form,
    /// What it does, in a sentence or two.
    pub about: String,
}

/// What a key takes.
#[derive(Clone, Debug)]
pub enum Form {
    /// A text, and why another text is not valid.
    Text(fn(&str) -> Result<(), String>),
    /// One of these words.
    Word(Vec<&'static str>),
    /// A list with the first of these words, and some of the others.
    Words(Vec<&'static str>),
    /// A list of names.
    Names,
    /// A path below the root.
    Path,
    /// A path below the root, or a list of them.
    Paths,
    /// A number from 0 to 65,535.
    Number,
    /// `true` or `false`.
    Flag,
    /// Keys of annotations, each with a text.
    Annotations,
    /// A list of lenses.
    Lenses,
    /// Keys of its own.
    Section(Vec<Key>),
}

fn key(name: &'static str, form: Form, about: impl Into<String>) -> Key {
    Key { name, form, about: about.into() }
}

/// Every key of the file.
pub fn keys() -> Vec<Key> {
    let bumps = |from: usize| Form::Word(BUMPS.iter().skip(from).map(|(_, word)| *word).collect());
    let criterion = |row: CriterionRow| {
        let form = if row.unit.is_empty() { Form::Flag } else { Form::Number };
        let default = match row.default {
            Requirement::AtLeast(least) => least.to_string(),
            required => (required == Requirement::Exists).to_string(),
        };
        key(row.name, form, format!("{} The default is {default}.", row.summary))
    };
    let mut graduation = CRITERIA.map(criterion).to_vec();
    graduation.extend([
        key("probation", Form::Number, format!("After so many months in experimental, an element that is not ready should be removed. 0 is no limit. The default is {PROBATION_MONTHS}.")),
        key("loosening-resets", Form::Flag, "Whether a loosened constraint counts as a change too. The default is false."),
        key("enforced", Form::Flag, "Whether `check` and `release` refuse an element that graduates before it meets the criteria. The default is false."),
    ]);
    vec![
        key(
            "prefix",
            Form::Text(prefix),
            "What begins the stamps `PREFIX/bundle-version` and `PREFIX/channel`: a DNS name that belongs to the API, usually its group. Types need it.",
        ),
        key(
            "name",
            Form::Text(name),
            "The name of the API in charts and archives. The default is the first label of the prefix.",
        ),
        key("version", Form::Text(version), "The next bundle version. Types need it."),
        key(
            "profile",
            Form::Word(PROFILES.iter().map(|(_, name, _)| *name).collect()),
            "The policy that `check`, `release` and `diff` apply. The default is gep-922 for types; for other CRDs, manifests and stamps decide.",
        ),
        key(
            "channels",
            Form::Words(CHANNELS.iter().map(|row| row.name).collect()),
            "The channels of the API. With `[standard]`, types have no `+experimental` markers. The default is both.",
        ),
        key(
            "annotations",
            Form::Annotations,
            "Annotations that every CRD carries, such as `api-approved.kubernetes.io`.",
        ),
        key(
            "description-limit",
            Form::Number,
            "Shortens each description to so many characters, at the end of a sentence if there is one; 0 leaves descriptions out.",
        ),
        key(
            "graduation",
            Form::Section(graduation),
            "The criteria of graduation from experimental to standard. A number of 0 turns a criterion off.",
        ),
        key(
            "lenses",
            Form::Lenses,
            "Lenses that no type can declare, because their resource was removed. Each is written as in `conversions.json`.",
        ),
        key("exclude", Form::Names, "Root types that are not generated: `KIND` or `VERSION/KIND`."),
        key(
            "folders",
            Form::Section(FOLDERS.map(|(name, about)| key(name, Form::Path, about)).to_vec()),
            "Folders in the root, if they have other names.",
        ),
        key(
            "crds",
            Form::Paths,
            "Where the CRDs of a project without types are: what `diff`, `docs` and `validate` read if no argument names CRDs.",
        ),
        key(
            "gate",
            Form::Section(vec![
                key("fail-on", bumps(1), "`diff` exits with 1 if the changes require at least this bump."),
                key("expect", bumps(0), "`diff` exits with 1 if the changes require more than this bump."),
            ]),
            "What `diff` permits without `--fail-on` and `--expect`: one of the two keys.",
        ),
    ]
}

/// The folders that may have another name.
const FOLDERS: [(&str, &str); 3] = [
    ("dist", "The artefacts of a release."),
    ("site", "The API reference that `docs` writes."),
    ("templates", "Templates that replace those of a release."),
];

/// Helm permits 53 characters, and the channel follows the name.
const MAX_NAME: usize = 40;
/// Kubernetes permits names of 253 characters. Our longest prefix of a name is `safe-upgrades-by-reference.`.
const MAX_PREFIX: usize = 226;

fn is_label(label: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !label.is_empty() && label.bytes().all(plain) && !label.starts_with('-') && !label.ends_with('-')
}

fn prefix(prefix: &str) -> Result<(), String> {
    let is_valid = prefix.len() <= MAX_PREFIX && prefix.split('.').all(|label| is_label(label) && label.len() <= 63);
    is_valid.then_some(()).ok_or_else(|| {
        format!("write a DNS name of at most {MAX_PREFIX} characters: lower-case letters, digits, `-` and `.`")
    })
}

fn name(name: &str) -> Result<(), String> {
    let is_valid =
        is_label(name) && name.len() <= MAX_NAME && name.starts_with(|first: char| first.is_ascii_lowercase());
    is_valid
        .then_some(())
        .ok_or_else(|| format!("write at most {MAX_NAME} lower-case letters, digits and `-`, beginning with a letter"))
}

fn version(version: &str) -> Result<(), String> {
    version.parse::<BundleVersion>().map(|_| ()).map_err(|error| match format!("v{version}").parse::<BundleVersion>() {
        Ok(version) => format!("did you mean `{version}`?"),
        Err(_) => error.to_string(),
    })
}

impl Form {
    /// What the form is, in a few words.
    pub fn words(&self) -> String {
        let list = |words: &[&str]| words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        match self {
            Form::Text(_) => "a text".to_owned(),
            Form::Word(words) => format!("one of {}", list(words)),
            Form::Words(words) => format!("a list of {}", list(words)),
            Form::Names => "a list of names".to_owned(),
            Form::Path => "a path below the root".to_owned(),
            Form::Paths => "a path below the root, or a list of them".to_owned(),
            Form::Number => format!("a number from 0 to {}", u16::MAX),
            Form::Flag => "true or false".to_owned(),
            Form::Annotations => "a map of annotations to texts".to_owned(),
            Form::Lenses => "a list of lenses".to_owned(),
            Form::Section(_) => "a map of keys".to_owned(),
        }
    }

    fn schema(&self) -> Value {
        let text = json!({ "type": "string", "minLength": 1 });
        match self {
            Form::Text(_) | Form::Path => text,
            Form::Word(words) => json!({ "enum": words }),
            Form::Words(words) => json!({
                "type": "array", "items": { "enum": words }, "contains": { "const": words.first() }, "uniqueItems": true
            }),
            Form::Names => json!({ "type": "array", "items": text, "uniqueItems": true }),
            Form::Paths => json!({ "anyOf": [text, { "type": "array", "items": text, "minItems": 1 }] }),
            Form::Number => json!({ "type": "integer", "minimum": 0, "maximum": u16::MAX }),
            Form::Flag => json!({ "type": "boolean" }),
            Form::Annotations => json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            Form::Lenses => json!({ "type": "array", "items": { "type": "object" } }),
            Form::Section(keys) => section(keys),
        }
    }
}

fn section(keys: &[Key]) -> Value {
    let properties = keys.iter().map(|key| {
        let mut schema = key.form.schema();
        schema["description"] = key.about.clone().into();
        (key.name.to_owned(), schema)
    });
    json!({ "type": "object", "additionalProperties": false, "properties": properties.collect::<Map<_, _>>() })
}

/// The JSON schema of the file, for editors.
pub fn schema() -> Value {
    let mut schema = section(&keys());
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
    schema["title"] = super::FILE_NAME.into();
    schema
}

/// The table of keys for people: name with its sections, form, and what it does.
pub fn page() -> String {
    let mut page = PAGE.to_owned();
    let mut open = keys().into_iter().rev().map(|key| (key.name.to_owned(), key)).collect::<Vec<_>>();
    while let Some((path, key)) = open.pop() {
        page.push_str(&format!("| `{path}` | {} | {} |\n", key.form.words(), key.about));
        if let Form::Section(keys) = key.form {
            open.extend(keys.into_iter().rev().map(|key| (format!("{path}.{}", key.name), key)));
        }
    }
    page
}

const PAGE: &str = "\
<!-- Written by `cargo xtask settings --page`; do not edit. -->
# Settings

`crd-channels.yaml` in the root of a workspace or of any repository contains the settings of the project. `cargo xtask` and `crd-channels` read
it, from any folder below the root. Options of a command override it. An unknown key is an error; all errors are reported together. A project
with types:

```yaml
prefix: widgets.example.com
version: v1.0.0
profile: semver
channels: [standard]
```

A project with CRDs only:

```yaml
crds: config/crd
profile: semver
gate:
  fail-on: major
```

What only code can express is in the catalogue: types, constants, functions of lenses, policies and the webhook. Editors check the file with
[its JSON schema](../gen/cli/schemas/settings.json): `crd-channels settings --format schema` prints it.

| key | value | effect |
|---|---|---|
";
