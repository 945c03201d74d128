//! A resource of the server in one API version: the place of its objects.

use crd_model::CustomResourceDefinition;

use crate::failure::Target;

/// A resource of the server in one API version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resource {
    group: String,
    version: String,
    plural: String,
}

impl Resource {
    /// The resource of this group, API version and plural.
    pub fn new(group: &str, version: &str, plural: &str) -> Self {
        Self { group: group.to_owned(), version: version.to_owned(), plural: plural.to_owned() }
    }

    /// The objects of a CRD, through one of its versions.
    pub fn of(crd: &CustomResourceDefinition, version: &str) -> Self {
        Self::new(&crd.group, version, &crd.names.plural)
    }

    pub fn crds() -> Self {
        Self::new("apiextensions.k8s.io", "v1", "customresourcedefinitions")
    }

    /// The `apiVersion` of its objects.
    pub fn api_version(&self) -> String {
        format!("{}/{}", self.group, self.version)
    }

    pub(crate) fn all(&self) -> Target {
        self.object("list", None, None, None)
    }

    /// One object, or a subresource of it. Without a name, the place where objects are created. Without a namespace, an object of the whole cluster.
    pub(crate) fn object(
        &self,
        verb: &'static str,
        namespace: Option<&str>,
        name: Option<&str>,
        subresource: Option<&str>,
    ) -> Target {
        let Self { group, version, plural } = self;
        let mut path = format!("/apis/{group}/{version}");
        if let Some(namespace) = namespace {
            path.push_str(&format!("/namespaces/{namespace}"));
        }
        path.push_str(&format!("/{plural}"));
        name.into_iter().chain(subresource).for_each(|part| path.push_str(&format!("/{part}")));
        let subresource = subresource.map(|subresource| format!("/{subresource}")).unwrap_or_default();
        Target { path, verb, resource: Some(format!("{plural}.{group}{subresource}")) }
    }
}
