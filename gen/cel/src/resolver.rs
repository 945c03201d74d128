//! From a syntax tree to the schema nodes that it reads.
//!
//! Fed with the tree of a rule and the schema node that the rule stands on by [`super`]. Its findings and paths are
//! read by it.
//!
//! Invariants: a part of the rule has either the type that the API server's type checker gives it, or none; so a
//! finding is always a rule that a server refuses, and where a type cannot be told there is no finding. A part that has
//! a finding fits everything, so that one mistake is told once. An optional value has the type of what it holds,
//! because CEL selects through it.

use std::borrow::Cow;
use std::collections::HashSet;

use crd_markers::nearest::nearest;

use super::names;
use super::parser::{Children, Literal, Macro, Node, NodeId, Span, Tree};
use super::{CelFinding, CelProblem};
use crd_model::Properties;
use crd_model::schema::{AdditionalProperties, Schema};

/// How many names a finding lists.
const NAMES_LISTED: usize = 8;
/// The longest piece of the rule that a finding quotes.
const LONGEST_QUOTE: usize = 80;
/// How many lists and maps that a rule makes are followed into each other. Variables can pile up any number of them,
/// and comparing two piles must neither take long nor use up the stack.
const NESTING_LIMIT: u8 = 32;

/// What a part of the rule is.
#[derive(Clone, Copy, Debug)]
enum Type<'n> {
    /// Nothing is known of it, or it may be anything.
    Unknown,
    /// It fits whatever stands beside it: an item of `[]`, the content of `optional.none()`, a part that has a finding.
    Fitting,
    /// It has no fields; the words say what it is.
    Scalar(&'static str),
    /// An object with the properties of a schema. The resource is the root of one, embedded or not.
    Object { schema: &'n Schema, resource: bool, place: PlaceId },
    /// What every resource has as its `metadata`: a name and a generateName.
    ResourceMetadata { place: PlaceId },
    /// A list of the schema; this is the schema of its items.
    Items { schema: &'n Schema, place: PlaceId },
    /// A map of the schema; this is the schema of its values.
    Values { schema: &'n Schema, place: PlaceId },
    /// A list that the rule makes, and the type of its items.
    List(TypeId),
    /// A map that the rule makes, and the type of its keys; that of its values comes right after it.
    Map(TypeId),
}

const BOOLEAN: Type<'static> = Type::Scalar("a boolean");
const INTEGER: Type<'static> = Type::Scalar("an integer");
const UNSIGNED: Type<'static> = Type::Scalar("an unsigned integer");
const DOUBLE: Type<'static> = Type::Scalar("a number");
const TEXT: Type<'static> = Type::Scalar("a string");
const BYTES: Type<'static> = Type::Scalar("bytes");
const DURATION: Type<'static> = Type::Scalar("a duration");
const TIMESTAMP: Type<'static> = Type::Scalar("a timestamp");

/// The place of a type in [`Resolver::types`].
type TypeId = u32;
/// The place of a place in [`Resolver::places`].
type PlaceId = u32;

/// Where a value stands in the object that the rule is about.
#[derive(Clone, Copy)]
enum Place<'n> {
    /// `self`
    Itself,
    /// `oldSelf`
    Old,
    /// A property of the place before it.
    Property(PlaceId, &'n str),
    /// Any item of the list, or any value of the map.
    Each(PlaceId),
}

/// How a rule finds its own schema node.
#[derive(Clone, Copy)]
pub(super) struct Root<'n> {
    /// The node that the rule stands on.
    pub(super) schema: &'n Schema,
    /// Whether it is the root of a resource.
    pub(super) resource: bool,
}

/// What was learned about a rule.
pub(super) struct Resolved {
    /// What is wrong.
    pub(super) findings: Vec<CelFinding>,
    /// The paths of the properties that the rule names and the schema has.
    pub(super) paths: Vec<Vec<String>>,
}

/// Which of the two results is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// [`Resolved::findings`]
    Findings,
    /// [`Resolved::paths`]
    Paths,
}

/// Walks through the whole tree.
pub(super) fn resolve(source: &str, tree: &Tree, root: Root<'_>, wanted: Wanted) -> Resolved {
    let mut resolver = Resolver {
        source,
        tree,
        root,
        wanted,
        variables: Vec::new(),
        types: Vec::new(),
        places: vec![Place::Itself, Place::Old],
        named: Vec::new(),
        findings: Vec::new(),
    };
    resolver.type_of(tree.root);
    let mut findings = resolver.findings;
    findings.sort_by_key(|finding| finding.at);
    let mut paths: Vec<Vec<String>> = resolver.named.iter().map(|place| path(&resolver.places, *place)).collect();
    paths.sort_unstable();
    paths.dedup();
    Resolved { findings: first_of_each(findings), paths }
}

/// Ten times the same name in one rule is one mistake: its first place is enough.
fn first_of_each(findings: Vec<CelFinding>) -> Vec<CelFinding> {
    if findings.len() < 2 {
        return findings;
    }
    let mut seen: HashSet<CelProblem> = HashSet::with_capacity(findings.len());
    findings.into_iter().filter(|finding| seen.insert(finding.kind.clone())).collect()
}

/// The path of a place from the node of the rule: property names, and `[*]` for items and map values.
fn path(places: &[Place<'_>], place: PlaceId) -> Vec<String> {
    let mut reversed = Vec::new();
    let mut current = place;
    loop {
        match places[current as usize] {
            Place::Itself | Place::Old => break,
            Place::Property(parent, name) => {
                reversed.push(name.to_owned());
                current = parent;
            }
            Place::Each(parent) => {
                reversed.push("[*]".to_owned());
                current = parent;
            }
        }
    }
    reversed.reverse();
    reversed
}

struct Resolver<'r, 'n> {
    source: &'r str,
    tree: &'r Tree,
    root: Root<'n>,
    wanted: Wanted,
    /// The variables of the macros around this place, innermost last.
    variables: Vec<(&'r str, Type<'n>)>,
    /// Items, keys and values of the lists and maps that the rule makes, and how many more lie inside of each, itself
    /// counted.
    types: Vec<(Type<'n>, u8)>,
    places: Vec<Place<'n>>,
    /// The properties that the rule names.
    named: Vec<PlaceId>,
    findings: Vec<CelFinding>,
}

impl<'r, 'n> Resolver<'r, 'n> {
    // ---- from schemas to types ----

    fn of_schema(schema: &'n Schema, resource: bool, place: PlaceId) -> Type<'n> {
        if schema.int_or_string {
            return Type::Unknown;
        }
        match schema.kind.as_deref() {
            Some("object") => match &schema.additional_properties {
                Some(AdditionalProperties::Values(values)) if is_visible(values) => {
                    Type::Values { schema: values, place }
                }
                Some(AdditionalProperties::Values(_)) => Type::Unknown,
                _ => Type::Object { schema, resource: resource || schema.embedded_resource, place },
            },
            Some("array") => match &schema.items {
                Some(items) if is_visible(items) => Type::Items { schema: items, place },
                _ => Type::Unknown,
            },
            Some("string") => match schema.format.as_deref() {
                Some("byte") => BYTES,
                Some("duration") => DURATION,
                Some("date" | "date-time") => TIMESTAMP,
                _ => TEXT,
            },
            Some("boolean") => BOOLEAN,
            Some("integer") => INTEGER,
            Some("number") => DOUBLE,
            _ => Type::Unknown,
        }
    }

    fn add_place(&mut self, place: Place<'n>) -> PlaceId {
        let id = u32::try_from(self.places.len()).unwrap_or(u32::MAX);
        self.places.push(place);
        id
    }

    fn nesting(&self, of: Type<'n>) -> u8 {
        match of {
            Type::List(items) => self.types[items as usize].1,
            Type::Map(keys) => self.types[keys as usize + 1].1,
            _ => 0,
        }
    }

    fn add_type(&mut self, added: Type<'n>) -> TypeId {
        let id = u32::try_from(self.types.len()).unwrap_or(u32::MAX);
        let nesting = self.nesting(added) + 1;
        self.types.push(if nesting > NESTING_LIMIT { (Type::Unknown, 1) } else { (added, nesting) });
        id
    }

    fn list_of(&mut self, items: Type<'n>) -> Type<'n> {
        Type::List(self.add_type(items))
    }

    fn map_of(&mut self, keys: Type<'n>, values: Type<'n>) -> Type<'n> {
        // A key is a number, a string or a boolean, or a mistake.
        let id = self.add_type(if matches!(keys, Type::Scalar(_) | Type::Fitting) { keys } else { Type::Unknown });
        self.add_type(values);
        Type::Map(id)
    }

    /// The type of every item or value; unknown for what has none.
    fn element(&mut self, of: Type<'n>) -> Type<'n> {
        match of {
            Type::Items { schema, place } | Type::Values { schema, place } => {
                let each = self.add_place(Place::Each(place));
                Self::of_schema(schema, false, each)
            }
            Type::List(items) => self.types[items as usize].0,
            Type::Map(keys) => self.types[keys as usize + 1].0,
            Type::Fitting => Type::Fitting,
            _ => Type::Unknown,
        }
    }

    /// The types of index and item of a list, or of key and value of a map.
    fn iterated(&mut self, of: Type<'n>) -> (Type<'n>, Type<'n>) {
        let key = match of {
            Type::Items { .. } | Type::List(_) => INTEGER,
            Type::Values { .. } => TEXT,
            Type::Map(keys) => self.types[keys as usize].0,
            Type::Fitting => Type::Fitting,
            _ => Type::Unknown,
        };
        (key, self.element(of))
    }

    /// The type of something that is one or the other.
    fn either(&mut self, one: Type<'n>, other: Type<'n>) -> Type<'n> {
        match (one, other) {
            (Type::Fitting, known) | (known, Type::Fitting) => known,
            (Type::Scalar(left), Type::Scalar(right)) if left == right => one,
            (Type::Object { schema: left, .. }, Type::Object { schema: right, .. })
            | (Type::Items { schema: left, .. }, Type::Items { schema: right, .. })
            | (Type::Values { schema: left, .. }, Type::Values { schema: right, .. })
                if std::ptr::eq(left, right) =>
            {
                one
            }
            (Type::ResourceMetadata { .. }, Type::ResourceMetadata { .. }) => one,
            (Type::Items { .. } | Type::List(_), Type::Items { .. } | Type::List(_)) => {
                let (left, right) = (self.element(one), self.element(other));
                let item = self.either(left, right);
                self.list_of(item)
            }
            (Type::Values { .. } | Type::Map(_), Type::Values { .. } | Type::Map(_)) => {
                let (left, right) = (self.iterated(one), self.iterated(other));
                let (key, value) = (self.either(left.0, right.0), self.either(left.1, right.1));
                self.map_of(key, value)
            }
            _ => Type::Unknown,
        }
    }

    // ---- walking ----

    fn text(&self, span: Span) -> &'r str {
        self.source.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    fn type_of(&mut self, id: NodeId) -> Type<'n> {
        match self.tree.node(id) {
            Node::Name { name, .. } => self.variable(name),
            Node::Literal(literal) => match literal {
                Literal::Boolean => BOOLEAN,
                // Null goes with objects, but not the other way round: leave it open.
                Literal::Null => Type::Unknown,
                Literal::Integer => INTEGER,
                Literal::Unsigned => UNSIGNED,
                Literal::Double => DOUBLE,
                Literal::Text => TEXT,
                Literal::Bytes => BYTES,
            },
            Node::Select { of, name, .. } => self.select(of, name),
            Node::Has { field } => {
                self.type_of(field);
                BOOLEAN
            }
            Node::Index { of, key, at, .. } => self.index(of, key, at),
            Node::Call { target, name, arguments } => self.call(target, name, arguments),
            Node::Macro { kind, variables, target, name, arguments } => {
                self.expand(kind, variables, target, name, arguments)
            }
            Node::List { items } => {
                let item = self.joined(items);
                self.list_of(item)
            }
            Node::Map { entries } => self.map(entries),
            Node::Message { values } => {
                self.joined(values);
                Type::Unknown
            }
            Node::Logic { terms } => {
                self.joined(terms);
                BOOLEAN
            }
            Node::Not { of } => {
                self.type_of(of);
                BOOLEAN
            }
            Node::Negate { of } => {
                self.type_of(of);
                Type::Unknown
            }
            Node::Comparison { left, right, .. } => {
                self.type_of(left);
                self.type_of(right);
                BOOLEAN
            }
            Node::In { left, right, at } => {
                self.type_of(left);
                let container = self.type_of(right);
                self.refuse_object(container, at);
                BOOLEAN
            }
            Node::Sum { left, right, .. } => {
                let (left, right) = (self.type_of(left), self.type_of(right));
                match (left, right) {
                    (Type::Items { .. } | Type::List(_), Type::Items { .. } | Type::List(_)) => {
                        self.either(left, right)
                    }
                    _ => Type::Unknown,
                }
            }
            Node::Calculation { left, right, .. } => {
                self.type_of(left);
                self.type_of(right);
                Type::Unknown
            }
            Node::Conditional { test, yes, no } => {
                self.type_of(test);
                let (yes, no) = (self.type_of(yes), self.type_of(no));
                self.either(yes, no)
            }
        }
    }

    /// The type of something that is one of many.
    fn joined(&mut self, parts: Children) -> Type<'n> {
        let tree = self.tree;
        let mut all = Type::Fitting;
        for part in tree.children(parts) {
            let part = self.type_of(*part);
            all = self.either(all, part);
        }
        all
    }

    fn map(&mut self, entries: Children) -> Type<'n> {
        let tree = self.tree;
        let (mut keys, mut values) = (Type::Fitting, Type::Fitting);
        for entry in tree.children(entries).chunks_exact(2) {
            let (key, value) = (self.type_of(entry[0]), self.type_of(entry[1]));
            keys = self.either(keys, key);
            values = self.either(values, value);
        }
        self.map_of(keys, values)
    }

    fn index(&mut self, of: NodeId, key: NodeId, at: u32) -> Type<'n> {
        let container = self.type_of(of);
        self.type_of(key);
        if self.refuse_object(container, at) { Type::Fitting } else { self.element(container) }
    }

    /// Reports an object that is used as if it were a map.
    fn refuse_object(&mut self, container: Type<'n>, at: u32) -> bool {
        let (Type::Object { place, .. } | Type::ResourceMetadata { place }) = container else { return false };
        if self.wanted == Wanted::Findings {
            let of = self.written(place);
            self.find(at, CelProblem::NotAMap { of });
        }
        true
    }

    // ---- names ----

    fn bound(&self, name: &str) -> Option<Type<'n>> {
        self.variables.iter().rev().find(|(variable, _)| *variable == name).map(|(_, bound)| *bound)
    }

    /// The type of a variable, or of `self` and `oldSelf`.
    fn known_name(&self, name: &str) -> Option<Type<'n>> {
        let root = |place| Self::of_schema(self.root.schema, self.root.resource, place);
        self.bound(name).or_else(|| match name {
            "self" => Some(root(0)),
            "oldSelf" => Some(root(1)),
            _ => None,
        })
    }

    fn variable(&mut self, name: Span) -> Type<'n> {
        let text = self.text(name);
        if let Some(known) = self.known_name(text) {
            return known;
        }
        if TYPES.binary_search(&text).is_ok() || TYPE_NAMESPACES.binary_search(&text).is_ok() {
            return Type::Unknown;
        }
        self.unknown_name(name);
        Type::Fitting
    }

    fn unknown_name(&mut self, name: Span) {
        if self.wanted != Wanted::Findings {
            return;
        }
        let text = self.text(name);
        let known = || self.variables.iter().rev().map(|(variable, _)| *variable).chain(["self", "oldSelf"]);
        let field = match Self::of_schema(self.root.schema, self.root.resource, 0) {
            Type::Object { schema, .. } => names::property(&schema.properties, text).is_some(),
            _ => false,
        };
        let suggestion = if field {
            Some(format!("self.{text}"))
        } else {
            // Every name of one letter is near every other.
            Some(text).filter(|text| text.len() > 2).and_then(|text| nearest(text, known())).map(str::to_owned)
        };
        let inner = self.variables.iter().rev().take(NAMES_LISTED).map(|(variable, _)| *variable);
        let known = inner.chain(["self", "oldSelf"]).map(str::to_owned).collect();
        self.find(name.start, CelProblem::UnknownIdentifier { name: text.to_owned(), suggestion, known });
    }

    fn select(&mut self, of: NodeId, name: Span) -> Type<'n> {
        let object = self.type_of(of);
        let quoted = self.text(name);
        let field = quoted.strip_prefix('`').and_then(|inner| inner.strip_suffix('`')).unwrap_or(quoted);
        match object {
            Type::Unknown | Type::Fitting => object,
            Type::Values { .. } | Type::Map(_) => self.element(object),
            Type::Scalar(is) => self.no_fields(of, name, field, is),
            Type::Items { .. } | Type::List(_) => self.no_fields(of, name, field, "a list"),
            Type::ResourceMetadata { place } => match field {
                "name" | "generateName" => TEXT,
                _ => self.missing(name, field, place, None, &["generateName", "name"]),
            },
            Type::Object { schema, resource, place } => self.property(schema, resource, place, name, field),
        }
    }

    fn property(&mut self, schema: &'n Schema, resource: bool, place: PlaceId, name: Span, field: &str) -> Type<'n> {
        let known = names::property(&schema.properties, field);
        if resource && matches!(field, "apiVersion" | "kind" | "metadata") && !describes_resource(schema) {
            let named = match (known, field) {
                (Some((property, _)), _) => self.name_property(place, property),
                (None, _) => self.add_place(Place::Property(place, resource_property(field))),
            };
            return if field == "metadata" { Type::ResourceMetadata { place: named } } else { TEXT };
        }
        let Some((property, found)) = known else {
            let always: &[&str] = if resource { &["apiVersion", "kind", "metadata"] } else { &[] };
            return self.missing(name, field, place, Some(schema), always);
        };
        let named = self.name_property(place, property);
        if is_visible(found) {
            return Self::of_schema(found, false, named);
        }
        if self.wanted == Wanted::Findings {
            let of = self.written(place);
            self.find(name.start, CelProblem::HiddenField { field: field.to_owned(), of });
        }
        Type::Fitting
    }

    fn name_property(&mut self, place: PlaceId, property: &'n str) -> PlaceId {
        let named = self.add_place(Place::Property(place, property));
        if self.wanted == Wanted::Paths {
            self.named.push(named);
        }
        named
    }

    // ---- calls ----

    fn call(&mut self, target: Option<NodeId>, name: Span, arguments: Children) -> Type<'n> {
        let function = self.text(name);
        let tree = self.tree;
        let Some(target) = target else {
            self.joined(arguments);
            return match function {
                "size" | "int" => INTEGER,
                "uint" => UNSIGNED,
                "double" => DOUBLE,
                "string" => TEXT,
                "bytes" => BYTES,
                "bool" | "isIP" | "isCIDR" | "isURL" | "isQuantity" | "isSemver" => BOOLEAN,
                "duration" => DURATION,
                "timestamp" => TIMESTAMP,
                _ => Type::Unknown,
            };
        };
        if let Some(namespace) = self.namespace(target, function) {
            let argument = self.joined(arguments);
            return match (namespace, function) {
                ("optional", "of" | "ofNonZeroValue" | "unwrap") => argument,
                ("optional", "none") => Type::Fitting,
                _ => Type::Unknown,
            };
        }
        let of = self.type_of(target);
        let argument = self.joined(arguments);
        let items = || matches!(of, Type::Items { .. } | Type::List(_));
        match (function, tree.children(arguments).len()) {
            // Optional values.
            ("value", 0) => of,
            ("or" | "orValue", 1) => self.either(of, argument),
            ("hasValue", 0) => BOOLEAN,
            // Lists.
            ("unwrapOpt" | "distinct" | "reverse" | "sort", 0) | ("slice", 2) if items() => of,
            ("first" | "last" | "min" | "max", 0) if items() => self.element(of),
            ("flatten", 0) if items() => match self.element(of) {
                inner @ (Type::Items { .. } | Type::List(_)) => inner,
                Type::Unknown => Type::Unknown,
                _ => of,
            },
            ("size", 0) => INTEGER,
            _ => Type::Unknown,
        }
    }

    /// The name before the dot, if it is no value but the first part of a function's name.
    fn namespace(&mut self, target: NodeId, function: &str) -> Option<&'r str> {
        let mut first = target;
        while let Node::Select { of, optional: false, .. } = self.tree.node(first) {
            first = of;
        }
        let Node::Name { name, .. } = self.tree.node(first) else { return None };
        let text = self.text(name);
        if self.known_name(text).is_some() {
            return None;
        }
        // A library that is not known here may well have such a function. A method that is known is called on a value.
        let known_method = METHODS.binary_search(&function).is_ok();
        (NAMESPACES.binary_search(&text).is_ok() || !(known_method || self.is_nearly_known(text))).then_some(text)
    }

    /// Whether a name looks like a misspelt variable, or like a field whose `self.` was forgotten.
    fn is_nearly_known(&self, name: &str) -> bool {
        let variables = self.variables.iter().map(|(variable, _)| *variable).chain(["self", "oldSelf"]);
        (name.len() > 2 && nearest(name, variables).is_some())
            || names::property(&self.root.schema.properties, name).is_some()
    }

    fn expand(&mut self, kind: Macro, variables: u8, target: NodeId, name: Span, arguments: Children) -> Type<'n> {
        let tree = self.tree;
        let arguments = tree.children(arguments);
        let (names, rest) = arguments.split_at(usize::from(variables).min(arguments.len()));
        let name_at = |index: usize| match names.get(index).map(|id| tree.node(*id)) {
            Some(Node::Name { name, .. }) => self.text(name),
            _ => "",
        };
        let (first, second) = (name_at(0), name_at(1));

        if kind == Macro::Bind {
            let Some((value, rest)) = rest.split_first() else { return Type::Unknown };
            let value = self.type_of(*value);
            return self.with_variables(&[(first, value)], rest);
        }
        let range = self.type_of(target);
        if kind == Macro::OptionalMap {
            return self.with_variables(&[(first, range)], rest);
        }
        self.refuse_object(range, name.start);
        let (key, value) = self.iterated(range);
        let is_list = matches!(range, Type::Items { .. } | Type::List(_));
        let result = match second {
            "" => {
                let item = match range {
                    Type::Items { .. } | Type::List(_) => value,
                    _ => key,
                };
                self.with_variables(&[(first, item)], rest)
            }
            second => self.with_variables(&[(first, key), (second, value)], rest),
        };
        match kind {
            Macro::Quantifier => BOOLEAN,
            Macro::Map | Macro::TransformList => self.list_of(result),
            Macro::Filter | Macro::SortBy if is_list => range,
            Macro::Filter => self.list_of(key),
            Macro::TransformMap => self.map_of(key, result),
            Macro::TransformMapEntry => result,
            Macro::SortBy | Macro::OptionalMap | Macro::Bind => Type::Unknown,
        }
    }

    /// Walks through parts with variables bound; the type of the last one.
    fn with_variables(&mut self, variables: &[(&'r str, Type<'n>)], parts: &[NodeId]) -> Type<'n> {
        let outside = self.variables.len();
        self.variables.extend_from_slice(variables);
        let mut last = Type::Unknown;
        for part in parts {
            last = self.type_of(*part);
        }
        self.variables.truncate(outside);
        last
    }

    // ---- findings ----

    fn find(&mut self, at: u32, kind: CelProblem) {
        self.findings.push(CelFinding { at: at as usize, kind });
    }

    /// Reports a field that neither the schema has nor every resource.
    fn missing(
        &mut self,
        name: Span,
        field: &str,
        place: PlaceId,
        schema: Option<&'n Schema>,
        always: &[&str],
    ) -> Type<'n> {
        if self.wanted == Wanted::Findings {
            let properties = schema.into_iter().flat_map(|schema| &schema.properties);
            let mut has: Vec<String> = properties
                .filter(|(_, property)| is_visible(property))
                .filter_map(|(property, _)| names::escape(property))
                .chain(always.iter().map(|name| Cow::Borrowed(*name)))
                .map(Cow::into_owned)
                .collect();
            has.sort_unstable();
            has.dedup();
            // A property of exactly this name has to be written in another way.
            let same = schema.and_then(|schema| schema.properties.get_key_value(field));
            let suggestion = match same.and_then(|(property, _)| names::escape(property)) {
                Some(escaped) => Some(escaped.into_owned()),
                None => nearest(field, has.iter().map(String::as_str)).map(str::to_owned),
            };
            if let Some(position) = suggestion.as_ref().and_then(|near| has.iter().position(|other| other == near)) {
                has[..=position].rotate_right(1);
            }
            let more = has.len().saturating_sub(NAMES_LISTED);
            has.truncate(NAMES_LISTED);
            let of = self.written(place);
            self.find(name.start, CelProblem::MissingField { field: field.to_owned(), of, suggestion, has, more });
        }
        Type::Fitting
    }

    fn no_fields(&mut self, of: NodeId, name: Span, field: &str, is: &'static str) -> Type<'n> {
        if self.wanted == Wanted::Findings {
            let of = self.source_of(of, name);
            self.find(name.start, CelProblem::NoFields { field: field.to_owned(), of, is });
        }
        Type::Fitting
    }

    /// The text of the value before a dot, where it is easily found.
    fn source_of(&self, of: NodeId, selected: Span) -> String {
        let mut first = of;
        let start = loop {
            match self.tree.node(first) {
                Node::Select { of, .. } | Node::Index { of, .. } => first = of,
                Node::Call { target: Some(of), .. } | Node::Macro { target: of, .. } => first = of,
                Node::Call { name, .. } | Node::Name { name, .. } => break name.start,
                _ => return "this value".to_owned(),
            }
        };
        let before = self.source.get(start as usize..selected.start as usize).unwrap_or_default();
        let before = before.trim_end_matches(['.', '?', ' ', '\n', '\t', '\r']);
        let balanced = before.matches('(').count() == before.matches(')').count();
        if balanced && before.len() <= LONGEST_QUOTE { format!("`{before}`") } else { "this value".to_owned() }
    }

    /// The place as it would be written in a rule.
    fn written(&self, place: PlaceId) -> String {
        let mut parts: Vec<Cow<'_, str>> = Vec::new();
        let mut current = place;
        loop {
            match self.places[current as usize] {
                Place::Itself => break parts.push("self".into()),
                Place::Old => break parts.push("oldSelf".into()),
                Place::Property(parent, name) => {
                    parts.push(names::escape(name).unwrap_or_else(|| name.into()));
                    parts.push(".".into());
                    current = parent;
                }
                Place::Each(parent) => {
                    parts.push("[*]".into());
                    current = parent;
                }
            }
        }
        parts.reverse();
        parts.concat()
    }
}

/// Whether rules can see a value with this schema: it needs a type, and so do its items or values.
pub fn is_visible(schema: &Schema) -> bool {
    let mut schema = schema;
    loop {
        if schema.int_or_string {
            return true;
        }
        schema = match (schema.kind.as_deref(), &schema.additional_properties, &schema.items) {
            (Some("object"), Some(AdditionalProperties::Values(values)), _) => values,
            (Some("array"), _, Some(items)) => items,
            (Some("object" | "string" | "boolean" | "integer" | "number"), ..) => return true,
            _ => return false,
        };
    }
}

/// Whether the schema of a resource itself describes what every resource has. If not, the server's own description
/// counts.
pub(super) fn describes_resource(schema: &Schema) -> bool {
    let is = |properties: &Properties, name: &str, kind: &str| {
        properties.get(name).is_some_and(|property| property.kind.as_deref() == Some(kind))
    };
    let properties = &schema.properties;
    is(properties, "kind", "string")
        && is(properties, "apiVersion", "string")
        && is(properties, "metadata", "object")
        && properties.get("metadata").is_some_and(|metadata| {
            is(&metadata.properties, "name", "string") && is(&metadata.properties, "generateName", "string")
        })
}

/// The property of every resource with this name.
fn resource_property(field: &str) -> &'static str {
    match field {
        "apiVersion" => "apiVersion",
        "kind" => "kind",
        _ => "metadata",
    }
}

/// Names of types, which are values in CEL: `type(self.x) == string`.
pub(super) const TYPES: [&str; 11] =
    ["bool", "bytes", "double", "int", "list", "map", "null_type", "optional_type", "string", "type", "uint"];

/// First parts of the names of types: `google.protobuf.Timestamp`, `net.IP`.
pub(super) const TYPE_NAMESPACES: [&str; 3] = ["google", "kubernetes", "net"];

/// First parts of the names of functions: `optional.of`, `sets.contains`.
const NAMESPACES: [&str; 14] = [
    "base64",
    "cel",
    "cidr",
    "format",
    "ip",
    "jsonpatch",
    "lists",
    "math",
    "optional",
    "proto",
    "regex",
    "semver",
    "sets",
    "strings",
];

/// Methods of CEL and of the libraries of Kubernetes.
const METHODS: [&str; 62] = [
    "add",
    "all",
    "asApproximateFloat",
    "asInteger",
    "charAt",
    "compareTo",
    "contains",
    "containsCIDR",
    "containsIP",
    "distinct",
    "endsWith",
    "exists",
    "existsOne",
    "exists_one",
    "family",
    "filter",
    "find",
    "findAll",
    "first",
    "flatten",
    "getDate",
    "getDayOfMonth",
    "getDayOfWeek",
    "getDayOfYear",
    "getFullYear",
    "getHost",
    "getHours",
    "getMilliseconds",
    "getMinutes",
    "getMonth",
    "getPort",
    "getScheme",
    "getSeconds",
    "hasValue",
    "indexOf",
    "isGreaterThan",
    "isInteger",
    "isLessThan",
    "isSorted",
    "join",
    "last",
    "lastIndexOf",
    "lowerAscii",
    "map",
    "matches",
    "max",
    "min",
    "optFlatMap",
    "optMap",
    "orValue",
    "prefixLength",
    "replace",
    "reverse",
    "size",
    "slice",
    "split",
    "startsWith",
    "substring",
    "sum",
    "trim",
    "upperAscii",
    "value",
];

#[cfg(test)]
mod tests {
    use super::{METHODS, NAMESPACES, TYPES};
    use crate::parser::RESERVED;

    #[test]
    fn tables_are_sorted_for_binary_search() {
        for table in [&METHODS[..], &NAMESPACES[..], &TYPES[..], &RESERVED[..]] {
            assert!(table.is_sorted(), "{table:?}");
        }
    }
}
