//! CEL rules of unions: whether every object of a schema satisfies such a rule.
//!
//! CEL expressions are not compared in general. These forms are those that generation writes for union markers and for enums with data, so
//! that a new variant is not a stricter rule:
//!
//! ```text
//! [has(self.a),has(self.b)].filter(x,x==true).size() == 1
//! !has(self.a) || self.type in ['A', 'B']
//! has(self.a) || !(self.type in ['A', 'B'])
//! self.type != 'A' || (…)
//! ```
//!
//! Invariants: `true` is proven for every object that the schema accepts; any other text of a rule is `false`.

use crd_cel::escape;
use crd_model::Schema;

/// Whether every object that the node accepts satisfies the rule.
pub(crate) fn holds(rule: &str, node: &Schema) -> bool {
    let others = || node.validations.iter().filter_map(|validation| Rule::parse(&validation.rule));
    match Rule::parse(rule) {
        None => false,
        Some(Rule::Count { fields, comparison }) => others().any(|other| {
            matches!(other, Rule::Count { fields: known, comparison: same } if same == comparison
                && known.iter().all(|field| fields.contains(field))
                && fields.iter().all(|field| known.contains(field) || is_absent(field, node)))
        }),
        Some(Rule::Forbidden { field, tag, values }) => {
            is_absent(field, node)
                || tag_values(tag, node).is_some_and(|all| all.iter().all(|value| values.contains(value)))
                || others().any(|other| {
                    matches!(other, Rule::Forbidden { field: same, tag: same_tag, values: known }
                        if (same, same_tag) == (field, tag) && known.iter().all(|value| values.contains(value)))
                })
        }
        Some(Rule::Required { field, tag, values }) => tag_values(tag, node).is_some_and(|all| {
            let is_required = |value: &&str| {
                others().any(|other| {
                    matches!(other, Rule::Required { field: same, tag: same_tag, values: known }
                        if (same, same_tag) == (field, tag) && known.contains(value))
                })
            };
            is_listed(field, node) || values.iter().filter(|value| all.contains(value)).all(is_required)
        }),
        Some(Rule::Limited { tag, value }) => tag_values(tag, node).is_some_and(|all| !all.contains(&value)),
    }
}

/// A rule of a union.
enum Rule<'r> {
    /// So many of the fields are set.
    Count { fields: Vec<&'r str>, comparison: &'r str },
    /// The field is absent unless the tag has one of these values.
    Forbidden { field: &'r str, tag: &'r str, values: Vec<&'r str> },
    /// The field is set if the tag has one of these values.
    Required { field: &'r str, tag: &'r str, values: Vec<&'r str> },
    /// Something holds if the tag has this value.
    Limited { tag: &'r str, value: &'r str },
}

impl<'r> Rule<'r> {
    fn parse(rule: &'r str) -> Option<Self> {
        if let Some(rest) = rule.strip_prefix('[') {
            let (fields, comparison) = rest.split_once("].filter(x,x==true).size() ")?;
            let field = |check: &'r str| name(check.strip_prefix("has(self.")?.strip_suffix(')')?);
            let fields = fields.split(',').map(field).collect::<Option<_>>()?;
            return ["== 1", "<= 1", ">= 1"].contains(&comparison).then_some(Rule::Count { fields, comparison });
        }
        if let Some(rest) = rule.strip_prefix("!has(self.") {
            let (field, rest) = rest.split_once(") || self.")?;
            let (tag, values) = rest.split_once(" in [")?;
            return Some(Rule::Forbidden {
                field: name(field)?,
                tag: name(tag)?,
                values: list(values.strip_suffix(']')?)?,
            });
        }
        if let Some(rest) = rule.strip_prefix("has(self.") {
            let (field, rest) = rest.split_once(") || !(self.")?;
            let (tag, values) = rest.split_once(" in [")?;
            return Some(Rule::Required {
                field: name(field)?,
                tag: name(tag)?,
                values: list(values.strip_suffix("])")?)?,
            });
        }
        let (tag, rest) = rule.strip_prefix("self.")?.split_once(" != '")?;
        let (value, rest) = rest.split_once("' || ")?;
        // `||` binds tighter than `? :`.
        (!rest.contains('?')).then_some(Rule::Limited { tag: name(tag)?, value: literal(value)? })
    }
}

/// A name that CEL can select.
fn name(text: &str) -> Option<&str> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    (!text.is_empty() && text.bytes().all(is_letter)).then_some(text)
}

/// The content of a string literal that is written without escapes.
fn literal(text: &str) -> Option<&str> {
    (!text.contains(['\'', '\\', '\n', '\r'])).then_some(text)
}

/// The strings of a list.
fn list(text: &str) -> Option<Vec<&str>> {
    text.strip_prefix('\'')?.strip_suffix('\'')?.split("', '").map(literal).collect()
}

/// Whether the name that a rule selects is that of the property.
fn selects(written: &str, property: &str) -> bool {
    escape(property).is_some_and(|escaped| escaped == written)
}

/// Whether no object of the node has the field after pruning.
fn is_absent(field: &str, node: &Schema) -> bool {
    node.preserve_unknown_fields != Some(true)
        && node.additional_properties.is_none()
        && !node.embedded_resource
        && !node.properties.keys().any(|property| selects(field, property))
}

/// Whether the field is in `required`.
fn is_listed(field: &str, node: &Schema) -> bool {
    node.required.iter().any(|required| selects(field, required))
}

/// All values of a required string.
fn tag_values<'n>(tag: &str, node: &'n Schema) -> Option<Vec<&'n str>> {
    let (_, property) = node.properties.iter().find(|(property, _)| selects(tag, property))?;
    if !is_listed(tag, node) || property.nullable {
        return None;
    }
    property.enumeration.as_ref()?.iter().map(|value| value.as_str()).collect()
}
