//! `format.named`, the functions of named formats, and `validate`.

use crate::cost::Cost;
use crate::failure::Failure;
use crate::format::{FORMATS, named};
use crate::functions::{Function, function, method};
use crate::shapes::{FORMAT, Shape, TEXT, TEXTS};
use crate::value::{Outcome, Value};

const FUNCTIONS: [Function; 2] = [
    function(
        "format.named",
        &[&[TEXT]],
        Shape::Optional(&FORMAT),
        run!(Value::Text(name) => {
            Value::optional(named(name).map(Value::Format))
        }),
    ),
    method("validate", &[&[FORMAT, TEXT]], Shape::Optional(&TEXTS), validate).costs(Cost::Format),
];

/// The rows, with one for each format.
pub(super) fn functions() -> impl Iterator<Item = Function> {
    // The value is planned by the name.
    let of_format =
        |function: &'static str| self::function(function, &[&[]], FORMAT, |_, _| Err(Failure::no_overload()));
    FUNCTIONS.into_iter().chain(FORMATS.iter().map(move |format| of_format(format.function)))
}

fn validate<'v>(arguments: &[Value<'v>], _: u32) -> Outcome<'v> {
    let [Value::Format(format), Value::Text(text)] = arguments else { return Err(Failure::no_overload()) };
    let problems = (format.problems)(text);
    Ok(Value::optional((!problems.is_empty()).then(|| Value::list(problems.into_iter().map(Value::text).collect()))))
}
