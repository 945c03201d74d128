//! `format.named` and `validate`.

use crate::failure::Failure;
use crate::format::named;
use crate::value::{Outcome, Value};

pub(super) fn optional_named<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Text(name)] = arguments else { return Err(Failure::no_overload()) };
    Ok(named(name).map_or(Value::Optional(None), |format| Value::some(Value::Format(format))))
}

pub(super) fn validate<'v>(arguments: &[Value<'v>]) -> Outcome<'v> {
    let [Value::Format(format), Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    let problems = (format.problems)(text);
    if problems.is_empty() {
        return Ok(Value::Optional(None));
    }
    Ok(Value::some(Value::list(problems.into_iter().map(Value::text).collect())))
}
