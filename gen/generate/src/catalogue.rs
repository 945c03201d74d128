//! The catalogue: which types make up an API, and what its bundles are stamped with.
//!
//! Fed by the composition root (somebody's `xtask`). Read by [`crate::assemble`] and by the stamps.
//!
//! Invariants: nothing in `gen` knows which types there are; everything that differs between two APIs stands here or on the
//! types.

use crd_channels::descriptor::TypeDescriptor;
use crd_channels::typed::Resource;

/// The types of an API.
#[derive(Clone, Debug)]
pub struct Catalogue {
    prefix: String,
    name: Option<String>,
    next_version: String,
    annotations: Vec<(String, String)>,
    resources: Vec<&'static TypeDescriptor>,
}

impl Catalogue {
    /// An empty catalogue. `prefix` stands before the stamps (`<prefix>/bundle-version`, `<prefix>/channel`): a DNS name that
    /// belongs to the API, most often its group. `next_version` is the bundle version that is being worked on, such as
    /// `v1.6.1`; what is not released yet is stamped `<next_version>-dev`.
    pub fn new(prefix: impl Into<String>, next_version: impl Into<String>) -> Self {
        Self {
            prefix: prefix.into(),
            name: None,
            next_version: next_version.into(),
            annotations: Vec::new(),
            resources: Vec::new(),
        }
    }

    /// What the API is called where its bundles are published: in the names of charts and archives. A DNS label, such as
    /// `gateway-api`; by default the first label of the prefix.
    #[must_use]
    pub fn named(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Adds a version of a resource.
    #[must_use]
    pub fn resource<T: Resource>(self) -> Self {
        self.resources([T::DESCRIPTOR])
    }

    /// Adds versions of resources by their descriptors.
    #[must_use]
    pub fn resources(mut self, descriptors: impl IntoIterator<Item = &'static TypeDescriptor>) -> Self {
        self.resources.extend(descriptors);
        self
    }

    /// An annotation that every CRD carries, such as `api-approved.kubernetes.io`.
    #[must_use]
    pub fn annotation(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.annotations.push((key.into(), value.into()));
        self
    }

    /// What stands before the stamps.
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// What the API is called.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or_else(|| self.prefix.split('.').next().unwrap_or_default())
    }

    /// The bundle version that is being worked on.
    pub fn next_version(&self) -> &str {
        &self.next_version
    }

    /// Annotations of every CRD.
    pub fn annotations(&self) -> &[(String, String)] {
        &self.annotations
    }

    /// The root types.
    pub fn descriptors(&self) -> &[&'static TypeDescriptor] {
        &self.resources
    }
}
