//! The settings: wrong files with their diagnostics, what right files mean, and the schema, which an independent reader of it compares with the parser.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generate::settings::{ControllerGen, FILE_NAME, Gate, REQUIRED, SCHEMA, Settings, rows};
use crd_model::channel::{CHANNELS, Channel};
use crd_model::fit::Limit;
use crd_model::graduation::{CRITERIA, Criterion, Requirement};
use crd_model::profile::{PROFILES, Profile};
use crd_stamps::Bump;
use serde_json::Value;

fn read(text: &str) -> Result<Settings, Vec<Diagnostic>> {
    Settings::read(Path::new(FILE_NAME), text, &REQUIRED)
}

/// Each case: a file, a line `---->`, and its diagnostics as `LINE CODE MESSAGE | HELP`. Cases are separated by `====`.
#[test]
fn wrong_files_are_diagnostics_at_their_lines() {
    let cases = include_str!("settings/wrong.txt").split("====\n").collect::<Vec<_>>();
    assert!(cases.len() >= 40, "{} cases", cases.len());
    let mut written = Vec::new();
    for case in &cases {
        let (text, _) = case.split_once("---->\n").unwrap();
        let errors = read(text).err().unwrap_or_default();
        let lines = errors.iter().map(|error| {
            assert_eq!(error.location.file.as_deref(), Some(Path::new(FILE_NAME)), "{text}");
            let (line, help) = (error.location.line.unwrap_or_default(), error.help.as_deref().unwrap_or_default());
            format!("{line} {} {} | {help}\n", error.code, error.message)
        });
        written.push(format!("{text}---->\n{}", lines.collect::<String>()));
    }
    let written = written.join("====\n");
    if std::env::var_os("UPDATE_SNAPSHOTS").is_some() {
        std::fs::write("tests/settings/wrong.txt", &written).unwrap();
    }
    assert_eq!(written, include_str!("settings/wrong.txt"));
    assert!(cases.iter().all(|case| !case.ends_with("---->\n")), "a case has no diagnostics");
}

#[test]
fn a_file_sets_what_it_says() {
    let settings = read(include_str!("settings/right.yaml")).unwrap();
    assert_eq!((&*settings.prefix, settings.name()), ("widgets.example.com", "shop-widgets"));
    assert_eq!(settings.version.unwrap().to_string(), "v1.4.0");
    assert_eq!((settings.profile, settings.channels), (Some(Profile::Semver), Some(&[Channel::Standard][..])));
    assert_eq!(settings.annotations["example.com/owner"], "shop");
    assert_eq!((settings.description_limit, settings.controller_gen), (Some(200), ControllerGen::V23));
    assert_eq!(settings.size, Some(Limit::Apply));
    let sized = read("prefix: a.example.com\nversion: v1.0.0\nsize: 300000\nlean: apply\n").unwrap();
    assert_eq!((sized.size, sized.lean), (Some(Limit::Bytes(300_000)), Some(Limit::Apply)));
    let required = [Criterion::Soak, Criterion::Usage, Criterion::Approval, Criterion::Implementations];
    assert_eq!(
        required.map(|criterion| settings.graduation.requirement(criterion)),
        [Requirement::AtLeast(3), Requirement::Off, Requirement::Exists, Requirement::AtLeast(2)]
    );
    assert_eq!((settings.graduation.probation_months(), settings.graduation.is_enforced()), (0, true));
    assert_eq!(settings.lenses.iter().map(|(lens, line)| (&*lens.kind, *line)).collect::<Vec<_>>(), [("Gadget", 16)]);
    assert_eq!(settings.exclude, [("v1alpha1/Widget".to_owned(), 24)]);
    assert_eq!(["dist", "site", "templates"].map(|key| settings.folder(key)), ["out", "site", "templates"]);
    assert_eq!(
        (&*settings.crds, settings.types.as_deref()),
        (&["config/crd", "config/more"].map(str::to_owned)[..], Some("api"))
    );
    let implementations = settings.implementations.unwrap();
    assert_eq!(
        (&*implementations.class, &*implementations.references[1].from),
        ("classes.example.com", "parts.example.com")
    );
    assert_eq!(implementations.references[1].to, ["widgets.example.com", "classes.example.com"].map(str::to_owned));
    assert_eq!(settings.implementation_lines, [35, 38, 39]);
    assert!(matches!(settings.gate, Some(Gate::FailOn(bump)) if bump.word() == "major"));
}

#[test]
fn a_file_without_types_needs_no_key() {
    let read = |text: &str| Settings::read(Path::new(FILE_NAME), text, &[]).unwrap();
    assert_eq!(read("# nothing yet\n"), Settings::default());
    let settings = read("crds: config/crd\ngate: {expect: none}\n");
    assert_eq!((settings.policy_profile(), settings.crds), (None, vec!["config/crd".to_owned()]));
}

fn schema() -> Value {
    serde_json::from_str(SCHEMA).unwrap()
}

/// A small reader of the JSON schema that shares nothing with the parser.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(any) = schema.get("anyOf") {
        return any.as_array().unwrap().iter().any(|schema| fits(schema, value));
    }
    if schema.get("$ref").is_some() {
        return value.as_str().is_some_and(|text| !text.is_empty());
    }
    if let Some(words) = schema.get("enum") {
        return words.as_array().unwrap().contains(value);
    }
    match (schema["type"].as_str().unwrap(), value) {
        ("object", Value::Object(map)) => map.iter().all(|(key, value)| match schema["properties"].get(key) {
            Some(schema) => fits(schema, value),
            None => match &schema["additionalProperties"] {
                Value::Bool(may) => *may,
                Value::Null => true,
                schema => fits(schema, value),
            },
        }),
        ("array", Value::Array(items)) => {
            items.iter().all(|item| fits(&schema["items"], item))
                && schema.get("contains").is_none_or(|contains| items.contains(&contains["const"]))
                && (schema["uniqueItems"] != true || (1..items.len()).all(|at| !items[..at].contains(&items[at])))
        }
        ("string", Value::String(_)) => true,
        ("integer", Value::Number(number)) => {
            number.as_u64().is_some_and(|number| Some(number) <= schema["maximum"].as_u64())
        }
        ("boolean", Value::Bool(_)) => true,
        _ => false,
    }
}

/// The parser reports more than the schema can state, but never accepts what the schema rejects.
#[test]
fn the_schema_accepts_what_the_parser_accepts() {
    let schema = schema();
    let value = |text: &str| crd_model::yaml::read(text).unwrap().remove(0);
    assert!(fits(&schema, &value(include_str!("settings/right.yaml"))));
    let mut rejected = 0;
    for key in schema["properties"].as_object().unwrap().keys() {
        for wrong in ["[1]", "{a: {}}", "12.5", "yes", "''", "[]", "[standard, standard]", "70000"] {
            let text = format!("{key}: {wrong}\n");
            let is_read = Settings::read(Path::new(FILE_NAME), &text, &[]).is_ok();
            assert!(!is_read || fits(&schema, &value(&text)), "{text}");
            rejected += usize::from(!fits(&schema, &value(&text)));
        }
    }
    assert!(rejected > 60, "{rejected}");
}

/// The words of the schema are those of the tables in code, and every key is explained.
#[test]
fn the_schema_has_the_words_of_the_tables() {
    let schema = schema();
    let words = |path: &str| serde_json::from_value::<Vec<String>>(schema.pointer(path).unwrap().clone()).unwrap();
    let bumps = Bump::ALL.map(Bump::word);
    assert_eq!(words("/properties/profile/enum"), PROFILES.map(|(_, name, _)| name));
    assert_eq!(words("/properties/channels/items/enum"), CHANNELS.map(|row| row.name));
    assert_eq!(words("/properties/gate/properties/expect/enum"), bumps);
    assert_eq!(words("/properties/gate/properties/fail-on/enum"), bumps[1..]);
    for row in &CRITERIA {
        let key = &schema["properties"]["graduation"]["properties"][row.name];
        let default = match row.default {
            Requirement::AtLeast(least) => least.to_string(),
            required => (required == Requirement::Exists).to_string(),
        };
        let form = if row.unit.is_empty() { "boolean" } else { "integer" };
        assert!(
            key["type"] == form
                && key["description"].as_str().unwrap().ends_with(&format!("The default is {default}.")),
            "{key}"
        );
    }
    assert_eq!(rows().len(), 25 + CRITERIA.len() + 3 + 4 + 4 + 3 + 2 + 4);
    assert!(rows().iter().all(|(_, form, about)| !form.is_empty() && about.ends_with('.')));
}
