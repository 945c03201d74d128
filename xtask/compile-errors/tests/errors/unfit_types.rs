//! Types of Rust that have no place in a schema: what to write instead, wherever they stand.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};

use crd_channels::api;

#[api]
pub struct Thing {
    /// +kubebuilder:default={}
    pub one: HashMap<String, String>,
    pub two: Option<HashSet<String>>,
    /// +listType=set
    pub three: BTreeSet<String>,
    pub four: Vec<VecDeque<String>>,
    pub five: Option<char>,
    /// +kubebuilder:validation:Minimum=0
    pub six: u128,
    pub seven: std::path::PathBuf,
    pub eight: Option<DateTime<Utc>>,
    pub nine: jiff::Timestamp,
    pub ten: std::time::Duration,
    pub eleven: Vec<k8s_openapi::api::core::v1::EnvVar>,
    pub twelve: k8s_openapi::apimachinery::pkg::api::resource::Quantity,
}

#[api]
pub struct Number(i128);

fn main() {}
