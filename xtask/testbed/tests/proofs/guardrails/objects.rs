//! Objects that use experimental fields, values and resources.
//!
//! Invariants: the list of experimental API comes from the walk of the proof of channels ([`crate::channels::only`]), not from the walk that
//! creates the guardrails. Every entry of `spec` has an object; otherwise this panics and names it.

use std::cell::Cell;
use std::collections::BTreeSet;

use crd_model::schema::Step;
use serde_json::Value;

use crate::channels::objects::objects;
use crate::channels::only::{Element, Only, Pair};
use crate::channels::pairs;
use crate::server::Server;

use super::policies::OPEN;

/// An object that uses something experimental.
#[derive(Clone)]
pub(super) struct User {
    pub(super) pair: Pair<'static>,
    pub(super) only: Only,
    pub(super) object: Value,
}

impl User {
    /// The names that the guardrails should report for it.
    pub(super) fn expected(&self) -> Vec<String> {
        expected(&self.pair, &self.object)
    }
}

/// Whether the guardrails should report it.
fn counts(only: &Only) -> bool {
    match only.element {
        Element::Resource => true,
        Element::Field | Element::Value(_) => only.path.first() == Some(&Step::Field("spec".to_owned())),
        Element::Version | Element::InnerField | Element::InnerValue(_) => false,
    }
}

/// Its name in the guardrails' messages.
pub(super) fn name(pair: &Pair<'_>, only: &Only) -> String {
    match &only.element {
        Element::Resource => format!("the resource {}", pair.crd.name),
        _ => only.name().replace('"', "").replace("{*}", "[*]"),
    }
}

/// The names that the guardrails should report for an object, sorted.
pub(super) fn expected(pair: &Pair<'_>, object: &Value) -> Vec<String> {
    let used = pair.used_by(object);
    let is_new = used.iter().any(|used| used.only.element == Element::Resource);
    let names = used.iter().filter(|used| counts(&used.only) && (!is_new || used.only.element == Element::Resource));
    names.map(|used| name(pair, &used.only)).collect::<BTreeSet<_>>().into_iter().collect()
}

/// An object for each experimental entry, in each version.
pub(super) fn users(server: &Server) -> Vec<User> {
    let (mut users, checks) = (Vec::new(), Cell::new(0));
    for pair in pairs() {
        let wanted: BTreeSet<Only> = pair.everything().into_iter().filter(counts).collect();
        let path = format!("{}?dryRun=All", pair.versioned().collection(OPEN));
        let accepts = |object: &Value| {
            checks.update(|checks| checks + 1);
            server.send("POST", &path, Some(object)).is_success()
        };
        for (only, object) in objects(&pair, OPEN, &wanted, |object| expected(&pair, object).len(), &accepts) {
            let object = object.unwrap_or_else(|| panic!("no object uses {} of {}", only.name(), pair.name()));
            users.push(User { pair, only, object });
        }
    }
    println!("{} objects, after {} requests", users.len(), checks.get());
    users
}
