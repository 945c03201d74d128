//! No implication is proven that an object of up to four items refutes: all of them are asked, by the evaluator.
//!
//! Invariant: the rules do not read the order of the items, so that one order of them is enough.

use crd_cel::implication::Answers;
use crd_cel::{CALL_BUDGET, Environment, Program, Value};
use crd_model::Schema;
use serde_json::{Value as Json, json};

/// How many items a list has.
const MOST_ITEMS: usize = 4;

/// Conditions about an item `i`.
const OF_ITEM: [&str; 6] = [
    "i.a == 'x'",
    "has(i.n)",
    "has(i.n) && i.n > 0",
    "!has(i.n) || i.n < 1",
    "i.a == self.a",
    "i.a == 'x' || has(i.n)",
];

/// What a rule states about the items of which a condition is true.
const OF_LIST: [&str; 8] = [
    "self.l.all(i, $)",
    "self.l.exists(i, $)",
    "!self.l.exists(i, $)",
    "self.l.exists_one(i, $)",
    "self.l.filter(i, $).size() < 2",
    "self.l.filter(i, $).size() > 1",
    "self.l.filter(i, $).all(j, j.a == 'x')",
    "size(self.l) < 2 || self.l.all(i, $)",
];

const PLAIN: [&str; 9] = [
    "size(self.l) > 0",
    "size(self.l) < 2",
    "size(self.l) < 4",
    "size(self.l) == 3",
    "self.a == 'x'",
    "self.a != 'x' || size(self.l) > 1",
    "self.l.all(i, self.l.exists_one(j, i.a == j.a))",
    "self.l.all(i, self.l.exists(j, j.a != i.a))",
    "self.l.exists(i, has(i.n) && self.l.exists(j, j.a == 'x' && !has(j.n)))",
];

fn schema() -> Schema {
    let text = json!({"type": "string", "enum": ["x", "y"]});
    let item = json!({"type": "object", "required": ["a"], "properties": {"a": text, "n": {"type": "integer", "minimum": 0, "maximum": 1}}});
    let list = json!({"type": "array", "maxItems": MOST_ITEMS, "items": item});
    let node = json!({"type": "object", "required": ["a", "l"], "properties": {"a": text, "l": list}});
    Schema::from_value(&node).expect("a schema")
}

/// Every list of up to so many of these items, in one order.
fn lists(items: &[Json], most: usize) -> Vec<Vec<Json>> {
    let Some((first, rest)) = items.split_first() else { return vec![Vec::new()] };
    let with = |count: usize| {
        lists(rest, most - count).into_iter().map(move |rest| [vec![first.clone(); count], rest].concat())
    };
    (0..=most).flat_map(with).collect()
}

#[test]
fn no_proof_is_refuted_by_an_object_of_up_to_four_items() {
    let schema = schema();
    let items = ["x", "y"].iter().flat_map(|a| [json!({"a": a}), json!({"a": a, "n": 0}), json!({"a": a, "n": 1})]);
    let lists = lists(&items.collect::<Vec<_>>(), MOST_ITEMS);
    assert_eq!(lists.len(), 210, "ten of six kinds of items and an end, four at a time");
    let objects = lists.iter().flat_map(|list| ["x", "y"].map(|a| json!({"a": a, "l": list}))).collect::<Vec<_>>();
    let of_items = OF_LIST.iter().flat_map(|rule| OF_ITEM.map(|condition| rule.replace('$', condition)));
    let rules = of_items.chain(PLAIN.map(str::to_owned)).collect::<Vec<_>>();
    let answers = rules.iter().map(|rule| {
        let program = Program::compile(rule, Environment::rule(&schema, false).kubernetes(37)).expect("a rule");
        let is_true = |object: &Json| {
            let value = Value::from_json(object, &schema);
            matches!(program.evaluate(&[value.clone(), value], CALL_BUDGET).value, Ok(Value::Boolean(true)))
        };
        objects.iter().map(is_true).collect::<Vec<_>>()
    });
    let answers = answers.collect::<Vec<_>>();
    let (mut proven, mut implied, mut wrong) = (0, 0, Vec::new());
    for goal in 0..rules.len() {
        for assumed in 0..rules.len() {
            // With a second rule, each time another one.
            let second = (assumed * 7 + goal * 3) % rules.len();
            let refutes = |object: usize| answers[assumed][object] && answers[second][object] && !answers[goal][object];
            let refuting = (0..objects.len()).find(|object| refutes(*object));
            let (assumed, goal) = ([&*rules[assumed], &*rules[second]], &*rules[goal]);
            let is_proven = Answers::default().proves(&schema, false, &assumed, goal, &mut 1_000_000).is_some();
            proven += usize::from(is_proven);
            implied += usize::from(refuting.is_none());
            if let Some(object) = refuting.filter(|_| is_proven) {
                wrong.push(format!("{assumed:?} → {goal}: {}", objects[object]));
            }
        }
    }
    println!("{proven} proven of {implied} that {} objects do not refute", objects.len());
    assert_eq!(wrong, Vec::<String>::new());
    assert!(proven * 100 >= implied * 90, "{proven} of {implied}");
}
