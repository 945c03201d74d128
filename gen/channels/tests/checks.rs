//! Checks of values against types, in words.

use crd_channels::Typed;
use crd_channels::check::{Checked, assert, value_fits};
use crd_channels::facts::{Bounds, Facts, Kind};
use crd_channels::json::Json;

fn message(checked: Checked) -> String {
    checked.map_or_else(|text| text.as_str().to_owned(), |()| String::new())
}

#[test]
fn facts_see_through_options_lists_and_boxes() {
    const FACTS: Facts = <Option<Vec<Box<i32>>> as Typed>::FACTS;
    assert!(matches!(FACTS.kind, Kind::List));
    assert_eq!(<Option<Option<String>> as Typed>::OPTIONS, 2);
    assert_eq!(message(value_fits("default", &FACTS, &Json::List(&[Json::Integer(1)]))), "");
    assert_eq!(message(value_fits("default", &FACTS, &Json::Object(&[]))), "");
}

#[test]
fn misfits_are_told_in_words() {
    const FACTS: Facts = <Vec<i32> as Typed>::FACTS;
    assert_eq!(
        message(value_fits("default", &FACTS, &Json::List(&[Json::String("a")]))),
        "`+default`: `a` is a string, and each item is an integer"
    );
    assert_eq!(
        message(value_fits("default", &FACTS, &Json::List(&[Json::Integer(1 << 40)]))),
        "`+default`: 1099511627776 is not between -2147483648 and 2147483647, the range of the Rust type"
    );
    assert_eq!(
        message(value_fits("default", &<String as Typed>::FACTS, &Json::Boolean(true))),
        "`+default`: `true` is a boolean, and the field is a string: write it in quotes"
    );
    let short = <String as Typed>::FACTS.bounded(Bounds { length: (None, Some(1)), ..Bounds::NONE });
    assert_eq!(message(value_fits("default", &short, &Json::String("é"))), "");
    assert_eq!(
        message(value_fits("default", &short, &Json::String("éé"))),
        "`+default`: this has 2 characters, and the field can have at most 1"
    );
}

#[test]
#[should_panic(expected = "`+default`: null, and the field is an integer")]
fn an_error_is_a_panic_of_the_assertion() {
    assert(value_fits("default", &<u8 as Typed>::FACTS, &Json::Null));
}
