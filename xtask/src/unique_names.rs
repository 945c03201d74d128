//! The policy *unique-names*: names of headers and query parameters are unique regardless of case.
//!
//! The CRDs compare names letter by letter (`listType: map`). Regardless of case, a rule of the CRD would have a higher *estimated* cost than servers
//! permit (Gateway API issue 2277). A policy has no estimated cost, only limits while it runs: 1,000,000 for an expression and 10,000,000 for
//! all of them. `cargo test -p crd-testbed --test proofs webhook_install::policy` proves on a server that the largest routes are checked within them.
//!
//! * A filter has one action for each header name, so `set`, `add` and `remove` of a modifier are compared with each other too. Names in
//!   `remove` have no limit of their length; those above 256 characters are not compared, because other names cannot be equal to them.
//! * A list that the stored object has already may stay, in any rule.
//! * The sum of the first indexes of all names is that of 0, 1, 2, … only if each name is its own first one. Compared in pairs, the
//!   names of the largest route would cost several times as much.
//! * Each expression checks as many lists as fit into its limit: all matches, and six lists of filters.
//! * A server evaluates the expressions of messages for every object, also for valid ones, and their variables again. So only matches, which cost
//!   little, have a message with the names.

use crd_generate::Policy;

/// The largest number of rules of a route, and of backends of a rule.
const RULES: usize = 16;
const BACKENDS: usize = 16;

/// So many lists of filters fit into the limit of an expression.
const LISTS: usize = 6;

/// The policy.
pub(crate) fn policy() -> Policy {
    let lists_of = |of: &str| {
        format!(
            "variables.{of}.map(r, [r.?filters.orValue([])] + r.?backendRefs.orValue([]).map(b, b.?filters.orValue([])))"
        )
    };
    let mut policy = Policy::new(NAME, "header names and query parameter names that are unique regardless of case")
        .resource(GROUP, "httproutes")
        .resource(GROUP, "grpcroutes")
        .variable("rules", "object.?spec.?rules.orValue([])")
        .variable("oldRules", "oldObject == null ? dyn([]) : dyn(oldObject.?spec.?rules.orValue([]))")
        .variable("oldMatches", "variables.oldRules.map(r, r.?matches.orValue([]))")
        // The lists of filters of each rule: its own, and those of its backends.
        .variable("filters", lists_of("rules"))
        .variable("oldFilters", lists_of("oldRules"));
    for list in ["headers", "queryParams"] {
        policy = policy.variable(list, of_matches(list)).validation(
            format!("variables.{list} == ''"),
            format!("spec.rules[*].matches[*].{list}: names must be unique regardless of case"),
            Some(&format!(
                "'spec.rules[*].matches[*].{list}: names must be unique regardless of case: ' + variables.{list}"
            )),
        );
    }
    for rule in 0..RULES {
        for first in (0..=BACKENDS).step_by(LISTS) {
            let last = (first + LISTS - 1).min(BACKENDS);
            let message = format!(
                "spec.rules[{rule}]: a filter has one action for each header name, regardless of case, in `set`, `add` and `remove` together: see {}",
                place(first, last)
            );
            policy = policy.validation(of_filters(rule, first..=last), message, None);
        }
    }
    policy
}

/// The lists of filters from one index to another; the first one is that of the rule, followed by those of its backends.
fn place(first: usize, last: usize) -> String {
    let of_rule = if first == 0 { "its `filters`, and those of " } else { "the `filters` of " };
    format!("{of_rule}backendRefs[{}] to backendRefs[{}]", first.max(1) - 1, last - 1)
}

const NAME: &str = "unique-names";

const GROUP: &str = gateway_api_types::GROUP;

/// Whether names are unique, after they became lower case.
fn unique(names: &str) -> String {
    format!("[{names}].all(n, n.map(a, n.indexOf(a)).sum() == n.size() * (n.size() - 1) / 2)")
}

/// The names of the first list that has repeated names; empty without one.
fn of_matches(list: &str) -> String {
    let is_unique = unique(&format!("m.?{list}.orValue([]).map(h, h.name.lowerAscii())"));
    let is_kept = format!("variables.oldMatches.exists(ms, ms.exists(o, has(o.{list}) && o.{list} == m.{list}))");
    let found = format!(
        "variables.rules.map(r, r.?matches.orValue([]).filter(m, !({is_unique} || {is_kept}))).filter(ms, ms.size() > 0)"
    );
    let text = format!("found[0][0].{list}.map(h, h.name).join(', ')");
    format!("[{found}].map(found, found.size() == 0 ? '' : {text})[0]")
}

/// Whether each of these lists of filters has unique names, or is kept.
fn of_filters(rule: usize, lists: std::ops::RangeInclusive<usize>) -> String {
    let names = "(m.?set.orValue([]).map(h, h.name) + m.?add.orValue([]).map(h, h.name) + \
                 m.?remove.orValue([]).filter(h, h.size() <= 256)).map(h, h.lowerAscii())";
    let is_unique = format!(
        "fs.all(f, [f.?requestHeaderModifier.orValue({{}}), f.?responseHeaderModifier.orValue({{}})].all(m, {}))",
        unique(names)
    );
    let indexes = lists.map(|list| list.to_string()).collect::<Vec<_>>().join(", ");
    format!(
        "[{indexes}].all(i, variables.filters.size() <= {rule} || variables.filters[{rule}].size() <= i || \
         [variables.filters[{rule}][i]].all(fs, {is_unique} || variables.oldFilters.exists(of, fs in of)))"
    )
}
