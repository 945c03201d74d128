//! Waivers: accepted findings, for one bundle and with a reason.
//!
//! Invariants: a waiver is for one bundle. It lowers every required bump except *refused*. A waiver that matches nothing, or for another
//! bundle than the candidate, is reported.

mod file;

use std::collections::BTreeSet;
use std::path::Path;

use crd_diagnostics::Diagnostic;
use crd_diagnostics::layout::some_of;
use crd_model::channel::Channel;
use crd_model::path::covers;
use crd_names::distance;

use crate::finding::{Finding, Waived};
use crate::required_bump::RequiredBump;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiver {
    pub rule: String,
    pub crd: String,
    /// The path of the finding. A path that ends in `*` matches every path with this prefix.
    pub path: String,
    /// The channel; both if none is named.
    pub channel: Option<Channel>,
    /// The bundle that it is for: `v1.1.1`.
    pub bundle: String,
    /// What it lowers the finding to.
    pub to: RequiredBump,
    pub reason: String,
    /// The line of its file.
    pub line: usize,
}

impl Waiver {
    fn matches(&self, finding: &Finding) -> bool {
        covers(&self.path, &finding.path)
            && self.rule == finding.rule
            && self.crd == finding.crd
            && self.channel.is_none_or(|channel| channel == finding.channel)
    }
}

/// The waivers that the former ones do not contain: for another finding, or lower. Words can be corrected.
pub fn added<'w>(waivers: &'w [Waiver], former: &[Waiver]) -> Vec<&'w Waiver> {
    let subject = |waiver: &Waiver| Waiver { to: RequiredBump::None, reason: String::new(), line: 0, ..waiver.clone() };
    let is_former =
        |waiver: &Waiver| former.iter().any(|known| subject(known) == subject(waiver) && known.to <= waiver.to);
    waivers.iter().filter(|waiver| !is_former(waiver)).collect()
}

/// Lowers the findings that waivers match, and reports the waivers of `file` that have no effect. `bundles` are the versions whose waivers
/// apply to the candidate: its own version, and for a pre-release the version of its release.
pub fn waive<'w>(
    findings: &mut [Finding],
    waivers: impl IntoIterator<Item = &'w Waiver>,
    file: &Path,
    bundles: &[&str],
) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    for waiver in waivers {
        let mut report = |code, message: String, help: &str| {
            let error = Diagnostic::error(code, message).at_line(file, waiver.line);
            errors.push(error.of_crd(&*waiver.crd, None, &*waiver.path).help(help));
        };
        let rule = &waiver.rule;
        if !bundles.contains(&waiver.bundle.as_str()) {
            let candidate = bundles.first().copied().unwrap_or_default();
            let message = format!("the waiver is for the bundle {}, and the candidate is {candidate}", waiver.bundle);
            let help = "Remove it, or give it the version of this bundle and a reason that holds for it.";
            report("waiver-expired", message, help);
            continue;
        }
        let (mut matched, mut refused, mut used) = (false, false, false);
        for finding in findings.iter_mut().filter(|finding| waiver.matches(finding) && !finding.known) {
            matched = true;
            match finding.required_bump {
                RequiredBump::NotAllowed => refused = true,
                bump if waiver.to >= bump => {}
                _ => {
                    used = true;
                    finding.waived = Some(Waived { to: waiver.to, reason: waiver.reason.clone() });
                }
            }
        }
        match (matched, refused, used) {
            (false, ..) => {
                let message = format!("the waiver matches nothing: there is no such finding of `{rule}`");
                report("waiver-unused", message, &correction(waiver, findings));
            }
            (true, _, true) => {}
            (true, true, false) => {
                let message = format!("the waiver is for a refusal of `{rule}`, which no waiver lowers");
                report("waiver-powerless", message, "Remove it, and fix what is refused.");
            }
            (true, false, false) => {
                let message = format!("the waiver lowers nothing: `{rule}` requires no more than {} here", waiver.to);
                report("waiver-raises", message, "Remove it.");
            }
        }
    }
    errors
}

/// How many locations of findings are named.
const MOST_NAMED: usize = 4;

/// Paths that differ in more letters are equally far.
const FAR: usize = 64;

/// How to correct a waiver that matches no finding: the nearest findings of its rule, or the rules of the findings at its path.
fn correction(waiver: &Waiver, findings: &[Finding]) -> String {
    let open = findings.iter().filter(|finding| !finding.known);
    let of_rule = open.clone().filter(|finding| finding.rule == waiver.rule).map(|finding| {
        let location = match finding.path.is_empty() {
            true => format!("`{}` as a whole ({})", finding.crd, finding.channel),
            false => format!("`{}` of {} ({})", finding.path, finding.crd, finding.channel),
        };
        let is_of_channel = waiver.channel.is_none_or(|channel| channel == finding.channel);
        (finding.crd != waiver.crd, distance(&waiver.path, &finding.path, FAR), !is_of_channel, location)
    });
    let locations = of_rule.collect::<BTreeSet<_>>().into_iter().map(|(.., location)| location).collect::<Vec<_>>();
    let here = open.filter(|finding| finding.crd == waiver.crd && finding.path == waiver.path);
    let rules = here.map(|finding| format!("`{}`", finding.rule)).collect::<BTreeSet<_>>();
    match (&*locations, rules.is_empty()) {
        ([], true) => "Remove it, or correct its rule, CRD, path or channel.".to_owned(),
        ([], false) => {
            let rules = rules.into_iter().collect::<Vec<_>>().join(", ");
            format!("Remove it, or correct its rule: the findings at this path are of {rules}.")
        }
        (locations, _) => {
            let named = some_of(locations, MOST_NAMED);
            format!("Remove it, or correct it: the nearest findings of its rule are at {named}.")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest path is named first; where the rule is wrong, the rules at the path.
    #[test]
    fn a_waiver_that_matches_nothing_has_the_nearest_location() {
        let finding = |rule, crd: &str, path: &str, known| Finding {
            crd: crd.to_owned(),
            path: path.to_owned(),
            known,
            ..finding_of(rule, RequiredBump::Major)
        };
        let findings = [
            finding("tightened", "a.example.com", "spec.first", false),
            finding("tightened", "things.example.com", "spec.a", false),
            finding("tightened", "things.example.com", "spec.listener[*].name", false),
            finding("tightened", "things.example.com", "spec.listeners[*].named", true),
            finding("tightened", "things.example.com", "", false),
            finding("loosened", "things.example.com", "spec.b", false),
        ];
        for (rule, crd, path, expected) in [
            (
                "tightened",
                "things.example.com",
                "spec.listeners[*].name",
                "rule are at `spec.listener[*].name` of things.example.com (standard), `",
            ),
            (
                "tightened",
                "things.example.com",
                "spec",
                "rule are at `spec.a` of things.example.com (standard), `things.example.com` as a whole",
            ),
            (
                "tightened",
                "a.example.com",
                "spec.a",
                "rule are at `spec.first` of a.example.com (standard), `spec.a` of things.example.com",
            ),
            (
                "list-type",
                "things.example.com",
                "spec.b",
                "correct its rule: the findings at this path are of `loosened`.",
            ),
            ("list-type", "things.example.com", "spec.c", "Remove it, or correct its rule, CRD, path or channel."),
        ] {
            let (rule, crd, path) = (rule.to_owned(), crd.to_owned(), path.to_owned());
            let help = correction(&Waiver { rule, crd, path, ..waiver() }, &findings);
            assert!(help.contains(expected), "{help}");
        }
    }

    fn waiver() -> Waiver {
        Waiver {
            rule: "tightened".to_owned(),
            crd: "things.example.com".to_owned(),
            path: "spec.name".to_owned(),
            channel: None,
            bundle: "v1.0.0".to_owned(),
            to: RequiredBump::Patch,
            reason: "a bug".to_owned(),
            line: 7,
        }
    }

    fn finding_of(rule: &'static str, required_bump: RequiredBump) -> Finding {
        Finding {
            rule,
            required_bump,
            lowered: None,
            needs: Vec::new(),
            warning: false,
            channel: Channel::Standard,
            crd: "things.example.com".to_owned(),
            version: None,
            path: "spec.name".to_owned(),
            before: None,
            after: None,
            direction: None,
            grounds: Vec::new(),
            proof: None,
            message: String::new(),
            fix: None,
            witness: None,
            known: false,
            waived: None,
        }
    }

    #[test]
    fn each_error_of_a_waiver_has_its_line_location_and_help() {
        let waiver = waiver();
        let finding = |required_bump| finding_of("tightened", required_bump);
        for (bumps, bundle, code, message) in [
            (vec![], "v1.1.0", "waiver-expired", "is for the bundle v1.0.0, and the candidate is v1.1.0"),
            (vec![], "v1.0.0", "waiver-unused", "there is no such finding of `tightened`"),
            (
                vec![RequiredBump::NotAllowed],
                "v1.0.0",
                "waiver-powerless",
                "a refusal of `tightened`, which no waiver lowers",
            ),
            (vec![RequiredBump::Patch], "v1.0.0", "waiver-raises", "`tightened` requires no more than patch here"),
        ] {
            let mut findings = bumps.into_iter().map(finding).collect::<Vec<_>>();
            let errors =
                waive(&mut findings, std::slice::from_ref(&waiver), Path::new("bundles/waivers.yaml"), &[bundle]);
            let [error] = &*errors else { panic!("{errors:?}") };
            assert_eq!(error.code, code);
            assert!(error.message.contains(message), "{}", error.message);
            assert!(error.help.is_some());
            let crd = error.location.crd.as_ref().map(|crd| (&*crd.name, &*crd.path));
            assert_eq!(crd, Some(("things.example.com", "spec.name")));
            assert_eq!(error.location.to_string(), "bundles/waivers.yaml:7");
        }
    }

    #[test]
    fn a_malformed_entry_has_its_line() {
        let text = "waivers:\n- rule: tightened\n- {}\n";
        let (waivers, errors) = Waiver::read_all(text, Path::new("bundles/waivers.yaml"), &|_| true, &[]);
        assert_eq!(waivers, []);
        let missing = errors.iter().find(|error| error.message == "the entry has no `rule`").expect("an error");
        assert_eq!((missing.code, missing.location.line), ("waiver-malformed", Some(3)));
    }
}
