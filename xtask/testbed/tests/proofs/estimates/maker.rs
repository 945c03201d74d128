//! Random CRDs with random rules that have correct types mostly, over every function, operator and macro.
//!
//! Invariants: the same seed gives the same CRDs in every run.

use serde_json::{Map, Value, json};

use crate::random::dice::Dice;

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

/// Expressions by result. `{code}` is an expression of a type, `{code|v:code}` one with a variable, `$v` its name. Codes: a letter of
/// [`SCALARS`], `L`, `M`, `O` for a list, map and optional value of what follows, `T` for any type, `C` for an ordered one, `S` for one that
/// can be summed, `x` for a value whose type is not known.
#[rustfmt::skip]
const TEMPLATES: &[(&str, &str)] = &[
    ("b", "{T} == {T}"), ("b", "{T} == {T}"), ("b", "{T} != {T}"), ("b", "{C} < {C}"), ("b", "{C} >= {C}"), ("b", "{x} < {C}"), ("b", "{x} > {x}"),
    ("b", "{x} == {T}"), ("b", "{T} in {LT}"), ("b", "{t} in {MtT}"), ("b", "{t} in {x}"), ("b", "!{b}"), ("b", "{b} && {b}"),
    ("b", "{b} || {b} || {b}"), ("b", "{b} && {b} && {b} && {b}"), ("b", "bool({t})"), ("b", "{t}.startsWith({t})"), ("b", "{t}.endsWith({t})"),
    ("b", "{t}.contains({t})"), ("b", "{t}.matches('^[a-z]+$')"), ("b", "{t}.matches({t})"), ("b", "matches({t}, '^a{2}')"), ("b", "{x}.matches({t})"),
    ("b", "{LT}.all($v, {b|v:T})"), ("b", "{LT}.exists($v, {b|v:T})"), ("b", "{LT}.exists_one($v, {b|v:T})"), ("b", "{MtT}.all($v, {b|v:t})"),
    ("b", "{LT}.all($v, {b|v:T}) && {LT}.exists($v, {b|v:T})"), ("b", "{LT}.all($i, $v, {b|i:i,v:T})"), ("b", "{MtT}.all($k, $v, {b|k:t,v:T})"),
    ("b", "{LT}.exists($i, $v, {b|i:i,v:T})"), ("b", "{MtT}.existsOne($k, $v, {b|k:t,v:T})"), ("b", "{LT}.existsOne($i, $v, {b|i:i,v:T})"),
    ("b", "{x}.all($v, {b|v:x})"), ("b", "{LC}.isSorted()"), ("b", "sets.contains({LT}, {LT})"), ("b", "sets.intersects({LT}, {LT})"),
    ("b", "sets.equivalent({LT}, {LT})"), ("b", "isURL({t})"), ("b", "isIP({t})"), ("b", "isCIDR({t})"), ("b", "isQuantity({t})"), ("b", "isSemver({t})"),
    ("b", "isSemver({t}, {b})"), ("b", "ip.isCanonical({t})"), ("b", "{a}.isLoopback()"), ("b", "{a}.isUnspecified()"), ("b", "{a}.isGlobalUnicast()"),
    ("b", "{a}.isLinkLocalMulticast()"), ("b", "{a}.isLinkLocalUnicast()"), ("b", "{n}.containsIP({a})"), ("b", "{n}.containsIP({t})"),
    ("b", "{n}.containsCIDR({n})"), ("b", "{n}.containsCIDR({t})"), ("b", "{q}.isInteger()"), ("b", "{q}.isGreaterThan({q})"), ("b", "{q}.isLessThan({q})"),
    ("b", "{v}.isGreaterThan({v})"), ("b", "{v}.isLessThan({v})"), ("b", "{OT}.hasValue()"), ("b", "type({T}) == int"), ("b", "type({x}) == type({x})"),
    ("b", "{n}.containsIP({x})"), ("b", "{n}.containsCIDR({x})"), ("b", "{l} == {l}"), ("b", "{f} == {f}"), ("b", "{a} == {a}"), ("b", "{q} == {q}"),
    ("i", "{i} + {i}"), ("i", "{i} - {i}"), ("i", "{i} * {i}"), ("i", "{i} / {i}"), ("i", "{i} % {i}"), ("i", "-{i}"), ("i", "{x} + {i}"),
    ("i", "size({t})"), ("i", "{t}.size()"), ("i", "size({LT})"), ("i", "{LT}.size()"), ("i", "{MtT}.size()"), ("i", "{y}.size()"), ("i", "size({x})"),
    ("i", "int({t})"), ("i", "int({d})"), ("i", "int({u})"), ("i", "int({m})"), ("i", "int({x})"), ("i", "{t}.indexOf({t})"), ("i", "{t}.indexOf({t}, {i})"),
    ("i", "{t}.lastIndexOf({t})"), ("i", "{t}.lastIndexOf({t}, {i})"), ("i", "{LT}.indexOf({T})"), ("i", "{LT}.lastIndexOf({T})"), ("i", "{x}.indexOf({t})"),
    ("i", "{m}.getFullYear()"), ("i", "{m}.getHours({t})"), ("i", "{m}.getDayOfWeek()"), ("i", "{r}.getSeconds()"), ("i", "{r}.getMilliseconds()"),
    ("i", "{m}.getDate()"), ("i", "{m}.getDayOfMonth()"), ("i", "{m}.getDayOfYear()"), ("i", "{m}.getMonth()"), ("i", "{m}.getMinutes()"),
    ("i", "{q}.asInteger()"), ("i", "{q}.sign()"), ("i", "sign({q})"), ("i", "{q}.compareTo({q})"), ("i", "{v}.compareTo({v})"), ("i", "{v}.major()"), ("i", "{v}.minor()"),
    ("i", "{v}.patch()"), ("i", "{a}.family()"), ("i", "{n}.prefixLength()"),
    ("u", "{u} + {u}"), ("u", "uint({i})"), ("u", "uint({t})"), ("d", "double({i})"), ("d", "{d} * {d}"), ("d", "-{d}"), ("d", "{q}.asApproximateFloat()"),
    ("S", "{LS}.sum()"), ("C", "{LC}.min()"), ("C", "{LC}.max()"),
    ("t", "{t} + {t}"), ("t", "{t} + {x}"), ("t", "string({i})"), ("t", "string({b})"), ("t", "string({y})"), ("t", "string({x})"), ("t", "string({a})"),
    ("t", "string({n})"), ("t", "string({m})"), ("t", "string({r})"), ("t", "string({t})"), ("t", "{t}.charAt({i})"), ("t", "{t}.lowerAscii()"),
    ("t", "{t}.upperAscii()"), ("t", "{t}.trim()"), ("t", "{t}.substring({i})"), ("t", "{t}.substring({i}, {i})"), ("t", "{t}.replace({t}, {t})"),
    ("t", "{t}.replace({t}, {t}, {i})"), ("t", "{x}.replace({t}, {t})"), ("t", "{Lt}.join()"), ("t", "{Lt}.join({t})"), ("t", "{t}.find({t})"),
    ("t", "strings.quote({t})"), ("t", "'%s %d'.format([{T}, {i}])"), ("t", "{t}.format([{T}])"), ("t", "{l}.getHost()"), ("t", "{l}.getHostname()"),
    ("t", "{l}.getPort()"), ("t", "{l}.getScheme()"), ("t", "{l}.getEscapedPath()"), ("Lt", "{l}.getQuery()[{t}]"), ("MtLt", "{l}.getQuery()"),
    ("Lt", "{t}.split({t})"), ("Lt", "{t}.split({t}, {i})"), ("Lt", "{t}.split(',', 3)"), ("Lt", "{t}.findAll({t})"), ("Lt", "{t}.findAll({t}, {i})"),
    ("y", "bytes({t})"), ("y", "bytes({x})"), ("y", "bytes({y})"), ("y", "{y} + {y}"), ("r", "duration({t})"), ("r", "{r} + {r}"), ("r", "{m} - {m}"),
    ("m", "timestamp({t})"), ("m", "timestamp({i})"), ("m", "{m} + {r}"), ("m", "{r} + {m}"), ("m", "{m} - {r}"),
    ("q", "quantity({t})"), ("q", "{q}.add({q})"), ("q", "{q}.add({i})"), ("q", "{q}.sub({q})"), ("a", "ip({t})"), ("a", "{n}.ip()"), ("n", "cidr({t})"),
    ("n", "{n}.masked()"), ("l", "url({t})"), ("v", "semver({t})"), ("v", "semver({t}, {b})"), ("f", "format.dns1123Label()"), ("f", "format.uuid()"),
    ("Of", "format.named({t})"), ("OLt", "{f}.validate({t})"), ("OLt", "{f}.validate({x})"),
    ("T", "({b} ? {T} : {T})"), ("T", "({b} ? {T} : {T})"), ("T", "{LT}[{i}]"), ("T", "{LT}[0]"), ("T", "{MtT}[{t}]"), ("T", "{OT}.value()"),
    ("T", "{OT}.orValue({T})"), ("x", "dyn({T})"), ("x", "{x}[{i}]"), ("x", "{x}[{t}]"), ("x", "{x}.field"), ("x", "{x} + {x}"),
    ("x", "type({T})"), ("x", "[{T}, dyn({T})][0]"), ("x", "({b} ? {x} : {T})"),
    ("LT", "[{T}]"), ("LT", "[{T}, {T}]"), ("LT", "[{T}, {T}, {T}]"), ("LT", "[?{OT}, {T}]"), ("LT", "({LT} + {LT})"), ("LT", "{LT}.filter($v, {b|v:T})"),
    ("LT", "{LT}.map($v, {T|v:T})"), ("LT", "{Lt}.map($v, {T|v:t})"), ("LT", "{Li}.map($v, {b|v:i}, {T|v:i})"), ("LT", "{MtT}.map($v, {T|v:t})"),
    ("LT", "{LT}.transformList($i, $v, {T|i:i,v:T})"), ("LT", "{LT}.transformList($i, $v, {b|i:i,v:T}, {T|i:i,v:T})"),
    ("LT", "{MtT}.transformList($k, $v, {T|k:t,v:T})"), ("LT", "{LT}.slice({i}, {i})"), ("LT", "{LT}.slice(1, 4)"), ("LT", "{LT}.slice(5, 2)"), ("LT", "{LT}.reverse()"),
    ("LT", "{LT}.distinct()"), ("LT", "{LLT}.flatten()"), ("Lx", "{Lx}.flatten({i})"), ("Lx", "{Lx}.flatten(2)"), ("LC", "{LC}.sort()"),
    ("LT", "{LT}.sortBy($v, {C|v:T})"), ("LT", "{LT}.sortBy($v, {t|v:T})"), ("Li", "lists.range({i})"), ("Li", "lists.range(7)"), ("Lt", "{MtT}.map($k, $k)"),
    ("LT", "optional.unwrap({LOT})"), ("LT", "{LOT}.unwrapOpt()"), ("Lt", "{MtT}.filter($k, {b|k:t})"),
    ("MtT", "{{t}: {T}}"), ("MtT", "{{t}: {T}, {t}: {T}}"), ("MtT", "{?{t}: {OT}}"), ("MtT", "{MtT}.transformMap($k, $v, {T|k:t,v:T})"),
    ("MtT", "{MtT}.transformMap($k, $v, {b|k:t,v:T}, {T|k:t,v:T})"), ("MiT", "{LT}.transformMap($i, $v, {T|i:i,v:T})"),
    ("MtT", "{LT}.transformMapEntry($i, $v, {{t|i:i,v:T}: {T|i:i,v:T}})"), ("MtT", "{MtT}.transformMapEntry($k, $v, {b|k:t,v:T}, {$k: {T|k:t,v:T}})"),
    ("OT", "optional.of({T})"), ("OT", "({b} ? {OT} : optional.none())"), ("OT", "optional.none().or({OT})"), ("b", "{OT} == optional.none()"), ("T", "optional.none().orValue({T})"), ("LT", "({LT} + [])"), ("b", "[] == {LT}"), ("OT", "optional.ofNonZeroValue({T})"), ("OT", "{LT}[?{i}]"), ("OT", "{MtT}[?{t}]"),
    ("OT", "{MtT}.?key"), ("OT", "{OT}.or({OT})"), ("OT", "{OT}.optMap($v, {T|v:T})"), ("OT", "{Ot}.optMap($v, {T|v:t})"), ("OT", "{OT}.optFlatMap($v, {OT|v:T})"),
    ("OT", "{LT}.first()"), ("OT", "{LT}.last()"), ("OT", "{OLT}[{i}]"), ("OT", "{OMtT}.key"), ("OT", "{OMtT}[{t}]"), ("Ox", "{x}.?field"), ("Ox", "{x}[?{i}]"),
];

/// Literals of each scalar.
fn literals(of: char) -> &'static [&'static str] {
    match of {
        'b' => &["true", "false"],
        'i' => &["0", "1", "7", "-3", "100", "0x10"],
        'u' => &["1u", "20u"],
        'd' => &["1.5", "-0.25", "1e3"],
        't' => &["''", "'a'", "'abcdefghijklmnop'", "'é😀'", "r'\\d+'", "\"1h\"", "'10.0.0.0/8'"],
        'y' => &["b'abc'", "b''"],
        'r' => &["duration('1h')"],
        'm' => &["timestamp('2026-01-01T00:00:00Z')"],
        'q' => &["quantity('1Gi')"],
        'a' => &["ip('::1')"],
        'n' => &["cidr('10.0.0.0/8')"],
        'l' => &["url('https://example.com')"],
        'v' => &["semver('1.2.3')"],
        'f' => &["format.dns1123Label()", "format.byte()"],
        _ => &["dyn(1)", "dyn('a')", "dyn([1])"],
    }
}

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
                let (result, template) = *self.dice.pick(TEMPLATES);
                if let Some(parameter) = unify(&mut result.chars(), wanted) {
                    return self.filled(template, parameter, depth);
                }
            }
        }
        match wanted {
            Type::Scalar(scalar) => self.dice.one(literals(*scalar)).to_owned(),
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
