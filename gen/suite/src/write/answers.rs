//! The answers of every channel and minor to a request, as the expectation of a case.
//!
//! Invariants: a part of a reason is in the reasons of every minor to which the case applies. A case that is answered in another way by a channel or
//! minor does not apply to it.

use std::collections::BTreeSet;

use crd_apiserver::objects::{Answer, FieldError, Warning};
use crd_model::channel::Channel;

use crate::case::{Case, Expected};
use crate::kinds::Kinds;
use crate::run::failure;

/// How long a reason may be that is expected as a whole.
const LONGEST: usize = 120;

/// The CRDs of one channel, prepared for each minor, the oldest first.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) channel: Channel,
    pub(super) kinds: Vec<(u32, Kinds)>,
}

impl Served {
    /// The CRDs as the newest minor has them.
    pub(super) fn newest(&self) -> Option<&Kinds> {
        self.kinds.last().map(|(_, kinds)| kinds)
    }
}

/// The request as a case that expects what the newest minor of the channel answers; none if this is not decided.
pub(super) fn expected(mut case: Case, channel: Channel, served: &[Served]) -> Option<Case> {
    let own = served.iter().find(|served| served.channel == channel)?;
    let (newest, kinds) = own.kinds.last()?;
    let mut alike = vec![kinds.answer(&case).filter(|answer| answer.undecided.is_empty())?];
    let mut oldest = *newest;
    for (minor, kinds) in own.kinds.iter().rev().skip(1) {
        let Some(answer) = kinds.answer(&case).filter(|answer| is_alike(answer, &alike[0])) else { break };
        oldest = *minor;
        alike.push(answer);
    }
    case.minors = (oldest > own.kinds.first()?.0).then_some(oldest..=*newest);
    if !alike[0].is_accepted() {
        let parts = (0..reasons(&alike[0]).len())
            .map(|index| part(&alike.iter().map(|answer| reasons(answer)[index]).collect::<Vec<_>>()));
        case.expected = Expected::Refused(parts.collect::<BTreeSet<_>>().into_iter().collect());
    }
    let applies = |minor: u32| case.minors.as_ref().is_none_or(|minors| minors.contains(&minor));
    let mut others = served.iter().flat_map(|served| &served.kinds).filter(|(minor, _)| applies(*minor));
    let is_of_all =
        others.all(|(_, kinds)| kinds.answer(&case).is_some_and(|answer| failure(&case, &answer).is_none()));
    case.channel = (!is_of_all).then_some(channel);
    Some(case)
}

/// The reasons of a refusal.
fn reasons(answer: &Answer) -> Vec<&FieldError> {
    answer.errors.iter().filter(|error| !error.is_about_rules()).collect()
}

/// Whether two answers are the same to an author.
pub(super) fn is_alike(answer: &Answer, other: &Answer) -> bool {
    let (reasons, others) = (reasons(answer), reasons(other));
    let is_same =
        |(reason, other): (&&FieldError, &&FieldError)| reason.kind == other.kind && reason.field == other.field;
    let drops = |answer: &Answer| answer.warnings.iter().any(|warning| matches!(warning, Warning::UnknownField(_)));
    answer.undecided.is_empty()
        && !drops(answer)
        && reasons.len() == others.len()
        && reasons.iter().zip(&others).all(is_same)
}

/// What the reasons of several minors have in common: all of it, or the part behind the value that they show.
fn part(reasons: &[&FieldError]) -> String {
    let texts: Vec<String> = reasons.iter().map(ToString::to_string).collect();
    let is_common = |part: &str| texts.iter().all(|text| text.contains(part));
    // The list of values grows.
    let whole = texts[0].split(": supported values").next().unwrap_or_default();
    if whole.len() <= LONGEST && is_common(whole) {
        return whole.to_owned();
    }
    let FieldError { field, message, .. } = reasons[0];
    let body = whole.find(&format!("{field} in body")).map(|start| &whole[start..]);
    let behind = |value: &str| ["\": ", "}: ", "]: "].iter().filter_map(|end| Some(value.find(end)? + end.len())).min();
    let rest = match texts.iter().all(|text| *text == texts[0]) {
        true => message.strip_prefix("Invalid value: ").and_then(|value| Some(value[behind(value)?..].to_owned())),
        false => common_end(&texts).split_once(": ").map(|(_, rest)| rest.to_owned()),
    };
    let kind = message.split(": ").next().unwrap_or_default();
    let shown = body.map(ToOwned::to_owned).into_iter().chain(rest).find(|part| !part.is_empty() && is_common(part));
    shown.unwrap_or_else(|| format!("{field}: {kind}"))
}

/// The longest text with which all end.
fn common_end(texts: &[String]) -> &str {
    let Some((first, others)) = texts.split_first() else { return "" };
    let ends = first.char_indices().map(|(at, _)| &first[at..]);
    ends.into_iter().find(|end| others.iter().all(|text| text.ends_with(end))).unwrap_or_default()
}
