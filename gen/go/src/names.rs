//! Which markers are ours: by their names, and by names that are near to ours.
//!
//! Invariants: what is not ours belongs to controller-gen or another tool, and is never reported.

use crd_markers::disguise::{Disguise, disguises};
use crd_markers::table::find;
use crd_names::{distance, shortened};

/// Names that are ours alone and before a colon.
const FIRST: [&str; 3] = ["experimental", "standard", "tombstone"];

/// Names of two parts.
const PAIRS: [(&str, &[&str]); 5] = [
    ("conformance", &["feature"]),
    ("lint", &["allow"]),
    (
        "lens",
        &[
            "rename",
            "move",
            "wrapInList",
            "unwrapList",
            "wrapInObject",
            "unwrapObject",
            "listToMap",
            "mapToList",
            "values",
            "scale",
            "split",
            "join",
            "default",
            "constant",
            "drop",
            "code",
            "resource",
        ],
    ),
    ("k8s", &["featureGate", "ifEnabled", "ifDisabled"]),
    ("kubebuilder", &["feature-gate"]),
];

/// What a line with a plus is.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    /// One of our markers.
    Ours,
    /// A line that looks like one of ours, and why it is none.
    Wrong(String),
    Foreign,
}

/// The name at the beginning of a marker.
pub(crate) fn head(text: &str) -> &str {
    text.split(['=', '(', ' ', '\t']).next().unwrap_or_default()
}

/// The line behind its plus.
pub(crate) fn line(text: &str) -> Line {
    let behind = text.trim_start_matches('+').trim_start();
    let head = head(behind);
    if behind.len() != text.len() {
        return match head.trim_end_matches(':') {
            // A line of prose can begin with a plus.
            "standard" if behind.contains(' ') => Line::Foreign,
            name if is_ours(head) || near(name).is_some() => {
                let written = format!("+{}{head}", &text[..text.len() - behind.len()]);
                let meant = near(name).unwrap_or_else(|| head.to_owned());
                Line::Wrong(format!(
                    "`{}` is not a marker: write `+{}`, or `\\+` if it is prose",
                    shortened(&written),
                    shortened(&meant)
                ))
            }
            _ => Line::Foreign,
        };
    }
    if is_ours(head) {
        return Line::Ours;
    }
    // Most lines: a marker of the table, or an argument of one.
    let is_known = |name: &str| find(name).is_some();
    if is_known(head) || head.rsplit_once(':').is_some_and(|(name, _)| is_known(name)) {
        return Line::Foreign;
    }
    let disguised = || {
        let written = format!("+{text}");
        let found = Some(&written)
            .filter(|written| !written.is_ascii())
            .and_then(|written| disguises(written).into_iter().next());
        found
            .filter(|found| found.range.start == 0 && is_disguise(&written, found))
            .map(|found| found.marker[1..].to_owned())
    };
    match near(head).or_else(disguised) {
        Some(meant) => {
            Line::Wrong(format!("unknown marker `+{}`: did you mean `+{}`?", shortened(head), shortened(&meant)))
        }
        None => Line::Foreign,
    }
}

fn is_ours(head: &str) -> bool {
    let (first, rest) = head.split_once(':').unwrap_or((head, ""));
    let second = rest.split(':').next().unwrap_or_default();
    FIRST.contains(&first)
        || first == "schema" && find(head).is_some()
        || first == "lens" && head.contains(':')
        || first == "conformance" && is_near(second, "feature")
        || first == "lint" && (is_near(second, "allow") || second == "reason")
        || PAIRS.iter().any(|(known, seconds)| first == *known && seconds.contains(&second))
}

/// The marker of ours to which a name is near.
fn near(head: &str) -> Option<String> {
    let (first, rest) = head.split_once(':').unwrap_or((head, ""));
    let own = PAIRS.iter().position(|(known, _)| first == *known);
    if own.is_none()
        && let Some(known) =
            FIRST.into_iter().find(|known| is_near(first.trim_end_matches(['.', ',', ';', '!']), known))
    {
        return Some(head.replacen(first, known, 1));
    }
    let (second, behind) = rest.split_once(':').map_or((rest, None), |(second, behind)| (second, Some(behind)));
    let pair = |(known, seconds): &(&str, &[&str])| {
        let second = seconds.iter().find(|known| is_near(second, known))?;
        is_near(first, known).then(|| {
            [&format!("{known}:{second}")].into_iter().map(String::as_str).chain(behind).collect::<Vec<_>>().join(":")
        })
    };
    let without_prefix = |name: &&str| rest.is_empty() && *name != "featureGate" && is_near(first, name);
    PAIRS
        .iter()
        .find_map(pair)
        .or_else(|| Some(format!("k8s:{}", PAIRS[3].1.iter().find(|name| without_prefix(name))?)))
}

/// Whether a name is another one but for case or a slip of the pen.
fn is_near(name: &str, known: &str) -> bool {
    let limit = (known.len() / 4).min(2);
    // A letter of another script has up to four bytes.
    name.len() + limit >= known.len()
        && name.len() <= known.len() + 4 * limit
        && distance(&name.to_ascii_lowercase(), &known.to_ascii_lowercase(), limit) <= limit
}

/// Whether prose that looks like a marker looks like one of ours.
pub(crate) fn is_disguise(text: &str, disguise: &Disguise) -> bool {
    let marker = &disguise.marker[1..];
    let written = &text[disguise.range.clone()];
    let name = written.trim_start_matches(|character: char| !character.is_alphanumeric());
    // `lens` and `lint` are near to many words.
    let is_short = marker.starts_with("lens") || marker.starts_with("lint");
    let is_named = !is_short || name.eq_ignore_ascii_case(marker);
    // Between two words, a plus that touches neither is one of prose.
    let line = text[..disguise.range.start].rsplit('\n').next().unwrap_or_default();
    let touches = !written.trim_start_matches('+').starts_with([' ', '\t', '\n', '\r']);
    let is_sum = !touches && (marker == "standard" || line.contains(char::is_alphanumeric));
    !disguise.escaped && is_named && !is_sum && (is_ours(marker) || near(marker).is_some())
}
