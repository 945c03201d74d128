//! `bounds`: some value can keep within the bounds of a node.
//!
//! Ours. The server accepts bounds that contradict each other, negative upper limits and a `multipleOf` of zero, and
//! then refuses every value. The same where an integer has a bound or `multipleOf` that is not whole, or is beyond its
//! format.

use super::{Node, NodeReport};
use serde_json::Number;

pub(super) fn check(node: &Node<'_>, report: &mut NodeReport<'_, '_>) {
    let schema = node.schema;
    let mut refuse =
        |message: String| report.here(format!("{message}; the server would accept this and then refuse every value"));
    let number = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_f64);
    let is_exclusive = schema.exclusive_minimum || schema.exclusive_maximum;
    if let (Some(least), Some(greatest)) = (number(&schema.minimum), number(&schema.maximum))
        && (least > greatest || least >= greatest && is_exclusive)
    {
        refuse(format!("no number is between the minimum {least} and the maximum {greatest}"));
    }
    if let Some(factor) = number(&schema.multiple_of).filter(|factor| *factor <= 0.0) {
        refuse(format!("multipleOf is {factor}; it must be positive"));
    }
    let numbers = [("minimum", &schema.minimum), ("maximum", &schema.maximum), ("multipleOf", &schema.multiple_of)];
    for (keyword, bound) in numbers {
        if let Some(bound) =
            number(bound).filter(|bound| node.kind() == "integer" && !is_integer(*bound, schema.format.as_deref()))
        {
            refuse(format!("{keyword} is {bound}, which the integer can never be"));
        }
    }
    let pairs = [
        ("minLength", schema.min_length, "maxLength", schema.max_length),
        ("minItems", schema.min_items, "maxItems", schema.max_items),
        ("minProperties", schema.min_properties, "maxProperties", schema.max_properties),
    ];
    for (least_keyword, least, greatest_keyword, greatest) in pairs {
        if let Some(greatest) = greatest.filter(|greatest| *greatest < least.unwrap_or(0).max(0)) {
            let least = least.unwrap_or(0);
            refuse(format!("{greatest_keyword} is {greatest}, less than {least_keyword} {least}"));
        }
    }
}

fn is_integer(number: f64, format: Option<&str>) -> bool {
    let range = if format == Some("int32") {
        -2_147_483_648.0..2_147_483_648.0
    } else {
        -9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0
    };
    number == number.trunc() && range.contains(&number)
}
