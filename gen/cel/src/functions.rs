//! How functions are called.
//!
//! Invariants: each function has the first Kubernetes minor that accepts it in new rules, which is one minor after its library was added: servers
//! compile new rules so that the minor before can read them. Operators are not functions.

use super::cost::Cost;
use super::shapes::{OLDEST_MINOR, Shape};
use super::value::Run;

/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// Its name, with the namespace.
    pub name: &'static str,
    /// Whether the first argument is written before a dot.
    pub is_method: bool,
    pub takes: &'static [Shape],
    pub gives: Shape,
    /// The first Kubernetes minor (1.x) that accepts it in new rules: the one after the minor that added it.
    pub since: u32,
    /// The first minor that does not have it any more.
    pub until: u32,
    /// What it computes: nothing for a function of admission policies, and for one that is compiled to other steps.
    pub(super) run: Option<Run>,
    pub(super) cost: Cost,
}

/// A row of the library: overloads that differ in their arguments only.
#[derive(Clone, Copy)]
pub(super) struct Function {
    overload: Overload,
    takes: &'static [&'static [Shape]],
}

impl Function {
    const fn new(name: &'static str, is_method: bool, takes: &'static [&'static [Shape]], gives: Shape) -> Self {
        let (since, until) = (OLDEST_MINOR, u32::MAX);
        let overload = Overload { name, is_method, takes: &[], gives, since, until, run: None, cost: Cost::One };
        Self { overload, takes }
    }

    pub(super) const fn since(mut self, minor: u32) -> Self {
        self.overload.since = minor;
        self
    }

    pub(super) const fn until(mut self, minor: u32) -> Self {
        self.overload.until = minor;
        self
    }

    pub(super) const fn costs(mut self, cost: Cost) -> Self {
        self.overload.cost = cost;
        self
    }

    pub(super) fn overloads(self) -> impl Iterator<Item = Overload> {
        self.takes.iter().map(move |takes| Overload { takes, ..self.overload })
    }

    const fn runs(mut self, run: Run) -> Self {
        self.overload.run = Some(run);
        self
    }
}

/// A function `name(…)`.
pub(super) const fn function(
    name: &'static str,
    takes: &'static [&'static [Shape]],
    gives: Shape,
    run: Run,
) -> Function {
    Function::new(name, false, takes, gives).runs(run)
}

/// A function `first.name(…)`.
pub(super) const fn method(name: &'static str, takes: &'static [&'static [Shape]], gives: Shape, run: Run) -> Function {
    Function::new(name, true, takes, gives).runs(run)
}

/// A method that is compiled to other steps than a call.
pub(super) const fn compiled(name: &'static str, takes: &'static [&'static [Shape]], gives: Shape) -> Function {
    Function::new(name, true, takes, gives)
}
