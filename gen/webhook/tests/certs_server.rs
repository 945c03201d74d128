//! An API server with one Secret and one configuration, and a clock that tests move.
//!
//! Invariant: after each write, every certificate that a replica may still serve verifies with the `caBundle` of each webhook, which is never
//! empty again once it was set. A CA of the Secret never leaves it.

use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, SystemTime};

use crd_diagnostics::Diagnostic;
use crd_webhook::certs::{self, Action, Namespaced, Outcome, Settings, Step, Until};
use http::{Method, Request, Response};
use k8s_openapi::ByteString;
use kube::Client;
use kube::client::Body;
use rustls::RootCertStore;
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::ServerCertVerifier;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::sign::CertifiedKey;
use serde_json::{Value, json};
use tokio::time::Instant;

pub(crate) const OVERLAP: Duration = Duration::from_secs(300);
pub(crate) const DAY: Duration = Duration::from_secs(24 * 60 * 60);
pub(crate) const NAMESPACE: &str = "gateway-api-webhook";
const SECRET: &str = "/api/v1/namespaces/gateway-api-webhook/secrets/webhook-certificate";
const CONFIGURATION: &str =
    "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/webhook.gateway.networking.k8s.io";

/// The settings of Gateway API.
pub(crate) fn settings() -> Settings {
    let of = |name: &str| Namespaced { namespace: NAMESPACE.to_owned(), name: name.to_owned() };
    let prefix = "gateway.networking.k8s.io";
    Settings::new(prefix, of("webhook-certificate"), "webhook.gateway.networking.k8s.io", of("webhook"))
}

/// A client of the server with its own clock that agrees with the other clocks.
#[derive(Clone)]
pub(crate) struct Server {
    start: Instant,
    stored: Arc<Mutex<Stored>>,
}

/// What a test does before a write.
pub(crate) type Interference = Box<dyn FnMut(&mut Stored) + Send>;

pub(crate) struct Stored {
    pub(crate) secret: Option<Value>,
    pub(crate) configuration: Option<Value>,
    pub(crate) has_namespace: bool,
    /// Requests that are forbidden: a method, and the last part of the path.
    pub(crate) forbidden: Vec<(Method, &'static str)>,
    /// The client dies after this many writes: it does not get the answer.
    pub(crate) dies_after: Option<usize>,
    pub(crate) before_write: Option<Interference>,
    /// Another run rotates up to its first wait when this many more requests were answered.
    pub(crate) rotates_after: Option<usize>,
    /// The writes that were done, as the method and the last part of the path.
    pub(crate) writes: Vec<String>,
    /// The state of a random generator for the time that requests take; nothing for no time.
    pub(crate) delays: Option<u64>,
    /// How many writes found that the object was changed.
    pub(crate) conflicts: usize,
    /// How long replicas serve a certificate after it was replaced.
    pub(crate) lag: Duration,
    revision: u64,
    /// The certificates that replicas may serve, and when each was replaced by another one.
    served: Vec<(String, Option<SystemTime>)>,
    /// Whether the `caBundle` was set, and not damaged since.
    is_set: bool,
}

impl Server {
    /// A cluster with the manifests of a webhook, before the first run.
    pub(crate) fn new() -> Self {
        let webhook = |name: &str| {
            let service = json!({"namespace": NAMESPACE, "name": "webhook", "path": "/validate"});
            json!({
                "name": name, "admissionReviewVersions": ["v1"], "sideEffects": "None", "failurePolicy": "Ignore",
                "clientConfig": {"service": service}, "timeoutSeconds": 5,
            })
        };
        let name = "webhook.gateway.networking.k8s.io";
        let metadata = json!({
            "name": name, "uid": "u1", "resourceVersion": "1", "generation": 1,
            "annotations": {"gateway.networking.k8s.io/channel": "standard"},
        });
        let webhooks = [webhook(name), webhook("other.gateway.networking.k8s.io")];
        let stored = Stored {
            secret: None,
            configuration: Some(json!({"metadata": metadata, "webhooks": webhooks})),
            has_namespace: true,
            forbidden: Vec::new(),
            dies_after: None,
            before_write: None,
            rotates_after: None,
            writes: Vec::new(),
            delays: None,
            conflicts: 0,
            lag: OVERLAP,
            revision: 1,
            served: Vec::new(),
            is_set: false,
        };
        Self { start: Instant::now(), stored: Arc::new(Mutex::new(stored)) }
    }

    /// A cluster after the first run.
    pub(crate) async fn installed() -> Self {
        let server = Self::new();
        server.run(&settings(), Until::Complete).await.0.unwrap();
        server
    }

    pub(crate) fn stored(&self) -> MutexGuard<'_, Stored> {
        self.stored.lock().unwrap()
    }

    pub(crate) fn now(&self) -> SystemTime {
        // With a fraction of a second, as clocks have.
        SystemTime::UNIX_EPOCH + Duration::from_millis(1_800_000_000_750) + self.start.elapsed()
    }

    /// A run, and the steps that it reported.
    pub(crate) async fn run(&self, settings: &Settings, until: Until) -> (Result<Outcome, Diagnostic>, Vec<Step>) {
        let mut steps = Vec::new();
        let now = || self.now();
        let result = certs::run(self.client(), settings, until, &now, &mut |step| steps.push(step.clone())).await;
        (result, steps)
    }

    /// Runs to the end, and asserts that it is the right one. Returns the kinds of steps.
    pub(crate) async fn complete(&self) -> Vec<Action> {
        let (outcome, steps) = self.run(&settings(), Until::Complete).await;
        assert!(outcome.clone().unwrap().is_complete && outcome.unwrap().next > self.now());
        self.assert_is_settled();
        steps.iter().map(|step| step.action).collect()
    }

    /// Asserts that one CA is left, that everything agrees, and that another run writes nothing.
    pub(crate) fn assert_is_settled(&self) {
        let stored = self.stored();
        let authority = stored.key("ca.crt");
        assert_eq!(certificates(&authority).len(), 1);
        assert_eq!(stored.bundles(), [&*authority, &*authority]);
        let (leaf, now) = (stored.key("tls.crt"), self.now());
        assert_eq!(verify(&leaf, &authority, now), Ok(()));
        let key = |name: &str| PrivateKeyDer::from_pem_slice(stored.key(name).as_bytes()).unwrap();
        for (certificate, key) in [(&leaf, key("tls.key")), (&authority, key("ca.key"))] {
            let chain = certificates(certificate);
            CertifiedKey::from_der(chain, key, &ring::default_provider()).unwrap();
        }
        assert_eq!(stored.served.last().map(|(leaf, _)| leaf), Some(&leaf));
    }

    /// Asserts that the certificate verifies with the `caBundle` at a time.
    pub(crate) fn assert_serves(&self, at: SystemTime) {
        let stored = self.stored();
        assert_eq!(verify(&stored.key("tls.crt"), &stored.bundles()[0], at), Ok(()));
    }

    /// Damages what is stored, as another program would. What can be verified with nothing that is left is not asserted.
    pub(crate) fn damage(&self, damage: impl FnOnce(&mut Stored)) {
        let (now, mut stored) = (self.now(), self.stored());
        let before = stored.bundles();
        damage(&mut stored);
        stored.touch();
        stored.is_set &= before == stored.bundles();
        let left = stored.bundles().concat() + &stored.key("ca.crt");
        stored.served.retain(|(leaf, _)| verify(leaf, &left, now).is_ok());
    }

    pub(crate) fn client(&self) -> Client {
        let server = self.clone();
        let service = tower::service_fn(move |request: Request<Body>| {
            let server = server.clone();
            async move { server.answer(request).await }
        });
        Client::new(service, "default")
    }

    async fn pause(&self) {
        let pause = self.stored().delays.as_mut().map(|state| {
            *state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let random = *state >> 40;
            // Most requests are fast, and some are so slow that other runs take several steps meanwhile.
            Duration::from_millis(if random % 8 == 0 { random / 8 % 25_000 } else { random / 8 % 100 })
        });
        if let Some(pause) = pause {
            tokio::time::sleep(pause).await;
        }
    }

    fn is_rotation_due(&self) -> bool {
        let mut stored = self.stored();
        let requests = stored.rotates_after.take();
        stored.rotates_after = requests.filter(|requests| *requests > 0).map(|requests| requests - 1);
        requests == Some(0)
    }

    async fn answer(&self, request: Request<Body>) -> io::Result<Response<Body>> {
        self.pause().await;
        let (parts, body) = request.into_parts();
        let body = body.collect_bytes().await.unwrap();
        let body = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body).unwrap() };
        let content = parts.headers.get("Content-Type").map(|value| value.to_str().unwrap().to_owned());
        if self.is_rotation_due() {
            Box::pin(self.run(&Settings { rotate: true, ..settings() }, Until::Once)).await.0.unwrap();
        }
        let answer = self.stored().answer(&parts.method, parts.uri.path(), content.as_deref(), body, self.now());
        self.pause().await;
        let (code, body) = answer?;
        Ok(Response::builder().status(code).body(Body::from(body.to_string().into_bytes())).unwrap())
    }
}

type Answer = (u16, Value);

fn status(code: u16, message: &str) -> Answer {
    let reason = match code {
        403 => "Forbidden",
        404 => "NotFound",
        _ => "Conflict",
    };
    (code, json!({"kind": "Status", "status": "Failure", "message": message, "reason": reason, "code": code}))
}

impl Stored {
    /// A value of the Secret as text; empty if it is not there.
    pub(crate) fn key(&self, key: &str) -> String {
        let value = self.secret.as_ref().and_then(|secret| secret["data"].get(key));
        value.map(decoded).unwrap_or_default()
    }

    pub(crate) fn set_key(&mut self, key: &str, text: &str) {
        self.secret.as_mut().unwrap()["data"][key] = json!(ByteString(text.as_bytes().to_vec()));
    }

    /// The annotations of the Secret.
    pub(crate) fn annotations(&mut self) -> &mut serde_json::Map<String, Value> {
        self.secret.as_mut().unwrap()["metadata"]["annotations"].as_object_mut().unwrap()
    }

    /// The `caBundle` of each webhook as text.
    pub(crate) fn bundles(&self) -> Vec<String> {
        let webhooks = self.configuration.as_ref().and_then(|configuration| configuration["webhooks"].as_array());
        let bundle = |webhook: &Value| webhook["clientConfig"].get("caBundle").map(decoded).unwrap_or_default();
        webhooks.into_iter().flatten().map(bundle).collect()
    }

    /// Sets the `caBundle` of a webhook; or removes it.
    pub(crate) fn set_bundle(&mut self, index: usize, text: Option<&str>) {
        let configuration = &mut self.configuration.as_mut().unwrap()["webhooks"][index]["clientConfig"];
        match text {
            Some(text) => configuration["caBundle"] = json!(ByteString(text.as_bytes().to_vec())),
            None => drop(configuration.as_object_mut().unwrap().remove("caBundle")),
        }
    }

    /// New resource versions, as after writes of another client.
    pub(crate) fn touch(&mut self) {
        for object in [&mut self.secret, &mut self.configuration].into_iter().flatten() {
            self.revision += 1;
            object["metadata"]["resourceVersion"] = json!(self.revision.to_string());
        }
        if let Some(configuration) = &mut self.configuration {
            let generation = configuration["metadata"]["generation"].as_u64().unwrap();
            configuration["metadata"]["generation"] = json!(generation + 1);
        }
    }

    fn answer(
        &mut self,
        method: &Method,
        path: &str,
        content: Option<&str>,
        body: Value,
        now: SystemTime,
    ) -> io::Result<Answer> {
        let dead = || io::Error::new(io::ErrorKind::ConnectionReset, "the client is dead");
        if self.dies_after == Some(0) {
            return Err(dead());
        }
        let name = path.rsplit('/').next().unwrap().to_owned();
        if self.forbidden.iter().any(|(forbidden, end)| forbidden == method && name == *end) {
            return Ok(status(403, &format!("\"{name}\" is forbidden: User \"me\" cannot do this")));
        }
        if method == Method::GET {
            let object = match path {
                SECRET => &self.secret,
                CONFIGURATION => &self.configuration,
                _ => panic!("GET {path}"),
            };
            return Ok(object
                .clone()
                .map_or_else(|| status(404, &format!("\"{name}\" not found")), |found| (200, found)));
        }
        if let Some(mut interfere) = self.before_write.take() {
            interfere(self);
            self.before_write = Some(interfere);
        }
        let answer = self.write(method, path, content, body);
        self.conflicts += usize::from(answer.0 == 409);
        if answer.0 < 300 {
            self.writes.push(format!("{method} {name}"));
            self.check(now);
            if let Some(writes) = &mut self.dies_after {
                *writes -= 1;
                if *writes == 0 {
                    return Err(dead());
                }
            }
        }
        Ok(answer)
    }

    fn write(&mut self, method: &Method, path: &str, content: Option<&str>, body: Value) -> Answer {
        let changed = || status(409, "the object has been modified");
        let authorities = self.key("ca.crt");
        self.revision += 1;
        let revision = json!(self.revision.to_string());
        match (method, path, content) {
            (&Method::POST, "/api/v1/namespaces/gateway-api-webhook/secrets", Some("application/json")) => {
                if !self.has_namespace {
                    return status(404, &format!("namespaces \"{NAMESPACE}\" not found"));
                }
                if self.secret.is_some() {
                    return status(409, "secrets \"webhook-certificate\" already exists");
                }
                let mut secret = body;
                secret["metadata"]["resourceVersion"] = revision;
                (201, self.secret.insert(secret).clone())
            }
            (&Method::PATCH, SECRET, Some("application/merge-patch+json")) => {
                let Some(secret) = &mut self.secret else { return status(404, "not found") };
                if body["metadata"]["resourceVersion"] != secret["metadata"]["resourceVersion"] {
                    return changed();
                }
                let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
                assert_eq!(keys(&body), ["data", "metadata"]);
                assert_eq!(keys(&body["metadata"]), ["annotations", "resourceVersion"]);
                merge(secret, &body);
                secret["metadata"]["resourceVersion"] = revision;
                (200, secret.clone())
            }
            (&Method::PATCH, CONFIGURATION, Some("application/json-patch+json")) => {
                let Some(configuration) = &mut self.configuration else { return status(404, "not found") };
                let (before, authorities) = (configuration["webhooks"].clone(), certificates(&authorities));
                for operation in body.as_array().unwrap() {
                    let (path, value) = (operation["path"].as_str().unwrap(), &operation["value"]);
                    if path == "/metadata/resourceVersion" {
                        assert_eq!(operation["op"], "replace");
                        if configuration["metadata"]["resourceVersion"] != *value {
                            return changed();
                        }
                        continue;
                    }
                    let index = path.strip_prefix("/webhooks/").unwrap().strip_suffix("/clientConfig/caBundle");
                    assert_eq!(operation["op"], "add");
                    let index = index.unwrap().parse::<usize>().unwrap();
                    let webhook = configuration["webhooks"].as_array_mut().unwrap().get_mut(index).unwrap();
                    let old = webhook["clientConfig"].get("caBundle").map(decoded).unwrap_or_default();
                    let (old, new) = (certificates(&old), certificates(&decoded(value)));
                    let is_lost = |authority| old.contains(authority) && !new.contains(authority);
                    assert!(!authorities.iter().any(is_lost), "a CA of the Secret leaves the caBundle");
                    webhook["clientConfig"]["caBundle"] = value.clone();
                }
                configuration["metadata"]["resourceVersion"] = revision;
                if configuration["webhooks"] != before {
                    let generation = configuration["metadata"]["generation"].as_u64().unwrap();
                    configuration["metadata"]["generation"] = json!(generation + 1);
                }
                (200, configuration.clone())
            }
            _ => panic!("{method} {path} {content:?}"),
        }
    }

    /// Asserts the invariant.
    fn check(&mut self, now: SystemTime) {
        let leaf = self.key("tls.crt");
        let key = PrivateKeyDer::from_pem_slice(self.key("tls.key").as_bytes()).ok();
        let certified = key.map(|key| CertifiedKey::from_der(certificates(&leaf), key, &ring::default_provider()));
        // Garbage is not served: replicas keep the last good certificate.
        if certified.is_some_and(|certified| certified.is_ok())
            && self.served.last().is_none_or(|(last, _)| *last != leaf)
        {
            if let Some((_, replaced)) = self.served.last_mut() {
                replaced.get_or_insert(now);
            }
            self.served.push((leaf, None));
        }
        self.served.retain(|(_, replaced)| replaced.is_none_or(|replaced| replaced + self.lag > now));
        let bundles = self.bundles();
        let empty = bundles.iter().filter(|bundle| bundle.is_empty()).count();
        assert!(empty == 0 || !self.is_set, "a caBundle was emptied");
        self.is_set |= empty == 0;
        if !self.is_set {
            return;
        }
        for bundle in bundles {
            for (leaf, replaced) in &self.served {
                if is_usable(&certificates(leaf)[0], now) {
                    assert_eq!(verify(leaf, &bundle, now), Ok(()), "replaced: {replaced:?}, writes: {:?}", self.writes);
                }
            }
        }
    }
}

fn merge(target: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *target = patch.clone();
        return;
    };
    if !target.is_object() {
        *target = json!({});
    }
    let target = target.as_object_mut().unwrap();
    for (key, value) in patch {
        match value {
            Value::Null => drop(target.remove(key)),
            value => merge(target.entry(key).or_insert(Value::Null), value),
        }
    }
}

fn decoded(value: &Value) -> String {
    let bytes = serde_json::from_value::<ByteString>(value.clone()).unwrap();
    String::from_utf8_lossy(&bytes.0).into_owned()
}

/// All certificates of a text; none if it is not PEM.
pub(crate) fn certificates(pem: &str) -> Vec<CertificateDer<'static>> {
    CertificateDer::pem_slice_iter(pem.as_bytes()).collect::<Result<_, _>>().unwrap_or_default()
}

/// The end of a certificate in seconds since 1970; nothing if it cannot be read.
pub(crate) fn not_after(certificate: &CertificateDer<'_>) -> Option<i64> {
    let (_, parsed) = x509_parser::parse_x509_certificate(certificate).ok()?;
    Some(parsed.validity().not_after.timestamp())
}

/// Whether a certificate can be read and is not expired.
fn is_usable(certificate: &CertificateDer<'_>, now: SystemTime) -> bool {
    let now = now.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs();
    not_after(certificate).is_some_and(|not_after| not_after >= i64::try_from(now).unwrap())
}

/// Verifies a certificate for the name that API servers use, with the CAs of a `caBundle`.
pub(crate) fn verify(leaf: &str, bundle: &str, now: SystemTime) -> Result<(), String> {
    let mut roots = RootCertStore::empty();
    for authority in certificates(bundle).into_iter().filter(|authority| is_usable(authority, now)) {
        roots.add(authority).unwrap();
    }
    let provider = Arc::new(ring::default_provider());
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider).build();
    let verifier = verifier.map_err(|error| error.to_string())?;
    let name = ServerName::try_from(format!("webhook.{NAMESPACE}.svc")).unwrap();
    let now = UnixTime::since_unix_epoch(now.duration_since(SystemTime::UNIX_EPOCH).unwrap());
    let leaf = certificates(leaf);
    let Some(first) = leaf.first() else { return Err("no certificate".to_owned()) };
    verifier.verify_server_cert(first, &leaf[1..], &name, &[], now).map(drop).map_err(|error| error.to_string())
}

/// How often each kind of step was taken.
pub(crate) fn counted(steps: &[Action]) -> BTreeMap<&'static str, usize> {
    let mut counted = BTreeMap::new();
    steps.iter().for_each(|action| *counted.entry(action.name()).or_default() += 1);
    counted
}
