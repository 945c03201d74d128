//! Differences: what the types do not express, so that the generated CRDs do not have it.

use std::fmt;

use crd_model::crd::CustomResourceDefinition;
use crd_names::channel::Channel;

/// A part of a CRD that the types do not express.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The name of the CRD.
    pub crd: String,
    /// The API version, if the part is in one.
    pub version: Option<String>,
    /// The channel, if only this one has the part.
    pub channel: Option<Channel>,
    /// The schema path, such as `spec.rules[*]`; empty outside schemas.
    pub path: String,
    /// The keyword, such as `pattern` or `spec.conversion`.
    pub keyword: String,
    /// Why, and what the types have instead.
    pub reason: String,
}

impl Difference {
    /// A part of a whole CRD.
    pub(crate) fn of_crd(
        crd: &CustomResourceDefinition,
        channel: Option<Channel>,
        keyword: &str,
        reason: impl Into<String>,
    ) -> Self {
        let (keyword, reason) = (keyword.to_owned(), reason.into());
        Self { crd: crd.name.to_string(), version: None, channel, path: String::new(), keyword, reason }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", self.crd)?;
        for part in [self.channel.map(Channel::name), self.version.as_deref()].into_iter().flatten() {
            write!(formatter, " {part}")?;
        }
        if !self.path.is_empty() {
            write!(formatter, " {}", self.path)?;
        }
        write!(formatter, " `{}`: {}", self.keyword, self.reason)
    }
}
