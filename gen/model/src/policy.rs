//! What a catalogue declares about admission policies of its API: checks that CEL can state, but not in a CRD.

/// A check of objects in CEL, published as a ValidatingAdmissionPolicy with its binding.
///
/// Rules of a CRD are limited by their *estimated* cost, which grows with the limits of all lists around them; policies are limited only by what an
/// evaluation really costs. So a policy is the place for rules that a server refuses in a CRD because of their cost. It is not the place for
/// rules about other objects, which need a webhook.
///
/// Expressions read `object` and `oldObject`, as in every policy, and `variables.NAME`. Updates that leave `spec` as it is, and objects that are being
/// deleted, are accepted without an evaluation.
///
/// ```
/// use crd_model::policy::Policy;
///
/// let policy = Policy::new("short-titles", "titles that fit on a page")
///     .resource("example.com", "widgets")
///     .variable("title", "has(object.spec.title) ? object.spec.title : ''")
///     .validation("variables.title.size() < 80", "spec.title is too long", None);
/// assert_eq!(policy.name(), "short-titles");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    name: String,
    about: String,
    resources: Vec<(String, String)>,
    variables: Vec<(String, String)>,
    validations: Vec<Validation>,
}

/// A validation of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// The expression, which is true for valid objects.
    pub expression: String,
    /// The message, if it is not.
    pub message: String,
    /// The message as an expression, which takes precedence.
    pub message_expression: Option<String>,
}

impl Policy {
    /// A policy without validations. `name` is a DNS label: the policy is called `NAME.PREFIX`. `about` states what it requires, for lists.
    pub fn new(name: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            about: about.into(),
            resources: Vec::new(),
            variables: Vec::new(),
            validations: Vec::new(),
        }
    }

    /// Adds a resource of the bundle, in all of its served versions.
    #[must_use]
    pub fn resource(mut self, group: impl Into<String>, plural: impl Into<String>) -> Self {
        self.resources.push((group.into(), plural.into()));
        self
    }

    /// Adds a variable, which later variables and the validations read. Each variable may cost as much as a whole expression.
    #[must_use]
    pub fn variable(mut self, name: impl Into<String>, expression: impl Into<String>) -> Self {
        self.variables.push((name.into(), expression.into()));
        self
    }

    #[must_use]
    pub fn validation(
        mut self,
        expression: impl Into<String>,
        message: impl Into<String>,
        message_expression: Option<&str>,
    ) -> Self {
        self.validations.push(Validation {
            expression: expression.into(),
            message: message.into(),
            message_expression: message_expression.map(str::to_owned),
        });
        self
    }

    /// Its name, without the prefix.
    pub fn name(&self) -> &str {
        &self.name
    }

    pub fn about(&self) -> &str {
        &self.about
    }

    /// Whether it applies to a resource.
    pub fn has_resource(&self, group: &str, plural: &str) -> bool {
        self.resources.iter().any(|(of, name)| of == group && name == plural)
    }

    /// Its variables: names and expressions.
    pub fn variables(&self) -> &[(String, String)] {
        &self.variables
    }

    pub fn validations(&self) -> &[Validation] {
        &self.validations
    }
}
