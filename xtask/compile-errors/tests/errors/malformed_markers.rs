//! Values and arguments that a marker cannot have, and comments that hide markers.

use crd_channels::{AnyJson, ObjectMeta, api};

// Named arguments that are missing, unknown, double, of another kind, or cut off.

/// +kubebuilder:validation:XValidation:message="no rule"
/// +kubebuilder:validation:XValidation:rul="self.a"
/// +kubebuilder:validation:XValidation:rule="self.a",rule="self.b"
/// +kubebuilder:validation:XValidation=self.a
/// +kubebuilder:validation:XValidation:rule="self.a" message="b"
/// +kubebuilder:validation:XValidation:rule="self.a",
///   message="on the next line"
/// +kubebuilder:validation:XValidation:rule=" "
/// +kubebuilder:printcolumn:name=Age,priority=low,nam=x
/// +kubebuilder:metadata
/// +kubebuilder:metadata:labels=a
/// +kubebuilder:deprecatedversion:since=v1
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct MalformedArguments {
    pub metadata: ObjectMeta,
}

// Strings that never end, and escapes that Go does not know.

/// +kubebuilder:validation:XValidation:rule="self.a == 'b'
#[api]
pub struct MalformedQuotes {
    /// +kubebuilder:default="open
    pub one: String,
    /// +kubebuilder:validation:Pattern="^\d+$"
    pub two: String,
    /// +kubebuilder:default="a" b
    pub three: String,
    /// +kubebuilder:default="\u12"
    pub four: String,
}

// Values of another kind than the marker takes.

#[api]
pub struct MalformedValue {
    /// +kubebuilder:validation:MaxLength
    pub one: String,
    /// +kubebuilder:validation:MaxLength=many
    pub two: String,
    /// +kubebuilder:validation:MaxLength=-1
    pub three: String,
    /// +kubebuilder:validation:MaxLength:3
    pub four: String,
    /// +optional=true
    pub five: Option<String>,
    /// +kubebuilder:validation:ExclusiveMinimum=yes
    pub six: i32,
    /// +kubebuilder:validation:Minimum=1O
    pub seven: i32,
    /// +kubebuilder:validation:Enum={a,b} c
    pub eight: String,
    /// +kubebuilder:validation:Enum=a;;b
    pub nine: String,
    /// +kubebuilder:validation:Pattern=
    pub ten: String,
    /// +optional because it need not be there
    pub eleven: Option<String>,
    /// +kubebuilder:default={a: 1, a: 2}
    pub twelve: AnyJson,
}

// Arguments that are one of a few words.

/// +kubebuilder:resource:scope=Clustr
/// +kubebuilder:printcolumn:name=Age,type=dat,JSONPath=.metadata.creationTimestamp
/// +kubebuilder:validation:XValidation:rule="self.a",reason=Wrong
#[api(group = "things.example.com", version = "v1", kind = "Thing")]
pub struct MalformedWords {
    pub metadata: ObjectMeta,
    pub spec: Spec,
}

/// +structType=atomc
#[api]
pub struct Spec {
    /// +listType=ordered
    pub one: Vec<String>,
    /// +mapType=map
    pub two: std::collections::BTreeMap<String, String>,
    /// +kubebuilder:validation:Type=int
    pub three: i32,
}

// A marker over several lines: all of them are underlined, whatever finds the fault.

/// A thing.
///
/// +kubebuilder:validation:XValidation:massage="a or b",rule=`has(self.a) ||
///   has(self.b)`
#[api]
pub struct MultiLineMarker {
    /// One.
    pub a: Option<String>,
    /// Two.
    ///
    /// +kubebuilder:default=`first
    ///   second`
    pub b: Option<Number>,
}

/// A number.
pub type Number = i32;

// A backtick string that never ends takes the rest of the comment with it: all its lines are underlined.

/// A thing.
///
/// +kubebuilder:validation:XValidation:message="a or b",rule=`has(self.a) ||
///   has(self.b)
/// And then some prose.
#[api]
pub struct UnclosedBacktick {
    /// One.
    pub a: Option<String>,
    /// Two.
    ///
    /// +kubebuilder:validation:Pattern=`^a$
    pub b: Option<String>,
}

// A fence that is left open would swallow the markers behind it.

/// A thing.
///
/// ```yaml
/// one: 1
///
/// +structType=atomic
#[api]
pub struct UnclosedCodeFence {
    /// One, with an example that may well show markers.
    ///
    /// ```text
    /// +optinal
    /// ```
    pub one: String,
}

// The markers of a block comment: the whole comment is underlined, because nothing less can be.

/**
 * A thing.
 *
 * +optinal
 * +kubebuilder:validation:MinProperties=none
 */
#[api]
pub struct BlockComment {
    /** One. */
    /** +kubebuilder:validation:MaxLenght=3 */
    pub one: String,
    /**
     Two.

     +kubebuilder:default=three
     */
    pub two: i32,
}

// A doc line written as an attribute is a doc line.

#[doc = "A thing."]
#[api]
pub struct DocAttribute {
    #[doc = "One."]
    #[doc = "+optinal"]
    pub one: String,
    #[doc = "Two."]
    #[doc = " +kubebuilder:default=three"]
    pub two: i32,
}

fn main() {}
