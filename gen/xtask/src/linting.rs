//! The conventions of a project, checked on a bundle: the findings of `gen/lint` as diagnostics.
//!
//! Invariants: a finding that the baseline has is a note. A finding that only experimental has is a warning at most.

mod report;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crd_bundle::Release;
use crd_diagnostics::{Diagnostic, Related, Severity, fail_on};
use crd_generate::settings::{AcceptedFinding, Conventions, FILE_NAME};
use crd_generate::{AnnotatedResource, DeclaredException, Origin};
use crd_lint::{Convention, Element, Exception, Finding, Place, RULES, findings_of_types, without_allowed};
use crd_model::channel::Channel;

use crate::arguments::did_you_mean;
use crate::source_lines::source_lines;

pub(crate) use report::{Linted, lint_format, lint_format_argument, print};

/// What is checked.
pub(crate) struct Lint<'a> {
    pub(crate) settings: &'a Conventions,
    pub(crate) candidate: &'a Release,
    /// The types of the candidate; none for CRDs of files.
    pub(crate) resources: &'a [AnnotatedResource],
    /// Without one, everything is new.
    pub(crate) baseline: Option<&'a Release>,
    /// The new names of CRDs of the baseline.
    pub(crate) moved: &'a BTreeMap<String, String>,
    /// The only convention, if the user names one.
    pub(crate) only: Option<&'a str>,
}

impl Lint<'_> {
    /// The findings, errors first, and a warning for each exception that allows nothing.
    ///
    /// # Errors
    /// Names in the settings and types that are not conventions.
    pub(crate) fn diagnostics(&self) -> Result<Vec<Diagnostic>, Vec<Diagnostic>> {
        let exceptions = self.exceptions();
        self.check_names(&exceptions)?;
        let levels = self.levels();
        let rules = levels.iter().map(|(rule, _)| *rule).collect::<Vec<_>>();
        let baseline = self.baseline.map(|baseline| &baseline.channels);
        // A baseline without texts has findings about missing ones only.
        let has_text = self.baseline.is_none_or(Release::has_text);
        let structures = if has_text { None } else { Some(self.candidate.structures()) };
        let candidate = structures.as_ref().unwrap_or(&self.candidate.channels);
        let mut found = findings_of_types(&rules, candidate, baseline, self.moved, &|place| {
            let items = place.path.trim_end_matches("[*]").len();
            Some(format!("{}{}", self.origin(place)?.location, place.path.get(items..)?))
        });
        let unused = without_allowed(&mut found, &exceptions);
        let location = |finding: &Finding, place: &Place| {
            (finding.channel, place.crd.clone(), Some(place.version.clone()), place.path.clone())
        };
        let places = found.iter().flat_map(|finding| finding.places.iter().map(move |place| location(finding, place)));
        let lines = source_lines(self.candidate, &places.collect::<Vec<_>>());
        let locate = |finding: &Finding, place: &Place| {
            let diagnostic = self.at_type(self.diagnostic(finding, &levels), place);
            match lines.get(&location(finding, place)) {
                Some(source) => diagnostic.at_line(&source.file, usize::try_from(source.line).ok()),
                None => diagnostic,
            }
        };
        let mut diagnostics = Vec::new();
        for finding in &found {
            let mut places = finding.places.iter().map(|place| locate(finding, place));
            let Some(first) = places.next() else { continue };
            let related = places.map(|other| Related { message: String::new(), location: *other.location }).collect();
            diagnostics.push(Diagnostic { related, ..first });
        }
        diagnostics.extend(unused.into_iter().map(|Exception { rule, source: (file, line), .. }| {
            let message = format!("the exception of `{rule}` allows nothing");
            Diagnostic::warning("lint::exception-unused", message).at_line(file, *line).help("remove it")
        }));
        diagnostics.sort_by_key(|diagnostic| Reverse(diagnostic.severity));
        Ok(diagnostics)
    }

    /// The conventions with their levels.
    fn levels(&self) -> Vec<(&'static Convention, Severity)> {
        let rules = RULES.iter().filter(|rule| self.only.is_none_or(|only| only == rule.name));
        let level = |rule: &&'static Convention| {
            let usual = rule.is_default.then_some(Severity::Error);
            let level = self.settings.levels.get(rule.name).map_or(usual, |(level, _)| *level);
            Some((*rule, level.or(self.only.map(|_| Severity::Error))?))
        };
        rules.filter_map(level).collect()
    }

    /// The exceptions of the settings and of the types.
    fn exceptions(&self) -> Vec<Exception> {
        let of_settings = self.settings.exceptions.iter().map(|AcceptedFinding { rule, crd, path, line }| {
            let elements = vec![Element { crd: crd.clone(), path: path.clone(), part: None }];
            Exception { rule: rule.clone(), elements, source: (FILE_NAME.to_owned(), *line) }
        });
        // A marker is about each path where its type is used.
        let mut of_types = BTreeMap::<_, Vec<_>>::new();
        for resource in self.resources {
            for DeclaredException { rule, path, value: part, location } in resource.exceptions() {
                let element = Element { crd: resource.crd_name(), path: Some(path), part };
                of_types.entry((location.file, location.line, rule)).or_default().push(element);
            }
        }
        let of_types = of_types.into_iter().map(|((file, line, rule), elements)| Exception {
            rule: rule.to_owned(),
            elements,
            source: (file.to_owned(), usize::try_from(line).unwrap_or(1)),
        });
        let all = of_settings.chain(of_types);
        all.filter(|exception| self.only.is_none_or(|only| only == exception.rule)).collect()
    }

    fn check_names(&self, exceptions: &[Exception]) -> Result<(), Vec<Diagnostic>> {
        let levels = self.settings.levels.iter().map(|(name, (_, line))| (name.as_str(), FILE_NAME, *line));
        let named = exceptions.iter().map(|exception| (&*exception.rule, &*exception.source.0, exception.source.1));
        let named = levels.chain(named).collect::<BTreeSet<_>>().into_iter();
        let unknown = named.filter(|(name, ..)| Convention::named(name).is_none());
        fail_on(unknown.map(|(name, file, line)| not_a_convention(name).at_line(file, line)).collect())
    }

    fn diagnostic(&self, finding: &Finding, levels: &[(&'static Convention, Severity)]) -> Diagnostic {
        let Finding { rule, channel, problem, is_new, graduates, .. } = finding;
        let level =
            levels.iter().find(|(known, _)| known.name == rule.name).map_or(Severity::Error, |(_, level)| *level);
        let severity = match (is_new, channel) {
            (false, _) => Severity::Note,
            (true, Channel::Experimental) => level.min(Severity::Warning),
            (true, Channel::Standard) => level,
        };
        let last = if *graduates { "; it graduates, so this is the last release that can change it" } else { "" };
        let diagnostic = Diagnostic::new(rule.code(), severity, &problem.message);
        let diagnostic = diagnostic.help(format!("{}{last}", problem.help));
        if self.candidate.has_channels { diagnostic.in_channel(*channel) } else { diagnostic }
    }

    fn origin(&self, Place { crd, version, path }: &Place) -> Option<Origin> {
        let resource = self.resources.iter().find(|resource| resource.crd_name() == *crd)?;
        resource.origin(version, path).or_else(|| resource.origin(version, ""))
    }

    /// The diagnostic at a place, and at the Rust field that it comes from.
    fn at_type(&self, diagnostic: Diagnostic, place: &Place) -> Diagnostic {
        let Place { crd, version, path } = place;
        let diagnostic = diagnostic.of_crd(crd, Some(version.clone()), path);
        match self.origin(place) {
            Some(origin) => {
                crd_generate::at(diagnostic, origin.location).of_rust(origin.type_name, origin.field.map(str::to_owned))
            }
            None => diagnostic,
        }
    }
}

/// The error that a name is not that of a convention.
pub(crate) fn not_a_convention(name: &str) -> Diagnostic {
    let help = did_you_mean(name, RULES.iter().map(|rule| rule.name), "`lint --list` lists all conventions".to_owned());
    Diagnostic::error("lint::unknown-convention", format!("`{name}` is not a convention")).help(help)
}
