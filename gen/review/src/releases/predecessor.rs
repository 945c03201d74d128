//! The release that a release is compared with: what its users upgrade from.
//!
//! Invariants: a predecessor has a lower version. A patch follows the highest lower patch of its minor version. The first release of a minor version
//! follows the highest earlier one that existed when it was made, because projects go on patching older minor versions: v1.12.17 may be younger
//! than v1.13.0, and have what v1.13.0 cannot have. Of releases without dates, it follows at least the first one of the minor version before it,
//! which it cannot be older than.

use super::Tag;

/// The index of the predecessor of each release. The releases are in the order of their versions; the first one has none.
pub fn predecessors(tags: &[Tag]) -> Vec<Option<usize>> {
    (0..tags.len()).map(|index| predecessor(tags, index)).collect()
}

fn predecessor(tags: &[Tag], index: usize) -> Option<usize> {
    let (tag, earlier) = (tags.get(index)?, tags.get(..index)?);
    let last = earlier.last()?;
    if minor(last) == minor(tag) {
        return index.checked_sub(1);
    }
    let is_before = |earlier: &Tag| Some(earlier.released? <= tag.released?);
    let existed = earlier.iter().rposition(|earlier| is_before(earlier) == Some(true));
    let first = earlier.iter().position(|earlier| minor(earlier) == minor(last));
    // Tags that were made anew are younger than what follows them.
    let first = first.filter(|index| existed.is_none() || earlier.get(*index).and_then(is_before) != Some(false));
    existed.max(first)
}

fn minor(tag: &Tag) -> (u64, u64) {
    (tag.version.major, tag.version.minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Versions with the days on which they were made; each with its predecessor.
    fn predecessors_of(releases: &[(&str, &str)]) -> Vec<String> {
        let tags = releases.iter().map(|(name, day)| Tag {
            name: (*name).to_owned(),
            version: name.parse().unwrap(),
            released: format!("2023-{day}").parse().ok(),
        });
        let tags = tags.collect::<Vec<_>>();
        predecessors(&tags)
            .into_iter()
            .map(|index| index.map_or_else(String::new, |index| tags[index].name.clone()))
            .collect()
    }

    #[test]
    fn a_release_follows_what_existed_when_it_was_made() {
        // The dates of cert-manager: v1.12 was patched for a year after v1.13.0.
        let dated = [
            ("v1.11.0", "01-11"),
            ("v1.12.0", "05-19"),
            ("v1.12.4", "09-08"),
            ("v1.12.13", "10-08"),
            ("v1.13.0", "09-12"),
            ("v1.13.1", "11-01"),
        ];
        assert_eq!(predecessors_of(&dated), ["", "v1.11.0", "v1.12.0", "v1.12.4", "v1.12.4", "v1.13.0"]);
        let undated = dated.map(|(name, _)| (name, ""));
        assert_eq!(predecessors_of(&undated), ["", "v1.11.0", "v1.12.0", "v1.12.4", "v1.12.0", "v1.13.0"]);
        // Minor versions without a first release, a major version, and a release of the same moment.
        let gaps = [("v0.9.2", ""), ("v0.9.3", ""), ("v1.0.0", ""), ("v1.4.1", ""), ("v1.4.2", ""), ("v2.0.0", "")];
        assert_eq!(predecessors_of(&gaps), ["", "v0.9.2", "v0.9.2", "v1.0.0", "v1.4.1", "v1.4.1"]);
        assert_eq!(
            predecessors_of(&[("v1.0.0", "01-01"), ("v1.0.1", "02-02"), ("v1.1.0", "02-02")]),
            ["", "v1.0.0", "v1.0.1"]
        );
        // Of a release without a date, only the first one of its minor version surely existed.
        let some = [("v0.21.0", "01-01"), ("v0.22.0", ""), ("v0.22.1", ""), ("v0.24.0", "03-03")];
        assert_eq!(predecessors_of(&some), ["", "v0.21.0", "v0.22.0", "v0.22.0"]);
        // Tags that were made anew are younger than what followed them.
        assert_eq!(
            predecessors_of(&[("v1.0.0", "05-05"), ("v1.0.1", "05-05"), ("v1.1.0", "02-02")]),
            ["", "v1.0.0", "v1.0.0"]
        );
    }
}
