//! Pairs: the entries of two lists that have the same name.
//!
//! Invariant: of two entries with one name, the first is paired with the first and the second with the second.

use crd_model::schema::Text;
use serde_json::json;

use crate::edit::Presence;

/// The entries of both lists by name. An entry that only one side has is alone. The old entries come first, in their order.
pub fn paired<'t, T>(old: &'t [T], new: &'t [T], name: impl Fn(&T) -> &str) -> Vec<(Option<&'t T>, Option<&'t T>)> {
    let mut left = new.iter().collect::<Vec<_>>();
    let mut pairs = Vec::with_capacity(old.len());
    for entry in old {
        let same = left.iter().position(|candidate| name(candidate) == name(entry));
        pairs.push((Some(entry), same.map(|index| left.remove(index))));
    }
    pairs.extend(left.into_iter().map(|entry| (None, Some(entry))));
    pairs
}

/// The texts that only one of two lists has, each once: first those that were removed.
pub fn memberships<'t>(old: &'t [Text], new: &'t [Text]) -> impl Iterator<Item = Presence<&'t str>> {
    let only = |one: &'t [Text], other: &[Text]| {
        let mut only = one.iter().filter(|text| !other.contains(text)).map(|text| &**text).collect::<Vec<_>>();
        // As their JSON forms are ordered.
        only.sort_by_key(|text| json!(text).to_string());
        only.dedup();
        only
    };
    let added = only(new, old).into_iter().map(Presence::Added);
    only(old, new).into_iter().map(Presence::Removed).chain(added)
}

/// The names of the entries that both sides have: in the order of the old side, and in the order of the new side.
pub fn orders<'t, T>(
    pairs: &[(Option<&'t T>, Option<&'t T>)],
    new: &'t [T],
    name: impl Fn(&'t T) -> &'t str,
) -> [Vec<&'t str>; 2] {
    let mut shared = pairs.iter().filter_map(|(old, new)| Some(((*old)?, (*new)?))).collect::<Vec<_>>();
    let names = |shared: &[(&'t T, &'t T)]| shared.iter().map(|(old, _)| name(old)).collect();
    let before = names(&shared);
    shared.sort_by_key(|(_, kept)| new.iter().position(|entry| std::ptr::eq(entry, *kept)));
    [before, names(&shared)]
}
