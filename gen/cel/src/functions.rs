//! The functions that rules of a CRD can call, with the types of their arguments and results.
//!
//! Invariants: the table is sorted by name. Each function has the first Kubernetes minor that accepts it in new rules, which is one minor
//! after its library was added: servers compile new rules so that the minor before can read them. Operators are not in the table.

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
    /// One of it, in words.
    pub(super) fn one(self) -> &'static str {
        self.words().0
    }

    /// Several of it, in words.
    pub(super) fn several(self) -> &'static str {
        self.words().1
    }

    /// One of it, and several.
    fn words(self) -> (&'static str, &'static str) {
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
/// The first minor that accepts macros with two variables in new rules.
pub(super) const TWO_VARIABLES_SINCE: u32 = 33;
/// The first minor that accepts `sortBy` in new rules.
pub(super) const SORT_BY_SINCE: u32 = 35;

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
}

impl Overload {
    const fn since(mut self, minor: u32) -> Self {
        self.since = minor;
        self
    }

    const fn until(mut self, minor: u32) -> Self {
        self.until = minor;
        self
    }
}

/// Every way to call the function of this name.
pub(super) fn overloads(name: &str) -> &'static [Overload] {
    let start = FUNCTIONS.partition_point(|overload| overload.name < name);
    let length = FUNCTIONS[start..].partition_point(|overload| overload.name == name);
    &FUNCTIONS[start..start + length]
}

/// Every way to call a function that rules of a CRD can call, sorted by name. Operators and macros are not functions.
pub fn functions() -> impl Iterator<Item = &'static Overload> {
    FUNCTIONS.iter()
}

const fn function(name: &'static str, takes: &'static [Shape], gives: Shape) -> Overload {
    Overload { name, is_method: false, takes, gives, since: OLDEST_MINOR, until: u32::MAX }
}

const fn method(name: &'static str, takes: &'static [Shape], gives: Shape) -> Overload {
    Overload { name, is_method: true, takes, gives, since: OLDEST_MINOR, until: u32::MAX }
}

pub(super) const BOOLEAN: Shape = Shape::Scalar(Scalar::Boolean);
pub(super) const INTEGER: Shape = Shape::Scalar(Scalar::Integer);
pub(super) const UNSIGNED: Shape = Shape::Scalar(Scalar::Unsigned);
pub(super) const DOUBLE: Shape = Shape::Scalar(Scalar::Double);
pub(super) const TEXT: Shape = Shape::Scalar(Scalar::Text);
pub(super) const BYTES: Shape = Shape::Scalar(Scalar::Bytes);
pub(super) const DURATION: Shape = Shape::Scalar(Scalar::Duration);
pub(super) const TIMESTAMP: Shape = Shape::Scalar(Scalar::Timestamp);
const QUANTITY: Shape = Shape::Scalar(Scalar::Quantity);
const ADDRESS: Shape = Shape::Scalar(Scalar::Address);
const NETWORK: Shape = Shape::Scalar(Scalar::Network);
const LOCATION: Shape = Shape::Scalar(Scalar::Location);
const SEMVER: Shape = Shape::Scalar(Scalar::Semver);
const FORMAT: Shape = Shape::Scalar(Scalar::Format);
const AUTHORIZATION: Shape = Shape::Scalar(Scalar::Authorization);
const DYNAMIC: Shape = Shape::Dynamic;
const ANY: Shape = Shape::Parameter(0);
const LIST: Shape = Shape::List(&ANY);
const MAP: Shape = Shape::Map(&ANY, &Shape::Parameter(1));
const OPTIONAL: Shape = Shape::Optional(&ANY);
const TEXTS: Shape = Shape::List(&TEXT);
const INTEGERS: Shape = Shape::List(&INTEGER);
const DYNAMICS: Shape = Shape::List(&DYNAMIC);
const ORDERED: Shape = Shape::OneOf(0, &ORDERED_SCALARS);
/// A list that can be sorted.
pub(super) const ORDERED_LIST: Shape = Shape::List(&ORDERED);
const SUMMABLE: Shape = Shape::OneOf(0, &[Scalar::Integer, Scalar::Unsigned, Scalar::Double, Scalar::Duration]);

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

#[rustfmt::skip]
const FUNCTIONS: &[Overload] = &[
    method("add", &[QUANTITY, QUANTITY], QUANTITY),
    method("add", &[QUANTITY, INTEGER], QUANTITY),
    method("allowed", &[AUTHORIZATION], BOOLEAN),
    method("asApproximateFloat", &[QUANTITY], DOUBLE),
    method("asInteger", &[QUANTITY], INTEGER),
    function("bool", &[BOOLEAN], BOOLEAN),
    function("bool", &[TEXT], BOOLEAN),
    function("bytes", &[BYTES], BYTES),
    function("bytes", &[TEXT], BYTES),
    method("charAt", &[TEXT, INTEGER], TEXT),
    method("check", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    function("cidr", &[TEXT], NETWORK),
    method("compareTo", &[QUANTITY, QUANTITY], INTEGER),
    method("compareTo", &[SEMVER, SEMVER], INTEGER).since(34),
    method("contains", &[TEXT, TEXT], BOOLEAN),
    method("containsCIDR", &[NETWORK, TEXT], BOOLEAN),
    method("containsCIDR", &[NETWORK, NETWORK], BOOLEAN),
    method("containsIP", &[NETWORK, TEXT], BOOLEAN),
    method("containsIP", &[NETWORK, ADDRESS], BOOLEAN),
    method("distinct", &[LIST], LIST).since(35),
    function("double", &[DOUBLE], DOUBLE),
    function("double", &[INTEGER], DOUBLE),
    function("double", &[TEXT], DOUBLE),
    function("double", &[UNSIGNED], DOUBLE),
    function("duration", &[DURATION], DURATION),
    function("duration", &[INTEGER], DURATION).until(37),
    function("duration", &[TEXT], DURATION),
    function("dyn", &[ANY], DYNAMIC),
    method("endsWith", &[TEXT, TEXT], BOOLEAN),
    method("error", &[AUTHORIZATION], TEXT),
    method("errored", &[AUTHORIZATION], BOOLEAN),
    method("family", &[ADDRESS], INTEGER),
    method("fieldSelector", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("find", &[TEXT, TEXT], TEXT),
    method("findAll", &[TEXT, TEXT], TEXTS),
    method("findAll", &[TEXT, TEXT, INTEGER], TEXTS),
    method("first", &[LIST], OPTIONAL).since(33),
    method("flatten", &[Shape::List(&LIST)], LIST).since(35),
    method("flatten", &[DYNAMICS, INTEGER], DYNAMICS).since(35),
    method("format", &[TEXT, DYNAMICS], TEXT),
    function("format.byte", &[], FORMAT),
    function("format.date", &[], FORMAT),
    function("format.datetime", &[], FORMAT),
    function("format.dns1035Label", &[], FORMAT),
    function("format.dns1035LabelPrefix", &[], FORMAT),
    function("format.dns1123Label", &[], FORMAT),
    function("format.dns1123LabelPrefix", &[], FORMAT),
    function("format.dns1123Subdomain", &[], FORMAT),
    function("format.dns1123SubdomainPrefix", &[], FORMAT),
    function("format.labelValue", &[], FORMAT),
    function("format.named", &[TEXT], Shape::Optional(&FORMAT)),
    function("format.qualifiedName", &[], FORMAT),
    function("format.uri", &[], FORMAT),
    function("format.uuid", &[], FORMAT),
    method("getDate", &[TIMESTAMP], INTEGER),
    method("getDate", &[TIMESTAMP, TEXT], INTEGER),
    method("getDayOfMonth", &[TIMESTAMP], INTEGER),
    method("getDayOfMonth", &[TIMESTAMP, TEXT], INTEGER),
    method("getDayOfWeek", &[TIMESTAMP], INTEGER),
    method("getDayOfWeek", &[TIMESTAMP, TEXT], INTEGER),
    method("getDayOfYear", &[TIMESTAMP], INTEGER),
    method("getDayOfYear", &[TIMESTAMP, TEXT], INTEGER),
    method("getEscapedPath", &[LOCATION], TEXT),
    method("getFullYear", &[TIMESTAMP], INTEGER),
    method("getFullYear", &[TIMESTAMP, TEXT], INTEGER),
    method("getHost", &[LOCATION], TEXT),
    method("getHostname", &[LOCATION], TEXT),
    method("getHours", &[TIMESTAMP], INTEGER),
    method("getHours", &[TIMESTAMP, TEXT], INTEGER),
    method("getHours", &[DURATION], INTEGER),
    method("getMilliseconds", &[TIMESTAMP], INTEGER),
    method("getMilliseconds", &[TIMESTAMP, TEXT], INTEGER),
    method("getMilliseconds", &[DURATION], INTEGER),
    method("getMinutes", &[TIMESTAMP], INTEGER),
    method("getMinutes", &[TIMESTAMP, TEXT], INTEGER),
    method("getMinutes", &[DURATION], INTEGER),
    method("getMonth", &[TIMESTAMP], INTEGER),
    method("getMonth", &[TIMESTAMP, TEXT], INTEGER),
    method("getPort", &[LOCATION], TEXT),
    method("getQuery", &[LOCATION], Shape::Map(&TEXT, &TEXTS)),
    method("getScheme", &[LOCATION], TEXT),
    method("getSeconds", &[TIMESTAMP], INTEGER),
    method("getSeconds", &[TIMESTAMP, TEXT], INTEGER),
    method("getSeconds", &[DURATION], INTEGER),
    method("group", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("hasValue", &[OPTIONAL], BOOLEAN),
    method("includes", &[DYNAMIC, DYNAMIC], BOOLEAN).since(38),
    method("indexOf", &[LIST, ANY], INTEGER),
    method("indexOf", &[TEXT, TEXT], INTEGER),
    method("indexOf", &[TEXT, TEXT, INTEGER], INTEGER),
    function("int", &[INTEGER], INTEGER),
    function("int", &[DOUBLE], INTEGER),
    function("int", &[DURATION], INTEGER),
    function("int", &[TEXT], INTEGER),
    function("int", &[TIMESTAMP], INTEGER),
    function("int", &[UNSIGNED], INTEGER),
    function("ip", &[TEXT], ADDRESS),
    method("ip", &[NETWORK], ADDRESS),
    function("ip.isCanonical", &[TEXT], BOOLEAN),
    function("isCIDR", &[TEXT], BOOLEAN),
    method("isGlobalUnicast", &[ADDRESS], BOOLEAN),
    method("isGreaterThan", &[QUANTITY, QUANTITY], BOOLEAN),
    method("isGreaterThan", &[SEMVER, SEMVER], BOOLEAN).since(34),
    function("isIP", &[TEXT], BOOLEAN),
    method("isInteger", &[QUANTITY], BOOLEAN),
    method("isLessThan", &[QUANTITY, QUANTITY], BOOLEAN),
    method("isLessThan", &[SEMVER, SEMVER], BOOLEAN).since(34),
    method("isLinkLocalMulticast", &[ADDRESS], BOOLEAN),
    method("isLinkLocalUnicast", &[ADDRESS], BOOLEAN),
    method("isLoopback", &[ADDRESS], BOOLEAN),
    function("isQuantity", &[TEXT], BOOLEAN),
    function("isSemver", &[TEXT], BOOLEAN).since(34),
    function("isSemver", &[TEXT, BOOLEAN], BOOLEAN).since(34),
    method("isSorted", &[Shape::List(&ORDERED)], BOOLEAN),
    function("isURL", &[TEXT], BOOLEAN),
    method("isUnspecified", &[ADDRESS], BOOLEAN),
    method("join", &[TEXTS], TEXT),
    method("join", &[TEXTS, TEXT], TEXT),
    method("labelSelector", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("last", &[LIST], OPTIONAL).since(33),
    method("lastIndexOf", &[LIST, ANY], INTEGER),
    method("lastIndexOf", &[TEXT, TEXT], INTEGER),
    method("lastIndexOf", &[TEXT, TEXT, INTEGER], INTEGER),
    function("lists.range", &[INTEGER], INTEGERS).since(35),
    method("lowerAscii", &[TEXT], TEXT),
    method("major", &[SEMVER], INTEGER).since(34),
    method("masked", &[NETWORK], NETWORK),
    function("matches", &[TEXT, TEXT], BOOLEAN),
    method("matches", &[TEXT, TEXT], BOOLEAN),
    method("max", &[Shape::List(&ORDERED)], ORDERED),
    method("min", &[Shape::List(&ORDERED)], ORDERED),
    method("minor", &[SEMVER], INTEGER).since(34),
    method("name", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("namespace", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    function("optional.none", &[], OPTIONAL),
    function("optional.of", &[ANY], OPTIONAL),
    function("optional.ofNonZeroValue", &[ANY], OPTIONAL),
    function("optional.unwrap", &[Shape::List(&OPTIONAL)], LIST).since(33),
    method("or", &[OPTIONAL, OPTIONAL], OPTIONAL),
    method("orValue", &[OPTIONAL, ANY], ANY),
    method("patch", &[SEMVER], INTEGER).since(34),
    method("path", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("prefixLength", &[NETWORK], INTEGER),
    function("quantity", &[TEXT], QUANTITY),
    method("reason", &[AUTHORIZATION], TEXT),
    method("replace", &[TEXT, TEXT, TEXT], TEXT),
    method("replace", &[TEXT, TEXT, TEXT, INTEGER], TEXT),
    method("resource", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("reverse", &[LIST], LIST).since(35),
    function("semver", &[TEXT], SEMVER).since(34),
    function("semver", &[TEXT, BOOLEAN], SEMVER).since(34),
    method("serviceAccount", &[AUTHORIZATION, TEXT, TEXT], AUTHORIZATION),
    function("sets.contains", &[LIST, LIST], BOOLEAN),
    function("sets.equivalent", &[LIST, LIST], BOOLEAN),
    function("sets.intersects", &[LIST, LIST], BOOLEAN),
    function("sign", &[QUANTITY], INTEGER),
    function("size", &[BYTES], INTEGER),
    method("size", &[BYTES], INTEGER),
    function("size", &[LIST], INTEGER),
    method("size", &[LIST], INTEGER),
    function("size", &[MAP], INTEGER),
    method("size", &[MAP], INTEGER),
    function("size", &[TEXT], INTEGER),
    method("size", &[TEXT], INTEGER),
    method("slice", &[LIST, INTEGER, INTEGER], LIST).since(35),
    method("sort", &[Shape::List(&ORDERED)], Shape::List(&ORDERED)).since(35),
    method("split", &[TEXT, TEXT], TEXTS),
    method("split", &[TEXT, TEXT, INTEGER], TEXTS),
    method("startsWith", &[TEXT, TEXT], BOOLEAN),
    function("string", &[TEXT], TEXT),
    function("string", &[BOOLEAN], TEXT),
    function("string", &[BYTES], TEXT),
    function("string", &[DOUBLE], TEXT),
    function("string", &[DURATION], TEXT),
    function("string", &[INTEGER], TEXT),
    function("string", &[TIMESTAMP], TEXT),
    function("string", &[UNSIGNED], TEXT),
    function("string", &[ADDRESS], TEXT),
    function("string", &[NETWORK], TEXT),
    function("strings.quote", &[TEXT], TEXT),
    method("sub", &[QUANTITY, QUANTITY], QUANTITY),
    method("sub", &[QUANTITY, INTEGER], QUANTITY),
    method("subresource", &[AUTHORIZATION, TEXT], AUTHORIZATION),
    method("substring", &[TEXT, INTEGER], TEXT),
    method("substring", &[TEXT, INTEGER, INTEGER], TEXT),
    method("sum", &[Shape::List(&SUMMABLE)], SUMMABLE),
    function("timestamp", &[TIMESTAMP], TIMESTAMP),
    function("timestamp", &[INTEGER], TIMESTAMP),
    function("timestamp", &[TEXT], TIMESTAMP),
    method("trim", &[TEXT], TEXT),
    function("type", &[ANY], DYNAMIC),
    function("uint", &[UNSIGNED], UNSIGNED),
    function("uint", &[DOUBLE], UNSIGNED),
    function("uint", &[INTEGER], UNSIGNED),
    function("uint", &[TEXT], UNSIGNED),
    method("unwrapOpt", &[Shape::List(&OPTIONAL)], LIST).since(33),
    method("upperAscii", &[TEXT], TEXT),
    function("url", &[TEXT], LOCATION),
    method("validate", &[FORMAT, TEXT], Shape::Optional(&TEXTS)),
    method("value", &[OPTIONAL], ANY),
];

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, overloads};

    #[test]
    fn the_table_is_sorted_and_found_by_name() {
        assert!(FUNCTIONS.is_sorted_by_key(|overload| overload.name));
        assert_eq!(overloads("containsIP").len(), 2);
        assert_eq!(overloads("startsWith").len(), 1);
        assert_eq!(overloads("startWith").len(), 0);
        assert!(FUNCTIONS.iter().all(|overload| !overload.is_method || !overload.takes.is_empty()));
    }
}
