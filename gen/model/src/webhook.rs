//! What a catalogue declares about the validating webhook of its bundle. It is data: nothing here depends on the webhook's program.

/// The validating webhook of a bundle, as it is installed.
///
/// ```
/// use crd_model::webhook::{ReadResource, Webhook};
///
/// let webhook = Webhook::new("registry.example.com/widgets-webhook").reads("", "services").reads("example.com", "widgets");
/// assert_eq!(webhook.image("v1.6.1"), "registry.example.com/widgets-webhook:v1.6.1");
/// assert_eq!(webhook.resources()[0], ReadResource { group: "".into(), plural: "services".into() });
/// assert_eq!(Webhook::new("localhost:5000/webhook").image("v1.6.1"), "localhost:5000/webhook:v1.6.1");
/// assert_eq!(Webhook::new("localhost:5000/webhook:edge").image("v1.6.1"), "localhost:5000/webhook:edge");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Webhook {
    image: String,
    reads: Vec<ReadResource>,
}

/// A resource whose objects the rules of a webhook read.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ReadResource {
    /// The API group; empty for the resources of Kubernetes' core.
    pub group: String,
    pub plural: String,
}

impl Webhook {
    /// A webhook whose rules read no other objects. `image` is the container image of its program: without a tag, as
    /// `registry.example.com/name`, the tag is the bundle version; a tag or digest is used as it is.
    pub fn new(image: impl Into<String>) -> Self {
        Self { image: image.into(), reads: Vec::new() }
    }

    /// Declares that the rules read the objects of a resource: of the bundle, or of the cluster. The webhook gets the right to list and
    /// watch it, and no other right. CRDs need no declaration.
    #[must_use]
    pub fn reads(mut self, group: impl Into<String>, plural: impl Into<String>) -> Self {
        self.reads.push(ReadResource { group: group.into(), plural: plural.into() });
        self.reads.sort();
        self.reads.dedup();
        self
    }

    /// The image of a bundle version.
    pub fn image(&self, version: &str) -> String {
        // Before the last slash, a colon begins a port.
        let name = self.image.rsplit('/').next().unwrap_or_default();
        if name.contains([':', '@']) { self.image.clone() } else { format!("{}:{version}", self.image) }
    }

    /// The resources that the rules read, in their order, each once.
    pub fn resources(&self) -> &[ReadResource] {
        &self.reads
    }
}
