#![allow(missing_docs)]
use crd_bundle::Released;
#[derive(Clone, Debug, Default)]
pub struct Evidence;
pub struct PassingAll {
    pub project: String,
    pub first: Option<Released>,
}
impl Evidence {
    pub fn lists(&self, _f: &str, _d: Option<Released>) -> bool {
        false
    }
    pub fn passing_all(&self, _f: &[String], _d: Option<Released>) -> Vec<PassingAll> {
        vec![]
    }
}
