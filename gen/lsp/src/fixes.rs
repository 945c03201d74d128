//! Edits that end a diagnostic: the nearest name in place of an unknown one.

use crd_diagnostics::Diagnostic;

/// An edit of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fix {
    pub(crate) title: String,
    /// From 1.
    pub(crate) line: usize,
    /// The first character that is replaced, from 1, and how many are.
    pub(crate) column: usize,
    pub(crate) length: usize,
    pub(crate) text: String,
}

/// Where the unknown name of a diagnostic is.
enum Name {
    Key,
    Value,
}

/// The edit of a diagnostic, if it has one.
pub(crate) fn fix(diagnostic: &Diagnostic, text: &str) -> Option<Fix> {
    let name = match diagnostic.code {
        "object::unknown-field" => Name::Key,
        "object::unknown-kind" | "object::unknown-version" => Name::Value,
        code if code.starts_with("settings::unknown-key") => Name::Key,
        code if code.starts_with("settings::value") => Name::Value,
        _ => return None,
    };
    // The sentence of every diagnostic with a nearest name.
    let help = diagnostic.help.as_deref()?;
    let near = help.split("did you mean `").nth(1)?.split('`').next().filter(|near| !near.is_empty())?;
    let number = diagnostic.location.line?;
    let line = text.lines().nth(number.checked_sub(1)?)?;
    let start = diagnostic.location.column.map_or_else(|| line.len() - line.trim_start().len(), |column| column - 1);
    let (before, rest) = split(line, start);
    let key_end = rest.find(':')?;
    let (column, length) = match name {
        Name::Key => (before, rest[..key_end].trim_end().chars().count()),
        Name::Value => {
            let value = rest[key_end + 1..].trim_start();
            let skipped = rest.chars().count() - value.chars().count();
            let value = value.split(" #").next().unwrap_or_default();
            (before + skipped, value.trim_end().trim_end_matches(['}', ',']).trim_end().chars().count())
        }
    };
    let title = format!("Write `{near}`");
    (length > 0).then(|| Fix { title, line: number, column: column + 1, length, text: near.to_owned() })
}

/// The number of characters before a place of a line, and the rest.
fn split(line: &str, start: usize) -> (usize, &str) {
    let byte = line.char_indices().nth(start).map_or(line.len(), |(byte, _)| byte);
    (start, &line[byte..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_replaced_and_nothing_else() {
        let text = "apiVersion: example.com/v1\nkind: Lmp # a lamp\nspec: {siz: 3, colour: red}\n";
        let cases = [
            ("object::unknown-field", 3, 8, "did you mean `size`?", "spec: {size: 3, colour: red}"),
            ("object::unknown-kind", 2, 1, "did you mean `Lamp`?", "kind: Lamp # a lamp"),
            ("object::unknown-version", 1, 1, "did you mean `example.com/v2`?", "apiVersion: example.com/v2"),
        ];
        for (code, line, column, help, expected) in cases {
            let diagnostic = Diagnostic::error(code, "").at_position("a.yaml", line, column).help(help);
            let fix = fix(&diagnostic, text).unwrap_or_else(|| panic!("{code}"));
            let characters = text.lines().nth(line - 1).unwrap_or_default().chars().collect::<Vec<_>>();
            let (before, rest) = characters.split_at(fix.column - 1);
            let edited = before.iter().collect::<String>() + &fix.text + &rest[fix.length..].iter().collect::<String>();
            assert_eq!(edited, expected);
        }
        assert_eq!(fix(&Diagnostic::error("object::invalid", "").help("did you mean `a`?"), text), None);
    }
}
