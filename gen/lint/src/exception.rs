//! Exceptions: findings that an author allows, with a reason.

use crd_model::path::covers;

use crate::finding::Finding;

/// A convention that an element need not keep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exception {
    /// The name of the convention.
    pub rule: String,
    /// Where the element is.
    pub elements: Vec<Element>,
    /// The file and the line that it is written on.
    pub source: (String, usize),
}

/// An element of a CRD.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    pub crd: String,
    /// The path, whose items are part of the element. One that ends in `*` is every path with this beginning; without a path, it is the whole CRD.
    pub path: Option<String>,
    /// The part of the node, such as a value of its `enum`; none for every part.
    pub part: Option<String>,
}

/// Removes the places that exceptions allow. Returns the exceptions that allow nothing.
#[must_use]
pub fn without_allowed<'e>(findings: &mut Vec<Finding>, exceptions: &'e [Exception]) -> Vec<&'e Exception> {
    let is_used = exceptions.iter().map(|exception| {
        let before = findings.iter().map(|finding| finding.places.len()).sum::<usize>();
        for Finding { problem, places, .. } in findings.iter_mut().filter(|finding| finding.rule.name == exception.rule)
        {
            places.retain(|place| {
                let own = place.path.trim_end_matches("[*]");
                !exception.elements.iter().any(|Element { crd, path, part }| {
                    *crd == place.crd
                        && path.as_ref().is_none_or(|path| covers(path, &place.path) || covers(path, own))
                        && (part.is_none() || *part == problem.part)
                })
            });
        }
        before > findings.iter().map(|finding| finding.places.len()).sum()
    });
    let is_used = is_used.collect::<Vec<_>>();
    findings.retain(|finding| !finding.places.is_empty());
    exceptions.iter().zip(is_used).filter(|(_, is_used)| !is_used).map(|(exception, _)| exception).collect()
}
