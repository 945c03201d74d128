//! The nodes of an API version over all releases and channels: for each node, where it exists and when it changes.
//!
//! Invariants: a node is listed once, however often it changes. Change points are sparse: a release without one is as the release before it.

use std::collections::BTreeSet;

use crd_model::Schema;
use crd_model::channel::Channel;
use crd_model::schema::{Step, below};

use crate::state::{ABSENT, Interner, state};

/// The most channels that there are.
pub(crate) const CHANNELS: usize = Channel::ALL.len();

/// One value for each channel.
pub(crate) type ByChannel<T> = [T; CHANNELS];

/// From which releases on something has which values.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ChangePoints(Vec<(usize, ByChannel<i64>)>);

impl ChangePoints {
    /// Adds the values of a release, which is after those that were added. `before` is what holds before the first change point.
    pub(crate) fn add(&mut self, release: usize, values: ByChannel<i64>, before: i64) {
        let last = self.0.last().map_or([before; CHANNELS], |(_, values)| *values);
        if last != values {
            self.0.push((release, values));
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(usize, ByChannel<i64>)> {
        self.0.iter()
    }

    /// The values in a release. `before` is what holds before the first change point.
    pub(crate) fn at(&self, release: usize, before: i64) -> ByChannel<i64> {
        let until = self.0.iter().take_while(|(from, _)| *from <= release);
        until.last().map_or([before; CHANNELS], |(_, values)| *values)
    }

    pub(crate) fn replace(&mut self, replacement: impl Fn(i64) -> i64) {
        for (_, values) in &mut self.0 {
            *values = values.map(&replacement);
        }
    }
}

/// The name in the data of the node that a step leads to.
pub(crate) fn name(step: Step<&str>) -> &str {
    match step {
        Step::Field(name) => name,
        Step::Item => "[]",
        Step::Value => "{}",
    }
}

/// Whether a property has a name that means something else in the data.
pub(crate) fn is_ambiguous(step: Step<&str>) -> bool {
    matches!(step, Step::Field("" | "[]" | "{}"))
}

/// The steps to nodes below schemas: properties in the order of their names, then items, then values.
pub(crate) fn steps<'s>(schemas: impl IntoIterator<Item = &'s Schema>) -> BTreeSet<Step<&'s str>> {
    schemas.into_iter().flat_map(|schema| below(schema).map(|(step, _)| step)).collect()
}

/// A node in some releases that follow each other: the first one, and the one after the last.
#[derive(Clone, Copy)]
pub(crate) struct Row<'s> {
    pub(crate) from: usize,
    /// The release after the last.
    pub(crate) to: usize,
    /// The node in each channel.
    pub(crate) schemas: ByChannel<Option<&'s Schema>>,
}

/// Adds a row, or makes the last one longer if the node does not change.
pub(crate) fn push<'s>(rows: &mut Vec<Row<'s>>, row: Row<'s>) {
    match rows.last_mut() {
        Some(last) if last.to == row.from && are_equal(&last.schemas, &row.schemas) => last.to = row.to,
        _ => rows.push(row),
    }
}

fn are_equal(one: &ByChannel<Option<&Schema>>, other: &ByChannel<Option<&Schema>>) -> bool {
    one.iter().zip(other).all(|pair| match pair {
        (Some(one), Some(other)) => std::ptr::eq(*one, *other) || one == other,
        (None, None) => true,
        _ => false,
    })
}

/// A node in all releases and channels.
#[derive(Debug)]
pub(crate) struct Node<'s> {
    /// The step from its parent; none for the root of a version.
    pub(crate) step: Option<Step<&'s str>>,
    /// Its states, by index.
    pub(crate) states: ChangePoints,
    /// Its description in the newest release with texts that has it.
    pub(crate) texts: ByChannel<Option<&'s str>>,
    /// The nodes below it.
    pub(crate) children: Vec<Node<'s>>,
}

/// Makes trees. States are interned for one resource.
pub(crate) struct Builder<'a> {
    /// The states of the resource.
    pub(crate) states: Interner,
    /// For each release, whether it has texts.
    pub(crate) has_text: &'a [bool],
}

impl Builder<'_> {
    /// The node of rows, and the nodes below it.
    pub(crate) fn node<'s>(&mut self, step: Option<Step<&'s str>>, rows: &[Row<'s>]) -> Node<'s> {
        let mut states = ChangePoints::default();
        let mut last: Option<&Row<'_>> = None;
        for row in rows {
            if last.is_some_and(|last| last.to < row.from) {
                states.add(last.map_or(0, |last| last.to), [ABSENT; CHANNELS], ABSENT);
            }
            let mut known: Option<(&Schema, i64)> = None;
            let values = row.schemas.map(|schema| {
                let Some(schema) = schema else { return ABSENT };
                if let Some((other, index)) = known
                    && std::ptr::eq(other, schema)
                {
                    return index;
                }
                let index = self.states.index(state(schema));
                known = Some((schema, index));
                index
            });
            states.add(row.from, values, ABSENT);
            last = Some(row);
        }
        if let Some(last) = last.filter(|last| last.to < self.has_text.len()) {
            states.add(last.to, [ABSENT; CHANNELS], ABSENT);
        }
        let has_text = |row: &&Row<'_>| self.has_text.get(row.from..row.to).is_some_and(|texts| texts.contains(&true));
        let mut texts = [None; CHANNELS];
        for (channel, text) in texts.iter_mut().enumerate() {
            let with_text = rows.iter().rev().filter(has_text);
            let newest = with_text.filter_map(|row| row.schemas.get(channel).copied().flatten()).next();
            *text = newest.and_then(|schema| schema.description.as_deref());
        }
        let schemas = rows.iter().flat_map(|row| row.schemas).flatten();
        let children = steps(schemas).into_iter().map(|step| {
            let mut below: Vec<Row<'s>> = Vec::new();
            for row in rows {
                let schemas = row.schemas.map(|schema| schema.and_then(|schema| step.below(schema)));
                if schemas.iter().any(Option::is_some) {
                    push(&mut below, Row { schemas, ..*row });
                }
            }
            self.node(Some(step), &below)
        });
        Node { step, states, texts, children: children.collect() }
    }
}

impl Node<'_> {
    /// The number of nodes with this one.
    pub(crate) fn count(&self) -> usize {
        1 + self.children.iter().map(Node::count).sum::<usize>()
    }
}
