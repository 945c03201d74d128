//! ValidatingAdmissionPolicies: what they answer to the creation or update of a CRD.
//!
//! Invariants: the steps and texts are those of a server: constraints of the policy and of the binding, parameters, match conditions, validations. What depends on
//! more than the CRDs, such as the user of the request, is undecided, and no policy makes this panic.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crd_cel::{CALL_BUDGET, Environment, Failure, Program, Value as Cel};
use serde_json::{Value, json};

/// The names in expressions. `self` and `oldSelf` are before them, and mean nothing here.
const NAMES: [&str; 7] = ["object", "oldObject", "request", "params", "namespaceObject", "authorizer", "variables"];

/// Where `variables` is in the inputs.
const VARIABLES: usize = NAMES.len() + 1;

/// The longest text that a `messageExpression` may have, in bytes.
const LONGEST_MESSAGE: usize = 5 << 10;

/// The failure of functions that ask the server: those of the authorizer.
const UNBOUND: &str = "unbound function: ";

const GROUP: &str = "apiextensions.k8s.io";
const PLURAL: &str = "customresourcedefinitions";

/// What every request for a CRD has in `request`.
static REQUEST: LazyLock<Value> = LazyLock::new(|| {
    let kind = json!({"group": GROUP, "version": "v1", "kind": "CustomResourceDefinition"});
    let resource = json!({"group": GROUP, "version": "v1", "resource": PLURAL});
    json!({"kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource, "dryRun": false})
});

/// A policy with one of its bindings.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'p> {
    /// The `spec` of the policy.
    pub policy: &'p Value,
    /// `matchResources` of the binding.
    pub match_resources: &'p Value,
    /// `paramRef` of the binding.
    pub param_ref: &'p Value,
}

/// The creation or update of a CRD, on a server of a minor (1.x).
#[derive(Clone, Copy, Debug)]
pub struct Request<'r> {
    /// The CRD as the server would store it.
    pub object: &'r Value,
    /// The stored CRD; nothing for a creation.
    pub old: Option<&'r Value>,
    /// The minor of the server.
    pub minor: u32,
}

/// The answer of a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It does not apply, or accepts the CRD.
    Accepted,
    /// It refuses the CRD with this message, the first one.
    Refused(String),
    /// Why it cannot be decided, and what it prints if it refuses the CRD.
    Undecided(String, Option<String>),
}

impl<'p> Bound<'p> {
    /// The name of the CRD that is the parameter.
    pub fn param(&self) -> Option<&'p str> {
        let kind = &self.policy["paramKind"];
        let is_crd = kind["kind"] == "CustomResourceDefinition" && kind["apiVersion"] == "apiextensions.k8s.io/v1";
        self.param_ref["name"].as_str().filter(|_| is_crd)
    }

    /// The answer to a request. `installed` has the CRDs that are parameters.
    pub fn answer(&self, request: &Request<'_>, installed: &BTreeMap<String, Value>) -> Answer {
        if !request.matches(&self.policy["matchConstraints"]) || !request.matches(self.match_resources) {
            return Answer::Accepted;
        }
        let has_params = self.policy["paramKind"].is_object() && self.param_ref.is_object();
        match self.param().map(|name| installed.get(name)) {
            Some(Some(param)) => self.evaluate(request, param),
            Some(None) if self.param_ref["parameterNotFoundAction"] == "Deny" => self.failed(
                "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
            ),
            Some(None) => Answer::Accepted,
            None if has_params => Answer::Undecided("its parameters are not CRDs with a name".to_owned(), None),
            None => self.evaluate(request, &Value::Null),
        }
    }

    /// What the policy answers if it fails.
    fn failed(&self, why: &str) -> Answer {
        if self.policy["failurePolicy"] == "Ignore" { Answer::Accepted } else { Answer::Refused(why.to_owned()) }
    }

    fn evaluate<'v>(&'v self, request: &Request<'v>, param: &'v Value) -> Answer {
        let mut evaluation = Evaluation::new(request, param);
        let mut failures = Vec::new();
        for condition in list(&self.policy["matchConditions"]) {
            match evaluation.value(text(condition, "expression")) {
                Ok(Cel::Boolean(false)) => return Answer::Accepted,
                Ok(_) => {}
                Err(failure) if failure.is_undecided() => {
                    let message = list(&self.policy["validations"]).first().map(|first| message(first, &evaluation));
                    return Answer::Undecided(failure.to_string(), message);
                }
                Err(failure) => failures.push(in_words(condition, &failure)),
            }
        }
        match &*failures {
            [] => {}
            [failure] => return self.failed(failure),
            failures => return self.failed(&format!("[{}]", failures.join(", "))),
        }
        evaluation.add(list(&self.policy["variables"]));
        let mut answer = Answer::Accepted;
        for validation in list(&self.policy["validations"]) {
            let refused = match evaluation.value(text(validation, "expression")) {
                Ok(Cel::Boolean(true)) => continue,
                Ok(_) => return Answer::Refused(message(validation, &evaluation)),
                Err(failure) if failure.is_undecided() => {
                    Answer::Undecided(failure.to_string(), Some(message(validation, &evaluation)))
                }
                Err(failure) => self.failed(&in_words(validation, &failure)),
            };
            match refused {
                Answer::Refused(_) => return refused,
                Answer::Undecided(..) if answer == Answer::Accepted => answer = refused,
                _ => {}
            }
        }
        answer
    }
}

impl Request<'_> {
    /// Whether `matchConstraints` or `matchResources` select it.
    fn matches(&self, constraints: &Value) -> bool {
        let any = |rules: &Value| list(rules).iter().any(|rule| self.is_of(rule));
        let rules = &constraints["resourceRules"];
        self.has_labels(&constraints["objectSelector"])
            && !any(&constraints["excludeResourceRules"])
            && (list(rules).is_empty() || any(rules))
    }

    fn is_of(&self, rule: &Value) -> bool {
        let has = |key: &str, wanted: &[&str]| {
            list(&rule[key]).iter().any(|value| value.as_str().is_some_and(|value| wanted.contains(&value)))
        };
        let names = list(&rule["resourceNames"]);
        has("operations", &["*", self.operation()])
            && has("apiGroups", &["*", GROUP])
            && has("apiVersions", &["*", "v1"])
            && has("resources", &["*", "*/*", PLURAL, "customresourcedefinitions/*"])
            && rule["scope"] != "Namespaced"
            && (names.is_empty() || names.contains(&self.object["metadata"]["name"]))
    }

    fn operation(&self) -> &'static str {
        if self.old.is_some() { "UPDATE" } else { "CREATE" }
    }

    /// Whether a selector selects the CRD before or after the request.
    fn has_labels(&self, selector: &Value) -> bool {
        selects(selector, self.object) || self.old.is_some_and(|old| selects(selector, old))
    }
}

fn selects(selector: &Value, object: &Value) -> bool {
    let label = |key: &str| object["metadata"]["labels"].get(key);
    let labels = selector["matchLabels"].as_object();
    let has_labels = labels.into_iter().flatten().all(|(key, value)| label(key) == Some(value));
    has_labels
        && list(&selector["matchExpressions"]).iter().all(|expression| {
            let found = label(text(expression, "key"));
            let is_listed = found.is_some_and(|found| list(&expression["values"]).contains(found));
            match text(expression, "operator") {
                "In" => is_listed,
                "NotIn" => !is_listed,
                "Exists" => found.is_some(),
                _ => found.is_none(),
            }
        })
}

/// What expressions read.
struct Evaluation<'v> {
    inputs: Vec<Cel<'v>>,
    minor: u32,
}

impl<'v> Evaluation<'v> {
    fn new(request: &Request<'v>, param: &'v Value) -> Self {
        let unknown = |name: &str| Cel::from(Failure::undecided(format!("`{name}` depends on the request")));
        let known = REQUEST.as_object().into_iter().flatten();
        let mut parts =
            known.map(|(name, value)| (Cel::text(&**name), Cel::from_plain_json(value))).collect::<Vec<_>>();
        parts.push((Cel::text("operation"), Cel::text(request.operation())));
        parts.push((Cel::text("name"), Cel::from_plain_json(&request.object["metadata"]["name"])));
        parts.extend(["userInfo", "options", "uid"].map(|name| (Cel::text(name), unknown(&format!("request.{name}")))));
        let request_value = Cel::map(parts).unwrap_or(Cel::Null);
        let old = request.old.map_or(Cel::Null, Cel::from_plain_json);
        let (object, params) = (Cel::from_plain_json(request.object), Cel::from_plain_json(param));
        // A CRD has no namespace.
        let inputs = [Cel::Null, Cel::Null, object, old, request_value, params, Cel::Null, unknown("authorizer")];
        let variables = Cel::map(Vec::new()).unwrap_or(Cel::Null);
        Self { inputs: inputs.into_iter().chain([variables]).collect(), minor: request.minor }
    }

    /// A server evaluates a variable when it is read. A failure of one that is not read has no effect here either.
    fn add(&mut self, variables: &[Value]) {
        let mut known = Vec::new();
        for variable in variables {
            let name = text(variable, "name");
            let value =
                self.value(text(variable, "expression")).unwrap_or_else(|failure| match failure.is_undecided() {
                    true => failure.into(),
                    false => {
                        Failure::new(format!("composited variable \"{name}\" fails to evaluate: {failure}")).into()
                    }
                });
            known.push((Cel::text(name), value));
            self.inputs[VARIABLES] = Cel::map(known.clone()).unwrap_or(Cel::Null);
        }
    }

    fn value(&self, expression: &str) -> Result<Cel<'v>, Failure> {
        let environment = Environment::dynamic(&NAMES).kubernetes(self.minor);
        let program = Program::compile(expression, environment).map_err(|problems| {
            // The server has compiled it.
            let problem = problems.first().map(|problem| problem.kind.to_string()).unwrap_or_default();
            Failure::undecided(format!("an expression is not supported here: {problem}"))
        })?;
        program.evaluate(&self.inputs, CALL_BUDGET).value.map_err(|failure| {
            match failure.to_string().strip_prefix(UNBOUND) {
                Some(function) => Failure::undecided(format!("`{function}` depends on the request")),
                None => failure,
            }
        })
    }
}

/// What a server prints if a validation is not true.
fn message(validation: &Value, evaluation: &Evaluation<'_>) -> String {
    let computed = match validation["messageExpression"].as_str().map(|expression| evaluation.value(expression)) {
        Some(Ok(Cel::Text(text))) => text.trim().to_owned(),
        _ => String::new(),
    };
    let is_printed = computed.len() <= LONGEST_MESSAGE && !computed.contains('\n');
    let written = text(validation, "message").trim();
    match () {
        () if is_printed && !computed.is_empty() => computed,
        () if !written.is_empty() => written.to_owned(),
        () => format!("failed expression: {}", text(validation, "expression").trim()),
    }
}

fn in_words(expression: &Value, failure: &Failure) -> String {
    format!("expression '{}' resulted in error: {failure}", text(expression, "expression"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}
