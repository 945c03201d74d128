//! Kubernetes' base types for the fields of resources.
//!
//! Invariants: the schema of each type is what controller-gen writes for its Go counterpart; a value reads and writes back
//! unchanged (a quantity stays a number if it was one). Without features too, a type that derives `Clone`, `Debug` and `PartialEq` can have
//! fields of these types.

use std::collections::BTreeMap;

use crate::api;
use crate::descriptor::{BaseType, TypeRef};
use crate::facts::{Facts, Kind};
use crate::typed::Typed;

macro_rules! base_types {
    ($($rust:ty => $base:ident, $kind:expr);* $(;)?) => {
        $(#[diagnostic::do_not_recommend]
        impl Typed for $rust {
            const TYPE: TypeRef = TypeRef::Base(BaseType::$base);
            const KIND: Kind = $kind;
            const FACTS: Facts = Facts::of($kind);
        })*
    };
}

base_types! {
    Bytes => Bytes, Kind::String;
    AnyJson => AnyJson, Kind::Any;
    IntOrString => IntOrString, Kind::IntOrString;
    Quantity => Quantity, Kind::IntOrString;
    RawExtension => RawExtension, Kind::Object;
    Time => Time, Kind::String;
    Duration => Duration, Kind::String;
}

// crd-markers implements it for k8s-openapi's.
#[cfg(not(feature = "kube"))]
base_types!(ObjectMeta => ObjectMeta, Kind::Object);

/// A point in time in RFC 3339, such as `2026-11-21T10:00:00Z`, kept as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(pub String);

/// A duration in Go's notation, such as `1h30m`, kept as it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Duration(pub String);

/// Bytes, base64 on the wire; kept in that form.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bytes(pub String);

/// An integer or a string.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntOrString {
    /// An integer.
    Integer(i64),
    /// A string.
    String(String),
}

impl Default for IntOrString {
    fn default() -> Self {
        IntOrString::Integer(0)
    }
}

/// An amount with a unit, such as `500m` or `2Gi`; a bare number is legal too and stays one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Quantity(pub IntOrString);

/// Any object.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawExtension(pub serde_json::Map<String, serde_json::Value>);

/// Any object; without the feature `serde` it holds nothing.
#[cfg(not(feature = "serde"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RawExtension(());

/// Any JSON value.
#[cfg(feature = "serde")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnyJson(pub serde_json::Value);

/// Any JSON value; without the feature `serde` it holds nothing.
#[cfg(not(feature = "serde"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AnyJson(());

/// One aspect of an object's state, as a controller last saw it.
#[api]
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// When status last changed from one value to another. Copied from the time at which the controller
    /// noticed, if the change itself cannot be dated.
    ///
    /// +kubebuilder:validation:Format=date-time
    pub last_transition_time: String,
    /// Details of the last change for a person to read. May be empty.
    ///
    /// +kubebuilder:validation:MaxLength=32768
    pub message: String,
    /// The metadata.generation of the object that the controller had before it when it set this
    /// condition. Lower than the object's own generation: the condition is out of date. Unknown when absent.
    ///
    /// +kubebuilder:validation:Minimum=0
    pub observed_generation: Option<i64>,
    /// Why status has its value, as one CamelCase word that programs may compare.
    ///
    /// +kubebuilder:validation:MinLength=1
    /// +kubebuilder:validation:MaxLength=1024
    /// +kubebuilder:validation:Pattern=`^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$`
    pub reason: String,
    /// Whether the condition holds: True, False, or Unknown when the controller cannot tell.
    pub status: ConditionStatus,
    /// Which condition this is, in CamelCase, or as domain/CamelCase when it is not one that the API
    /// itself defines. Each type stands in the list once.
    ///
    /// +kubebuilder:validation:MaxLength=316
    /// +kubebuilder:validation:Pattern=`^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$`
    pub r#type: String,
}

/// Whether a condition holds.
#[api]
#[derive(Clone, Debug, PartialEq)]
pub enum ConditionStatus {
    /// It holds.
    True,
    /// It does not hold.
    False,
    /// The controller cannot tell.
    Unknown,
}

/// Which objects are meant, by their labels. All requirements must hold; without any, every object is meant.
///
/// +structType=atomic
#[api]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelSelector {
    /// Requirements that compare a label with a list of values. None when absent.
    ///
    /// +listType=atomic
    pub match_expressions: Option<Vec<LabelSelectorRequirement>>,
    /// Labels that an object must have with exactly these values. None when absent.
    pub match_labels: Option<BTreeMap<String, String>>,
}

/// One requirement on the labels of an object.
#[api]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LabelSelectorRequirement {
    /// The name of the label.
    pub key: String,
    /// How the label is compared: In, NotIn, Exists or DoesNotExist.
    pub operator: String,
    /// What the label is compared with: needed for In and NotIn, left out for Exists and DoesNotExist.
    ///
    /// +listType=atomic
    pub values: Option<Vec<String>>,
}

#[cfg(feature = "kube")]
pub use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;

#[cfg(all(feature = "serde", not(feature = "kube")))]
pub use object_meta::{ManagedFields, ObjectMeta, OwnerReference};

/// Metadata of an object; without the feature `serde` it holds nothing.
#[cfg(not(feature = "serde"))]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectMeta(());

#[cfg(all(feature = "serde", not(feature = "kube")))]
mod object_meta {
    use std::collections::BTreeMap;

    use super::{RawExtension, Time};
    use crate::wire::{WireValue, read_record, write_record};

    macro_rules! record {
        ($(#[doc = $type_docs:literal])* $name:ident { $( #[doc = $docs:literal] $field:ident: $kind:ty = $wire:literal, )* }) => {
            $(#[doc = $type_docs])*
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct $name {
                $( #[doc = $docs] pub $field: $kind, )*
            }

            #[diagnostic::do_not_recommend]
            impl WireValue for $name {
                const ZERO_IS_REFUSED: bool = false;
                fn is_zero(&self) -> bool {
                    *self == Self::default()
                }

                fn read_field<'de, A: serde::de::MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<bool, A::Error> {
                    match name {
                        $( $wire => self.$field = <$kind as WireValue>::read_member(map)?, )*
                        _ => return Ok(false),
                    }
                    Ok(true)
                }

                fn write_fields<M: serde::ser::SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
                    $( <$kind as WireValue>::write_member(&self.$field, map, $wire, false)?; )*
                    Ok(())
                }
            }

            impl serde::Serialize for $name {
                fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    write_record(self, serializer)
                }
            }

            impl<'de> serde::Deserialize<'de> for $name {
                fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    read_record(deserializer)
                }
            }
        };
    }

    record! {
        /// Metadata of an object. A stand-in with the fields of Kubernetes' own; the feature `kube` puts k8s-openapi's in
        /// its place.
        ObjectMeta {
            #[doc = "Annotations."] annotations: Option<BTreeMap<String, String>> = "annotations",
            #[doc = "When the server created the object."] creation_timestamp: Option<Time> = "creationTimestamp",
            #[doc = "How many seconds deletion may take."] deletion_grace_period_seconds: Option<i64> = "deletionGracePeriodSeconds",
            #[doc = "When the object is to be removed."] deletion_timestamp: Option<Time> = "deletionTimestamp",
            #[doc = "The controllers that must act before the object is removed."] finalizers: Option<Vec<String>> = "finalizers",
            #[doc = "A prefix from which the server makes a name."] generate_name: Option<String> = "generateName",
            #[doc = "Counts the changes of the spec."] generation: Option<i64> = "generation",
            #[doc = "Labels."] labels: Option<BTreeMap<String, String>> = "labels",
            #[doc = "Who set which fields."] managed_fields: Option<Vec<ManagedFields>> = "managedFields",
            #[doc = "The name."] name: Option<String> = "name",
            #[doc = "The namespace."] namespace: Option<String> = "namespace",
            #[doc = "The objects that this one belongs to."] owner_references: Option<Vec<OwnerReference>> = "ownerReferences",
            #[doc = "Counts the writes of the object."] resource_version: Option<String> = "resourceVersion",
            #[doc = "Set by old servers."] self_link: Option<String> = "selfLink",
            #[doc = "Distinguishes objects of the same name over time."] uid: Option<String> = "uid",
        }
    }

    record! {
        /// Who set which fields of an object.
        ManagedFields {
            #[doc = "The version of the fields."] api_version: Option<String> = "apiVersion",
            #[doc = "The form of fieldsV1."] fields_type: Option<String> = "fieldsType",
            #[doc = "The fields."] fields_v1: Option<RawExtension> = "fieldsV1",
            #[doc = "Who set them."] manager: Option<String> = "manager",
            #[doc = "By which kind of request."] operation: Option<String> = "operation",
            #[doc = "Through which subresource."] subresource: Option<String> = "subresource",
            #[doc = "When."] time: Option<Time> = "time",
        }
    }

    record! {
        /// An object that another one belongs to.
        OwnerReference {
            #[doc = "Its API version."] api_version: String = "apiVersion",
            #[doc = "Whether it waits with its deletion for the dependent."] block_owner_deletion: Option<bool> = "blockOwnerDeletion",
            #[doc = "Whether it is the managing controller."] controller: Option<bool> = "controller",
            #[doc = "Its kind."] kind: String = "kind",
            #[doc = "Its name."] name: String = "name",
            #[doc = "Its UID."] uid: String = "uid",
        }
    }
}

#[cfg(feature = "serde")]
mod base_wire {
    use serde::de::{Deserialize, Deserializer, Error as _, Visitor};
    use serde::ser::{Serialize, Serializer};
    use serde_json::Value;

    use super::{AnyJson, Bytes, Duration, IntOrString, Quantity, RawExtension, Time};
    use crate::wire::WireValue;

    /// Newtypes with the wire form of the type in them.
    macro_rules! newtypes {
        ($($name:ident($inner:ty), refused $refused:literal, zero $is_zero:expr;)*) => {
            $(
                impl Serialize for $name {
                    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                        self.0.serialize(serializer)
                    }
                }
                impl<'de> Deserialize<'de> for $name {
                    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                        <$inner>::deserialize(deserializer).map($name)
                    }
                }
                #[diagnostic::do_not_recommend]
                impl WireValue for $name {
                    const ZERO_IS_REFUSED: bool = $refused;
                    fn is_zero(&self) -> bool {
                        $is_zero(&self.0)
                    }
                }
            )*
        };
    }

    // The empty string is never a time, nor a duration that a server takes; empty bytes are bytes.
    newtypes! {
        Time(String), refused true, zero String::is_empty;
        Duration(String), refused false, zero String::is_empty;
        Bytes(String), refused false, zero String::is_empty;
        Quantity(IntOrString), refused false, zero WireValue::is_zero;
        AnyJson(Value), refused true, zero Value::is_null;
    }

    impl Serialize for IntOrString {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                IntOrString::Integer(integer) => serializer.serialize_i64(*integer),
                IntOrString::String(text) => serializer.serialize_str(text),
            }
        }
    }

    impl<'de> Deserialize<'de> for IntOrString {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct IntOrStringVisitor;
            impl Visitor<'_> for IntOrStringVisitor {
                type Value = IntOrString;
                fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    formatter.write_str("an integer or a string")
                }
                fn visit_i64<E>(self, value: i64) -> Result<IntOrString, E> {
                    Ok(IntOrString::Integer(value))
                }
                fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<IntOrString, E> {
                    i64::try_from(value)
                        .map(IntOrString::Integer)
                        .map_err(|_| E::custom(format_args!("the integer {value} is too large")))
                }
                fn visit_str<E>(self, value: &str) -> Result<IntOrString, E> {
                    Ok(IntOrString::String(value.to_owned()))
                }
            }
            deserializer.deserialize_any(IntOrStringVisitor)
        }
    }

    #[diagnostic::do_not_recommend]
    impl WireValue for IntOrString {
        const ZERO_IS_REFUSED: bool = false;
        fn is_zero(&self) -> bool {
            *self == IntOrString::default()
        }
    }

    impl Serialize for RawExtension {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            self.0.serialize(serializer)
        }
    }

    impl<'de> Deserialize<'de> for RawExtension {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            match Value::deserialize(deserializer)? {
                Value::Object(map) => Ok(RawExtension(map)),
                other => Err(D::Error::custom(format_args!("expected an object, found {other}"))),
            }
        }
    }

    #[diagnostic::do_not_recommend]
    impl WireValue for RawExtension {
        const ZERO_IS_REFUSED: bool = false;
        fn is_zero(&self) -> bool {
            self.0.is_empty()
        }
    }

    // Metadata of an embedded template may be empty; a resource leaves its own empty metadata out.
    #[cfg(feature = "kube")]
    #[diagnostic::do_not_recommend]
    impl WireValue for super::ObjectMeta {
        const ZERO_IS_REFUSED: bool = false;
        fn is_zero(&self) -> bool {
            *self == Self::default()
        }
    }
}
