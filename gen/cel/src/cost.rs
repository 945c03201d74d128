//! What a step of an evaluation costs: the cost model of cel-go and of the API server's libraries.
//!
//! Invariants: each call is rounded by itself, as the server does, so that sums are equal to the server's.

use super::network;
use super::shapes::Scalar;
use super::types::Kind;
use super::value::{Text, Value};

/// The cost of making a list, before its items.
pub(super) const LIST: u64 = 10;
/// The cost of making a map, before its entries.
pub(super) const MAP: u64 = 30;

/// How the cost of a call is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// One, whatever the arguments are.
    One,
    Scan(usize),
    /// Reads the first argument, if it is known to be of this type.
    ScanOf(Scalar),
    /// Two rounds over the first argument.
    ScanTwice,
    /// Two rounds over the result.
    ResultTwice,
    ScanBoth,
    /// Reads the shorter argument.
    ScanShorter,
    /// Equality, which is one for the types of Kubernetes.
    Equality,
    /// The items of the second argument.
    Items,
    /// The product of reading both.
    Contains,
    /// A search with a pattern, which is the second argument.
    Pattern,
    /// `format.….validate(text)`
    Format,
    /// Every value in the first argument.
    Traversal,
    /// An address in a network; the flag is set where the second argument is a text.
    ContainsAddress(bool),
    /// A network in a network.
    ContainsNetwork(bool),
    /// A new list of the size of the result.
    NewList,
    /// `flatten`
    Flatten,
    /// Each item of this argument compared with each other item.
    SelfCompare(usize),
    /// The same, if the type of the items is known.
    Sort(usize),
    /// Each item of one list compared with each item of the other, once or twice.
    Sets(u64),
}

/// The size of a value: code points, bytes, items, entries; one for everything else.
pub(super) fn size(value: &Value<'_>) -> u64 {
    let count = match value {
        Value::Text(text) => text.chars().count(),
        Value::Bytes(bytes) => bytes.len(),
        Value::List(items) => items.len(),
        Value::Map(entries) => entries.len(),
        Value::Address(address) => usize::from(network::width(*address) / 8),
        Value::Network(network) => return network.size(),
        Value::Optional(Some(content)) => return size(content),
        _ => 1,
    };
    u64::try_from(count).unwrap_or(u64::MAX)
}

#[expect(clippy::cast_precision_loss, reason = "the server computes with doubles too")]
fn real(size: u64) -> f64 {
    size as f64
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "costs are positive, and saturate")]
fn whole(cost: f64) -> u64 {
    cost as u64
}

fn scan(size: u64) -> u64 {
    whole((real(size) * 0.1).ceil())
}

fn scan_twice(size: u64) -> u64 {
    whole((real(size) * 2.0 * 0.1).ceil())
}

/// The cost of searching a text of this size with a pattern of this size.
pub(super) fn search(text: u64, pattern: u64) -> u64 {
    whole(((1.0 + real(text)) * 0.1).ceil()).saturating_mul(whole((real(pattern) * 0.25).ceil()))
}

/// The cost of each value in a value: texts count a tenth of their bytes, rounded down.
fn traversal(value: &Value<'_>) -> u64 {
    let bytes = |length: usize| whole(real(u64::try_from(length).unwrap_or(u64::MAX)) * 0.1);
    let mut sum: u64 = 0;
    let mut todo = vec![value.clone()];
    while let Some(value) = todo.pop() {
        match &value {
            Value::Text(Text::Borrowed(text)) => sum = sum.saturating_add(bytes(text.len())),
            Value::Text(text) => sum = sum.saturating_add(bytes(text.len())),
            Value::Bytes(content) => sum = sum.saturating_add(bytes(content.len())),
            Value::List(items) => todo.extend(items.iter()),
            Value::Map(entries) => todo.extend(entries.entries().into_iter().flat_map(|(key, value)| [key, value])),
            _ => sum = sum.saturating_add(1),
        }
    }
    sum
}

fn new_list(size: u64, factor: f64) -> u64 {
    whole(real(size) * factor).saturating_add(1 + LIST)
}

impl Cost {
    /// The cost for the overload that the type checker found.
    pub(super) fn of_overload(self, kind: Kind) -> Self {
        let is_text = kind == Kind::Scalar(Scalar::Text);
        match self {
            Self::ScanOf(scalar) if kind == Kind::Scalar(scalar) => Self::Scan(0),
            Self::Sort(at) if kind != Kind::Open => Self::SelfCompare(at),
            Self::ContainsAddress(_) => Self::ContainsAddress(is_text),
            Self::ContainsNetwork(_) => Self::ContainsNetwork(is_text),
            other => other,
        }
    }

    /// The cost of a call.
    pub(super) fn of(self, arguments: &[Value<'_>], result: &Value<'_>) -> u64 {
        let size_at = |at: usize| arguments.get(at).map_or(1, size);
        match self {
            Self::One | Self::ScanOf(_) | Self::Sort(_) => 1,
            Self::Scan(at) => scan(size_at(at)),
            Self::ScanTwice => scan_twice(size_at(0)),
            Self::ResultTwice => scan_twice(size(result)),
            Self::ScanBoth => scan(size_at(0).saturating_add(size_at(1))),
            Self::Equality if arguments.first().is_some_and(Value::is_of_kubernetes) => 1,
            Self::ScanShorter | Self::Equality => scan(size_at(0).min(size_at(1))),
            Self::Items => size_at(1),
            Self::Contains => scan(size_at(0)).saturating_mul(scan(size_at(1))),
            Self::Pattern => search(size_at(0), size_at(1)),
            Self::Format => match arguments.first() {
                Some(Value::Format(format)) => search(size_at(1), u64::from(format.pattern_length)),
                _ => 1,
            },
            Self::Traversal => arguments.first().map_or(0, traversal),
            Self::ContainsAddress(is_text) => scan(size_at(0) * 2) + if is_text { scan(size_at(1)) } else { 0 },
            Self::ContainsNetwork(is_text) => {
                scan(size_at(0) * 2) + scan(size_at(0)) + 1 + if is_text { scan(size_at(1)) } else { 0 }
            }
            Self::NewList => new_list(size(result), 1.0),
            Self::Flatten => match arguments.get(1) {
                #[expect(clippy::cast_precision_loss, reason = "the server computes with doubles too")]
                Some(Value::Integer(depth)) if *depth >= 0 => new_list(size_at(0), *depth as f64),
                _ => new_list(size_at(0), 1.0),
            },
            Self::SelfCompare(at) => {
                let first = match arguments.get(at) {
                    Some(Value::List(items)) => items.get(0),
                    _ => None,
                };
                let factor = if matches!(first, Some(Value::Text(_) | Value::Bytes(_))) { 2.1 } else { 2.0 };
                new_list(size_at(at).saturating_mul(size_at(at)), factor)
            }
            Self::Sets(factor) => size_at(0).saturating_mul(size_at(1)).saturating_mul(factor).saturating_add(1),
        }
    }
}
