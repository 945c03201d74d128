//! What only the experimental channel has: for the proofs of switching and of guardrails, which compare it with the answers of servers.
//!
//! Invariants: the list of experimental fields and values is derived from the bundles ([`only`]). The proof of switching shows on a server that
//! experimental keeps each of them, and that standard hides or refuses it.

pub(crate) mod objects;
pub(crate) mod only;

use std::collections::BTreeSet;

use crd_channels::Channel;

use crate::documents::crds;
use crate::switching::difference::{only_experimental, only_experimental_values};

use only::Pair;

/// Experimental enum values that the description of the field does not mention. Both channels have the same description, and standard should
/// not describe values that it does not have.
const UNMARKED_VALUES: [(&str, &str, &str); 2] = [
    ("HTTPRoute", ".spec.rules[].backendRefs[].filters[].type", "ExternalAuth"),
    ("HTTPRoute", ".spec.rules[].filters[].type", "ExternalAuth"),
];

/// Every version of every resource that experimental serves.
pub(crate) fn pairs() -> Vec<Pair<'static>> {
    Pair::all(crds(Channel::Standard), crds(Channel::Experimental))
}

/// A schema has no other way to show the channel. `kubectl explain` prints the descriptions of the installed CRDs.
#[test]
fn descriptions_of_experimental_fields_mention_the_channel() {
    let is_marked = |text: Option<&str>| text.unwrap_or_default().to_lowercase().contains("experimental");
    let fields = only_experimental().into_iter().filter(|(versioned, ..)| versioned.version.served);
    let unmarked: Vec<String> = fields
        .filter(|(_, _, node)| !is_marked(node.description.as_deref()))
        .map(|(versioned, path, _)| format!("{} {path}", versioned.name()))
        .collect();
    assert_eq!(unmarked, Vec::<String>::new(), "experimental fields whose descriptions do not mention the channel");
    let values = only_experimental_values();
    let unmarked: BTreeSet<(&str, &str, &str)> = values
        .iter()
        .filter(|(_, _, node, _)| !is_marked(node.description.as_deref()))
        .map(|(versioned, path, _, value)| (versioned.kind(), path.as_str(), value.as_str().unwrap_or_default()))
        .collect();
    assert_eq!(unmarked, BTreeSet::from(UNMARKED_VALUES), "values that descriptions do not mention");
}
