//! The settings: wrong files with their diagnostics, what right files mean, and the schema, which an independent reader of it compares with the parser.

use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_generate::settings::{FILE_NAME, Form, Gate, Key, REQUIRED, Settings, keys, schema};
use crd_model::channel::Channel;
use crd_model::graduation::{Criterion, Requirement};
use crd_model::profile::Profile;
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
    assert_eq!(settings.description_limit, Some(200));
    let required = [Criterion::Soak, Criterion::Usage, Criterion::Approval, Criterion::Implementations];
    assert_eq!(
        required.map(|criterion| settings.graduation.requirement(criterion)),
        [Requirement::AtLeast(3), Requirement::Off, Requirement::Exists, Requirement::AtLeast(2)]
    );
    assert_eq!((settings.graduation.probation_months(), settings.graduation.is_enforced()), (0, true));
    assert_eq!(settings.lenses.iter().map(|(lens, line)| (&*lens.kind, *line)).collect::<Vec<_>>(), [("Gadget", 16)]);
    assert_eq!(settings.exclude, [("v1alpha1/Widget".to_owned(), 24)]);
    assert_eq!(["dist", "site", "templates"].map(|key| settings.folder(key)), ["out/release", "site", "templates"]);
    assert_eq!(settings.crds, ["config/crd", "config/more"]);
    assert!(matches!(settings.gate, Some(Gate::FailOn(bump)) if bump.word() == "major"));
}

#[test]
fn a_file_without_types_needs_no_key() {
    let read = |text: &str| Settings::read(Path::new(FILE_NAME), text, &[]).unwrap();
    assert_eq!(read("# nothing yet\n"), Settings::default());
    let settings = read("crds: config/crd\ngate: {expect: none}\n");
    assert_eq!((settings.policy_profile(), settings.crds), (None, vec!["config/crd".to_owned()]));
}

/// A small reader of the JSON schema that shares nothing with the parser.
fn fits(schema: &Value, value: &Value) -> bool {
    if let Some(any) = schema.get("anyOf") {
        return any.as_array().unwrap().iter().any(|schema| fits(schema, value));
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
                && schema["minItems"].as_u64().is_none_or(|least| items.len() as u64 >= least)
                && (schema["uniqueItems"] != true || (1..items.len()).all(|at| !items[..at].contains(&items[at])))
        }
        ("string", Value::String(text)) => !text.is_empty() || schema.get("minLength").is_none(),
        ("integer", Value::Number(number)) => number.as_u64().is_some_and(|number| number <= 65535),
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
    for (index, key) in keys().iter().enumerate() {
        for wrong in ["[1]", "{a: {}}", "12.5", "yes", "''", "[]", "[standard, standard]", "70000"] {
            let text = format!("{}: {wrong}\n", key.name);
            let is_read = Settings::read(Path::new(FILE_NAME), &text, &[]).is_ok();
            assert!(!is_read || fits(&schema, &value(&text)), "{index}: {text}");
            rejected += usize::from(!fits(&schema, &value(&text)));
        }
    }
    assert!(rejected > 60, "{rejected}");
}

/// Every key has words for people, and no two keys of a section have one name.
#[test]
fn keys_are_explained() {
    fn check(keys: &[Key]) {
        for (index, key) in keys.iter().enumerate() {
            assert!(
                key.about.ends_with('.') && keys[..index].iter().all(|other| other.name != key.name),
                "{}",
                key.name
            );
            if let Form::Section(keys) = &key.form {
                check(keys);
            }
        }
    }
    check(&keys());
}
