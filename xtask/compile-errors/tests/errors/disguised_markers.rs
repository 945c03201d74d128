//! Markers that would be published as text.
use crd_channels::api;

/// Text. +kubebuilder:validation:MinProperties=1
#[api]
struct Lamp {
    /// + experimental
    colour: Option<String>,
    /// - +experimental
    shade: Option<String>,
    /// `+experimental`
    shape: Option<String>,
    /// Its size. +experimental
    size: Option<i32>,
    /// ​+experimental
    zero_width_space: Option<String>,
    /// +ｅｘｐｅｒｉｍｅｎｔａｌ
    full_width: Option<String>,
    // +experimental
    plain_comment: Option<String>,
    /// +kubebuilder:validation:Pattern=`^a
    /// +experimental
    /// b$`
    in_a_string: Option<String>,
    /// This is prose: \+experimental.
    escaped: Option<String>,
}

fn main() {}
