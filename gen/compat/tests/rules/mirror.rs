//! Exchanging the bundles mirrors what is found, and a bundle does not differ from itself.

use crd_compat::{Channels, Declared, Direction, LocatedChange, Renames, changes};
use crd_model::channel::Channel;
use serde_json::Value;

use super::case::all_cases;
use super::history::bundles;

/// The CRD, the version, the path, what changed, its values, and the direction.
type Image = (String, Option<String>, String, &'static str, String, Option<Direction>);

/// What identifies a change, with the sides exchanged if `mirrored`.
fn image(change: &LocatedChange<'_>, mirrored: bool) -> Image {
    let [before, after] = change.values().map(|value| value.map(|value| value.to_string()));
    let (before, after) = if mirrored { (after, before) } else { (before, after) };
    // Null is kept or dropped, and nothing is refused in either direction.
    let direction = change.direction().filter(|_| change.change.description() != "`nullable`");
    (
        change.location.crd().to_owned(),
        change.location.version().map(str::to_owned),
        change.location.position.path(),
        change.change.description(),
        format!("{before:?} {after:?}"),
        if mirrored { direction.map(Direction::mirrored) } else { direction },
    )
}

/// The number of changes, after a comparison in both directions.
fn compare(old: &Channels, new: &Channels, renames: &Renames, back: &Renames, what: &str) -> usize {
    compare_by(old, new, renames, back, what, &|path| path)
}

/// The same where fields are renamed: `translate` gives a path of the way back the names of the way there.
fn compare_by(
    old: &Channels,
    new: &Channels,
    renames: &Renames,
    back: &Renames,
    what: &str,
    translate: &dyn Fn(String) -> String,
) -> usize {
    let mut count = 0;
    for channel in Channel::ALL {
        let (Some(old), Some(new)) = (old.get(&channel), new.get(&channel)) else { continue };
        for (side, renames) in [(old, renames), (new, back)] {
            let same = changes(channel, side, side, renames);
            assert!(same.is_empty(), "{what}: {same:?}");
            // Equal and not only the same place in memory, so that nothing is left out by a short cut.
            let copy = side.clone();
            let same = changes(channel, side, &copy, renames);
            assert!(same.is_empty(), "{what}: {same:?}");
        }
        let images = |found: &[LocatedChange<'_>], mirrored: bool| {
            let mut images = found.iter().map(|change| image(change, mirrored)).collect::<Vec<_>>();
            for image in images.iter_mut().filter(|_| mirrored) {
                image.2 = translate(std::mem::take(&mut image.2));
            }
            images.sort();
            images
        };
        let (forth, mirror) = (changes(channel, old, new, renames), changes(channel, new, old, back));
        let (forth, mirror) = (images(&forth, false), images(&mirror, true));
        let lonely = forth.iter().find(|image| !mirror.contains(image));
        assert!(lonely.is_none(), "{what}: {lonely:?} has no mirror image among\n{mirror:#?}");
        assert_eq!(forth.len(), mirror.len(), "{what}");
        count += forth.len();
    }
    count
}

#[test]
fn cases_are_mirrored() {
    let mut count = 0;
    for case in all_cases() {
        for column in case.columns() {
            let (old, new) = case.bundles(column);
            let mut back = Renames::default();
            let renames = case.get("declared").and_then(|declared| declared.get("renames")).and_then(Value::as_array);
            let mut paths = Vec::new();
            for rename in renames.into_iter().flatten() {
                let word = |key: &str| rename[key].as_str().expect("a text");
                back.declare("tests.example.com", word("at"), word("new"), word("old"));
                paths.push((format!("{}.{}", word("at"), word("old")), format!("{}.{}", word("at"), word("new"))));
            }
            // Below a renamed field, a path has the name of the candidate.
            let forth = |path: String| match paths.iter().find(|(old, _)| path == *old) {
                Some((_, new)) => new.clone(),
                None => path,
            };
            let what = format!("{}, {}", case.id, case.name);
            count += compare_by(&old, &new, &case.declared().renames, &back, &what, &forth);
        }
    }
    assert!(count > 300, "{count}");
}

#[test]
fn history_is_mirrored() {
    let none = Declared::default().renames;
    let bundles = bundles();
    for (old, new) in bundles.iter().zip(bundles.iter().skip(1)) {
        let count = compare(&old.1, &new.1, &none, &none, &format!("{} and {}", old.0, new.0));
        assert!(count > 0, "{} and {}", old.0, new.0);
    }
}

#[test]
fn the_directions_of_findings_are_mirrored_too() {
    // Where a default makes a requirement harmless, nothing is refused on the way there.
    let exempt = |rule: &str| ["required-with-default", "name-added", "graduated"].contains(&rule);
    // Null is kept or dropped, and nothing is refused in either direction.
    let is_null = |finding: &crd_compat::Finding| finding.message.starts_with("null is");
    let mut count = 0;
    for case in all_cases().iter().filter(|case| case.get("declared").is_none()) {
        for column in case.columns() {
            let (old, new) = case.bundles(column);
            let declared = Declared::default();
            let findings = |old: &Channels, new: &Channels| {
                crd_compat::Comparison::new(old, new, super::case::profile(column), &declared).findings()
            };
            let back = findings(&new, &old);
            for finding in findings(&old, &new).iter().filter(|finding| !exempt(finding.rule) && !is_null(finding)) {
                let mirror = back.iter().find(|mirror| {
                    (&mirror.path, &mirror.version, &mirror.before, &mirror.after, mirror.channel)
                        == (&finding.path, &finding.version, &finding.after, &finding.before, finding.channel)
                        && !exempt(mirror.rule)
                });
                let Some(mirror) = mirror else { continue };
                count += 1;
                assert_eq!(
                    mirror.direction.map(Direction::mirrored),
                    finding.direction,
                    "{}, {}: {} and {}",
                    case.id,
                    case.name,
                    finding.rule,
                    mirror.rule
                );
            }
        }
    }
    assert!(count > 300, "{count}");
}
