//! The guardrails on real servers: they refuse objects that use experimental API, unless it is allowed, and no other objects.
//!
//! Invariants: expected refusals come from another walk over the schemas than the policies, or are written by hand. The complete list in a
//! message is compared.

mod findings;
pub(crate) mod largest;
mod objects;
mod page;
pub(crate) mod policies;
mod room;
mod stage;
mod stories;
mod toy;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crd_apiserver::apply_defaults;
use crd_channels::Channel;
use crd_model::schema::Step;
use futures_util::StreamExt;
use futures_util::future::join_all;
use futures_util::stream;
use serde_json::Value;

use crate::channels::{only, pairs};
use crate::documents::{VersionedKind, collections, our_examples, upstream_examples};
use crate::requests::{authored, send, wait_for};
use crate::server::{Crds, repeat_on_other_minors, start};

use findings::findings;
use objects::expected;
use policies::{PLAIN, ROUTES, Verdict};
use stage::stage;

/// Fails with all differences: (request, expected, found).
fn assert_all<'a>(all: impl IntoIterator<Item = (String, &'a Verdict, Verdict)>) {
    let differences: Vec<String> = all
        .into_iter()
        .filter(|(_, expected, found)| *expected != found)
        .map(|(what, expected, found)| format!("{what}: {found:?} instead of {expected:?}"))
        .collect();
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

#[test]
fn everything_experimental_is_refused_unless_it_is_allowed() {
    let Some(findings) = findings() else { return };
    let mut seen = BTreeSet::new();
    for object in &findings.objects {
        let what = format!("{}: {}", object.user.pair.name(), object.user.only.name());
        let names = object.user.expected();
        let own = objects::name(&object.user.pair, &object.user.only);
        assert!(names.contains(&own), "{what}: the object uses {names:?}");
        assert_eq!(object.verdicts(), [Verdict::Refused(names), Verdict::Passes], "{what}");
        // The message contains the command that allows it.
        let remedy = match object.user.pair.versioned().is_cluster_wide() {
            true => format!(". To allow it, give the object the annotation {}=allowed", policies::ANNOTATION),
            false => format!(
                ". To allow it in this namespace: kubectl annotate namespace {PLAIN} {}=allowed",
                policies::ANNOTATION
            ),
        };
        assert!(object.plain.message().ends_with(&remedy), "{}", object.plain.message());
        seen.insert(what);
    }
    let of_spec = |used: &only::Only| used.path.first() == Some(&Step::Field("spec".to_owned()));
    let expected: usize = pairs()
        .iter()
        .flat_map(|pair| pair.everything())
        .filter(|only| {
            matches!(only.element, only::Element::Resource)
                || matches!(only.element, only::Element::Field | only::Element::Value(_)) && of_spec(only)
        })
        .count();
    assert_eq!(seen.len(), expected, "everything has a row");
    println!("{expected} experimental fields, values and resources, each refused and allowed");
}

#[test]
fn the_printed_commands_work() {
    let Some(stage) = stage() else { return };
    let probe = stage.server.kubectl_reading(&["create", "--dry-run=server", "-f", "-"], page::PROBE);
    assert!(!probe.success && probe.stderr.contains(page::POLICY), "{}", probe.stderr);
    let namespace = "guardrails-opened";
    let client = &stage.client;
    stage.server.block_on(policies::annotated_namespace(client, namespace, &Value::Null));
    let path = format!("/apis/{}?dryRun=All", ROUTES.replace(PLAIN, namespace));
    let try_it = || stage.server.block_on(send(client, "POST", &path, Some(&policies::route(namespace, "a"))));
    let refused = try_it();
    let (_, command) = refused.message().split_once("in this namespace: kubectl ").expect("a command");
    stage.server.kubectl(&command.split(' ').collect::<Vec<_>>()).expect("the command works");
    let start = Instant::now();
    while !try_it().is_success() {
        assert!(start.elapsed() < crate::requests::TIME_LIMIT, "the namespace is not open");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
}

#[test]
fn used_fields_may_remain_and_none_may_be_added() {
    let Some(findings) = findings() else { return };
    let found = |row: &stories::Row| Verdict::of(&row.answer);
    assert_all(findings.rows.iter().map(|row| (row.what.clone(), &row.expected, found(row))));
    let passed = findings.rows.iter().filter(|row| row.expected == Verdict::Passes).count();
    println!("{} requests, {passed} of them accepted", findings.rows.len());
}

#[test]
fn maps_defaults_nulls_odd_names_and_differing_versions_are_distinguished() {
    let Some(stage) = stage() else { return };
    let cases = stage.server.block_on(toy::cases(&stage.client));
    println!("{} requests of a toy API", cases.len());
    assert_all(cases.iter().map(|case| (case.what.clone(), &case.expected, case.found.clone())));
}

/// An example is accepted unchanged, or refused for exactly its experimental fields and values.
#[test]
fn examples_are_refused_only_for_their_experimental_fields() {
    let Some(stage) = stage() else { return };
    let pairs = pairs();
    let mut examples: Vec<_> = Channel::ALL
        .into_iter()
        .flat_map(|channel| our_examples(channel).into_iter().map(move |example| (channel, example)))
        .collect();
    for channel in Channel::ALL {
        examples.extend(upstream_examples(channel).into_iter().map(|example| (channel, example)));
    }
    let sent = examples.iter().enumerate().filter_map(|(index, (channel, example))| {
        let versioned = VersionedKind::of(Channel::Experimental, &example.object)?;
        let object = versioned.placed(&example.object, PLAIN, &format!("example-{index}"));
        let pair = pairs.iter().find(|pair| pair.name() == versioned.name()).expect("it is served");
        let names = expected(pair, &object);
        assert!(*channel == Channel::Experimental || names.is_empty(), "{}: {names:?} in standard", example.file);
        Some(async move {
            let path = format!("{}?dryRun=All", versioned.collection(PLAIN));
            let answer = send(&stage.client, "POST", &path, Some(&object)).await;
            if answer.is_success() {
                let mut whole = object.clone();
                whole["status"] = Value::Null;
                apply_defaults(&versioned.version.schema, &mut whole);
                assert_eq!(authored(&answer.body)["spec"], whole["spec"], "{}: it is changed", example.file);
            }
            let verdict = if names.is_empty() { Verdict::Passes } else { Verdict::Refused(names) };
            (format!("{} {}", example.file, versioned.name()), verdict, Verdict::of(&answer), *channel)
        })
    });
    let rows: Vec<_> = stage.server.block_on(stream::iter(sent).buffered(8).collect());
    assert_all(rows.iter().map(|(what, expected, found, _)| (what.clone(), expected, found.clone())));
    let mut counts: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (_, _, found, channel) in &rows {
        *counts.entry((channel.name(), *found == Verdict::Passes)).or_default() += 1;
    }
    assert!(counts.contains_key(&("experimental", false)), "some are refused");
    println!("(channel, accepted) of examples: {counts:?}");
}

#[test]
fn the_largest_route_has_every_list_at_its_maximum() {
    let limits = largest::limits();
    let route = largest::route(PLAIN, "largest", false);
    let mut expected: BTreeMap<String, BTreeSet<usize>> =
        limits.iter().map(|(list, limit)| (list.clone(), BTreeSet::from([*limit]))).collect();
    // A rule of the API limits the matches of all rules together.
    let rules = limits["spec.rules"];
    assert!(limits["spec.rules[*].matches"] * rules > largest::MATCHES);
    expected.insert("spec.rules[*].matches".to_owned(), BTreeSet::from([largest::MATCHES / rules]));
    let found = largest::lists(&route);
    let lengths: BTreeMap<String, BTreeSet<usize>> =
        found.iter().map(|(list, lengths)| (list.clone(), lengths.iter().copied().collect())).collect();
    assert_eq!(lengths, expected);
    let filters = found["spec.rules[*].backendRefs[*].filters"].iter().sum::<usize>();
    println!("{} lists with {filters} filters of backends, {} bytes", found.len(), route.to_string().len());
}

#[test]
fn the_largest_route_is_checked_within_the_limits_of_cel() {
    let Some(stage) = stage() else { return };
    let found = stage.server.block_on(room::verdicts(&stage.client));
    let (passes, refused) = (Verdict::Passes, Verdict::Refused(largest::names()));
    let expected = [
        ("new, allowed", passes.clone()),
        ("costlier, another hostname", passes.clone()),
        ("costlier, new, standard", passes),
        ("costlier, new", refused),
    ];
    assert_eq!(found, expected, "{} times as costly", room::TIMES);
}

/// A server drops unknown fields before it evaluates policies. Other guardrails on the same server show that policies are active there.
#[test]
fn nothing_is_refused_on_standard() {
    let (Some(stage), Some(server)) = (stage(), start(Crds::Standard)) else { return };
    let client = server.client();
    let standard =
        pairs().into_iter().filter(only::Pair::is_in_standard).map(|pair| pair.name()).collect::<BTreeSet<_>>();
    let users = stage.users.iter().filter(|user| standard.contains(&user.pair.name()));
    let answers = server.block_on(async {
        stage::create_namespaces(&client).await;
        toy::install(&client).await;
        wait_for(&client, &collections(Channel::Standard)).await;
        policies::install(&client, &policies::policies()).await;
        // Created last: when this policy is active, the other one is too.
        policies::install(&client, &toy::policies()).await;
        toy::wait_until_refused(&client).await;
        let sent = users.map(async |user| {
            let path = format!("{}?dryRun=All&fieldValidation=Ignore", user.pair.versioned().collection(PLAIN));
            let object = user.pair.versioned().placed(&user.object, PLAIN, "new");
            (user, send(&client, "POST", &path, Some(&object)).await)
        });
        join_all(sent).await
    });
    let mut values = 0;
    for (user, answer) in &answers {
        let what = format!("{}: {}", user.pair.name(), user.only.name());
        let used = user.pair.used_by(&user.object);
        if used.iter().any(|used| matches!(used.only.element, only::Element::Value(_))) {
            // The schema does not have this value.
            assert!(
                answer.code == 422 && answer.message().contains("Unsupported value"),
                "{what}: {}",
                answer.message()
            );
            values += 1;
        } else {
            let stored = answer.clone().expect(&what);
            assert_eq!(expected(&user.pair, &stored), Vec::<String>::new(), "{what}: it remains");
        }
    }
    println!("{} objects, {values} of them refused by the schema, and none by guardrails", answers.len());
}

#[test]
fn the_oldest_and_the_newest_minor_give_the_same_answers() {
    // The page contains every answer.
    let tests = [
        "page::the_page_is_up_to_date",
        "everything_experimental_is_refused_unless_it_is_allowed",
        "maps_defaults_nulls_odd_names_and_differing_versions_are_distinguished",
        "the_largest_route_is_checked_within_the_limits_of_cel",
    ];
    repeat_on_other_minors(module_path!(), &tests);
}
