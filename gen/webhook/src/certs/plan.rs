//! The next step from what the Secret and the configuration contain.
//!
//! A rotation: a new CA in the Secret, which has the old one too; both in the `caBundle`; after the overlap a certificate of the new CA; after the
//! overlap the old CA leaves the Secret and the `caBundle`.

use std::time::{Duration, SystemTime};

use super::Action;
use super::issue::BACKDATED;
use super::state::{Leaf, State, authorities};
use crate::certificate::{Facts, earlier, later, rfc3339};

/// What to do now.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Write something.
    Write { action: Action, because: String },
    /// Look again at this time.
    Wait { until: SystemTime, because: String },
    /// Everything is as it should be until this time.
    Done { next: SystemTime },
}

fn write(action: Action, because: impl Into<String>) -> Next {
    Next::Write { action, because: because.into() }
}

/// The next step. `is_rotation_due` asks for a new CA although the CA is fresh.
pub(crate) fn next(state: &State, overlap: Duration, is_rotation_due: bool, now: SystemTime) -> Next {
    let signer = match &state.signer {
        Ok(signer) => &signer.authority,
        // The old certificate may be in use, and verifies as long as its CA is in the `caBundle`.
        Err(why) if state.bundles.iter().any(|(_, bundle)| !bundle.is_empty()) => {
            return write(Action::NewCa, &**why);
        }
        Err(why) => return write(Action::NewCaAndLeaf, &**why),
    };
    let lacks_ca = |bundle: &str| {
        let bundle = authorities(bundle, now);
        state.authorities.iter().any(|authority| !authority.is_in(&bundle))
    };
    if let Some((webhook, _)) = state.bundles.iter().find(|(_, bundle)| lacks_ca(bundle)) {
        return write(Action::ExtendCaBundle, format!("that of the webhook `{webhook}` lacks a CA of the Secret"));
    }
    let leaf = match &state.leaf {
        Leaf::Unusable(why) => return write(Action::NewLeaf, &**why),
        Leaf::OfOldCa(facts) => return replace_after_overlap(state, facts, overlap, now),
        Leaf::OfSigner(facts) => facts,
    };
    let (ca_due, leaf_due) = (due(&signer.facts), due(leaf));
    if leaf_due <= now && now < ca_due {
        return write(Action::NewLeaf, format!("the certificate expires at {}", rfc3339(leaf.not_after)));
    }
    if !state.is_rotating() && (is_rotation_due || ca_due <= now) {
        let expiry = || format!("the CA expires at {}", rfc3339(signer.facts.not_after));
        return write(Action::NewCa, if is_rotation_due { "a rotation was requested".to_owned() } else { expiry() });
    }
    let has_old_ca = state.ca_certificate != signer.pem;
    if !has_old_ca && state.bundles.iter().all(|(_, bundle)| *bundle == signer.pem) {
        return Next::Done { next: ca_due.min(leaf_due) };
    }
    let Some(issued) = state.issued else {
        return write(Action::RecordLeaf, "the Secret has no such time in the past");
    };
    let unused = "replicas may serve a certificate of an old CA before that";
    match later(issued, overlap) {
        until if now < until => Next::Wait { until, because: unused.to_owned() },
        _ if has_old_ca => write(Action::DropOldCa, format!("the certificate is in use since {}", rfc3339(issued))),
        _ => write(Action::ShrinkCaBundle, format!("the certificate is in use since {}", rfc3339(issued))),
    }
}

/// The certificate of an old CA is replaced when all API servers trust the new one.
fn replace_after_overlap(state: &State, leaf: &Facts, overlap: Duration, now: SystemTime) -> Next {
    let Some(published) = state.published else {
        return write(Action::RecordCaBundle, "its generation is a new one");
    };
    match later(published, overlap).min(leaf.not_after) {
        until if now < until => {
            Next::Wait { until, because: "API servers may not trust the new CA before that".to_owned() }
        }
        _ => write(Action::NewLeaf, format!("the `caBundle` has the new CA since {}", rfc3339(published))),
    }
}

/// When a third of the lifetime remains.
fn due(facts: &Facts) -> SystemTime {
    let lifetime = facts.not_after.duration_since(facts.not_before).unwrap_or_default();
    earlier(facts.not_after, lifetime.saturating_sub(BACKDATED).checked_div(3).unwrap_or_default())
}
