//! The file of marks: which fields, values, rules and versions of written CRDs are experimental, for types whose markers are not read.
//!
//! Invariants: each mark leads to something that the CRD has, or is an error with the nearest name, at its line. The marks become the descriptors
//! that annotated types would have, with the lines of the file.

mod place;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crd_diagnostics::Diagnostic;
use crd_markers::descriptor::{Location, TypeDescriptor};
use crd_markers::leaked;
use crd_markers::marker::parse;
use crd_markers::rule::{Marker, Rule, XValidation};
use crd_markers::table::{Meaning, Target};
use crd_model::CustomResourceDefinition;
use crd_model::crd::Version;
use crd_model::path::{Part, parts};
use crd_model::schema::{Schema, Step};
use crd_model::yaml::{Codes, checked, item_positions};
use crd_names::channel::{Channel, ChannelSet};
use crd_names::nearest;
use serde::Deserialize;
use serde_json::Value;

use super::WrittenCrds;
use crate::settings::{FILE_NAME, Settings};
use place::Place;

/// The JSON schema of the file.
pub const SCHEMA: &str = include_str!("../../schemas/channels.json");
const VALUE: &str = "marks::value";
const CODES: Codes =
    Codes { syntax: "marks::syntax", unknown: "marks::unknown-key", value: VALUE, missing: "marks::missing" };

/// A mark as the file has it.
#[derive(Deserialize)]
struct Mark {
    crd: String,
    versions: Option<Vec<String>>,
    path: Option<String>,
    value: Option<String>,
    rule: Option<String>,
    gate: Option<String>,
    #[serde(default)]
    markers: Vec<String>,
}

/// The root types of CRDs with the marks of a file, whose name in diagnostics is `name`.
///
/// # Errors
/// Everything that is wrong in the file, and each mark that leads to nothing.
pub fn marked(
    name: &str,
    text: &str,
    settings: &Settings,
    mut written: WrittenCrds,
) -> Result<(Vec<&'static TypeDescriptor>, WrittenCrds), Vec<Diagnostic>> {
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let (root, section) = checked(text, &schema, CODES, |_, _| {}).map_err(|problems| {
        problems.into_iter().map(|problem| Diagnostic::of_file(problem, Path::new(name))).collect::<Vec<_>>()
    })?;
    let lines = item_positions(text, section, "marks");
    let marks = root.get("marks").and_then(Value::as_array).into_iter().flatten().enumerate();
    let mut reader = Reader { name: leaked::text(name), settings, places: BTreeMap::new(), errors: Vec::new() };
    for (index, mark) in marks {
        let line = lines.get(index).map_or(1, |position| position.line);
        // The schema was checked.
        if let Ok(mark) = Mark::deserialize(mark) {
            reader.add(&mark, line, &mut written);
        }
    }
    crd_diagnostics::fail_on(reader.errors)?;
    let mut roots = Vec::new();
    for crd in &written.crds {
        for version in &crd.versions {
            let key = (crd.name.to_string(), version.name.to_string());
            let place = reader.places.remove(&key).unwrap_or_default();
            roots.push(place.root(crd, &version.name, reader.name));
        }
    }
    Ok((roots, written))
}

/// The lines that change, each with its new text; none if it is removed.
pub type ChangedLines = BTreeMap<u32, Option<String>>;

/// The lines that change if the marks at these lines go.
///
/// # Errors
/// The line of each mark that a person must remove, and why.
pub fn without(text: &str, marks: &BTreeSet<u32>) -> Result<ChangedLines, Vec<(u32, &'static str)>> {
    let schema = serde_json::from_str(SCHEMA).unwrap_or(Value::Null);
    let section = checked(text, &schema, CODES, |_, _| {}).map(|(_, section)| section).unwrap_or_default();
    let items = item_positions(text, section, "marks").into_iter();
    let starts = items.map(|position| u32::try_from(position.line).unwrap_or_default()).collect::<Vec<_>>();
    let lines = text.lines().collect::<Vec<_>>();
    let line = |number: u32| lines.get(usize::try_from(number).ok()?.checked_sub(1)?).copied();
    let indent = |line: &str| line.len() - line.trim_start().len();
    let (mut changed, mut errors) = (BTreeMap::new(), Vec::new());
    for mark in marks {
        let first = starts.iter().position(|start| start == mark).zip(line(*mark));
        let Some((index, first)) = first.filter(|(_, first)| first.trim_start().starts_with("- ")) else {
            errors.push((*mark, "the mark is not an item of its own lines"));
            continue;
        };
        // Blank lines and comments can be between the keys of an item.
        let is_before_next = |number: &u32| {
            let is_outside =
                |line: &str| !line.trim().is_empty() && indent(line) <= indent(first) && !line.trim().starts_with('#');
            starts.get(index + 1).is_none_or(|next| number < next)
                && line(*number).is_some_and(|line| !is_outside(line))
        };
        let is_key =
            |number: &u32| line(*number).is_some_and(|line| !line.trim().is_empty() && indent(line) > indent(first));
        let end = (*mark + 1..).take_while(is_before_next).filter(is_key).last().unwrap_or(*mark);
        let item = (*mark..=end).collect::<Vec<_>>();
        if item.iter().filter_map(|number| line(*number)).any(|line| line.contains("markers:")) {
            errors.push((*mark, "the CRDs do not have its markers: write them where the types are"));
        }
        changed.extend(item.into_iter().map(|number| (number, None)));
    }
    if starts.iter().all(|start| marks.contains(start))
        && let Some(index) = lines.iter().position(|line| line.starts_with("marks:"))
    {
        changed.insert(u32::try_from(index + 1).unwrap_or_default(), Some("marks: []".to_owned()));
    }
    if errors.is_empty() { Ok(changed) } else { Err(errors) }
}

struct Reader<'r> {
    name: &'static str,
    settings: &'r Settings,
    /// The marks of each version, by the names of CRD and version.
    places: BTreeMap<(String, String), Place>,
    errors: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn error(&mut self, line: usize, message: impl Into<String>, help: impl Into<String>) {
        self.errors.push(Diagnostic::error(VALUE, message).at_line(self.name, line).help(help));
    }

    fn add(&mut self, mark: &Mark, line: usize, written: &mut WrittenCrds) {
        let names = written.crds.iter().map(|crd| &*crd.name).collect::<Vec<_>>();
        let Some(crd) = written.crds.iter().find(|crd| crd.name == mark.crd).cloned() else {
            let help = did_you_mean(&mark.crd, names.iter().copied());
            return self.error(line, format!("the CRD `{}` does not exist", mark.crd), help);
        };
        let versions = self.versions(mark, &crd, line);
        let channels = match &mark.gate {
            None => ChannelSet::only(Channel::Experimental),
            Some(gate) => match self.settings.division.gates.get(gate) {
                Some(Channel::Experimental) => ChannelSet::only(Channel::Experimental),
                Some(Channel::Standard) => ChannelSet::ALL,
                None => {
                    let help = format!("add `{gate}: experimental` to `gates` in {FILE_NAME}");
                    return self.error(line, format!("the gate `{gate}` has no channel"), help);
                }
            },
        };
        let number = u32::try_from(line).unwrap_or(u32::MAX);
        if let Some(gate) = &mark.gate {
            written.gates.insert(Location { file: self.name, line: number }, leaked::text(gate));
        }
        let before = self.errors.len();
        let mut has_place = false;
        for version in versions {
            let steps = match steps(mark.path.as_deref(), &version.schema) {
                Ok(steps) => steps,
                Err(missing) => {
                    // A path need not be in all versions.
                    if mark.versions.is_some() || crd.versions.len() == 1 {
                        self.no_path(mark, &missing, line);
                    }
                    continue;
                }
            };
            has_place = true;
            self.put(mark, &crd, version, &steps, Limit { channels, line: number });
        }
        if !has_place && self.errors.len() == before && !crd.versions.is_empty() {
            let missing = crd.versions.iter().find_map(|version| steps(mark.path.as_deref(), &version.schema).err());
            missing.iter().for_each(|missing| self.no_path(mark, missing, line));
        }
    }

    fn no_path(&mut self, mark: &Mark, missing: &Missing, line: usize) {
        let path = mark.path.as_deref().unwrap_or_default();
        self.error(
            line,
            format!("the path `{path}` is not in {}: {}", mark.crd, missing.message),
            missing.help.clone(),
        );
    }

    /// The versions that a mark is about.
    fn versions<'c>(&mut self, mark: &Mark, crd: &'c Arc<CustomResourceDefinition>, line: usize) -> Vec<&'c Version> {
        let Some(named) = &mark.versions else { return crd.versions.iter().collect() };
        let mut found = Vec::new();
        for name in named {
            match crd.versions.iter().find(|version| version.name == *name) {
                Some(version) => found.push(version),
                None => {
                    let help = did_you_mean(name, crd.versions.iter().map(|version| &*version.name));
                    self.error(line, format!("{} does not have the version `{name}`", mark.crd), help);
                }
            }
        }
        found
    }

    fn put(&mut self, mark: &Mark, crd: &CustomResourceDefinition, version: &Version, steps: &[Step], limit: Limit) {
        let node = steps.iter().try_fold(&version.schema, |node, step| step.below(node)).unwrap_or(&version.schema);
        let line = usize::try_from(limit.line).unwrap_or(1);
        let markers = self.markers(mark, node, limit);
        if let Some(value) = &mark.value {
            let listed = node.enumeration.iter().flatten().filter_map(Value::as_str).collect::<Vec<_>>();
            if !listed.contains(&&**value) {
                let help = did_you_mean(value, listed.iter().copied());
                return self.error(line, format!("the enum at the path does not have the value `{value}`"), help);
            }
        }
        let key = (crd.name.to_string(), version.name.to_string());
        let place = self.places.entry(key).or_default().below(steps, limit.line);
        let is_second = match &mark.value {
            Some(value) => place.values.insert(value.clone(), limit).is_some(),
            None if mark.markers.is_empty() && mark.rule.is_none() => place.limit.replace(limit).is_some(),
            None => {
                place.markers.extend(markers);
                false
            }
        };
        if is_second {
            self.error(line, "another mark is about the same place", "remove one of them");
        }
        if mark.value.is_some() && (mark.rule.is_some() || !mark.markers.is_empty()) {
            self.error(line, "a mark is about a value, or it has a rule or markers", "write a mark for each");
        }
        if matches!(steps.last(), Some(Step::Item | Step::Value)) && place_is_whole(mark) {
            let help = "remove `[*]`, or add the `value`, `rule` or `markers` that the mark is about";
            self.error(line, "the items of a list and the values of a map have no channel of their own", help);
        }
    }

    /// The rule and the markers of a mark.
    fn markers(&mut self, mark: &Mark, node: &Schema, limit: Limit) -> Vec<Marker> {
        let line = usize::try_from(limit.line).unwrap_or(1);
        let mut markers = Vec::new();
        if let Some(rule) = &mark.rule {
            match node.validations.iter().find(|written| written.rule == *rule) {
                Some(written) => markers.push(Marker {
                    channels: limit.channels,
                    items: false,
                    rule: Rule::XValidation(leaked_rule(written)),
                    line: limit.line,
                }),
                None => {
                    let help = did_you_mean(rule, node.validations.iter().map(|written| &*written.rule));
                    self.error(line, format!("the CRD does not have the rule `{rule}` at the path"), help);
                }
            }
        }
        for text in &mark.markers {
            let target = if mark.path.is_some() { Target::Field } else { Target::Resource };
            match parse(text.trim_start_matches('+'), target) {
                Ok(marker) if marker.channel.is_some() && matches!(marker.spec.meaning, Meaning::Rule(_)) => {
                    markers.extend(Marker::read(&marker, limit.line));
                }
                Ok(_) => {
                    let help = "write `+experimental:` or `+standard:` before it; what holds in both is in the CRD";
                    self.error(line, format!("the marker `{text}` is not limited to a channel"), help);
                }
                Err(errors) => errors.into_iter().for_each(|error| self.error(line, error, "see `markers`")),
            }
        }
        markers
    }
}

/// Whether a mark is about a field with everything in it.
fn place_is_whole(mark: &Mark) -> bool {
    mark.value.is_none() && mark.rule.is_none() && mark.markers.is_empty()
}

/// The channels of a mark, and its line.
#[derive(Clone, Copy, Debug)]
struct Limit {
    channels: ChannelSet,
    line: u32,
}

fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(name, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.clone().next().is_none() => String::new(),
        None => format!("there are {}", known.map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")),
    }
}

fn leaked_rule(written: &crd_model::schema::Validation) -> XValidation {
    let text = |text: &Option<crd_model::schema::Text>| text.as_deref().map(leaked::text);
    XValidation {
        field_path: text(&written.field_path),
        message: text(&written.message),
        message_expression: text(&written.message_expression),
        optional_old_self: written.optional_old_self,
        reason: text(&written.reason),
        rule: leaked::text(&written.rule),
    }
}

/// Why a path leads to nothing.
struct Missing {
    message: String,
    help: String,
}

/// The steps of a path in a schema.
fn steps(path: Option<&str>, schema: &Schema) -> Result<Vec<Step>, Missing> {
    let mut steps = Vec::new();
    let Some(path) = path else { return Ok(steps) };
    let mut node = schema;
    for part in parts(path) {
        let step = match part {
            Ok((_, Part::Name(name))) => Step::Field(name.into_owned()),
            Ok((_, Part::Sign(sign))) if sign == "[*]" && node.items.is_some() => Step::Item,
            Ok((_, Part::Sign(sign))) if sign == "[*]" => Step::Value,
            _ => {
                let message = "it is not a path".to_owned();
                return Err(Missing {
                    message,
                    help: "write names with `.` between them, and `[*]` after a list or map".to_owned(),
                });
            }
        };
        node = step.below(node).ok_or_else(|| match &step {
            Step::Field(name) => Missing {
                message: format!("there is no field `{name}`"),
                help: did_you_mean(name, node.properties.keys().map(|name| &**name)),
            },
            Step::Item | Step::Value => Missing {
                message: "`[*]` follows what is not a list or map".to_owned(),
                help: "remove `[*]`".to_owned(),
            },
        })?;
        steps.push(step);
    }
    Ok(steps)
}
