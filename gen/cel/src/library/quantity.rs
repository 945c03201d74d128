//! `quantity` and its methods.

use crate::cost::Cost;
use crate::failure::Failure;
use crate::functions::{Function, function, method};
use crate::quantity::{self, parsed};
use crate::shapes::{BOOLEAN, DOUBLE, INTEGER, QUANTITY, Shape, TEXT};
use crate::value::Outcome;
use crate::value::Value::{self, Double, Integer, Quantity, Text};

const SUM: &[&[Shape]] = &[&[QUANTITY, QUANTITY], &[QUANTITY, INTEGER]];

#[rustfmt::skip]
pub(super) const FUNCTIONS: &[Function] = &[
    method("add", SUM, QUANTITY, |arguments, _| sum(arguments, 1)),
    method("asApproximateFloat", &[&[QUANTITY]], DOUBLE, run!(Quantity(quantity) => Double(quantity.approximate()))),
    method("asInteger", &[&[QUANTITY]], INTEGER, run!(Quantity(quantity) => integer(*quantity)?)),
    method("isInteger", &[&[QUANTITY]], BOOLEAN, run!(Quantity(quantity) => quantity.whole().is_some())),
    function("isQuantity", &[&[TEXT]], BOOLEAN, run!(Text(text) => parsed(text).is_ok())).costs(Cost::Scan(0)),
    function("quantity", &[&[TEXT]], QUANTITY, run!(Text(text) => Quantity(parsed(text)?))).costs(Cost::Scan(0)),
    function("sign", &[&[QUANTITY]], INTEGER, run!(Quantity(quantity) => quantity.sign())),
    method("sub", SUM, QUANTITY, |arguments, _| sum(arguments, -1)),
];

fn sum<'v>(arguments: &[Value<'v>], sign: i128) -> Outcome<'v> {
    let (quantity, other) = match arguments {
        [Quantity(quantity), Quantity(other)] => (quantity, *other),
        [Quantity(quantity), Integer(other)] => (quantity, quantity::Quantity::of_integer(*other)),
        _ => return Err(Failure::no_overload()),
    };
    quantity.plus(other, sign).map(Quantity)
}

fn integer(quantity: quantity::Quantity) -> Result<i64, Failure> {
    quantity.whole().ok_or_else(|| Failure::new("cannot convert value to integer"))
}
