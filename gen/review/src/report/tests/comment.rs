//! Markdown for comments.

use anstream::adapter::strip_str;
use crd_compat::{Finding, RequiredBump, Witness};
use crd_diagnostics::{Diagnostic, Format};
use serde_json::json;

use super::sample::{finding, full, located, report};
use crate::report::{Report, render_diagnostics};

fn markdown(report: &Report, verbose: bool) -> String {
    report.render(Format::Markdown, 100, verbose)
}

#[test]
fn the_whole_report_as_a_comment() {
    let expected = r#"## v1.0.0 → v1.1.0, profile gep-922

* standard: needs a major bundle: 1 constraint tightened; also 4 smaller changes. 1 known finding is not counted, since the baseline has it.
* experimental: refused: 1 type changed under the same name.
* ✗ no version permits this.
* 1 finding is waived; without waivers the verdict would be the same.
* To fix in any case: 1 waiver matches nothing, 1 tombstone is missing, 1 removed name is back, 1 tombstone was removed from the ledger.

| Required bump | Deciding findings | Where | Number |
|---|---|---|--:|
| refused | the type was changed under the same name | `things.example.com` experimental v1 `status.features[*]` | 2 |
| major | the maximum length was tightened | `things.example.com` standard v1 `spec.name` | 1 |

<details>
<summary>Details</summary>

    DETAILS

</details>
"#;
    // The sections of the text.
    let text = strip_str(&full().render(Format::Text, 120, false)).to_string();
    let (_, sections) = text.split_once("\n\nDeciding findings\n").unwrap();
    let details = format!("Deciding findings\n{}", sections.trim_end()).replace('\n', "\n    ");
    assert_eq!(markdown(&full(), false), expected.replace("DETAILS", &details).replace("    \n", "\n"));
}

/// A comment is never longer than it can be, and prints how much it lacks.
#[test]
fn what_has_no_room_is_counted() {
    let witness = |number: usize| Some(Witness::Object(json!({"spec": {"name": "a".repeat(number)}})));
    let of = |number: usize, required_bump, message: String| Finding {
        witness: witness(number % 900),
        ..finding("tightened", required_bump, "v1", &format!("spec.f{number}"), &message)
    };
    for (number, length, left_out) in [(40, 10, false), (1_000, 100, true), (3, 70_000, true)] {
        let changes =
            (0..number).map(|index| of(index, RequiredBump::Major, format!("{index} {}", "é".repeat(length))));
        let report = report(changes.map(located).collect(), Some(RequiredBump::Minor));
        for verbose in [false, true] {
            let text = markdown(&report, verbose);
            assert!(text.chars().count() <= 65_536, "{}", text.chars().count());
            assert_eq!(text.matches("<details>").count(), text.matches("</details>").count());
            let rows = text.lines().filter(|line| line.starts_with("| major")).count();
            let last = text.lines().last().unwrap();
            let (_, counted) = last.split_once(" and ").unwrap_or_default();
            let counted = counted.split(' ').next().unwrap().replace(',', "").parse::<usize>().ok();
            assert_eq!((rows + counted.unwrap_or_default(), counted.is_some()), (number, left_out), "{last}");
        }
    }
}

#[test]
fn a_failed_comparison_is_explained_in_a_comment() {
    let diagnostics = [
        Diagnostic::error("file::kind", "`a|b.yaml` is not a CRD").at_line("a|b.yaml", 3).help("Remove <it>"),
        Diagnostic::error("bundle::unknown", "50 %"),
    ];
    assert_eq!(
        render_diagnostics(&diagnostics, Format::Markdown),
        "## The CRDs were not compared\n\n* error: a\\|b.yaml:3: is not a CRD. Remove \\<it\\>\n* error: 50 %\n"
    );
}
