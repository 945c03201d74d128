//! Folding.

use anstream::adapter::strip_str;
use crd_compat::{Direction, Finding, RequiredBump, Waived};
use crd_diagnostics::Format;
use crd_model::channel::Channel;
use serde_json::json;

use super::sample::{added, at, finding, full, located, report};
use crate::report::fold::{Over, by_cause, fold};
use crate::report::{Located, Report};

fn elsewhere(findings: &[Finding]) -> Vec<Option<String>> {
    let located = findings.iter().cloned().map(located).collect::<Vec<_>>();
    fold(&located, Over::Bundle).iter().map(|fold| fold.elsewhere(2)).collect()
}

fn loosened(version: &str, path: &str) -> Finding {
    finding("loosened", RequiredBump::Minor, version, path, "it was loosened")
}

#[test]
fn versions_and_paths_are_folded_and_named() {
    let also = |words: &str| vec![Some(words.to_owned())];
    assert_eq!(elsewhere(&[loosened("v1", "spec")]), [None]);
    let two = [loosened("v1", "spec"), loosened("v1beta1", "spec")];
    assert_eq!(elsewhere(&two), also("also in v1beta1 (2 findings)"));
    assert_eq!(elsewhere(&[loosened("v1", "spec"), loosened("v1", "")]), also("also at the top (2 findings)"));
    let even = [("v1", "a"), ("v1", "b"), ("v2", "a"), ("v2", "b")].map(|(version, path)| loosened(version, path));
    assert_eq!(elsewhere(&even), also("also in v2; at b (4 findings)"));
    // Where the versions of the paths differ, they stand behind each.
    let uneven = [("v1", "a"), ("v1", "b"), ("v2", "b"), ("v2", "c")].map(|(version, path)| loosened(version, path));
    assert_eq!(elsewhere(&uneven), also("also at b (v1, v2), c (v2) (4 findings)"));
    let many = ["a", "b", "c", "d"].map(|path| loosened("v1", path));
    assert_eq!(elsewhere(&many), also("also at b, c and 1 more (4 findings)"));
    // Of a resource there is one place only.
    assert_eq!(elsewhere(&[loosened("", ""), loosened("", "")]), also("2 findings at this location"));
    // CRDs of the same group have no group in their names.
    let of = |crd: &str, channel| Finding { crd: crd.to_owned(), channel, ..loosened("v1", "spec") };
    let (standard, experimental) = (Channel::Standard, Channel::Experimental);
    let crds = [("a.x.io", standard), ("a.x.io", experimental), ("b.x.io", experimental), ("c.y.io", standard)];
    let crds = crds.map(|(crd, channel)| of(crd, channel));
    assert_eq!(elsewhere(&crds), also("also in experimental; in b, c.y.io (4 findings)"));
    let many = ["a.x", "b.x", "c.x", "d.x"].map(|crd| of(crd, standard));
    assert_eq!(elsewhere(&many), also("also in b, c and 1 more (4 findings)"));
}

/// The channel and the CRD keep findings apart in the summary only, which counts by CRD.
#[test]
fn channels_and_crds_are_folded_where_findings_are_listed() {
    let first = added("v1", "spec.size");
    for other in [
        Finding { channel: Channel::Experimental, ..first.clone() },
        Finding { crd: "boxes.example.com".to_owned(), ..first.clone() },
    ] {
        let both = [located(first.clone()), located(other)];
        assert_eq!(
            [Over::Crd, Over::Line, Over::Bundle, Over::Change].map(|over| fold(&both, over).len()),
            [2, 1, 1, 1]
        );
    }
}

/// Anything that a reader would read keeps two findings apart.
#[test]
fn what_differs_in_anything_is_not_folded() {
    let first = added("v1", "spec.size");
    let others: Vec<Finding> = vec![
        Finding { rule: "name-added", ..first.clone() },
        Finding { required_bump: RequiredBump::Patch, ..first.clone() },
        Finding { warning: true, ..first.clone() },
        Finding { known: true, ..first.clone() },
        Finding { message: "other".to_owned(), ..first.clone() },
        Finding { fix: Some("other".to_owned()), ..first.clone() },
        Finding { before: Some(serde_json::json!(null)), ..first.clone() },
        Finding { after: None, ..first.clone() },
        Finding { needs: vec![crd_compat::policy::Need::Tombstone], ..first.clone() },
        Finding { waived: Some(Waived { to: RequiredBump::Patch, reason: String::new() }), ..first.clone() },
    ];
    for other in others {
        let both = [located(first.clone()), located(other)];
        assert_eq!(fold(&both, Over::Bundle).len(), 2, "{:?}", both[1]);
    }
}

#[test]
fn lines_count_only_where_they_are_shown() {
    let here = |line| Located { finding: added("v1", "spec.size"), source: at("a.rs", line) };
    let both = [here(1), here(2)];
    assert_eq!((fold(&both, Over::Bundle).len(), fold(&both, Over::Line).len()), (1, 2));
    assert_eq!(fold(&both, Over::Bundle)[0].count(), 2);
}

/// A field that leaves its name is not required there either: that is one change.
#[test]
fn a_loosening_of_a_removed_field_is_part_of_its_removal() {
    for rule in ["name-removed", "renamed"] {
        loosenings_are_part_of(rule);
    }
}

fn loosenings_are_part_of(rule: &'static str) {
    let removed = |path: &str, name: &str| Finding {
        before: Some(json!(name)),
        ..finding(rule, RequiredBump::Minor, "v1", path, "the field left its name")
    };
    let loosened = |path: &str| Finding { direction: Some(Direction::Loosened), ..loosened("v1", path) };
    let field = removed("spec.port.port", "port");
    let at_field = loosened("spec.port.port");
    for (other, is_part) in [
        (at_field.clone(), true),
        (loosened("spec.port.port.a"), true),
        (loosened("spec.port.port[*]"), true),
        (loosened("spec.port.ports"), false),
        (loosened("spec.port"), false),
        (Finding { direction: Some(Direction::Tightened), ..at_field.clone() }, false),
        (Finding { direction: None, ..at_field.clone() }, false),
        (Finding { required_bump: RequiredBump::Patch, ..at_field.clone() }, true),
        (Finding { required_bump: RequiredBump::Major, ..at_field.clone() }, false),
        (
            Finding { waived: Some(Waived { to: RequiredBump::Patch, reason: String::new() }), ..at_field.clone() },
            false,
        ),
        (Finding { version: Some("v2".to_owned()), ..at_field.clone() }, false),
        (Finding { channel: Channel::Experimental, ..at_field.clone() }, false),
        (Finding { crd: "boxes.example.com".to_owned(), ..at_field.clone() }, false),
    ] {
        for findings in [[field.clone(), other.clone()], [other.clone(), field.clone()]] {
            let findings = findings.map(located);
            let folds = fold(by_cause(findings.iter().collect()), Over::Bundle);
            assert_eq!(folds.len(), if is_part { 1 } else { 2 }, "{other:?}");
            assert_eq!(folds.iter().map(|fold| fold.count()).sum::<usize>(), 2);
            assert!(!is_part || folds[0].finding().rule == rule);
        }
    }
    // A value was removed, and the field is still there.
    let both = [located(removed("spec.port.port", "TCP")), located(at_field)];
    assert_eq!(fold(by_cause(both.iter().collect()), Over::Bundle).len(), 2);
}

/// The numbers before the word `finding` in a line.
fn numbers(line: &str) -> usize {
    let words = line.split_whitespace().collect::<Vec<_>>();
    let counted = words.windows(2).filter(|pair| pair[1].trim_end_matches([')', ',', '.', ';']).starts_with("finding"));
    let kinds =
        words.windows(3).filter(|words| ["known", "more"].contains(&words[1]) && words[2].starts_with("finding"));
    let numbers = counted.map(|pair| pair[0]).chain(kinds.map(|words| words[0]));
    numbers.filter_map(|number| number.trim_start_matches('(').replace(',', "").parse::<usize>().ok()).sum()
}

/// How many findings the sections of a text are about, as a reader counts them: those that decide, and the rest.
fn in_text<'t>(lines: impl Iterator<Item = &'t str>) -> [usize; 2] {
    let (mut section, mut deciding, mut rest) = ("", 0, 0);
    for line in lines {
        let (is_title, indent) = (!line.starts_with(' '), line.len() - line.trim_start().len());
        match section {
            _ if is_title && ["Summary", "Deciding findings", "Other errors", "Other findings"].contains(&line) => {
                section = line;
            }
            "Summary" | "Other errors" => {}
            // A line that counts what is not listed.
            _ if is_title && line.contains("not shown") => deciding += numbers(line),
            _ if is_title => rest += numbers(line),
            "Deciding findings" if indent == 4 => deciding += 1,
            "Deciding findings" => deciding += numbers(line).saturating_sub(1),
            _ => rest += if indent == 4 { numbers(line) } else { 0 },
        }
    }
    [deciding, rest]
}

/// How many findings the folded text and the Markdown are about.
pub(super) fn counted(report: &Report) -> [usize; 2] {
    let text = strip_str(&report.render(Format::Text, 10_000, false)).to_string();
    let markdown = report.render(Format::Markdown, 100, false);
    let rows = markdown.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit(' ').next()?.parse::<usize>().ok());
    let [_, rest] = in_text(markdown.lines().filter_map(|line| line.strip_prefix("    ")));
    [in_text(text.lines()).iter().sum(), rows.sum::<usize>() + rest]
}

/// Nothing is lost: the numbers of the folded report are those of the document, which has every finding.
#[test]
fn the_numbers_of_a_folded_report_are_all_findings() {
    let mut many = Vec::new();
    for (number, crd) in ["a.x.io", "b.x.io", "c.y.io"].into_iter().enumerate() {
        for channel in Channel::ALL {
            for version in ["v1", "v2"] {
                for path in 0..60 {
                    let bumps = [RequiredBump::Minor, RequiredBump::Major, RequiredBump::None];
                    let path = format!("spec.a{}", path / (1 + number));
                    let base = finding("loosened", bumps[number], version, &path, "it was loosened: so what");
                    let (crd, known) = (crd.to_owned(), number == 2 && version == "v1");
                    many.push(located(Finding { crd, channel, known, after: Some(json!(path)), ..base }));
                }
            }
        }
    }
    for report in
        [full(), report(Vec::new(), None), report(many.clone(), Some(RequiredBump::Minor)), report(many, None)]
    {
        let document = json!(report.document());
        let number = document["findings"].as_array().unwrap().len();
        // A report without findings to list does not count them in its text.
        assert_eq!(counted(&report), [number, number]);
    }
}
