//! What rules demand: the constants that a rule compares a field with are the values of the field.
//!
//! The smallest text satisfies no rule that lists texts, and small edits do not reach the listed ones.
//!
//! Invariants: only the schema of a search changes, and its objects are checked as all others. Of several rules about a field, the first one
//! counts that has no condition.

use crd_boundary::{Step, nodes};
use crd_cel::token_spans;
use crd_model::Schema;
use serde_json::{Value, json};

/// The schema in which the fields that rules compare with constants have these values; none if no rule does that.
pub(super) fn demanded(schema: &Schema) -> Option<Schema> {
    let mut demanded = schema.clone();
    let mut is_changed = false;
    for (path, node) in nodes(schema) {
        let mut rules = node.validations.iter().filter_map(|rule| tokens(&rule.rule)).collect::<Vec<_>>();
        rules.sort_by_key(|tokens| tokens.contains(&"?"));
        for tokens in &rules {
            let is_sure = !tokens.iter().any(|token| ["?", "||", "!"].contains(token));
            for (place, values) in comparisons(tokens) {
                // A variable is an item of a list below.
                let items = nodes(node).into_iter().filter(|(below, _)| below.steps().last() == Some(&Step::Item));
                let from = match place.first() {
                    Some(&"self") => Some(path.clone()),
                    _ => items
                        .filter(|(_, items)| place.get(1).is_none_or(|name| items.properties.get(name).is_some()))
                        .map(|(below, _)| {
                            below.steps().iter().cloned().fold(path.clone(), |path, step| path.with(step))
                        })
                        .next(),
                };
                let node = from.and_then(|from| from.node_mut(&mut demanded));
                is_changed |= node.is_some_and(|node| demand(node, &place[1..], values, is_sure));
            }
        }
    }
    is_changed.then_some(demanded)
}

/// Gives the field of a node these values; false if it has values already.
fn demand(node: &mut Schema, names: &[&str], mut values: Vec<Value>, is_required: bool) -> bool {
    if let Some((name, rest)) = names.split_first() {
        let Some(field) = node.properties.get_mut(name) else { return false };
        let is_changed = demand(field, rest, values, is_required);
        if is_changed && is_required && !node.required.iter().any(|required| **required == **name) {
            node.required.push((*name).to_owned().into());
            node.required.sort_unstable();
        }
        return is_changed;
    }
    let is_of_kind = |value: &Value| match node.kind.as_deref() {
        Some("string") => value.is_string(),
        Some("integer") => value.is_i64(),
        _ => false,
    };
    values.retain(is_of_kind);
    let is_new = node.enumeration.is_none() && !values.is_empty();
    if is_new {
        node.enumeration = Some(values);
    }
    is_new
}

fn tokens(rule: &str) -> Option<Vec<&str>> {
    token_spans(rule).into_iter().map(|span| rule.get(span)).collect()
}

/// The paths that a rule compares with constants: `self.a == 'x'`, `self.a in ['x']`, `[self.a, self.b] in [['x', 'y']]`.
fn comparisons<'r>(tokens: &[&'r str]) -> Vec<(Vec<&'r str>, Vec<Value>)> {
    let mut found = Vec::new();
    for (index, operator) in tokens.iter().enumerate().filter(|(_, token)| ["==", "in"].contains(token)) {
        let (before, after) = (&tokens[..index], &tokens[index + 1..]);
        let places = match before.last() {
            Some(&"]") => {
                let begin = before.iter().rposition(|token| *token == "[").map_or(index, |begin| begin + 1);
                let inside = before.get(begin..index - 1).unwrap_or_default();
                inside.split(|token| *token == ",").map(place).collect()
            }
            _ => vec![place(before)],
        };
        let mut open = 0_usize;
        let end = after.iter().position(|token| {
            open = (open + usize::from(*token == "[")).saturating_sub(usize::from(*token == "]"));
            open == 0
        });
        let constants =
            end.and_then(|end| after.get(..=end)).unwrap_or_default().iter().filter_map(|token| constant(token));
        let constants = constants.collect::<Vec<_>>();
        if *operator == "==" && constants.len() != places.len() {
            continue;
        }
        for (index, place) in places.iter().enumerate().filter(|(_, place)| !place.is_empty()) {
            found.push((place.clone(), constants.iter().skip(index).step_by(places.len()).cloned().collect()));
        }
    }
    found
}

/// The path that these tokens end with.
fn place<'r>(tokens: &[&'r str]) -> Vec<&'r str> {
    let is_name = |token: &&str| token.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    let mut names = tokens.last().filter(|token| is_name(token)).map(|token| vec![*token]).unwrap_or_default();
    let mut rest = tokens.split_last().map_or(&[][..], |(_, rest)| rest);
    while let [before @ .., name, "."] = rest
        && is_name(name)
    {
        names.insert(0, name);
        rest = before;
    }
    names
}

fn constant(token: &str) -> Option<Value> {
    let text = ['\'', '"'].into_iter().find_map(|quote| token.strip_prefix(quote)?.strip_suffix(quote));
    match text {
        Some(text) => (!text.contains('\\')).then(|| json!(text)),
        None => token.parse::<i64>().ok().map(Value::from),
    }
}
