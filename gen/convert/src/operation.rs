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

use crate::canonical;
use crate::path::{Fields, Path, Segment, sample};
use change::Change;
pub(crate) use change::{Act, OCCUPIED};
pub(crate) use form::{Found, Kept, Side};
use functions::Functions;
use keyed::Keyed;
use template::Template;
use values::Values;

/// What a step of a lens does, from the places of the old form to those of the new one.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// The places of the old form.
    pub from: Places,
    /// The places of the new form; may be the same places.
    pub to: Places,
    /// How the values change.
    pub kind: OperationKind,
}

/// The places of one form.
#[derive(Clone, Debug, PartialEq)]
pub enum Places {
    /// The form does not have the field.
    None,
    /// One place.
    One(Path),
    /// A place for each named group of a pattern.
    Groups(BTreeMap<String, Path>),
    /// The places that functions read or write. One of them that is present shows the form.
    Several(Vec<Path>),
}

impl Places {
    /// The paths, in the order of the groups or of the list.
    pub fn paths(&self) -> Vec<&Path> {
        match self {
            Self::None => Vec::new(),
            Self::One(path) => vec![path],
            Self::Groups(paths) => paths.values().collect(),
            Self::Several(paths) => paths.iter().collect(),
        }
    }

    fn paths_mut(&mut self) -> Vec<&mut Path> {
        match self {
            Self::None => Vec::new(),
            Self::One(path) => vec![path],
            Self::Groups(paths) => paths.values_mut().collect(),
            Self::Several(paths) => paths.iter_mut().collect(),
        }
    }
}

/// How the values of an operation change.
#[derive(Clone, Debug, PartialEq)]
pub enum OperationKind {
    /// A field has another name in the same object.
    Rename,
    /// A field is in another object: further up, further down, or elsewhere.
    Move,
    /// A value becomes a list of one. In the same place, the old value must not be a list.
    WrapInList,
    /// A list of one becomes its item.
    UnwrapList,
    /// A value becomes an object with one field. With `from` such as `status.names[*]`, each item of a list does. In the same place, the old
    /// value must not be an object.
    WrapInObject {
        /// The field that contains the value.
        field: String,
    },
    /// An object with one field becomes the value of that field.
    UnwrapObject {
        /// The field that contains the value.
        field: String,
    },
    /// A list of objects becomes a map.
    ListToMap {
        /// The field of an item that becomes its key.
        key: String,
        /// The field of an item that becomes the value; without it, the rest of the item does.
        value: Option<String>,
    },
    /// A map becomes a list of objects, in the order of the keys.
    MapToList {
        /// The field of an item that contains its key.
        key: String,
        /// The field of an item that contains the value; without it, the key is added to the value.
        value: Option<String>,
    },
    /// Strings have other names. Strings that are not listed stay as they are.
    Values {
        /// New strings by old ones.
        values: BTreeMap<String, String>,
        /// The nearest old string for new ones that the old form does not have.
        nearest: BTreeMap<String, String>,
        /// Old strings that become the same new string as another one, which is what backward conversion gives.
        merged: BTreeSet<String>,
    },
    /// An integer in another unit: the old one multiplied by a fraction. It gets another name, because the value alone does not show its unit.
    Scale {
        /// What the old number is multiplied by.
        multiply: u32,
        /// What the result is divided by.
        divide: u32,
    },
    /// A structured string becomes several fields.
    Split(TextForm),
    /// Several fields become a structured string.
    Join(TextForm),
    /// A new required field has this value in objects of the old form.
    Default(Value),
    /// The old form has a field with one possible value; the new form does not have it.
    Constant(Value),
    /// An old field has no new form. Its value is lost.
    Drop {
        /// Why the value has no meaning any longer.
        reason: String,
    },
    /// Two functions convert the item: what the other operations cannot express.
    Code {
        /// The name under which the functions are registered.
        name: String,
    },
}

/// The functions of [`OperationKind::Code`]. They get the innermost object that contains all fields of the step, remove the
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

impl OperationKind {
    /// The name in `conversions.json`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Rename => "rename",
            Self::Move => "move",
            Self::WrapInList => "wrapInList",
            Self::UnwrapList => "unwrapList",
            Self::WrapInObject { .. } => "wrapInObject",
            Self::UnwrapObject { .. } => "unwrapObject",
            Self::ListToMap { .. } => "listToMap",
            Self::MapToList { .. } => "mapToList",
            Self::Values { .. } => "values",
            Self::Scale { .. } => "scale",
            Self::Split(_) => "split",
            Self::Join(_) => "join",
            Self::Default(_) => "default",
            Self::Constant(_) => "constant",
            Self::Drop { .. } => "drop",
            Self::Code { .. } => "code",
        }
    }

    /// Whether the type or the value distinguishes both forms in one place, so that the place may be an item or a map value without a name.
    fn is_recognised_by_value(&self) -> bool {
        matches!(
            self,
            Self::WrapInList
                | Self::UnwrapList
                | Self::WrapInObject { .. }
                | Self::UnwrapObject { .. }
                | Self::ListToMap { .. }
                | Self::MapToList { .. }
                | Self::Values { .. }
        )
    }
}

impl Operation {
    /// The places of the old form.
    #[must_use]
    pub fn reads(&self) -> Vec<&Path> {
        self.from.paths()
    }

    /// The places of the new form.
    #[must_use]
    pub fn writes(&self) -> Vec<&Path> {
        self.to.paths()
    }

    /// All places.
    pub(crate) fn places_mut(&mut self) -> impl Iterator<Item = &mut Path> {
        self.from.paths_mut().into_iter().chain(self.to.paths_mut())
    }

    /// The key of the places of a form in `conversions.json`: an operation on a field that one form does not have has one place.
    pub(crate) fn keys(&self) -> [&'static str; 2] {
        match (&self.from, &self.to) {
            (Places::None, _) | (_, Places::None) => ["path", "path"],
            _ => ["from", "to"],
        }
    }

    /// Where a place of the new form was in the old form. A place that is not below the places of the operation stays.
    #[must_use]
    pub fn before(&self, place: &Path) -> Path {
        let (Places::One(old), Places::One(new)) = (&self.from, &self.to) else { return place.clone() };
        let field = |name: &String| vec![Segment::Field(name.clone())];
        let item = |value: &Option<String>| [Segment::Item].into_iter().chain(value.iter().flat_map(field)).collect();
        let (below_old, below_new) = match &self.kind {
            OperationKind::Rename | OperationKind::Move => (vec![], vec![]),
            OperationKind::WrapInList => (vec![], vec![Segment::Item]),
            OperationKind::UnwrapList => (vec![Segment::Item], vec![]),
            OperationKind::WrapInObject { field: name } => (vec![], field(name)),
            OperationKind::UnwrapObject { field: name } => (field(name), vec![]),
            OperationKind::ListToMap { value, .. } => (item(value), vec![Segment::Value]),
            OperationKind::MapToList { value, .. } => (vec![Segment::Value], item(value)),
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
        match &self.kind {
            OperationKind::Drop { reason } => {
                let [path] = self.reads()[..] else { return None };
                Some(format!("the value of `{path}` ({reason})"))
            }
            OperationKind::ListToMap { .. } => Some("the order of the items".to_owned()),
            OperationKind::Values { merged, .. } if !merged.is_empty() => {
                let merged: Vec<_> = merged.iter().map(|value| format!("`{value}`")).collect();
                Some(format!("that the value was {}", merged.join(" or ")))
            }
            // A default leaves the object around the field, and functions are compared with the whole item.
            OperationKind::Default(_) | OperationKind::Code { .. } => None,
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
        let act = self.act(&scope, registered, &mut invalid);
        match act {
            Some(act) if invalid.is_empty() => Ok((scope, act)),
            _ => Err(invalid),
        }
    }

    /// What the operation does to the items of a scope.
    fn act(&self, scope: &[Segment], registered: Registered<'_>, invalid: &mut Vec<Invalid>) -> Option<Act> {
        let fields = |paths: Vec<&Path>| paths.into_iter().map(|path| path.split().1).collect::<Vec<Fields>>();
        let (old, new) = (fields(self.reads()), fields(self.writes()));
        let field = || old.iter().chain(&new).next().cloned();
        let change = match &self.kind {
            OperationKind::Rename | OperationKind::Move => {
                self.check_names(invalid);
                Change::Same
            }
            OperationKind::WrapInList => Change::ToList,
            OperationKind::UnwrapList => Change::FromList,
            OperationKind::WrapInObject { field } => Change::ToObject(field.clone()),
            OperationKind::UnwrapObject { field } => Change::FromObject(field.clone()),
            OperationKind::ListToMap { key, value } => Change::ToMap(Keyed::new(key, value.as_deref(), invalid)),
            OperationKind::MapToList { key, value } => Change::FromMap(Keyed::new(key, value.as_deref(), invalid)),
            OperationKind::Values { values, nearest, merged } => {
                Change::Values(Values::new(values, nearest, merged, self.is_in_place(), invalid))
            }
            OperationKind::Scale { multiply, divide } => {
                self.check_scale(*multiply, *divide, invalid);
                Change::Scale { multiply: *multiply, divide: *divide }
            }
            OperationKind::Split(text) => Change::Split(Template::new(&self.to, text, invalid)?),
            OperationKind::Join(text) => Change::Join(Template::new(&self.from, text, invalid)?),
            OperationKind::Default(value) => {
                check_depth(value, invalid);
                return Some(Act::Default { field: field()?, value: value.clone() });
            }
            OperationKind::Constant(value) => {
                check_depth(value, invalid);
                return Some(Act::Constant { field: field()?, value: value.clone() });
            }
            OperationKind::Drop { reason } => {
                if reason.trim().is_empty() {
                    invalid.push(Invalid::new(
                        "reason",
                        "a dropped field needs a reason",
                        "write why its value has no meaning any longer",
                    ));
                }
                return Some(Act::Drop { field: field()? });
            }
            OperationKind::Code { name } => {
                return Some(Act::Code(self.functions(name, scope, registered, invalid)));
            }
        };
        Some(Act::Carry { old, new, change })
    }

    fn check_scale(&self, multiply: u32, divide: u32, invalid: &mut Vec<Invalid>) {
        if self.is_in_place() {
            invalid.push(Invalid::new(
                "to",
                "the new number is in the place of the old one, so the unit of a number cannot be recognised",
                "give the new field another name",
            ));
        }
        for (key, number) in [("multiply", multiply), ("divide", divide)] {
            if number == 0 {
                invalid.push(Invalid::new(key, "the factor is 0", "write a positive integer"));
            }
        }
    }

    /// The functions of this name. Where they may be missing, every item that needs them fails.
    fn functions(
        &self,
        name: &str,
        scope: &[Segment],
        registered: Registered<'_>,
        invalid: &mut Vec<Invalid>,
    ) -> Functions {
        let (reads, writes) = (self.reads(), self.writes());
        for (key, places) in [("from", &reads), ("to", &writes)] {
            if places.is_empty() {
                invalid.push(Invalid::new(key, "no place", "write the fields that show this form"));
            }
        }
        if reads == writes {
            invalid.push(Invalid::new(
                "to",
                "both forms have the same places, so they cannot be distinguished",
                "give the new fields other names",
            ));
        }
        let found = registered.codes.iter().find(|code| code.name == name);
        if registered.must_be_complete && found.is_none() {
            let message = format!("the functions `{name}` are not registered");
            invalid.push(Invalid::new(
                "name",
                message,
                "register them with `Conversions::with_code`, or in the catalogue with `Catalogue::functions`",
            ));
        }
        let refuse: fn(&mut Value) -> Result<(), String> =
            |_| Err("this program does not have the functions of the lens".to_owned());
        let code = found.copied().unwrap_or(Code { name: "", forward: refuse, backward: refuse, example: "" });
        Functions::new(scope, self.holder(), (&reads, &writes), code)
    }

    /// The innermost object that contains all places.
    pub fn holder(&self) -> &[Segment] {
        let places = self.reads().into_iter().chain(self.writes());
        let mut around = places.map(|path| path.segments().split_last().map_or(&[][..], |(_, around)| around));
        let first = around.next().unwrap_or_default();
        around.fold(first, |holder, other| {
            let same = holder.iter().zip(other).take_while(|(one, other)| one == other).count();
            holder.get(..same).unwrap_or_default()
        })
    }

    /// Writes what functions get into an object, which gets all fields around it.
    pub fn write_sample(&self, object: &mut Value, value: Value) {
        let holder = sample(object, self.holder());
        match (holder.as_object_mut(), value) {
            (Some(holder), Value::Object(sample)) => holder.extend(sample),
            (None, value) => *holder = value,
            _ => {}
        }
    }

    /// The item that the operation changes: all its paths go through the same lists and maps.
    fn scope(&self, invalid: &mut Vec<Invalid>) -> Vec<Segment> {
        let (reads, writes) = (self.reads(), self.writes());
        let scopes: Vec<_> = reads.iter().chain(&writes).map(|path| path.split().0).collect();
        let is_code = matches!(self.kind, OperationKind::Code { .. });
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
        self.check_places(&reads, &writes, invalid);
        scope.to_vec()
    }

    /// Each value has a place of its own, and a name if the form is recognised by names.
    fn check_places(&self, reads: &[&Path], writes: &[&Path], invalid: &mut Vec<Invalid>) {
        let overlaps = |one: &Path, other: &Path| one.contains(other) || other.contains(one);
        // `spec.a` to `spec.a.b` is recognised by type, with an operation of its own.
        if !self.is_in_place() && reads.iter().any(|old| writes.iter().any(|new| overlaps(old, new))) {
            invalid.push(Invalid::new(
                "to",
                "one place contains the other, so the old and the new form cannot be distinguished",
                "use `wrapInObject` or `unwrapObject`, or give the new field another name",
            ));
        }
        for places in [reads, writes] {
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
        let needs_field = !self.is_in_place() || !self.kind.is_recognised_by_value();
        for (key, places) in self.keys().into_iter().zip([reads, writes]) {
            if needs_field && places.iter().any(|path| path.split().1.is_empty()) {
                invalid.push(Invalid::new(
                    key,
                    "the place is an item of a list or a value of a map, which has no name",
                    "write a field of the item",
                ));
            }
        }
    }

    /// A rename stays in one object, a move does not.
    fn check_names(&self, invalid: &mut Vec<Invalid>) {
        let around = |places: Vec<&Path>| {
            places
                .iter()
                .map(|path| path.segments().split_last().map(|(_, around)| around.to_vec()))
                .collect::<Vec<_>>()
        };
        let (is_rename, is_same) = (around(self.reads()) == around(self.writes()), self.is_in_place());
        match self.kind {
            OperationKind::Rename if !is_rename => {
                invalid.push(Invalid::new("to", "the new name is in another object", "use `move`"));
            }
            OperationKind::Move if is_rename => {
                invalid.push(Invalid::new("to", "the new place is in the same object", "use `rename`"));
            }
            _ if is_same => {
                invalid.push(Invalid::new("to", "the old and the new place are the same", "write the new name"));
            }
            _ => {}
        }
    }
}

fn check_depth(value: &Value, invalid: &mut Vec<Invalid>) {
    if canonical::is_deeper(value, canonical::DEEPEST / 2) {
        invalid.push(Invalid::new("value", "the value has too many levels", "write a value that is less deep"));
    }
}
