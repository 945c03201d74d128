//! Reads a document strictly: every key is known, and every value has its type.

use std::collections::BTreeMap;

use crd_model::BundleVersion;
use serde_json::{Map, Value};

use super::{DocumentError, Removed, SCHEMA_VERSION};
use crate::lens::{Identity, Lens, Step};
use crate::operation::{Operation, OperationKind, Places, TextForm};
use crate::path::Path;

/// What could be read: lenses with their indices in the document.
#[derive(Default)]
pub(super) struct Read {
    pub(super) generator: String,
    pub(super) prefix: String,
    pub(super) lenses: Vec<(usize, Lens)>,
    pub(super) removed: Vec<Removed>,
}

/// The document, as far as it could be read, and all errors.
pub(super) fn document(value: &Value) -> (Read, Vec<DocumentError>) {
    let mut errors = Vec::new();
    let mut read = Read::default();
    if let Some(mut object) = Object::new(value, "$".to_owned(), &mut errors) {
        match object.required("schemaVersion").map(Value::as_u64) {
            Some(Some(SCHEMA_VERSION)) | None => {}
            Some(_) => object.error(
                "schemaVersion",
                format!("the version of the format is not {SCHEMA_VERSION}"),
                "use a release of this library that reads it",
            ),
        }
        read.generator = object.string("generator").unwrap_or_default();
        read.prefix = object.string("prefix").unwrap_or_default();
        if !is_prefix(&read.prefix) {
            object.error(
                "prefix",
                "not a DNS subdomain".to_owned(),
                "write the prefix of annotations, such as `gateway.networking.k8s.io`",
            );
        }
        let lenses = object.list("lenses");
        let removed = if object.optional("removed").is_some() { object.list("removed") } else { None };
        object.end();
        for (index, value) in lenses.unwrap_or_default().iter().enumerate() {
            let mut own = Vec::new();
            let lens = lens(value, format!("$.lenses[{index}]"), &mut own).filter(|_| own.is_empty());
            read.lenses.extend(lens.map(|lens| (index, lens)));
            errors.append(&mut own);
        }
        for (index, value) in removed.unwrap_or_default().iter().enumerate() {
            read.removed.extend(self::removed(value, format!("$.removed[{index}]"), &mut errors));
        }
    }
    (read, errors)
}

/// A DNS subdomain, as in the names of annotations.
fn is_prefix(text: &str) -> bool {
    let is_inner = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_label = |label: &str| {
        let (first, last) = (label.bytes().next(), label.bytes().next_back());
        first.is_some_and(is_inner)
            && last.is_some_and(is_inner)
            && label.bytes().all(|byte| is_inner(byte) || byte == b'-')
    };
    text.len() <= 253 && text.split('.').all(is_label)
}

fn removed(value: &Value, path: String, errors: &mut Vec<DocumentError>) -> Option<Removed> {
    let mut object = Object::new(value, path, errors)?;
    let (group, kind) = (object.string("group"), object.name("kind"));
    let (since, reason) = (object.bundle("since"), object.name("reason"));
    let path = if object.optional("path").is_some() { object.path("path").map(Some) } else { Some(None) };
    let [version, value] = ["version", "value"].map(|key| match object.optional(key) {
        None => Some(None),
        Some(_) => object.string(key).map(Some),
    });
    if matches!((&path, &value), (Some(None), Some(Some(_)))) {
        object.error("value", "a value without a field".to_owned(), "write the field that had the value in `path`");
    }
    object.end();
    let (path, value, version) = (path?, value?, version?);
    Some(Removed { group: group?, kind: kind?, version, path, value, since: since?, reason: reason? })
}

/// A lens, as far as it could be read.
pub(super) fn lens(value: &Value, path: String, errors: &mut Vec<DocumentError>) -> Option<Lens> {
    let mut object = Object::new(value, path.clone(), errors)?;
    let name = object.name("name");
    let resource = object.name("resource");
    if resource.as_ref().is_some_and(|resource| !resource.contains('.')) {
        object.error("resource", "not the name of a CRD".to_owned(), "write `PLURAL.GROUP`");
    }
    let (group, kind) = (object.string("group"), object.name("kind"));
    let since = object.bundle("since");
    let is_merged = object.flag("merged");
    let identities = ["from", "to"].map(|key| object.optional(key));
    let identity = match identities {
        [None, None] => None,
        [Some(from), Some(to)] => Some((from, to)),
        [from, _] => {
            let (missing, present) = if from.is_some() { ("to", "from") } else { ("from", "to") };
            object.error(missing, format!("missing, and `{present}` is present"), "write both identities, or neither");
            None
        }
    };
    let steps = object.list("steps");
    object.end();
    let identity = identity.map(|(from, to)| {
        let [from, to] =
            [("from", from), ("to", to)].map(|(key, value)| self::identity(value, format!("{path}.{key}"), errors));
        from.zip(to)
    });
    let steps = steps.unwrap_or_default().iter().enumerate();
    let steps: Vec<Option<Step>> =
        steps.map(|(index, value)| step(value, format!("{path}.steps[{index}]"), errors)).collect();
    Some(Lens {
        name: name?,
        resource: resource?,
        group: group?,
        kind: kind?,
        since: since?,
        identity: identity.flatten(),
        is_merged: is_merged?,
        steps: steps.into_iter().collect::<Option<_>>()?,
    })
}

fn identity(value: &Value, path: String, errors: &mut Vec<DocumentError>) -> Option<Identity> {
    let mut object = Object::new(value, path, errors)?;
    let (api_version, kind) = (object.name("apiVersion"), object.name("kind"));
    object.end();
    Some(Identity { api_version: api_version?, kind: kind? })
}

pub(super) fn step(value: &Value, path: String, errors: &mut Vec<DocumentError>) -> Option<Step> {
    let mut object = Object::new(value, path, errors)?;
    let name = object.string("operation")?;
    let operation = operation(&name, &mut object);
    let (keys, keeps) = (object.keys(), object.flag("keeps"));
    object.end();
    Some(Step { operation: operation?, keys: keys?, keeps: keeps? })
}

/// Where the places of a form are written.
#[derive(Clone, Copy)]
enum Shape {
    /// The form does not have the field.
    None,
    /// Under `path`, because the other form does not have the field.
    Path,
    One,
    /// By the named groups of the pattern.
    Groups,
    List,
}

/// Every operation, with the shapes of its places in the old and in the new form.
const OPERATIONS: [(&str, Shape, Shape); 16] = [
    ("rename", Shape::One, Shape::One),
    ("move", Shape::One, Shape::One),
    ("wrapInList", Shape::One, Shape::One),
    ("unwrapList", Shape::One, Shape::One),
    ("wrapInObject", Shape::One, Shape::One),
    ("unwrapObject", Shape::One, Shape::One),
    ("listToMap", Shape::One, Shape::One),
    ("mapToList", Shape::One, Shape::One),
    ("values", Shape::One, Shape::One),
    ("scale", Shape::One, Shape::One),
    ("split", Shape::One, Shape::Groups),
    ("join", Shape::Groups, Shape::One),
    ("default", Shape::None, Shape::Path),
    ("constant", Shape::Path, Shape::None),
    ("drop", Shape::Path, Shape::None),
    ("code", Shape::List, Shape::List),
];

/// All keys are read before the first missing one ends the function, so that all errors are reported together.
fn operation(name: &str, object: &mut Object<'_, '_>) -> Option<Operation> {
    let Some((_, old, new)) = OPERATIONS.iter().find(|(known, ..)| *known == name) else {
        let names = OPERATIONS.map(|(name, ..)| name).join(", ");
        object.error("operation", format!("unknown operation `{name}`"), &format!("the operations are {names}"));
        object.ignore_the_rest();
        return None;
    };
    let (from, to) = (object.places("from", *old), object.places("to", *new));
    let kind = operation_kind(name, object);
    Some(Operation { from: from?, to: to?, kind: kind? })
}

fn operation_kind(name: &str, object: &mut Object<'_, '_>) -> Option<OperationKind> {
    Some(match name {
        "rename" => OperationKind::Rename,
        "move" => OperationKind::Move,
        "wrapInList" => OperationKind::WrapInList,
        "unwrapList" => OperationKind::UnwrapList,
        "wrapInObject" => OperationKind::WrapInObject { field: object.name("field")? },
        "unwrapObject" => OperationKind::UnwrapObject { field: object.name("field")? },
        "listToMap" | "mapToList" => {
            let key = object.name("key");
            let value = match object.optional("value") {
                None => Some(None),
                Some(_) => object.name("value").map(Some),
            };
            let (key, value) = (key?, value?);
            match name {
                "listToMap" => OperationKind::ListToMap { key, value },
                _ => OperationKind::MapToList { key, value },
            }
        }
        "values" => {
            let values = object.names("values");
            let nearest =
                if object.optional("nearest").is_some() { object.names("nearest") } else { Some(BTreeMap::new()) };
            let merged = object.strings("merged").map(|merged| merged.into_iter().collect());
            OperationKind::Values { values: values?, nearest: nearest?, merged: merged? }
        }
        "scale" => {
            let (multiply, divide) = (object.integer("multiply"), object.integer("divide"));
            OperationKind::Scale { multiply: multiply?, divide: divide? }
        }
        "split" => OperationKind::Split(object.text_form()?),
        "join" => OperationKind::Join(object.text_form()?),
        "default" => OperationKind::Default(object.required("value").cloned()?),
        "constant" => OperationKind::Constant(object.required("value").cloned()?),
        "drop" => OperationKind::Drop { reason: object.string("reason")? },
        "code" => OperationKind::Code { name: object.name("name")? },
        _ => return None,
    })
}

/// An object of the document, of which every key must be read.
struct Object<'v, 'e> {
    map: &'v Map<String, Value>,
    path: String,
    errors: &'e mut Vec<DocumentError>,
    read: Vec<&'static str>,
    ignores_rest: bool,
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl<'v, 'e> Object<'v, 'e> {
    fn new(value: &'v Value, path: String, errors: &'e mut Vec<DocumentError>) -> Option<Self> {
        match value.as_object() {
            Some(map) => Some(Self { map, path, errors, read: Vec::new(), ignores_rest: false }),
            None => {
                errors.push(DocumentError::new(
                    path,
                    format!("{} instead of an object", kind(value)),
                    "write an object",
                ));
                None
            }
        }
    }

    fn error(&mut self, key: &str, message: String, help: &str) {
        self.errors.push(DocumentError::new(format!("{}.{key}", self.path), message, help));
    }

    /// Reports the keys that were not read.
    fn end(self) {
        let unknown = self.map.keys().filter(|key| !self.ignores_rest && !self.read.contains(&key.as_str()));
        for key in unknown {
            let path = format!("{}.{key}", self.path);
            let help = format!("remove it; the keys here are {}", self.read.join(", "));
            self.errors.push(DocumentError::new(path, format!("unknown key `{key}`"), help));
        }
    }

    fn ignore_the_rest(&mut self) {
        self.ignores_rest = true;
    }

    fn optional(&mut self, key: &'static str) -> Option<&'v Value> {
        if !self.read.contains(&key) {
            self.read.push(key);
        }
        self.map.get(key)
    }

    fn required(&mut self, key: &'static str) -> Option<&'v Value> {
        let value = self.optional(key);
        if value.is_none() {
            self.error(key, "missing".to_owned(), &format!("add `{key}`"));
        }
        value
    }

    fn wrong(&mut self, key: &str, value: &Value, expected: &str) {
        self.error(key, format!("{} instead of {expected}", kind(value)), &format!("write {expected}"));
    }

    fn string(&mut self, key: &'static str) -> Option<String> {
        let value = self.required(key)?;
        if !value.is_string() {
            self.wrong(key, value, "a string");
        }
        value.as_str().map(str::to_owned)
    }

    /// A string that is not empty.
    fn name(&mut self, key: &'static str) -> Option<String> {
        let name = self.string(key)?;
        if name.is_empty() {
            self.error(key, "an empty string".to_owned(), "write a name");
        }
        Some(name).filter(|name| !name.is_empty())
    }

    fn list(&mut self, key: &'static str) -> Option<&'v [Value]> {
        let value = self.required(key)?;
        if !value.is_array() {
            self.wrong(key, value, "a list");
        }
        value.as_array().map(Vec::as_slice)
    }

    fn integer(&mut self, key: &'static str) -> Option<u32> {
        let value = self.required(key)?;
        let number = value.as_u64().and_then(|number| u32::try_from(number).ok());
        if number.is_none() {
            self.wrong(key, value, "an integer from 1 to 4294967295");
        }
        number
    }

    fn parse(&mut self, key: &str, text: &str) -> Option<Path> {
        let path = text.parse();
        path.map_err(|error: crate::path::PathError| {
            self.error(key, format!("`{text}` is not a path: {error}"), error.help)
        })
        .ok()
    }

    fn path(&mut self, key: &'static str) -> Option<Path> {
        let text = self.string(key)?;
        self.parse(key, &text)
    }

    /// Strings by names.
    fn names(&mut self, key: &'static str) -> Option<BTreeMap<String, String>> {
        let value = self.required(key)?;
        let Some(map) = value.as_object() else {
            self.wrong(key, value, "an object");
            return None;
        };
        let mut names = BTreeMap::new();
        for (name, value) in map {
            match value.as_str() {
                Some(text) => names.extend([(name.clone(), text.to_owned())]),
                None => self.wrong(&format!("{key}.{name}"), value, "a string"),
            }
        }
        (names.len() == map.len()).then_some(names)
    }

    fn paths(&mut self, key: &'static str) -> Option<BTreeMap<String, Path>> {
        let names = self.names(key)?;
        if names.is_empty() {
            self.error(key, "an empty object".to_owned(), "write a path for each group of the pattern");
        }
        let paths =
            names.iter().map(|(name, text)| (name, self.parse(&format!("{key}.{name}"), text))).collect::<Vec<_>>();
        let paths: Option<BTreeMap<_, _>> = paths.into_iter().map(|(name, path)| Some((name.clone(), path?))).collect();
        paths.filter(|paths| !paths.is_empty())
    }

    /// Strings; none if the key is absent.
    fn strings(&mut self, key: &'static str) -> Option<Vec<String>> {
        match self.optional(key) {
            None => Some(Vec::new()),
            Some(value) => self.strings_of(key, value),
        }
    }

    fn strings_of(&mut self, key: &str, value: &Value) -> Option<Vec<String>> {
        let Some(items) = value.as_array() else {
            self.wrong(key, value, "a list of strings");
            return None;
        };
        let mut texts = Vec::new();
        for (index, item) in items.iter().enumerate() {
            match item.as_str() {
                Some(text) => texts.push(text.to_owned()),
                None => self.wrong(&format!("{key}[{index}]"), item, "a string"),
            }
        }
        (texts.len() == items.len()).then_some(texts)
    }

    /// The places of a form, under this key if the other form has places too.
    fn places(&mut self, key: &'static str, shape: Shape) -> Option<Places> {
        Some(match shape {
            Shape::None => Places::None,
            Shape::Path => Places::One(self.path("path")?),
            Shape::One => Places::One(self.path(key)?),
            Shape::Groups => Places::Groups(self.paths(key)?),
            Shape::List => {
                let value = self.required(key)?;
                let texts = self.strings_of(key, value)?;
                let paths: Vec<_> = texts.iter().map(|text| self.parse(key, text)).collect();
                Places::Several(paths.into_iter().collect::<Option<_>>()?)
            }
        })
    }

    fn text_form(&mut self) -> Option<TextForm> {
        let (pattern, template, integers) = (self.string("pattern"), self.string("template"), self.strings("integers"));
        Some(TextForm { pattern: pattern?, template: template?, integers: integers? })
    }

    /// False if the key is absent.
    fn flag(&mut self, key: &'static str) -> Option<bool> {
        let Some(value) = self.optional(key) else { return Some(false) };
        if !value.is_boolean() {
            self.wrong(key, value, "a boolean");
        }
        value.as_bool()
    }

    fn bundle(&mut self, key: &'static str) -> Option<BundleVersion> {
        let text = self.string(key)?;
        BundleVersion::parse_release(&text)
            .map_err(|error| {
                self.error(
                    key,
                    format!("{error}"),
                    "write the first bundle with the new form, or without the old name",
                );
            })
            .ok()
    }

    fn keys(&mut self) -> Option<BTreeMap<Path, Vec<String>>> {
        let Some(value) = self.optional("keys") else { return Some(BTreeMap::new()) };
        let Some(map) = value.as_object() else {
            self.wrong("keys", value, "an object");
            return None;
        };
        let mut keys = BTreeMap::new();
        for (path, fields) in map {
            let at = format!("keys[{}]", Value::from(path.as_str()));
            let (path, fields) = (self.parse(&at, path), self.strings_of(&at, fields));
            keys.extend(path.zip(fields));
        }
        (keys.len() == map.len()).then_some(keys)
    }
}
