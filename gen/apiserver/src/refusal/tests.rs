//! Tests of all rules: each rule refuses its bad examples and accepts its good ones, and every published CRD passes.

use std::fs;
use std::path::Path;

use super::*;

fn read(edit: &str) -> CustomResourceDefinition {
    let document = example(edit).unwrap_or_else(|| panic!("not an edit: {edit}"));
    CustomResourceDefinition::from_value(&document).unwrap_or_else(|errors| panic!("unreadable: {errors:?}: {edit}"))
}

#[test]
fn ids_are_kebab_case_and_unlike() {
    for (index, rule) in RULES.iter().enumerate() {
        assert!(
            rule.id.split('-').all(|word| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase())),
            "{}",
            rule.id
        );
        assert!(RULES[..index].iter().all(|other| other.id != rule.id), "{} twice", rule.id);
    }
}

#[test]
fn every_file_has_a_place_in_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/refusal");
    let Ok(entries) = fs::read_dir(&folder) else {
        println!("skipped: no {}", folder.display());
        return;
    };
    let mut files: Vec<String> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok()?.strip_suffix(".rs").map(str::to_owned))
        .collect();
    files.retain(|file| !matches!(file.as_str(), "tests" | "walk" | "field_path"));
    files.sort();
    let mut rules: Vec<String> = RULES.iter().map(|rule| rule.id.replace('-', "_")).collect();
    rules.sort();
    assert_eq!(files, rules, "a file is named after its rule");
    let sections = EXAMPLES.split("\n## ").skip(1).map(|section| section.lines().next().unwrap_or_default());
    assert!(sections.eq(RULES.iter().map(|rule| rule.id)), "the examples are in the order of the rules");
}

#[test]
fn every_rule_fires_on_its_bad_examples() {
    for rule in RULES {
        assert_ne!(rule.refused().count(), 0, "{} has no bad example", rule.id);
        for edit in rule.refused() {
            let crd = read(edit);
            let found = [refusals(&crd), advice(&crd)].concat();
            assert!(found.iter().any(|refusal| refusal.rule == rule.id), "{} is silent on {edit}: {found:?}", rule.id);
            assert!(found.iter().all(|refusal| !refusal.message.is_empty()), "{found:?}");
        }
    }
}

#[test]
fn every_rule_is_silent_on_its_good_examples() {
    for rule in RULES {
        assert_ne!(rule.accepted().count(), 0, "{} has no good example", rule.id);
        for edit in rule.accepted() {
            let crd = read(edit);
            let mut found = refusals(&crd);
            found.extend(advice(&crd).into_iter().filter(|advice| advice.rule == rule.id));
            assert!(found.is_empty(), "{}: {edit}: {found:?}", rule.id);
        }
    }
}

#[test]
fn the_base_of_examples_is_good_and_other_keys_are_no_edits() {
    assert_eq!(refusals(&read("{}")), []);
    assert_eq!(example(r#"{"spec": {}}"#), None);
    assert_eq!(example("[]"), None);
}

#[test]
fn refusals_say_where() {
    let crd = read(
        r#"{"field": {"type": "array", "items": {"type": "object", "properties": {"a.b": {"type": "object", "additionalProperties": {}},
            "c": {"type": "string", "anyOf": [{"pattern": "a"}, {"not": {"pattern": "("}}]}}}}}"#,
    );
    let refusals = refusals(&crd);
    let found: Vec<_> =
        refusals.iter().map(|refusal| (refusal.rule, refusal.version.as_deref(), refusal.path.as_str())).collect();
    assert_eq!(
        found,
        [
            ("type-missing", Some("v1"), "spec.field[*][\"a.b\"][*]"),
            ("pattern", Some("v1"), "spec.field[*].c.{anyOf[1]}.{not}"),
        ]
    );
    assert!(refusals[0].to_string().starts_with("v1: spec.field[*][\"a.b\"][*]: "), "{}", refusals[0]);
    assert_eq!((refusals[0].authority(), refusals[0].part), (Authority::Server, Part::Schema));
}

/// A bound of a field and one of its type end in `allOf`.
#[test]
fn one_of_two_bounds_is_enough() {
    let advice = |bounds: &[u32]| {
        let bounds = bounds.iter().map(|bound| json!({"maxLength": bound})).collect::<Vec<_>>();
        let rule = json!([{"rule": "self.split('-').all(p, p.matches('^[a-z0-9]+$'))", "message": "words"}]);
        let field = json!({"type": "string", "allOf": bounds, "x-kubernetes-validations": rule});
        refusals(&read(&json!({"field": field}).to_string())).remove(0).message
    };
    assert!(advice(&[63, 64]).ends_with("`maxLength: 63` and `maxLength: 64`, which end in `allOf`, where the cost does not count them: keep one of them"), "{}", advice(&[63, 64]));
    assert!(advice(&[99_999, 63]).ends_with("keep `maxLength: 63` only"), "{}", advice(&[99_999, 63]));
    // None of them is small enough.
    assert!(advice(&[99_999, 99_998]).ends_with("is enough"), "{}", advice(&[99_999, 99_998]));
}

#[test]
fn defaults_are_matched_with_patterns() {
    let crd = |pattern: &str, default: &str| {
        let field = json!({"field": {"type": "string", "pattern": pattern, "default": default}});
        read(&field.to_string())
    };
    let found = refusals(&crd("^b", "abc"));
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        found[0].to_string(),
        r#"v1: spec.field: the default is not valid: "abc" does not match the pattern ^b (default-invalid)"#
    );
    assert_eq!(refusals(&crd("^a", "abc")), []);
    let rules = |found: Vec<Refusal>| found.into_iter().map(|refusal| refusal.rule).collect::<Vec<_>>();
    // For ASCII it is decided.
    assert_eq!(rules(refusals(&crd(r"^\p{Lu}", "e"))), ["default-invalid"]);
    // A pattern that is not valid is refused, but not the default.
    assert_eq!(rules(refusals(&crd("^(?!a)", "abc"))), ["pattern"]);
    // Letters beyond ASCII, and patterns that are too large to be tried, count as refused.
    for (pattern, default) in [(r"^\p{Lu}", "É"), (&*"a{1000}".repeat(51), "a")] {
        let found = refusals(&crd(pattern, default));
        assert!(matches!(found.as_slice(), [one] if one.message.contains("is not decided here")), "{found:?}");
    }
}

#[test]
fn published_crds_are_not_refused() {
    for (label, file) in crd_testdata::all_gateway_api() {
        let crd =
            CustomResourceDefinition::from_value(&file.json()).unwrap_or_else(|errors| panic!("{label}: {errors:?}"));
        let found = refusals(&crd);
        assert!(found.is_empty(), "{label}: {found:#?}");
    }
}
