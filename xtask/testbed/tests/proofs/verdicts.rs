//! Verdicts of `diff`, compared with API servers: on the release histories of nine projects, and on generated schemas.
//!
//! * A witness of a change is accepted by a server with the old CRD, and refused with the new one, at the path of the finding.
//! * If the changes of a version fit a minor, every generated object that the old CRD accepts is accepted with the new one, by the API
//!   server's own libraries and by a server.
//!
//! Invariants: the profile is `gep-922` with its strictest column, so a verdict of at most *minor* means that no object breaks.

pub(crate) mod corpus;
pub(crate) mod edits;
pub(crate) mod libraries;
pub(crate) mod shrink;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crd_compat::policy::Profile;
use crd_compat::{Channels, Comparison, Declared, Direction, Finding, RequiredBump, Witness};
use crd_model::CustomResourceDefinition;
use serde_json::{Value, json};

use crate::random::{object, schema};
use crate::server::{Crds, server};
use crate::witnesses::{Outcome, Trial, answers, findings, is_state, outcome, trials};
use corpus::{CHANNEL, Neighbours, histories, neighbours};
use crd_testdata::Dice;
use libraries::{Libraries, objects};

/// How many objects of compatible changes are compared.
const OBJECTS: usize = 200_000;
/// How many of them are sent to a server.
const OBJECTS_ON_SERVER: usize = 5_000;
/// How many pairs of generated schemas there are, and how many objects of each.
const PAIRS: usize = 8_000;
const OBJECTS_OF_PAIR: usize = 30;
/// How many pairs of releases are on the server together.
const BATCH: usize = 32;

/// Whether a change may refuse objects.
fn is_tightening(finding: &Finding) -> bool {
    matches!(finding.direction, Some(Direction::Tightened | Direction::Neither))
}

/// The beginning of a long message.
fn cut(message: &str) -> String {
    message.chars().take(300).collect()
}

#[derive(Default)]
struct Tally {
    pairs: usize,
    crds: usize,
    findings: usize,
    tightened: usize,
    witnesses: usize,
    confirmed: usize,
    /// Refused at other paths than that of the finding.
    elsewhere: usize,
    refuted: usize,
    /// Witnesses of CRDs that the server refuses.
    not_installed: usize,
    without: usize,
}

#[test]
fn the_witnesses_of_release_histories_are_confirmed() {
    let histories = histories("witnesses");
    let Some(server) = server(Crds::Nothing) else { return };
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    let (mut reasons, mut states, mut confirmed) = (BTreeMap::new(), BTreeMap::new(), 0_usize);
    let (mut wrong, mut elsewhere, mut not_installed) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    for batch in neighbours(&histories).chunks(BATCH) {
        let mut all = Vec::new();
        for Neighbours { history, old, new } in batch {
            let found = findings(old, new);
            let tally = tallies.entry(history).or_default();
            tally.pairs += 1;
            tally.crds += Neighbours { history, old, new }.changed().count();
            tally.findings += found.len();
            for state in found.iter().filter(|finding| is_state(finding) && !finding.known) {
                tally.witnesses +=
                    usize::from(matches!(state.witness, Some(Witness::Object(_) | Witness::Status { .. })));
                *states.entry((state.rule, state.required_bump)).or_insert(0_usize) += 1;
            }
            for finding in found.iter().filter(|finding| is_tightening(finding)) {
                tally.tightened += 1;
                match &finding.witness {
                    // Updates are not sent.
                    Some(Witness::Object(_) | Witness::Status { .. } | Witness::Update { .. }) => tally.witnesses += 1,
                    Some(Witness::None(reason)) => {
                        tally.without += 1;
                        *reasons.entry((*reason, finding.rule)).or_insert(0_usize) += 1;
                    }
                    None => panic!("{finding:?} has neither a witness nor a reason"),
                }
            }
            all.extend(trials(old, new, &found).into_iter().map(|trial| (*history, trial)));
        }
        let (names, all): (Vec<_>, Vec<_>) = all.into_iter().unzip();
        let bundles = batch.iter().flat_map(|pair| [pair.old, pair.new]).collect::<Vec<_>>();
        let answered = answers(server, &bundles, all);
        for (history, (trial, verdict)) in names.iter().zip(&answered) {
            let tally = tallies.entry(history).or_default();
            match verdict {
                Ok(verdict) => match outcome(trial, verdict) {
                    Outcome::Confirmed => {
                        tally.confirmed += 1;
                        confirmed += 1;
                    }
                    Outcome::Elsewhere => {
                        tally.elsewhere += 1;
                        elsewhere.insert(cut(&trial.what));
                    }
                    Outcome::Refuted(refutation) => {
                        tally.refuted += 1;
                        wrong.push(refutation);
                    }
                },
                Err(refusal) => {
                    tally.not_installed += 1;
                    not_installed.insert(cut(refusal));
                }
            }
        }
    }
    println!(
        "| history | pairs | CRD pairs | unread files | findings | may refuse | witnesses | confirmed | refused elsewhere | refuted | CRD not installable | without witness |"
    );
    println!("|-|-|-|-|-|-|-|-|-|-|-|-|");
    for history in &histories {
        let tally = tallies.remove(&*history.name).unwrap_or_default();
        println!(
            "| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |",
            history.name,
            tally.pairs,
            tally.crds,
            history.unread.len(),
            tally.findings,
            tally.tightened,
            tally.witnesses,
            tally.confirmed,
            tally.elsewhere,
            tally.refuted,
            tally.not_installed,
            tally.without,
        );
    }
    for ((reason, rule), count) in &reasons {
        println!("{count} without a witness, {rule}: {reason}");
    }
    for ((rule, bump), count) in &states {
        println!("{count} new states, {bump}: {rule}");
    }
    for what in &elsewhere {
        println!("refused elsewhere: {what}");
    }
    for refusal in &not_installed {
        println!("not installed: {refusal}");
    }
    assert!(wrong.is_empty(), "{} witnesses are refuted:\n{}", wrong.len(), wrong.join("\n"));
    assert!(confirmed >= if crd_testdata::is_proof() { 400 } else { 25 }, "only {confirmed} witnesses");
}

/// A version whose changes fit a minor.
pub(crate) struct Compatible<'h> {
    history: &'h str,
    neighbours: &'h Neighbours<'h>,
    old: &'h CustomResourceDefinition,
    new: &'h CustomResourceDefinition,
    version: &'h str,
    /// The paths of the changes.
    changed: BTreeSet<String>,
}

/// The versions of these neighbours whose changes fit a minor, and that have a change that counts.
pub(crate) fn compatible<'h>(neighbours: &'h Neighbours<'h>, counts: impl Fn(&Finding) -> bool) -> Vec<Compatible<'h>> {
    let Neighbours { history, old, new } = neighbours;
    let declared = Declared::default();
    let found = Comparison::new(&old.channels, &new.channels, Profile::Gep922, &declared).findings();
    let mut all = Vec::new();
    for [old, new] in neighbours.changed() {
        for version in new.versions.iter().filter(|version| version.served) {
            let is_served = old.versions.iter().any(|known| known.name == version.name && known.served);
            let of_it = |finding: &&Finding| {
                finding.crd == *old.name && finding.version.as_deref().is_none_or(|known| known == &*version.name)
            };
            let of_it = found.iter().filter(of_it).collect::<Vec<_>>();
            let changed = of_it.iter().filter(|finding| finding.version.is_some() && counts(finding));
            let changed = changed.map(|finding| finding.path.clone()).collect::<BTreeSet<_>>();
            let fits = of_it
                .iter()
                .filter(|finding| finding.version.is_some())
                .all(|finding| finding.required_bump <= RequiredBump::Minor);
            if is_served && fits && changed.iter().any(|path| !path.is_empty()) && old.scope == new.scope {
                all.push(Compatible { history, neighbours, old, new, version: &version.name, changed });
            }
        }
    }
    all
}

#[test]
fn objects_stay_accepted_where_the_verdict_says_so() {
    if !crd_testdata::is_proof() {
        eprintln!("skipped: objects of the histories are part of `cargo xtask prove verdicts` only");
        return;
    }
    let histories = histories("objects");
    let pairs = neighbours(&histories);
    let chosen = pairs.iter().flat_map(|pair| compatible(pair, |_| true)).collect::<Vec<_>>();
    let answered = answered(&chosen, OBJECTS);
    on_server(&answered.accepted);
    answered.check();
}

/// The answers of the API server's libraries for versions whose changes fit a minor.
pub(crate) struct Answered<'h> {
    /// How many objects of the old CRDs are wanted.
    wanted: usize,
    /// The objects that the old CRD of a version accepts.
    accepted: Vec<(&'h Compatible<'h>, Vec<Value>)>,
    /// Those that the new CRD refuses, each with the reason.
    refused: Vec<String>,
}

impl Answered<'_> {
    /// No object is refused, and there are enough of them.
    pub(crate) fn check(&self) {
        let refused = &self.refused;
        assert!(refused.is_empty(), "{}", refused.iter().take(40).cloned().collect::<Vec<_>>().join("\n"));
        let accepted = self.accepted.iter().map(|(_, objects)| objects.len()).sum::<usize>();
        assert!(accepted >= self.wanted, "{accepted} objects");
    }
}

/// Creates so many objects that the old CRDs accept, and compares them with the new CRDs.
pub(crate) fn answered<'h>(chosen: &'h [Compatible<'h>], wanted: usize) -> Answered<'h> {
    let most = wanted + wanted / 4;
    let halves = chosen.chunks(chosen.len().div_ceil(2).max(1)).map(|half| {
        move || {
            let (mut libraries, mut found) = (Libraries::start(), Vec::new());
            let mut left = most * half.len() / chosen.len();
            for (index, pair) in half.iter().enumerate() {
                // Some versions have few different objects, so the versions after them get more.
                let each = left.div_ceil(half.len() - index);
                let mut dice = Dice::new(index as u64 * 7_919 + 1);
                libraries.define("old", &pair.old.to_value());
                libraries.define("new", &pair.new.to_value());
                let mut all = Vec::new();
                // A part is accepted.
                let (mut tried, mut rounds) = (0, 0);
                while all.len() < each && rounds < 5 {
                    let objects = objects(&mut dice, pair.old, pair.version, &pair.changed, each * 2);
                    tried += objects.len();
                    all.extend(libraries.compare(pair.version, objects));
                    rounds += 1;
                }
                all.truncate(each);
                left -= all.len();
                found.push((pair, tried, all));
            }
            found
        }
    });
    let found = std::thread::scope(|scope| {
        let threads = halves.map(|half| scope.spawn(half)).collect::<Vec<_>>();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect::<Vec<_>>()
    });
    let (mut tried, mut accepted, mut refused) = (0, Vec::new(), Vec::new());
    for (pair, sent, objects) in found {
        tried += sent;
        for compared in &objects {
            let Some(refusal) = &compared.refusal else { continue };
            refused.push(format!(
                "{} {} → {} {} {}: {}\n    {}\n    changed: {:?}",
                pair.history,
                pair.neighbours.old.word,
                pair.neighbours.new.word,
                pair.old.name,
                pair.version,
                compared.object,
                refusal["errors"],
                pair.changed,
            ));
        }
        accepted.push((pair, objects.into_iter().map(|compared| compared.object).collect::<Vec<_>>()));
    }
    println!(
        "{} versions with changes that fit a minor: {tried} objects, {} that the old CRD accepts, {} that the new CRD refuses; \
         {} versions without an accepted object",
        chosen.len(),
        accepted.iter().map(|(_, objects)| objects.len()).sum::<usize>(),
        refused.len(),
        accepted.iter().filter(|(_, objects)| objects.is_empty()).count(),
    );
    Answered { wanted, accepted, refused }
}

/// A server answers for some of these objects too.
fn on_server(compared: &[(&Compatible<'_>, Vec<Value>)]) {
    let Some(server) = server(Crds::Nothing) else { return };
    let wanted = OBJECTS_ON_SERVER;
    // Servers refuse the CRDs of v1beta1, and what depends on the name of an object.
    let most = wanted + wanted / 10;
    let each = most.div_ceil(compared.len().max(1));
    let (mut accepted, mut left, mut refused, mut wrong) = (0, most, BTreeMap::new(), Vec::new());
    for (number, batch) in compared.chunks(BATCH).enumerate() {
        let mut all = Vec::new();
        for (index, (pair, objects)) in batch.iter().enumerate() {
            let step = (objects.len() / each).max(1);
            for (object, count) in objects.iter().step_by(step).take(each.min(left)).zip(0..) {
                left -= 1;
                let mut object = object.clone();
                object["metadata"] = json!({});
                all.push(Trial {
                    what: format!("{} {} {}: {object}", pair.history, pair.old.name, pair.version),
                    object,
                    path: String::new(),
                    is_status: false,
                    old: pair.neighbours.old.seat(CHANNEL, &pair.old.name, pair.version),
                    new: pair.neighbours.new.seat(CHANNEL, &pair.new.name, pair.version),
                    name: format!("object-{number}-{index}-{count}"),
                });
            }
        }
        let bundles = batch.iter().flat_map(|(pair, _)| [pair.neighbours.old, pair.neighbours.new]);
        let answered = answers(server, &bundles.collect::<Vec<_>>(), all);
        for (trial, verdict) in &answered {
            match verdict {
                Err(refusal) => *refused.entry(format!("the CRD: {}", cut(refusal))).or_insert(0_usize) += 1,
                // What only a whole server validates.
                Ok(verdict) if !verdict.old.is_success() => {
                    *refused.entry(format!("the object: {}", cut(verdict.old.message()))).or_insert(0) += 1;
                }
                Ok(verdict) if verdict.new.is_success() => accepted += 1,
                Ok(verdict) => wrong.push(format!("{}: {}", trial.what, verdict.new.message())),
            }
        }
    }
    println!("{accepted} of {} objects are accepted by a server on both sides", most - left);
    for (reason, count) in &refused {
        println!("{count} not accepted on the old side: {reason}");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(accepted >= wanted, "{accepted} objects");
}

/// The verdict on the change from one schema to another, and its findings; none for a schema that is not one.
fn verdict(schemas: [&Value; 2]) -> Option<(RequiredBump, Vec<Finding>)> {
    let [old, new] = schemas.map(|schema| CustomResourceDefinition::from_value(&schema::crd(schema)).ok());
    let [old, new] = [old?, new?].map(|crd| Channels::from([(CHANNEL, vec![Arc::new(crd)])]));
    let declared = Declared::default();
    let found = Comparison::new(&old, &new, Profile::Gep922, &declared).findings();
    let bump = found.iter().map(|finding| finding.required_bump).max().unwrap_or(RequiredBump::None);
    Some((bump, found))
}

/// What is wrong with a verdict that fits a minor: the errors of the new CRD for this object of the old one.
fn broken(libraries: &mut Libraries, [old, new, object]: &[Value; 3]) -> Option<(Vec<Finding>, Value)> {
    let (_, found) = verdict([old, new]).filter(|(bump, _)| *bump <= RequiredBump::Minor)?;
    for (id, schema) in [("old", old), ("new", new)] {
        if !libraries.define(id, &schema::crd(schema)).is_empty() {
            return None;
        }
    }
    let compared = libraries.compare("v1", vec![object.clone()]).pop()?;
    Some((found, compared.refusal?["errors"].clone()))
}

#[test]
fn objects_of_generated_schemas_stay_accepted_where_the_verdict_says_so() {
    if !crate::oracle::is_available() {
        return;
    }
    let pairs = if crd_testdata::is_proof() { PAIRS } else { PAIRS / 16 };
    let seed = std::env::var("CRD_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1_u64);
    let mut libraries = Libraries::start();
    let (mut made, mut fitting, mut accepted, mut breaking, mut refused_crds) = (0, 0, 0, 0, BTreeMap::new());
    // The smallest example of each kind.
    let mut kinds: BTreeMap<String, (usize, String)> = BTreeMap::new();
    let mut number = seed.wrapping_mul(1_000_000_007);
    while made < pairs {
        number += 1;
        let mut dice = Dice::new(number);
        let mut old = schema::resource(&mut dice);
        let is_small = dice.percent(70);
        if is_small {
            edits::reduce(&mut dice, &mut old["properties"]["spec"], 3);
        }
        for _ in 0..dice.below(if is_small { 9 } else { 5 }) {
            edits::edit(&mut dice, &mut old);
        }
        let mut new = old.clone();
        for _ in 0..1 + dice.below(2) {
            edits::edit(&mut dice, &mut new);
        }
        let Some((bump, found)) = verdict([&old, &new]) else { continue };
        if old == new || !libraries.define("old", &schema::crd(&old)).is_empty() {
            continue;
        }
        made += 1;
        if bump > RequiredBump::Minor {
            continue;
        }
        if let Some(error) = libraries.define("new", &schema::crd(&new)).first() {
            let message = error.split_once(": ").map_or(&**error, |(_, message)| message);
            let class = message.chars().filter(|letter| !letter.is_ascii_digit()).take(70).collect::<String>();
            *refused_crds.entry(class).or_insert(0_usize) += 1;
            continue;
        }
        fitting += 1;
        let crd = CustomResourceDefinition::from_value(&schema::crd(&old)).expect("a CRD");
        let near = found.iter().map(|finding| finding.path.clone()).collect::<BTreeSet<_>>();
        let mut objects = objects(&mut dice, &crd, "v1", &near, OBJECTS_OF_PAIR);
        objects.extend((0..4).map(|_| object::resource(&mut dice, &old)));
        let compared = libraries.compare("v1", objects);
        accepted += compared.len();
        let Some(refused) = compared.into_iter().find(|compared| compared.refusal.is_some()) else { continue };
        breaking += 1;
        let smallest =
            shrink::shrink([old, new, refused.object], &mut |values| broken(&mut libraries, values).is_some());
        let Some((found, errors)) = broken(&mut libraries, &smallest) else { continue };
        let words = found.iter().map(|finding| format!("{} ({})", finding.rule, finding.message)).collect::<Vec<_>>();
        let error = errors[0][0].as_str().unwrap_or_default().to_owned();
        let [old, new, object] = smallest;
        let (count, text) = kinds.entry(format!("{error} after {}", words.join(", "))).or_default();
        *count += 1;
        let example = format!("    old: {old}\n    new: {new}\n    object: {}\n    errors: {errors}", object["spec"]);
        if text.is_empty() || example.len() < text.len() {
            *text = example;
        }
    }
    println!(
        "{made} pairs, {fitting} that fit a minor, {accepted} objects that the old CRD accepts; {breaking} pairs break an object"
    );
    for (class, count) in &refused_crds {
        println!("{count} new CRDs that servers refuse: {class}");
    }
    let examples = kinds.iter().map(|(kind, (count, text))| format!("{count} × {kind}\n{text}")).collect::<Vec<_>>();
    assert!(kinds.is_empty() && breaking == 0, "{breaking} pairs break an object:\n{}", examples.join("\n"));
}
