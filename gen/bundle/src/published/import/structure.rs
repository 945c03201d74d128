//! What an API server would refuse of a CRD. The codes are those of `crd_apiserver::refusal`.
//!
//! A CRD that no server accepts was never installed, so it cannot be a baseline.

use crd_apiserver::refusal::refusals;

use crd_diagnostics::Diagnostic;

use super::{Expected, ImportRule};
use crate::published::Published;
use crate::published::refused::located;

pub(super) const RULE: ImportRule =
    ImportRule { id: "structure", summary: "CRDs that an API server would refuse", check };

fn check(published: &Published, _: &Expected<'_>, found: &mut Vec<Diagnostic>) {
    for crd in &published.crds {
        found.extend(located(&crd.crd, &crd.origin, refusals(&crd.crd)));
    }
}
