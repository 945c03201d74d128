//! The file of approvals, `bundles/approvals.yaml`: who agrees to a graduation, when and where.
//!
//! Invariants: nothing is guessed: an entry with an error approves nothing, and every error is reported with its line.

use std::path::Path;

use crd_bundle::Released;
use crd_compat::record::{Key, Records};
use crd_diagnostics::Diagnostic;
use crd_model::graduation::{CRITERIA, Criterion};

/// The file, relative to the root.
pub const FILE: &str = "bundles/approvals.yaml";

/// The code of an entry that cannot be read.
pub const MALFORMED: &str = "approval::malformed";

const KEYS: &[Key] = &[
    Key { name: "name", required: true },
    Key { name: "who", required: true },
    Key { name: "date", required: true },
    Key { name: "where", required: true },
    Key { name: "criterion", required: false },
];

/// The criteria that a person states.
const STATED: [Criterion; 2] = [Criterion::Approval, Criterion::Usage];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approval {
    /// The name of the element.
    pub name: String,
    pub who: String,
    pub date: Released,
    /// Where it is recorded: an address.
    pub location: String,
    /// The criterion: the approval, or the usage.
    pub criterion: Criterion,
    /// The line of the entry.
    pub line: usize,
}

impl Approval {
    /// Reads the text of a file: its approvals, and all errors with their lines.
    pub fn read_all(text: &str, file: &Path) -> (Vec<Self>, Vec<Diagnostic>) {
        let mut records = Records::read(text, "approvals", KEYS);
        let mut approvals: Vec<Self> = Vec::new();
        for index in 0..records.records.len() {
            let [name, who, location] = ["name", "who", "where"].map(|key| {
                if records.is_blank(index, key) {
                    records.error_at(index, key, format!("`{key}` is empty"));
                }
                records.text(index, key)
            });
            let date = date(&mut records, index);
            let word = records.text(index, "criterion");
            let criterion = match Criterion::named(&word).filter(|criterion| STATED.contains(criterion)) {
                _ if word.is_empty() => Criterion::Approval,
                Some(criterion) => criterion,
                None => {
                    let known = CRITERIA.iter().filter(|row| STATED.contains(&row.criterion)).map(|row| row.name);
                    let known = known.collect::<Vec<_>>().join(", ");
                    records.error_at(
                        index,
                        "criterion",
                        format!("`{word}` is not stated by people: the criteria are {known}"),
                    );
                    Criterion::Approval
                }
            };
            let line = records.records.get(index).map_or(0, |record| record.line);
            let is_same = |known: &Self| (&known.name, &known.who, known.criterion) == (&name, &who, criterion);
            if let Some(known) = approvals.iter().find(|known| is_same(known)) {
                let message = format!("the same approval is at line {}", known.line);
                records.error_at(index, "name", message);
            }
            if let (Some(date), true) = (date, records.is_sound(index)) {
                approvals.push(Self { name, who, date, location, criterion, line });
            }
        }
        (approvals, records.finish(MALFORMED, file))
    }
}

/// The date of an entry. An absent one was reported before.
fn date(records: &mut Records<'_>, index: usize) -> Option<Released> {
    let text = records.text(index, "date");
    let date = text.parse().map_err(|error: crd_bundle::ParseError| error.to_string());
    match date {
        Ok(date) => Some(date),
        Err(error) if !text.is_empty() => {
            records.error_at(index, "date", error);
            None
        }
        Err(_) => None,
    }
}
