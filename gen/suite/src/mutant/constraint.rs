//! Mistakes in what a node declares, except the text of its rules.

use crd_boundary::Keyword;
use crd_model::schema::{self, Schema};
use serde_json::{Number, Value, json};

use super::{Site, What};
use crate::element::Requirement;

type Changed = Vec<(String, Schema)>;

impl Site<'_> {
    fn keyword(&self) -> Option<&Keyword> {
        match self.what {
            What::Element(Requirement::Constraint(keyword)) => Some(keyword),
            _ => None,
        }
    }

    /// The node after a change; nothing where it changes nothing.
    fn changed(&self, words: impl Into<String>, change: impl FnOnce(&mut Schema)) -> Changed {
        let mut node = self.node.clone();
        change(&mut node);
        if node == *self.node { Vec::new() } else { vec![(words.into(), node)] }
    }
}

pub(super) fn one_more(site: &Site<'_>) -> Changed {
    by(site, 1)
}

pub(super) fn one_less(site: &Site<'_>) -> Changed {
    by(site, -1)
}

/// The bound of a keyword that counts.
fn count<'s>(keyword: &Keyword, node: &'s mut Schema) -> Option<&'s mut Option<i64>> {
    Some(match keyword {
        Keyword::MinLength => &mut node.min_length,
        Keyword::MaxLength => &mut node.max_length,
        Keyword::MinItems => &mut node.min_items,
        Keyword::MaxItems => &mut node.max_items,
        Keyword::MinProperties => &mut node.min_properties,
        Keyword::MaxProperties => &mut node.max_properties,
        _ => return None,
    })
}

/// The bound of a keyword about numbers.
fn bound<'s>(keyword: &Keyword, node: &'s mut Schema) -> Option<&'s mut Option<Number>> {
    Some(match keyword {
        Keyword::Minimum => &mut node.minimum,
        Keyword::Maximum => &mut node.maximum,
        Keyword::MultipleOf => &mut node.multiple_of,
        _ => return None,
    })
}

fn by(site: &Site<'_>, step: i64) -> Changed {
    let Some(keyword) = site.keyword() else { return Vec::new() };
    let mut node = site.node.clone();
    let (before, after) = if let Some(Some(count)) = count(keyword, &mut node) {
        let before = *count;
        *count += step;
        (before.to_string(), count.to_string())
    } else if let Some(Some(number)) = bound(keyword, &mut node)
        && let Some(other) = neighbour(number, step)
    {
        let before = std::mem::replace(number, other);
        (before.to_string(), number.to_string())
    } else {
        return Vec::new();
    };
    vec![(format!("{keyword} {before} → {after}"), node)]
}

fn neighbour(number: &Number, step: i64) -> Option<Number> {
    match number.as_i64() {
        Some(number) => number.checked_add(step).map(Number::from),
        None => Number::from_f64(number.as_f64()? + step as f64),
    }
}

pub(super) fn exclusive(site: &Site<'_>) -> Changed {
    let words = |name: &str, is_exclusive: bool| match is_exclusive {
        true => format!("{name} inclusive → exclusive"),
        false => format!("{name} exclusive → inclusive"),
    };
    match site.keyword() {
        Some(Keyword::Minimum) => {
            let is_exclusive = !site.node.exclusive_minimum;
            site.changed(words("minimum", is_exclusive), |node| node.exclusive_minimum = is_exclusive)
        }
        Some(Keyword::Maximum) => {
            let is_exclusive = !site.node.exclusive_maximum;
            site.changed(words("maximum", is_exclusive), |node| node.exclusive_maximum = is_exclusive)
        }
        _ => Vec::new(),
    }
}

pub(super) fn dropped(site: &Site<'_>) -> Changed {
    let Some(keyword) = site.keyword() else { return Vec::new() };
    site.changed(format!("without {keyword}"), |node| {
        let exclusive = match keyword {
            Keyword::Type | Keyword::Required(_) | Keyword::ListMapKeys | Keyword::ListSet => return,
            Keyword::Minimum => Some(schema::Keyword::ExclusiveMinimum),
            Keyword::Maximum => Some(schema::Keyword::ExclusiveMaximum),
            _ => None,
        };
        let keywords = [keyword.of_schema()].into_iter().chain(exclusive);
        keywords.for_each(|keyword| node.copy(&Schema::default(), keyword));
    })
}

pub(super) fn without_anchor(site: &Site<'_>) -> Changed {
    let Some(pattern) = site.node.pattern.as_deref().filter(|_| site.keyword() == Some(&Keyword::Pattern)) else {
        return Vec::new();
    };
    let put = |words: &str, pattern: &str| {
        site.changed(format!("pattern {words}"), |node| node.pattern = Some(pattern.to_owned().into()))
    };
    let mut found = Vec::new();
    found.extend(pattern.strip_prefix('^').into_iter().flat_map(|pattern| put("without `^`", pattern)));
    found.extend(without_end(pattern).into_iter().flat_map(|pattern| put("without `$`", pattern)));
    found
}

/// A pattern without `$` at its end.
pub(super) fn without_end(pattern: &str) -> Option<&str> {
    let before = pattern.strip_suffix('$')?;
    let escapes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
    (escapes % 2 == 0).then_some(before)
}

pub(super) fn without_value(site: &Site<'_>) -> Changed {
    let What::Element(Requirement::Value(value)) = site.what else { return Vec::new() };
    site.changed(format!("enum without {value}"), |node| {
        node.enumeration.iter_mut().for_each(|members| members.retain(|member| member != value));
    })
}

pub(super) fn optional(site: &Site<'_>) -> Changed {
    let Some(Keyword::Required(name)) = site.keyword() else { return Vec::new() };
    site.changed(format!("{name} required → optional"), |node| node.required.retain(|required| required != name))
}

pub(super) fn required(site: &Site<'_>) -> Changed {
    let What::Optional(name) = site.what else { return Vec::new() };
    site.changed(format!("{name} optional → required"), |node| {
        node.required.push(name.to_owned().into());
        node.required.sort();
    })
}

pub(super) fn without_default(site: &Site<'_>) -> Changed {
    let What::Element(Requirement::Default(default)) = site.what else { return Vec::new() };
    site.changed(format!("without default {default}"), |node| node.default = None)
}

pub(super) fn other_default(site: &Site<'_>) -> Changed {
    let What::Element(Requirement::Default(default)) = site.what else { return Vec::new() };
    let members = site.node.enumeration.as_deref().unwrap_or_default();
    let others = match (members, default) {
        ([_, ..], _) => after(members, default).into_iter().cloned().collect(),
        (_, Value::Bool(value)) => vec![json!(!value)],
        (_, Value::Number(number)) => {
            [1, -1].into_iter().filter_map(|step| neighbour(number, step).map(Value::Number)).collect()
        }
        _ => Vec::new(),
    };
    let changed =
        |other: Value| site.changed(format!("default {default} → {other}"), |node| node.default = Some(other));
    others.into_iter().flat_map(changed).collect()
}

/// The member after this one; the first after the last one.
pub(super) fn after<'m>(members: &'m [Value], value: &Value) -> Option<&'m Value> {
    let at = members.iter().position(|member| member == value)?;
    members.get((at + 1) % members.len()).filter(|other| *other != value)
}

pub(super) fn atomic(site: &Site<'_>) -> Changed {
    match site.keyword() {
        Some(Keyword::ListMapKeys | Keyword::ListSet) => {
            let kind = site.node.list_type.as_deref().unwrap_or_default();
            site.changed(format!("list type {kind} → atomic"), |node| {
                node.list_type = Some("atomic".into());
                node.list_map_keys.clear();
            })
        }
        _ => Vec::new(),
    }
}

pub(super) fn without_rule(site: &Site<'_>) -> Changed {
    let What::Element(Requirement::Rule(rule)) = site.what else { return Vec::new() };
    site.changed("without the rule", |node| {
        if let Some(at) = node.validations.iter().position(|known| known == rule) {
            node.validations.remove(at);
        }
    })
}

pub(super) fn without_optional_old_self(site: &Site<'_>) -> Changed {
    let What::Element(Requirement::Rule(rule)) = site.what else { return Vec::new() };
    site.changed("without optionalOldSelf", |node| {
        let same = node.validations.iter_mut().filter(|known| *known == rule && rule.optional_old_self == Some(true));
        same.for_each(|known| known.optional_old_self = None);
    })
}
