//! The conventions of a project, checked on a bundle: what the settings and types allow, and the lines of findings in files and types.

pub(crate) mod baseline;
pub(crate) mod report;

use std::collections::BTreeMap;

use crd_bundle::Release;
use crd_diagnostics::Diagnostic;
use crd_generate::settings::{AcceptedFinding, Conventions, FILE_NAME};
use crd_generate::{AnnotatedResource, DeclaredException, Origin};
use crd_lint::{
    Element, Exception, Finding, Place, by_enum, check_names, diagnostics, findings_of_types, levels, without_allowed,
};

use crate::source_lines::source_lines;

pub(crate) use report::{Linted, lint_format_argument, print};

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
        check_names(&self.settings.levels, FILE_NAME, &exceptions)?;
        let levels = levels(&self.settings.levels, self.only);
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
        let found = by_enum(found);
        let location = |finding: &Finding, place: &Place| {
            (finding.channel, place.crd.clone(), Some(place.version.clone()), place.path.clone())
        };
        let places = found.iter().flat_map(|finding| finding.places.iter().map(move |place| location(finding, place)));
        let lines = source_lines(self.candidate, &places.collect::<Vec<_>>());
        let locate = |diagnostic: Diagnostic, finding: &Finding, place: &Place| {
            let diagnostic = self.at_type(diagnostic, place);
            match lines.get(&location(finding, place)) {
                Some(source) => diagnostic.at_line(&source.file, usize::try_from(source.line).ok()),
                None => diagnostic,
            }
        };
        Ok(diagnostics(&found, &unused, &levels, self.candidate.has_channels, &locate))
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
