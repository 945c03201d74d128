//! Types of Rust that have no place in a schema: what to write instead, wherever they stand.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crd_channels::api;

/// A thing.
#[api]
pub struct Thing {
    /// One.
    ///
    /// +kubebuilder:default={}
    pub one: HashMap<String, String>,
    /// Two.
    pub two: Option<HashSet<String>>,
    /// Three.
    ///
    /// +listType=set
    pub three: BTreeSet<String>,
    /// Four.
    pub four: Vec<VecDeque<String>>,
    /// Five.
    pub five: Option<char>,
    /// Six.
    ///
    /// +kubebuilder:validation:Minimum=0
    pub six: u128,
    /// Seven.
    pub seven: std::path::PathBuf,
    /// Eight.
    pub eight: Option<DateTime<Utc>>,
    /// Nine.
    pub nine: jiff::Timestamp,
    /// Ten.
    pub ten: std::time::Duration,
    /// Eleven.
    pub eleven: Vec<k8s_openapi::api::core::v1::EnvVar>,
    /// Twelve.
    pub twelve: k8s_openapi::apimachinery::pkg::api::resource::Quantity,
}

/// A number.
#[api]
pub struct Number(i128);

fn main() {}
