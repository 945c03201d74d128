//! Proposals: from nothing to everything for a small CRD, and the suites of Gateway API.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crd_model::channel::Channel;
use crd_model::{CustomResourceDefinition, yaml as documents};
use crd_suite::form::added;
use crd_suite::write::Proposal;
use crd_suite::{
    Case, Kinds, Requirement, Run, Score, State, Suite, Verdict, coverage, elements, failure, mutants, read, yaml,
};

const MINORS: [u32; 5] = [33, 34, 35, 36, 37];

const SMALL: &str = "
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: things.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { kind: Thing, plural: things, singular: thing, listKind: ThingList }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [name, type]
            x-kubernetes-validations:
            - { rule: \"self.type == 'Disk' ? has(self.disk) : !has(self.disk)\", message: disk belongs to the type Disk }
            properties:
              name: { type: string, minLength: 2, maxLength: 63, pattern: '^[a-z]+$' }
              owner: { type: string, x-kubernetes-validations: [{ rule: self == oldSelf, message: owner never changes }] }
              replicas: { type: integer, format: int32, minimum: 1, maximum: 9, default: 3 }
              type: { type: string, enum: [Disk, Memory] }
              disk: { type: object, required: [size], properties: { size: { type: integer, multipleOf: 4 } } }
              tags: { type: array, maxItems: 8, x-kubernetes-list-type: set, items: { type: string } }
              ports:
                type: array
                minItems: 1
                maxItems: 64
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: { type: object, required: [name], properties: { name: { type: string }, port: { type: integer } } }
              labels: { type: object, maxProperties: 6, additionalProperties: { type: string, maxLength: 5 } }
          status:
            type: object
            properties: { phase: { type: string, maxLength: 10 }, ready: { type: integer, minimum: 0 } }
";

fn crd(text: &str) -> Arc<CustomResourceDefinition> {
    Arc::new(CustomResourceDefinition::from_value(&documents::read(text).unwrap()[0]).unwrap())
}

fn proposed(known: Vec<Case>) -> Vec<Case> {
    let apis = [(Channel::Standard, vec![crd(SMALL)])];
    let mut proposal = Proposal::new(&apis, &MINORS, known).unwrap();
    proposal.cover();
    proposal.kill(2).unwrap();
    proposal.cases()
}

fn suite(cases: &[Case]) -> Suite {
    Suite { name: "Thing".to_owned(), cases: cases.to_vec(), ..Suite::default() }
}

/// What is not covered: the path and the state.
fn open(
    crds: &[Arc<CustomResourceDefinition>],
    cases: &[Case],
    is_of: fn(&Requirement) -> bool,
) -> (usize, Vec<String>) {
    let (elements, kinds) = (elements(crds), Kinds::prepare(crds, 37).unwrap());
    let shown = coverage(&elements, crds, cases, &kinds);
    let wanted = (0..elements.len()).filter(|index| is_of(&elements[*index].requirement));
    let states = wanted.map(|index| (index, shown.state(&elements, index))).collect::<Vec<_>>();
    let open = states.iter().filter(|(_, state)| !matches!(state, State::Covered | State::WithoutEffect));
    let text = |(index, state): &(usize, State)| {
        format!("{} {:?} {state:?}", elements[*index].places[0].path, elements[*index].requirement)
    };
    (states.len(), open.map(text).collect())
}

#[test]
fn a_proposal_covers_everything() {
    let cases = proposed(Vec::new());
    let text = yaml(&suite(&cases));
    let read = read(&text, Path::new("thing.suite.yaml")).unwrap().cases;
    assert_eq!(read.iter().map(|case| Case { line: 0, ..case.clone() }).collect::<Vec<_>>(), cases, "{text}");
    for minor in MINORS {
        let kinds = Kinds::prepare(&[crd(SMALL)], minor).unwrap();
        let applies = |case: &&Case| case.minors.as_ref().is_none_or(|minors| minors.contains(&minor));
        for case in read.iter().filter(applies) {
            assert_eq!(failure(case, &kinds.answer(case).unwrap()), None, "{} in 1.{minor}", case.name);
        }
    }
    let (all, open) = open(&[crd(SMALL)], &read, |_| true);
    assert!(all > 25, "{all} elements");
    assert!(open.is_empty(), "{open:#?}\n{text}");
    for name in [
        "the size of disk is required",
        "owner never changes",
        "the ports of spec have at most 64 items",
        "the phase of status has at most 10 characters",
    ] {
        assert!(text.contains(name), "{name}\n{text}");
    }
    assert!(text.contains("{ $repeat: [[{ name: "), "{text}");
}

#[test]
fn the_same_proposal_twice_and_nothing_for_what_is_covered() {
    let cases = proposed(Vec::new());
    assert_eq!(yaml(&suite(&cases)), yaml(&suite(&proposed(Vec::new()))));
    assert_eq!(proposed(cases), []);
}

#[test]
fn existing_cases_stay() {
    let text = "apiVersion: example.com/v1\nkind: Thing\nbase: { spec: { name: aa, type: Memory } } # small\ncases:\n# the name\n\
                - name: a name is short\n  set: { spec.name: a }\n  refused: at least 2 chars\n";
    let file = Path::new("thing.suite.yaml");
    let known = read(text, file).unwrap().cases;
    let new = proposed(known);
    let all = added(text, file, &new).unwrap();
    assert!(all.starts_with(text), "{all}");
    let cases = read(&all, file).unwrap().cases;
    assert_eq!(cases.len(), 1 + new.len());
    assert!(open(&[crd(SMALL)], &cases, |_| true).1.is_empty());
    assert_eq!(added("apiVersion: example.com/v1\nkind: Thing\ncases: []\nname: other\n", file, &new), None);
}

fn folder(path: &str) -> Vec<(PathBuf, String)> {
    let entries = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read_to_string(path).unwrap())).collect()
}

/// The CRDs of a channel of Gateway API, and the cases that apply to it.
fn flagship(channel: Channel) -> (Vec<Arc<CustomResourceDefinition>>, Vec<Case>) {
    let crds = folder(&format!("bundles/unreleased/{}", channel.name()));
    let crds = crds
        .iter()
        .filter(|(_, text)| text.contains("kind: CustomResourceDefinition"))
        .map(|(_, text)| crd(text))
        .collect();
    let suites = folder("api-types/suites");
    let cases = suites.iter().flat_map(|(path, text)| read(text, path).unwrap().cases);
    (crds, cases.filter(|case| case.channel.is_none_or(|own| own == channel)).collect())
}

/// Rules that no server evaluates for a value that they refuse: the `enum` of the type refuses it before.
const UNREACHABLE: &str = "type must be one of ['Exact', 'PathPrefix', 'RegularExpression']";

#[test]
fn the_suites_of_the_flagship_cover_it() {
    for channel in Channel::ALL {
        let (crds, cases) = flagship(channel);
        let (rules, open_rules) = open(&crds, &cases, |requirement| matches!(requirement, Requirement::Rule(_)));
        assert!(open_rules.iter().all(|rule| rule.contains(UNREACHABLE)), "{channel}: {open_rules:#?}");
        let (all, open) = open(&crds, &cases, |requirement| matches!(requirement, Requirement::Constraint(_)));
        println!("{channel}: {rules} rules, {} of {all} constraints, {} cases", all - open.len(), cases.len());
        assert!(open.len() * 100 <= all * 2, "{channel}: {} of {all}: {open:#?}", open.len());
    }
}

/// Whether the text begins with the parts of the pattern between `*`.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return text.starts_with(pattern) };
    let Some(left) = text.strip_prefix(first) else { return false };
    left.char_indices().map(|(at, _)| at).chain([left.len()]).any(|at| matches(rest, &left[at..]))
}

/// How long 5,000 mutants may take on two cores, optimised.
const MOST_SECONDS: f64 = 10.0;

#[test]
fn the_suites_of_the_flagship_notice_mistakes() {
    if !crd_testdata::is_proof() {
        return;
    }
    let explained = &documents::read(include_str!("survivors.yaml")).unwrap()[0];
    let patterns = explained.as_array().unwrap().iter().flat_map(|group| group["mutants"].as_array().unwrap());
    let patterns = patterns.map(|pattern| pattern.as_str().unwrap()).collect::<Vec<_>>();
    let mut used = std::collections::BTreeSet::new();
    let mut unexplained = Vec::new();
    for channel in Channel::ALL {
        let (crds, cases) = flagship(channel);
        let started = Instant::now();
        let mutants = mutants(&elements(&crds), &crds);
        let run = Run { crds: &crds, cases: &cases, minor: 36, threads: 2, progress: &|_| {} };
        let verdicts = run.verdicts(&mutants).unwrap();
        let seconds = started.elapsed().as_secs_f64();
        println!("{channel}: {} mutants in {seconds:.1} s", mutants.len());
        let most = MOST_SECONDS * f64::from(u32::try_from(mutants.len()).unwrap()) / 5_000.0;
        assert!(cfg!(debug_assertions) || seconds <= most, "{channel}: more than {most:.1} s");
        let score = Score::of(&verdicts);
        println!("{channel}: {score:?} {:.1} %", score.percent());
        assert!(score.percent() >= 95.0, "{channel}: {score:?}");
        let left = mutants
            .iter()
            .zip(&verdicts)
            .filter(|(_, verdict)| !matches!(verdict, Verdict::Killed { .. } | Verdict::Equal));
        for (mutant, _) in left {
            match patterns.iter().position(|pattern| matches(pattern, &mutant.name)) {
                Some(pattern) => drop(used.insert(pattern)),
                None => unexplained.push(format!("{channel}: {}", mutant.name)),
            }
        }
    }
    assert!(unexplained.is_empty(), "without a reason:\n{}", unexplained.join("\n"));
    let unused = (0..patterns.len()).filter(|index| !used.contains(index)).map(|index| patterns[index]);
    assert_eq!(unused.collect::<Vec<_>>(), Vec::<&str>::new(), "no mutant has this name");
}
