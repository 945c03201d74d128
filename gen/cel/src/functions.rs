//! The types of the functions that rules of a CRD can call. Their rows are in the library, next to what they compute.
//!
//! Invariants: overloads are sorted by name, and those of one name are in the server's order and have one implementation. Each function has
//! the first Kubernetes minor that accepts it in new rules, which is one minor after its library was added: servers compile new rules so that
//! the minor before can read them. Operators are not functions.

use std::sync::LazyLock;

use super::cost::Cost;
use super::library;
use super::value::Run;

/// A type without parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `bool`
    Boolean,
    /// `int`
    Integer,
    /// `uint`
    Unsigned,
    /// `double`
    Double,
    /// `string`
    Text,
    /// `bytes`
    Bytes,
    /// `google.protobuf.Duration`
    Duration,
    /// `google.protobuf.Timestamp`
    Timestamp,
    /// `null_type`
    Null,
    /// `quantity('1Gi')`
    Quantity,
    /// `ip('::1')`
    Address,
    /// `cidr('10.0.0.0/8')`
    Network,
    /// `url('https://example.com')`
    Location,
    /// `semver('1.2.3')`
    Semver,
    /// `format.dns1123Label()`
    Format,
    /// Only admission policies have such values.
    Authorization,
}

impl Scalar {
    /// One of it in words, and several.
    pub(super) fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Boolean => ("a boolean", "booleans"),
            Self::Integer => ("an integer", "integers"),
            Self::Unsigned => ("an unsigned integer", "unsigned integers"),
            Self::Double => ("a number with a fraction", "numbers with fractions"),
            Self::Text => ("a string", "strings"),
            Self::Bytes => ("bytes", "bytes"),
            Self::Duration => ("a duration", "durations"),
            Self::Timestamp => ("a timestamp", "timestamps"),
            Self::Null => ("null", "nulls"),
            Self::Quantity => ("a quantity", "quantities"),
            Self::Address => ("an IP address", "IP addresses"),
            Self::Network => ("a CIDR", "CIDRs"),
            Self::Location => ("a URL", "URLs"),
            Self::Semver => ("a semantic version", "semantic versions"),
            Self::Format => ("a named format", "named formats"),
            Self::Authorization => ("an authorization", "authorizations"),
        }
    }

    /// Whether null is accepted where this type is expected.
    pub(super) fn can_be_null(self) -> bool {
        use Scalar::{Boolean, Bytes, Double, Integer, Text, Unsigned};
        !matches!(self, Boolean | Integer | Unsigned | Double | Text | Bytes)
    }
}

/// The type of an argument or result.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    /// This type.
    Scalar(Scalar),
    /// A list of these.
    List(&'static Shape),
    /// A map of these keys and these values.
    Map(&'static Shape, &'static Shape),
    /// An optional one.
    Optional(&'static Shape),
    /// Any type, the same for each use of this number in the function.
    Parameter(usize),
    /// The same, and one of these.
    OneOf(usize, &'static [Scalar]),
    /// Anything.
    Dynamic,
}

/// The oldest minor that this crate distinguishes. It has every function without another minor.
pub(super) const OLDEST_MINOR: u32 = 32;
/// The newest minor.
pub(super) const NEWEST_MINOR: u32 = 37;
/// One way to call a function.
#[derive(Clone, Copy, Debug)]
pub struct Overload {
    /// Its name, with the namespace.
    pub name: &'static str,
    /// Whether the first argument is written before a dot.
    pub is_method: bool,
    /// The arguments.
    pub takes: &'static [Shape],
    /// The result.
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

static OVERLOADS: LazyLock<Vec<Overload>> = LazyLock::new(|| {
    let functions = library::functions();
    let overloads = functions.iter().flat_map(|function| {
        let Function { overload, takes } = *function;
        takes.iter().map(move |takes| Overload { takes, ..overload })
    });
    let mut overloads: Vec<Overload> = overloads.collect();
    overloads.sort_by_key(|overload| overload.name);
    overloads
});

/// Every way to call the function of this name.
pub(super) fn overloads(name: &str) -> &'static [Overload] {
    let start = OVERLOADS.partition_point(|overload| overload.name < name);
    let length = OVERLOADS[start..].partition_point(|overload| overload.name == name);
    &OVERLOADS[start..start + length]
}

/// Every way to call a function that rules of a CRD can call, sorted by name. Operators and macros are not functions.
pub fn functions() -> impl Iterator<Item = &'static Overload> {
    OVERLOADS.iter()
}

pub(super) const BOOLEAN: Shape = Shape::Scalar(Scalar::Boolean);
pub(super) const INTEGER: Shape = Shape::Scalar(Scalar::Integer);
pub(super) const UNSIGNED: Shape = Shape::Scalar(Scalar::Unsigned);
pub(super) const DOUBLE: Shape = Shape::Scalar(Scalar::Double);
pub(super) const TEXT: Shape = Shape::Scalar(Scalar::Text);
pub(super) const BYTES: Shape = Shape::Scalar(Scalar::Bytes);
pub(super) const DURATION: Shape = Shape::Scalar(Scalar::Duration);
pub(super) const TIMESTAMP: Shape = Shape::Scalar(Scalar::Timestamp);
pub(super) const QUANTITY: Shape = Shape::Scalar(Scalar::Quantity);
pub(super) const ADDRESS: Shape = Shape::Scalar(Scalar::Address);
pub(super) const NETWORK: Shape = Shape::Scalar(Scalar::Network);
pub(super) const LOCATION: Shape = Shape::Scalar(Scalar::Location);
pub(super) const SEMVER: Shape = Shape::Scalar(Scalar::Semver);
pub(super) const FORMAT: Shape = Shape::Scalar(Scalar::Format);
pub(super) const AUTHORIZATION: Shape = Shape::Scalar(Scalar::Authorization);
pub(super) const DYNAMIC: Shape = Shape::Dynamic;
pub(super) const ANY: Shape = Shape::Parameter(0);
pub(super) const LIST: Shape = Shape::List(&ANY);
pub(super) const MAP: Shape = Shape::Map(&ANY, &Shape::Parameter(1));
pub(super) const OPTIONAL: Shape = Shape::Optional(&ANY);
pub(super) const TEXTS: Shape = Shape::List(&TEXT);
pub(super) const INTEGERS: Shape = Shape::List(&INTEGER);
pub(super) const DYNAMICS: Shape = Shape::List(&DYNAMIC);
pub(super) const ORDERED: Shape = Shape::OneOf(0, &ORDERED_SCALARS);
/// A list that can be sorted.
pub(super) const ORDERED_LIST: Shape = Shape::List(&ORDERED);
pub(super) const SUMMABLE: Shape =
    Shape::OneOf(0, &[Scalar::Integer, Scalar::Unsigned, Scalar::Double, Scalar::Duration]);

/// The types that `<` compares and that lists are sorted by.
pub(super) const ORDERED_SCALARS: [Scalar; 8] = [
    Scalar::Integer,
    Scalar::Unsigned,
    Scalar::Double,
    Scalar::Boolean,
    Scalar::Duration,
    Scalar::Timestamp,
    Scalar::Text,
    Scalar::Bytes,
];
