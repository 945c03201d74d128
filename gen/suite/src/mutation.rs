//! All mutants against all cases: which case notices a mutant.
//!
//! A case notices a mutant if its expected answer does not hold with the CRDs of the mutant, though it holds with the unchanged CRDs. Only the
//! changed node is evaluated first, on each different value that the cases have there. The cases of a value for which the result differs are asked
//! again with the resource of the mutant, which shares what is compiled with the original.
//!
//! Invariants: a case that is not asked has the same answer with the mutant, as long as its rules stay within the run-time budget of a server. Verdicts
//! have the order of the mutants, and do not depend on the number of threads.

mod effect;
pub mod mutated;
mod survivor;
mod values;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crd_apiserver::objects::{Resource, RuleProblem};
use crd_model::schema::Schema;
use crd_model::schema::{SchemaPath, nodes};
use crd_model::{CustomResourceDefinition, parallel};
use serde::Serialize;
use serde_json::Value;

use crate::case::Case;
use crate::element::Place;
use crate::kinds::{Kinds, ask};
use crate::mutant::{Mutant, served};
use crate::run::failure;
use effect::Effects;
pub use survivor::Notice;
use values::{Group, values};

/// What became of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// A case notices it.
    Killed {
        /// The index of the case.
        case: usize,
    },
    /// No case notices it.
    Survived {
        /// What would notice it.
        notice: Box<Notice>,
    },
    /// It is proven to give the same answers as the original.
    Equal,
    /// No case notices it, and neither an object that would nor a proof was found.
    Undecided {
        /// Why.
        reason: &'static str,
    },
}

/// How mutants are run.
pub struct Run<'r> {
    /// The CRDs without a change.
    pub crds: &'r [Arc<CustomResourceDefinition>],
    /// The cases for the channel of the CRDs.
    pub cases: &'r [Case],
    /// The Kubernetes minor (1.x).
    pub minor: u32,
    /// How many threads work.
    pub threads: usize,
    /// Called with the number of mutants that were run.
    pub progress: &'r (dyn Fn(usize) + Sync),
}

impl std::fmt::Debug for Run<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Run")
            .field("minor", &self.minor)
            .field("threads", &self.threads)
            .finish_non_exhaustive()
    }
}

/// The counts of verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Score {
    /// Mutants that a case notices.
    pub killed: usize,
    /// Mutants that no case notices, and of which an object shows the difference.
    pub survived: usize,
    /// Mutants that are proven to be no different.
    pub equal: usize,
    /// Mutants of which neither was found.
    pub undecided: usize,
}

impl Score {
    /// The counts.
    #[must_use]
    pub fn of(verdicts: &[Verdict]) -> Self {
        let mut score = Self::default();
        for verdict in verdicts {
            *match verdict {
                Verdict::Killed { .. } => &mut score.killed,
                Verdict::Survived { .. } => &mut score.survived,
                Verdict::Equal => &mut score.equal,
                Verdict::Undecided { .. } => &mut score.undecided,
            } += 1;
        }
        score
    }

    /// How many of 100 mutants that differ from the original are killed.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are small")]
    pub fn percent(&self) -> f64 {
        match self.killed + self.survived + self.undecided {
            0 => 100.0,
            all => 100.0 * self.killed as f64 / all as f64,
        }
    }
}

impl Run<'_> {
    /// The verdict of each mutant.
    ///
    /// # Errors
    /// Every rule of the CRDs that does not compile.
    pub fn verdicts(&self, mutants: &[Mutant]) -> Result<Vec<Verdict>, Vec<RuleProblem>> {
        let kinds = Kinds::prepare(self.crds, self.minor)?;
        let prepared = self.prepared(&kinds);
        let subjects = self.subjects(&prepared);
        let killers = self.killers_of(&subjects, mutants);
        let done = AtomicUsize::new(killers.iter().flatten().count());
        let pairs: Vec<(&Mutant, Option<usize>)> = mutants.iter().zip(killers).collect();
        Ok(parallel::each_on(self.threads, &pairs, |(mutant, killer)| match *killer {
            Some(case) => Verdict::Killed { case },
            None => {
                let verdict = survivor::verdict(self, &subjects, mutant);
                (self.progress)(done.fetch_add(1, Ordering::Relaxed) + 1);
                verdict
            }
        }))
    }

    /// The case that notices each mutant; none for those that no case notices.
    ///
    /// # Errors
    /// Every rule of the CRDs that does not compile.
    pub fn killers(&self, mutants: &[Mutant]) -> Result<Vec<Option<usize>>, Vec<RuleProblem>> {
        let kinds = Kinds::prepare(self.crds, self.minor)?;
        let prepared = self.prepared(&kinds);
        Ok(self.killers_of(&self.subjects(&prepared), mutants))
    }

    /// The served versions, by the indexes of their CRDs and versions.
    fn subjects<'v>(&self, prepared: &'v [Prepared<'_>]) -> Subjects<'v> {
        let keys = served(self.crds).map(|(crd, version, _)| (crd, version));
        keys.zip(prepared.iter().map(Subject::of)).collect()
    }

    fn killers_of(&self, subjects: &Subjects<'_>, mutants: &[Mutant]) -> Vec<Option<usize>> {
        // Mutants of one declaration share what the original does.
        let mut declarations: Vec<&[Mutant]> = Vec::new();
        let mut rest = mutants;
        while let Some(first) = rest.first() {
            let is_same = |mutant: &&Mutant| mutant.places == first.places && mutant.rule == first.rule;
            let (same, others) = rest.split_at(rest.iter().take_while(is_same).count());
            declarations.push(same);
            rest = others;
        }
        let done = AtomicUsize::new(0);
        let found = parallel::each_on(self.threads, &declarations, |mutants| {
            let mut effects = Effects::default();
            let killers = mutants.iter().map(|mutant| self.killer(mutant, subjects, &mut effects));
            let killers: Vec<Option<usize>> = killers.collect();
            let killed = killers.iter().flatten().count();
            (self.progress)(done.fetch_add(killed, Ordering::Relaxed) + killed);
            killers
        });
        found.into_iter().flatten().collect()
    }

    /// Each version with the cases that it answers as expected.
    fn prepared<'k>(&self, kinds: &'k Kinds) -> Vec<Prepared<'k>> {
        let resources = kinds.resources().iter();
        let mut versions: Vec<_> = resources.map(|resource| Prepared { resource, asked: Vec::new() }).collect();
        let asked = parallel::each_on(self.threads, self.cases, |case| {
            let is_asked = case.minors.as_ref().is_none_or(|minors| minors.contains(&self.minor));
            let identity = |name: &str| case.object.get(name).and_then(Value::as_str).unwrap_or_default();
            let is_of = |resource: &Resource| {
                (resource.api_version(), resource.kind()) == (identity("apiVersion"), identity("kind"))
            };
            let version = versions.iter().filter(|_| is_asked).position(|version| is_of(version.resource))?;
            let resource = versions[version].resource;
            let (object, old) = ask(resource, case, |request| resource.as_checked(request))?;
            holds(resource, case).then_some((version, Checked { object, old }))
        });
        for (case, (version, checked)) in asked.into_iter().enumerate().filter_map(|(case, asked)| Some((case, asked?)))
        {
            versions[version].asked.push((case, checked));
        }
        versions
    }

    /// The first case that notices a mutant.
    fn killer(&self, mutant: &Mutant, subjects: &Subjects<'_>, effects: &mut Effects) -> Option<usize> {
        let mut places: BTreeMap<(usize, usize), Vec<&SchemaPath>> = BTreeMap::new();
        for Place { crd, version, path, .. } in &mutant.places {
            places.entry((*crd, *version)).or_default().push(path);
        }
        for (key, paths) in places {
            let Some(subject) = subjects.get(&key) else { continue };
            let mut exchanged: Option<Resource> = None;
            let mut known = vec![false; self.cases.len()];
            let mut notices = |case: usize| {
                if std::mem::replace(&mut known[case], true) {
                    return false;
                }
                if exchanged.is_none() {
                    exchanged = subject.exchanged(&paths, &mutant.node);
                }
                exchanged.as_ref().is_some_and(|resource| !holds(resource, &self.cases[case]))
            };
            let place =
                |path| effect::Place { key, path, groups: subject.groups(path), schema: subject.resource.schema() };
            for path in &paths {
                let killer = effects.killer(&place(path), mutant, self, &mut notices);
                if killer.is_some() {
                    return killer;
                }
            }
        }
        None
    }
}

/// The objects of a case as they are checked.
struct Checked {
    object: Value,
    old: Option<Value>,
}

/// A version with the cases that it answers as expected.
struct Prepared<'k> {
    resource: &'k Resource,
    asked: Vec<(usize, Checked)>,
}

type Subjects<'v> = BTreeMap<(usize, usize), Subject<'v>>;

/// A version with the values of its cases.
struct Subject<'v> {
    resource: &'v Resource,
    paths: HashMap<SchemaPath, usize>,
    groups: Vec<Vec<Group<'v>>>,
}

impl<'v> Subject<'v> {
    fn of(version: &'v Prepared<'_>) -> Self {
        let schema = version.resource.schema();
        let both = |(case, checked): &'v (usize, Checked)| {
            [Some(&checked.object), checked.old.as_ref()].into_iter().flatten().map(|object| (*case, object))
        };
        let objects: Vec<(usize, &Value)> = version.asked.iter().flat_map(both).collect();
        let paths = nodes(schema).into_iter().enumerate().map(|(index, (path, _))| (path, index)).collect();
        Self { resource: version.resource, paths, groups: values(schema, &objects) }
    }

    fn groups(&self, path: &SchemaPath) -> &[Group<'v>] {
        self.paths.get(path).and_then(|index| self.groups.get(*index)).map(Vec::as_slice).unwrap_or_default()
    }

    fn exchanged(&self, paths: &[&SchemaPath], node: &Schema) -> Option<Resource> {
        let mut schema = self.resource.schema().clone();
        for path in paths {
            path.node_mut(&mut schema)?.clone_from(node);
        }
        self.resource.exchanged(schema).ok()
    }
}

/// Whether the answer to a case is the expected one.
fn holds(resource: &Resource, case: &Case) -> bool {
    failure(case, &ask(resource, case, |request| resource.answer(request))).is_none()
}
