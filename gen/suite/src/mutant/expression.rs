//! Mistakes in the text of a rule.
//!
//! Invariants: an edit replaces whole tokens, or an operand with the operator next to it. Whether the result compiles is checked afterwards.

use std::ops::Range;

use crd_cel::token_spans;
use crd_model::schema::Schema;
use serde_json::Value;

use super::constraint::{after, without_end};

/// A piece of the text and what replaces it.
pub(super) struct Edit {
    pub(super) span: Range<usize>,
    pub(super) with: String,
}

/// The tokens of a rule.
pub(super) struct Expression<'r> {
    source: &'r str,
    node: &'r Schema,
    spans: Vec<Range<usize>>,
    /// How many brackets are around each token; a bracket is not in itself.
    depths: Vec<usize>,
}

impl<'r> Expression<'r> {
    pub(super) fn of(source: &'r str, node: &'r Schema) -> Self {
        let spans = token_spans(source);
        let mut depth = 0_usize;
        let depths = spans.iter().map(|span| match &source[span.clone()] {
            "(" | "[" | "{" => {
                depth += 1;
                depth - 1
            }
            ")" | "]" | "}" => {
                depth = depth.saturating_sub(1);
                depth
            }
            _ => depth,
        });
        Self { source, node, depths: depths.collect(), spans }
    }

    /// The text of a token; empty beyond both ends.
    fn text(&self, at: Option<usize>) -> &'r str {
        at.and_then(|at| self.spans.get(at)).map_or("", |span| &self.source[span.clone()])
    }

    fn all(&self) -> impl Iterator<Item = (usize, &'r str)> {
        (0..self.spans.len()).map(|at| (at, self.text(Some(at))))
    }

    fn before(&self, at: usize) -> &'r str {
        self.text(at.checked_sub(1))
    }

    fn replaced(&self, at: usize, with: impl Into<String>) -> Edit {
        Edit { span: self.spans[at].clone(), with: with.into() }
    }

    /// Whether a `?` begins a branch. After a dot and in front of an index or entry it makes them optional.
    fn is_branch(&self, at: usize) -> bool {
        self.text(Some(at)) == "?" && !matches!(self.before(at), "." | "[" | "{" | "," | "")
    }

    /// Where the operand to the left of a token begins: after one of the operators that bind less.
    fn left(&self, at: usize, ends: &[&str]) -> usize {
        let is_end = |token: &usize| self.ends(*token, self.depths[at], ends);
        (0..at).rev().find(is_end).map_or(0, |end| end + 1)
    }

    /// Where the operand to the right of a token ends.
    fn right(&self, at: usize, ends: &[&str]) -> usize {
        let is_end = |token: &usize| self.ends(*token, self.depths[at], ends);
        (at + 1..self.spans.len()).find(is_end).unwrap_or(self.spans.len())
    }

    fn ends(&self, token: usize, depth: usize, ends: &[&str]) -> bool {
        let text = self.text(Some(token));
        let is_optional_mark = text == "?" && !self.is_branch(token);
        self.depths[token] < depth || self.depths[token] == depth && ends.contains(&text) && !is_optional_mark
    }

    fn span(&self, tokens: Range<usize>) -> Range<usize> {
        let (first, last) = (self.spans.get(tokens.start), self.spans.get(tokens.end.saturating_sub(1)));
        first.map_or(0, |span| span.start)..last.map_or(0, |span| span.end)
    }

    /// Each operand of `&&` and `||` with the operator next to it: the tokens of the operand, and what is removed with it.
    fn dropped(&self) -> Vec<(Range<usize>, Range<usize>)> {
        let mut found = Vec::new();
        for (at, operator) in self.all() {
            let ends: &[&str] = match operator {
                "&&" => &["&&", "||", "?", ":", ","],
                "||" => &["||", "?", ":", ","],
                _ => continue,
            };
            let (left, right) = (self.left(at, ends), self.right(at, ends));
            if left < at && at + 1 < right {
                let from = |token: usize| self.spans[token].start;
                found.push((left..at, from(left)..from(at + 1)));
                let end = self.spans[at - 1].end;
                found.push((at + 1..right, end..self.span(at + 1..right).end));
            }
        }
        found
    }

    /// Whether an operand is `has(…)` or `!has(…)`.
    fn is_has(&self, tokens: &Range<usize>) -> bool {
        let start = tokens.start + usize::from(self.text(Some(tokens.start)) == "!");
        self.text(Some(start)) == "has" && self.right(start + 1, &[")"]) + 1 == tokens.end
    }
}

pub(super) fn comparisons(rule: &Expression<'_>) -> Vec<Edit> {
    let others = |operator: &str| -> &[&str] {
        match operator {
            "<" => &["<=", ">="],
            "<=" => &["<", ">"],
            ">" => &[">=", "<="],
            ">=" => &[">", "<"],
            "==" => &["!="],
            "!=" => &["=="],
            _ => &[],
        }
    };
    let found = rule.all().flat_map(|(at, text)| others(text).iter().map(move |other| (at, *other)));
    found.map(|(at, other)| rule.replaced(at, other)).collect()
}

pub(super) fn logic(rule: &Expression<'_>) -> Vec<Edit> {
    let found = rule.all().filter_map(|(at, text)| match text {
        "&&" => Some((at, "||")),
        "||" => Some((at, "&&")),
        _ => None,
    });
    found.map(|(at, other)| rule.replaced(at, other)).collect()
}

pub(super) fn operands(rule: &Expression<'_>) -> Vec<Edit> {
    let found = rule.dropped().into_iter().filter(|(operand, _)| !rule.is_has(operand));
    found.map(|(_, span)| Edit { span, with: String::new() }).collect()
}

pub(super) fn has(rule: &Expression<'_>) -> Vec<Edit> {
    let found = rule.dropped().into_iter().filter(|(operand, _)| rule.is_has(operand));
    found.map(|(_, span)| Edit { span, with: String::new() }).collect()
}

pub(super) fn branches(rule: &Expression<'_>) -> Vec<Edit> {
    let mut found = Vec::new();
    for (at, _) in rule.all().filter(|(at, _)| rule.is_branch(*at)) {
        let mut nested = 0_usize;
        let colon = (at + 1..rule.spans.len()).filter(|token| rule.depths[*token] == rule.depths[at]).find(|token| {
            match rule.text(Some(*token)) {
                "?" if rule.is_branch(*token) => nested += 1,
                ":" if nested == 0 => return true,
                ":" => nested -= 1,
                _ => {}
            }
            false
        });
        let Some(colon) = colon else { continue };
        let (start, end) = (rule.left(at, &["?", ":", ","]), rule.right(colon, &[","]));
        let whole = rule.span(start..end);
        for branch in [at + 1..colon, colon + 1..end] {
            found.push(Edit { span: whole.clone(), with: rule.source[rule.span(branch)].to_owned() });
        }
    }
    found
}

pub(super) fn negations(rule: &Expression<'_>) -> Vec<Edit> {
    let found = rule.all().filter(|(_, text)| *text == "!");
    found.map(|(at, _)| Edit { span: rule.spans[at].clone(), with: String::new() }).collect()
}

pub(super) fn quantifiers(rule: &Expression<'_>) -> Vec<Edit> {
    let others = |name: &str| -> &[&str] {
        match name {
            "all" => &["exists"],
            "exists" => &["all", "exists_one"],
            "exists_one" | "existsOne" => &["exists", "all"],
            _ => &[],
        }
    };
    let is_call = |at: usize| rule.before(at) == "." && rule.text(Some(at + 1)) == "(";
    let found = rule.all().filter(|(at, _)| is_call(*at));
    let found = found.flat_map(|(at, text)| others(text).iter().map(move |other| (at, *other)));
    found.map(|(at, other)| rule.replaced(at, other)).collect()
}

pub(super) fn constants(rule: &Expression<'_>) -> Vec<Edit> {
    let texts: Vec<Value> = {
        let mut texts: Vec<Value> = rule.all().filter_map(|(_, token)| content(token)).map(Value::from).collect();
        texts.sort_by_key(Value::to_string);
        texts.dedup();
        texts
    };
    let mut found = Vec::new();
    for (at, token) in rule.all() {
        let mut put = |with: String| found.push(rule.replaced(at, with));
        if let Ok(number) = token.parse::<i64>() {
            [1, -1].iter().filter_map(|step| number.checked_add(*step)).for_each(|other| put(other.to_string()));
        } else if let "true" | "false" = token {
            put((token == "false").to_string());
        } else if let Some(text) = content(token).filter(|_| !is_pattern(rule, at)) {
            let other = member(rule.node, text).or_else(|| after(&texts, &Value::from(text)).cloned());
            let other = other.as_ref().and_then(Value::as_str).unwrap_or(if text.is_empty() { "x" } else { "" });
            if !other.contains(['\'', '\\', '\n']) {
                put(format!("'{other}'"));
            }
        }
    }
    found
}

/// The text of a literal without escapes.
fn content(token: &str) -> Option<&str> {
    let quote = token.chars().next().filter(|quote| ['\'', '"'].contains(quote))?;
    let inner = token.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inner.contains(['\\', quote])).then_some(inner)
}

/// Another member of an `enum` below the node that has this one.
fn member(node: &Schema, text: &str) -> Option<Value> {
    let value = Value::from(text);
    node.all_nodes().find_map(|node| after(node.enumeration.as_deref()?, &value).cloned())
}

/// Whether a text is the pattern of `matches`.
fn is_pattern(rule: &Expression<'_>, at: usize) -> bool {
    rule.before(at) == "(" && rule.text(at.checked_sub(2)) == "matches"
}

pub(super) fn anchors(rule: &Expression<'_>) -> Vec<Edit> {
    let mut found = Vec::new();
    for (at, token) in rule.all().filter(|(at, _)| is_pattern(rule, *at)) {
        let start = token.find(['\'', '"']).unwrap_or_default();
        let Some(inner) = token.get(start + 1..token.len() - 1) else { continue };
        let (before, after) = (&token[..=start], &token[token.len() - 1..]);
        let others = [inner.strip_prefix('^'), without_end(inner)];
        found.extend(others.into_iter().flatten().map(|inner| rule.replaced(at, format!("{before}{inner}{after}"))));
    }
    found
}

pub(super) fn old_self(rule: &Expression<'_>) -> Vec<Edit> {
    let found = rule.all().filter(|(at, text)| *text == "oldSelf" && rule.before(*at) != ".");
    found.map(|(at, _)| rule.replaced(at, "self")).collect()
}
