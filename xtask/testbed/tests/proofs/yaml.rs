//! Files are read as kubectl reads them: generated texts, every CRD of the archived histories as JSON and as YAML, and changed texts.
//!
//! Compared are the values, with the bits of floats, or that both refuse the text. Of a text that is refused, kubectl applies the documents
//! before the error; which those are is not compared.

mod texts;

use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter, documents};
use serde_json::{Value, json};

use crate::oracle::{Oracle, is_available};
use crd_testdata::Dice;

/// How many texts a proof generates, and how many it changes.
const TEXTS: usize = 100_000;
/// How many texts are in one block of questions.
const BLOCK: usize = 2000;

/// What we read, in the form of the oracle; none if we refuse the text.
fn ours(text: &str) -> Option<Value> {
    let read = documents(text).with_repeated_keys().map(|document| document.map(|document| with_bits(document.value)));
    read.collect::<Result<Vec<_>, _>>().ok().map(Value::Array)
}

fn with_bits(value: Value) -> Value {
    match value {
        Value::Number(number) if number.is_f64() => {
            json!({"float": format!("{:016x}", number.as_f64().expect("a float").to_bits())})
        }
        Value::Array(items) => items.into_iter().map(with_bits).collect(),
        Value::Object(map) => map.into_iter().map(|(key, value)| (key, with_bits(value))).collect(),
        other => other,
    }
}

/// The texts that we read otherwise than kubectl, and how many it reads.
fn differences(oracle: &mut Oracle, texts: impl Iterator<Item = String>) -> (Vec<String>, usize, usize) {
    let mut texts = texts.peekable();
    let (mut found, mut all, mut read) = (Vec::new(), 0, 0);
    while texts.peek().is_some() {
        let block = texts.by_ref().take(BLOCK).collect::<Vec<_>>();
        let lines = block.iter().map(|text| json!({"read": text}).to_string()).collect::<Vec<_>>();
        for (text, answer) in block.into_iter().zip(oracle.ask_all(&lines)) {
            let theirs = match answer.get("refused") {
                Some(_) => None,
                None => Some(answer.get("documents").cloned().unwrap_or_else(|| json!([]))),
            };
            all += 1;
            read += usize::from(theirs.is_some());
            let ours = ours(&text);
            if ours != theirs {
                let error = documents(&text).find_map(Result::err);
                found.push(format!("{text:?}\n  ours:   {ours:?} {error:?}\n  theirs: {answer}"));
            }
        }
    }
    (found, all, read)
}

fn seeded(part: u64) -> impl Iterator<Item = Dice> {
    (0..crd_testdata::sample(TEXTS) as u64).map(move |index| Dice::new(part << 32 | index))
}

#[test]
fn generated_texts_are_read_as_by_kubectl() {
    if !is_available() {
        return;
    }
    let mut oracle = Oracle::start(crate::oracle::minors()[0]);
    let (found, all, read) = differences(&mut oracle, seeded(1).map(|mut dice| texts::text(&mut dice)));
    println!("{read} of {all} generated texts are read");
    assert!(found.is_empty(), "{} differences\n{}", found.len(), found[..20.min(found.len())].join("\n"));
    assert!(read * 2 > all, "most of them are valid");
}

#[test]
fn histories_are_read_as_by_kubectl() {
    if !is_available() {
        return;
    }
    let mut oracle = Oracle::start(crate::oracle::minors()[0]);
    let files = crd_testdata::HISTORIES.iter().flat_map(|project| crd_testdata::history_files(project)).collect();
    let files = crd_testdata::sample_of(files, |_| false);
    let texts = files.iter().flat_map(|file| [file.text.to_owned(), written(&file.json())]);
    let (found, all, read) = differences(&mut oracle, texts);
    println!("{read} of {all} files are read");
    assert!(found.is_empty() && read == all, "{}", found.first().map_or("", |text| &text[..2000.min(text.len())]));
}

/// At most one of 1,000 may differ.
#[test]
fn changed_texts_are_read_as_by_kubectl() {
    if !is_available() {
        return;
    }
    let mut oracle = Oracle::start(crate::oracle::minors()[0]);
    let parts = ["gateway-api", "karpenter"].iter().flat_map(|project| crd_testdata::history_files(project));
    let parts = parts.step_by(50).map(|file| written(&file.json())).collect::<Vec<_>>();
    let changed = seeded(2).map(|mut dice| {
        let text = if dice.percent(70) { texts::text(&mut dice) } else { texts::part(&mut dice, &parts) };
        texts::changed(&mut dice, text)
    });
    let (found, all, read) = differences(&mut oracle, changed);
    println!("{read} of {all} changed texts are read; {} differ\n{}", found.len(), found.join("\n"));
    assert!(found.len() * 1000 <= all, "{} of {all}", found.len());
}

fn written(value: &Value) -> String {
    let mut writer = YamlWriter::new(Start::None);
    send_value(value, &mut writer);
    writer.finish()
}
