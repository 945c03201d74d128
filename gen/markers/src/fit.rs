//! The kinds of values on the wire, and which markers apply to which kind.
//!
//! Both the macro and the constant checks of `crd-channels` use these tables, so that both report the same message.
//!
//! Invariants: everything here is evaluated at compile time.

use crate::text::{Text, same};

/// The prefix of validation markers.
pub const VALIDATION: &str = "kubebuilder:validation:";
/// The prefix of validation markers for the items of a list.
pub const ITEMS: &str = "kubebuilder:validation:items:";

/// The kind of a value on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A string.
    String,
    /// A boolean.
    Boolean,
    /// An integer.
    Integer,
    /// A number.
    Number,
    /// A list.
    List,
    /// A map.
    Map,
    /// A struct.
    Struct,
    /// An integer or a string.
    IntOrString,
    /// Any object.
    Object,
    /// Any value, or a value of unknown kind.
    Any,
}

impl Kind {
    /// Its name in messages.
    pub const fn in_words(self) -> &'static str {
        match self {
            Kind::String => "a string",
            Kind::Boolean => "a boolean",
            Kind::Integer => "an integer",
            Kind::Number => "a number",
            Kind::List => "a list",
            Kind::Map => "a map",
            Kind::Struct => "a struct",
            Kind::IntOrString => "an integer or a string",
            Kind::Object => "an object",
            Kind::Any => "any value",
        }
    }
}

/// What kinds of values a marker constrains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applies {
    /// Strings, and int-or-string.
    Text,
    /// Integers and numbers.
    Numeric,
    /// Lists.
    List,
    /// Maps and structs.
    Object,
    /// Structs only.
    Struct,
    /// Scalars: strings, numbers, booleans.
    Scalar,
    /// Anything.
    Anything,
}

impl Applies {
    /// Whether the marker applies to values of that kind. Values of unknown kind pass.
    pub const fn takes(self, kind: Kind) -> bool {
        if matches!(kind, Kind::Any) {
            return true;
        }
        match self {
            Applies::Text => matches!(kind, Kind::String | Kind::IntOrString),
            Applies::Numeric => matches!(kind, Kind::Integer | Kind::Number),
            Applies::List => matches!(kind, Kind::List),
            Applies::Object => matches!(kind, Kind::Map | Kind::Struct | Kind::Object),
            Applies::Struct => matches!(kind, Kind::Struct),
            Applies::Scalar => {
                matches!(kind, Kind::String | Kind::Boolean | Kind::Integer | Kind::Number | Kind::IntOrString)
            }
            Applies::Anything => true,
        }
    }

    /// Its name in messages.
    pub const fn in_words(self) -> &'static str {
        match self {
            Applies::Text => "strings",
            Applies::Numeric => "numbers",
            Applies::List => "lists",
            Applies::Object => "maps and structs",
            Applies::Struct => "structs",
            Applies::Scalar => "strings, numbers and booleans",
            Applies::Anything => "anything",
        }
    }
}

/// Markers with the same meaning for different kinds of values, by the last part of their names.
const COUNTERPARTS: [[(&str, Applies); 4]; 2] = [
    [
        ("MaxLength", Applies::Text),
        ("Maximum", Applies::Numeric),
        ("MaxItems", Applies::List),
        ("MaxProperties", Applies::Object),
    ],
    [
        ("MinLength", Applies::Text),
        ("Minimum", Applies::Numeric),
        ("MinItems", Applies::List),
        ("MinProperties", Applies::Object),
    ],
];

/// The message for a marker on a value of the wrong kind. `items`: the marker has a form for the items of a list.
pub const fn mismatch(name: &str, applies: Applies, items: bool, kind: Kind) -> Text {
    let mut text = Text::of(&["`+", name, "` is for ", applies.in_words(), ", and this is ", kind.in_words()]);
    let (prefix, last) = match without_prefix(name, ITEMS) {
        Some(last) => (ITEMS, last),
        None => match without_prefix(name, VALIDATION) {
            Some(last) => (VALIDATION, last),
            None => return text,
        },
    };
    let mut lead = ": write `+";
    if items && same(prefix, VALIDATION) && matches!(kind, Kind::List) {
        text = text.and(&[": for its items write `+", ITEMS, last, "`"]);
        lead = ", for the list itself `+";
    }
    match counterpart(last, kind) {
        Some(other) => text.and(&[lead, prefix, other, "`"]),
        None => text,
    }
}

/// The message for an items marker on a value without items.
pub const fn no_list(name: &str, kind: Kind) -> Text {
    let text = Text::of(&["`+", name, "` is for the items of a list, and this is ", kind.in_words()]);
    match without_prefix(name, ITEMS) {
        Some(last) => text.and(&[": for the value itself write `+", VALIDATION, last, "`"]),
        None => text,
    }
}

const fn without_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    if name.len() < prefix.len() || !name.is_char_boundary(prefix.len()) {
        return None;
    }
    let (start, rest) = name.split_at(prefix.len());
    if same(start, prefix) { Some(rest) } else { None }
}

/// The marker with the same meaning for another kind of value.
const fn counterpart(last: &str, kind: Kind) -> Option<&'static str> {
    let mut family = 0;
    while family < COUNTERPARTS.len() {
        let mut belongs = false;
        let mut fitting = None;
        let mut index = 0;
        while index < COUNTERPARTS[family].len() {
            let (name, applies) = COUNTERPARTS[family][index];
            if same(name, last) {
                belongs = true;
            } else if applies.takes(kind) {
                fitting = Some(name);
            }
            index += 1;
        }
        if belongs {
            return fitting;
        }
        family += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::MARKERS;

    #[test]
    fn counterparts_are_markers_for_those_values() {
        for (name, applies) in COUNTERPARTS.iter().flatten() {
            let spec = MARKERS.iter().find(|spec| spec.name == format!("{VALIDATION}{name}"));
            assert_eq!(spec.map(|spec| spec.applies), Some(*applies), "{name}");
        }
    }

    #[test]
    fn messages_name_the_marker_to_write_instead() {
        let message = |name: &str, applies, kind| mismatch(name, applies, true, kind).as_str().to_owned();
        assert_eq!(
            message("kubebuilder:validation:MaxLength", Applies::Text, Kind::Integer),
            "`+kubebuilder:validation:MaxLength` is for strings, and this is an integer: write `+kubebuilder:validation:Maximum`"
        );
        assert_eq!(
            message("kubebuilder:validation:Pattern", Applies::Text, Kind::List),
            "`+kubebuilder:validation:Pattern` is for strings, and this is a list: for its items write `+kubebuilder:validation:items:Pattern`"
        );
        assert_eq!(
            message("kubebuilder:validation:items:MinLength", Applies::Text, Kind::Integer),
            "`+kubebuilder:validation:items:MinLength` is for strings, and this is an integer: write `+kubebuilder:validation:items:Minimum`"
        );
        assert_eq!(
            message("kubebuilder:validation:MinLength", Applies::Text, Kind::List),
            "`+kubebuilder:validation:MinLength` is for strings, and this is a list: for its items write `+kubebuilder:validation:items:MinLength`, for the list itself `+kubebuilder:validation:MinItems`"
        );
        assert_eq!(message("listType", Applies::List, Kind::Map), "`+listType` is for lists, and this is a map");
        assert_eq!(
            no_list("kubebuilder:validation:items:Pattern", Kind::String).as_str(),
            "`+kubebuilder:validation:items:Pattern` is for the items of a list, and this is a string: for the value itself write `+kubebuilder:validation:Pattern`"
        );
    }
}
