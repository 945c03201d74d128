//! A share of traffic as an exact ratio, for cases where whole percents are too coarse. Request
//! mirroring uses it to choose how many requests to copy.

use crd_channels::api;

/// A ratio between 0 and 1, written as numerator over denominator. With denominator 1000, for
/// example, tenths of a percent can be set. Ratios above 1 are refused.
///
/// +kubebuilder:validation:XValidation:message="numerator must be less than or equal to denominator",rule="self.numerator <= self.denominator"
#[api]
pub struct Fraction {
    /// Upper part of the ratio: 0 selects nothing, the value of the denominator selects everything.
    /// It has no default and cannot exceed the denominator, or the API server refuses the object.
    ///
    /// +kubebuilder:validation:Minimum=0
    pub numerator: i32,
    /// Lower part of the ratio, at least 1. Default: 100, in which case the numerator reads as a
    /// percentage. A larger one, such as 10000, makes finer steps possible.
    ///
    /// +kubebuilder:default=100
    /// +kubebuilder:validation:Minimum=1
    pub denominator: Option<i32>,
}
