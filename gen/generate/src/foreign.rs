//! Foreign types: converts the JSON Schema that schemars generates for a type to a structural schema, or reports every reason why it cannot.
//!
//! Invariants: the result accepts a document that serde writes for the type, if schemars' schema accepts it; the result
//! is structural (a type on every node, `allOf`, `anyOf`, `oneOf` and `not` with conditions only); nothing that checks or shapes values
//! is lost silently. What Kubernetes cannot express is refused, with the path in the type (`a.b[*].c`; `{oneOf[1]}` is the second
//! alternative) and a fix.
//!
//! # Conversions
//!
//! * **References** are followed and written out. A type that contains itself is refused, with the path of its recursion.
//! * **`Option`** only means absence: at the top and on a property it is removed (the server drops a null from a property that is
//!   not `nullable`). `nullable: true` remains where null differs from absence: on the items of a list, the values of a map, a required
//!   property, and a property with a default, which a server would fill in again. `Option` of an `enum` is refused there: to a server,
//!   null is never a member of an `enum`. Two alternatives of which one is null are an `Option`.
//! * **Enums.** Strings, documented or not, become `enum` in the order in which schemars lists them (which differs from the
//!   source: undocumented variants come first). For alternatives that are all objects (externally, internally or adjacently tagged,
//!   untagged), the properties of all alternatives become properties of the node, and `oneOf` or `anyOf` keeps the rest: `required`,
//!   the value of the tag, bounds. A property of only one alternative keeps its conditions on the node, so a document of another
//!   alternative that has such a property needs a valid value for it, although serde ignores it. Of an enum that is flattened and
//!   optional, only the properties remain. An untagged alternative that another contains (an enum of strings and a string) is removed.
//!   Refused: alternatives of different types (only an integer or a string may be `x-kubernetes-int-or-string`), with different types
//!   for one property, or with defaults that the server would fill in for every alternative.
//! * **Numbers.** Formats that Kubernetes does not have (`uint8`, `int16`, `uint`) become bounds; integers beyond 64 bits do not
//!   get bounds. Exclusive bounds become flags; bounds of integers become whole, and are removed where the format is as narrow.
//! * **Maps** keep the schema of their values. A flattened map of anything becomes `x-kubernetes-preserve-unknown-fields`; a
//!   flattened map of other values, and keys that must match a pattern (numbers as keys), are refused. `true`, any value, becomes
//!   `x-kubernetes-preserve-unknown-fields: true` without a type. An object without further keywords is an object without fields, as
//!   for serde; only Kubernetes' own `RawExtension` and `FieldsV1` keep everything.
//! * **Conditions** on values of another type than the node's have no effect in JSON Schema and are left out, as are members of an `enum` of
//!   another type. Patterns must be RE2.
//! * **Lists.** `uniqueItems` becomes `x-kubernetes-list-type: set` where the items are scalars. Tuples are refused.
//! * **`deny_unknown_fields`** is dropped outside alternatives: a server rejects unknown fields or prunes them, so none
//!   reaches a reader, and Kubernetes forbids `additionalProperties: false` together with properties. In an alternative it forbids the
//!   properties of the other alternatives, except together with `flatten`, where serde does not support it.
//! * **Defaults** stay, except null; nulls inside are removed where absence means the same. A default that is not valid is refused.
//! * **Descriptions** stay. The description of a field has precedence over the one of its type, and the description of an externally
//!   tagged variant over the one of its value. A heading that schemars moved into `title` is put back in front. Marker lines in a
//!   description are refused.
//!
//! # Ignored keywords, which neither check nor shape values
//!
//! * `title` of the root when it is the name of the type, descriptions of other variants, all `examples` but the first;
//! * `$schema`, `$id`, `id`, `$anchor`, `$comment`, `$vocabulary`, `readOnly`, `writeOnly`, `deprecated`, `discriminator`, `xml`,
//!   `contentEncoding`, `contentMediaType`, `contentSchema`;
//! * formats of strings that a server does not enforce (JSON Schema treats them as annotations too), and `duration`, which is ISO 8601 in
//!   JSON Schema and Go's notation in Kubernetes, so that the server would reject every valid value;
//! * `x-…` keywords of other projects, and those of Kubernetes that only built-in types can have (`x-kubernetes-group-version-kind`,
//!   `x-kubernetes-patch-…`).
//!
//! Every other keyword is refused, because it might check values.

mod alternatives;
mod keywords;
mod part;
mod settle;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use serde_json::Value;

use crd_model::schema::Schema;
use part::Part;
use settle::Position;

/// What to do when the foreign type cannot be changed.
const WITHOUT_SCHEMA: &str = "or give the whole field no schema (`+kubebuilder:validation:Schemaless` and `+kubebuilder:pruning:PreserveUnknownFields`)";

/// More nodes than a CRD can hold. A type that uses its parts many times grows exponentially when references are written out.
const MOST_NODES: usize = 50_000;

/// Deeper than any type is nested, and shallow enough for the stack.
const DEEPEST: usize = 50;

/// The structural schema of a foreign type.
///
/// # Errors
/// Every reason why there is none: the path in the type, the problem and a fix.
pub(crate) fn structural(text: &str) -> Result<Schema, Vec<String>> {
    let root: Value = serde_json::from_str(text).map_err(|error| vec![format!("its schema is not JSON: {error}")])?;
    let mut reader = Reader::new(&root);
    let mut part = reader.read(&root);
    free_form(&mut part, &reader.open[0].1);
    let mut schema = reader.finish(part, Position::Top);
    if reader.reasons.is_empty() {
        reader.tidy(&mut schema);
    }
    if reader.reasons.is_empty() { Ok(schema) } else { Err(reader.reasons) }
}

/// Reads a JSON Schema and collects why it cannot be structural.
struct Reader<'t> {
    root: &'t Value,
    /// The path in the type: `.name`, `[*]`, `{oneOf[0]}`.
    path: Vec<String>,
    /// The definitions that are being read, outermost first: pointer and name.
    open: Vec<(String, String)>,
    /// Definitions that were read, with the number of their nodes.
    definitions: BTreeMap<String, (Part, usize)>,
    /// Keywords of enclosing schemas about the same value: next to an `allOf` or around an alternative.
    enclosing: Option<Box<Schema>>,
    depth: usize,
    nodes: usize,
    reasons: Vec<String>,
}

impl<'t> Reader<'t> {
    fn new(root: &'t Value) -> Self {
        let name = root.get("title").and_then(Value::as_str).unwrap_or("the type").to_owned();
        Self {
            root,
            path: Vec::new(),
            open: vec![(String::new(), name)],
            definitions: BTreeMap::new(),
            enclosing: None,
            depth: 0,
            nodes: 0,
            reasons: Vec::new(),
        }
    }

    /// Adds a reason with the current path.
    fn refuse(&mut self, message: impl AsRef<str>) {
        let (path, message) = (self.path.concat(), message.as_ref());
        let path = path.strip_prefix('.').unwrap_or(&path);
        let reason = if path.is_empty() { message.to_owned() } else { format!("`{path}`: {message}") };
        if !self.reasons.contains(&reason) {
            self.reasons.push(reason);
        }
    }

    fn at<T>(&mut self, step: impl Into<String>, visit: impl FnOnce(&mut Self) -> T) -> T {
        self.path.push(step.into());
        let result = visit(self);
        self.path.pop();
        result
    }

    fn read(&mut self, value: &Value) -> Part {
        self.nodes += 1;
        if self.is_too_large() {
            return Part::refused();
        }
        if self.depth > DEEPEST {
            self.refuse(format!(
                "it is nested more than {DEEPEST} levels deep; make the type flatter, {WITHOUT_SCHEMA}"
            ));
            return Part::refused();
        }
        self.depth += 1;
        let part = match value {
            Value::Bool(true) => Part::default(),
            Value::Bool(false) => {
                self.refuse("no value is valid here (an enum without variants?); leave the field out of the type");
                Part::refused()
            }
            Value::Object(map) => self.node(map),
            other => {
                self.refuse(format!("a schema is an object, `true` or `false`, not {other}"));
                Part::refused()
            }
        };
        self.depth -= 1;
        self.enclosing = None;
        part
    }

    fn is_too_large(&mut self) -> bool {
        let is_too_large = self.nodes > MOST_NODES;
        if is_too_large && !self.reasons.iter().any(|reason| reason.contains("written out")) {
            self.path.clear();
            self.refuse(format!(
                "with its references written out it has more than {MOST_NODES} nodes, more than a CRD can hold; make the type smaller, {WITHOUT_SCHEMA}"
            ));
        }
        is_too_large
    }

    /// Reads the schema that a reference points to.
    fn follow(&mut self, reference: &str) -> Part {
        let pointer = reference.strip_prefix('#').map(percent_decoded);
        let target = pointer.as_deref().and_then(|pointer| self.root.pointer(pointer));
        let (Some(pointer), Some(target)) = (pointer, target) else {
            self.refuse(format!(
                "the schema has no target for the reference `{reference}`; let schemars generate the whole schema"
            ));
            return Part::refused();
        };
        let name = pointer.rsplit('/').next().unwrap_or_default().replace("~1", "/").replace("~0", "~");
        if let Some(start) = self.open.iter().position(|(open, _)| *open == pointer) {
            let names = self.open[start..].iter().chain([&self.open[start]]);
            let path = names.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(" → ");
            self.refuse(format!(
                "the type contains itself: {path}. A structural schema cannot be recursive; use the type `serde_json::Value` for the inner field, {WITHOUT_SCHEMA}"
            ));
            return Part::refused();
        }
        if let Some((part, nodes)) = self.definitions.get(&pointer) {
            let part = part.clone();
            self.nodes += nodes;
            return if self.is_too_large() { Part::refused() } else { part };
        }
        let nodes_before = self.nodes;
        self.open.push((pointer.clone(), name.clone()));
        let mut part = self.read(target);
        self.open.pop();
        free_form(&mut part, &name);
        self.definitions.insert(pointer, (part.clone(), self.nodes - nodes_before));
        part
    }
}

/// Definitions of k8s-openapi that are objects with any fields, but only have `type: object`.
const FREE_FORM: [&str; 2] =
    ["io.k8s.apimachinery.pkg.runtime.RawExtension", "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1"];

fn free_form(part: &mut Part, name: &str) {
    if FREE_FORM.contains(&name) {
        part.schema.preserve_unknown_fields = Some(true);
    }
}

/// Decodes `%41` and similar sequences. Other text stays.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, behind)) = rest.split_first() {
        let decoded = match behind {
            [high, low, ..] if *first == b'%' => {
                let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                digit(*high).zip(digit(*low)).map(|(high, low)| high * 16 + low)
            }
            _ => None,
        };
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { &behind[2..] } else { behind };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
