//! Finds the nearest known name, for suggestions in messages.
//!
//! Invariants: deterministic; a name is near if at most a third of its letters differ, not counting equal parts before or
//! after a colon; of equally near names, the first one wins. However long the names are, one search takes a bounded number of steps.

/// How many pairs of letters a search compares: those of some 20,000 names.
const MOST_STEPS: usize = 2_000_000;

/// The name nearest to `misspelled`, if one is near.
pub fn nearest<'a>(misspelled: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(usize, &str)> = None;
    let mut steps = MOST_STEPS;
    for name in names {
        let (left, right) = differing_parts(misspelled, name);
        let limit = (left.chars().count().max(3) / 3).max(1);
        // Names of very different lengths are only counted.
        let is_unlike = left.len() / 8 > right.len() || right.len() / 8 > left.len();
        let size = if is_unlike { 0 } else { left.len().saturating_mul(right.len()) };
        let Some(rest) = steps.checked_sub(size.saturating_add(misspelled.len() + name.len() + 1)) else { break };
        steps = rest;
        let distance = if left.eq_ignore_ascii_case(right) { 0 } else { distance(left, right, limit) };
        if distance <= limit && best.is_none_or(|(nearest, _)| distance < nearest) {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Two names without the parts, set off by colons, that they share at the beginning and at the end.
fn differing_parts<'l, 'r>(mut left: &'l str, mut right: &'r str) -> (&'l str, &'r str) {
    while let (Some((left_part, left_rest)), Some((right_part, right_rest))) =
        (left.split_once(':'), right.split_once(':'))
        && left_part == right_part
    {
        (left, right) = (left_rest, right_rest);
    }
    while let (Some((left_rest, left_part)), Some((right_rest, right_part))) =
        (left.rsplit_once(':'), right.rsplit_once(':'))
        && left_part == right_part
    {
        (left, right) = (left_rest, right_rest);
    }
    (left, right)
}

/// The number of letters to insert, remove, replace or swap; anything above `limit` is `limit + 1`.
pub fn distance(left: &str, right: &str, limit: usize) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    if left.len().abs_diff(right.len()) > limit {
        return limit + 1;
    }
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=right.len()).collect();
    for (row, letter) in left.iter().enumerate() {
        let mut current = vec![row + 1];
        for (column, other) in right.iter().enumerate() {
            let replaced = last[column] + usize::from(letter != other);
            let mut cost = replaced.min(last[column + 1] + 1).min(current[column] + 1);
            if row > 0 && column > 0 && *letter == right[column - 1] && left[row - 1] == *other {
                cost = cost.min(before_last[column - 1] + 1);
            }
            current.push(cost);
        }
        before_last = last;
        last = current;
    }
    last[right.len()].min(limit + 1)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["kubebuilder:validation:MaxLength", "kubebuilder:validation:MinLength", "optional", "listType"];
        assert_eq!(nearest("kubebuilder:validation:MaxLenght", names), Some(names[0]));
        assert_eq!(nearest("optionl", names), Some("optional"));
        assert_eq!(nearest("listtype", names), Some("listType"));
        assert_eq!(nearest("somethingElse", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("kubebuidler:validation:MaxLength", names), Some(names[0]));
    }

    #[test]
    fn a_search_ends_however_many_names_there_are() {
        for name in ["some-name", &"long".repeat(10_000)] {
            let endless = std::iter::repeat("other-name").chain([name]);
            assert_eq!(nearest(&format!("{name}x"), endless), None);
        }
        assert_eq!(nearest("some-nome", ["some-name"].into_iter().chain(std::iter::repeat("x"))), Some("some-name"));
    }

    #[test]
    fn a_long_common_beginning_makes_nothing_near() {
        assert_eq!(nearest("kubebuilder:validation:Size", ["kubebuilder:validation:Enum"]), None);
    }
}
