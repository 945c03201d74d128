//! Premises: what fields, branches, nodes around and rules with an optional `oldSelf` state, as rules of one node.
//!
//! Invariants: the objects of the other side satisfy each premise, as its own rules read them. A rule is asked of its node and of the nodes
//! around it, but not across maps, and a rule about updates not across lists. A rule that also checks new values is two rules: one about
//! updates, and one about values that were not there before.

use std::collections::HashSet;

use crd_cel::implication::MOST_READ;
use crd_cel::{escape, laid_out, mentions_old_self, token_spans};
use crd_model::Schema;
use crd_model::schema::Validation;

use crate::edit::Side;
use crate::implied::{At, Proof, carried_at, proven};
use crate::position::{Position, Step};
use crate::prover::Technique;
use crate::rule_text::{Named, around, branches};

/// How many rules of fields are premises, and how deep the fields are.
const MOST_BELOW: usize = 8;
const DEEPEST: usize = 3;

/// An expression that fails for every value.
const FAILURE: &str = "(1 / 0)";

/// What proves that the objects of the other side satisfy a rule, where the rules of its node alone do not.
pub(crate) fn is_stated(rule: &Validation, side: Side, position: &Position<'_>) -> Option<Proof> {
    if !position.uses(Technique::Premises) {
        return None;
    }
    let [from, to] = position.nodes(side);
    let name = position.steps.iter().rev().find_map(|step| escape(step.name()?));
    (0..from.len().min(to.len())).rev().find_map(|depth| {
        let (from, to, steps) = (from[depth], to[depth], position.steps.get(depth..)?);
        let is_near = |known: &Validation| name.as_ref().is_none_or(|name| known.rule.contains(&**name));
        let branches = branches(from);
        let are_near = |branches: &String| name.as_ref().is_none_or(|name| branches.contains(&**name));
        if !steps.is_empty() && !from.validations.iter().any(is_near) && !branches.as_ref().is_some_and(are_near) {
            return None;
        }
        let both = [true, false];
        let has_optional = is_optional(rule) || from.validations.iter().any(is_optional);
        let requests = match mentions_old_self(&rule.rule) {
            true if !is_optional(rule) => &both[..1],
            false if !has_optional => &both[1..],
            _ => &both[..],
        };
        let mut proofs = requests.iter().map(|is_update| {
            let goal = lifted(&plain(rule, *is_update)?, steps, to)?;
            let objects = carried_at(position, side, depth);
            let (mut assumed, mut by_schema) = (below(&objects.schema, &goal), false);
            if let Some(branches) = branches.clone().filter(|_| objects.is_read_alike) {
                (assumed, by_schema) = ([vec![branches], assumed].concat(), true);
            }
            // The rules of the node alone were asked before.
            if steps.is_empty() && assumed.is_empty() && !has_optional {
                return None;
            }
            let rules = objects.schema.validations.iter().filter_map(|known| plain(known, *is_update));
            let assumed = assumed.into_iter().chain(rules).filter(|known| *is_update || !mentions_old_self(known));
            let assumed = assumed.take(MOST_READ).collect::<Vec<_>>();
            let assumed = assumed.iter().map(|known| &**known).collect::<Vec<_>>();
            let at = At { is_root: depth == 0, ..At::new(position) };
            let proof = proven(&goal, &assumed, objects, at)?;
            Some(if by_schema { Proof::Schema } else { proof })
        });
        proofs.try_fold(Proof::Rules, |one, other| Some(one.max(other?)))
    })
}

fn is_optional(rule: &Validation) -> bool {
    rule.optional_old_self == Some(true) && mentions_old_self(&rule.rule)
}

/// The rules of fields that a rule names, as rules of the node.
fn below(node: &Schema, goal: &str) -> Vec<String> {
    let mut found = Vec::new();
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let words = goal.split(|character| !is_word(character)).collect::<HashSet<_>>();
    let named = node.properties.iter().filter(|(name, _)| escape(name).is_some_and(|name| words.contains(&*name)));
    for (name, child) in named {
        collect(node, child, &mut vec![Step::Field(name)], &mut found);
    }
    found
}

fn collect<'n>(node: &Schema, child: &'n Schema, steps: &mut Vec<Step<'n>>, found: &mut Vec<String>) {
    let rules = child.validations.iter().filter(|rule| !is_optional(rule));
    found.extend(rules.filter_map(|rule| lifted(&laid_out(&rule.rule), steps, node)));
    found.truncate(MOST_BELOW);
    if steps.len() >= DEEPEST || found.len() >= MOST_BELOW {
        return;
    }
    let fields = child.properties.iter().map(|(name, child)| (Step::Field(name), child));
    // Rules do not check null.
    let items = child.items.as_deref().filter(|items| !items.nullable).map(|items| (Step::Item, items));
    for (step, below) in fields.chain(items) {
        steps.push(step);
        collect(node, below, steps, found);
        steps.pop();
    }
}

/// A rule of a node below, as a rule of the node around it.
fn lifted(rule: &str, steps: &[Step<'_>], node: &Schema) -> Option<String> {
    if steps.is_empty() {
        return Some(rule.to_owned());
    }
    let whole = Named { now: "self".to_owned(), before: mentions_old_self(rule).then(|| "oldSelf".to_owned()) };
    around(&whole, steps, node, &|Named { now, before }| match before {
        Some(before) => format!("cel.bind(self, {now}, cel.bind(oldSelf, {before}, {rule}))"),
        None => format!("cel.bind(self, {now}, {rule})"),
    })
}

/// What a rule states about an update, or about a value that was not there before, with `oldSelf` as a plain value.
fn plain(rule: &Validation, is_update: bool) -> Option<String> {
    if !is_optional(rule) {
        return Some(laid_out(&rule.rule));
    }
    let tokens = token_spans(&rule.rule).into_iter().map(|span| rule.rule.get(span)).collect::<Option<Vec<_>>>()?;
    let mut out = Vec::new();
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        at += 1;
        if *token != "oldSelf" || at > 1 && tokens[at - 2] == "." {
            out.push((*token).to_owned());
            continue;
        }
        let begin = at;
        while let [".", "?", _, ..] = tokens[at..] {
            at += 3;
        }
        let [".", function, "(", ref rest @ ..] = tokens[at..] else { return None };
        let argument = &rest[..closing(rest)?];
        let is_whole = at == begin;
        let old = || format!("oldSelf {}", tokens[begin..at].join(" "));
        out.push(match (function, is_update) {
            ("hasValue", true) if is_whole => "true".to_owned(),
            ("value" | "orValue", true) if is_whole => "oldSelf".to_owned(),
            ("hasValue" | "value" | "orValue", true) => {
                format!("{} . {function} ( {} )", old(), argument.join(" "))
            }
            ("hasValue", false) => "false".to_owned(),
            ("value", false) => FAILURE.to_owned(),
            ("orValue", false) => format!("( {} )", argument.join(" ")),
            _ => return None,
        });
        at += 3 + argument.len() + 1;
    }
    let out = out.join(" ");
    // An argument may read it too.
    (is_update || !mentions_old_self(&out)).then_some(out)
}

/// How many tokens are before the parenthesis that closes.
fn closing(tokens: &[&str]) -> Option<usize> {
    let mut open = 0_usize;
    tokens.iter().position(|token| match *token {
        "(" => {
            open += 1;
            false
        }
        ")" if open == 0 => true,
        ")" => {
            open -= 1;
            false
        }
        _ => false,
    })
}
