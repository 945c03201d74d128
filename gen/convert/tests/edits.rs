//! Kept values and edits between the two directions: 10,000 random edits in a proof, a sample of them otherwise.
//!
//! A value that one direction kept is in the object after the other one, in its own item; otherwise it is in the annotation and the report names it.

use crd_convert::{Conversions, NotReturned};
use serde_json::{Map, Value, json};

use super::{conversions, document, thing};

const ANNOTATION: &str = "example.com/conversion-data";

/// Numbers from a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        usize::try_from((self.0 >> 33) % u64::try_from(limit.max(1)).unwrap()).unwrap()
    }

    fn is(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// Two lenses about one object, lists with and without keys, lists in lists, and maps of lists.
fn lenses(has_keys: bool) -> Conversions {
    let step = |step: Value, lists: &[(&str, &str)]| {
        let mut step = step;
        let keys = lists.iter().map(|(list, key)| ((*list).to_owned(), json!([key])));
        if has_keys {
            step["keys"] = Value::Object(keys.collect());
        }
        step
    };
    let kept = |path: &str| json!({"operation": "drop", "path": path, "reason": "unused", "keeps": true});
    let list = |from: &str, to: &str| json!({"operation": "wrapInList", "from": from, "to": to});
    let rules = [("spec.rules[*]", "id")];
    let targets = [("spec.rules[*]", "id"), ("spec.rules[*].targets[*]", "id")];
    conversions(&document(&[
        json!([
            step(kept("spec.rules[*].old"), &rules),
            step(kept("spec.rules[*].targets[*].old"), &targets),
            kept("spec.alone.old"),
            kept("spec.groups{*}[*].old"),
            {"operation": "rename", "from": "spec.rules[*].title", "to": "spec.rules[*].label", "keys": {}},
        ]),
        json!([
            step(list("spec.rules[*].ref", "spec.rules[*].refs"), &rules),
            step(list("spec.rules[*].targets[*].ref", "spec.rules[*].targets[*].refs"), &targets),
            list("spec.groups{*}[*].ref", "spec.groups{*}[*].refs"),
            {"operation": "default", "path": "spec.alone.mode", "value": "usual"},
            kept("spec.text"),
        ]),
    ]))
}

/// Writes objects whose values name their items.
struct Writer<'d> {
    dice: &'d mut Dice,
    is_new: bool,
    next: usize,
}

impl Writer<'_> {
    fn item(&mut self) -> Map<String, Value> {
        self.next += 1;
        let id = format!("i{}", self.next);
        let mut item = Map::from_iter([("id".to_owned(), json!(id)), ("note".to_owned(), json!(self.dice.below(2)))]);
        match self.is_new {
            true if self.dice.is(70) => drop(item.insert("refs".to_owned(), json!([1, format!("kept-{id}-refs")]))),
            false if self.dice.is(70) => drop(item.insert("old".to_owned(), json!(format!("kept-{id}-old")))),
            _ => {}
        }
        item
    }

    fn items(&mut self, depth: usize) -> Value {
        let items = (0..self.dice.below(5)).map(|_| {
            let mut item = self.item();
            if depth > 0 {
                item.insert("targets".to_owned(), self.items(depth - 1));
                item.insert(if self.is_new { "label" } else { "title" }.to_owned(), json!("x"));
            }
            Value::Object(item)
        });
        Value::Array(items.collect())
    }

    fn object(&mut self) -> Value {
        let mut alone = json!({"x": 1});
        let mut spec = json!({"rules": self.items(1), "groups": {"a": self.items(0), "b": self.items(0)}});
        match self.is_new {
            true => alone["mode"] = json!("kept-alone-mode"),
            false => {
                alone["old"] = json!("kept-alone-old");
                spec["text"] = json!("kept-spec-text");
            }
        }
        spec["alone"] = alone;
        thing(spec)
    }
}

/// Every place below a value, as a JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    found.push(at.to_owned());
    match value {
        Value::Object(object) => object.iter().for_each(|(name, value)| places(value, &format!("{at}/{name}"), found)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(index, value)| places(value, &format!("{at}/{index}"), found));
        }
        _ => {}
    }
}

/// Edits one place as a user does.
fn edit(object: &mut Value, dice: &mut Dice) {
    let mut found = Vec::new();
    places(&object["spec"], "/spec", &mut found);
    let place = found[dice.below(found.len())].clone();
    let (around, last) = place.rsplit_once('/').unwrap();
    let value = object.pointer_mut(&place).unwrap();
    if let Value::Array(items) = value {
        match (dice.below(5), items.len()) {
            (0, _) => items.reverse(),
            (1, 2..) => items.rotate_left(1),
            (2, 1..) => drop(items.remove(dice.below(items.len()))),
            (3, 1..) => items.insert(0, items[dice.below(items.len())].clone()),
            (_, _) => items.push(json!({"id": "new", "note": 0})),
        }
        return;
    }
    let other = [
        json!("edited"),
        json!(null),
        json!([]),
        json!({}),
        json!(7),
        json!([{"id": "i1"}]),
        json!({"old": 1, "ref": 2, "refs": [3]}),
    ];
    match (dice.below(3), value) {
        (0, value) => *value = other[dice.below(other.len())].clone(),
        (1, Value::Object(members)) => {
            let name = ["old", "ref", "refs", "mode", "text", "note", "id"][dice.below(7)];
            members.insert(name.to_owned(), other[dice.below(other.len())].clone());
        }
        _ if !around.is_empty() => match object.pointer_mut(around).unwrap() {
            Value::Object(members) => drop(members.remove(last)),
            Value::Array(items) => drop(items.remove(last.parse().unwrap())),
            _ => {}
        },
        _ => {}
    }
}

fn tokens(text: &str) -> Vec<&str> {
    text.split('"').filter(|part| part.starts_with("kept-")).collect()
}

fn without_data(object: &Value) -> (Value, String) {
    let mut object = object.clone();
    let annotations = object["metadata"].as_object_mut().unwrap().remove("annotations");
    let data = annotations.and_then(|annotations| Some(annotations.get(ANNOTATION)?.as_str()?.to_owned()));
    (object, data.unwrap_or_default())
}

/// The values of items of another name.
fn strangers(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                let own = members.get("id").and_then(Value::as_str).unwrap_or_default();
                let text = if name == "targets" { String::new() } else { value.to_string() };
                let of_others = tokens(&text).into_iter().map(str::to_owned);
                found.extend(of_others.filter(|token| {
                    token.starts_with("kept-i")
                        && !token.starts_with(&format!("kept-{own}-"))
                        && !["rules", "groups", "a", "b", "spec"].contains(&name.as_str())
                }));
                strangers(value, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| strangers(item, found)),
        _ => {}
    }
}

#[derive(Default)]
struct Counts {
    returned: usize,
    stayed: usize,
    refused: usize,
}

fn check(case: usize, lenses: &[Conversions; 2], counts: &mut Counts) {
    let mut dice = Dice(u64::try_from(case).unwrap());
    dice.below(1);
    let (has_keys, is_new) = (dice.is(50), dice.is(50));
    let conversions = &lenses[usize::from(has_keys)];
    let object = Writer { dice: &mut dice, is_new, next: 0 }.object();
    let convert = |object: &Value, forward: bool| -> Result<(Value, Vec<String>, Vec<NotReturned>), String> {
        if !forward {
            let back =
                conversions.convert_back(object, "v1.0.0".parse().unwrap()).map_err(|failure| failure.to_string())?;
            return Ok((back.object, back.left_out.into_iter().map(|left| left.place).collect(), back.not_returned));
        }
        let mut object = object.clone();
        let done = conversions.convert_forward(&mut object).map_err(|failure| failure.to_string())?;
        Ok((object, done.left_out.into_iter().map(|left| left.place).collect(), done.not_returned))
    };
    let (mut middle, left, _) = convert(&object, !is_new).unwrap();
    let kept = without_data(&middle).1;
    let kept_values = kept.replace('\\', "");
    let kept_tokens = tokens(&kept_values);
    assert_eq!(kept_tokens.len(), left.len(), "{left:?}\n{kept}");
    (0..=dice.below(3)).for_each(|_| edit(&mut middle, &mut dice));
    let Ok((after, _, not_returned)) = convert(&middle, is_new) else {
        counts.refused += 1;
        return;
    };
    let (after, data) = without_data(&after);
    let (text, data) = (after.to_string(), data.replace('\\', ""));
    for token in kept_tokens {
        let is_back = tokens(&text).contains(&token);
        let (is_kept, field) = (tokens(&data).contains(&token), token.rsplit('-').next().unwrap());
        let is_named = not_returned.iter().any(|left| left.place.ends_with(&format!(".{field}")));
        assert!(is_back || is_kept && is_named, "case {case}: {token} is lost\n{middle}\n{after}\n{not_returned:?}");
        if is_back { counts.returned += 1 } else { counts.stayed += 1 }
    }
    let stayed = kept_values.split('"').filter(|part| tokens(&data).contains(part)).count();
    assert!(not_returned.len() >= stayed, "case {case}: {stayed} stay\n{middle}\n{not_returned:?}");
    let mut found = Vec::new();
    strangers(&after["spec"], &mut found);
    assert_eq!(found, [] as [&str; 0], "case {case}: values in other items\n{middle}\n{after}");
}

#[test]
fn no_kept_value_is_lost_silently() {
    let mut counts = Counts::default();
    let cases = crd_testdata::sample(10_000);
    let lenses = [lenses(false), lenses(true)];
    (0..cases).for_each(|case| check(case, &lenses, &mut counts));
    let Counts { returned, stayed, refused } = counts;
    println!(
        "{cases} edits: {returned} values returned, {stayed} stayed and were named, {refused} objects were refused"
    );
    assert!(returned > cases && stayed > cases / 4 && refused < cases / 4, "{returned} {stayed} {refused}");
}
