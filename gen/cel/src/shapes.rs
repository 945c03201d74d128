//! The types of arguments and results, and the Kubernetes minors that this crate distinguishes.

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
    Scalar(Scalar),
    /// A list of these.
    List(&'static Shape),
    /// A map of these keys and these values.
    Map(&'static Shape, &'static Shape),
    Optional(&'static Shape),
    /// Any type, the same for each use of this number in the function.
    Parameter(usize),
    /// The same, and one of these.
    OneOf(usize, &'static [Scalar]),
    Dynamic,
}

/// The oldest minor that this crate distinguishes. It has every function without another minor.
pub(super) const OLDEST_MINOR: u32 = 32;
pub(super) const NEWEST_MINOR: u32 = 37;
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
