//! Versions of a CRD that are served, and those that are not.

use crd_upgrade::migrate::{Served, set_served};
use serde_json::{Value, json};

use super::model::{CRDS, End, Model};
use super::things::{THINGS, installed, store_as, things};

/// Changes a version. The code of the diagnostic, if it fails.
async fn set(model: &Model, version: &str, is_served: bool, is_dry_run: bool) -> Result<Served, &'static str> {
    let cluster = model.cluster(7).await;
    let installed = installed(&cluster).await.unwrap();
    set_served(&cluster, &installed, version, is_served, is_dry_run).await.map_err(|diagnostic| diagnostic.code)
}

/// The CRD of things whose first version is served or not.
fn crd(is_served: bool) -> Value {
    let mut crd = things(3).crd(THINGS);
    crd["spec"]["versions"][0]["served"] = json!(is_served);
    crd
}

fn without_revision(mut crd: Value) -> Value {
    crd["metadata"]["resourceVersion"].take();
    crd["metadata"]["generation"].take();
    crd
}

#[tokio::test(start_paused = true)]
async fn only_served_of_the_version_changes() {
    let model = Model::new(things(3));
    assert_eq!(set(&model, "v1beta1", false, false).await, Ok(Served::Changed));
    assert_eq!(without_revision(model.store().crd(THINGS)), without_revision(crd(false)));
    let store = model.store();
    assert_eq!(set(&model, "v1beta1", false, false).await, Ok(Served::Unchanged));
    assert_eq!(model.store(), store);
    assert_eq!(set(&model, "v1beta1", true, false).await, Ok(Served::Changed));
    assert_eq!(without_revision(model.store().crd(THINGS)), without_revision(crd(true)));
}

#[tokio::test(start_paused = true)]
async fn an_unknown_version_and_the_last_one_are_refused() {
    let model = Model::new(things(3));
    assert_eq!(set(&model, "v1alpha9", false, false).await, Err("migrate::unknown-version"));
    assert_eq!(model.store(), things(3));
    set(&model, "v1beta1", false, false).await.unwrap();
    assert_eq!(set(&model, "v1", false, false).await, Err("migrate::last-version"));
    assert_eq!(model.store().crd(THINGS)["spec"]["versions"][1]["served"], true);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_stores_nothing() {
    let model = Model::new(things(3));
    assert_eq!(set(&model, "v1beta1", false, true).await, Ok(Served::Changed));
    assert_eq!(model.done("PATCH", CRDS).len(), 1);
    assert_eq!(model.store(), things(3));
}

#[tokio::test(start_paused = true)]
async fn a_crd_that_changed_after_it_was_read_stays_as_it_is() {
    let model = Model::new(things(3));
    model.hook(|_, asked, store| {
        if asked.method == "PATCH" {
            store.change(CRDS, THINGS, |crd| crd["spec"]["versions"].as_array_mut().unwrap().reverse());
        }
    });
    assert_eq!(set(&model, "v1beta1", false, false).await, Err("migrate::crd-changed"));
    let served = |version: &Value| version["served"] == true;
    assert!(model.store().crd(THINGS)["spec"]["versions"].as_array().unwrap().iter().all(served));
    let model = Model::new(things(3));
    model.hook(|_, asked, store| {
        if asked.method == "PATCH" {
            store.delete(CRDS, THINGS);
        }
    });
    assert_eq!(set(&model, "v1beta1", false, false).await, Err("migrate::crd-changed"));
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_does_not_change_the_result() {
    for number in 1..=2 {
        let model = Model::new(things(3));
        model.end(End::Lost(number));
        assert_eq!(set(&model, "v1beta1", false, false).await, Ok(Served::Changed));
        assert_eq!(without_revision(model.store().crd(THINGS)), without_revision(crd(false)));
    }
}

/// The last version would otherwise be taken out of service by two clients.
#[tokio::test(start_paused = true)]
async fn two_clients_do_not_take_all_versions_out_of_service() {
    let model = Model::new(things(3));
    let results = tokio::join!(set(&model, "v1beta1", false, false), set(&model, "v1", false, false));
    assert_eq!([results.0, results.1].iter().filter(|result| result.is_ok()).count(), 1, "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_killed_change_is_done_or_not() {
    for number in 1..=2 {
        for end in [End::Before(number), End::After(number)] {
            let mut store = things(3);
            store_as(&mut store, "v1beta1");
            let model = Model::new(store);
            model.end(end);
            assert!(model.until_killed(set(&model, "v1beta1", false, false)).await.is_none());
            let again = Model::new(model.store());
            set(&again, "v1beta1", false, false).await.unwrap();
            assert_eq!(again.store().crd(THINGS)["spec"]["versions"][0]["served"], false);
        }
    }
}
