//! Large and hostile inputs end soon, with a diagnostic.

use std::time::{Duration, Instant};

use super::{Printed, findings, validate, widget};
use crd_channels_cli::Exit;

/// Idle they take seconds. Quadratic time would be hours, and the rest is for a busy machine.
const SOON: Duration = Duration::from_secs(600);

fn soon(text: &str) -> Printed {
    let begin = Instant::now();
    let printed = validate(text, &["--kubernetes", "1.37"]);
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    printed
}

#[test]
fn anchors_and_aliases_copy_little() {
    let mut text = widget("{size: 1}");
    text.push_str("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for index in 0..9 {
        let aliases = vec![format!("*a{index}"); 10].join(", ");
        text.push_str(&format!("a{}: &a{} [{aliases}]\n", index + 1, index + 1));
    }
    let printed = soon(&text);
    assert_eq!(printed.exit, Exit::Unusable);
    assert!(printed.err.contains("anchors and aliases copy more than 20 MB"), "{}", printed.err);
    // A few are fine, and a finding in a copy is at the alias.
    let printed = soon(&widget("{size: 1, tags: &a [x, x], ports: *a}"));
    assert!(findings(&printed.out).iter().any(|finding| finding.contains("spec.ports[0]")), "{}", printed.out);
}

#[test]
fn deep_nesting_is_an_error() {
    for nesting in ["[".repeat(100_000), "- ".repeat(100_000), "{a: ".repeat(100_000)] {
        let printed = soon(&widget(&nesting));
        assert_eq!((printed.exit, findings(&printed.err).len()), (Exit::Unusable, 1), "{}", printed.err);
    }
}

#[test]
fn a_long_list_of_refused_items_takes_linear_time() {
    let mut list = "apiVersion: v1\nkind: List\nitems:\n".to_owned();
    for index in 0..20_000 {
        list.push_str(&format!(
            "- {{apiVersion: example.com/v1, kind: Widget, metadata: {{name: a{index}}}, spec: {{size: 11}}}}\n"
        ));
    }
    let printed = soon(&list);
    assert_eq!(printed.exit, Exit::Findings);
    assert_eq!(findings(&printed.out).len(), 50);
    assert!(findings(&printed.out)[49].ends_with(" @ in.yaml:53:76"), "{}", findings(&printed.out)[49]);
    assert!(
        printed
            .out
            .contains("note: `object::invalid`: 19,950 more diagnostics are not shown; `--format json` lists all\n"),
        "{}",
        printed.out
    );
}

#[test]
fn an_object_with_many_findings_takes_linear_time() {
    let unknown = (0..50_000).map(|index| format!("x{index}: 1")).collect::<Vec<_>>().join(", ");
    let begin = Instant::now();
    let printed = validate(&widget(&format!("{{size: 1, {unknown}}}")), &["--kubernetes", "1.36..1.37"]);
    assert!(begin.elapsed() < SOON, "{:?}", begin.elapsed());
    assert_eq!((printed.exit, findings(&printed.out).len()), (Exit::Findings, 50));
}

/// JSON without line breaks: a part of the line is shown.
#[test]
fn a_long_line_is_cut() {
    let items = (0..2_000)
        .map(|index| format!(r#"{{"apiVersion":"example.com/v1","kind":"Widget","metadata":{{"name":"a{index}"}},"spec":{{"size":11}}}}"#))
        .collect::<Vec<_>>();
    let printed = soon(&format!(r#"{{"apiVersion":"v1","kind":"List","items":[{}]}}"#, items.join(",")));
    assert!(printed.out.lines().all(|line| line.chars().count() < 300));
    let lines = printed.out.lines().collect::<Vec<_>>();
    for at in lines.iter().enumerate().filter(|(_, line)| line.contains('^')).map(|(at, _)| at) {
        // The carets are below the field.
        let column = lines[at].find('^').unwrap();
        let shown: String = lines[at - 1].chars().skip(column).take(6).collect();
        assert_eq!(shown, "\"size\"", "{}\n{}", lines[at - 1], lines[at]);
    }
}

#[test]
fn a_large_text_in_an_object_is_shortened() {
    let printed = soon(&widget(&format!("{{size: 1, label: {}}}", "x".repeat(1_000_000))));
    assert_eq!(printed.exit, Exit::Findings);
    assert!(printed.out.len() < 10_000, "{}", printed.out.len());
}
