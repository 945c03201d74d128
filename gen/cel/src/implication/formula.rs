//! Formulas of classical logic over atoms and over the items of lists.
//!
//! Invariants: equal formulas have one number. A formula has no negation but that of its atoms: the negation of `every` is `some`.

use std::hash::Hash;
use std::rc::Rc;

use foldhash::HashMap;

use super::facts::{Name, Place};
use super::{About, Part};

/// The number of a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Formula(u32);

pub(super) const TRUE: Formula = Formula(0);
pub(super) const FALSE: Formula = Formula(1);

/// The formula that is true of every object, or of none.
pub(super) fn certain(is_true: bool) -> Formula {
    if is_true { TRUE } else { FALSE }
}

#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Form<'q> {
    True,
    False,
    Atom(Atom, bool),
    And(Box<[Formula]>),
    Or(Box<[Formula]>),
    Items(Items<'q>),
}

/// What is true or false of an object.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Atom {
    /// A field is there.
    Present(Name),
    /// An expression does not fail.
    Succeeds(Name),
    /// An expression is true.
    Truth(Name),
    /// A text is a quantity.
    IsQuantity(Name),
    /// The first number is at most so much larger than the second one.
    Order(usize, usize, i128),
    /// A text is this one.
    Is(usize, Rc<str>),
    /// A text matches a pattern.
    Matches(usize, Rc<str>),
    /// Two texts are the same.
    Same(usize, usize),
    /// A relation of which nothing else is known.
    Opaque(About),
}

/// A statement about every item of a list or map, or about some item.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Items<'q> {
    pub(super) is_every: bool,
    pub(super) range: Place<'q>,
    /// What is between the items and the elements that the statement is about. Items that a filter drops do not count.
    pub(super) layers: Rc<[Layer]>,
    pub(super) claim: Claim,
    pub(super) is_negated: bool,
}

/// `filter` or `map`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Layer {
    pub(super) is_filter: bool,
    /// The macro, below whose variables its body is.
    pub(super) part: Part,
    pub(super) variable: Part,
    pub(super) body: Part,
}

/// What a statement is about an element.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Claim {
    Anything,
    /// The body of a macro is true, or false.
    Truth(Layer, bool),
    /// The body of a macro has a value.
    Success(Layer),
    /// It equals an expression.
    Equals(Part),
}

/// How many elements of a range meet a condition.
pub(super) struct Count<'q> {
    pub(super) range: Place<'q>,
    /// The condition of any item.
    pub(super) condition: Formula,
    pub(super) number: usize,
    pub(super) items: Items<'q>,
}

/// All formulas of a question.
pub(super) struct Formulas<'q> {
    pub(super) forms: Vec<Form<'q>>,
    numbers: HashMap<Form<'q>, Formula>,
    negations: HashMap<Formula, Formula>,
}

impl<'q> Formulas<'q> {
    pub(super) fn new() -> Self {
        let forms = vec![Form::True, Form::False];
        Self { forms, numbers: HashMap::default(), negations: [(TRUE, FALSE), (FALSE, TRUE)].into_iter().collect() }
    }

    pub(super) fn form(&self, formula: Formula) -> &Form<'q> {
        &self.forms[formula.0 as usize]
    }

    fn number(&mut self, form: Form<'q>) -> Formula {
        if let Some(known) = self.numbers.get(&form) {
            return *known;
        }
        let number = Formula(u32::try_from(self.forms.len()).unwrap_or(u32::MAX));
        self.forms.push(form.clone());
        self.numbers.insert(form, number);
        number
    }

    pub(super) fn atom(&mut self, atom: Atom, is_true: bool) -> Formula {
        self.number(Form::Atom(atom, is_true))
    }

    pub(super) fn items(&mut self, items: Items<'q>) -> Formula {
        self.number(Form::Items(items))
    }

    pub(super) fn and(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.joined(parts, TRUE, FALSE)
    }

    pub(super) fn or(&mut self, parts: impl IntoIterator<Item = Formula>) -> Formula {
        self.joined(parts, FALSE, TRUE)
    }

    /// `nothing` is the formula of no parts, and `all` is the part that decides.
    fn joined(&mut self, parts: impl IntoIterator<Item = Formula>, nothing: Formula, all: Formula) -> Formula {
        let mut joined = Vec::new();
        for part in parts {
            match (self.form(part), nothing == TRUE) {
                _ if part == all => return all,
                _ if part == nothing => {}
                (Form::And(inner), true) | (Form::Or(inner), false) => joined.extend_from_slice(inner),
                _ => joined.push(part),
            }
        }
        joined.sort_unstable();
        joined.dedup();
        let is_decided = joined
            .iter()
            .any(|part| self.negations.get(part).is_some_and(|negation| joined.binary_search(negation).is_ok()));
        match joined[..] {
            _ if is_decided => all,
            [] => nothing,
            [part] => part,
            _ if nothing == TRUE => self.number(Form::And(joined.into())),
            _ => self.number(Form::Or(joined.into())),
        }
    }

    pub(super) fn not(&mut self, formula: Formula) -> Formula {
        if let Some(known) = self.negations.get(&formula) {
            return *known;
        }
        let negation = match self.form(formula).clone() {
            Form::True => FALSE,
            Form::False => TRUE,
            Form::Atom(atom, is_true) => self.atom(atom, !is_true),
            Form::And(parts) => {
                let parts = parts.iter().map(|part| self.not(*part)).collect::<Vec<_>>();
                self.or(parts)
            }
            Form::Or(parts) => {
                let parts = parts.iter().map(|part| self.not(*part)).collect::<Vec<_>>();
                self.and(parts)
            }
            Form::Items(items) => {
                self.items(Items { is_every: !items.is_every, is_negated: !items.is_negated, ..items })
            }
        };
        self.negations.insert(formula, negation);
        self.negations.insert(negation, formula);
        negation
    }
}
