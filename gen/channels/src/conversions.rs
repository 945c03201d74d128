//! Conversions between the base types and those of k8s-openapi (feature `kube`).
//!
//! Invariants: each value of k8s-openapi has a base type's value. The other way fails where a base type keeps a text that k8s-openapi cannot
//! hold, and the error states it: a time that is not RFC 3339, an integer beyond 32 bits.

use std::fmt;

use k8s_openapi::apimachinery::pkg::api::resource::Quantity as TheirQuantity;
use k8s_openapi::apimachinery::pkg::apis::meta::v1;
use k8s_openapi::apimachinery::pkg::util::intstr::IntOrString as TheirIntOrString;
use k8s_openapi::jiff::Timestamp;

use crate::base::{Condition, IntOrString, LabelSelector, LabelSelectorRequirement, Quantity, Time};

/// A value that the type of k8s-openapi cannot hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConversionError {
    value: String,
    expected: &'static str,
}

impl fmt::Display for ConversionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "`{}` is not {}", self.value, self.expected)
    }
}

impl std::error::Error for ConversionError {}

fn timestamp(text: &str) -> Result<v1::Time, ConversionError> {
    let error = |_| ConversionError { value: text.to_owned(), expected: "a time in RFC 3339" };
    text.parse::<Timestamp>().map(v1::Time).map_err(error)
}

impl From<v1::Time> for Time {
    fn from(time: v1::Time) -> Self {
        Time(time.0.to_string())
    }
}

impl TryFrom<Time> for v1::Time {
    type Error = ConversionError;
    fn try_from(time: Time) -> Result<Self, ConversionError> {
        timestamp(&time.0)
    }
}

impl From<v1::Condition> for Condition {
    fn from(condition: v1::Condition) -> Self {
        Condition {
            last_transition_time: condition.last_transition_time.0.to_string(),
            message: condition.message,
            observed_generation: condition.observed_generation,
            reason: condition.reason,
            status: condition.status.as_str().into(),
            r#type: condition.type_,
        }
    }
}

impl TryFrom<Condition> for v1::Condition {
    type Error = ConversionError;
    fn try_from(condition: Condition) -> Result<Self, ConversionError> {
        Ok(v1::Condition {
            last_transition_time: timestamp(&condition.last_transition_time)?,
            message: condition.message,
            observed_generation: condition.observed_generation,
            reason: condition.reason,
            status: condition.status.as_str().to_owned(),
            type_: condition.r#type,
        })
    }
}

impl From<v1::LabelSelectorRequirement> for LabelSelectorRequirement {
    fn from(requirement: v1::LabelSelectorRequirement) -> Self {
        let v1::LabelSelectorRequirement { key, operator, values } = requirement;
        LabelSelectorRequirement { key, operator, values }
    }
}

impl From<LabelSelectorRequirement> for v1::LabelSelectorRequirement {
    fn from(requirement: LabelSelectorRequirement) -> Self {
        let LabelSelectorRequirement { key, operator, values } = requirement;
        v1::LabelSelectorRequirement { key, operator, values }
    }
}

impl From<v1::LabelSelector> for LabelSelector {
    fn from(selector: v1::LabelSelector) -> Self {
        let match_expressions = selector.match_expressions.map(|list| list.into_iter().map(Into::into).collect());
        LabelSelector { match_expressions, match_labels: selector.match_labels }
    }
}

impl From<LabelSelector> for v1::LabelSelector {
    fn from(selector: LabelSelector) -> Self {
        let match_expressions = selector.match_expressions.map(|list| list.into_iter().map(Into::into).collect());
        v1::LabelSelector { match_expressions, match_labels: selector.match_labels }
    }
}

impl From<TheirIntOrString> for IntOrString {
    fn from(value: TheirIntOrString) -> Self {
        match value {
            TheirIntOrString::Int(integer) => IntOrString::Integer(integer.into()),
            TheirIntOrString::String(text) => IntOrString::String(text),
        }
    }
}

impl TryFrom<IntOrString> for TheirIntOrString {
    type Error = ConversionError;
    fn try_from(value: IntOrString) -> Result<Self, ConversionError> {
        match value {
            IntOrString::Integer(integer) => i32::try_from(integer)
                .map(TheirIntOrString::Int)
                .map_err(|_| ConversionError { value: integer.to_string(), expected: "an integer of 32 bits" }),
            IntOrString::String(text) => Ok(TheirIntOrString::String(text)),
        }
    }
}

impl From<TheirQuantity> for Quantity {
    fn from(quantity: TheirQuantity) -> Self {
        Quantity(IntOrString::String(quantity.0))
    }
}

impl From<Quantity> for TheirQuantity {
    fn from(quantity: Quantity) -> Self {
        match quantity.0 {
            IntOrString::Integer(integer) => TheirQuantity(integer.to_string()),
            IntOrString::String(text) => TheirQuantity(text),
        }
    }
}
