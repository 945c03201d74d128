//! The closed set of operations. Each reads one form of an object and writes the other; `forward` is old to new, `backward` new to old.
//!
//! Invariants:
//! * An operation recognises the old and the new form from the object alone: by the names that are present, or by the type or the value in one
//!   place.
//! * Forward fails where the value would not return with `backward`, except for what [`Operation::loses`] names.
//! * An operation that fails leaves the item as it is.

mod change;
mod form;
mod functions;
mod keyed;
mod presence;
mod scale;
mod template;
mod values;
mod words;
mod wrap;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::path::{Fields, Path, Segment};
pub(crate) use change::Act;
use change::Change;
pub(crate) use form::{Found, Kept, Side};
use functions::Functions;
use keyed::Keyed;
use template::Template;
use values::Values;
pub(crate) use words::TEXT;

/// What a step of a lens does. The fields `from` are the old form, `to` the new one.
#[derive(Clone, Debug, PartialEq)]
pub enum Operation {
    /// A field has another name in the same object.
    Rename {
        /// The old field.
        from: Path,
        /// The new field.
        to: Path,
    },
    /// A field is in another object: further up, further down, or elsewhere.
    Move {
        /// The old field.
        from: Path,
        /// The new field.
        to: Path,
    },
    /// A value becomes a list of one. In the same place, the old value must not be a list.
    WrapInList {
        /// The old value.
        from: Path,
        /// The list; may be the same place.
        to: Path,
    },
    /// A list of one becomes its item.
    UnwrapList {
        /// The old list.
        from: Path,
        /// The value; may be the same place.
        to: Path,
    },
    /// A value becomes an object with one field. With `from` such as `status.names[*]`, each item of a list does. In the same place, the old
    /// value must not be an object.
    WrapInObject {
        /// The old value.
        from: Path,
        /// The object; may be the same place.
        to: Path,
        /// The field that contains the value.
        field: String,
    },
    /// An object with one field becomes the value of that field.
    UnwrapObject {
        /// The old object.
        from: Path,
        /// The value; may be the same place.
        to: Path,
        /// The field that contains the value.
        field: String,
    },
    /// A list of objects becomes a map.
    ListToMap {
        /// The old list.
        from: Path,
        /// The map; may be the same place.
        to: Path,
        /// The field of an item that becomes its key.
        key: String,
        /// The field of an item that becomes the value; without it, the rest of the item does.
        value: Option<String>,
    },
    /// A map becomes a list of objects, in the order of the keys.
    MapToList {
        /// The old map.
        from: Path,
        /// The list; may be the same place.
        to: Path,
        /// The field of an item that contains its key.
        key: String,
        /// The field of an item that contains the value; without it, the key is added to the value.
        value: Option<String>,
    },
    /// Strings have other names. Strings that are not listed stay as they are.
    Values {
        /// The old string.
        from: Path,
        /// The new string; may be the same place.
        to: Path,
        /// New strings by old ones.
        values: BTreeMap<String, String>,
        /// The nearest old string for new ones that the old form does not have.
        nearest: BTreeMap<String, String>,
        /// Old strings that become the same new string as another one, which is what backward conversion gives.
        merged: BTreeSet<String>,
    },
    /// An integer in another unit: the old one multiplied by a fraction.
    Scale {
        /// The old number.
        from: Path,
        /// The new number, under another name: the value alone does not show its unit.
        to: Path,
        /// What the old number is multiplied by.
        multiply: u32,
        /// What the result is divided by.
        divide: u32,
    },
    /// A structured string becomes several fields.
    Split {
        /// The old string.
        from: Path,
        /// The new fields by the named groups of the pattern.
        to: BTreeMap<String, Path>,
        /// The form of the string.
        text: TextForm,
    },
    /// Several fields become a structured string.
    Join {
        /// The old fields by the named groups of the pattern.
        from: BTreeMap<String, Path>,
        /// The new string.
        to: Path,
        /// The form of the string.
        text: TextForm,
    },
    /// A new required field has this value in objects of the old form.
    Default {
        /// The new field.
        path: Path,
        /// The value that the old form implies.
        value: Value,
    },
    /// The old form has a field with one possible value; the new form does not have it.
    Constant {
        /// The old field.
        path: Path,
        /// The one value.
        value: Value,
    },
    /// An old field has no new form. Its value is lost.
    Drop {
        /// The old field.
        path: Path,
        /// Why the value has no meaning any longer.
        reason: String,
    },
    /// Two functions convert the item: what the other operations cannot express.
    Code {
        /// The name under which the functions are registered.
        name: String,
        /// The old fields. One of them that is present shows the old form.
        from: Vec<Path>,
        /// The new fields.
        to: Vec<Path>,
    },
}

/// The functions of [`Operation::Code`]. They get the object, or the list item or map value, that contains all fields of the step, remove the
/// fields of one form, write those of the other, and leave all other fields. They must not panic.
///
/// Old fields can be in lists and maps of what the functions get. What backward conversion could not express then returns only if these lists and
/// maps are unchanged.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    /// The name in the data.
    pub name: &'static str,
    /// Old to new.
    pub forward: fn(&mut Value) -> Result<(), String>,
    /// New to old.
    pub backward: fn(&mut Value) -> Result<(), String>,
    /// What the functions get, in the old form, as JSON: the example of the documentation. An object needs only the fields that show the conversion.
    pub example: &'static str,
}

/// The functions that a program has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Registered<'c> {
    pub(crate) codes: &'c [Code],
    /// Whether a missing function is an error. Otherwise, an object that needs it fails.
    pub(crate) must_be_complete: bool,
}

/// How the reason begins if a function of [`Code`] refuses an item.
pub(crate) const REFUSAL: &str = "the functions refuse the item";

/// A structured string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextForm {
    /// A pattern of RE2 with a named group for each field.
    pub pattern: String,
    /// The string with `{GROUP}` for each field; `{{` and `}}` are braces.
    pub template: String,
    /// The groups whose fields are integers.
    pub integers: Vec<String>,
}

/// What is wrong in an operation: the key, and the diagnostic about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Invalid {
    /// The key of the operation in `conversions.json`.
    pub(crate) key: &'static str,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Invalid {
    pub(crate) fn new(key: &'static str, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { key, message: message.into(), help: help.into() }
    }
}

/// The lists and maps that contain all places, from those that contain each.
fn common<'p>(scopes: &[&'p [Segment]]) -> &'p [Segment] {
    let first = scopes.first().copied().unwrap_or_default();
    let is_common = |length: &usize| {
        let scope = first.get(..*length);
        let is_list = scope.and_then(<[_]>::last).is_none_or(|last| !matches!(last, Segment::Field(_)));
        is_list && scope.is_some_and(|scope| scopes.iter().all(|other| other.starts_with(scope)))
    };
    let length = (0..=first.len()).rev().find(is_common).unwrap_or_default();
    first.get(..length).unwrap_or_default()
}

impl Operation {
    /// The name in `conversions.json`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rename { .. } => "rename",
            Self::Move { .. } => "move",
            Self::WrapInList { .. } => "wrapInList",
            Self::UnwrapList { .. } => "unwrapList",
            Self::WrapInObject { .. } => "wrapInObject",
            Self::UnwrapObject { .. } => "unwrapObject",
            Self::ListToMap { .. } => "listToMap",
            Self::MapToList { .. } => "mapToList",
            Self::Values { .. } => "values",
            Self::Scale { .. } => "scale",
            Self::Split { .. } => "split",
            Self::Join { .. } => "join",
            Self::Default { .. } => "default",
            Self::Constant { .. } => "constant",
            Self::Drop { .. } => "drop",
            Self::Code { .. } => "code",
        }
    }

    /// The places of the old form.
    #[must_use]
    pub fn reads(&self) -> Vec<&Path> {
        match self {
            Self::Join { from, .. } => from.values().collect(),
            Self::Code { from, .. } => from.iter().collect(),
            Self::Default { .. } => Vec::new(),
            Self::Constant { path, .. } | Self::Drop { path, .. } => vec![path],
            Self::Rename { from, .. }
            | Self::Move { from, .. }
            | Self::WrapInList { from, .. }
            | Self::UnwrapList { from, .. }
            | Self::WrapInObject { from, .. }
            | Self::UnwrapObject { from, .. }
            | Self::ListToMap { from, .. }
            | Self::MapToList { from, .. }
            | Self::Values { from, .. }
            | Self::Scale { from, .. }
            | Self::Split { from, .. } => vec![from],
        }
    }

    /// The places of the new form.
    #[must_use]
    pub fn writes(&self) -> Vec<&Path> {
        match self {
            Self::Split { to, .. } => to.values().collect(),
            Self::Code { to, .. } => to.iter().collect(),
            Self::Default { path, .. } => vec![path],
            Self::Constant { .. } | Self::Drop { .. } => Vec::new(),
            Self::Rename { to, .. }
            | Self::Move { to, .. }
            | Self::WrapInList { to, .. }
            | Self::UnwrapList { to, .. }
            | Self::WrapInObject { to, .. }
            | Self::UnwrapObject { to, .. }
            | Self::ListToMap { to, .. }
            | Self::MapToList { to, .. }
            | Self::Values { to, .. }
            | Self::Scale { to, .. }
            | Self::Join { to, .. } => vec![to],
        }
    }

    /// All places.
    pub(crate) fn places_mut(&mut self) -> Vec<&mut Path> {
        match self {
            Self::Rename { from, to }
            | Self::Move { from, to }
            | Self::WrapInList { from, to }
            | Self::UnwrapList { from, to }
            | Self::WrapInObject { from, to, .. }
            | Self::UnwrapObject { from, to, .. }
            | Self::ListToMap { from, to, .. }
            | Self::MapToList { from, to, .. }
            | Self::Values { from, to, .. }
            | Self::Scale { from, to, .. } => vec![from, to],
            Self::Split { from, to, .. } => std::iter::once(from).chain(to.values_mut()).collect(),
            Self::Join { from, to, .. } => from.values_mut().chain([to]).collect(),
            Self::Default { path, .. } | Self::Constant { path, .. } | Self::Drop { path, .. } => vec![path],
            Self::Code { from, to, .. } => from.iter_mut().chain(to).collect(),
        }
    }

    /// Where a place of the new form was in the old form. A place that is not below the places of the operation stays.
    #[must_use]
    pub fn before(&self, place: &Path) -> Path {
        let field = |name: &String| vec![Segment::Field(name.clone())];
        let (items, entries) = (|| vec![Segment::Items], || vec![Segment::Values]);
        let (new, below_new, old, below_old) = match self {
            Self::Rename { from, to } | Self::Move { from, to } => (to, vec![], from, vec![]),
            Self::WrapInList { from, to } => (to, items(), from, vec![]),
            Self::UnwrapList { from, to } => (to, vec![], from, items()),
            Self::WrapInObject { from, to, field: name } => (to, field(name), from, vec![]),
            Self::UnwrapObject { from, to, field: name } => (to, vec![], from, field(name)),
            Self::ListToMap { from, to, value, .. } => {
                (to, entries(), from, items().into_iter().chain(value.iter().flat_map(field)).collect())
            }
            Self::MapToList { from, to, value, .. } => {
                (to, items().into_iter().chain(value.iter().flat_map(field)).collect(), from, entries())
            }
            _ => return place.clone(),
        };
        let below = place.segments().strip_prefix(new.segments()).and_then(|rest| rest.strip_prefix(&*below_new));
        match below {
            Some(rest) => Path::of(old.segments().iter().chain(&below_old).chain(rest).cloned().collect()),
            None => place.clone(),
        }
    }

    /// Whether both forms are in one place, so that their type or value distinguishes them.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        let reads = self.reads();
        !reads.is_empty() && reads == self.writes()
    }

    /// What forward conversion loses. What backward conversion cannot express is in the conversion data instead.
    #[must_use]
    pub fn loses(&self) -> Option<String> {
        match self {
            Self::Drop { path, reason } => Some(format!("the value of `{path}` ({reason})")),
            Self::ListToMap { .. } => Some("the order of the items".to_owned()),
            Self::Values { merged, .. } if !merged.is_empty() => {
                let merged: Vec<_> = merged.iter().map(|value| format!("`{value}`")).collect();
                Some(format!("that the value was {}", merged.join(" or ")))
            }
            // A default leaves the object around the field, and functions are compared with the whole item.
            Self::Default { .. } | Self::Code { .. } => None,
            _ => {
                let around =
                    |path: &Path| path.segments().split_last().map_or(Vec::new(), |(_, around)| around.to_vec());
                let has_old = |around: &[Segment]| self.reads().iter().any(|old| old.segments().starts_with(around));
                let may_be_empty = self.writes().into_iter().any(|new| !has_old(&around(new)));
                may_be_empty.then(|| "an empty object around the new field".to_owned())
            }
        }
    }

    /// Prepares the operation, or reports all that is wrong in it.
    pub(crate) fn prepare(&self, registered: Registered<'_>) -> Result<(Vec<Segment>, Act), Vec<Invalid>> {
        let mut invalid = Vec::new();
        let scope = self.scope(&mut invalid);
        let change = match self {
            Self::Rename { .. } | Self::Move { .. } => {
                self.check_names(&mut invalid);
                Some(Change::Same)
            }
            Self::WrapInList { .. } => Some(Change::ToList),
            Self::UnwrapList { .. } => Some(Change::FromList),
            Self::WrapInObject { field, .. } => Some(Change::ToObject(field.clone())),
            Self::UnwrapObject { field, .. } => Some(Change::FromObject(field.clone())),
            Self::ListToMap { key, value, .. } => Some(Change::ToMap(Keyed::new(key, value.as_deref(), &mut invalid))),
            Self::MapToList { key, value, .. } => {
                Some(Change::FromMap(Keyed::new(key, value.as_deref(), &mut invalid)))
            }
            Self::Values { values, nearest, merged, .. } => {
                Some(Change::Values(Values::new(values, nearest, merged, self.is_in_place(), &mut invalid)))
            }
            Self::Scale { multiply, divide, .. } => {
                if self.is_in_place() {
                    invalid.push(Invalid::new(
                        "to",
                        "the new number is in the place of the old one, so the unit of a number cannot be recognised",
                        "give the new field another name",
                    ));
                }
                for (key, number) in [("multiply", multiply), ("divide", divide)] {
                    if *number == 0 {
                        invalid.push(Invalid::new(key, "the factor is 0", "write a positive integer"));
                    }
                }
                Some(Change::Scale { multiply: *multiply, divide: *divide })
            }
            Self::Split { to: parts, text, .. } => Template::new(parts, text, &mut invalid).map(Change::Split),
            Self::Join { from: parts, text, .. } => Template::new(parts, text, &mut invalid).map(Change::Join),
            Self::Default { .. } | Self::Constant { .. } | Self::Drop { .. } | Self::Code { .. } => None,
        };
        if let Self::Code { name, from, to } = self {
            for (key, places) in [("from", from), ("to", to)] {
                if places.is_empty() {
                    invalid.push(Invalid::new(key, "no place", "write the fields that show this form"));
                }
            }
            if from == to {
                invalid.push(Invalid::new(
                    "to",
                    "both forms have the same places, so they cannot be distinguished",
                    "give the new fields other names",
                ));
            }
            if registered.must_be_complete && !registered.codes.iter().any(|code| code.name == name) {
                let message = format!("the functions `{name}` are not registered");
                invalid.push(Invalid::new(
                    "name",
                    message,
                    "register them with `Conversions::with_code`, or in the catalogue with `Catalogue::functions`",
                ));
            }
        }
        if let Self::Drop { reason, .. } = self
            && reason.trim().is_empty()
        {
            invalid.push(Invalid::new(
                "reason",
                "a dropped field needs a reason",
                "write why its value has no meaning any longer",
            ));
        }
        if let Self::Default { value, .. } | Self::Constant { value, .. } = self
            && crate::canonical::is_deeper(value, crate::canonical::DEEPEST / 2)
        {
            invalid.push(Invalid::new("value", "the value has too many levels", "write a value that is less deep"));
        }
        let fields = |paths: Vec<&Path>| paths.into_iter().map(|path| path.split().1).collect::<Vec<Fields>>();
        let act = match (self, change) {
            (Self::Default { path, value }, _) => Some(Act::Default { field: path.split().1, value: value.clone() }),
            (Self::Constant { path, value }, _) => Some(Act::Constant { field: path.split().1, value: value.clone() }),
            (Self::Drop { path, .. }, _) => Some(Act::Drop { field: path.split().1 }),
            (Self::Code { name, from, to }, _) => {
                let registered = registered.codes.iter().find(|code| code.name == name);
                let refuse: fn(&mut Value) -> Result<(), String> =
                    |_| Err("this program does not have the functions of the lens".to_owned());
                let code = Code { name: "", forward: refuse, backward: refuse, example: "" };
                Some(Act::Code(Functions::new(&scope, from, to, *registered.unwrap_or(&code))))
            }
            (_, Some(change)) => Some(Act::Carry { old: fields(self.reads()), new: fields(self.writes()), change }),
            (_, None) => None,
        };
        match act {
            Some(act) if invalid.is_empty() => Ok((scope, act)),
            _ => Err(invalid),
        }
    }

    /// The lists and maps that contain all places.
    pub(crate) fn item(&self) -> &[Segment] {
        let places: Vec<&Path> = self.reads().into_iter().chain(self.writes()).collect();
        common(&places.iter().map(|path| path.split().0).collect::<Vec<_>>())
    }

    /// The item that the operation changes: all its paths go through the same lists and maps.
    fn scope(&self, invalid: &mut Vec<Invalid>) -> Vec<Segment> {
        let (reads, writes) = (self.reads(), self.writes());
        let scopes: Vec<_> = reads.iter().chain(&writes).map(|path| path.split().0).collect();
        let is_code = matches!(self, Self::Code { .. });
        let scope = if is_code { common(&scopes) } else { scopes.first().copied().unwrap_or_default() };
        if is_code && writes.iter().any(|new| new.split().0 != scope) {
            invalid.push(Invalid::new(
                "to",
                "the new place is in a list or map that does not contain all old places",
                "use new places outside of it: functions get what contains all places",
            ));
        }
        if !is_code && scopes.iter().any(|other| *other != scope) {
            invalid.push(Invalid::new(
                "to",
                "the old and the new place are in different lists or maps",
                "use paths with the same `[*]` and `{*}`: a value can move within one item only",
            ));
        }
        let is_carried = !reads.is_empty() && !writes.is_empty();
        let overlaps = |one: &Path, other: &Path| one.contains(other) || other.contains(one);
        if is_carried && !self.is_in_place() {
            // `spec.a` to `spec.a.b` is recognised by type, with an operation of its own.
            if reads.iter().any(|old| writes.iter().any(|new| overlaps(old, new))) {
                invalid.push(Invalid::new(
                    "to",
                    "one place contains the other, so the old and the new form cannot be distinguished",
                    "use `wrapInObject` or `unwrapObject`, or give the new field another name",
                ));
            }
        }
        for places in [&reads, &writes] {
            let pairs = places
                .iter()
                .enumerate()
                .flat_map(|(at, one)| places.iter().skip(at + 1).map(move |other| (one, other)));
            if let Some((one, _)) = pairs.into_iter().find(|(one, other)| overlaps(one, other)) {
                invalid.push(Invalid::new(
                    if places.len() == reads.len() { "from" } else { "to" },
                    format!("two places are or contain `{one}`"),
                    "give each value a field of its own",
                ));
            }
        }
        let needs_field = !matches!(
            self,
            Self::WrapInList { .. }
                | Self::UnwrapList { .. }
                | Self::WrapInObject { .. }
                | Self::UnwrapObject { .. }
                | Self::ListToMap { .. }
                | Self::MapToList { .. }
                | Self::Values { .. }
        );
        for (key, places) in [("from", &reads), ("to", &writes)] {
            if (needs_field || !self.is_in_place()) && places.iter().any(|path| path.split().1.is_empty()) {
                let key = if matches!(self, Self::Default { .. } | Self::Constant { .. } | Self::Drop { .. }) {
                    "path"
                } else {
                    key
                };
                invalid.push(Invalid::new(
                    key,
                    "the place is an item of a list or a value of a map, which has no name",
                    "write a field of the item",
                ));
            }
        }
        scope.to_vec()
    }

    /// A rename stays in one object, a move does not.
    fn check_names(&self, invalid: &mut Vec<Invalid>) {
        let (Self::Rename { from, to } | Self::Move { from, to }) = self else { return };
        let around = |path: &Path| path.segments().split_last().map(|(_, around)| around.to_vec());
        let is_rename = around(from) == around(to);
        match self {
            Self::Rename { .. } if !is_rename => {
                invalid.push(Invalid::new("to", "the new name is in another object", "use `move`"));
            }
            Self::Move { .. } if is_rename => {
                invalid.push(Invalid::new("to", "the new place is in the same object", "use `rename`"));
            }
            _ if from == to => {
                invalid.push(Invalid::new("to", "the old and the new place are the same", "write the new name"));
            }
            _ => {}
        }
    }
}
