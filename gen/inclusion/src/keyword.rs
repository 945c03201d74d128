//! Keywords and branches as rules: whether the CEL rules of the other side state what a keyword states.
//!
//! Invariants: the rule that a keyword is written as is asked of the node of the keyword and of the nodes around it, but not across maps.

use crd_cel::escape;

use crate::difference::Difference;
use crate::edit::Side;
use crate::implied::{At, Proof, carried_at, holds, is_default_refused};
use crate::position::Position;
use crate::prover::Technique;
use crate::rule_text::{Named, around, rule};

/// What proves that the objects of the other side satisfy the keyword of this side, by the rules of the other side.
pub(crate) fn is_in_rules(difference: &Difference<'_>, side: Side, position: &Position<'_>) -> Option<Proof> {
    let [from, to] = position.nodes(side);
    let keyword = rule(difference, side, to.last()?).filter(|_| position.uses(Technique::KeywordAsRule))?;
    if is_default_refused(to, &position.steps) {
        return None;
    }
    let name = difference.name().or_else(|| position.steps.iter().rev().find_map(|step| step.name().copied()));
    (0..from.len().min(to.len())).rev().find_map(|depth| {
        let (from, to) = (from[depth], to[depth]);
        let steps = position.steps.get(depth..)?;
        let reads = |rule: &str| steps.is_empty() || name.and_then(escape).is_none_or(|name| rule.contains(&*name));
        if !from.validations.iter().any(|rule| reads(&rule.rule)) {
            return None;
        }
        let [before, after] = &keyword;
        let whole = Named { now: "self".to_owned(), before: None };
        let rule = around(&whole, steps, to, &|value| format!("{before}{}{after}", value.now))?;
        let at = At { is_root: depth == 0, ..At::new(position) };
        holds(&rule, None, carried_at(position, side, depth), at, false)
    })
}
