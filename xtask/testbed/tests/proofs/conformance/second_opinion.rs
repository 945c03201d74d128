//! The cases of cel-spec with two published evaluators, `cel-core` and `cel`, and expressions for which `cel-core` is a second opinion.
//!
//! Invariants: both have each library that they offer for the cases, the declarations of a case as far as they have types, and its container.
//! `cel` does not check types, so that it cannot express a case that is only checked.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::thread;

use cel_core::{CelType, Env, FunctionDecl, MapActivation, MapKey, OptionalValue, OverloadDecl, TypeValue, ValueMap};
use crd_cel::{Duration, Timestamp, Value};
use serde::Deserialize;

use super::textproto::Field;
use super::{Answer, Case};
use crate::tables::table;
/// The parts of expressions, and the known differences.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(super) struct Expressions {
    operands: Vec<&'static str>,
    texts: Vec<&'static str>,
    operators: Vec<&'static str>,
    functions: Vec<&'static str>,
    methods: Vec<&'static str>,
    parts: Vec<&'static str>,
    /// Parts of the expressions for which `cel-core` and Kubernetes have different values, and why.
    pub(super) differences: Vec<(&'static str, &'static str)>,
}

pub(super) static EXPRESSIONS: LazyLock<Expressions> = LazyLock::new(|| table(include_str!("expressions.yaml")));

/// Each operator and function of CEL with each operand, whether it has an overload for it or not.
pub(super) fn expressions() -> Vec<String> {
    let Expressions { operands, texts, operators, functions, methods, parts, .. } = &*EXPRESSIONS;
    let mut expressions = Vec::new();
    for one in operands.iter().chain(texts) {
        expressions.extend(functions.iter().map(|function| format!("{function}({one})")));
        expressions.extend(parts.iter().map(|part| format!("({one}).{part}()")));
        for two in operands.iter().chain(texts) {
            expressions.extend(operators.iter().map(|operator| format!("({one}) {operator} ({two})")));
            expressions.push(format!("({one})[{two}]"));
        }
    }
    for one in texts {
        for two in texts {
            expressions.extend(methods.iter().map(|method| format!("{one}.{method}({two})")));
        }
    }
    expressions
}

/// The answer of `cel-core`.
pub(super) fn cel_core(case: &Case<'_>) -> Answer {
    let mut environment = environment().with_container(case.container);
    for name in case.values.keys() {
        environment.add_variable(*name, CelType::Dyn);
    }
    for declaration in &case.declarations {
        let name = declaration.get("name").expect("a name").text();
        if let Some(declared) = declaration.get("ident").and_then(|ident| ident.get("type")) {
            environment.add_variable(name, core_type(declared));
        }
        if let Some(function) = declaration.get("function") {
            environment.add_function(FunctionDecl::new(name).with_overloads(function.all("overloads").map(overload)));
        }
    }
    cel_core_in(&environment, case)
}

/// The libraries of `cel-core`.
pub(super) fn environment() -> Env {
    Env::with_standard_library().with_all_extensions()
}

/// The answer of `cel-core` with the declarations of an environment.
pub(super) fn cel_core_in(environment: &Env, case: &Case<'_>) -> Answer {
    let compiled = match environment.compile(case.source) {
        Err(_) if !case.must_check() => environment.parse_only(case.source),
        compiled => compiled,
    };
    let program = match compiled.and_then(|tree| environment.program(&tree)) {
        Ok(_) if case.is_check_only => return Answer::Checked,
        Ok(program) => program,
        Err(error) => return Answer::Failed(error.to_string()),
    };
    let mut inputs = MapActivation::new();
    for (name, value) in &case.values {
        inputs.insert(*name, to_core(value));
    }
    match program.eval_with_container(&inputs, case.container) {
        cel_core::Value::Error(error) => Answer::Failed(error.to_string()),
        value => Answer::Value(from_core(&value)),
    }
}

fn overload(declared: &Field) -> OverloadDecl {
    let id = declared.get("overload_id").expect("an id").text();
    let result = core_type(declared.get("result_type").expect("a result"));
    let parameters: Vec<CelType> = declared.all("params").map(core_type).collect();
    let names = ["T", "U", "V"].map(str::to_owned).to_vec();
    OverloadDecl::function(id, parameters, result).with_type_params(names)
}

fn core_type(declared: &Field) -> CelType {
    let Field::Message(fields) = declared else { panic!("not a type: {declared:?}") };
    let (kind, content) = fields.first().expect("a kind of type");
    let part = |name: &str| core_type(content.get(name).expect("the type of a part"));
    match kind.as_str() {
        "dyn" => CelType::Dyn,
        "null" => CelType::Null,
        "type" => CelType::type_of(CelType::Dyn),
        "well_known" => match content.word() {
            "DURATION" => CelType::Duration,
            "TIMESTAMP" => CelType::Timestamp,
            unknown => panic!("unknown type `{unknown}`"),
        },
        "primitive" => match content.word() {
            "BOOL" => CelType::Bool,
            "INT64" => CelType::Int,
            "UINT64" => CelType::UInt,
            "DOUBLE" => CelType::Double,
            "STRING" => CelType::String,
            "BYTES" => CelType::Bytes,
            unknown => panic!("unknown type `{unknown}`"),
        },
        "list_type" => CelType::list(part("elem_type")),
        "map_type" => CelType::map(part("key_type"), part("value_type")),
        "type_param" => CelType::type_param(content.text()),
        "abstract_type" => {
            let parameters: Vec<CelType> = content.all("parameter_types").map(core_type).collect();
            CelType::abstract_type(content.get("name").expect("a name").text(), &parameters)
        }
        unknown => panic!("unknown kind of type `{unknown}`"),
    }
}

fn to_core(value: &Value<'_>) -> cel_core::Value {
    match value {
        Value::Null => cel_core::Value::Null,
        Value::Boolean(value) => (*value).into(),
        Value::Integer(value) => (*value).into(),
        Value::Unsigned(value) => (*value).into(),
        Value::Double(value) => (*value).into(),
        Value::Text(text) => (**text).into(),
        Value::Bytes(bytes) => Arc::clone(bytes).into(),
        Value::List(list) => list.iter().map(|item| to_core(&item)).collect::<Vec<_>>().into(),
        Value::Map(map) => {
            let key = |key: &Value<'_>| MapKey::from_value(&to_core(key)).expect("a key");
            let entries = map.entries().into_iter().map(|(name, value)| (key(&name), to_core(&value)));
            cel_core::Value::Map(Arc::new(ValueMap::from_entries(entries)))
        }
        Value::Type(name) => cel_core::Value::new_type(*name),
        value => panic!("a case does not bind {value:?}"),
    }
}

fn from_core(value: &cel_core::Value) -> Value<'static> {
    use cel_core::Value as Core;
    match value {
        Core::Null => Value::Null,
        Core::Bool(value) => Value::Boolean(*value),
        Core::Int(value) => Value::Integer(*value),
        Core::UInt(value) => Value::Unsigned(*value),
        Core::Double(value) => Value::Double(*value),
        Core::String(text) => Value::text(Arc::clone(text)),
        Core::Bytes(bytes) => Value::Bytes(Arc::clone(bytes)),
        Core::List(list) => Value::list(list.iter().map(from_core).collect()),
        Core::Map(map) => {
            let entries = map.iter().map(|(key, value)| (from_core(&key.to_value()), from_core(value)));
            Value::map(entries.collect()).expect("keys of a map")
        }
        Core::Timestamp(time) => timestamp(&time.to_datetime_utc().expect("a date").to_rfc3339()),
        Core::Duration(duration) => nanoseconds(duration.to_nanos()),
        // The name of CEL is `optional_type`.
        Core::Type(named) if *named == TypeValue::optional_type() => {
            Value::type_named("optional_type").expect("a type")
        }
        Core::Type(named) => Value::type_named(&named.name).unwrap_or_else(|| panic!("unknown type {named:?}")),
        Core::Optional(OptionalValue::None) => Value::optional(None),
        Core::Optional(OptionalValue::Some(value)) => Value::some(from_core(value)),
        Core::Message(_) | Core::Enum(_) | Core::Error(_) => panic!("not a value of a case: {value:?}"),
    }
}

fn timestamp(text: &str) -> Value<'static> {
    Value::Timestamp(Timestamp::parse(text).expect("a timestamp"))
}

fn nanoseconds(count: i64) -> Value<'static> {
    Value::Duration(Duration::parse(&format!("{count}ns")).expect("a duration"))
}

/// The answer of `cel`. In a debug build, the case `parse/nest/funcall` overflows the stack of 2 MiB that a test has.
pub(super) fn cel(case: &Case<'_>) -> Answer {
    let large = thread::Builder::new().stack_size(64 << 20);
    thread::scope(|scope| large.spawn_scoped(scope, || answer_of_cel(case)).expect("a thread").join())
        .expect("no panic")
}

fn answer_of_cel(case: &Case<'_>) -> Answer {
    if case.is_check_only {
        return Answer::CannotExpress;
    }
    let mut environment = cel::Env::stdlib();
    for extension in [cel::extensions::strings, cel::extensions::lists, cel::extensions::math] {
        environment.add_extension(extension).expect("an extension");
    }
    environment.set_container(case.container).expect("a container");
    let program = match environment.compile(case.source) {
        Ok(program) => program,
        Err(error) => return Answer::Failed(error.to_string()),
    };
    let mut inputs = cel::Context::with_env(Arc::new(environment));
    for (name, value) in &case.values {
        match value {
            Value::Type(value) => inputs.add_variable_as_val(*name, Box::new(cel::common::types::CelType::new(*value))),
            value => inputs.add_variable_from_value(*name, to_cel(value)),
        }
    }
    let result = match cel::Value::resolve_val(program.expression(), &inputs) {
        Ok(result) => result,
        Err(error) => return Answer::Failed(error.to_string()),
    };
    // As a `cel::Value`, a type is the text of its name.
    if let Some(named) = result.as_ref().downcast_ref::<cel::common::types::CelType>() {
        return Answer::Value(Value::type_named(named.name()).unwrap_or_else(|| panic!("unknown type {named:?}")));
    }
    match cel::Value::try_from(result.as_ref()) {
        Ok(value) => Answer::Value(from_cel(&value)),
        Err(error) => Answer::Failed(error.to_string()),
    }
}

fn to_cel(value: &Value<'_>) -> cel::Value {
    match value {
        Value::Null => cel::Value::Null,
        Value::Boolean(value) => cel::Value::Bool(*value),
        Value::Integer(value) => cel::Value::Int(*value),
        Value::Unsigned(value) => cel::Value::UInt(*value),
        Value::Double(value) => cel::Value::Float(*value),
        Value::Text(text) => (**text).into(),
        Value::Bytes(bytes) => cel::Value::Bytes(Arc::new(bytes.to_vec())),
        Value::List(list) => list.iter().map(|item| to_cel(&item)).collect::<Vec<_>>().into(),
        Value::Map(map) => {
            let entries = map.entries().into_iter().map(|(key, value)| {
                let key: cel::objects::Key = match key {
                    Value::Boolean(key) => key.into(),
                    Value::Integer(key) => key.into(),
                    Value::Unsigned(key) => key.into(),
                    Value::Text(key) => (*key).into(),
                    key => panic!("not a key: {key:?}"),
                };
                (key, to_cel(&value))
            });
            entries.collect::<HashMap<_, _>>().into()
        }
        value => panic!("a case does not bind {value:?}"),
    }
}

fn from_cel(value: &cel::Value) -> Value<'static> {
    match value {
        cel::Value::Null => Value::Null,
        cel::Value::Bool(value) => Value::Boolean(*value),
        cel::Value::Int(value) => Value::Integer(*value),
        cel::Value::UInt(value) => Value::Unsigned(*value),
        cel::Value::Float(value) => Value::Double(*value),
        cel::Value::String(text) => Value::text(text.as_str()),
        cel::Value::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
        cel::Value::List(list) => Value::list(list.iter().map(from_cel).collect()),
        cel::Value::Map(map) => {
            let entries = map.map.iter().map(|(key, value)| (from_cel(&cel::Value::from(key)), from_cel(value)));
            Value::map(entries.collect()).expect("keys of a map")
        }
        cel::Value::Timestamp(time) => timestamp(&time.to_utc().to_rfc3339()),
        cel::Value::Duration(duration) => nanoseconds(duration.num_nanoseconds().expect("a duration of CEL")),
        cel::Value::Opaque(opaque) => {
            let optional = opaque.downcast_ref::<cel::objects::OptionalValue>().expect("an optional value");
            Value::optional(optional.value().map(from_cel))
        }
        cel::Value::Function(..) | cel::Value::Struct(_) => panic!("not a value of a case: {value:?}"),
    }
}
