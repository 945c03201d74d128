//! The checks of markers against the types behind them: the compiler evaluates them at the doc line of a marker, and a reader of source calls them.
//!
//! Invariants: each check resolves type aliases, newtypes and `Option`, because it uses the type and not its name; a check
//! passes where it cannot decide, and generation checks again; all are constant functions; texts are built only when a check fails.

pub use crate::fit::Applies;
use crate::fit::{mismatch, no_list};
use crate::text::{Text, is_among};

use crate::descriptor::{BaseType, TypeRef};
use crate::facts::{Bounds, Facts, Kind};
use crate::json::Json;

/// What a check returns: the text of the error.
pub type Checked = Result<(), Text>;

/// `?`, which is not constant.
macro_rules! pass {
    ($checked:expr) => {
        if let Err(text) = $checked {
            return Err(text);
        }
    };
}

const fn ensure(is_so: bool, message: &str) -> Checked {
    if is_so { Ok(()) } else { Err(Text::of(&[message])) }
}

/// A marker is on a value of a kind that it applies to. `items`: it has a form for the items of a list.
pub const fn marker_fits(name: &str, applies: Applies, items: bool, kind: Kind) -> Checked {
    if applies.takes(kind) { Ok(()) } else { Err(mismatch(name, applies, items, kind)) }
}

/// A marker for items is on a list whose items are of a kind that it applies to.
pub const fn items_marker_fits(name: &str, applies: Applies, facts: &Facts) -> Checked {
    match (facts.kind, facts.items) {
        (Kind::Any, _) | (Kind::List, None) => Ok(()),
        (Kind::List, Some(items)) => marker_fits(name, applies, false, items.kind),
        (kind, _) => Err(no_list(name, kind)),
    }
}

/// `+optional` is on an optional type.
pub const fn is_optional(options: u8, message: &str) -> Checked {
    ensure(options > 0, message)
}

/// `+required` is on a required type; a newtype wraps a required type.
pub const fn is_required(options: u8, message: &str) -> Checked {
    ensure(options == 0, message)
}

/// Two `Option`s around each other are legal only where they are written out.
pub const fn is_at_most_optional(options: u8) -> Checked {
    ensure(
        options <= 1,
        "an alias hides one `Option` behind another: write `Option<Option<…>>` out, so that null and absent differ visibly",
    )
}

/// `+k8s:enum` is on a closed enum.
pub const fn is_closed_enum(facts: &Facts) -> Checked {
    ensure(
        facts.values.is_some() || matches!(facts.kind, Kind::Any),
        "`+k8s:enum` makes the variants of an enum the only values, but the type of this field is not such an enum: put `#[api]` on a Rust enum (without `open`), or remove the marker",
    )
}

/// The metadata of a resource has the type `ObjectMeta`.
pub const fn is_object_meta(kind: TypeRef) -> Checked {
    ensure(
        matches!(kind, TypeRef::Base(BaseType::ObjectMeta)),
        "`metadata` must have the type of Kubernetes' object metadata: write `pub metadata: crd_channels::ObjectMeta`",
    )
}

/// The items have the field that identifies them.
pub const fn has_list_map_key(name: &str, facts: &Facts, key: &str) -> Checked {
    let Some(items) = facts.items else { return Ok(()) };
    match items.kind {
        Kind::Any | Kind::Object => Ok(()),
        Kind::Struct => match items.field(key) {
            Some(field) if Applies::Scalar.takes(field.kind) => Ok(()),
            Some(field) => Err(Text::of(&[
                "`+",
                name,
                "=",
                key,
                "`: a key must be a string, a number or a boolean, and `",
                key,
                "` is ",
                field.kind.in_words(),
            ])),
            None => Err(and_fields(
                Text::of(&["`+", name, "=", key, "`: the items of this list have no field `", key, "` on the wire"]),
                items,
            )),
        },
        other => Err(Text::of(&[
            "`+",
            name,
            "=",
            key,
            "`: the items of a list of type `map` are structs, and those of this list are each ",
            other.in_words(),
            ": write `+listType=set` or `+listType=atomic`",
        ])),
    }
}

/// A default, or a value of `Enum`, is a value of its field.
pub const fn value_fits(name: &str, facts: &Facts, value: &Json) -> Checked {
    fits(name, "the field", facts, value)
}

/// The values of `Enum` are values of their field, or of its items.
pub const fn values_fit(name: &str, items: bool, facts: &Facts, values: &[Json]) -> Checked {
    let (subject, facts) = match (items, facts.items) {
        (false, _) => ("the field", facts),
        (true, Some(items)) => ("each item", items),
        (true, None) => return Ok(()),
    };
    // Elsewhere the marker itself is wrong, which is another check's business.
    if !Applies::Scalar.takes(facts.kind) {
        return Ok(());
    }
    let mut index = 0;
    while index < values.len() {
        pass!(fits(name, subject, facts, &values[index]));
        index += 1;
    }
    Ok(())
}

/// The beginning of a message about a marker.
const fn start(name: &str) -> Text {
    Text::of(&["`+", name, "`: "])
}

const fn fits(name: &str, subject: &str, facts: &Facts, value: &Json) -> Checked {
    match (value, facts.kind) {
        (_, Kind::Any) | (Json::Boolean(_), Kind::Boolean) => Ok(()),
        (Json::String(_) | Json::Integer(_), Kind::IntOrString) => Ok(()),
        (Json::String(text), Kind::String) => {
            if let Some(values) = facts.values
                && !is_among(values, text)
            {
                let text =
                    start(name).and(&["`", first_line(text), "` is none of the values that ", subject, " can have"]);
                return Err(and_names(text, ": ", values));
            }
            counts(name, subject, characters(text), facts.bounds.length, "characters")
        }
        (Json::Integer(integer), Kind::Integer) => {
            if let Some((smallest, largest)) = facts.range
                && ((*integer as i128) < smallest || (*integer as i128) > largest)
            {
                let text = start(name).and_integer(*integer as i128).and(&[" is not between "]).and_integer(smallest);
                return Err(text.and(&[" and "]).and_integer(largest).and(&[", the range of the Rust type"]));
            }
            within(name, subject, *integer as f64, facts.bounds)
        }
        (Json::Integer(integer), Kind::Number) => within(name, subject, *integer as f64, facts.bounds),
        (Json::Float(float), Kind::Number) => within(name, subject, *float, facts.bounds),
        (Json::List(items), Kind::List) => {
            pass!(counts(name, subject, items.len(), facts.bounds.items, "items"));
            if let Some(facts) = facts.items {
                let mut index = 0;
                while index < items.len() {
                    pass!(fits(name, "each item", facts, &items[index]));
                    index += 1;
                }
            }
            Ok(())
        }
        // `{}` is how controller-gen writes an empty list.
        (Json::Object([]), Kind::List) => counts(name, subject, 0, facts.bounds.items, "items"),
        (Json::Object(entries), Kind::Map | Kind::Object) => {
            counts(name, subject, entries.len(), facts.bounds.properties, "keys")
        }
        (Json::Object(entries), Kind::Struct) => {
            pass!(counts(name, subject, entries.len(), facts.bounds.properties, "keys"));
            let mut index = 0;
            while index < entries.len() {
                let key = entries[index].0;
                if facts.field(key).is_none() {
                    let text = start(name).and(&["the key `", key, "` is not a field of the struct on the wire"]);
                    return Err(and_fields(text, facts));
                }
                index += 1;
            }
            Ok(())
        }
        (value, kind) => Err(of_another_kind(name, subject, value, kind)),
    }
}

const fn of_another_kind(name: &str, subject: &str, value: &Json, kind: Kind) -> Text {
    let start = start(name);
    let text = match value {
        Json::Null => start.and(&["null"]),
        Json::Boolean(true) => start.and(&["`true` is a boolean"]),
        Json::Boolean(false) => start.and(&["`false` is a boolean"]),
        Json::Integer(integer) => start.and(&["`"]).and_integer(*integer as i128).and(&["` is an integer"]),
        Json::Float(_) => start.and(&["this is a number with a fraction"]),
        Json::String(text) => start.and(&["`", first_line(text), "` is a string"]),
        Json::List(_) => start.and(&["this is a list"]),
        Json::Object(_) => start.and(&["this is an object"]),
    };
    let text = text.and(&[", and ", subject, " is ", kind.in_words()]);
    let unquoted = matches!(value, Json::Boolean(_) | Json::Integer(_) | Json::Float(_));
    if unquoted && matches!(kind, Kind::String) { text.and(&[": write it in quotes"]) } else { text }
}

const fn within(name: &str, subject: &str, number: f64, bounds: Bounds) -> Checked {
    if let Some(smallest) = bounds.value.0
        && number < smallest
    {
        let text = start(name).and_number(number).and(&[" is below "]).and_number(smallest);
        return Err(text.and(&[", the smallest value that ", subject, " can have"]));
    }
    if let Some(largest) = bounds.value.1
        && number > largest
    {
        let text = start(name).and_number(number).and(&[" is above "]).and_number(largest);
        return Err(text.and(&[", the largest value that ", subject, " can have"]));
    }
    Ok(())
}

const fn counts(name: &str, subject: &str, count: usize, bounds: (Option<i64>, Option<i64>), what: &str) -> Checked {
    if let Some(smallest) = bounds.0
        && (count as i128) < smallest as i128
    {
        let text = start(name).and(&["this has "]).and_integer(count as i128).and(&[" ", what, ", and ", subject]);
        return Err(text.and(&[" must have at least "]).and_integer(smallest as i128));
    }
    if let Some(largest) = bounds.1
        && count as i128 > largest as i128
    {
        let text = start(name).and(&["this has "]).and_integer(count as i128).and(&[" ", what, ", and ", subject]);
        return Err(text.and(&[" can have at most "]).and_integer(largest as i128));
    }
    Ok(())
}

/// The text up to its first line break.
const fn first_line(text: &str) -> &str {
    let mut end = 0;
    while end < text.len() && text.as_bytes()[end] != b'\n' {
        end += 1;
    }
    text.split_at(end).0
}

/// The number of Unicode code points.
const fn characters(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut index, mut count) = (0, 0);
    while index < bytes.len() {
        // Every byte of UTF-8 but those that continue a character begins one.
        if bytes[index] & 0b1100_0000 != 0b1000_0000 {
            count += 1;
        }
        index += 1;
    }
    count
}

/// No lower bound is above its upper bound, also across the newtype and the field.
pub const fn bounds_are_ordered(facts: &Facts, own: Bounds) -> Checked {
    let bounds = facts.bounds.within(own);
    if let (Some(smallest), Some(largest)) = bounds.value
        && smallest > largest
    {
        let text = Text::of(&[UNORDERED, "value is "]).and_number(smallest);
        return Err(text.and(&[" and the largest "]).and_number(largest));
    }
    pass!(ordered(bounds.length, "length"));
    pass!(ordered(bounds.items, "number of items"));
    ordered(bounds.properties, "number of keys")
}

const UNORDERED: &str =
    "no value can be valid, because the bounds of the type apply in addition to those of the field: the smallest ";

const fn ordered(bounds: (Option<i64>, Option<i64>), what: &str) -> Checked {
    if let (Some(smallest), Some(largest)) = bounds
        && smallest > largest
    {
        let text = Text::of(&[UNORDERED, what, " is "]).and_integer(smallest as i128);
        return Err(text.and(&[" and the largest "]).and_integer(largest as i128));
    }
    Ok(())
}

/// A union names an optional field of the struct.
pub const fn union_names_optional_field(name: &str, facts: &Facts, field: &str) -> Checked {
    match facts.field(field) {
        None => {
            Err(and_fields(Text::of(&["`+", name, "`: this struct has no field `", field, "` on the wire"]), facts))
        }
        Some(found) if found.required => Err(Text::of(&[
            "`+",
            name,
            "`: the field `",
            field,
            "` is required, so it cannot be one of several optional fields: make it an `Option`",
        ])),
        Some(_) => Ok(()),
    }
}

/// A flattened field is a required struct, or a map that keeps the other fields as they are.
pub const fn can_be_flattened(kind: Kind, reference: TypeRef, options: u8, optional: &str) -> Checked {
    match (kind, reference) {
        (Kind::Struct, _) | (Kind::Map, TypeRef::Map(_, TypeRef::Base(BaseType::AnyJson))) => {
            ensure(options == 0, optional)
        }
        (Kind::Map, _) => Err(Text::of(&[
            "a flattened map keeps unknown fields, which no schema can describe: write `BTreeMap<String, AnyJson>`, or remove `flatten`",
        ])),
        _ => Err(Text::of(&[
            "only a struct or a map can be flattened, because its fields replace this one, and this is ",
            kind.in_words(),
        ])),
    }
}

/// The data of a variant whose fields are next to the tag is a struct without a field of that name.
pub const fn is_struct_of_variant(tag: &str, facts: &Facts) -> Checked {
    if !matches!(facts.kind, Kind::Struct) {
        return Err(Text::of(&[
            "the fields of this variant are next to `",
            tag,
            "`, so its data must be a struct, and this is ",
            facts.kind.in_words(),
            ": write `{ value: … }`",
        ]));
    }
    if facts.keeps_unknown_fields() {
        return Err(Text::of(&[
            "the struct has a flattened map, which would take `",
            tag,
            "`, the field that names the variant: make the map a field",
        ]));
    }
    if facts.field(tag).is_some() {
        return Err(Text::of(&[
            "the struct has a field `",
            tag,
            "`, which is the field that names the variant: rename one of both, with `#[serde(rename = \"…\")]` or `tag`",
        ]));
    }
    Ok(())
}

/// A field with `#[serde(default)]` and without a default in the schema is a list or a map. An alias may be an `Option`, which may be absent.
pub const fn is_empty_if_absent(kind: Kind, options: u8, message: &str) -> Checked {
    ensure(options > 0 || matches!(kind, Kind::List | Kind::Map | Kind::Any), message)
}

/// A flattened struct brings no name that the outer one has.
pub const fn flattened_names_are_free(outer: &[&str], inner: &Facts) -> Checked {
    if let Some(name) = first_field_among(outer, inner) {
        return Err(Text::of(&[
            "the flattened struct and the struct around it both have a field `",
            name,
            "` on the wire: rename one with `#[serde(rename = \"…\")]`",
        ]));
    }
    Ok(())
}

/// A flattened struct brings no tombstoned name.
pub const fn flattened_names_are_not_tombstoned(tombstoned: &[&str], inner: &Facts) -> Checked {
    if let Some(name) = first_field_among(tombstoned, inner) {
        return Err(Text::of(&[
            "the flattened struct has a field `",
            name,
            "`, for which this struct has a tombstone: the name must never return, because values of it may still be stored",
        ]));
    }
    Ok(())
}

/// Two flattened structs have no name in common, and at most one of them keeps unknown fields.
pub const fn flattened_structs_are_disjoint(earlier: &Facts, later: &Facts) -> Checked {
    pass!(ensure(
        !(earlier.keeps_unknown_fields() && later.keeps_unknown_fields()),
        "another flattened field keeps the unknown fields already: remove one of the maps",
    ));
    let mut index = 0;
    while index < earlier.fields.len() {
        pass!(flattened_names_are_free(&[earlier.fields[index].name], later));
        index += 1;
    }
    let mut index = 0;
    while index < earlier.flattened.len() {
        pass!(flattened_structs_are_disjoint(earlier.flattened[index], later));
        index += 1;
    }
    Ok(())
}

const fn first_field_among<'n>(names: &[&'n str], facts: &Facts) -> Option<&'n str> {
    let mut index = 0;
    while index < names.len() {
        if facts.field(names[index]).is_some() {
            return Some(names[index]);
        }
        index += 1;
    }
    None
}

/// Appends the names of a struct's fields to the text.
const fn and_fields(text: Text, facts: &Facts) -> Text {
    let (text, _) = and_further_fields(text, facts, ", only ");
    text
}

const fn and_further_fields<'l>(mut text: Text, facts: &Facts, mut lead: &'l str) -> (Text, &'l str) {
    let mut index = 0;
    while index < facts.fields.len() {
        text = text.and(&[lead, "`", facts.fields[index].name, "`"]);
        lead = ", ";
        index += 1;
    }
    let mut index = 0;
    while index < facts.flattened.len() {
        (text, lead) = and_further_fields(text, facts.flattened[index], lead);
        index += 1;
    }
    (text, lead)
}

/// Appends names to the text.
const fn and_names(mut text: Text, mut lead: &str, names: &[&str]) -> Text {
    let mut index = 0;
    while index < names.len() {
        text = text.and(&[lead, "`", names[index], "`"]);
        lead = ", ";
        index += 1;
    }
    text
}
