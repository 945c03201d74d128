//! Checks whether the answer to an outside object is a refusal for the constraint.
//!
//! Invariants: a refusal counts only if a cause has the server's message for the keyword, the keyword's value, and the path. All other causes
//! must be expected: findings of the validator for the same value, CEL rules of the schema, or the note that CEL rules were not checked.

use crd_boundary::{Boundary, Constraint, Keyword};
use crd_model::schema::Schema;
use serde_json::Value;

use crate::requests::Answer;

/// Other causes of a refusal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OtherCauses {
    /// Another constraint that the value violates too.
    pub(crate) other: bool,
    /// A CEL rule.
    pub(crate) rule: bool,
}

impl OtherCauses {
    /// Whether the constraint is the only cause.
    pub(crate) fn is_none(self) -> bool {
        self == Self::default()
    }
}

/// The other causes, if the answer refuses the outside object because of the constraint; otherwise a description of the difference.
pub(crate) fn refusal(
    schema: &Schema,
    constraint: &Constraint<'_>,
    boundary: &Boundary,
    answer: &Answer,
) -> Result<OtherCauses, String> {
    let refused = |what: &str| Err(format!("{what}: {} {} {:?}", answer.code, answer.message(), answer.causes()));
    if answer.is_success() {
        return Err(format!("{} is accepted", shortened(&boundary.outside_value)));
    }
    if let Some(message_parts) = decoding_message(constraint) {
        let is_reported =
            answer.code == 400 && message_parts.iter().all(|message_parts| answer.message().contains(message_parts));
        return if is_reported { Ok(OtherCauses::default()) } else { refused("not refused as undecodable") };
    }
    if answer.code != 422 {
        return refused("not refused as invalid");
    }
    let path = &boundary.violation.path;
    let message_parts = message_parts(constraint);
    let mut is_reported = false;
    let mut others = OtherCauses::default();
    for (field, message) in answer.causes() {
        if is_at(field, message, path)
            && message_parts
                .iter()
                .all(|message_parts| message_parts.iter().any(|message_parts| message.contains(message_parts.as_str())))
        {
            is_reported = true;
        } else if let Some(expected_cause) = expected_cause(schema, boundary, field, message) {
            others.other |= expected_cause.other;
            others.rule |= expected_cause.rule;
        } else if !is_at(field, message, path) && !is_part_of(constraint, path, field, message) {
            return refused(&format!("unexpected cause ({field}: {message})"));
        }
    }
    if is_reported { Ok(others) } else { refused("the constraint is not reported") }
}

/// Whether the server does not check the constraint: the answer has only expected other causes, or none.
pub(crate) fn is_not_checked(schema: &Schema, boundary: &Boundary, answer: &Answer) -> bool {
    if answer.is_success() {
        return boundary.also.is_empty();
    }
    let causes = answer.causes();
    answer.code == 422
        && causes.iter().all(|(field, message)| expected_cause(schema, boundary, field, message).is_some())
}

/// The kind of an expected other cause; `None` if the cause is unexpected.
fn expected_cause(schema: &Schema, boundary: &Boundary, field: &str, message: &str) -> Option<OtherCauses> {
    let none = OtherCauses::default();
    if message.contains("some validation rules were not checked because the object was invalid") {
        // Rules are evaluated only if types and sizes are valid.
        Some(none)
    } else if is_of_rule(schema, message) {
        Some(OtherCauses { rule: true, ..none })
    } else if boundary.also.iter().any(|also| is_at(field, message, &also.path)) {
        Some(OtherCauses { other: true, ..none })
    } else {
        None
    }
}

/// Whether a cause is about this path. The server reports some errors at the root, with the path in the message. A status is validated
/// separately, and paths in messages start there.
fn is_at(field: &str, message: &str, path: &str) -> bool {
    let reported = path.strip_prefix("status.").unwrap_or(path);
    field == path || is_without_field(field) && !reported.is_empty() && message.contains(reported)
}

/// The start of a value, which may be long.
fn shortened(value: &Value) -> String {
    value.to_string().chars().take(80).collect()
}

/// The server's message if an object cannot be read: it checks these four types before it decodes the object.
fn decoding_message(constraint: &Constraint<'_>) -> Option<[&'static str; 2]> {
    match (constraint.path.to_string().as_str(), &constraint.keyword) {
        ("(root)", Keyword::Type) => Some(["cannot unmarshal string into Go value of type struct", "APIVersion"]),
        ("apiVersion", Keyword::Type) => {
            Some(["cannot unmarshal number into Go struct field", ".apiVersion of type string"])
        }
        ("kind", Keyword::Type) => Some(["cannot unmarshal number into Go struct field", ".kind of type string"]),
        ("metadata", Keyword::Type) => Some(["cannot unmarshal string into Go value of type", "ObjectMeta"]),
        _ => None,
    }
}

/// The server's messages for a value that violates the constraint: one alternative of each row must appear.
fn message_parts(constraint: &Constraint<'_>) -> Vec<Vec<String>> {
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
        // If the node has a format, the server uses it as the name of the type.
        // A number with a fraction is reported with both.
        Keyword::Type => {
            let names = [format!("{kind}: "), format!("{format}: "), format!("{kind} with format {format} in ")];
            return vec![names.map(|name| format!("must be of type {name}")).into()];
        }
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
    all.into_iter().map(|message_parts| vec![message_parts]).collect()
}

/// Whether the cause has no field: the server reports some errors at the root, with the path in the message.
fn is_without_field(field: &str) -> bool {
    matches!(field, "<nil>" | "status" | "")
}

/// Whether a cause belongs to the constraint: the server reports the branches of `anyOf`, `oneOf` and `not` with it.
fn is_part_of(constraint: &Constraint<'_>, path: &str, field: &str, message: &str) -> bool {
    let is_junctor = matches!(constraint.keyword, Keyword::AnyOf | Keyword::OneOf | Keyword::Not);
    is_junctor && (field.starts_with(path) || is_at(field, message, path))
}

/// Whether this is the message of a CEL rule of the schema.
fn is_of_rule(schema: &Schema, message: &str) -> bool {
    let has_message = |rule: &crd_model::schema::Validation| match rule.message.as_deref() {
        Some(text) => message.ends_with(text),
        None => message.contains(rule.rule.trim()),
    };
    crd_model::schema::nodes(schema).iter().any(|(_, node)| node.validations.iter().any(has_message))
}

#[test]
fn a_refusal_for_another_reason_does_not_count() {
    use serde_json::json;

    let schema = json!({"type": "object", "properties": {"spec": {"type": "object", "properties": {
        "name": {"type": "string", "maxLength": 3, "x-kubernetes-validations": [{"rule": "self != 'b'", "message": "no b"}]},
    }}}});
    let schema = Schema::from_value(&schema).expect("a schema");
    let constraints = crd_boundary::constraints(&schema);
    let longest = constraints.iter().find(|constraint| constraint.keyword == Keyword::MaxLength).expect("it has one");
    let boundary =
        crd_boundary::Search::new(&schema, serde_json::Map::new(), Vec::new(), |_, _| true).boundary(longest);
    let boundary = boundary.expect("it has two sides");
    let verdict = |code: u16, causes: &[(&str, &str)]| {
        let causes: Vec<Value> =
            causes.iter().map(|(field, message)| json!({"field": field, "message": message})).collect();
        let answer = Answer { code, body: json!({"details": {"causes": causes}}), ..Answer::default() };
        refusal(&schema, longest, &boundary, &answer).ok()
    };
    let own = ("spec.name", "Too long: may not be more than 3 bytes");
    assert_eq!(verdict(422, &[own]), Some(OtherCauses::default()));
    assert_eq!(
        verdict(422, &[own, ("spec.name", "Invalid value: no b")]),
        Some(OtherCauses { rule: true, other: false })
    );
    assert_eq!(verdict(201, &[]), None, "accepted");
    assert_eq!(verdict(400, &[own]), None, "another code");
    assert_eq!(verdict(422, &[("spec.name", "Invalid value: no b")]), None, "a rule alone");
    assert_eq!(verdict(422, &[("spec.nam", own.1)]), None, "another path");
    assert_eq!(verdict(422, &[("spec.name", "Too long: may not be more than 33 bytes")]), None, "another bound");
    assert_eq!(verdict(422, &[own, ("spec.other", "Required value")]), None, "another cause");
}
