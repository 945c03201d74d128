//! Which markers are channel markers: by their names, and by names that are near to theirs.
//!
//! Invariants: every other marker belongs to controller-gen or another tool, and is never reported.

use crd_markers::disguise::{Disguise, disguises};
use crd_markers::table::{LENS, MARKERS, find};
use crd_names::channel::CHANNELS;
use crd_names::{distance, shortened};

/// The marker with which Kubernetes documents gates: `+featureGate=GATE`, or several with `,` between them.
pub(crate) const DOCUMENTED: &str = "featureGate";

/// Names of one part, and channels before a colon.
const WHOLE: [&str; 4] = ["experimental", "standard", "tombstone", DOCUMENTED];

/// Namespaces that channels do not have.
const NAMESPACES: [&str; 3] = ["k8s", "kubebuilder", "gateway"];

/// Names of two parts, in addition to lenses.
const PAIRS: [&str; 6] = [
    "conformance:feature",
    "lint:allow",
    "k8s:featureGate",
    "k8s:ifEnabled",
    "k8s:ifDisabled",
    "kubebuilder:feature-gate",
];

/// What a line with a plus is.
#[derive(Clone, Debug)]
pub(crate) enum Line {
    Channel,
    /// A line that looks like a channel marker, and what is wrong with it.
    Wrong(String),
    /// A marker of the table, or one of its arguments.
    Known,
    /// A marker of another tool, or prose.
    Foreign,
}

/// The name at the beginning of a marker.
pub(crate) fn head(text: &str) -> &str {
    text.split(['=', '(', ' ', '\t']).next().unwrap_or_default()
}

/// The line behind its plus.
pub(crate) fn line(text: &str) -> Line {
    let behind = text.trim_start_matches('+').trim_start();
    let name = head(behind);
    if behind.len() != text.len() {
        // A line of prose can begin with a plus.
        let meant = near(name.trim_end_matches(':')).filter(|_| name != "standard" || behind == name);
        return meant.map_or(Line::Foreign, |meant| {
            let written = format!("+{}{name}", &text[..text.len() - behind.len()]);
            let (written, meant) = (shortened(&written), shortened(&meant));
            Line::Wrong(format!("`{written}` is not a marker: write `+{meant}`, or `\\+` if it is prose"))
        });
    }
    // Most lines: a marker of controller-gen, or an argument of one.
    let is_known = |name: &str| find(name).is_some();
    if !is_channel(name) && (is_known(name) || name.rsplit_once(':').is_some_and(|(name, _)| is_known(name))) {
        return Line::Known;
    }
    let disguised = || {
        let written = Some(format!("+{text}")).filter(|written| !written.is_ascii())?;
        let found = disguises(&written).into_iter().find(|found| found.range.start == 0)?;
        is_disguise(&written, &found).then(|| found.marker[1..].to_owned())
    };
    match near(name).or_else(disguised) {
        Some(_) if is_channel(name) => Line::Channel,
        Some(meant) => {
            Line::Wrong(format!("unknown marker `+{}`: did you mean `+{}`?", shortened(name), shortened(&meant)))
        }
        None => Line::Foreign,
    }
}

/// The first part of a name, the second one, and what follows.
fn parts(name: &str) -> (&str, &str, &str) {
    let (first, rest) = name.split_once(':').unwrap_or((name, ""));
    let end = rest.find(':').unwrap_or(rest.len());
    (first, &rest[..end], &rest[end..])
}

/// Whether the parser reads the marker as a channel marker. It reports what is wrong behind the first part.
fn is_channel(name: &str) -> bool {
    let (first, second, _) = parts(name);
    let is_pair = |pair: &&str| {
        let (known, wanted, _) = parts(pair);
        let can_differ = matches!(known, "conformance" | "lint") && is_near(second, wanted);
        first == known && (second == wanted || can_differ)
    };
    let is_schema = first == "schema" && find(name).is_some();
    WHOLE.contains(&first) || is_schema || name.starts_with(LENS) || PAIRS.iter().any(is_pair)
}

/// The channel marker that a name is, or to which it is near.
fn near(name: &str) -> Option<String> {
    if is_channel(name) {
        return Some(name.to_owned());
    }
    let (first, second, rest) = parts(name);
    let pairs = || PAIRS.into_iter().chain(MARKERS.iter().map(|spec| spec.name).filter(|name| name.starts_with(LENS)));
    if !pairs().any(|pair| parts(pair).0 == first)
        && let Some(known) =
            WHOLE.into_iter().find(|known| is_near(first.trim_end_matches(['.', ',', ';', '!']), known))
    {
        return Some(name.replacen(first, known, 1));
    }
    if NAMESPACES.contains(&first)
        && let Some(known) = CHANNELS.iter().find(|known| is_near(second, known.name))
    {
        return Some(format!("{}{rest}", known.name));
    }
    let is_pair = |pair: &&str| {
        let (known, wanted, _) = parts(pair);
        let without_first = second.is_empty() && wanted.starts_with("if") && is_near(first, wanted);
        without_first || is_near(first, known) && is_near(second, wanted)
    };
    pairs().find(is_pair).map(|pair| format!("{pair}{rest}"))
}

/// Whether a name differs from another one by case or by a slip of the pen only.
fn is_near(name: &str, known: &str) -> bool {
    let limit = (known.len() / 4).min(2);
    // A letter of another script has up to four bytes.
    let is_long = name.len() + limit >= known.len() && name.len() <= known.len() + 4 * limit;
    is_long && distance(&name.to_ascii_lowercase(), &known.to_ascii_lowercase(), limit) <= limit
}

/// Whether prose that looks like a marker looks like a channel marker.
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
    !disguise.escaped && is_named && !is_sum && near(marker).is_some()
}
