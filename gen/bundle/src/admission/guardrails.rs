//! Guardrails: the opt-in policy that keeps experimental API out of namespaces that do not allow it. `docs/evidence/guardrails.md` is the page for users.
//!
//! What is decided, and why:
//! * **One policy for all resources, under a name without a version.** The guardrails of a newer release replace the whole of the older ones.
//!   With a policy for each resource, the one of a resource that has graduated would stay behind and refuse what is standard by then.
//! * **All that is wrong at once.** A server shows the first validation that fails and no other, so there is one validation, and its message
//!   lists every experimental field that is newly used. Each field has a variable of its own, so each has the whole of the limit for one
//!   expression; lists are walked again for each field, and the old object only where the new one uses the field.
//! * **Only `spec` is checked.** The API version of the request is not: an object is the same in every version.
//!   In a version that standard does not know, what counts is what the version that standard stores does not have. A resource that
//!   standard does not have at all counts when an object of it is made; nothing is asked of it after that.
//! * **What does not count**: `null`, which reads as absent; and a value that defaults of the experimental schema put there, since the
//!   author of the object never wrote it.
//! * **What has been used may stay.** An update is compared by field: an object that uses one may not add another. Objects that are being deleted,
//!   and updates that leave `spec` as it is, are accepted before any check (match conditions), so finalizers, labels and status
//!   are never blocked. Subresources are not matched.
//! * **Who allows**: the namespace, so the right to write routes does not include the right to allow them. An object without a namespace allows
//!   itself: users who may write cluster-wide objects have that power anyway.
//! * **`failurePolicy: Fail`.** What cannot be evaluated is refused, else a large enough object would be a way around the policy. This locks
//!   no user in: the annotation is read before anything that could fail, and the requests named above pass without evaluation.
//! * Expressions read objects without types (`dyn`). A type check by resource would warn of every field that another resource has.
//!
//! Invariants: the CEL compiles on every supported Kubernetes minor; with standard CRDs nothing is ever refused, since what only experimental has
//! is pruned before admission; the same release gives the same objects.

pub(super) mod condition;
pub(super) mod uses;

use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use super::{Bundle, match_conditions, match_constraints, policy_and_binding};
pub(super) use condition::text;
use uses::{Guarded, Use};

/// The value of the annotation that allows experimental API.
pub const ALLOWED: &str = "allowed";

/// The key of the annotation that allows experimental API, on a namespace or on a cluster-wide object: `<prefix>/experimental`.
pub fn annotation(prefix: &str) -> String {
    format!("{prefix}/experimental")
}

/// The name of the policy and of its binding: `guardrails.<prefix>`.
pub fn name(prefix: &str) -> String {
    format!("guardrails.{prefix}")
}

/// The policy and its binding, in this order. None if experimental has nothing of its own; then those of an older release are to be deleted.
pub fn policies<'b>(bundle: impl Into<Bundle<'b>>) -> Vec<Value> {
    let bundle = bundle.into();
    let guarded = uses::guarded(bundle);
    if guarded.is_empty() {
        return Vec::new();
    }
    let spec = json!({
        "failurePolicy": "Fail",
        "matchConstraints": match_constraints(guarded.iter().map(Guarded::rule).collect()),
        "matchConditions": match_conditions(),
        "variables": variables(bundle.prefix, &uses::uses(&guarded)),
        "validations": [validation(bundle)],
    });
    policy_and_binding(bundle, &name(bundle.prefix), spec)
}

/// Whether a bundle with these CRDs has guardrails.
pub fn are_needed<'c>(
    standard: impl Iterator<Item = &'c CustomResourceDefinition> + Clone,
    experimental: impl Iterator<Item = &'c CustomResourceDefinition>,
) -> bool {
    !uses::guarded_among(standard, experimental).is_empty()
}

fn variables(prefix: &str, uses: &[Use<'_>]) -> Vec<Value> {
    let key = text(&annotation(prefix));
    let annotations = |of: &str| format!("has({of}.metadata.annotations) ? {of}.metadata.annotations : {{}}");
    let mut variables = uses::basics();
    variables.extend([
        (
            "annotations".to_owned(),
            format!(
                "namespaceObject == null ? dyn({}) : dyn({})",
                annotations("variables.now"),
                annotations("namespaceObject")
            ),
        ),
        (
            "allowed".to_owned(),
            format!("{key} in variables.annotations && variables.annotations[{key}] == {}", text(ALLOWED)),
        ),
    ]);
    let (looks, new) = uses::looks(uses);
    variables.extend(looks);
    variables.push(("refused".to_owned(), format!("variables.allowed ? [] : {new}")));
    variables.push((
        "remedy".to_owned(),
        format!(
            "namespaceObject == null ? {} : {} + request.namespace + {}",
            text(&format!("To allow it, give the object the annotation {}={ALLOWED}", annotation(prefix))),
            text("To allow it in this namespace: kubectl annotate namespace "),
            text(&format!(" {}={ALLOWED}", annotation(prefix)))
        ),
    ));
    uses::written(variables)
}

fn validation(bundle: Bundle<'_>) -> Value {
    let named = format!("{} {}", bundle.name, bundle.version);
    let is_used = format!(" uses what only the experimental channel of {named} has: ");
    json!({
        "expression": "variables.refused.size() == 0",
        "reason": "Forbidden",
        // Where the list is too long for a message.
        "message": format!(
            "the object uses what only the experimental channel of {named} has. To allow it, annotate its namespace, or the object itself if \
             it has none, with {}={ALLOWED}",
            annotation(bundle.prefix)
        ),
        "messageExpression": format!(
            "request.kind.kind + {} + variables.refused.join(', ') + '. ' + variables.remedy",
            text(&is_used)
        ),
    })
}

#[cfg(test)]
mod tests;
