//! Random CRDs with random rules that have correct types mostly, over every function, operator and macro.
//!
//! Invariants: the same seed gives the same CRDs in every run.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::random::dice::Dice;
use crate::tables::table;

/// The type of an expression.
#[derive(Clone, Debug, PartialEq)]
enum Type {
    /// One letter of [`SCALARS`], or `x` for any value.
    Scalar(char),
    List(Box<Type>),
    Map(Box<Type>, Box<Type>),
    Optional(Box<Type>),
    /// An object with these fields, as rules write them.
    Object(Vec<(String, Type)>),
}

/// Booleans, integers, unsigned integers, doubles, texts, bytes, durations, timestamps, quantities, addresses, networks, URLs, versions, formats.
const SCALARS: &[char] = &['b', 'i', 'u', 'd', 't', 'y', 'r', 'm', 'q', 'a', 'n', 'l', 'v', 'f'];
/// Those that `<` and `sort` accept.
const ORDERED: &[char] = &['b', 'i', 'u', 'd', 't', 'y', 'r', 'm'];
/// Those that `sum` accepts.
const SUMMABLE: &[char] = &['i', 'u', 'd', 'r'];

/// What random expressions are made of.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
struct Expressions {
    templates: Vec<Templates>,
    /// Literals of each scalar.
    literals: BTreeMap<char, Vec<&'static str>>,
}

/// Templates with the same result.
#[derive(Deserialize)]
struct Templates {
    result: &'static str,
    of: Vec<&'static str>,
}

static EXPRESSIONS: LazyLock<Expressions> = LazyLock::new(|| table(include_str!("maker.yaml")));

/// All templates with their results. Each is as probable as each other one.
static TEMPLATES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let templates = EXPRESSIONS.templates.iter();
    templates.flat_map(|templates| templates.of.iter().map(|template| (templates.result, *template))).collect()
});

/// Reads a code, with the type that `T`, `C` or `S` stand for.
fn read(code: &mut std::str::Chars<'_>, parameter: &Type) -> Type {
    match code.next().expect("a code") {
        'L' => Type::List(Box::new(read(code, parameter))),
        'O' => Type::Optional(Box::new(read(code, parameter))),
        'M' => {
            let key = read(code, parameter);
            Type::Map(Box::new(key), Box::new(read(code, parameter)))
        }
        'T' | 'C' | 'S' => parameter.clone(),
        scalar => Type::Scalar(scalar),
    }
}

/// Whether a template's result can be this type; if it has a parameter, with which type.
fn unify(code: &mut std::str::Chars<'_>, wanted: &Type) -> Option<Option<Type>> {
    let scalar_in = |set: &[char]| matches!(wanted, Type::Scalar(scalar) if set.contains(scalar));
    match (code.next()?, wanted) {
        ('T', wanted) => Some(Some(wanted.clone())),
        ('C', wanted) => scalar_in(ORDERED).then(|| Some(wanted.clone())),
        ('S', wanted) => scalar_in(SUMMABLE).then(|| Some(wanted.clone())),
        ('L', Type::List(inner)) | ('O', Type::Optional(inner)) => unify(code, inner),
        ('M', Type::Map(key, value)) => match unify(code, key)? {
            None => unify(code, value),
            found => Some(found),
        },
        (scalar, Type::Scalar(wanted)) => (scalar == *wanted).then_some(None),
        _ => None,
    }
}

/// Makes CRDs.
pub(super) struct Maker {
    dice: Dice,
    /// The variables of the current expression, innermost last.
    variables: Vec<(String, Type)>,
    names: usize,
}

impl Maker {
    pub(super) fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed), variables: Vec::new(), names: 0 }
    }

    fn chance(&mut self, of: usize) -> bool {
        self.dice.below(of) == 0
    }

    fn scalar(&mut self, of: &[char]) -> Type {
        Type::Scalar(*self.dice.pick(of))
    }

    /// A type for a parameter.
    fn any_type(&mut self, depth: usize) -> Type {
        let inner = |maker: &mut Self| Box::new(maker.any_type(depth + 1));
        match self.dice.below(if depth > 1 { 6 } else { 10 }) {
            6 => Type::List(inner(self)),
            7 => Type::Map(Box::new(Type::Scalar('t')), inner(self)),
            // Objects of the schema, and whatever else a variable holds.
            8 | 9 => match self.dice.below(self.variables.len()) {
                at if at < self.variables.len() => self.walk(at).1,
                _ => Type::Scalar('t'),
            },
            _ if self.chance(3) => self.scalar(SCALARS),
            _ => self.scalar(&['t', 't', 'i', 'b', 'y', 'm']),
        }
    }

    /// A random path from a variable, and its type.
    fn walk(&mut self, at: usize) -> (String, Type) {
        let (mut path, mut of) = self.variables[at].clone();
        loop {
            let next = match &of {
                Type::Object(fields) if !fields.is_empty() => {
                    let (name, field) = self.dice.pick(fields).clone();
                    if self.chance(12) {
                        (format!("{path}.?{name}"), Type::Optional(Box::new(field)))
                    } else {
                        (format!("{path}.{name}"), field)
                    }
                }
                Type::List(item) if self.dice.below(3) == 0 => (format!("{path}[0]"), Type::clone(item)),
                Type::Map(key, value) if **key == Type::Scalar('t') && self.dice.below(3) == 0 => {
                    (format!("{path}.key"), Type::clone(value))
                }
                _ => return (path, of),
            };
            (path, of) = next;
            if self.chance(6) {
                return (path, of);
            }
        }
    }

    /// An expression of this type.
    fn expression(&mut self, wanted: &Type, depth: usize) -> String {
        for _ in 0..6 {
            if self.variables.is_empty() {
                break;
            }
            // Newer variables are more interesting.
            let at = self.dice.below(self.variables.len()).max(self.dice.below(self.variables.len()));
            let (path, of) = self.walk(at);
            if of == *wanted && !(depth < 2 && self.chance(4)) {
                return path;
            }
        }
        if depth < 4 && !self.chance(5) {
            for _ in 0..12 {
                let (result, template) = *self.dice.pick(&TEMPLATES);
                if let Some(parameter) = unify(&mut result.chars(), wanted) {
                    return self.filled(template, parameter, depth);
                }
            }
        }
        match wanted {
            Type::Scalar(scalar) => self.dice.one(&EXPRESSIONS.literals[scalar]).to_owned(),
            Type::List(item) if depth < 8 => format!("[{}]", self.expression(item, depth + 1)),
            Type::Map(key, value) if depth < 8 => {
                format!("{{{}: {}}}", self.expression(key, depth + 1), self.expression(value, depth + 1))
            }
            Type::Optional(of) if depth < 8 => format!("optional.of({})", self.expression(of, depth + 1)),
            Type::Optional(_) => "optional.none()".to_owned(),
            Type::List(_) => "[]".to_owned(),
            Type::Map(..) => "{}".to_owned(),
            // The server does not have literals of objects. The first variable is `self`.
            Type::Object(_) => "self".to_owned(),
        }
    }

    fn filled(&mut self, template: &str, parameter: Option<Type>, depth: usize) -> String {
        let parameter = parameter.unwrap_or_else(|| {
            if template.contains("{LS}") {
                self.scalar(SUMMABLE)
            } else if template.contains("{C}") || template.contains("{LC}") {
                self.scalar(ORDERED)
            } else {
                self.any_type(0)
            }
        });
        let mut names: Vec<(char, String)> = Vec::new();
        let mut result = String::new();
        let mut rest = template;
        while let Some(next) = rest.chars().next() {
            rest = &rest[next.len_utf8()..];
            if next == '$' {
                let letter = rest.chars().next().expect("a variable");
                rest = &rest[1..];
                result.push_str(&self.name(letter, &mut names));
                continue;
            }
            let code_end = rest.find('}').filter(|end| {
                let code = &rest[..*end];
                next == '{'
                    && code.chars().all(|one| one.is_alphanumeric() || matches!(one, '|' | ':' | ','))
                    && !code.starts_with('2')
            });
            let Some(end) = code_end else {
                result.push(next);
                continue;
            };
            let (code, variables) = rest[..end].split_once('|').unwrap_or((&rest[..end], ""));
            rest = &rest[end + 1..];
            let outside = self.variables.len();
            for variable in variables.split(',').filter(|variable| !variable.is_empty()) {
                let (letter, of) = variable.split_once(':').expect("a variable and its type");
                let name = self.name(letter.chars().next().expect("a letter"), &mut names);
                self.variables.push((name, read(&mut of.chars(), &parameter)));
            }
            let wanted = match code {
                // A key of `sortBy` has a type of its own.
                "C" if template.contains("sortBy") => self.scalar(ORDERED),
                code => read(&mut code.chars(), &parameter),
            };
            // Any argument can be of a type that is known at run time only.
            let is_dynamic = depth > 0 && self.dice.below(40) == 0 && variables.is_empty();
            let written = self.expression(&wanted, depth + 1);
            self.variables.truncate(outside);
            let is_compound = written.contains([' ', '?']) || written.starts_with(['-', '!']);
            match (is_dynamic, is_compound) {
                (true, _) => result.push_str(&format!("dyn({written})")),
                (false, true) => result.push_str(&format!("({written})")),
                (false, false) => result.push_str(&written),
            }
        }
        result
    }

    fn name(&mut self, letter: char, names: &mut Vec<(char, String)>) -> String {
        if let Some((_, name)) = names.iter().find(|(known, _)| *known == letter) {
            return name.clone();
        }
        // Sometimes a variable hides another one.
        let name = if self.chance(8) { letter.to_string() } else { format!("{letter}{}", self.names) };
        self.names += 1;
        names.push((letter, name.clone()));
        name
    }

    // ---- schemas ----

    /// A schema and its type. Below a list or a map, names are few, so that paths share memory.
    fn schema(&mut self, depth: usize) -> (Value, Type) {
        let bound = |maker: &mut Self, schema: &mut Value, name: &str| {
            if !maker.chance(3) {
                schema[name] = json!([0, 1, 2, 5, 16, 64, 1000, 40_000][maker.dice.below(8)]);
            }
        };
        match self.dice.below(if depth > 2 { 8 } else { 14 }) {
            0 => (json!({"type": "boolean"}), Type::Scalar('b')),
            1 => (json!({"type": "integer", "format": "int64"}), Type::Scalar('i')),
            2 => (json!({"type": "number"}), Type::Scalar('d')),
            3 => {
                let mut schema = json!({"x-kubernetes-int-or-string": true});
                bound(self, &mut schema, "maxLength");
                (schema, Type::Scalar('x'))
            }
            4 => {
                let (format, of) = [("byte", 'y'), ("duration", 'r'), ("date", 'm'), ("date-time", 'm'), ("uuid", 't')]
                    [self.dice.below(5)];
                let mut schema = json!({"type": "string", "format": format});
                bound(self, &mut schema, "maxLength");
                (schema, Type::Scalar(of))
            }
            5 => (json!({"type": "string", "enum": ["a", "élan", "longest value"]}), Type::Scalar('t')),
            6 | 7 => {
                let mut schema = json!({"type": "string"});
                bound(self, &mut schema, "maxLength");
                (schema, Type::Scalar('t'))
            }
            8..=10 => {
                let (items, of) = self.schema(depth + 1);
                let mut schema = json!({"type": "array", "items": items});
                bound(self, &mut schema, "maxItems");
                (schema, Type::List(Box::new(of)))
            }
            11 => {
                let (values, of) = self.schema(depth + 1);
                let mut schema = json!({"type": "object", "additionalProperties": values});
                bound(self, &mut schema, "maxProperties");
                (schema, Type::Map(Box::new(Type::Scalar('t')), Box::new(of)))
            }
            _ => self.object(depth),
        }
    }

    fn object(&mut self, depth: usize) -> (Value, Type) {
        const NAMES: [(&str, &str); 8] = [
            ("a", "a"),
            ("b", "b"),
            ("c", "c"),
            ("items", "items"),
            ("key", "key"),
            ("x-y", "x__dash__y"),
            ("namespace", "namespace"),
            ("__u", "__underscores__u"),
        ];
        let (mut properties, mut fields, mut required) = (Map::new(), Vec::new(), Vec::new());
        for _ in 0..=1 + self.dice.below(4) {
            let (name, written) = NAMES[self.dice.below(NAMES.len())];
            if properties.contains_key(name) {
                continue;
            }
            let (schema, of) = self.schema(depth + 1);
            properties.insert(name.to_owned(), schema);
            let written = if name == "namespace" && self.chance(2) { "__namespace__" } else { written };
            fields.push((written.to_owned(), of));
            if self.chance(3) {
                required.push(name);
            }
        }
        let mut schema = json!({"type": "object", "properties": properties});
        if !required.is_empty() {
            schema["required"] = json!(required);
        }
        if self.chance(10) {
            schema["x-kubernetes-embedded-resource"] = json!(true);
            fields.push(("metadata".to_owned(), metadata()));
            fields.push(("kind".to_owned(), Type::Scalar('t')));
            for (name, of) in [("apiVersion", "string"), ("kind", "string"), ("metadata", "object")] {
                schema["properties"][name] = json!({"type": of});
            }
        }
        (schema, Type::Object(fields))
    }

    fn rules(&mut self, of: &Type, count: usize) -> Value {
        let rules = (0..count).map(|_| {
            self.names = 0;
            self.variables = vec![("self".to_owned(), of.clone())];
            let optional = self.chance(10);
            if self.chance(4) {
                let old = if optional { Type::Optional(Box::new(of.clone())) } else { of.clone() };
                self.variables.push(("oldSelf".to_owned(), old));
            }
            let mut rule = json!({"rule": self.expression(&Type::Scalar('b'), 0)});
            if optional {
                rule["optionalOldSelf"] = json!(true);
            }
            if self.chance(8) {
                rule["messageExpression"] = json!(self.expression(&Type::Scalar('t'), 0));
            }
            rule
        });
        rules.collect()
    }

    /// Adds rules to nodes of a schema.
    fn add_rules(&mut self, schema: &mut Value, of: &Type, count: usize, left: usize) {
        if left == 0 || self.chance(2) || count > 0 && left < 4 {
            schema["x-kubernetes-validations"] = self.rules(of, count.max(2));
        }
        if left == 0 {
            return;
        }
        match of {
            Type::List(item) => self.add_rules(&mut schema["items"], item, 2, left - 1),
            Type::Map(_, value) => self.add_rules(&mut schema["additionalProperties"], value, 2, left - 1),
            Type::Object(fields) => {
                let own = fields.iter().filter(|(name, _)| {
                    !matches!(name.as_str(), "metadata" | "kind" | "x__dash__y" | "__underscores__u" | "__namespace__")
                });
                let own: Vec<_> = own.collect();
                if let Some((name, field)) = self.dice.any(&own).map(|field| (*field).clone()) {
                    self.add_rules(&mut schema["properties"][name.as_str()], &field, 2, left - 1);
                }
            }
            _ => {}
        }
    }

    /// A CRD with rules.
    pub(super) fn crd(&mut self) -> Value {
        let (mut spec, of) = self.object(0);
        if spec.get("x-kubernetes-embedded-resource").is_none() {
            self.add_rules(&mut spec, &of, 8, 3);
        }
        let fields = vec![
            ("spec".to_owned(), of),
            ("metadata".to_owned(), metadata()),
            ("kind".to_owned(), Type::Scalar('t')),
            ("apiVersion".to_owned(), Type::Scalar('t')),
        ];
        let root = Type::Object(fields);
        let mut schema = json!({"type": "object", "properties": {"spec": spec}});
        schema["x-kubernetes-validations"] = self.rules(&root, 4);
        json!({
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "things.example.com"},
            "spec": {
                "group": "example.com",
                "scope": "Namespaced",
                "names": {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"},
                "versions": [{"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": schema}}],
            },
        })
    }
}

fn metadata() -> Type {
    Type::Object(["name", "generateName"].map(|name| (name.to_owned(), Type::Scalar('t'))).to_vec())
}
