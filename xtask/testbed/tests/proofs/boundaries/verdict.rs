//! What a server's answer to an outside object proves.
//!
//! Invariants: a refusal counts only if it tells of this constraint, by the words of the server for the keyword, the value of the keyword where
//! it has one, and the path. Whatever else is told must be foreseen: what our own validator says of the same value, CEL rules of the schema,
//! or that CEL rules were not looked at.

use crd_apiserver::boundary::{self, Boundary, Constraint, Keyword};
use crd_model::schema::Schema;
use serde_json::Value;

use crate::requests::Answer;

/// What a refusal told beside the constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Beside {
    /// Another constraint that the value breaks too.
    pub(crate) other: bool,
    /// A CEL rule.
    pub(crate) rule: bool,
}

impl Beside {
    /// Whether nothing was told but the constraint.
    pub(crate) fn is_nothing(self) -> bool {
        self == Self::default()
    }
}

/// Whether the answer refuses the outside object because of the constraint; if not, why not.
pub(crate) fn judge(
    schema: &Schema,
    constraint: &Constraint<'_>,
    boundary: &Boundary,
    answer: &Answer,
) -> Result<Beside, String> {
    let refused = |what: &str| Err(format!("{what}: {} {} {:?}", answer.code, answer.message(), answer.causes()));
    if answer.is_success() {
        return Err(format!("{} is accepted there", shortened(&boundary.outside_value)));
    }
    if let Some(words) = decoding_words(constraint) {
        let is_told = answer.code == 400 && words.iter().all(|words| answer.message().contains(words));
        return if is_told { Ok(Beside::default()) } else { refused("not refused as undecodable") };
    }
    if answer.code != 422 {
        return refused("not refused as invalid");
    }
    let path = &boundary.violation.path;
    let words = words(constraint);
    let mut is_told = false;
    let mut beside = Beside::default();
    for (field, message) in answer.causes() {
        if is_at(field, message, path)
            && words.iter().all(|words| words.iter().any(|words| message.contains(words.as_str())))
        {
            is_told = true;
        } else if let Some(foreseen) = foreseen(schema, boundary, field, message) {
            beside.other |= foreseen.other;
            beside.rule |= foreseen.rule;
        } else if !is_at(field, message, path) && !is_part_of(constraint, path, field, message) {
            return refused(&format!("something else is wrong ({field}: {message})"));
        }
    }
    if is_told { Ok(beside) } else { refused("the constraint is not told of") }
}

/// Whether the answer is that of a server that does not know the constraint: what else is wrong is told, and nothing if there is nothing.
pub(crate) fn is_unread(schema: &Schema, boundary: &Boundary, answer: &Answer) -> bool {
    if answer.is_success() {
        return boundary.also.is_empty();
    }
    let causes = answer.causes();
    answer.code == 422 && causes.iter().all(|(field, message)| foreseen(schema, boundary, field, message).is_some())
}

/// What is told beside the constraint, where that is no surprise.
fn foreseen(schema: &Schema, boundary: &Boundary, field: &str, message: &str) -> Option<Beside> {
    let none = Beside::default();
    if message.contains("some validation rules were not checked because the object was invalid") {
        // A rule is only evaluated where types and sizes are as it expects them.
        Some(none)
    } else if is_of_rule(schema, message) {
        Some(Beside { rule: true, ..none })
    } else if boundary.also.iter().any(|also| is_at(field, message, &also.path)) {
        Some(Beside { other: true, ..none })
    } else {
        None
    }
}

/// Whether something is told about this path. The server puts some errors at the top of what it validates, and names the path in the text; a
/// status is validated by itself, and texts name paths from there.
fn is_at(field: &str, message: &str, path: &str) -> bool {
    let told = path.strip_prefix("status.").unwrap_or(path);
    field == path || is_nowhere(field) && !told.is_empty() && message.contains(told)
}

/// The beginning of a value that may be long.
fn shortened(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

/// What a server says where an object cannot even be read: these four are looked at before there is an object.
fn decoding_words(constraint: &Constraint<'_>) -> Option<[&'static str; 2]> {
    match (constraint.place.to_string().as_str(), &constraint.keyword) {
        ("(root)", Keyword::Type) => Some(["cannot unmarshal string into Go value of type struct", "APIVersion"]),
        ("apiVersion", Keyword::Type) => {
            Some(["cannot unmarshal number into Go struct field", ".apiVersion of type string"])
        }
        ("kind", Keyword::Type) => Some(["cannot unmarshal number into Go struct field", ".kind of type string"]),
        ("metadata", Keyword::Type) => Some(["cannot unmarshal string into Go value of type", "ObjectMeta"]),
        _ => None,
    }
}

/// What the server says, in its own words, of a value that breaks the constraint: of each row one.
fn words(constraint: &Constraint<'_>) -> Vec<Vec<String>> {
    let node = constraint.node;
    let number = |bound: &Option<serde_json::Number>| bound.as_ref().map(ToString::to_string).unwrap_or_default();
    let count = |bound: Option<i64>| bound.unwrap_or_default();
    let kind = node.kind.as_deref().unwrap_or_default();
    let format = node.format.as_deref().unwrap_or_default();
    let too_many = |bound: Option<i64>| {
        let bound = count(bound);
        vec![format!("Too many: {}: ", bound + 1), format!("at most {bound} item")]
    };
    let all = match &constraint.keyword {
        // Where there is a format, that is what the server calls the type.
        Keyword::Type => return vec![[kind, format].map(|name| format!("must be of type {name}: ")).into()],
        Keyword::Enum => {
            let members = node.enumeration.iter().flatten().map(|member| match member.as_str() {
                Some(text) => format!("{text:?}"),
                None => format!("\"{member}\""),
            });
            ["Unsupported value: ".to_owned()].into_iter().chain(members).collect()
        }
        Keyword::Format if kind == "string" => vec![format!("must be of type {format}: ")],
        Keyword::Format => vec![format!("must be of type {kind} with format {format} in ")],
        Keyword::Pattern => vec![format!("should match '{}'", node.pattern.as_deref().unwrap_or_default())],
        Keyword::Minimum => vec![format!("should be greater than or equal to {}", number(&node.minimum))],
        Keyword::Maximum => vec![format!("should be less than or equal to {}", number(&node.maximum))],
        Keyword::MultipleOf => vec![format!("should be a multiple of {}", number(&node.multiple_of))],
        Keyword::MinLength => vec![format!("should be at least {} chars long", count(node.min_length))],
        Keyword::MaxLength => vec![format!("Too long: may not be more than {} bytes", count(node.max_length))],
        Keyword::MinItems => vec![format!("should have at least {} items", count(node.min_items))],
        Keyword::MaxItems => too_many(node.max_items),
        Keyword::MinProperties => vec![format!("should have at least {} properties", count(node.min_properties))],
        Keyword::MaxProperties => too_many(node.max_properties),
        Keyword::Required(_) => vec!["Required value".to_owned()],
        Keyword::UniqueItems | Keyword::ListMapKeys | Keyword::ListSet => vec!["Duplicate value: ".to_owned()],
        Keyword::AnyOf => vec!["must validate at least one schema (anyOf)".to_owned()],
        Keyword::OneOf => vec!["must validate one and only one schema (oneOf). Found none valid".to_owned()],
        Keyword::Not => vec!["must not validate the schema (not)".to_owned()],
        Keyword::AdditionalProperties => vec!["forbidden".to_owned()],
    };
    all.into_iter().map(|words| vec![words]).collect()
}

/// Whether the server names no field: it puts some errors at the top of what it validates, and names the path in the text.
fn is_nowhere(field: &str) -> bool {
    matches!(field, "<nil>" | "status" | "")
}

/// Whether what is told belongs to the constraint: the branches of a junctor are told with it.
fn is_part_of(constraint: &Constraint<'_>, path: &str, field: &str, message: &str) -> bool {
    let is_junctor = matches!(constraint.keyword, Keyword::AnyOf | Keyword::OneOf | Keyword::Not);
    is_junctor && (field.starts_with(path) || is_at(field, message, path))
}

/// Whether this is what a CEL rule of the schema says.
fn is_of_rule(schema: &Schema, message: &str) -> bool {
    let says = |rule: &crd_model::schema::Validation| match rule.message.as_deref() {
        Some(text) => message.ends_with(text),
        None => message.contains(rule.rule.trim()),
    };
    boundary::nodes(schema).iter().any(|(_, node)| node.validations.iter().any(says))
}

#[test]
fn a_refusal_for_another_reason_does_not_count() {
    use serde_json::json;

    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 3, "x-kubernetes-validations": [{"rule": "self != 'b'", "message": "no b"}]},
    }}}});
    let schema = Schema::from_value(&schema).expect("a schema");
    let constraints = boundary::constraints(&schema);
    let longest = constraints.iter().find(|constraint| constraint.keyword == Keyword::MaxLength).expect("it has one");
    let boundary = boundary::Search::new(&schema, serde_json::Map::new(), Vec::new(), |_, _| true).boundary(longest);
    let boundary = boundary.expect("it has two sides");
    let verdict = |code: u16, causes: &[(&str, &str)]| {
        let causes: Vec<Value> =
            causes.iter().map(|(field, message)| json!({"field": field, "message": message})).collect();
        let answer = Answer { code, body: json!({"details": {"causes": causes}}), warnings: Vec::new() };
        judge(&schema, longest, &boundary, &answer).ok()
    };
    let own = ("spec.name", "Too long: may not be more than 3 bytes");
    assert_eq!(verdict(422, &[own]), Some(Beside::default()));
    assert_eq!(verdict(422, &[own, ("spec.name", "Invalid value: no b")]), Some(Beside { rule: true, other: false }));
    assert_eq!(verdict(201, &[]), None, "accepted");
    assert_eq!(verdict(400, &[own]), None, "another code");
    assert_eq!(verdict(422, &[("spec.name", "Invalid value: no b")]), None, "a rule alone");
    assert_eq!(verdict(422, &[("spec.nam", own.1)]), None, "another path");
    assert_eq!(verdict(422, &[("spec.name", "Too long: may not be more than 33 bytes")]), None, "another bound");
    assert_eq!(verdict(422, &[own, ("spec.other", "Required value")]), None, "something else");
}
