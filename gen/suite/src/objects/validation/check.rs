//! The objects of a file with their findings, each at its line and column.
//!
//! Invariants: the text of a document is parsed once more only if it has findings, and once for all of them. A finding about a missing field is
//! at the nearest field around it.

use std::collections::BTreeMap;

use crd_apiserver::objects::{REQUEST_LIMIT, STORAGE_LIMIT, bytes_above};
use crd_bundle::published::Source;
use crd_diagnostics::layout::MOST_LISTED;
use crd_diagnostics::{Diagnostic, Excerpt};
use crd_model::crd::{CustomResourceDefinition, Version};
use crd_model::yaml::{RepeatedKey, Section, TextPosition, locate};
use serde_json::Value;

use super::answers::{Merged, Unlocated, merged};
use super::kinds::{Found, Kinds, ServedVersion};
use super::stored::{Stored, StoredObject};
use super::{
    CheckedFile, CheckedObject, Finding, Operation, Settings, Texts, UnknownKinds, Verdict, hint, ignored,
    minors_in_words, removed,
};
use crate::codes;
use crate::objects::document::{self, WrittenObject};
use crate::objects::identity::{Identity, group_of, named, unscoped};

/// Checks the texts of a file: one, or those of an archive.
pub(super) fn file(texts: Texts, kinds: &Kinds, stored: &Stored, settings: &Settings) -> Vec<CheckedFile> {
    let (sources, errors) = texts;
    let mut files: Vec<CheckedFile> = sources
        .iter()
        .map(|source| {
            let checked = CheckedFile { name: source.name.clone(), ..CheckedFile::default() };
            let (lines, known, suggestions) = (Lines::default(), BTreeMap::new(), MOST_LISTED);
            FileCheck { source, lines, kinds, stored, settings, suggestions, known, checked }.run()
        })
        .collect();
    if !errors.is_empty() {
        let name = errors.iter().find_map(|error| error.location.file.as_ref());
        let name = name.map(|name| name.display().to_string()).unwrap_or_default();
        files.push(CheckedFile { name, errors, ..CheckedFile::default() });
    }
    files
}

struct FileCheck<'c> {
    source: &'c Source,
    lines: Lines,
    kinds: &'c Kinds,
    stored: &'c Stored,
    settings: &'c Settings,
    /// How many more unknown names are compared with the known ones.
    suggestions: usize,
    /// The lines of the objects so far.
    known: BTreeMap<Identity, usize>,
    checked: CheckedFile,
}

/// An object whose findings have no location.
struct Judged {
    object: CheckedObject,
    findings: Vec<Unlocated>,
}

impl<'c> FileCheck<'c> {
    fn run(mut self) -> CheckedFile {
        let (source, kinds) = (self.source, self.kinds);
        let is_kind = |api_version: &str, kind: &str| kinds.crd(group_of(api_version), kind).is_some();
        for document in document::read(source, &is_kind) {
            match document {
                Ok(document) => self.document(document.section, document.objects),
                Err(errors) => {
                    let located = errors.into_iter().map(|error| self.lines.with_excerpt(error, &source.text));
                    self.checked.errors.extend(located);
                }
            }
        }
        self.checked
    }

    fn document(&mut self, section: Section, objects: Vec<WrittenObject>) {
        let mut judged = Vec::new();
        let mut paths = Vec::new();
        for object in objects {
            let above = object.above.clone();
            let Some(object) = self.object(object) else { continue };
            for found in object.findings.iter().take(MOST_LOCATED) {
                let path = format!("{above}{}", found.path);
                // An item is at its index, without the dot.
                paths.push(path.trim_end_matches('.').to_owned());
            }
            judged.push(object);
        }
        let mut positions = match paths.is_empty() {
            true => Vec::new(),
            false => locate(&self.source.text, section, &paths),
        }
        .into_iter();
        for Judged { mut object, findings } in judged {
            for (index, Unlocated { mut finding, path, position }) in findings.into_iter().enumerate() {
                let found = if index < MOST_LOCATED { positions.next() } else { None };
                let found = found.filter(|_| !path.is_empty());
                let of_object = TextPosition { line: object.line, column: object.column };
                let position = position.or(found).unwrap_or(of_object);
                let diagnostic = finding
                    .diagnostic
                    .at_position(&self.source.name, position.line, position.column)
                    .of_object(object.name.clone());
                finding.diagnostic = self.lines.with_excerpt(diagnostic, &self.source.text);
                object.findings.push(finding);
            }
            self.checked.objects.push(object.judged());
        }
    }

    /// The verdict about an object. Nothing if it is not an object: then that is an error of the file.
    fn object(&mut self, object: WrittenObject) -> Option<Judged> {
        let (api_version, kind) = match object.type_in(&self.source.name) {
            Ok((api_version, kind)) => (api_version.to_owned(), kind.to_owned()),
            Err(error) => {
                self.checked.errors.push(self.lines.with_excerpt(error, &self.source.text));
                return None;
            }
        };
        let WrittenObject { mut value, position, repeated, .. } = object;
        let group = group_of(&api_version);
        let crd = self.kinds.crd(group, &kind);
        let name = match crd {
            Some(crd) => named(&mut value, &kind, crd.scope, &self.settings.namespace),
            None => unscoped(&value, &kind),
        };
        let identity = crd.and_then(|_| Identity::of(group, &name));
        let (line, column, operation, verdict) = (position.line, position.column, Operation::Create, Verdict::Accepted);
        let object =
            CheckedObject { api_version, name, line, column, operation, verdict, findings: Vec::new(), stored: None };
        let mut judged = Judged { object, findings: Vec::new() };
        if let Some(known) = self.served(crd, &mut judged) {
            self.check(known, value, identity, &repeated, &mut judged);
        }
        Some(judged)
    }

    /// The version of an object; nothing without one, which is its verdict.
    fn served(&mut self, crd: Option<&CustomResourceDefinition>, judged: &mut Judged) -> Option<ServedVersion<'c>> {
        let (settings, CheckedObject { api_version, name, .. }) = (self.settings, &judged.object);
        let found = self.kinds.find(api_version, &name.kind, self.suggestions > 0);
        let removed = match found {
            Found::Version(known) => return Some(known),
            _ => removed::kind_or_version(&settings.ledger, crd, api_version, &name.kind),
        };
        if let Found::Unknown(..) = found {
            self.suggestions = self.suggestions.saturating_sub(1);
        }
        let (error, path) = match (found, settings.unknown_kinds) {
            (Found::Version(_) | Found::Unusable, _) => {
                judged.object.verdict = Verdict::Unchecked;
                return None;
            }
            (Found::OtherGroup, unknown)
                if unknown == UnknownKinds::Refused || unknown == UnknownKinds::OfKnownGroups && removed.is_some() =>
            {
                let message = format!("no CRD has the API group of `{api_version}`");
                let help = "add its CRDs with `--crds`, or pass `--unknown-kinds skip`";
                (Diagnostic::error("object::unknown-kind", message).help(help), "apiVersion")
            }
            (Found::Unknown(error, path), UnknownKinds::OfKnownGroups | UnknownKinds::Refused) => (error, path),
            (Found::OtherGroup | Found::Unknown(..), _) => {
                judged.object.verdict = Verdict::Skipped;
                return None;
            }
        };
        judged.add(removed::noted(error, removed), path, &settings.minors);
        None
    }

    /// Adds what the servers of all minors answer to the request.
    fn check(
        &mut self,
        known: ServedVersion<'_>,
        mut value: Value,
        identity: Option<Identity>,
        repeated: &[RepeatedKey],
        judged: &mut Judged,
    ) {
        let (ServedVersion { crd, version, resources }, settings) = (known, self.settings);
        if let Some(identity) = &identity {
            self.note_first(identity, judged);
        }
        let stored = identity.and_then(|identity| self.stored.get(&identity));
        if stored.is_none() && self.stored.is_incomplete {
            judged.object.verdict = Verdict::Unchecked;
            return;
        }
        let old = match self.old(judged, stored, crd, version) {
            Ok(old) => old,
            Err(error) => return judged.add(error, "metadata.name", &settings.minors),
        };
        if let Some(stored) = stored {
            self.checked.updated.push(stored.index);
            stored.complete(&mut value);
        }
        judged.advise(known, &value, old.as_ref(), settings);
        let Merged { findings, stored: result } =
            merged(resources, value, old.as_ref(), settings.is_status, settings.fields, repeated);
        for found in findings {
            let found = self.with_hints(found, known);
            judged.findings.push(found);
        }
        judged.object.stored = result.filter(|_| settings.keeps_stored).map(|mut result| {
            if let Some(stored) = stored {
                stored.without_made_up(&mut result);
            }
            result
        });
    }

    /// Keeps the line of an object. A second one of the same identity is a warning.
    fn note_first(&mut self, identity: &Identity, judged: &mut Judged) {
        let Some(first) = self.known.get(identity) else {
            self.known.insert(identity.clone(), judged.object.line);
            return;
        };
        let message = format!("the file contains {} twice; the first one is at line {first}", judged.object.name);
        let help = "`kubectl apply` updates the first one with this one; here each one is checked alone";
        judged.add(Diagnostic::warning("object::twice", message).help(help), "metadata.name", &[]);
    }

    /// A finding with its minors, the nearest known field, and the tombstone of its name.
    fn with_hints(&mut self, found: Unlocated, known: ServedVersion<'_>) -> Unlocated {
        let (ServedVersion { crd, version, .. }, settings) = (known, self.settings);
        let mut finding = with_minors(found.finding, &settings.minors);
        if finding.diagnostic.code == codes::UNKNOWN_FIELD && self.suggestions > 0 {
            self.suggestions -= 1;
            let other = self.kinds.in_other_channel(crd, &version.name);
            let other = other.map(|(channel, version)| (channel, &version.schema));
            finding.diagnostic.help = hint::of_unknown_field(&found.path, &version.schema, other);
        }
        let removed = removed::field_or_value(&settings.ledger, crd, &version.schema, &found.path, &finding.diagnostic);
        finding.diagnostic = removed::noted(finding.diagnostic, removed);
        Unlocated { finding, ..found }
    }

    /// The stored object that the request replaces.
    fn old(
        &self,
        judged: &mut Judged,
        stored: Option<&StoredObject>,
        crd: &CustomResourceDefinition,
        version: &Version,
    ) -> Result<Option<Value>, Diagnostic> {
        let object = &mut judged.object;
        if self.settings.is_status && !has_status(version) {
            let message = format!("`{}` {} has no status subresource", crd.name, version.name);
            return Err(Diagnostic::error("object::no-status", message).help("leave out `--subresource`"));
        }
        let Some(stored) = stored else {
            if self.settings.is_status {
                let message = format!("`--old` does not contain {}", object.name);
                let help = "an update of the status needs the stored object: add it to `--old`";
                return Err(Diagnostic::error("object::not-stored", message).help(help));
            }
            return Ok(None);
        };
        object.operation = if self.settings.is_status { Operation::UpdateStatus } else { Operation::Update };
        let old = stored.in_version(crd, &object.api_version).ok_or_else(|| {
            let message = format!("the stored {} has another API version, which a webhook converts", object.name);
            let help = format!(
                "read it in this version: `kubectl get {}.{}.{} {}`",
                crd.names.plural, version.name, crd.group, object.name.name
            );
            Diagnostic::error("object::undecided", message).help(help)
        })?;
        Ok(Some(old))
    }
}

impl Judged {
    /// Adds a finding of these minors.
    fn add(&mut self, diagnostic: Diagnostic, path: &str, minors: &[u32]) {
        let finding = Finding { diagnostic, reason: None, field: None, minors: minors.to_vec() };
        self.findings.push(Unlocated { finding, path: path.to_owned(), position: None });
    }

    /// Adds warnings about the version, about what the request leaves as it is, and about the size.
    fn advise(&mut self, known: ServedVersion<'_>, value: &Value, old: Option<&Value>, settings: &Settings) {
        let ServedVersion { crd, version, .. } = known;
        if version.deprecated {
            let warning = crd_apiserver::objects::deprecation_warning(crd, version);
            self.add(Diagnostic::warning("object::warning", warning), "apiVersion", &settings.minors);
        }
        for (warning, path) in ignored::warnings(value, old, has_status(version), settings.is_status) {
            self.add(warning, &path, &[]);
        }
        if let Some(bytes) = bytes_above(value, STORAGE_LIMIT).filter(|bytes| *bytes <= REQUEST_LIMIT) {
            let message = format!(
                "the object has {bytes} bytes as JSON, and etcd stores {STORAGE_LIMIT} in its default configuration"
            );
            self.add(Diagnostic::warning("object::large", message).help("split the object"), "", &[]);
        }
    }
}

fn has_status(version: &Version) -> bool {
    version.subresources.as_ref().is_some_and(|subresources| subresources.status)
}

/// A finding that not all minors report names those that do.
fn with_minors(mut finding: Finding, all: &[u32]) -> Finding {
    if finding.minors != all {
        let minors = minors_in_words(&finding.minors);
        finding.diagnostic.message.push_str(&format!("\nonly on Kubernetes {minors}"));
    }
    finding
}

/// The lines of a text, for excerpts.
#[derive(Default)]
struct Lines {
    /// Where they begin, found when the first line is needed.
    begins: Vec<usize>,
    /// How many excerpts the diagnostics of each code have. Further ones are not printed.
    excerpts: BTreeMap<&'static str, usize>,
}

/// How many findings of an object get their own location. Further findings are at the object.
const MOST_LOCATED: usize = 100;

/// The longest part of a line that is shown.
const MOST_SHOWN: usize = 120;

impl Lines {
    /// Adds the line of the diagnostic, marked from its column on.
    fn with_excerpt(&mut self, mut diagnostic: Diagnostic, text: &str) -> Diagnostic {
        let (Some(line), Some(column)) = (diagnostic.location.line, diagnostic.location.column) else {
            return diagnostic;
        };
        let number = self.excerpts.entry(diagnostic.code).or_default();
        *number += 1;
        if *number > MOST_LISTED {
            return diagnostic;
        }
        if self.begins.is_empty() {
            self.begins = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        }
        let Some(begin) = line.checked_sub(1).and_then(|index| self.begins.get(index)) else { return diagnostic };
        let end = self.begins.get(line).map_or(text.len(), |next| next - 1);
        let shown = text.get(*begin..end).unwrap_or_default().trim_end_matches('\r');
        diagnostic.location.excerpt = excerpt(shown.trim_start_matches('\u{feff}'), column.saturating_sub(1));
        diagnostic
    }
}

/// A line with a mark from `start` to the end of the field: a key with its value, or an item.
fn excerpt(line: &str, start: usize) -> Option<Excerpt> {
    let begin = line.char_indices().nth(start).map_or(line.len(), |(at, _)| at);
    let (before, rest) = line.split_at(begin);
    let field = if before.contains(['{', '[']) { in_flow_style(rest) } else { in_block_style(rest) };
    if field.is_empty() {
        return None;
    }
    let length = field.chars().count().min(MOST_SHOWN);
    // Of a long line, such as JSON without line breaks, a part is shown.
    let from =
        if line.chars().nth(MOST_SHOWN + start.min(1)).is_some() { start.saturating_sub(MOST_SHOWN / 3) } else { 0 };
    let mut shown: String = line.chars().skip(from).take(MOST_SHOWN * 2).collect();
    let mut marked = start - from;
    if from > 0 {
        shown.insert(0, '…');
        marked += 1;
    }
    if line.chars().nth(from + MOST_SHOWN * 2).is_some() {
        shown.push('…');
    }
    Some(Excerpt { line: shown, start: marked, length, label: String::new() })
}

/// The field at the beginning of a text, up to a comment.
fn in_block_style(text: &str) -> &str {
    let text = text.find(" #").map_or(text, |comment| &text[..comment]);
    text.trim_end().trim_end_matches([':', ',', '{', '['])
}

/// The field at the beginning of a text, up to the comma or bracket that ends it.
fn in_flow_style(text: &str) -> &str {
    let (mut depth, mut is_quoted, mut is_escaped) = (0_usize, false, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '{' | '[' => depth += 1,
            ',' | '}' | ']' if depth == 0 => return text[..at].trim_end(),
            '}' | ']' => depth -= 1,
            _ => {}
        }
    }
    in_block_style(text)
}
