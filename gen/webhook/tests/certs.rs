//! Runs of `certs`: renewals, rotations, damage, and runs that die or overlap. The server asserts after each write that no client is refused.

use std::time::Duration;

use crd_diagnostics::{Severity, text};
use crd_webhook::certs::Action::{
    DropOldCa, ExtendCaBundle, NewCa, NewCaAndLeaf, NewLeaf, RecordCaBundle, RecordLeaf, ShrinkCaBundle, Wait,
};
use crd_webhook::certs::{Action, Settings, Until};
use http::Method;
use rcgen::{BasicConstraints, CertificateParams, IsCa, KeyPair};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::certs_server::{DAY, NAMESPACE, OVERLAP, Server, Stored, certificates, counted, not_after, settings};

const ROTATION: [Action; 8] = [NewCa, ExtendCaBundle, RecordCaBundle, Wait, NewLeaf, Wait, DropOldCa, ShrinkCaBundle];

fn rotation() -> Settings {
    Settings { rotate: true, ..settings() }
}

/// A CA of another program.
fn foreign() -> [String; 2] {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    [params.self_signed(&key).unwrap().pem(), key.serialize_pem()]
}

#[tokio::test(start_paused = true)]
async fn the_first_run_makes_everything_and_the_next_ones_nothing() {
    let server = Server::new();
    let before = server.stored().configuration.clone().unwrap();
    let (outcome, steps) = server.run(&settings(), Until::Once).await;
    let lines = steps.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(
        lines,
        [
            "Secret gateway-api-webhook/webhook-certificate: created a new CA and a certificate, because the Secret does not exist",
            "ValidatingWebhookConfiguration webhook.gateway.networking.k8s.io: added the CAs of the Secret to the `caBundle`, \
             because that of the webhook `webhook.gateway.networking.k8s.io` lacks a CA of the Secret",
        ]
    );
    let object = json!({"kind": "Secret", "namespace": NAMESPACE, "name": "webhook-certificate"});
    let because = "the Secret does not exist";
    assert_eq!(
        steps[0].json(),
        json!({"object": object, "action": "new-ca-and-leaf", "because": because, "until": null})
    );
    server.assert_is_settled();
    // A third of 90 days remains then.
    let remaining = outcome.unwrap().next.duration_since(server.now()).unwrap();
    assert!(remaining <= DAY * 60 && remaining > DAY * 60 - Duration::from_secs(2), "{remaining:?}");

    for until in [Until::Once, Until::Complete] {
        let (again, steps) = server.run(&settings(), until).await;
        assert!(again.unwrap().is_complete);
        assert_eq!(steps, []);
    }
    let mut after = server.stored().configuration.clone().unwrap();
    for webhook in after["webhooks"].as_array_mut().unwrap() {
        webhook["clientConfig"].as_object_mut().unwrap().remove("caBundle");
    }
    assert_eq!(after["webhooks"], before["webhooks"]);
    assert_eq!(after["metadata"]["annotations"], before["metadata"]["annotations"]);
}

#[tokio::test(start_paused = true)]
async fn only_the_certificate_is_renewed_while_the_ca_is_fresh() {
    let server = Server::installed().await;
    let authority = server.stored().key("ca.crt");
    advance(DAY * 59).await;
    assert_eq!(server.complete().await, []);
    advance(DAY * 2).await;
    let leaf = server.stored().key("tls.crt");
    assert_eq!(server.complete().await, [NewLeaf]);
    assert_eq!(server.stored().key("ca.crt"), authority);
    assert_ne!(server.stored().key("tls.crt"), leaf);
}

#[tokio::test(start_paused = true)]
async fn a_rotation_waits_for_the_overlap_twice() {
    let server = Server::installed().await;
    let (authority, start) = (server.stored().key("ca.crt"), server.now());
    let (outcome, steps) = server.run(&rotation(), Until::Complete).await;
    assert!(outcome.unwrap().is_complete);
    assert_eq!(steps.iter().map(|step| step.action).collect::<Vec<_>>(), ROTATION);
    let waited = server.now().duration_since(start).unwrap();
    assert!(waited >= OVERLAP * 2 && waited < OVERLAP * 2 + Duration::from_secs(1), "{waited:?}");
    assert_ne!(server.stored().key("ca.crt"), authority);
    assert_eq!(
        steps[3].to_string(),
        "Secret gateway-api-webhook/webhook-certificate: nothing to do until 2027-01-15T08:05:00Z, because API servers may not trust \
         the new CA before that"
    );
    server.assert_is_settled();
}

#[tokio::test(start_paused = true)]
async fn runs_that_do_not_wait_return_when_the_next_step_is_due() {
    let server = Server::installed().await;
    let mut settings = rotation();
    let mut actions = Vec::new();
    let mut waits = 0;
    loop {
        let (outcome, steps) = server.run(&settings, Until::Once).await;
        let outcome = outcome.unwrap();
        actions.extend(steps.iter().map(|step| step.action));
        if outcome.is_complete {
            break;
        }
        waits += 1;
        let wait = outcome.next.duration_since(server.now()).unwrap();
        // Too early, with the request again: the rotation in progress is the requested one.
        advance(wait / 2).await;
        assert_eq!(server.run(&settings, Until::Once).await, (Ok(outcome), Vec::new()));
        settings.rotate = false;
        advance(wait / 2 + Duration::from_millis(1)).await;
    }
    assert_eq!((waits, &*actions), (2, &ROTATION.into_iter().filter(|action| *action != Wait).collect::<Vec<_>>()[..]));
    server.assert_is_settled();
}

#[tokio::test(start_paused = true)]
async fn a_request_for_a_rotation_continues_the_one_in_progress() {
    let server = Server::installed().await;
    server.run(&rotation(), Until::Once).await.0.unwrap();
    let authority = certificates(&server.stored().key("ca.crt"))[0].clone();
    let (_, steps) = server.run(&rotation(), Until::Complete).await;
    let expected = [Wait, NewLeaf, Wait, DropOldCa, ShrinkCaBundle];
    assert_eq!(steps.iter().map(|step| step.action).collect::<Vec<_>>(), expected);
    assert_eq!(certificates(&server.stored().key("ca.crt")), [authority]);
}

#[tokio::test(start_paused = true)]
async fn a_ca_that_another_run_adds_between_two_requests_is_not_removed() {
    let foreign = foreign()[0].clone();
    for requests in 0..5 {
        // A `caBundle` that the run extends, and one that it shrinks.
        for has_ca in [false, true] {
            let server = Server::installed().await;
            advance(DAY).await;
            let bundle = if has_ca { foreign.clone() + &server.stored().key("ca.crt") } else { foreign.clone() };
            server.damage(|stored| stored.set_bundle(1, Some(&bundle)));
            server.stored().rotates_after = Some(requests);
            server.run(&settings(), Until::Once).await.0.unwrap();
            let stored = server.stored();
            assert_eq!(stored.rotates_after, None, "{requests}");
            assert!(certificates(&stored.key("ca.crt")).len() > 1, "{requests}");
            for bundle in stored.bundles() {
                assert!(certificates(&stored.key("ca.crt")).iter().all(|ca| certificates(&bundle).contains(ca)));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_ca_that_is_not_valid_yet_is_replaced() {
    let server = Server::installed().await;
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.not_before = (server.now() + DAY).into();
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    server.damage(|stored| {
        stored.set_key("ca.crt", &certificate);
        stored.set_key("ca.key", &key.serialize_pem());
    });
    let (_, steps) = server.run(&settings(), Until::Complete).await;
    assert_eq!((steps[0].action, &*steps[0].because), (NewCa, "the CA is not valid yet"));
    server.assert_is_settled();
}

#[tokio::test(start_paused = true)]
async fn a_hundred_rotations_refuse_no_client() {
    let server = Server::installed().await;
    let start = std::time::Instant::now();
    for _ in 0..100 {
        let (outcome, steps) = server.run(&rotation(), Until::Complete).await;
        assert!(outcome.unwrap().is_complete);
        assert_eq!(steps.len(), ROTATION.len());
        server.assert_is_settled();
    }
    let writes = server.stored().writes.len();
    assert_eq!(writes, 2 + 100 * 6);
    println!("100 rotations with {writes} writes, each checked, in {:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn three_years_of_a_daily_job_renew_in_time() {
    let server = Server::new();
    let mut actions = Vec::new();
    for _ in 0..3 * 365 {
        let (outcome, steps) = server.run(&settings(), Until::Once).await;
        assert!(outcome.unwrap().next > server.now());
        actions.extend(steps.iter().map(|step| step.action));
        server.assert_serves(server.now() + DAY * 20);
        advance(DAY).await;
    }
    let counted = counted(&actions);
    // A CA is replaced after two thirds of 365 days, and a certificate after two thirds of 90 days.
    assert_eq!((counted["new-ca-and-leaf"], counted["new-ca"], counted["drop-old-ca"]), (1, 4, 4), "{counted:?}");
    // 4 renewals and the rotation in each 244 days, and one in the remaining 119 days.
    assert_eq!(counted["new-leaf"], 4 * (4 + 1) + 1, "{counted:?}");
}

/// The names and bytes of the Secret that a run must not lose: nothing here depends on the run.
fn labelled(stored: &mut Stored) {
    let secret = stored.secret.as_mut().unwrap();
    secret["metadata"]["labels"] = json!({"team": "network"});
    secret["data"]["other"] = json!("b3RoZXI=");
}

/// A cluster in a state that needs a run.
type Scenario = fn(&Server);

const SCENARIOS: &[(&str, Scenario)] = &[
    ("rotation", |_| {}),
    ("no Secret", |server| server.damage(|stored| stored.secret = None)),
    ("no key of the CA", |server| server.damage(|stored| stored.set_key("ca.key", ""))),
    ("no CA", |server| server.damage(|stored| stored.set_key("ca.crt", ""))),
    ("no certificate", |server| server.damage(|stored| stored.set_key("tls.crt", ""))),
    ("no caBundle", |server| server.damage(|stored| (0..2).for_each(|index| stored.set_bundle(index, None)))),
    ("nothing", |server| {
        server.damage(|stored| {
            stored.secret = None;
            (0..2).for_each(|index| stored.set_bundle(index, None));
        });
    }),
];

#[tokio::test(start_paused = true)]
async fn a_run_that_dies_after_any_write_is_continued() {
    let mut deaths = 0;
    for (name, scenario) in SCENARIOS {
        for pause in [Duration::ZERO, OVERLAP / 2, DAY * 61, DAY * 400] {
            for writes in 1.. {
                let server = Server::installed().await;
                scenario(&server);
                server.stored().dies_after = Some(writes);
                let (outcome, _) = server.run(&rotation(), Until::Complete).await;
                let is_dead = server.stored().dies_after == Some(0);
                server.stored().dies_after = None;
                if !is_dead {
                    assert!(outcome.unwrap().is_complete, "{name}");
                    server.assert_is_settled();
                    break;
                }
                deaths += 1;
                assert_eq!(outcome.unwrap_err().code, "webhook::certs-request-failed", "{name}");
                advance(pause).await;
                server.complete().await;
            }
        }
    }
    assert!(deaths > 100, "{deaths}");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_dies_after_every_write_gets_to_the_end() {
    for (name, scenario) in SCENARIOS {
        let server = Server::installed().await;
        scenario(&server);
        let mut settings = rotation();
        for run in 0.. {
            assert!(run < 20, "{name}");
            server.stored().dies_after = Some(1);
            let (outcome, _) = server.run(&settings, Until::Complete).await;
            if outcome.is_ok() {
                break;
            }
            // The request is repeated until the rotation has begun.
            settings.rotate &= certificates(&server.stored().key("ca.crt")).len() < 2;
        }
        server.assert_is_settled();
    }
}

#[tokio::test(start_paused = true)]
async fn runs_at_the_same_time_take_each_step_once() {
    let mut conflicts = 0;
    for (name, scenario) in SCENARIOS {
        for seed in 0..8 {
            let server = Server::installed().await;
            scenario(&server);
            let before = server.stored().writes.len();
            server.stored().delays = Some(seed);
            server.stored().lag = OVERLAP - Duration::from_secs(60);
            let settings = rotation();
            let run = || server.run(&settings, Until::Complete);
            let (first, second, third) = tokio::join!(run(), run(), run());
            server.stored().delays = None;
            let runs = [first, second, third];
            let steps = runs.iter().flat_map(|(_, steps)| steps).map(|step| step.action);
            let written = steps.filter(|action| *action != Wait).collect::<Vec<_>>();
            for (outcome, _) in &runs {
                assert!(outcome.as_ref().unwrap().is_complete, "{name}");
            }
            server.assert_is_settled();
            let authorities = written.iter().filter(|action| [NewCa, NewCaAndLeaf].contains(action)).count();
            // A run whose first request comes after the end of the rotation begins another one.
            assert!((1..=3).contains(&authorities), "{name}: {written:?}");
            let stored = server.stored();
            assert_eq!(stored.writes.len() - before, written.len(), "{name}");
            conflicts += stored.conflicts;
        }
    }
    assert!(conflicts > 0);
}

#[tokio::test(start_paused = true)]
async fn a_change_of_another_client_is_kept_and_the_step_is_planned_again() {
    for (name, scenario) in SCENARIOS {
        let server = Server::installed().await;
        scenario(&server);
        let mut left = 3;
        server.stored().before_write = Some(Box::new(move |stored| {
            if left > 0 {
                left -= 1;
                stored.touch();
                if stored.secret.is_some() {
                    labelled(stored);
                }
            }
        }));
        let (outcome, _) = server.run(&rotation(), Until::Complete).await;
        assert!(outcome.unwrap().is_complete, "{name}");
        server.stored().before_write = None;
        server.assert_is_settled();
        if server.stored().secret.as_ref().unwrap()["metadata"].get("labels").is_some() {
            assert_eq!(server.stored().secret.as_ref().unwrap()["data"]["other"], "b3RoZXI=");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn endless_changes_of_another_client_are_an_error() {
    let server = Server::installed().await;
    server.stored().before_write = Some(Box::new(Stored::touch));
    let diagnostic = server.run(&rotation(), Until::Complete).await.0.unwrap_err();
    assert_eq!(diagnostic.code, "webhook::certs-conflict");
}

#[tokio::test(start_paused = true)]
async fn a_program_that_removes_the_annotations_costs_time_only() {
    let server = Server::installed().await;
    server.stored().before_write = Some(Box::new(|stored| stored.annotations().clear()));
    server.run(&rotation(), Until::Once).await.0.unwrap();
    server.damage(|stored| stored.annotations().clear());
    let expected = [RecordCaBundle, Wait, NewLeaf, Wait, DropOldCa, RecordLeaf, Wait, ShrinkCaBundle];
    assert_eq!(server.complete().await, expected);
}

#[tokio::test(start_paused = true)]
async fn objects_that_disappear_between_reading_and_writing_are_read_again() {
    let server = Server::installed().await;
    let mut is_there = true;
    server.stored().before_write = Some(Box::new(move |stored| {
        if std::mem::take(&mut is_there) {
            stored.secret = None;
        }
    }));
    let (outcome, steps) = server.run(&rotation(), Until::Complete).await;
    assert!(outcome.unwrap().is_complete);
    assert_eq!(steps[0].because, "the Secret does not exist");
    server.stored().before_write = Some(Box::new(|stored| stored.configuration = None));
    server.damage(|stored| stored.set_bundle(0, None));
    let diagnostic = server.run(&settings(), Until::Complete).await.0.unwrap_err();
    assert_eq!(diagnostic.code, "webhook::certs-configuration-missing");
}

#[tokio::test(start_paused = true)]
async fn a_secret_without_keys_or_with_garbage_in_a_key_is_repaired() {
    let other = foreign();
    let garbage =
        ["", "garbage", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", &other[0], &other[1]];
    for key in ["ca.crt", "ca.key", "tls.crt", "tls.key"] {
        for content in garbage.iter().map(Some).chain([None]) {
            let server = Server::installed().await;
            let before = ["ca.crt", "ca.key", "tls.crt", "tls.key"].map(|key| server.stored().key(key));
            server.damage(|stored| match content {
                Some(content) => stored.set_key(key, content),
                None => drop(stored.secret.as_mut().unwrap()["data"].as_object_mut().unwrap().remove(key)),
            });
            let actions = server.complete().await;
            let [authority, _, leaf, _] = before;
            let authority_remains = authority == server.stored().key("ca.crt");
            assert_ne!(server.stored().key("tls.crt"), leaf, "{key}: {content:?}");
            match key {
                "ca.crt" | "ca.key" => {
                    assert_eq!(actions, ROTATION, "{key}: {content:?}");
                    assert!(!authority_remains, "{key}: {content:?}");
                }
                _ => {
                    assert_eq!(actions, [NewLeaf], "{key}: {content:?}");
                    assert!(authority_remains, "{key}: {content:?}");
                }
            }
        }
    }
    // Secrets without any keys, such as the one of a manifest.
    for data in [json!({}), Value::Null] {
        let server = Server::new();
        server.stored().secret = Some(json!({"metadata": {"name": "webhook-certificate"}, "data": data}));
        server.stored().touch();
        assert_eq!(server.complete().await, [NewCaAndLeaf, ExtendCaBundle]);
    }
}

#[tokio::test(start_paused = true)]
async fn garbage_next_to_the_ca_leaves_the_secret_after_the_overlap() {
    let server = Server::installed().await;
    let authority = server.stored().key("ca.crt");
    server.damage(|stored| stored.set_key("ca.crt", &format!("{}garbage\n{authority}", foreign()[0])));
    assert_eq!(server.complete().await, [ExtendCaBundle, Wait, DropOldCa, ShrinkCaBundle]);
    assert_eq!(server.stored().key("ca.crt"), authority);
}

#[tokio::test(start_paused = true)]
async fn a_ca_bundle_that_lost_the_ca_is_repaired() {
    let foreign = foreign()[0].clone();
    for content in [None, Some(""), Some("garbage"), Some(&*foreign)] {
        let server = Server::installed().await;
        advance(DAY).await;
        server.damage(|stored| stored.set_bundle(1, content));
        let expected: &[_] =
            if content == Some(&foreign) { &[ExtendCaBundle, ShrinkCaBundle] } else { &[ExtendCaBundle] };
        assert_eq!(server.complete().await, expected, "{content:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_ca_bundle_that_lost_the_new_ca_starts_the_overlap_again() {
    let server = Server::installed().await;
    server.run(&rotation(), Until::Once).await.0.unwrap();
    advance(OVERLAP * 2).await;
    let old = certificates(&server.stored().bundles()[0]).len();
    assert_eq!(old, 2);
    // A program applies the configuration of before.
    let end = "-----END CERTIFICATE-----\n";
    let bundle = server.stored().bundles()[0].clone();
    let old = bundle.split_inclusive(end).nth(1).unwrap().to_owned();
    server.damage(|stored| stored.set_bundle(0, Some(&old)));
    let start = server.now();
    let expected = [ExtendCaBundle, RecordCaBundle, Wait, NewLeaf, Wait, DropOldCa, ShrinkCaBundle];
    assert_eq!(server.complete().await, expected);
    assert!(server.now().duration_since(start).unwrap() >= OVERLAP * 2);
}

#[tokio::test(start_paused = true)]
async fn times_that_are_missing_broken_or_in_the_future_start_the_overlap_again() {
    for value in [None, Some("yesterday"), Some("2999-01-01T00:00:00Z")] {
        let server = Server::installed().await;
        server.run(&rotation(), Until::Once).await.0.unwrap();
        advance(OVERLAP * 2).await;
        let set = |stored: &mut Stored, name: &str| {
            let name = format!("gateway.networking.k8s.io/{name}");
            match value {
                Some(value) => stored.annotations().insert(name, json!(value)),
                None => stored.annotations().remove(&name),
            }
        };
        server.damage(|stored| drop(set(stored, "ca-published")));
        let (outcome, steps) = server.run(&settings(), Until::Once).await;
        assert_eq!(steps.iter().map(|step| step.action).collect::<Vec<_>>(), [RecordCaBundle]);
        assert_eq!(outcome.unwrap().next, server.now() + OVERLAP);
        advance(OVERLAP * 2).await;
        server.run(&settings(), Until::Once).await.0.unwrap();
        server.damage(|stored| drop(set(stored, "leaf-issued")));
        assert_eq!(server.complete().await, [RecordLeaf, Wait, DropOldCa, ShrinkCaBundle]);
    }
}

#[tokio::test(start_paused = true)]
async fn expired_certificates_are_replaced() {
    for (days, expected) in [(91, &[NewLeaf][..]), (400, &[NewCa, ExtendCaBundle, NewLeaf])] {
        let server = Server::installed().await;
        advance(DAY * days).await;
        let actions = server.complete().await;
        assert_eq!(actions.iter().filter(|action| **action != Wait).copied().collect::<Vec<_>>(), expected);
    }
    // A certificate that expires during a rotation is replaced at once.
    let server = Server::installed().await;
    advance(DAY * 90 - OVERLAP / 2).await;
    server.damage(|stored| stored.set_key("ca.key", ""));
    let start = server.now();
    server.run(&settings(), Until::Once).await.0.unwrap();
    let (outcome, _) = server.run(&settings(), Until::Once).await;
    assert!(outcome.unwrap().next < start + OVERLAP);
    assert_eq!(server.complete().await, [Wait, NewLeaf, Wait, DropOldCa, ShrinkCaBundle]);
}

#[tokio::test(start_paused = true)]
async fn a_certificate_without_a_wanted_name_is_replaced() {
    let server = Server::installed().await;
    let hosts = ["127.0.0.1", "::1", "webhook.example.com"].map(str::to_owned).to_vec();
    let settings = Settings { hosts: hosts.clone(), ..settings() };
    let (_, steps) = server.run(&settings, Until::Complete).await;
    assert_eq!(steps.iter().map(|step| step.action).collect::<Vec<_>>(), [NewLeaf]);
    assert!(steps[0].because.contains("not valid for name"), "{}", steps[0].because);
    assert_eq!(server.run(&settings, Until::Complete).await.1, []);
    let leaf = server.stored().key("tls.crt");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("tls.crt"), leaf).unwrap();
    std::fs::write(folder.path().join("tls.key"), server.stored().key("tls.key")).unwrap();
    let mut files = crd_webhook::CertificateFiles::new(folder.path().to_owned());
    files.poll(server.now());
    let names = files.state(server.now()).unwrap().names.clone();
    let of_service = ["webhook.gateway-api-webhook.svc", "webhook.gateway-api-webhook", "webhook"];
    assert_eq!(names, of_service.map(str::to_owned).into_iter().chain(hosts).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn what_cert_manager_manages_is_left_alone() {
    let annotation = |object: &mut Value, name: &str| object["metadata"]["annotations"][name] = json!("webhook");
    for is_secret in [true, false] {
        let server = Server::installed().await;
        server.damage(|stored| match is_secret {
            true => annotation(stored.secret.as_mut().unwrap(), "cert-manager.io/certificate-name"),
            false => annotation(stored.configuration.as_mut().unwrap(), "cert-manager.io/inject-ca-from"),
        });
        let before = server.stored().writes.len();
        let diagnostic = server.run(&rotation(), Until::Complete).await.0.unwrap_err();
        assert_eq!(diagnostic.code, "webhook::certs-managed-elsewhere");
        assert!(diagnostic.message.contains("cert-manager.io/"), "{}", diagnostic.message);
        assert_eq!(server.stored().writes.len(), before);
    }
}

#[tokio::test(start_paused = true)]
async fn what_is_missing_or_forbidden_is_named_with_its_fix() {
    let (secret, configuration) = ("webhook-certificate", "webhook.gateway.networking.k8s.io");
    let forbid = |method: Method, name: &'static str| {
        let server = Server::new();
        server.stored().forbidden = vec![(method, name)];
        server
    };
    let no_configuration = Server::new();
    no_configuration.stored().configuration = None;
    let no_webhooks = Server::new();
    no_webhooks.stored().configuration.as_mut().unwrap()["webhooks"] = json!([]);
    let no_namespace = Server::new();
    no_namespace.stored().has_namespace = false;
    let patched = Server::installed().await;
    patched.stored().forbidden = vec![(Method::PATCH, secret)];
    for (server, code, message, help) in [
        (no_configuration, "certs-configuration-missing", configuration, "manifests"),
        (no_webhooks, "certs-configuration-missing", "no webhooks", "manifests"),
        (no_namespace, "certs-namespace-missing", NAMESPACE, "kubectl create namespace gateway-api-webhook"),
        (forbid(Method::GET, secret), "certs-forbidden", "no permission to get the Secret", "resources: [secrets]"),
        (forbid(Method::POST, "secrets"), "certs-forbidden", "no permission to create the Secret", "create"),
        (patched, "certs-forbidden", "no permission to patch the Secret", "patch"),
        (forbid(Method::GET, configuration), "certs-forbidden", "get the ValidatingWebhook", "admissionregistration"),
        (forbid(Method::PATCH, configuration), "certs-forbidden", "patch the ValidatingWebhook", "verbs: [get, patch]"),
    ] {
        let diagnostic = server.run(&rotation(), Until::Complete).await.0.unwrap_err();
        let text = text::plain(&diagnostic);
        assert_eq!((diagnostic.code, diagnostic.severity), (&*format!("webhook::{code}"), Severity::Error), "{text}");
        assert!(diagnostic.message.contains(message), "{text}");
        assert!(diagnostic.help.as_ref().unwrap().contains(help), "{text}");
        assert!(diagnostic.location.object.is_some(), "{text}");
    }
}

#[tokio::test(start_paused = true)]
async fn settings_that_cannot_work_are_refused_before_a_request() {
    let server = Server::new();
    let minute = Duration::from_secs(60);
    for settings in [
        Settings { hosts: vec!["https://example.com".to_owned()], ..settings() },
        Settings { hosts: vec![String::new()], ..settings() },
        Settings { leaf_lifetime: minute * 44, ..settings() },
        Settings { ca_lifetime: minute * 44, ..settings() },
        Settings { ca_lifetime: minute * 9, overlap: Duration::ZERO, ..settings() },
        Settings { ca_lifetime: Duration::MAX, ..settings() },
        Settings { overlap: Duration::MAX, ..settings() },
    ] {
        let (outcome, _) = server.run(&settings, Until::Complete).await;
        assert_eq!(outcome.unwrap_err().code, "webhook::certs-settings", "{settings:?}");
    }
    assert_eq!(server.stored().writes.len(), 0);
    assert_eq!("a/b".parse(), Ok(crd_webhook::certs::Namespaced { namespace: "a".to_owned(), name: "b".to_owned() }));
    for text in ["", "a", "a/", "/b", "a/b/c"] {
        text.parse::<crd_webhook::certs::Namespaced>().unwrap_err();
    }
}

#[tokio::test(start_paused = true)]
async fn the_shortest_lifetimes_refuse_no_client() {
    let minute = Duration::from_secs(60);
    let server = Server::new();
    let settings = Settings { ca_lifetime: minute * 45, leaf_lifetime: minute * 45, ..settings() };
    let mut is_shortened = false;
    for _ in 0..300 {
        server.run(&settings, Until::Once).await.0.unwrap();
        server.assert_serves(server.now() + minute);
        let [leaf, authorities] = ["tls.crt", "ca.crt"].map(|key| certificates(&server.stored().key(key)));
        let [leaf, authority] = [&leaf, &authorities].map(|chain| not_after(&chain[0]));
        is_shortened |= leaf == authority;
        assert!(leaf <= authority || authorities.len() > 1);
        advance(minute).await;
    }
    assert!(is_shortened, "no certificate would outlive its CA");
    let writes = server.stored().writes.len();
    assert!((40..120).contains(&writes), "{writes}");
}
