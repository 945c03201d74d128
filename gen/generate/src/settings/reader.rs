//! From the text of the file to its checked document.
//!
//! Invariants: every value is checked against the JSON schema, and then against the other values. All errors are reported together, each at the line of its
//! key or item.

use std::path::Path;

use crd_apiserver::refusal::refusals;
use crd_convert::Lens;
use crd_diagnostics::Diagnostic;
use crd_model::CustomResourceDefinition;
use crd_model::profile::Profile;
use crd_model::yaml::{Codes, Problems, Section, checked, push_key};
use crd_stamps::BundleVersion;
use serde_json::{Map, Value, json};

use super::{GO, SCHEMA};

const VALUE: &str = "settings::value";
const MISSING: &str = "settings::missing";
const CODES: Codes =
    Codes { syntax: "settings::syntax", unknown: "settings::unknown-key", value: VALUE, missing: MISSING };

/// The document, and where it is in the text.
pub(super) fn read(
    file: &Path,
    text: &str,
    required: &[&str],
) -> Result<(Map<String, Value>, Section), Vec<Diagnostic>> {
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let result = checked(text, &schema, CODES, |root, problems| {
        for key in required.iter().filter(|key| !root.contains_key(**key)) {
            let message = format!("a project with types needs the key `{key}`");
            problems.add(MISSING, "", message, format!("add `{key}: …`"));
        }
        across_keys(root, problems);
    });
    result.map_err(|problems| problems.into_iter().map(|problem| Diagnostic::of_file(problem, file)).collect())
}

/// Why a Go module cannot be in a folder.
fn not_for_go(folder: &str, types: Option<&str>) -> Option<&'static str> {
    let names = |path| str::split(path, '/').filter(|name| !["", "."].contains(name)).collect::<Vec<_>>();
    let folder = names(folder);
    let source = names(types?);
    if folder.iter().any(|name| name.eq_ignore_ascii_case(".git")) {
        return Some("the folder `.git` is that of git");
    }
    let below = folder.strip_prefix(&*source)?;
    (below.is_empty() || below.first() == Some(&"src")).then_some("the folder has the source of the types")
}

/// The keys about CRDs that another generator writes.
fn written_crds(root: &Map<String, Value>, problems: &mut Problems<'_>) {
    let is_go = root.get("types").and_then(Value::as_str).is_some_and(|types| types.starts_with(GO));
    let has_marks = root.contains_key("marks");
    if (is_go || has_marks) && !root.contains_key("crds") {
        let key = if is_go { "types" } else { "marks" };
        let message = format!("`{key}` needs the CRDs that it divides into channels");
        problems.add(MISSING, key, message, "add `crds: …`, the folder to which your generator writes them");
    }
    let packages = root.get("types").and_then(Value::as_str).and_then(|types| types.strip_prefix(GO));
    let is_below = |packages: &str| {
        let mut names = packages.split('/');
        names.next() == Some(".") && names.all(|name| name == "..." || !["", ".", ".."].contains(&name))
    };
    if packages.is_some_and(|packages| !is_below(packages)) {
        let message = "the packages are not below the folder of this file".to_owned();
        problems.add(VALUE, "types", message, "write packages such as `go:./api/...`");
    }
    for key in ["run", "gates", "standard", "unserved"].into_iter().filter(|key| root.contains_key(*key)) {
        if !is_go && !has_marks {
            let message = format!("`{key}` is for types in Go, or for a file of marks");
            problems.add(VALUE, key, message, "remove it, or add `types: go:./api/...` or `marks: channels.yaml`");
        }
    }
    if root.contains_key("tags") && !is_go {
        let message = "`tags` is for types in Go".to_owned();
        problems.add(VALUE, "tags", message, "remove it, or add `types: go:./api/...`");
    }
    if is_go && root.contains_key("go") {
        let message = "the types are in Go already".to_owned();
        problems.add(VALUE, "go", message, "remove `go`");
    }
}

/// Checks what the schema cannot express: versions, annotations, lenses, and values that do not fit each other.
fn across_keys(root: &Map<String, Value>, problems: &mut Problems<'_>) {
    let map = |key: &str| root.get(key).and_then(Value::as_object);
    let list = |key: &str| root.get(key).and_then(Value::as_array);
    let text = |key: &str| root.get(key).and_then(Value::as_str);
    let releasable = |text: &str| text.parse::<BundleVersion>()?.check_comparable();
    if let Some(Err(error)) = text("version").filter(|text| text.starts_with('v')).map(releasable) {
        problems.add(VALUE, "version", error.to_string(), "");
    }
    for (key, text) in map("annotations").into_iter().flatten().filter_map(|(key, text)| Some((key, text.as_str()?))) {
        let mut path = "annotations".to_owned();
        push_key(&mut path, key);
        let mut crd = CustomResourceDefinition::default();
        crd.annotations.insert(key.clone().into(), text.to_owned().into());
        for refusal in refusals(&crd).into_iter().filter(|refusal| refusal.rule == "metadata-annotations") {
            problems.add(VALUE, &path, format!("a server refuses the annotation: {}", refusal.message), "");
        }
    }
    for (index, lens) in list("lenses").into_iter().flatten().enumerate().filter(|(_, lens)| lens.is_object()) {
        for error in Lens::from_value(lens).err().into_iter().flatten() {
            let path = format!("lenses[{index}]{}", error.path.trim_start_matches('$'));
            problems.add("catalogue::lens", &path, error.message, error.help);
        }
    }
    if map("gate").is_some_and(|gate| gate.contains_key("fail-on") && gate.contains_key("expect")) {
        problems.add(VALUE, "gate.expect", "`gate` has both `fail-on` and `expect`".to_owned(), "remove one of them");
    }
    written_crds(root, problems);
    if map("go").is_some() && !root.contains_key("types") {
        let message = "the Go module is written from the source of the types".to_owned();
        problems.add(MISSING, "go", message, "add `types: …`, the folder of their crate");
    }
    if let Some(why) = map("go").and_then(|go| not_for_go(go.get("folder")?.as_str()?, text("types"))) {
        problems.add(VALUE, "go.folder", why.to_owned(), "write a folder of its own, such as `go`");
    }
    let Some(channels) = list("channels") else { return };
    let default = root.contains_key("version").then(Profile::default);
    let profile = if root.contains_key("profile") { text("profile").and_then(Profile::named) } else { default };
    if !channels.contains(&json!("standard")) {
        problems.add(
            VALUE,
            "channels",
            "`channels` lacks `standard`".to_owned(),
            "add `standard`: every project has it",
        );
    } else if let Some(profile) = profile.filter(|profile| channels.len() == 1 && profile.has_experimental_stage()) {
        let message = format!("the profile `{profile}` needs the channel experimental");
        problems.add("catalogue::channels", "channels", message, "add `profile: semver`, or the channel experimental");
    }
}
