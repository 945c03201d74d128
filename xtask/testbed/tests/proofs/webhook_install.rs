//! The manifests of the webhook on real servers: what a server accepts, what its accounts may do, and what works while the webhook does not answer.
//!
//! Invariants: a testbed has no nodes, so no pod runs, and nothing listens behind the Service. Each test has a server of its own, because the
//! configuration is about all namespaces.

#[path = "../../../src/catalogue.rs"]
mod catalogue;
mod down;
mod policy;

use std::io::Write;

use crd_bundle::admission::ReleasedChannel;
use crd_bundle::{BundleVersion, Released, files, stamp};
use crd_channels::Channel;
use crd_release::template::Templates;
use crd_release::webhook::objects;
use crd_release::{Release, install};
use kube::Client;
use serde_json::{Value, json};
use tempfile::NamedTempFile;

use crate::documents::crds;
use crate::requests::{Answer, send};
use crate::server::{Crds, Server, start};

const NAMESPACE: &str = "gateway-api-webhook";

const CONFIGURATION: &str = "webhook.gateway.networking.k8s.io";

const CONFIGURATIONS: &str = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/// A release of the catalogue of Gateway API.
fn release(version: &str) -> Release {
    let catalogue = catalogue::with_settings();
    let version: BundleVersion = version.parse().expect("a version");
    let channel = |channel| {
        let mut crds = crds(channel).to_vec();
        crds.iter_mut().for_each(|crd| stamp(crd, catalogue.prefix(), version, channel));
        ReleasedChannel { channel, files: files(crds) }
    };
    Release {
        name: catalogue.settings().name().to_owned(),
        prefix: catalogue.prefix().to_owned(),
        version,
        released: "2026-11-21".parse::<Released>().expect("a date"),
        channels: Channel::ALL.map(channel).into(),
        documents: Vec::new(),
        webhook: catalogue.validating_webhook().cloned(),
        policies: catalogue.admission_policies().to_vec(),
    }
}

/// `CHANNEL-webhook-install.yaml` as a file.
fn install_file(version: &str, channel: Channel) -> NamedTempFile {
    let release = release(version);
    let artefact = install::webhook(&release, channel, &objects(&release, channel), &Templates::embedded());
    let mut file = tempfile::Builder::new().suffix(".yaml").tempfile().expect("a file");
    file.write_all(&artefact.expect("an artefact").bytes).expect("written");
    file
}

/// The path of the collection of an object.
fn collection(object: &Value) -> String {
    let api_version = object["apiVersion"].as_str().expect("an API version");
    let group = if api_version == "v1" { "/api/v1".to_owned() } else { format!("/apis/{api_version}") };
    let kind = object["kind"].as_str().expect("a kind").to_lowercase();
    let plural = kind.strip_suffix('y').map_or_else(|| format!("{kind}s"), |begin| format!("{begin}ies"));
    match object["metadata"]["namespace"].as_str() {
        Some(namespace) => format!("{group}/namespaces/{namespace}/{plural}"),
        None => format!("{group}/{plural}"),
    }
}

async fn create(client: &Client, object: &Value, query: &str) -> Answer {
    send(client, "POST", &format!("{}?{query}", collection(object)), Some(object)).await
}

/// Writes an authority into the configuration, as the jobs do, and returns it.
fn provide(server: &Server) -> Value {
    let certificate =
        rcgen::generate_simple_self_signed(vec![format!("webhook.{NAMESPACE}.svc")]).expect("a certificate");
    let pem = k8s_openapi::ByteString(certificate.cert.pem().into_bytes());
    let pem = serde_json::to_value(pem).expect("base64");
    change(server, "webhook-certs", |webhook| webhook["clientConfig"]["caBundle"] = pem.clone());
    pem
}

/// Changes the webhook of the configuration.
fn change(server: &Server, manager: &str, change: impl Fn(&mut Value)) {
    let client = server.client();
    let path = format!("{CONFIGURATIONS}/{CONFIGURATION}");
    server.block_on(async {
        let mut configuration = send(&client, "GET", &path, None).await.expect("the configuration");
        change(&mut configuration["webhooks"][0]);
        let path = format!("{path}?fieldManager={manager}");
        send(&client, "PUT", &path, Some(&configuration)).await.expect("it is changed");
    });
}

fn configuration(server: &Server) -> Value {
    server.send("GET", &format!("{CONFIGURATIONS}/{CONFIGURATION}"), None).expect("the configuration")
}

/// The pods that the manifests create, without the controllers that would create them.
fn pods(objects: &[Value]) -> Vec<Value> {
    let template = |object: &Value| match object["kind"].as_str() {
        Some("Deployment" | "Job") => Some(object["spec"]["template"].clone()),
        Some("CronJob") => Some(object["spec"]["jobTemplate"]["spec"]["template"].clone()),
        _ => None,
    };
    let pod = |object: &Value| {
        let mut pod = template(object)?;
        pod["apiVersion"] = json!("v1");
        pod["kind"] = json!("Pod");
        pod["metadata"]["namespace"] = json!(NAMESPACE);
        pod["metadata"]["name"] = json!(object["kind"].as_str()?.to_lowercase());
        Some(pod)
    };
    objects.iter().filter_map(pod).collect()
}

/// Sends an object without storing it. It must be accepted without a warning.
async fn rehearse(client: &Client, object: &Value) {
    let answer = create(client, object, "dryRun=All&fieldValidation=Strict").await;
    let what = format!("{} {}", object["kind"], object["metadata"]["name"]);
    assert_eq!((answer.code, &*answer.warnings), (201, &[][..]), "{what}: {:#}", answer.body);
}

/// The arguments of every container are those of the program.
#[test]
fn the_program_takes_the_arguments_of_every_container() {
    for channel in Channel::ALL {
        let mut commands = Vec::new();
        for pod in pods(&objects(&release("v1.6.1"), channel)) {
            for container in pod["spec"]["containers"].as_array().expect("containers") {
                let arguments = container["args"].as_array().expect("arguments").iter();
                let arguments = arguments.map(|argument| argument.as_str().expect("a text"));
                let parsed = crd_webhook::command_line(gateway_api_webhook::NAME)
                    .try_get_matches_from(std::iter::once(gateway_api_webhook::NAME).chain(arguments));
                let parsed = parsed.unwrap_or_else(|error| panic!("{error}"));
                commands.push(parsed.subcommand_name().expect("a subcommand").to_owned());
            }
        }
        assert_eq!(commands, ["serve", "certs", "certs"]);
    }
}

#[test]
fn a_server_accepts_every_object_and_restricted_accepts_every_pod() {
    let Some(server) = start(Crds::Standard) else { return };
    let client = server.client();
    let [standard, experimental] = Channel::ALL.map(|channel| objects(&release("v1.6.1"), channel));
    let of_pods = pods(&standard);
    server.block_on(async {
        // Objects of the namespace need it. With `warn`, a Deployment whose pods are not restricted has a warning.
        assert_eq!(standard[0], experimental[0]);
        rehearse(&client, &standard[0]).await;
        create(&client, &standard[0], "").await.expect("the namespace");
        for object in standard.iter().skip(1).chain(experimental.iter().skip(1)) {
            rehearse(&client, object).await;
        }
        for pod in &of_pods {
            let created = create(&client, pod, "fieldValidation=Strict").await;
            assert_eq!((created.code, &*created.warnings), (201, &[][..]), "{:#}", created.body);
            // Each of the fields is necessary, so the server really checks them.
            for (field, without) in less_restricted(pod) {
                let refused = create(&client, &without, "dryRun=All").await;
                let is_refused = refused.code == 403 && refused.message().contains("violates PodSecurity");
                assert!(is_refused, "without {field}: {} {}", refused.code, refused.message());
            }
        }
    });
    assert_eq!(of_pods.len(), 3);
    println!("{} objects and {} pods are accepted", standard.len() + experimental.len(), of_pods.len());
}

/// Variants of a pod that `restricted` refuses, each without one field or with another value.
fn less_restricted(pod: &Value) -> Vec<(&'static str, Value)> {
    let fields = [
        ("/spec/securityContext/runAsNonRoot", json!(false)),
        ("/spec/securityContext/seccompProfile", Value::Null),
        ("/spec/containers/0/securityContext/allowPrivilegeEscalation", json!(true)),
        ("/spec/containers/0/securityContext/capabilities", Value::Null),
        ("/spec/containers/0/securityContext", Value::Null),
    ];
    let variant = |(field, value): (&'static str, Value)| {
        let mut pod = pod.clone();
        pod["metadata"]["name"] = json!("less-restricted");
        *pod.pointer_mut(field).expect(field) = value;
        (field, pod)
    };
    fields.map(variant).into()
}

/// What the accounts of the pods may do, by requests in their names.
#[test]
fn accounts_may_do_what_they_need_and_nothing_else() {
    let Some(server) = start(Crds::Standard) else { return };
    let file = install_file("v1.6.1", Channel::Standard);
    server.kubectl(&["apply", "-f", &file.path().display().to_string()]).expect("it is installed");
    let own = Some(NAMESPACE);
    let own_configuration = format!("validatingwebhookconfigurations.admissionregistration.k8s.io/{CONFIGURATION}");
    let rows: &[(&str, &str, &str, Option<&str>, bool)] = &[
        ("webhook", "list", "gateways.gateway.networking.k8s.io", None, true),
        ("webhook", "watch", "listenersets.gateway.networking.k8s.io", None, true),
        ("webhook", "watch", "referencegrants.gateway.networking.k8s.io", None, true),
        ("webhook", "list", "services", None, true),
        ("webhook", "watch", "namespaces", None, true),
        ("webhook", "list", "customresourcedefinitions.apiextensions.k8s.io", None, true),
        ("webhook", "get", "gateways.gateway.networking.k8s.io", None, false),
        ("webhook", "list", "httproutes.gateway.networking.k8s.io", None, false),
        ("webhook", "update", "gateways.gateway.networking.k8s.io", None, false),
        ("webhook", "list", "secrets", own, false),
        ("webhook", "get", "secrets/webhook-certificate", own, false),
        ("webhook", "patch", &own_configuration, None, false),
        ("webhook-certs", "get", "secrets/webhook-certificate", own, true),
        ("webhook-certs", "patch", "secrets/webhook-certificate", own, true),
        ("webhook-certs", "create", "secrets", own, true),
        ("webhook-certs", "update", "secrets/webhook-certificate", own, false),
        ("webhook-certs", "get", "secrets/another", own, false),
        ("webhook-certs", "list", "secrets", own, false),
        ("webhook-certs", "delete", "secrets/webhook-certificate", own, false),
        ("webhook-certs", "create", "secrets", Some("default"), false),
        ("webhook-certs", "get", "secrets/webhook-certificate", Some("default"), false),
        ("webhook-certs", "get", &own_configuration, None, true),
        ("webhook-certs", "patch", &own_configuration, None, true),
        ("webhook-certs", "patch", "validatingwebhookconfigurations.admissionregistration.k8s.io/another", None, false),
        ("webhook-certs", "list", "validatingwebhookconfigurations.admissionregistration.k8s.io", None, false),
        ("webhook-certs", "list", "services", None, false),
    ];
    for (account, verb, resource, namespace, expected) in rows {
        let user = format!("--as=system:serviceaccount:{NAMESPACE}:{account}");
        let place = namespace.map_or("--all-namespaces".to_owned(), |namespace| format!("--namespace={namespace}"));
        let printed = server.kubectl(&["auth", "can-i", verb, resource, &user, &place]);
        let answer = printed.stdout.trim();
        assert_eq!(
            answer == "yes",
            *expected,
            "{account} {verb} {resource} {namespace:?}: {answer} {}",
            printed.stderr
        );
    }
    println!("{} rights", rows.len());
}

/// Every object of a file as the server has it: its resource version changes with each write.
fn resource_versions(server: &Server, file: &NamedTempFile) -> Vec<String> {
    let path = file.path().display().to_string();
    let printed = server.kubectl(&["get", "-f", &path, "--output", "json"]).expect("they exist");
    let list = serde_json::from_str::<Value>(&printed).expect("JSON");
    let object = |object: &Value| format!("{} {}", object["kind"], object["metadata"]["resourceVersion"]);
    list["items"].as_array().expect("a list").iter().map(object).collect()
}

/// Applies are repeated, follow each other in both modes, and go over another version and another channel. The bundle of certificates stays.
#[test]
fn applies_over_applies_work_and_keep_the_certificates() {
    let files = [("v1.6.1", Channel::Standard), ("v1.7.0", Channel::Standard), ("v1.7.0", Channel::Experimental)];
    let files = files.map(|(version, channel)| (version, channel, install_file(version, channel)));
    let modes =
        |server_side: bool| if server_side { vec!["apply", "--server-side", "-f"] } else { vec!["apply", "-f"] };
    for first in [false, true] {
        let Some(server) = start(Crds::Standard) else { return };
        let apply = |server_side: bool, file: &NamedTempFile| {
            let path = file.path().display().to_string();
            server.kubectl(&[modes(server_side), vec![&path]].concat()).expect("apply");
        };
        apply(first, &files[0].2);
        let authority = provide(&server);
        let before = resource_versions(&server, &files[0].2);
        apply(first, &files[0].2);
        assert_eq!(resource_versions(&server, &files[0].2), before, "the same file changes nothing");
        for server_side in [!first, first] {
            for (version, channel, file) in &files {
                apply(server_side, file);
                let stored = configuration(&server);
                let found = &stored["webhooks"][0];
                assert_eq!(found["clientConfig"]["caBundle"], authority, "{version} {channel} {server_side}");
                let annotations = &stored["metadata"]["annotations"];
                assert_eq!(annotations["gateway.networking.k8s.io/bundle-version"], *version);
                assert_eq!(annotations["gateway.networking.k8s.io/channel"], channel.name());
                let expected = objects(&release(version), *channel);
                let expected = expected.last().map(|object| &object["webhooks"][0]["rules"]);
                assert_eq!(Some(&found["rules"]), expected, "{version} {channel} {server_side}");
            }
        }
        let jobs = server.kubectl(&["get", "jobs", "--namespace", NAMESPACE, "--output", "name"]).expect("jobs");
        assert_eq!(jobs, "job.batch/webhook-certs-v1-6-1\njob.batch/webhook-certs-v1-7-0\n");
        // Everything goes with the file.
        let path = files[2].2.path().display().to_string();
        server.kubectl(&["delete", "--wait=false", "-f", &path]).expect("it is removed");
    }
}
