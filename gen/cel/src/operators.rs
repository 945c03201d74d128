//! The operators, with the types of their operands and results.
//!
//! Invariants: overloads are in the server's order, which counts where the type of an operand is not decided.

use super::lexer::TokenKind;
use super::shapes::{BYTES, DOUBLE, DURATION, INTEGER, Shape, TEXT, TIMESTAMP, UNSIGNED};

/// The operands and the result of one overload.
pub(super) type Signature = (&'static [Shape], Shape);

const BOOLEAN: Shape = super::shapes::BOOLEAN;
const A: Shape = Shape::Parameter(0);
const B: Shape = Shape::Parameter(1);
const LIST: Shape = Shape::List(&A);
const MAP: Shape = Shape::Map(&A, &B);

pub(super) const NEGATE: &[Signature] = &[(&[DOUBLE], DOUBLE), (&[INTEGER], INTEGER)];
pub(super) const CONDITIONAL: &[Signature] = &[(&[BOOLEAN, A, A], A)];
pub(super) const EQUAL: &[Signature] = &[(&[A, A], BOOLEAN)];
pub(super) const IN: &[Signature] = &[(&[A, LIST], BOOLEAN), (&[A, MAP], BOOLEAN)];

pub(super) const INDEX: &[Signature] = &[
    (&[LIST, INTEGER], A),
    (&[MAP, A], B),
    (&[Shape::Optional(&LIST), INTEGER], Shape::Optional(&A)),
    (&[Shape::Optional(&MAP), A], Shape::Optional(&B)),
];

pub(super) const OPTIONAL_INDEX: &[Signature] = &[
    (&[LIST, INTEGER], Shape::Optional(&A)),
    (&[Shape::Optional(&LIST), INTEGER], Shape::Optional(&A)),
    (&[MAP, A], Shape::Optional(&B)),
    (&[Shape::Optional(&MAP), A], Shape::Optional(&B)),
];

/// `transformMap` and `transformMapEntry` add entries to a map.
pub(super) const INSERT: &[Signature] = &[(&[MAP, A, B], MAP), (&[MAP, MAP], MAP)];

const SUM: &[Signature] = &[
    (&[BYTES, BYTES], BYTES),
    (&[DOUBLE, DOUBLE], DOUBLE),
    (&[DURATION, DURATION], DURATION),
    (&[DURATION, TIMESTAMP], TIMESTAMP),
    (&[TIMESTAMP, DURATION], TIMESTAMP),
    (&[INTEGER, INTEGER], INTEGER),
    (&[LIST, LIST], LIST),
    (&[TEXT, TEXT], TEXT),
    (&[UNSIGNED, UNSIGNED], UNSIGNED),
];

const DIFFERENCE: &[Signature] = &[
    (&[DOUBLE, DOUBLE], DOUBLE),
    (&[DURATION, DURATION], DURATION),
    (&[INTEGER, INTEGER], INTEGER),
    (&[TIMESTAMP, DURATION], TIMESTAMP),
    (&[TIMESTAMP, TIMESTAMP], DURATION),
    (&[UNSIGNED, UNSIGNED], UNSIGNED),
];

const PRODUCT: &[Signature] =
    &[(&[DOUBLE, DOUBLE], DOUBLE), (&[INTEGER, INTEGER], INTEGER), (&[UNSIGNED, UNSIGNED], UNSIGNED)];

const REMAINDER: &[Signature] = &[(&[INTEGER, INTEGER], INTEGER), (&[UNSIGNED, UNSIGNED], UNSIGNED)];

const ORDER: &[Signature] = &[
    (&[BOOLEAN, BOOLEAN], BOOLEAN),
    (&[INTEGER, INTEGER], BOOLEAN),
    (&[INTEGER, DOUBLE], BOOLEAN),
    (&[INTEGER, UNSIGNED], BOOLEAN),
    (&[UNSIGNED, UNSIGNED], BOOLEAN),
    (&[UNSIGNED, DOUBLE], BOOLEAN),
    (&[UNSIGNED, INTEGER], BOOLEAN),
    (&[DOUBLE, DOUBLE], BOOLEAN),
    (&[DOUBLE, INTEGER], BOOLEAN),
    (&[DOUBLE, UNSIGNED], BOOLEAN),
    (&[TEXT, TEXT], BOOLEAN),
    (&[BYTES, BYTES], BOOLEAN),
    (&[TIMESTAMP, TIMESTAMP], BOOLEAN),
    (&[DURATION, DURATION], BOOLEAN),
];

/// The overloads of an operator with two operands.
pub(super) fn of_token(operator: TokenKind) -> &'static [Signature] {
    match operator {
        TokenKind::Equal | TokenKind::NotEqual => EQUAL,
        TokenKind::Plus => SUM,
        TokenKind::Minus => DIFFERENCE,
        TokenKind::Star | TokenKind::Slash => PRODUCT,
        TokenKind::Percent => REMAINDER,
        _ => ORDER,
    }
}
