//! The lives and graduations of Gateway API's releases, compared with a second computation over plain JSON: it shares no code with the crate.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_bundle::Release;
use crd_bundle::{Bump, BundleVersion};
use crd_graduation::{Basis, Element, Kind, Life, Lives, PastBasis, Timing, only_experimental, past};
use crd_model::CustomResourceDefinition;
use crd_model::channel::Channel;
use crd_model::graduation::{Criterion, Graduation};
use serde_json::Value;

/// The release dates of Gateway API, as its GitHub releases have them.
const DATES: [(&str, &str); 21] = [
    ("v0.5.0", "2022-07-13"),
    ("v0.5.1", "2022-09-27"),
    ("v0.6.0", "2022-12-21"),
    ("v0.6.1", "2023-02-08"),
    ("v0.6.2", "2023-03-15"),
    ("v0.7.0", "2023-05-15"),
    ("v0.7.1", "2023-06-01"),
    ("v0.8.0", "2023-08-29"),
    ("v0.8.1", "2023-09-14"),
    ("v1.0.0", "2023-10-31"),
    ("v1.1.0", "2024-05-08"),
    ("v1.1.1", "2024-10-31"),
    ("v1.2.0", "2024-10-03"),
    ("v1.2.1", "2024-11-29"),
    ("v1.3.0", "2025-04-23"),
    ("v1.4.0", "2025-10-06"),
    ("v1.4.1", "2025-12-03"),
    ("v1.5.0", "2026-02-27"),
    ("v1.5.1", "2026-03-14"),
    ("v1.6.0", "2026-06-29"),
    ("v1.6.1", "2026-07-16"),
];

const CHANNELS: [&str; 2] = ["standard", "experimental"];

/// The CRDs of a release in a channel, as JSON.
fn json(version: &str, channel: &str) -> Vec<Value> {
    crd_testdata::gateway_api(version, channel).iter().map(crd_testdata::File::json).collect()
}

fn releases() -> Vec<Release> {
    let release = |(version, date): &(&str, &str)| {
        let crds = |channel: &&str| {
            let crds = json(version, channel);
            let crds = crds.iter().map(|crd| Arc::new(CustomResourceDefinition::from_value(crd).unwrap())).collect();
            (Channel::named(channel).unwrap(), crds)
        };
        let channels = CHANNELS.iter().map(crds).collect();
        Release { released: date.parse().ok(), ..Release::new(*version, version.parse().ok(), channels) }
    };
    DATES.iter().map(release).collect()
}

/// Every name in a release and channel: `CRD`, `CRD PATH` and `CRD PATH=VALUE`.
type Names = BTreeSet<(String, String)>;

fn names(crds: &[Value]) -> Names {
    let mut found = Names::new();
    for crd in crds {
        let name = crd["metadata"]["name"].as_str().unwrap();
        found.insert((name.to_owned(), String::new()));
        for version in crd["spec"]["versions"].as_array().unwrap() {
            // An explicit stack: the crate recurses.
            let mut stack = vec![(String::new(), &version["schema"]["openAPIV3Schema"])];
            while let Some((path, node)) = stack.pop() {
                for value in node["enum"].as_array().into_iter().flatten() {
                    let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                    found.insert((name.to_owned(), format!("{path}={value}")));
                }
                for (property, below) in node["properties"].as_object().into_iter().flatten() {
                    let path = if path.is_empty() { property.clone() } else { format!("{path}.{property}") };
                    found.insert((name.to_owned(), path.clone()));
                    stack.push((path, below));
                }
                for key in ["items", "additionalProperties"] {
                    if node[key].is_object() {
                        stack.push((format!("{path}[*]"), &node[key]));
                    }
                }
            }
        }
    }
    found
}

/// The name of an element in [`Names`]; none for what they do not have.
fn name(element: &Element) -> Option<(String, String)> {
    let path = match element.kind {
        Kind::Resource => String::new(),
        Kind::Field => element.path.clone(),
        Kind::Value => format!("{}={}", element.path, element.name),
        Kind::Version | Kind::Rule | Kind::Constraint => return None,
    };
    Some((element.crd.clone(), path))
}

/// Names by release and channel.
fn all_names() -> Vec<[Names; 2]> {
    DATES.iter().map(|(version, _)| CHANNELS.map(|channel| names(&json(version, channel)))).collect()
}

/// A date so many months later. Days are at most 28 or the months have them: the test fails otherwise.
fn plus_months(date: &str, months: u32) -> String {
    let number = |range: std::ops::Range<usize>| date[range].parse::<u32>().unwrap();
    let (year, month, day) = (number(0..4), number(5..7), number(8..10));
    let months = year * 12 + (month - 1) + months;
    let (year, month) = (months / 12, months % 12 + 1);
    let last = match month {
        2 if year % 4 == 0 => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    format!("{year}-{month:02}-{:02}", day.min(last))
}

#[test]
fn first_bundles_dates_and_minors_are_those_of_plain_json() {
    let (releases, names) = (releases(), all_names());
    let declared = Default::default();
    let lives = Lives::new(&releases, &[], &declared, false);
    let mut compared = 0;
    for (index, release) in releases.iter().enumerate() {
        for element in only_experimental(release).keys() {
            let Some(wanted) = name(element) else { continue };
            let is_experimental =
                |index: &usize| names[*index][1].contains(&wanted) && !names[*index][0].contains(&wanted);
            let run = (0..=index).rev().take_while(is_experimental).collect::<Vec<_>>();
            let first = *run.last().unwrap_or_else(|| panic!("{element} is not experimental in {}", release.name));
            let minors = run.iter().map(|index| DATES[*index].0.rsplit_once('.').unwrap().0).collect::<BTreeSet<_>>();
            let life = lives.of(index, element).unwrap();
            assert_eq!(life.first.bundle.to_string(), DATES[first].0, "{element} in {}", release.name);
            assert_eq!(life.first.date.unwrap().date(), DATES[first].1, "{element} in {}", release.name);
            assert_eq!(life.minors, minors.len(), "{element} in {}", release.name);
            assert!(first_change(&life, index) >= first && first_change(&life, index) <= index, "{element}");
            compared += 1;
        }
    }
    println!("{compared} lives of fields, values and resources are equal");
    assert!(compared > 250, "{compared}");
}

fn first_change(life: &Life, index: usize) -> usize {
    let bundle = life.unchanged_since.bundle.to_string();
    (0..=index).find(|index| DATES[*index].0 == bundle).unwrap()
}

/// The schema at a path of every API version of a CRD, and whether it is required: a part that is equal in both releases has not changed.
fn parts(version: &str, element: &Element) -> BTreeMap<String, (Value, bool)> {
    let crds = json(version, "experimental");
    let crd = crds.iter().find(|crd| crd["metadata"]["name"] == *element.crd).unwrap();
    let versions = crd["spec"]["versions"].as_array().unwrap().iter();
    let found = versions.filter_map(|version| {
        let mut node = &version["schema"]["openAPIV3Schema"];
        let mut is_required = false;
        for step in element.path.split('.').filter(|step| !step.is_empty()) {
            let (field, lists) = step.split_once("[*]").map_or((step, 0), |(field, rest)| (field, 1 + rest.len() / 3));
            is_required = node["required"].as_array().is_some_and(|names| names.iter().any(|name| name == field));
            node = node["properties"].get(field)?;
            for _ in 0..lists {
                node = if node["items"].is_object() { &node["items"] } else { &node["additionalProperties"] };
            }
        }
        Some((version["name"].as_str().unwrap().to_owned(), (node.clone(), is_required)))
    });
    found.collect()
}

#[test]
fn what_changed_differs_in_plain_json_and_what_did_not_is_equal() {
    let releases = releases();
    let declared = Default::default();
    let lives = Lives::new(&releases, &[], &declared, false);
    let with_loosening = Lives::new(&releases, &[], &declared, true);
    let index = releases.len() - 1;
    for element in only_experimental(&releases[index]).keys().filter(|element| element.kind == Kind::Field) {
        let life = lives.of(index, element).unwrap();
        let changed = first_change(&life, index);
        if !life.changes.is_empty() {
            assert_ne!(
                parts(DATES[changed - 1].0, element),
                parts(DATES[changed].0, element),
                "{element} in {}",
                DATES[changed].0
            );
        }
        for later in changed + 1..=index {
            let shared = |version: &str, other: &str| {
                let (mut parts, others) = (parts(version, element), parts(other, element));
                parts.retain(|version, _| others.contains_key(version));
                parts
            };
            let [(old, _), (new, _)] = [DATES[later - 1], DATES[later]];
            assert_eq!(shared(old, new), shared(new, old), "{element} in {new}");
        }
        let loosened = with_loosening.of(index, element).unwrap();
        assert!(loosened.unchanged_since >= life.unchanged_since, "{element}");
    }
}

#[test]
fn eligible_dates_are_those_of_another_calendar() {
    let releases = releases();
    let declared = Default::default();
    let lives = Lives::new(&releases, &[], &declared, false);
    let graduation = Graduation::default();
    let last = releases.last().unwrap();
    let basis = Basis {
        graduation: &graduation,
        as_of: last.released,
        last: last.version,
        bundle: BundleVersion::new(1, 7, 0),
        bump: Bump::Minor,
        evidence: None,
        approvals: &[],
    };
    let mut compared = 0;
    for element in only_experimental(last).keys() {
        let Some(life) = lives.of(releases.len() - 1, element) else { continue };
        let assessment = basis.assess(element, &life, &[]);
        let date = |bundle: BundleVersion| DATES.iter().find(|(known, _)| *known == bundle.to_string()).unwrap().1;
        let (soak, unchanged) =
            (plus_months(date(life.first.bundle), 6), plus_months(date(life.unchanged_since.bundle), 3));
        let eligible = assessment.eligible.unwrap();
        assert_eq!(eligible.date.date(), soak.clone().max(unchanged.clone()), "{element}");
        assert_eq!(eligible.bundle, BundleVersion::new(1, 7, 0), "{element}");
        for (criterion, since) in [(Criterion::Soak, &soak), (Criterion::UnchangedMonths, &unchanged)] {
            let outcome = assessment.outcomes.iter().find(|outcome| outcome.criterion == criterion).unwrap();
            assert_eq!(outcome.since.unwrap().date(), *since, "{element}");
            let is_met = **since <= *"2026-07-16";
            assert_eq!(outcome.state == crd_graduation::State::Met, is_met, "{element} {}", criterion.row().name);
        }
        assert_eq!(assessment.probation.unwrap().ends.date(), soak, "{element}");
        compared += 1;
    }
    println!("{compared} dates are equal");
    assert!(compared > 50, "{compared}");
}

#[test]
fn every_graduation_of_plain_json_is_found() {
    let (releases, names) = (releases(), all_names());
    let declared = Default::default();
    let lives = Lives::new(&releases, &[], &declared, false);
    let graduation = Graduation::default();
    let found = past(&lives, PastBasis { graduation: &graduation, evidence: None, features: &|_| Vec::new() });
    let of_names =
        found.iter().filter_map(|graduation| Some((graduation.release.bundle.to_string(), name(&graduation.element)?)));
    let mut wanted = BTreeSet::new();
    for index in 1..names.len() {
        let [standard, _] = &names[index];
        let [old_standard, old_experimental] = &names[index - 1];
        let new = standard.difference(old_standard).collect::<Vec<_>>();
        for name in &new {
            let (crd, path) = name;
            // The outermost names.
            let parents = path.char_indices().filter(|(_, letter)| ['.', '[', '='].contains(letter));
            let mut parents = parents.map(|(end, _)| path[..end].to_owned()).chain([String::new()]);
            let is_below = parents.any(|parent| parent != *path && new.contains(&&(crd.clone(), parent)));
            if !is_below && old_experimental.contains(name) {
                wanted.insert((DATES[index].0.to_owned(), (*name).clone()));
            }
        }
    }
    assert_eq!(of_names.collect::<BTreeSet<_>>(), wanted);
    println!("{} graduations, of which {} are fields, values and resources", found.len(), wanted.len());
    assert!(wanted.len() > 30, "{}", wanted.len());
    for graduation in &found {
        let released = |bundle: BundleVersion| DATES.iter().find(|(known, _)| *known == bundle.to_string()).unwrap().1;
        let date = released(graduation.release.bundle);
        let is_met = plus_months(released(graduation.life.first.bundle), 6).as_str() <= date
            && plus_months(released(graduation.life.unchanged_since.bundle), 3).as_str() <= date;
        match &graduation.timing {
            Timing::Early(missing) => {
                let is_early = missing.contains(&Criterion::Soak) || missing.contains(&Criterion::UnchangedMonths);
                assert_eq!(is_early, !is_met, "{}", graduation.element);
            }
            other => assert!(is_met, "{} {other:?}", graduation.element),
        }
    }
}
