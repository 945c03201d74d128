//! `validation-old-self`: rules about `oldSelf` stand where the server knows which old value belongs to a new one.
//!
//! It does not know that below the items of a list, unless the list is of type map. Whether a rule mentions `oldSelf`
//! is read off its text ([`mentions_old_self`]); a message expression does not count.

use super::validation_text::name;
use super::walk::Examined;
use super::{Authority, Report, Rule};

pub(super) const RULE: Rule = Rule {
    id: "validation-old-self",
    authority: Authority::Server,
    refused: &[
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "oldSelf.hasValue()", "optionalOldSelf": true}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "object", "properties": {"a": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}}}"#,
    ],
    accepted: &[
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3,
            "x-kubernetes-validations": [{"rule": "self != 'oldSelf' // oldSelf", "message": "m"}]}}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "items": {"type": "string", "maxLength": 3},
            "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}"#,
        r#"{"field": {"type": "array", "maxItems": 3, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"],
            "items": {"type": "object", "required": ["a"], "x-kubernetes-map-type": "atomic", "properties": {"a": {"type": "string",
                "maxLength": 3, "x-kubernetes-validations": [{"rule": "self == oldSelf"}]}}}}}"#,
    ],
    check,
};

fn check(examined: &Examined<'_>, report: &mut Report) {
    for (version, node) in examined.structural_nodes() {
        let Some(list) = &node.unstable_list else { continue };
        for (index, validation) in node.schema.validations.iter().enumerate() {
            if mentions_old_self(&validation.rule) {
                let message = format!(
                    "{} mentions oldSelf, but the items of {list} have no old selves; make {list} a list of type map, or say it of the whole list",
                    name(index, validation)
                );
                report.node(version, node, message);
            }
        }
    }
}

/// Whether a CEL expression mentions the variable `oldSelf`: not in a text, not in a comment, not as a field of
/// something.
pub(super) fn mentions_old_self(expression: &str) -> bool {
    let mut rest = expression;
    // What stands before: nothing or an operator, an operand, or the dot after an operand.
    let (mut after_operand, mut after_selection) = (false, false);
    while let Some(first) = rest.chars().next() {
        if first.is_ascii_whitespace() {
            rest = &rest[first.len_utf8()..];
        } else if let Some(comment) = rest.strip_prefix("//") {
            rest = comment.find('\n').map_or("", |end| &comment[end..]);
        } else if let Some(end) = end_of_text(rest) {
            rest = &rest[end..];
            (after_operand, after_selection) = (true, false);
        } else if first.is_ascii_alphabetic() || first == '_' {
            let end = rest
                .find(|character: char| !character.is_ascii_alphanumeric() && character != '_')
                .unwrap_or(rest.len());
            if &rest[..end] == "oldSelf" && !after_selection {
                return true;
            }
            // `in` is an operator.
            after_operand = &rest[..end] != "in";
            after_selection = false;
            rest = &rest[end..];
        } else {
            after_selection = after_operand && (first == '.' || first == '?' && after_selection);
            // `a.?b` selects, `a ? .b : c` does not.
            if first == '.' && rest[1..].starts_with('?') {
                rest = &rest[1..];
            }
            if !after_selection {
                after_operand = matches!(first, ')' | ']' | '}') || first.is_ascii_digit();
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    false
}

/// Where the text (string or bytes) at the start ends; `None` where there is none.
fn end_of_text(expression: &str) -> Option<usize> {
    let prefix = expression.len() - expression.trim_start_matches(['r', 'R', 'b', 'B']).len();
    let is_raw = expression[..prefix].contains(['r', 'R']);
    let body = &expression[prefix..];
    let quote = body.chars().next().filter(|quote| prefix <= 2 && matches!(quote, '\'' | '"'))?;
    let triple: String = [quote; 3].iter().collect();
    let delimiter = if body.starts_with(&triple) { triple } else { quote.to_string() };
    let mut at = delimiter.len();
    while at < body.len() {
        if body[at..].starts_with(&delimiter) {
            return Some(prefix + at + delimiter.len());
        }
        let mut characters = body[at..].chars();
        let step = characters.next().map_or(1, char::len_utf8);
        let escaped =
            if !is_raw && body[at..].starts_with('\\') { characters.next().map_or(0, char::len_utf8) } else { 0 };
        at += step + escaped;
    }
    Some(expression.len())
}

#[cfg(test)]
mod tests {
    use super::mentions_old_self;

    #[test]
    fn old_self_is_found_where_it_is_a_variable() {
        for expression in [
            "oldSelf",
            "self==oldSelf",
            "size(oldSelf)",
            "[oldSelf]",
            "!oldSelf.hasValue()",
            "true ? oldSelf : self",
            "a ? .oldSelf : b",
            "'x' in oldSelf",
            "'it\\'s' == oldSelf",
            "r'\\' == oldSelf",
            "\"\"\"a\"b\"\"\" == oldSelf",
            "1 + oldSelf",
            "has(oldSelf.a)",
            "// c\noldSelf",
            "self.all(x, x == oldSelf)",
        ] {
            assert!(mentions_old_self(expression), "{expression}");
        }
        for expression in [
            "self",
            "self.oldSelf",
            "self . oldSelf",
            "self.a().oldSelf",
            "self[0].oldSelf",
            "self.?oldSelf",
            "'oldSelf'",
            "b\"oldSelf\"",
            "// oldSelf",
            "oldSelf2",
            "my_oldSelf",
            "'''oldSelf'''",
            "r'oldSelf",
            "'\\'oldSelf'",
        ] {
            assert!(!mentions_old_self(expression), "{expression}");
        }
    }
}
