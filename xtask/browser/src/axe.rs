//! Accessibility of the page that is open, by axe-core.

use std::fs;

use serde_json::{Value, json};

use crate::Browser;

/// A rule of axe-core that a page violates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The name of the rule, such as `color-contrast`.
    pub rule: String,
    /// What it requires.
    pub help: String,
    /// The elements: selector and what is wrong, at most five.
    pub elements: Vec<String>,
}

/// Prepares a page without JavaScript. It has no timers: axe-core only uses them to wait for other work, so that an immediate call serves as well.
/// And axe-core takes all of `noscript` as hidden, so its content takes its place.
const WITHOUT_JAVASCRIPT: &str =
    "window.setTimeout = (call, _, ...values) => { Promise.resolve().then(() => call(...values)); return 0; };
document.querySelectorAll('noscript').forEach(x => x.replaceWith(...x.childNodes));";

/// Sends axe-core into a page that lacks it. The developer tools evaluate it, so the page's content security policy does not apply.
fn load(browser: &Browser) {
    if browser.evaluate("return typeof window.axe === 'object'", json!([])) == json!(true) {
        return;
    }
    let file = &browser.programs().axe;
    let axe = fs::read_to_string(file).unwrap_or_else(|error| panic!("cannot read {}: {error}", file.display()));
    let before = if browser.has_javascript() { "" } else { WITHOUT_JAVASCRIPT };
    let script = format!("{before}{axe}");
    let answer = browser.developer_tools("Runtime.evaluate", json!({"expression": script, "returnByValue": false}));
    assert!(answer.get("exceptionDetails").is_none(), "axe-core cannot be loaded: {answer}");
}

pub(crate) fn violations(browser: &Browser) -> Vec<Violation> {
    load(browser);
    // Style sheets of other files have a time limit, for which timers are needed.
    let found = browser.evaluate(
        "const { violations, passes } = await axe.run(document, { resultTypes: ['violations'], preload: args });
         if (passes.length < 10) throw new Error('axe-core checked only ' + passes.length + ' rules');
         return violations.map(x => [x.id, x.help, x.nodes.slice(0, 5).map(n => `${n.target}: ${n.failureSummary}`)]);",
        json!(browser.has_javascript()),
    );
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let found = found.as_array().into_iter().flatten();
    let elements = |value: &Value| value.as_array().into_iter().flatten().map(text).collect();
    found.map(|row| Violation { rule: text(&row[0]), help: text(&row[1]), elements: elements(&row[2]) }).collect()
}
