//! Words and numbers of random objects and rules: `words.yaml`.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::tables::table;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", bound(deserialize = "'de: 'static"))]
pub(super) struct Words {
    pub(super) texts: Vec<&'static str>,
    pub(super) integers: Vec<i64>,
    pub(super) names: Vec<&'static str>,
    pub(super) text_formats: Vec<&'static str>,
    pub(super) formats: Vec<&'static str>,
    pub(super) arguments: Vec<Arguments>,
}

/// Texts for some arguments of functions.
#[derive(Deserialize)]
#[serde(bound(deserialize = "'de: 'static"))]
pub(super) struct Arguments {
    /// Functions, and positions of arguments.
    pub(super) of: Vec<(&'static str, usize)>,
    pub(super) texts: Vec<&'static str>,
}

pub(super) static WORDS: LazyLock<Words> = LazyLock::new(|| table(include_str!("words.yaml")));
