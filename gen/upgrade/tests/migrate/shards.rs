//! Several runs, each with a part of the objects.

use std::str::FromStr;

use crd_diagnostics::Diagnostic;
use crd_upgrade::migrate::{Migrated, Settings, Shard};
use futures_util::future::join_all;
use serde_json::{Value, json};

use super::model::{CRDS, End, Model, Store};
use super::things::{THINGS, assert_migrated, migrate, store_as, stored_versions, things, values};

const ANNOTATION: &str = "crd-channels/migrated-shards";

async fn part(model: &Model, index: u32) -> Result<Migrated, Vec<Diagnostic>> {
    migrate(model, Settings { shard: Some(Shard { index, of: 4 }), ..Settings::default() }).await
}

/// The CRD stores in the old version for a moment, and each thing is written then.
fn write_in_the_old_version(store: &mut Store) {
    store_as(store, "v1beta1");
    for key in store.of(THINGS).into_keys() {
        store.change(THINGS, &key, |thing| thing["spec"]["size"] = json!(7));
    }
    store_as(store, "v1");
}

fn annotation(model: &Model) -> Value {
    let crd = model.store().crd(THINGS);
    crd["metadata"]["annotations"][ANNOTATION].as_str().map_or(Value::Null, |text| serde_json::from_str(text).unwrap())
}

#[tokio::test(start_paused = true)]
async fn four_parts_at_the_same_time_write_each_object_once_and_one_removes_the_entries() {
    let (model, expected) = (Model::new(things(60)), values(&things(60)));
    let runs = join_all((1..=4).map(|index| part(&model, index))).await;
    let runs = runs.into_iter().map(Result::unwrap).collect::<Vec<_>>();
    assert!(runs.iter().all(Migrated::is_done), "{runs:?}");
    assert!(runs.iter().all(|run| run.counts.seen == 60 && run.counts.written + run.counts.of_other_shards == 60));
    assert!(runs.iter().all(|run| run.counts.written > 5), "{runs:?}");
    let mut written = model.done("PATCH", THINGS);
    written.sort();
    assert_eq!(written, expected.keys().cloned().collect::<Vec<_>>());
    assert_migrated(&model.store(), &expected);
    assert_eq!((runs.iter().filter(|run| run.is_pruned).count(), annotation(&model)), (1, Value::Null));
}

#[tokio::test(start_paused = true)]
async fn the_last_part_removes_the_entries() {
    let model = Model::new(things(20));
    for (index, done) in [(2, json!([2])), (4, json!([2, 4])), (2, json!([2, 4])), (1, json!([1, 2, 4]))] {
        let migrated = part(&model, index).await.unwrap();
        assert!(migrated.is_done() && migrated.waits_for_shards && !migrated.is_pruned, "{migrated:?}");
        assert_eq!(annotation(&model)["done"], done);
        assert_eq!(stored_versions(&model.store()), json!(["v1beta1", "v1"]));
    }
    let migrated = part(&model, 3).await.unwrap();
    assert!(migrated.is_done() && migrated.is_pruned && !migrated.waits_for_shards);
    assert_eq!(annotation(&model), Value::Null);
    assert_migrated(&model.store(), &values(&things(20)));
}

/// Another part removes the entries while a part is run again.
#[tokio::test(start_paused = true)]
async fn a_part_that_is_run_again_leaves_no_annotation() {
    let (model, expected) = (Model::new(things(20)), values(&things(20)));
    for index in [1, 2, 4] {
        part(&model, index).await.unwrap();
    }
    let (again, last) = tokio::join!(
        migrate(&model, Settings { shard: Some(Shard { index: 2, of: 4 }), rate: 1, ..Settings::default() }),
        part(&model, 3)
    );
    assert!(again.unwrap().is_pruned && last.unwrap().is_pruned);
    assert_migrated(&model.store(), &expected);
    assert_eq!(annotation(&model), Value::Null);
}

#[tokio::test(start_paused = true)]
async fn parts_of_another_number_do_not_count() {
    let model = Model::new(things(20));
    for index in 1..=3 {
        part(&model, index).await.unwrap();
    }
    let half = Settings { shard: Some(Shard { index: 2, of: 2 }), ..Settings::default() };
    assert!(migrate(&model, half).await.unwrap().waits_for_shards);
    assert!(part(&model, 4).await.unwrap().waits_for_shards);
    assert_eq!(stored_versions(&model.store()), json!(["v1beta1", "v1"]));
}

#[tokio::test(start_paused = true)]
async fn parts_before_a_change_of_the_crd_do_not_count() {
    let model = Model::new(things(20));
    part(&model, 1).await.unwrap();
    part(&model, 2).await.unwrap();
    write_in_the_old_version(&mut model.state().store);
    for index in [3, 4, 1] {
        assert!(part(&model, index).await.unwrap().waits_for_shards, "{index}");
        assert_eq!(stored_versions(&model.store()), json!(["v1beta1", "v1"]));
    }
    assert!(part(&model, 2).await.unwrap().is_pruned);
    assert_migrated(&model.store(), &values(&model.store()));
}

/// The model checks after each request that `storedVersions` has the version of each object.
#[tokio::test(start_paused = true)]
async fn a_last_part_that_is_killed_or_disturbed_at_any_request_removes_no_entry_too_early() {
    let mut prepared = things(20);
    for index in [1, 2, 4] {
        let model = Model::new(prepared);
        part(&model, index).await.unwrap();
        prepared = model.store();
    }
    let model = Model::new(prepared.clone());
    part(&model, 3).await.unwrap();
    let (requests, expected) = (model.requests(), values(&things(20)));
    for number in 1..=requests {
        for end in [End::Before(number), End::After(number), End::Lost(number)] {
            let model = Model::new(prepared.clone());
            model.end(end);
            let migrated = model.until_killed(part(&model, 3)).await;
            assert_eq!(migrated.is_some(), matches!(end, End::Lost(_)));
            let again = Model::new(model.store());
            assert!(part(&again, 3).await.unwrap().is_pruned, "{end:?}");
            assert_migrated(&again.store(), &expected);
            assert_eq!(annotation(&again), Value::Null, "{end:?}");
        }
        let model = Model::new(prepared.clone());
        model.hook(move |now, _, store| {
            if now == number {
                write_in_the_old_version(store);
            }
        });
        let result = part(&model, 3).await;
        if result.as_ref().is_ok_and(Migrated::is_done) {
            // The change came before the plan, or after the patch.
            assert!(number == 1 || stored_versions(&model.store()) == json!(["v1", "v1beta1"]), "{number}: {result:?}");
        }
        // The other parts write again, and this part too: the change may have come after its writes.
        let again = Model::new(model.store());
        for index in [1, 2, 4, 3] {
            part(&again, index).await.unwrap();
        }
        assert_migrated(&again.store(), &values(&again.store()));
    }
}

/// Each part reads the CRD again if another part was faster.
#[tokio::test(start_paused = true)]
async fn a_crd_that_changes_all_the_time_is_not_a_complete_part() {
    let model = Model::new(things(4));
    let mut writes = 0;
    model.hook(move |_, asked, store| {
        if asked.resource == CRDS {
            writes += 1;
            store.change(CRDS, THINGS, |crd| crd["metadata"]["labels"] = json!({"writes": writes.to_string()}));
        }
    });
    let diagnostics = part(&model, 1).await.unwrap_err();
    assert_eq!(diagnostics[0].code, "migrate::crd-changed");
    assert!(diagnostics[0].message.contains("could not be noted"), "{diagnostics:?}");
    assert_eq!(annotation(&model), Value::Null);
}

#[tokio::test(start_paused = true)]
async fn a_part_in_a_dry_run_changes_nothing() {
    let model = Model::new(things(20));
    let settings = Settings { shard: Some(Shard { index: 1, of: 4 }), is_dry_run: true, ..Settings::default() };
    migrate(&model, settings).await.unwrap();
    assert_eq!(model.store(), things(20));
}

#[test]
fn every_object_belongs_to_one_part() {
    for of in [1, 2, 3, 4, 7, 256] {
        let mut sizes = vec![0_usize; of as usize];
        for number in 0..4096_u32 {
            let uid = format!("{:08x}-35be-4b6d-9f1e-{:012x}", number.wrapping_mul(2_654_435_761), number);
            let parts = (1..=of).filter(|index| Shard { index: *index, of }.contains(&uid)).collect::<Vec<_>>();
            let [part] = *parts else { panic!("{uid}: {parts:?}") };
            sizes[part as usize - 1] += 1;
        }
        let (mean, most) = (4096 / of as usize, *sizes.iter().max().unwrap());
        assert!(most <= mean * 2 + 16 && sizes.iter().all(|size| *size > 0), "{of}: {sizes:?}");
    }
}

#[test]
fn parts_are_read_from_text() {
    for (text, expected) in [("1/4", (1, 4)), ("4/4", (4, 4)), ("256/256", (256, 256)), ("1/1", (1, 1))] {
        let shard = Shard::from_str(text).unwrap();
        assert_eq!(((shard.index, shard.of), shard.to_string()), (expected, text.to_owned()));
    }
    for text in
        ["", "1", "0/4", "5/4", "1/257", "+1/4", "1/-4", "1/4/4", " 1/4", "/", "1/", "/4", "99999999999/99999999999"]
    {
        assert!(Shard::from_str(text).is_err_and(|error| error.contains("up to 256")), "{text}");
    }
}
