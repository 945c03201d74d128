//! What the functions of rules compute, with the types of their arguments and results and their costs.
//!
//! Invariants: a name has one implementation, which chooses by the types of its arguments, so that it also serves calls whose types are known
//! at run time only. Overloads of one name are in the server's order.

/// What a function computes for arguments of these forms. Arguments of another form have no overload.
macro_rules! run {
    ($($argument:pat),* => $result:expr) => {
        |arguments, _| match arguments {
            [$($argument),*] => Ok(Value::from($result)),
            _ => Err(Failure::no_overload()),
        }
    };
}

mod format;
pub(crate) mod format_text;
pub(super) mod lists;
mod network;
pub(super) mod number;
mod quantity;
mod semantic_version;
pub(super) mod text;
mod time;
mod url;

use std::cmp::Ordering;
use std::sync::LazyLock;

use super::failure::Failure;
use super::functions::{Function, Overload, compiled, method};
use super::shapes::{AUTHORIZATION, BOOLEAN, INTEGER, QUANTITY, SEMVER, Shape, TEXT};
use super::value::Value;

/// Sorted by name. Those of one name are in the server's order.
static OVERLOADS: LazyLock<Vec<Overload>> = LazyLock::new(|| {
    let tables = [
        ADMISSION,
        COMPARISONS,
        lists::FUNCTIONS,
        network::FUNCTIONS,
        number::FUNCTIONS,
        quantity::FUNCTIONS,
        semantic_version::FUNCTIONS,
        text::FUNCTIONS,
        time::FUNCTIONS,
        url::FUNCTIONS,
    ];
    let functions = tables.into_iter().flatten().copied().chain(format::functions());
    let mut overloads: Vec<Overload> = functions.flat_map(Function::overloads).collect();
    overloads.sort_by_key(|overload| overload.name);
    overloads
});

/// Every way to call the function of this name.
pub(super) fn overloads(name: &str) -> &'static [Overload] {
    let start = OVERLOADS.partition_point(|overload| overload.name < name);
    let length = OVERLOADS[start..].partition_point(|overload| overload.name == name);
    &OVERLOADS[start..start + length]
}

/// Every way to call a function that rules of a CRD can call, sorted by name. Operators and macros are not functions.
pub fn functions() -> impl Iterator<Item = &'static Overload> {
    OVERLOADS.iter()
}

/// `compareTo` and similar, which quantities and versions have.
fn compared(arguments: &[Value<'_>]) -> Result<Ordering, Failure> {
    match arguments {
        [Value::Quantity(one), Value::Quantity(other)] => Ok(one.compare(other)),
        [Value::Version(one), Value::Version(other)] => Ok(one.cmp_precedence(other)),
        _ => Err(Failure::no_overload()),
    }
}

const QUANTITIES: &[&[Shape]] = &[&[QUANTITY, QUANTITY]];
const VERSIONS: &[&[Shape]] = &[&[SEMVER, SEMVER]];

#[rustfmt::skip]
const COMPARISONS: &[Function] = &[
    method("compareTo", QUANTITIES, INTEGER, |arguments, _| Ok(Value::Integer(compared(arguments)? as i64))),
    method("compareTo", VERSIONS, INTEGER, |arguments, _| Ok(Value::Integer(compared(arguments)? as i64))).since(34),
    method("isGreaterThan", QUANTITIES, BOOLEAN, |arguments, _| Ok(Value::Boolean(compared(arguments)?.is_gt()))),
    method("isGreaterThan", VERSIONS, BOOLEAN, |arguments, _| Ok(Value::Boolean(compared(arguments)?.is_gt()))).since(34),
    method("isLessThan", QUANTITIES, BOOLEAN, |arguments, _| Ok(Value::Boolean(compared(arguments)?.is_lt()))),
    method("isLessThan", VERSIONS, BOOLEAN, |arguments, _| Ok(Value::Boolean(compared(arguments)?.is_lt()))).since(34),
];

/// Only admission policies have the values that these functions take.
const ADMISSION: &[Function] = &[
    compiled("allowed", &[&[AUTHORIZATION]], BOOLEAN),
    compiled("check", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("error", &[&[AUTHORIZATION]], TEXT),
    compiled("errored", &[&[AUTHORIZATION]], BOOLEAN),
    compiled("fieldSelector", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("group", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("labelSelector", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("name", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("namespace", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("path", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("reason", &[&[AUTHORIZATION]], TEXT),
    compiled("resource", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
    compiled("serviceAccount", &[&[AUTHORIZATION, TEXT, TEXT]], AUTHORIZATION),
    compiled("subresource", &[&[AUTHORIZATION, TEXT]], AUTHORIZATION),
];
