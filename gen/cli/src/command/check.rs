//! `check`: the types as they are against the released bundles: policy, tombstones, waivers.
//!
//! Fed with the catalogue and with `bundles/`. Read by authors before a release, by CI on every change, and by the release itself.
//!
//! Invariants: nothing is written. No baseline is an answer and no error: the first bundle is judged as it stands.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Command};
use crd_bundle::{BundleVersion, Released, manifest, stamp};
use crd_channels::channel::Channel;
use crd_channels::descriptor::Location;
use crd_compat::policy::{Need, Profile};
use crd_compat::tombstone::{Kind, LedgerProblem, Tombstone, WireName, ledger_problems};
use crd_compat::{Channels, Declared, Finding, RequiredBump, Verdict, WaiverFault, waive};
use crd_generate::{AnnotatedResource, Catalogue, DeclaredTombstone, Origin, annotated};
use serde_json::Value;

use super::diff::{VERBOSE, WITNESS, profile, profile_argument, verbose_argument, witness_argument};
use super::release::gate::overtaken;
use super::{Outcome, Run, Subcommand};
use crate::arguments::{ROOT, after_help, root_argument};
use crate::exit::Exit;
use crate::findings::{
    FindingsReport, Located, Problem, ProblemKind, SourceLine, findings_format, findings_format_argument,
    print_diagnostics,
};
use crate::history::{History, channels_of, ledger_path, marked, waivers_path};
use crate::judgement::{Side, findings, report, smallest};
use crate::layout::{count, for_shell};
use crate::program::Program;
use crate::session::Session;
use crate::source::{Source, baseline, import_command};
use crate::{moment, parallel, root};
use crd_diagnostics::Diagnostic;

pub(super) const SUBCOMMAND: Subcommand = Subcommand { name: "check", arguments, run: Run::WithTypes(run) };

const AGAINST: &str = "against";

fn arguments(command: Command, program: Program) -> Command {
    command
        .long_about(
            "Judges the types against the last released bundle: which bundle version the change needs and why, and what no version \
             permits. The baseline is the highest release in `bundles/` below the catalogue's next version; without one, nothing is \
             compared. Every name that any bundle there ever had and that is gone needs a tombstone, and none of them comes back.\n\n\
             What may pass for once stands in `bundles/waivers.yaml`, each with a reason:\n\n\
             \u{20} waivers:\n\
             \u{20} - rule: tightened\n\
             \u{20}   crd: things.example.com\n\
             \u{20}   path: spec.size      # `spec.*`: every path that begins so; without: the CRD as a whole\n\
             \u{20}   channel: standard    # without: both\n\
             \u{20}   bundle: v1.1.1       # for this one only\n\
             \u{20}   to: patch            # what it asks for then\n\
             \u{20}   reason: restores the limit that v1.1.0 lost\n\n\
             Exits with 1 if something is found that the version does not permit.",
        )
        .arg(
            Arg::new(AGAINST)
                .long(AGAINST)
                .value_name("VERSION")
                .value_parser(|text: &str| text.parse::<BundleVersion>())
                .help("Another baseline"),
        )
        .arg(profile_argument())
        .arg(verbose_argument())
        .arg(witness_argument())
        .arg(root_argument())
        .arg(findings_format_argument())
        .after_help(after_help(program, &[Exit::Fine, Exit::Findings, Exit::Unusable], &[
            ("check", "before a release, and in CI"),
            ("check --against v1.5.0", "against another release"),
            ("check --format github", "as annotations at the lines of the types"),
        ]))
}

fn run(catalogue: &Catalogue, matches: &ArgMatches, session: &mut Session<'_>) -> Outcome {
    let format = findings_format(matches);
    match judge(catalogue, matches, session) {
        Ok(report) => Ok(report.print(format, matches.get_flag(VERBOSE), session)),
        Err(faults) => Ok(print_diagnostics(&faults, format, session)),
    }
}

fn judge(
    catalogue: &Catalogue,
    matches: &ArgMatches,
    session: &Session<'_>,
) -> Result<FindingsReport, Vec<Diagnostic>> {
    let explicit = matches.get_one::<PathBuf>(ROOT).map(PathBuf::as_path);
    let root = root::locate(explicit, session).map_err(|fault| vec![fault])?;
    let version = catalogue.next_version().parse::<BundleVersion>().map_err(|error| {
        vec![Diagnostic::error("catalogue::version", format!("the catalogue's next version: {error}"))]
    })?;
    let question = Question {
        version,
        against: matches.get_one(AGAINST).copied().map_or(Against::Highest, Against::Named),
        profile: profile(matches),
        with_witnesses: matches.get_flag(WITNESS),
        moment: &moment::unreleased,
        is_release: false,
    };
    question.judged(catalogue, &root, session).map(|judged| judged.report)
}

/// What types are judged against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Against {
    /// The highest release below their version.
    Highest,
    /// Another bundle, which the user names.
    Named(BundleVersion),
    /// What the bundle was judged against that they were released as, or nothing: whatever came to the history since then.
    Recorded(Option<BundleVersion>),
}

/// What is asked about the types.
pub(super) struct Question<'a> {
    /// The version that they are to be.
    pub(super) version: BundleVersion,
    /// Which baseline.
    pub(super) against: Against,
    /// The columns of the policy that hold.
    pub(super) profile: Profile,
    /// Whether findings get a witness.
    pub(super) with_witnesses: bool,
    /// When they are or would be released, if anybody knows.
    pub(super) moment: &'a dyn Fn(&Path, &Session<'_>) -> Option<Released>,
    /// Whether they are being released: a bundle of the same version is then compared by whoever asks, and no part of the history.
    pub(super) is_release: bool,
}

/// The answer, and what it was made of.
pub(super) struct Judged {
    /// What was found.
    pub(super) report: FindingsReport,
    /// The CRDs as the types say, stamped with the version.
    pub(super) candidate: Channels,
    /// The bundles, the ledger, the waivers.
    pub(super) history: History,
    /// What they were judged against.
    pub(super) baseline: Option<BundleVersion>,
    /// What authors declared of names that went.
    pub(super) declared: Declared,
}

impl Question<'_> {
    /// Judges the types.
    pub(super) fn judged(
        &self,
        catalogue: &Catalogue,
        root: &Path,
        session: &Session<'_>,
    ) -> Result<Judged, Vec<Diagnostic>> {
        let version = self.version;
        let without = self.is_release.then_some(version);
        let history = History::read(root, &[], without, session);
        let (resources, candidate, history) = match (generated(catalogue, version), history) {
            (Ok((resources, candidate)), Ok(history)) => (resources, candidate, history),
            (types, history) => return Err(types.err().into_iter().chain(history.err()).flatten().collect()),
        };
        let marks = marked(&resources);
        let tombstones = marks.iter().map(|(tombstone, _)| tombstone.clone()).collect::<Vec<_>>();
        let mut declared = history.declared(&tombstones);
        declared.long_deprecated = history.long_deprecated(version, &|| (self.moment)(root, session));
        let chosen = match self.against {
            Against::Named(asked) => Some(against(asked, version, &history).map_err(|fault| vec![fault])?),
            Against::Recorded(None) => None,
            Against::Recorded(Some(recorded)) if history.bundle(recorded).is_some() => Some(recorded),
            Against::Recorded(Some(_)) | Against::Highest => baseline(version, &history.versions()),
        };
        let old = chosen.and_then(|chosen| history.bundle(chosen));
        let old_channels = old.map(|old| &old.channels);
        let mut found = findings(old_channels, &candidate, self.profile, &declared, self.with_witnesses);
        buried(&mut found, history.ledger.entries().iter().chain(&tombstones));
        // A pre-release may what its release may.
        let release = version.core();
        let waiver_faults = waive(&mut found, &history.waivers, &[&version.to_string(), &release.to_string()]);

        let old_side = old.map(|old| Side { name: old.name.clone(), version: chosen, channels: &old.channels });
        let side = Side { name: "the types".to_owned(), version: Some(version), channels: &candidate };
        let mut report = report(old_side.as_ref(), &side, self.profile, found, &|finding| line_of(&resources, finding));
        let shown = |path: PathBuf| path.strip_prefix(root).unwrap_or(&path).display().to_string();
        let file = shown(waivers_path(root));
        let malformed = history.malformed_waivers.iter();
        report.problems.extend(malformed.map(|fault| Problem::of_record(ProblemKind::WaiverMalformed, fault, &file)));
        let of_waivers = waiver_faults.iter().map(|fault| of_waiver(fault, &report.findings, version, &file));
        let of_waivers = of_waivers.collect::<Vec<_>>();
        report.problems.extend(of_waivers);
        // What was released as this version, or as one that this cannot come before: then nobody would ever release the types as this.
        let overtaken = || overtaken(version, &history.versions()).filter(|_| !self.is_release);
        let last = if history.bundle(version).is_some() { Some(version) } else { overtaken().map(|(last, _)| last) };
        let next = match last.and_then(|last| Some((last, history.bundle(last)?))) {
            Some((last, released)) => {
                let (next, problem) = since_release(last, &released.channels, &candidate, self.profile, &declared);
                report.problems.extend(problem);
                next.max(version)
            }
            None => version,
        };
        let file = shown(ledger_path(root));
        let wrongs = ledger_problems(&history.past(), &candidate, &history.ledger, &tombstones);
        let Names { missing, others } = Names::of(wrongs);
        let advisor = Advisor {
            version: next,
            resources: &resources,
            declared: &declared,
            history: &history,
            candidate: &candidate,
        };
        report.problems.extend(advisor.problems(&missing));
        report.problems.extend(other_problems(&others, &marks, &resources, &file));
        report.problems.extend(contradictions(&history, &marks, &file));
        // What was decided without a baseline when it was released is no news when it is built again.
        let is_missed = chosen.is_none() && self.against != Against::Recorded(None);
        report.notes = notes(version, is_missed, &history, self.is_release);
        report.notes.extend(old_channels.and_then(|old| other_prefix(old, catalogue.prefix())));
        Ok(Judged { report, candidate, history, baseline: chosen, declared })
    }
}

/// What became of the types since their own version was released: the version that takes them now, and that it is not this one.
fn since_release(
    version: BundleVersion,
    released: &Channels,
    candidate: &Channels,
    profile: Profile,
    declared: &Declared,
) -> (BundleVersion, Option<Problem>) {
    let found = findings(Some(released), candidate, profile, declared, false);
    let verdict = Verdict::over(&found, []);
    if verdict.bundle == RequiredBump::None {
        return (version, None);
    }
    let fits = smallest(version, verdict.bundle);
    let shown = fits.map(|fits| fits.to_string());
    // What no version takes as it is may come with the next one when it is mended.
    let next = fits.or_else(|| smallest(version, RequiredBump::Minor)).unwrap_or(version);
    (next, Some(Problem::of_released(&version.to_string(), shown.as_deref())))
}

/// The baseline that somebody asks for.
fn against(asked: BundleVersion, version: BundleVersion, history: &History) -> Result<BundleVersion, Diagnostic> {
    let (message, help) = if history.bundle(asked).is_none() {
        let import = import_command(Program::Xtask, "PATH");
        (format!("`bundles/` contains no bundle {asked}"), format!("import it with `{import}`"))
    } else if !asked.is_release() {
        (
            format!("{asked} is a pre-release, which is never a baseline"),
            format!("compare with `cargo xtask diff {asked} bundles/unreleased`"),
        )
    } else if baseline(version, &[asked]).is_none() {
        (
            format!("{asked} is not below {version}, the catalogue's next version"),
            "choose an earlier release as the baseline".to_owned(),
        )
    } else {
        return Ok(asked);
    };
    Err(Diagnostic::error("bundle::baseline", format!("--against {asked}: {message}")).help(help))
}

/// That the stamps of a baseline stand under another prefix: what it installed knows only those.
fn other_prefix(baseline: &Channels, prefix: &str) -> Option<String> {
    let keys = baseline.values().flatten().flat_map(|crd| crd.annotations.keys());
    let former = keys.filter_map(|key| key.strip_suffix("/bundle-version")).collect::<BTreeSet<_>>();
    if former.is_empty() || former.contains(prefix) {
        return None;
    }
    let former = former.into_iter().map(|former| format!("`{former}`")).collect::<Vec<_>>().join(", ");
    Some(format!(
        "the stamps of the baseline begin with {former}, and the catalogue's prefix is `{prefix}`: policies that an earlier bundle installed refuse CRDs \
         without the stamps that they know, and charts, archives and policies get other names. If that is not meant, put the prefix back"
    ))
}

/// What is worth knowing of the history.
fn notes(version: BundleVersion, misses_baseline: bool, history: &History, is_release: bool) -> Vec<String> {
    let mut notes = Vec::new();
    let versions = history.versions();
    if misses_baseline {
        let instead = match &*versions {
            [] => String::new(),
            [only] => format!(" (there is {only})"),
            _ => format!(" (there are {})", listed(&versions)),
        };
        // Whose first bundle this is has none to bring.
        let bring = match versions.contains(&version) {
            true => String::new(),
            false => format!(". Bring one here with `{}`", import_command(Program::Xtask, "PATH")),
        };
        notes.push(format!(
            "there is no baseline: no release below {version} lies in `bundles/`{instead}, so nothing is compared{bring}"
        ));
    }
    if versions.contains(&version) {
        notes.push(format!(
            "{version} lies in `bundles/` already: raise the catalogue's next version, if the types are to be another bundle"
        ));
    }
    let later = versions.iter().copied().filter(|known| *known > version).collect::<Vec<_>>();
    if !later.is_empty() {
        notes.push(format!(
            "`bundles/` has {}, above {version}{}: names that only later bundles have count as removed",
            listed(&later),
            if is_release { "" } else { ", which the catalogue says is next" }
        ));
    }
    let bare = history.bundles.iter().filter(|(_, source)| source.manifest.is_none()).map(|(version, _)| *version);
    let bare = bare.collect::<Vec<_>>();
    if !bare.is_empty() {
        notes.push(format!(
            "nobody can tell whether {} {} altered, since there is no `{}` in it: `import` writes one",
            listed(&bare),
            if bare.len() == 1 { "was" } else { "were" },
            manifest::FILE_NAME
        ));
    }
    notes
}

fn listed(versions: &[BundleVersion]) -> String {
    versions.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

/// The resources, and the CRDs of every channel as the types say.
pub(super) fn generated(
    catalogue: &Catalogue,
    version: BundleVersion,
) -> Result<(Vec<AnnotatedResource>, Channels), Vec<Diagnostic>> {
    let resources = annotated(catalogue)?;
    let projected = parallel::each(&resources, |resource| {
        Channel::ALL.map(|channel| (channel, resource.project(catalogue, channel)))
    });
    let (mut crds, mut errors) = (Vec::new(), Vec::new());
    for (channel, result) in projected.into_iter().flatten() {
        match result {
            Ok(Some(mut crd)) => {
                stamp(&mut crd, catalogue.prefix(), version, channel);
                crds.push((channel, crd));
            }
            Ok(None) => {}
            Err(wrong) => errors.extend(wrong),
        }
    }
    if errors.is_empty() { Ok((resources, channels_of(crds))) } else { Err(errors) }
}

fn resource<'r>(resources: &'r [AnnotatedResource], crd: &str) -> Option<&'r AnnotatedResource> {
    resources.iter().find(|resource| resource.crd_name() == crd)
}

/// What is wrong with a waiver, with what may be meant.
fn of_waiver(fault: &WaiverFault, findings: &[Located], version: BundleVersion, file: &str) -> Problem {
    let mut problem = Problem::of_waiver(fault, file);
    match fault {
        WaiverFault::Expired(waiver) => {
            problem.message = format!("the waiver is for the bundle {}, and {version} is judged", waiver.bundle);
        }
        WaiverFault::Unused(waiver) => {
            let same_rule =
                findings.iter().map(|located| &located.finding).filter(|finding| finding.rule == waiver.rule);
            let places = same_rule.map(|finding| match finding.path.is_empty() {
                true => format!("`{}` as a whole ({})", finding.crd, finding.channel),
                false => format!("`{}` of {} ({})", finding.path, finding.crd, finding.channel),
            });
            let places = places.collect::<BTreeSet<_>>();
            if !places.is_empty() {
                let shown = places.iter().take(OTHERS).map(String::as_str).collect::<Vec<_>>().join(", ");
                let more = if places.len() > OTHERS { " and elsewhere" } else { "" };
                problem.fix = Some(format!("Remove it, or correct it: the rule's findings are at {shown}{more}."));
            }
        }
        WaiverFault::Powerless(_) | WaiverFault::Raises(_) => {}
    }
    problem
}

/// The line of the types that a finding comes from.
fn line_of(resources: &[AnnotatedResource], finding: &Finding) -> Option<SourceLine> {
    let resource = resource(resources, &finding.crd)?;
    // What concerns the resource, or a version that is gone, comes from the resource.
    let of_version = finding.version.as_deref().and_then(|version| resource.origin(version, &finding.path));
    let origin = of_version.or_else(|| resource.version_names().find_map(|version| resource.origin(version, "")))?;
    Some(line(origin.location))
}

fn line(location: Location) -> SourceLine {
    SourceLine { file: location.file.to_owned(), line: location.line }
}

/// What is wrong with names: those that lack a tombstone, and the rest.
struct Names {
    missing: Vec<(WireName, String)>,
    others: Vec<LedgerProblem>,
}

impl Names {
    fn of(wrongs: Vec<LedgerProblem>) -> Self {
        let mut names = Names { missing: Vec::new(), others: Vec::new() };
        for wrong in wrongs {
            match wrong {
                LedgerProblem::Missing { name, last } => names.missing.push((name, last)),
                other => names.others.push(other),
            }
        }
        names
    }
}

/// Names that have their tombstone need it no more.
fn buried<'t>(findings: &mut [Finding], tombstones: impl Iterator<Item = &'t Tombstone>) {
    let tombstones = tombstones.map(|tombstone| &tombstone.name).collect::<Vec<_>>();
    for finding in findings.iter_mut().filter(|finding| finding.needs.contains(&Need::Tombstone)) {
        let name = |kind, path: &str, name: &str| WireName {
            crd: finding.crd.clone(),
            kind,
            path: path.to_owned(),
            name: name.to_owned(),
        };
        let value = match &finding.before {
            Some(Value::String(text)) => text.clone(),
            other => other.as_ref().map(Value::to_string).unwrap_or_default(),
        };
        let names = match (&*finding.path, &finding.version) {
            ("", None) => vec![name(Kind::Resource, "", "")],
            ("", Some(version)) => vec![name(Kind::Version, "", version)],
            (path, _) => vec![name(Kind::Field, "", path), name(Kind::Value, path, &value)],
        };
        if names.iter().any(|name| tombstones.iter().any(|tombstone| tombstone.covers(name))) {
            finding.needs.retain(|need| *need != Need::Tombstone);
        }
    }
}

/// Says what a name that is gone needs.
struct Advisor<'a> {
    version: BundleVersion,
    resources: &'a [AnnotatedResource],
    declared: &'a Declared,
    history: &'a History,
    candidate: &'a Channels,
}

/// A problem that is the same for other names.
fn with_others(mut problem: Problem, others: &[&WireName]) -> Problem {
    let elsewhere = others.iter().take(OTHERS).map(|name| {
        let path = match name.kind {
            Kind::Field => name.whole_path(),
            _ => name.path.clone(),
        };
        match problem.crd.as_ref() == Some(&name.crd) {
            true => path,
            false => format!("{} {path}", name.crd),
        }
    });
    let elsewhere = elsewhere.collect::<Vec<_>>().join(", ");
    let more = match others.len().saturating_sub(OTHERS) {
        0 => String::new(),
        more => format!(" and {}", count(more, "more place")),
    };
    if !elsewhere.is_empty() {
        problem.message.push_str(&format!("; the same at {elsewhere}{more}"));
    }
    problem
}

/// So many other places are named.
const OTHERS: usize = 4;

impl Advisor<'_> {
    /// A problem for each line that is missing: a type that stands at many places needs one for all of them.
    fn problems(&self, missing: &[(WireName, String)]) -> Vec<Problem> {
        let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
        for (name, last) in missing {
            let (fix, source) = self.advice(name, last);
            let same = |(problem, _): &&mut (Problem, Vec<&WireName>)| {
                problem.source.is_some() && problem.fix.as_ref() == Some(&fix)
            };
            match problems.iter_mut().find(same) {
                Some((_, others)) => others.push(name),
                None => {
                    let problem =
                        Problem::of_tombstone(&LedgerProblem::Missing { name: name.clone(), last: last.clone() });
                    problems.push((Problem { fix: Some(fix), source, ..problem }, Vec::new()));
                }
            }
        }
        problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
    }

    /// The exact line that a missing tombstone needs, on a line of its own, and where it goes.
    fn advice(&self, name: &WireName, last: &str) -> (String, Option<SourceLine>) {
        let (until, since) = self.around(last);
        let version = since.unwrap_or(self.version);
        if let Some(origin) = self.holder(name) {
            let fix = format!(
                "Take it back, or add this line above `{}` ({}), and run `cargo xtask tombstones add`:\n/// +tombstone:name={},removed={version},reason=\"…\"",
                origin.type_name,
                origin.location,
                marker_text(&name.name),
            );
            return (fix, Some(line(origin.location)));
        }
        let mut command = format!("cargo xtask tombstones add --kind {} --crd {}", name.kind.word(), name.crd);
        for (argument, text) in [("path", &name.path), ("name", &name.name)] {
            if !text.is_empty() {
                command.push_str(&format!(" --{argument} {}", for_shell(Path::new(text))));
            }
        }
        command.push_str(&format!(" --removed {version} --reason '…'"));
        let stored = || self.declared.ever_stored.contains(&(name.crd.clone(), name.name.clone()));
        let more = match name.kind {
            Kind::Resource => match self.successor(&name.crd, until) {
                Some(successor) => format!(", with `--replacement {successor}` if that takes over"),
                None => ", with `--replacement CRD` if another one takes over".to_owned(),
            },
            Kind::Version if stored() => ", with `--migrated` once no object is stored in it any more".to_owned(),
            _ => String::new(),
        };
        (format!("Take it back, or record it{more}:\n{command}"), None)
    }

    /// The type that had a field or value, if it is still there.
    fn holder(&self, name: &WireName) -> Option<Origin> {
        let resource = match name.kind {
            Kind::Field | Kind::Value => resource(self.resources, &name.crd)?,
            Kind::Resource | Kind::Version => return None,
        };
        resource.version_names().find_map(|version| resource.type_at(version, &name.path))
    }

    /// The bundles up to the last one that had a name, and the release that lacked it first, if one is there.
    fn around(&self, last: &str) -> (&[(BundleVersion, Source)], Option<BundleVersion>) {
        let bundles = self.history.bundles.as_slice();
        let had = bundles.iter().position(|(version, _)| version.to_string() == last).map_or(0, |index| index + 1);
        let (until, since) = bundles.split_at(had);
        let lacked = since.iter().map(|(version, _)| *version).find(|version| version.is_release());
        (until, lacked.filter(|version| *version < self.version))
    }

    /// The only CRD of the same kind that was not there then, but for the `X` before the kinds of experimental groups.
    fn successor(&self, gone: &str, until: &[(BundleVersion, Source)]) -> Option<&str> {
        let bundles = until.iter().rev().flat_map(|(_, source)| source.channels.values().flatten());
        let kind = &bundles.clone().find(|crd| crd.name == gone)?.names.kind;
        let known = bundles.map(|crd| &*crd.name).collect::<BTreeSet<_>>();
        let kinds = [Some(&**kind), kind.strip_prefix('X')];
        let candidates = self.candidate.values().flatten().filter(|crd| kinds.contains(&Some(&*crd.names.kind)));
        let new = candidates.map(|crd| &*crd.name).filter(|name| !known.contains(name)).collect::<BTreeSet<_>>();
        match new.len() {
            1 => new.into_iter().next(),
            _ => None,
        }
    }
}

/// A text in a marker: bare if it is a word and nothing else, else in quotes.
fn marker_text(text: &str) -> String {
    let mut bytes = text.bytes();
    let is_word =
        bytes.next().is_some_and(|first| first.is_ascii_alphabetic()) && bytes.all(|byte| byte.is_ascii_alphanumeric());
    if is_word && !["true", "false", "null"].contains(&text) {
        return text.to_owned();
    }
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            other if other.is_control() => quoted.push_str(&format!("\\u{:04x}", u32::from(other))),
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// What else is wrong with names, with the lines that it comes from.
fn other_problems(
    wrongs: &[LedgerProblem],
    marks: &[(Tombstone, DeclaredTombstone)],
    resources: &[AnnotatedResource],
    file: &str,
) -> Vec<Problem> {
    let marker =
        |name: &WireName| marks.iter().find(|(known, _)| known.name == *name).map(|(_, mark)| line(mark.location));
    let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
    for wrong in wrongs {
        let mut problem = Problem::of_tombstone(wrong);
        match wrong {
            LedgerProblem::Unrecorded(tombstone) => {
                problem.source = marker(&tombstone.name);
                // A marker holds wherever its type stands.
                let same = |(known, _): &&mut (Problem, Vec<&WireName>)| {
                    known.kind == problem.kind && known.source == problem.source
                };
                if let Some((_, others)) = problems.iter_mut().find(same) {
                    others.push(&tombstone.name);
                    continue;
                }
            }
            LedgerProblem::Returned(tombstone) => {
                problem.source = returned(&tombstone.name, resources).or_else(|| marker(&tombstone.name));
                if let Some(replacement) = &tombstone.replacement {
                    problem.fix = Some(format!("Choose another name; `{replacement}` took over from this one."));
                }
            }
            LedgerProblem::Lost { .. } | LedgerProblem::Altered { .. } => {
                problem.source = Some(SourceLine { file: file.to_owned(), line: 1 })
            }
            LedgerProblem::Missing { .. } => {}
        }
        problems.push((problem, Vec::new()));
    }
    problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
}

/// The line of the types that has a name which must not return.
fn returned(name: &WireName, resources: &[AnnotatedResource]) -> Option<SourceLine> {
    let resource = resource(resources, &name.crd)?;
    let mut versions = resource.version_names();
    let location = match name.kind {
        Kind::Resource => versions.find_map(|version| resource.origin(version, ""))?.location,
        Kind::Version => resource.origin(&name.name, "")?.location,
        Kind::Value => {
            let mut origins = versions.filter_map(|version| {
                resource.type_at(version, &name.path).or_else(|| resource.origin(version, &name.path))
            });
            origins.next()?.location
        }
        Kind::Field => {
            let whole = name.whole_path();
            // Where a version lacks the field, its origin is that of what stands above it.
            let origins = versions.filter_map(|version| {
                let origin = resource.origin(version, &whole)?;
                let is_field = resource.origin(version, &name.path).as_ref() != Some(&origin);
                Some((is_field, origin))
            });
            let origins = origins.collect::<Vec<_>>();
            origins.iter().find(|(is_field, _)| *is_field).or(origins.first())?.1.location
        }
    };
    Some(line(location))
}

/// Markers that say something else than the ledger does of the same name.
fn contradictions(history: &History, marks: &[(Tombstone, DeclaredTombstone)], file: &str) -> Vec<Problem> {
    let said = |tombstone: &Tombstone| match &tombstone.replacement {
        Some(replacement) => format!("removed in {}, replaced by {replacement}", tombstone.removed),
        None => format!("removed in {}", tombstone.removed),
    };
    let mut problems: Vec<(Problem, Vec<&WireName>)> = Vec::new();
    for (mark, declared) in marks {
        let entry = history.ledger.entries().iter().find(|entry| entry.name == mark.name);
        // The reason may be worded otherwise.
        let Some(entry) = entry.filter(|entry| said(entry) != said(mark)) else { continue };
        let source = Some(line(declared.location));
        if let Some((_, others)) = problems.iter_mut().find(|(known, _)| known.source == source) {
            others.push(&mark.name);
            continue;
        }
        let path = match mark.name.kind {
            Kind::Field => mark.name.whole_path(),
            _ => mark.name.path.clone(),
        };
        let problem = Problem {
            kind: ProblemKind::TombstoneUnrecorded,
            crd: Some(mark.name.crd.clone()),
            path,
            message: format!(
                "the types and the ledger contradict each other on `{}`: the marker says {}, the ledger {}",
                mark.name.name,
                said(mark),
                said(entry)
            ),
            fix: Some(format!("Make the marker say what {file} says: the ledger is never changed.")),
            source,
        };
        problems.push((problem, Vec::new()));
    }
    problems.into_iter().map(|(problem, others)| with_others(problem, &others)).collect()
}

#[cfg(test)]
mod tests {
    use super::marker_text;

    #[test]
    fn texts_in_markers_are_bare_where_that_is_certain() {
        for (text, expected) in [
            ("tls", "tls"),
            ("v1", "v1"),
            ("True", "True"),
            ("true", "\"true\""),
            ("null", "\"null\""),
            ("1", "\"1\""),
            ("", "\"\""),
            ("a-b", "\"a-b\""),
            ("a, b", "\"a, b\""),
            ("é", "\"é\""),
            ("a\"b\\", "\"a\\\"b\\\\\""),
            ("a\nb", "\"a\\u000ab\""),
        ] {
            assert_eq!(marker_text(text), expected, "{text:?}");
        }
    }
}
