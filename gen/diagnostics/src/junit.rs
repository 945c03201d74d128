//! JUnit's XML, which most CI systems read: a suite for each file, and a case for each object.
//!
//! Invariants: text of inputs is escaped, and characters that XML 1.0 does not have are replaced. A case has at most one failure, because many
//! readers take only one: its text has all diagnostics.

use crate::layout::count;
use crate::{Diagnostic, printable, push_visible, text};

/// The cases of a file.
#[derive(Clone, Debug)]
pub struct Suite {
    pub name: String,
    /// In the order of the file.
    pub cases: Vec<Case>,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub name: String,
    /// The line where it begins.
    pub line: Option<usize>,
    pub outcome: Outcome,
}

/// How a case ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// Without errors. Warnings are part of the output.
    Passed(Vec<Diagnostic>),
    Failed(Vec<Diagnostic>),
    /// The check was not possible.
    Unusable(Vec<Diagnostic>),
    /// Not checked, for this reason.
    Skipped(String),
}

/// The numbers of an element.
#[derive(Default)]
struct Numbers {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Numbers {
    fn of<'c>(cases: impl Iterator<Item = &'c Case>) -> Self {
        let mut numbers = Self::default();
        for case in cases {
            numbers.tests += 1;
            match case.outcome {
                Outcome::Passed(_) => {}
                Outcome::Failed(_) => numbers.failures += 1,
                Outcome::Unusable(_) => numbers.errors += 1,
                Outcome::Skipped(_) => numbers.skipped += 1,
            }
        }
        numbers
    }

    fn attributes(&self) -> String {
        let Self { tests, failures, errors, skipped } = self;
        format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
    }
}

/// The document of a command.
pub fn document(command: &str, suites: &[Suite]) -> String {
    let numbers = Numbers::of(suites.iter().flat_map(|suite| &suite.cases)).attributes();
    let mut xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    xml.push_str(&format!("<testsuites name=\"{}\" {numbers}>\n", escaped(command)));
    for suite in suites {
        let (name, numbers) = (escaped(&suite.name), Numbers::of(suite.cases.iter()).attributes());
        xml.push_str(&format!("  <testsuite name=\"{name}\" {numbers}>\n"));
        for case in &suite.cases {
            let line = case.line.map(|line| format!(" line=\"{line}\"")).unwrap_or_default();
            let title = escaped(&case.name);
            xml.push_str(&format!("    <testcase name=\"{title}\" classname=\"{name}\" file=\"{name}\"{line}"));
            match &case.outcome {
                Outcome::Passed(warnings) if warnings.is_empty() => xml.push_str("/>\n"),
                Outcome::Passed(warnings) => {
                    xml.push_str(&format!(">\n      <system-out>{}</system-out>\n    </testcase>\n", body(warnings)));
                }
                Outcome::Failed(diagnostics) => xml.push_str(&wrong("failure", diagnostics)),
                Outcome::Unusable(diagnostics) => xml.push_str(&wrong("error", diagnostics)),
                Outcome::Skipped(reason) => {
                    xml.push_str(&format!(">\n      <skipped message=\"{}\"/>\n    </testcase>\n", escaped(reason)));
                }
            }
        }
        xml.push_str("  </testsuite>\n");
    }
    xml.push_str("</testsuites>\n");
    xml
}

/// The rest of a case with diagnostics.
fn wrong(element: &str, diagnostics: &[Diagnostic]) -> String {
    let (message, code) = diagnostics.first().map(|first| (printable(&first.message), first.code)).unwrap_or_default();
    let more = match diagnostics.len() {
        0 | 1 => String::new(),
        number => format!(" (and {})", count(number - 1, "more diagnostic")),
    };
    let (message, body) = (escaped(&format!("{message}{more}")), body(diagnostics));
    format!(">\n      <{element} type=\"{code}\" message=\"{message}\">{body}</{element}>\n    </testcase>\n")
}

fn body(diagnostics: &[Diagnostic]) -> String {
    escaped(&diagnostics.iter().map(text::plain).collect::<String>())
}

/// Text in an element or an attribute. Readers turn line breaks of attributes into spaces.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut is_blank = true;
    for (at, character) in text.char_indices() {
        let is_command = is_blank && text[at..].starts_with("::") || escaped.ends_with("##") && character == '[';
        is_blank = character == '\n' || is_blank && character.is_whitespace();
        match character {
            // GitHub's runner reads commands in every line of a log.
            command if is_command => escaped.push_str(&format!("&#{};", u32::from(command))),
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => push_visible(&mut escaped, other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_has_one_element_for_its_outcome() {
        let case = |name: &str, outcome| Case { name: name.to_owned(), line: Some(2), outcome };
        let diagnostics = vec![Diagnostic::error("object::type", "a < b"), Diagnostic::error("object::type", "c")];
        let suite = Suite {
            name: "a&b.yaml".to_owned(),
            cases: vec![
                case("one", Outcome::Passed(Vec::new())),
                case("two", Outcome::Failed(diagnostics)),
                case("three", Outcome::Unusable(vec![Diagnostic::error("yaml", "\u{1}")])),
                case("four", Outcome::Skipped("no \"CRD\"".to_owned())),
                case("five", Outcome::Passed(vec![Diagnostic::warning("object::warning", "old")])),
            ],
        };
        assert_eq!(
            document("validate", &[suite]),
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>
<testsuites name=\"validate\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">
  <testsuite name=\"a&amp;b.yaml\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"1\">
    <testcase name=\"one\" classname=\"a&amp;b.yaml\" file=\"a&amp;b.yaml\" line=\"2\"/>
    <testcase name=\"two\" classname=\"a&amp;b.yaml\" file=\"a&amp;b.yaml\" line=\"2\">
      <failure type=\"object::type\" message=\"a &lt; b (and 1 more diagnostic)\">error[object::type]: a &lt; b
error[object::type]: c
</failure>
    </testcase>
    <testcase name=\"three\" classname=\"a&amp;b.yaml\" file=\"a&amp;b.yaml\" line=\"2\">
      <error type=\"yaml\" message=\"\\u{1}\">error[yaml]: \\u{1}
</error>
    </testcase>
    <testcase name=\"four\" classname=\"a&amp;b.yaml\" file=\"a&amp;b.yaml\" line=\"2\">
      <skipped message=\"no &quot;CRD&quot;\"/>
    </testcase>
    <testcase name=\"five\" classname=\"a&amp;b.yaml\" file=\"a&amp;b.yaml\" line=\"2\">
      <system-out>warning[object::warning]: old
</system-out>
    </testcase>
  </testsuite>
</testsuites>
"
        );
    }
}
