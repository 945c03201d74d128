//! The lease of a migration: who gets it, and who loses it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crd_diagnostics::Diagnostic;
use crd_upgrade::migrate::{Holder, Noted, with_lease};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::model::{Asked, End, LEASES, Model, Store};

const NAME: &str = "crd-channels-things.example.com";
const KEY: &str = "kube-system/crd-channels-things.example.com";

/// Runs work of this many seconds with the lease. The result, how long it took, and whom the run waited for.
async fn run(model: &Model, name: &str, seconds: u64) -> (Result<u64, Diagnostic>, u64, Vec<String>) {
    let (start, waited) = (Instant::now(), Mutex::new(Vec::new()));
    // Each renewal changes the lease.
    let now = || format!("2026-11-24T00:00:00.{:06}Z", start.elapsed().as_millis());
    let holder = Holder {
        name: name.to_owned(),
        has_ended: &|name| name == "host/ended",
        now: &now,
        on_wait: &|name| waited.lock().unwrap().push(name.to_owned()),
    };
    let cluster = model.cluster(7).await;
    let work = async {
        sleep(Duration::from_secs(seconds)).await;
        Ok(seconds)
    };
    let result = with_lease(&cluster, NAME, &holder, &Noted::default(), work).await;
    (result, start.elapsed().as_secs(), waited.into_inner().unwrap())
}

/// A cluster in which the lease is held.
fn held_by(holder: &str) -> Model {
    let mut store = Store::default();
    let metadata = json!({"namespace": "kube-system", "name": NAME});
    store.create(LEASES, json!({"kind": "Lease", "metadata": metadata, "spec": {"holderIdentity": holder}}));
    Model::new(store)
}

fn holder(model: &Model) -> Value {
    model.store().of(LEASES).get(KEY).map(|lease| lease.value["spec"]["holderIdentity"].clone()).unwrap_or_default()
}

/// Another client writes the lease every 4 s.
fn renewed(model: &Model, holder: &'static str) -> tokio::task::JoinHandle<()> {
    let model = model.clone();
    tokio::spawn(async move {
        for number in 0.. {
            model.state().store.change(LEASES, KEY, |lease| {
                lease["spec"] = json!({"holderIdentity": holder, "renewTime": number});
            });
            sleep(Duration::from_secs(4)).await;
        }
    })
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_taken_renewed_and_given_back() {
    let model = Model::default();
    let (seen, holders) = (Arc::new(Mutex::new(Vec::new())), Arc::new(Mutex::new(Vec::new())));
    let (times, names) = (seen.clone(), holders.clone());
    model.hook(move |_, asked: &Asked, store| {
        if asked.method == "PUT" {
            times.lock().unwrap().push(asked.at);
            names.lock().unwrap().push(store.of(LEASES)[KEY].value["spec"].clone());
        }
    });
    let (result, took, waited) = run(&model, "host/1", 60).await;
    assert_eq!((result.unwrap(), took, waited), (60, 60, Vec::<String>::new()));
    assert_eq!((holder(&model), model.done("DELETE", LEASES)), (Value::Null, vec![KEY.to_owned()]));
    let times = seen.lock().unwrap();
    assert!(times.len() >= 14 && times.windows(2).all(|pair| pair[1] - pair[0] < Duration::from_secs(5)), "{times:?}");
    let expected = (&json!("host/1"), &json!(15));
    let holders = holders.lock().unwrap();
    assert!(holders.iter().all(|held| (&held["holderIdentity"], &held["leaseDurationSeconds"]) == expected));
    assert!(holders[0]["renewTime"] != holders[1]["renewTime"]);
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_is_renewed_is_not_taken() {
    let model = held_by("host/live");
    let renewal = renewed(&model, "host/live");
    let (result, took, waited) = run(&model, "host/1", 60).await;
    let diagnostic = result.unwrap_err();
    assert_eq!((diagnostic.code, took, waited), ("migrate::held", 15, vec!["host/live".to_owned()]));
    assert!(diagnostic.message.contains("`host/live`"), "{diagnostic:?}");
    assert_eq!((holder(&model), model.done("PUT", LEASES).len()), (json!("host/live"), 0));
    renewal.abort();
}

#[tokio::test(start_paused = true)]
async fn the_lease_of_an_ended_run_is_taken_over() {
    // One that has certainly ended, this run before its restart, one that was given back by an update, and one that is not renewed.
    for (before, seconds) in [("host/ended", 1), ("host/1", 1), ("", 1), ("other/1", 16)] {
        let model = held_by(before);
        let (result, took, waited) = run(&model, "host/1", 1).await;
        assert_eq!((result.unwrap(), took), (1, seconds), "{before}");
        assert_eq!(waited.len(), usize::from(seconds > 1));
        assert_eq!((model.done("PUT", LEASES).len(), holder(&model)), (1, Value::Null));
    }
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_changes_its_holder_during_the_wait_is_not_taken() {
    let model = held_by("other/1");
    let shared = model.clone();
    let change = tokio::spawn(async move {
        sleep(Duration::from_secs(14)).await;
        shared.state().store.change(LEASES, KEY, |lease| lease["spec"]["holderIdentity"] = json!("other/2"));
    });
    let (result, ..) = run(&model, "host/1", 1).await;
    assert!(result.unwrap_err().message.contains("`other/2`"));
    assert_eq!(holder(&model), "other/2");
    change.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn of_two_runs_one_gets_the_lease() {
    for before in ["", "host/ended"] {
        let model = if before.is_empty() { Model::default() } else { held_by(before) };
        let ((first, ..), (second, ..)) = tokio::join!(run(&model, "host/1", 30), run(&model, "host/2", 30));
        let codes = [first, second].map(|result| result.err().map(|diagnostic| diagnostic.code));
        assert_eq!(codes.iter().filter(|code| **code == Some("migrate::held")).count(), 1, "{codes:?}");
        assert!(codes.contains(&None) && holder(&model).is_null());
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_ends_when_its_lease_was_taken_over_or_removed() {
    for taker in ["other/1", ""] {
        let model = Model::default();
        let shared = model.clone();
        let take = tokio::spawn(async move {
            sleep(Duration::from_secs(10)).await;
            match taker {
                "" => shared.state().store.delete(LEASES, KEY),
                taker => {
                    shared.state().store.change(LEASES, KEY, |lease| lease["spec"]["holderIdentity"] = json!(taker))
                }
            }
        });
        let (result, took, _) = run(&model, "host/1", 60).await;
        assert_eq!(result.unwrap_err().code, "migrate::lease-lost");
        assert!((10..=14).contains(&took), "{took}");
        assert_eq!(holder(&model), if taker.is_empty() { Value::Null } else { json!(taker) });
        take.await.unwrap();
    }
}

/// The renewal has reached the server, and its repetition fails at its guard.
#[tokio::test(start_paused = true)]
async fn a_lost_answer_is_not_a_lost_lease() {
    let model = Model::default();
    assert_eq!(run(&model, "host/1", 10).await.0.unwrap(), 10);
    let requests = model.requests();
    for number in 1..=requests {
        let model = Model::default();
        model.end(End::Lost(number));
        let (result, took, waited) = run(&model, "host/1", 10).await;
        assert_eq!((result.unwrap(), took, waited.len()), (10, 10, 0), "{number}");
        assert_eq!(holder(&model), Value::Null, "{number}");
    }
}

/// The end of the work comes while a renewal is on its way.
#[tokio::test(start_paused = true)]
async fn the_lease_is_given_back_after_a_renewal_without_answer() {
    let model = Model::default();
    let cluster = model.cluster(7).await;
    let holder_of_run = Holder {
        name: "host/1".to_owned(),
        has_ended: &|_| false,
        now: &|| "2026-11-24T00:00:00.000000Z".to_owned(),
        on_wait: &|_| {},
    };
    let shared = model.clone();
    let work = async move {
        sleep(Duration::from_secs(5)).await;
        // As after a renewal whose answer did not arrive.
        shared.state().store.change(LEASES, KEY, |lease| lease["spec"]["renewTime"] = json!("later"));
        Ok(())
    };
    with_lease(&cluster, NAME, &holder_of_run, &Noted::default(), work).await.unwrap();
    assert_eq!(holder(&model), Value::Null);
}

#[tokio::test(start_paused = true)]
async fn the_lease_is_given_back_after_an_error_of_the_work() {
    let model = Model::default();
    let cluster = model.cluster(7).await;
    let holder_of_run =
        Holder { name: "host/1".to_owned(), has_ended: &|_| false, now: &String::new, on_wait: &|_| {} };
    let work = async { Err::<(), _>(Diagnostic::error("migrate::crd-changed", "the work failed")) };
    let diagnostic = with_lease(&cluster, NAME, &holder_of_run, &Noted::default(), work).await.unwrap_err();
    assert_eq!((&*diagnostic.message, holder(&model)), ("the work failed", Value::Null));
    assert_eq!(model.done("POST", LEASES).len(), 1);
}

/// A killed run leaves its lease, and the next one takes it.
#[tokio::test(start_paused = true)]
async fn a_run_that_is_killed_at_any_request_does_not_stop_the_next_one() {
    let model = Model::default();
    run(&model, "host/ended", 10).await.0.unwrap();
    let requests = model.requests();
    for number in 1..=requests {
        for end in [End::Before(number), End::After(number)] {
            let model = Model::default();
            model.end(end);
            assert!(model.until_killed(run(&model, "host/ended", 10)).await.is_none(), "{end:?}");
            let again = Model::new(model.store());
            assert_eq!(run(&again, "host/2", 1).await.1, 1, "{end:?}");
            assert_eq!(holder(&again), Value::Null);
        }
    }
}
