//! Migrations of the stored version in a model, with kills, other clients and refusals at each request.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crd_upgrade::migrate::Settings;
use serde_json::json;
use tokio::time::Instant;

use super::model::{Asked, CRDS, DELETED_AT, End, Model, Store};
use super::things::{
    FIELDS, THINGS, assert_migrated, crd, migrate, store_as, stored_versions, thing, things, values, version,
};

const KEY: &str = "red/thing-05";

/// How long a run waits until servers use a changed CRD.
const SETTLING: Duration = Duration::from_secs(2);

/// The number of requests of a migration without disturbance.
async fn requests() -> usize {
    let model = Model::new(things(20));
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
    let requests = model.requests();
    // The CRD for the plan and for each of three pages, the pages, 20 writes, and the patch of the CRD.
    assert_eq!(requests, 28);
    requests
}

/// What another client does before a request.
type Act = fn(&Asked, &mut Store);

/// A model in which another client acts once, before request `at`.
fn disturbed(at: usize, act: Act) -> Model {
    let model = Model::new(things(20));
    model.hook(move |number, asked, store| {
        if number == at {
            act(asked, store);
        }
    });
    model
}

/// The thing of a write, or one that is always the same.
fn key(asked: &Asked) -> &str {
    if asked.method == "PATCH" && asked.resource == THINGS { &asked.key } else { KEY }
}

#[tokio::test(start_paused = true)]
async fn objects_are_stored_in_the_storage_version_and_the_old_one_leaves_the_list() {
    let (model, expected) = (Model::new(things(20)), values(&things(20)));
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    let counts = &migrated.counts;
    assert_eq!((counts.seen, counts.written, counts.unchanged, counts.overtaken), (20, 20, 0, 0));
    assert!(migrated.is_done() && migrated.is_pruned);
    assert_migrated(&model.store(), &expected);
    // There is nothing left to do.
    let store = model.store();
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
    assert_eq!(model.store(), store);
}

#[tokio::test(start_paused = true)]
async fn a_run_that_is_killed_at_any_request_is_completed_by_the_next_one() {
    let (requests, expected) = (requests().await, values(&things(20)));
    for number in 1..=requests {
        for end in [End::Before(number), End::After(number)] {
            let model = Model::new(things(20));
            model.end(end);
            assert_eq!(model.until_killed(migrate(&model, Settings::default())).await, None, "{end:?}");
            let again = Model::new(model.store());
            let stored = again.store().of(THINGS).into_values().filter(|stored| stored.version == "v1").count();
            let migrated = again.until_killed(migrate(&again, Settings::default())).await.unwrap().unwrap();
            assert!(migrated.is_done(), "{end:?}: {migrated:?}");
            assert_migrated(&again.store(), &expected);
            // The last request is the patch of the CRD, after which there is nothing to do.
            let is_pruned = matches!(end, End::After(end) if end == requests);
            let counts = (migrated.counts.written, migrated.counts.unchanged);
            assert_eq!(counts, if is_pruned { (0, 0) } else { (20 - stored as u64, stored as u64) }, "{end:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_lost_answer_does_not_change_the_result() {
    let expected = values(&things(20));
    for number in 1..=requests().await {
        let model = Model::new(things(20));
        model.end(End::Lost(number));
        let migrated = migrate(&model, Settings::default()).await.unwrap();
        assert!(migrated.is_done() && migrated.is_pruned, "{number}: {migrated:?}");
        assert_migrated(&model.store(), &expected);
    }
}

#[tokio::test(start_paused = true)]
async fn a_change_of_another_client_is_never_overwritten() {
    let act: Act = |asked, store| store.change(THINGS, key(asked), |thing| thing["spec"]["size"] = json!(99));
    let mut overtaken = 0;
    for number in 1..=requests().await {
        let model = disturbed(number, act);
        let migrated = migrate(&model, Settings::default()).await.unwrap();
        assert!(migrated.is_done(), "{number}: {migrated:?}");
        overtaken += migrated.counts.overtaken;
        let changed =
            values(&model.store()).into_iter().filter(|(_, (spec, _))| spec["size"] == 99).collect::<Vec<_>>();
        let [(key, _)] = &*changed else { panic!("{number}: {changed:?}") };
        let mut expected = values(&things(20));
        expected.get_mut(key).unwrap().0["size"] = json!(99);
        assert_migrated(&model.store(), &expected);
    }
    // The change of an object right before its write, and that of an object of the same page.
    assert!(overtaken >= 20, "{overtaken}");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_never_returns() {
    for number in 1..=requests().await {
        let model = disturbed(number, |asked, store| store.delete(THINGS, key(asked)));
        let migrated = migrate(&model, Settings::default()).await.unwrap();
        assert!(migrated.is_done(), "{number}: {migrated:?}");
        let left = values(&model.store());
        let mut expected = values(&things(20));
        expected.retain(|key, _| left.contains_key(key));
        assert_eq!(left.len(), 19, "{number}");
        assert_migrated(&model.store(), &expected);
    }
}

#[tokio::test(start_paused = true)]
async fn an_object_that_was_created_anew_under_its_name_stays_as_it_is() {
    let act: Act = |asked, store| {
        let key = key(asked).to_owned();
        let mut thing = store.of(THINGS)[&key].value.clone();
        store.delete(THINGS, &key);
        thing["metadata"] = json!({"namespace": thing["metadata"]["namespace"], "name": thing["metadata"]["name"]});
        thing["spec"]["size"] = json!(77);
        store.create(THINGS, thing);
    };
    for number in 1..=requests().await {
        let model = disturbed(number, act);
        let migrated = migrate(&model, Settings::default()).await.unwrap();
        assert!(migrated.is_done(), "{number}: {migrated:?}");
        assert_eq!(values(&model.store()).values().filter(|(spec, _)| spec["size"] == 77).count(), 1, "{number}");
        assert_migrated(&model.store(), &values(&model.store()));
    }
}

#[tokio::test(start_paused = true)]
async fn objects_that_are_created_during_a_run_do_not_disturb_it() {
    for number in 1..=requests().await {
        let model = disturbed(number, |_, store| store.create(THINGS, thing(40)));
        assert!(migrate(&model, Settings::default()).await.unwrap().is_done(), "{number}");
        assert_eq!(model.store().of(THINGS).len(), 21);
        assert_migrated(&model.store(), &values(&model.store()));
    }
}

#[tokio::test(start_paused = true)]
async fn an_expired_listing_is_completed() {
    let model = Model::new(things(20));
    let (shared, expected) = (model.clone(), values(&things(20)));
    let expiry = tokio::spawn(async move {
        // After the first page.
        while shared.done("PATCH", THINGS).is_empty() {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        shared.state().compact();
    });
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
    expiry.await.unwrap();
    assert!(model.state().log.iter().any(|asked| asked.code == 410));
    assert_migrated(&model.store(), &expected);
}

#[tokio::test(start_paused = true)]
async fn an_object_that_is_being_deleted_is_not_written_and_the_old_version_stays() {
    let mut store = things(20);
    store_as(&mut store, "v1beta1");
    store.change(THINGS, KEY, |thing| thing["metadata"]["finalizers"] = json!(["example.com/wait"]));
    store.delete(THINGS, KEY);
    store_as(&mut store, "v1");
    let before = store.of(THINGS)[KEY].clone();
    assert_eq!((&*before.version, &before.value["metadata"]["deletionTimestamp"]), ("v1beta1", &json!(DELETED_AT)));
    let model = Model::new(store);
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    assert_eq!((migrated.counts.written, migrated.counts.deleting), (19, 1));
    assert!(!migrated.is_pruned && !migrated.is_done());
    assert_eq!((&model.store().of(THINGS)[KEY], stored_versions(&model.store())), (&before, json!(["v1beta1", "v1"])));
    assert!(!model.state().log.iter().any(|asked| asked.key == KEY));
    // After its end, the next run completes the migration.
    model.state().store.change(THINGS, KEY, |thing| thing["metadata"]["finalizers"] = json!([]));
    let expected = values(&model.store());
    assert_eq!(expected.len(), 19);
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
    assert_migrated(&model.store(), &expected);
}

/// The listing shows it before its deletion begins: then the deletion has stored it.
#[tokio::test(start_paused = true)]
async fn an_object_whose_deletion_begins_during_a_run_keeps_its_deletion() {
    for number in 1..=requests().await {
        let model = disturbed(number, |asked, store| {
            store.change(THINGS, key(asked), |thing| thing["metadata"]["finalizers"] = json!(["example.com/wait"]));
            store.delete(THINGS, key(asked));
        });
        let migrated = migrate(&model, Settings::default()).await.unwrap();
        assert_eq!(migrated.is_pruned, migrated.counts.deleting == 0, "{number}: {migrated:?}");
        let deleted = |stored: &super::model::Stored| stored.value["metadata"]["deletionTimestamp"] == DELETED_AT;
        assert_eq!(model.store().of(THINGS).values().filter(|stored| deleted(stored)).count(), 1, "{number}");
    }
}

/// Ways to change the CRD. After each of them, objects are stored in an old version, or in a new one.
const CHANGES: [(&str, Act); 5] = [
    ("the old storage version", |_, store| {
        store_as(store, "v1beta1");
        store.change(THINGS, KEY, |thing| thing["spec"]["size"] = json!(50));
    }),
    ("the old storage version for a moment", |_, store| {
        store_as(store, "v1beta1");
        store.change(THINGS, KEY, |thing| thing["spec"]["size"] = json!(50));
        store_as(store, "v1");
    }),
    ("a new storage version", |_, store| {
        store.change(CRDS, THINGS, |crd| {
            crd["spec"]["versions"].as_array_mut().unwrap().push(version("v2", true, false, &FIELDS));
        });
        store_as(store, "v2");
        store.change(THINGS, KEY, |thing| thing["spec"]["size"] = json!(50));
    }),
    ("another CRD of the same generation", |_, store| {
        let generation = store.crd(THINGS)["metadata"]["generation"].clone();
        let mut again = crd(&[version("v1beta1", true, true, &FIELDS), version("v1", true, false, &FIELDS)]);
        store.delete(CRDS, THINGS);
        again["status"]["storedVersions"] = json!(["v1beta1", "v1"]);
        store.create(CRDS, again);
        store.create(THINGS, thing(5));
        store_as(store, "v1");
        assert_eq!(store.crd(THINGS)["metadata"]["generation"], generation);
    }),
    ("no CRD", |_, store| store.delete(CRDS, THINGS)),
];

/// The model checks after each request that `storedVersions` has the version of each object.
#[tokio::test(start_paused = true)]
async fn after_a_change_of_the_crd_no_entry_leaves_the_list() {
    let requests = requests().await;
    for (what, act) in CHANGES {
        for number in 1..=requests {
            let model = disturbed(number, act);
            let result = migrate(&model, Settings::default()).await;
            let store = model.store();
            if store.crd(THINGS).is_null() {
                assert!(!result.is_ok_and(|migrated| migrated.is_done()), "{what} at {number}");
                continue;
            }
            // The plan has the changed CRD, and completes.
            if number > 1 {
                let codes = match &result {
                    Ok(migrated) => migrated.diagnostics.iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
                    Err(diagnostics) => diagnostics.iter().map(|diagnostic| diagnostic.code).collect(),
                };
                assert_eq!(codes, ["migrate::crd-changed"], "{what} at {number}: {result:?}");
                assert!(stored_versions(&store).as_array().unwrap().contains(&json!("v1beta1")));
            }
            // The next run completes the migration to the storage version of now.
            let model = Model::new(store);
            let before = values(&model.store());
            assert!(migrate(&model, Settings::default()).await.unwrap().is_done(), "{what} at {number}");
            assert_eq!(
                (values(&model.store()), stored_versions(&model.store()).as_array().unwrap().len()),
                (before, 1)
            );
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_version_that_is_taken_out_of_service_ends_a_run() {
    let act: Act = |_, store| store.change(CRDS, THINGS, |crd| crd["spec"]["versions"][1]["served"] = json!(false));
    for number in 2..=requests().await {
        let model = disturbed(number, act);
        let codes = match migrate(&model, Settings::default()).await {
            Ok(migrated) => migrated.diagnostics.into_iter().map(|diagnostic| diagnostic.code).collect::<Vec<_>>(),
            Err(diagnostics) => diagnostics.into_iter().map(|diagnostic| diagnostic.code).collect(),
        };
        assert!(matches!(&*codes, ["migrate::crd-changed" | "cluster::not-served"]), "{number}: {codes:?}");
        assert_eq!(stored_versions(&model.store()), json!(["v1beta1", "v1"]));
        // The next run writes through the version that is still served.
        let model = Model::new(model.store());
        assert!(migrate(&model, Settings::default()).await.unwrap().is_done(), "{number}");
        assert_migrated(&model.store(), &values(&things(20)));
    }
}

/// A write after the change would drop the values.
#[tokio::test(start_paused = true)]
async fn no_page_is_written_after_a_change_of_the_crd_before_it() {
    let model = disturbed(2, |_, store| {
        store.change(CRDS, THINGS, |crd| crd["spec"]["versions"][1] = version("v1", true, true, &["invalid"]));
    });
    let diagnostics = migrate(&model, Settings::default()).await.unwrap_err();
    assert_eq!(diagnostics[0].code, "migrate::crd-changed");
    assert_eq!(model.done("PATCH", THINGS), [""; 0]);
    assert_eq!(values(&model.store()), values(&things(20)));
}

#[tokio::test(start_paused = true)]
async fn a_change_of_the_crd_outside_its_spec_does_not_end_a_run() {
    let act: Act = |_, store| store.change(CRDS, THINGS, |crd| crd["metadata"]["labels"] = json!({"owner": "x"}));
    for number in 1..=requests().await {
        let model = disturbed(number, act);
        assert!(migrate(&model, Settings::default()).await.unwrap().is_pruned, "{number}");
        assert_eq!(model.store().crd(THINGS)["metadata"]["labels"]["owner"], "x");
        assert_migrated(&model.store(), &values(&things(20)));
    }
}

/// A patch that fails for a moment leaves the list as it is, which is not a success.
#[tokio::test(start_paused = true)]
async fn entries_are_reported_as_removed_only_if_they_are() {
    let model = Model::new(things(3));
    let patches = Arc::new(Mutex::new(0));
    let seen = patches.clone();
    model.hook(move |_, asked, store| {
        if asked.method == "PATCH" && asked.resource == CRDS {
            *seen.lock().unwrap() += 1;
            // Another order of the list, and back again before the CRD is read.
            let list = if *seen.lock().unwrap() == 1 { ["v1", "v1beta1"] } else { ["v1beta1", "v1"] };
            store.change(CRDS, THINGS, |crd| crd["status"]["storedVersions"] = json!(list));
        } else if asked.method == "GET" && asked.resource == CRDS {
            store.change(CRDS, THINGS, |crd| crd["status"]["storedVersions"] = json!(["v1beta1", "v1"]));
        }
    });
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    assert_eq!((migrated.is_pruned, *patches.lock().unwrap()), (true, 2));
    assert_eq!(stored_versions(&model.store()), json!(["v1"]));
}

#[tokio::test(start_paused = true)]
async fn a_refused_object_keeps_the_old_version_in_the_list() {
    let mut store = things(20);
    store_as(&mut store, "v1beta1");
    store.change(THINGS, KEY, |thing| thing["spec"]["invalid"] = json!(true));
    store_as(&mut store, "v1");
    let model = Model::new(store);
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    assert_eq!((migrated.counts.written, migrated.is_pruned, migrated.is_done()), (19, false, false));
    let [refused] = &*migrated.counts.refused else { panic!("{migrated:?}") };
    assert!(refused.message.contains("\"thing-05\" is invalid: spec.invalid"), "{refused:?}");
    assert_eq!(stored_versions(&model.store()), json!(["v1beta1", "v1"]));
    // Another client repairs it.
    model.state().store.change(THINGS, KEY, |thing| thing["spec"]["invalid"] = json!(false));
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
}

#[tokio::test(start_paused = true)]
async fn many_refused_objects_end_a_run_early() {
    let mut store = things(0);
    store_as(&mut store, "v1beta1");
    for number in 0..300 {
        let mut thing = thing(number);
        thing["spec"]["invalid"] = json!(true);
        store.create(THINGS, thing);
    }
    store_as(&mut store, "v1");
    let model = Model::new(store);
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    assert!((100..110).contains(&migrated.counts.refused.len()) && !migrated.is_done(), "{:?}", migrated.counts.seen);
}

/// Objects with values of a field that only the old version has.
fn with_old_field(numbers: &[usize]) -> Store {
    let mut store = Store::default();
    let old = version("v1beta1", true, true, &["size", "old"]);
    store.create(CRDS, crd(&[old, version("v1", true, false, &FIELDS)]));
    for number in 0..20 {
        let mut thing = thing(number);
        if numbers.contains(&number) {
            thing["spec"]["old"] = json!(1);
        }
        store.create(THINGS, thing);
    }
    store_as(&mut store, "v1");
    store
}

#[tokio::test(start_paused = true)]
async fn a_value_that_the_storage_version_lacks_ends_the_run_before_the_first_write() {
    let model = Model::new(with_old_field(&[5, 16]));
    let before = model.store();
    let migrated = migrate(&model, Settings::default()).await.unwrap();
    let found = migrated.counts.refused.iter().map(|found| (found.code, found.location.object.clone().unwrap().name));
    let expected = ["thing-16", "thing-05"].map(|name| ("migrate::lost-values", name.to_owned()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    assert!(migrated.counts.refused[0].message.contains("`spec.old` of v1beta1"), "{migrated:?}");
    assert!(!migrated.is_done());
    assert_eq!(model.store(), before);
    // Without such values, the field does not matter.
    let model = Model::new(with_old_field(&[]));
    let expected = values(&model.store());
    assert!(migrate(&model, Settings::default()).await.unwrap().is_done());
    assert_migrated(&model.store(), &expected);
}

#[tokio::test(start_paused = true)]
async fn a_dry_run_asks_for_each_write_and_changes_nothing() {
    let model = Model::new(things(20));
    let migrated = migrate(&model, Settings { is_dry_run: true, ..Settings::default() }).await.unwrap();
    assert_eq!((migrated.counts.seen, migrated.counts.refused.len()), (20, 0));
    assert_eq!((model.done("PATCH", THINGS).len(), model.done("PATCH", CRDS).len()), (20, 1));
    assert_eq!(model.store(), things(20));
    let mut store = things(20);
    store_as(&mut store, "v1beta1");
    store.change(THINGS, KEY, |thing| thing["spec"]["invalid"] = json!(true));
    store_as(&mut store, "v1");
    let model = Model::new(store.clone());
    let migrated = migrate(&model, Settings { is_dry_run: true, ..Settings::default() }).await.unwrap();
    assert_eq!((migrated.counts.refused.len(), migrated.is_pruned), (1, false));
    assert_eq!(model.store(), store);
}

#[tokio::test(start_paused = true)]
async fn writes_keep_their_pace() {
    for (rate, at_once) in [(50, 8), (1, 8), (200, 1), (50, 1)] {
        let (model, start) = (Model::new(things(20)), Instant::now());
        migrate(&model, Settings { rate, at_once, ..Settings::default() }).await.unwrap();
        let state = model.state();
        let times = state.log.iter().filter(|asked| asked.method == "PATCH" && asked.resource == THINGS);
        let times = times.map(|asked| asked.at).collect::<Vec<_>>();
        let interval = Duration::from_secs(1) / rate;
        // A write can take longer than the next one on its way to the server.
        assert!(times.windows(3).all(|times| times[2] - times[0] >= interval), "{rate}: {times:?}");
        assert_eq!(times.len(), 20);
        let took = start.elapsed() - SETTLING;
        assert!(took >= interval * 19 && took < interval * 20 + Duration::from_secs(1));
    }
}

/// Each write takes 2 ms on its way.
#[tokio::test(start_paused = true)]
async fn requests_overlap_up_to_the_limit() {
    let took = async |at_once: usize| {
        let (model, start) = (Model::new(things(20)), Instant::now());
        migrate(&model, Settings { rate: u32::MAX, at_once, ..Settings::default() }).await.unwrap();
        start.elapsed() - SETTLING
    };
    let (serial, parallel) = (took(1).await, took(7).await);
    assert!(parallel * 2 < serial, "{parallel:?} and {serial:?}");
    assert!(serial >= Duration::from_millis(2 * 20));
}
