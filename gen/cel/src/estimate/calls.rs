//! What a call costs and how large its result is, by function.

use super::super::shapes::Scalar;
use super::super::types::Type;
use super::coster::{CallCost, Coster, Operand};
use super::expansion::{Form, Way};
use super::range::{Range, divided};

/// Reading a text, for each of its units.
const READ: f64 = 0.1;
/// A pattern, for each of its units.
const PATTERN: f64 = 0.25;
/// The longest pattern of a named format.
const FORMAT_PATTERN: f64 = 128.0;
/// The longest name of a format.
const FORMAT_SIZE: u64 = 64;
/// What making a list costs in addition to the call.
const NEW_LIST: u64 = 10;
/// The cost of a check by an authorizer.
const CHECK: u64 = 350_000;
/// The first minor that counts the pattern of `matches(text, pattern)`.
const GLOBAL_MATCHES_SINCE: u32 = 37;

const ONE: Range = Range::exactly(1);
/// An IPv4 or an IPv6 address in bytes.
const ADDRESS: Range = Range { min: 4, max: 16 };

fn is_text(of: &Type<'_>) -> bool {
    matches!(of, Type::Scalar(Scalar::Text | Scalar::Bytes))
}

/// A new list of this size.
fn new_list(size: Range, factor: f64) -> CallCost {
    CallCost::sized(size.scaled(factor).plus(ONE).plus(Range::exactly(NEW_LIST)), size)
}

impl Coster<'_, '_, '_> {
    /// The cost of a call without its arguments.
    pub(super) fn function(&self, name: &str, way: Way, target: Option<Operand>, arguments: &[Operand]) -> CallCost {
        self.library_function(name, way, target, arguments)
            .or_else(|| self.core_function(name, way, target, arguments))
            .unwrap_or(CallCost::of(ONE))
    }

    /// Functions of CEL itself.
    fn core_function(&self, name: &str, way: Way, target: Option<Operand>, arguments: &[Operand]) -> Option<CallCost> {
        if let ("matches", None) = (name, target) {
            self.depends_on_minor.set(true);
        }
        Some(match (name, way, target, arguments) {
            ("format", _, Some(text), _) => CallCost::of(self.size(text).scaled(READ)),
            ("bytes", Way::Sized, None, [text]) => {
                let size = self.size(*text);
                // A code point has up to four bytes.
                CallCost::sized(size.scaled(READ), Range { min: size.min, max: size.max.wrapping_mul(4) })
            }
            ("string", Way::Sized, None, [bytes]) => {
                let size = self.size(*bytes);
                CallCost::sized(size.scaled(READ), Range { min: size.min / 4, max: size.max })
            }
            ("strings.quote", _, None, [text]) => {
                let size = self.size(*text);
                // Each character can be escaped.
                let max = size.max.wrapping_mul(2).wrapping_add(2);
                CallCost::sized(size.scaled(READ), Range { min: size.min.wrapping_add(2), max })
            }
            ("startsWith" | "endsWith", _, Some(_), [part]) => CallCost::of(self.size(*part).scaled(READ)),
            ("@in", Way::List, _, [_, list]) => CallCost::of(self.size(*list).scaled(1.0)),
            ("matches", _, Some(text), [pattern]) => CallCost::of(self.search(self.size(text), self.size(*pattern))),
            ("matches", _, None, [text, pattern]) if self.minor >= GLOBAL_MATCHES_SINCE => {
                CallCost::of(self.search(self.size(*text), self.size(*pattern)))
            }
            ("contains", _, Some(text), [part]) => {
                CallCost::of(self.size(text).scaled(READ).times(self.size(*part).scaled(READ)))
            }
            ("_+_", Way::Sized, _, [left, right]) => {
                let size = self.size(*left).plus(self.size(*right));
                CallCost::sized(size.scaled(READ), size)
            }
            ("_+_", Way::List, _, [left, right]) => CallCost::sized(ONE, self.size(*left).plus(self.size(*right))),
            ("_==_" | "_!=_", _, _, [left, right]) | ("_<_", Way::Sized, _, [left, right]) => {
                let max = self.size(*left).max.min(self.size(*right).max);
                CallCost::of(Range { min: u64::from(max > 0), max }.scaled(READ))
            }
            _ => return None,
        })
    }

    /// A pattern in a text. An empty text costs too.
    fn search(&self, text: Range, pattern: Range) -> Range {
        text.plus(ONE).scaled(READ).times(pattern.scaled(PATTERN))
    }

    /// Functions of the libraries of Kubernetes and of CEL's extensions.
    #[allow(clippy::too_many_lines, reason = "a table of functions")]
    fn library_function(
        &self,
        name: &str,
        way: Way,
        target: Option<Operand>,
        arguments: &[Operand],
    ) -> Option<CallCost> {
        let read = |operand: Operand| CallCost::of(self.library_size(operand).scaled(READ));
        let read_into_result = |operand: Operand| {
            let size = self.library_size(operand);
            CallCost::sized(size.scaled(READ), size)
        };
        Some(match (name, target, arguments) {
            ("check", ..) => CallCost::of(Range::exactly(CHECK)),
            ("isSorted" | "sum" | "max" | "min" | "indexOf" | "lastIndexOf" | "includes", Some(target), _) => {
                CallCost::of(self.each_item(name, target))
            }
            ("url", _, [text]) => read_into_result(*text),
            ("lowerAscii" | "upperAscii" | "substring" | "trim", Some(text), _) => read_into_result(text),
            ("replace", Some(text), [from, to, ..]) => {
                let size = self.library_size(text);
                let result = replaced(size, self.library_size(*from), self.library_size(*to));
                CallCost::sized(size.scaled(2.0 * READ), result)
            }
            ("split", Some(text), _) => {
                let size = self.library_size(text);
                let limit = arguments.get(1).and_then(|limit| self.whole(*limit));
                let max = limit.map_or(size.max, i64::cast_unsigned);
                CallCost::sized(size.scaled(2.0 * READ), Range { min: 0, max })
            }
            ("join", Some(list), _) => {
                let size = self.joined(list, arguments.first().copied());
                CallCost::sized(size.scaled(READ), size)
            }
            ("find" | "findAll", Some(text), [pattern, ..]) => {
                let size = self.library_size(text);
                let cost = self.search(size, self.library_size(*pattern));
                CallCost::sized(cost, Range { min: 0, max: size.max })
            }
            ("cidr" | "isIP" | "isCIDR" | "quantity" | "isQuantity" | "semver" | "isSemver", _, [text, ..])
            | ("ip", None, [text, ..]) => read(*text),
            ("ip.isCanonical", _, [text, ..]) => CallCost::of(self.library_size(*text).scaled(2.0 * READ)),
            ("containsIP" | "containsCIDR", _, [other, ..]) => {
                let mut cost = ADDRESS.plus(ADDRESS).scaled(READ);
                if name == "containsCIDR" {
                    cost = cost.plus(ADDRESS.scaled(READ)).plus(ONE);
                }
                if way == Way::Sized {
                    cost = cost.plus(self.library_size(*other).scaled(READ));
                }
                CallCost::of(cost)
            }
            ("validate", _, [text, ..]) => {
                CallCost::of(self.library_size(*text).scaled(READ).scaled(FORMAT_PATTERN * PATTERN))
            }
            ("_==_", _, [left, right]) => CallCost::of(self.equality(*left, *right)?),
            ("sets.contains" | "sets.intersects" | "sets.equivalent", _, [one, other]) => {
                let factor = if name == "sets.equivalent" { 2.0 } else { 1.0 };
                CallCost::of(self.library_size(*one).times(self.library_size(*other)).scaled(factor).plus(ONE))
            }
            ("slice", Some(list), [start, end]) => {
                let size = self.library_size(list);
                let (start, end) = (self.count(*start, 0), self.count(*end, size.max));
                new_list(Range::exactly(end.wrapping_sub(start)), 1.0)
            }
            ("lists.range", None, [count]) => new_list(Range::exactly(self.count(*count, u64::MAX)), 1.0),
            ("reverse", Some(list), []) => new_list(self.library_size(list), 1.0),
            ("flatten", Some(list), depth) => {
                let depth = depth.first().map_or(1, |depth| self.count(*depth, u64::MAX));
                #[expect(clippy::cast_precision_loss, reason = "the server computes with doubles too")]
                new_list(self.library_size(list), depth as f64)
            }
            ("distinct" | "sort", Some(_), []) | ("@sortByAssociatedKeys", _, [_]) => {
                let size = self.library_size(*arguments.first().or(target.as_ref())?);
                let way = if name == "distinct" { Way::Plain } else { way };
                new_list(size.times(size), if way == Way::Sized { 2.0 + READ } else { 2.0 })
            }
            _ => return None,
        })
    }

    /// The value of a literal integer.
    fn whole(&self, operand: Operand) -> Option<i64> {
        match self.expression.forms[operand.part] {
            Form::Constant { whole, .. } => whole,
            _ => None,
        }
    }

    /// The value of a literal integer, if it is positive.
    fn count(&self, operand: Operand, default: u64) -> u64 {
        self.whole(operand).map_or(default, |whole| u64::try_from(whole).unwrap_or(0))
    }

    /// A comparison with each item of a list, or reading a text.
    fn each_item(&self, name: &str, target: Operand) -> Range {
        let size = self.library_size(target);
        let item = match self.type_of(target.part) {
            Type::List(items, _) | Type::Optional(items, _) => &**items,
            Type::Map(entries, _) => &entries.0,
            _ if name == "includes" => return size.times(ONE),
            _ => return size.scaled(READ),
        };
        let each = if is_text(item) { ONE.plus(self.item_size(target).scaled(READ)) } else { ONE };
        size.times(each)
    }

    fn joined(&self, list: Operand, separator: Option<Operand>) -> Range {
        let count = self.library_size(list);
        let items = match self.type_of(list.part) {
            Type::List(..) => count.times(self.item_size(list)),
            _ => Range::default(),
        };
        let Some(separator) = separator else { return items };
        let gaps = Range { min: count.min.saturating_sub(1), max: count.max.saturating_sub(1) };
        items.plus(self.library_size(separator).times(gaps))
    }

    /// Equality of two values of a type of Kubernetes.
    fn equality(&self, left: Operand, right: Operand) -> Option<Range> {
        let (Type::Scalar(one), Type::Scalar(other)) = (self.type_of(left.part), self.type_of(right.part)) else {
            return None;
        };
        if one != other {
            return None;
        }
        match one {
            Scalar::Address | Scalar::Network | Scalar::Quantity | Scalar::Semver | Scalar::Authorization => Some(ONE),
            Scalar::Format => Some(Range { min: 1, max: FORMAT_SIZE }.scaled(READ)),
            Scalar::Location => {
                let max = right.size.map_or(1, |size| size.max);
                Some(Range { min: 1, max }.scaled(READ))
            }
            _ => None,
        }
    }
}

/// The size of a text in which every occurrence of another text is replaced.
fn replaced(text: Range, from: Range, to: Range) -> Range {
    let (mut count, mut kept) = (Range::default(), Range::default());
    if from.min == 0 {
        // An empty text is before and after each character.
        count.max = text.max.saturating_add(1);
        kept.max = text.max;
    } else if to.max <= from.min {
        kept.max = text.max;
    } else {
        count.max = divided(text.max, from.min);
    }
    if from.max == 0 {
        count.min = text.min.saturating_add(1);
        kept.min = text.min;
    } else if from.max <= to.min {
        kept.min = text.min;
    } else {
        count.min = divided(text.min, from.max);
    }
    count.times(to).plus(kept)
}
