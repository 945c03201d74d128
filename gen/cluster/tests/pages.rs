//! Pages, tokens and their expiry, and how large pages are.

use crd_cluster::{Limits, Progress};
use serde_json::{Value, json};

use crate::script::{Answer, Script, ok, page, status, widgets};

/// 410, with or without a token to go on.
fn expired(token: &str) -> Answer {
    let body = json!({"kind": "Status", "reason": "Expired", "code": 410, "message": "too old", "metadata": {"continue": token}});
    Answer::Http(410, None, body.to_string().into_bytes())
}

/// A page of widgets with a payload of this size.
fn heavy(names: &[&str], token: &str, bytes: usize) -> Answer {
    let mut page = widgets(names, token);
    for item in page["items"].as_array_mut().unwrap() {
        item["spec"] = json!({"payload": "x".repeat(bytes)});
    }
    ok(&page)
}

#[tokio::test]
async fn pages_follow_their_tokens() {
    let mut first = widgets(&["a", "b"], "n+/=x");
    first["metadata"]["remainingItemCount"] = json!(1);
    let script = Script::new()
        .on(&page("limit=500"), [ok(&first)])
        .on(&page("limit=500&continue=n%2B%2F%3Dx"), [ok(&widgets(&["c"], ""))]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/a", "shop/b", "shop/c"]);
    assert_eq!(listed.progress, [Progress { seen: 2, remaining: Some(1) }, Progress { seen: 3, remaining: None }]);
    assert_eq!((listed.listing.seen, listed.listing.is_complete, listed.listing.is_of_several_times), (3, true, false));
    assert_eq!(script.requests(), ["widgets?limit=500", "widgets?limit=500&continue=n%2B%2F%3Dx"]);
}

#[tokio::test]
async fn a_list_without_objects_is_complete() {
    for items in [json!([]), Value::Null] {
        let script = Script::new().on(&page("limit=500"), [ok(&json!({"items": items, "metadata": {}}))]);
        let listed = script.widgets(Limits::default()).await;
        assert_eq!((listed.listing.seen, listed.listing.is_complete), (0, true), "{:?}", listed.listing);
    }
}

#[tokio::test]
async fn an_expired_listing_goes_on_with_the_token_of_the_server() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["a", "b"], "old"))])
        .on(&page("limit=500&continue=old"), [expired("new")])
        .on(&page("limit=500&continue=new"), [ok(&widgets(&["c"], ""))]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/a", "shop/b", "shop/c"]);
    assert!(listed.listing.is_complete && listed.listing.is_of_several_times);
}

#[tokio::test]
async fn a_server_that_only_replaces_tokens_does_not_hold_the_listing() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["a"], "old"))])
        .on(&page("limit=500&continue=old"), [expired("old")]);
    let listed = script.widgets(Limits::default()).await;
    assert!(listed.diagnostic().starts_with("error[cluster::expired]"), "{}", listed.diagnostic());
    assert!(script.requests().len() < 12, "{:?}", script.requests());
}

#[tokio::test]
async fn an_expired_listing_without_a_token_begins_again_once_and_gives_no_object_twice() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["a", "b"], "old")), ok(&widgets(&["a", "aa", "b", "c"], "next"))])
        .on(&page("limit=500&continue=old"), [expired("")])
        .on(&page("limit=500&continue=next"), [ok(&widgets(&["d"], ""))]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/a", "shop/b", "shop/c", "shop/d"]);
    assert!(listed.listing.is_complete && listed.listing.is_of_several_times && listed.listing.seen == 4);
}

#[tokio::test]
async fn a_listing_that_expires_again_ends() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["a", "b"], "old"))])
        .on(&page("limit=500&continue=old"), [expired("")]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/a", "shop/b"]);
    assert!(!listed.listing.is_complete);
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::expired]: the listing of `widgets.example.com` expired before its end\n   = in: widgets.example.com v1\n   \
         = help: try again when fewer objects change\n"
    );
    assert_eq!(script.requests().len(), 4);
}

/// Which objects were given is not known if a server does not order them.
#[tokio::test]
async fn a_listing_without_order_does_not_begin_again() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["b", "a"], "old"))])
        .on(&page("limit=500&continue=old"), [expired("")]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/b", "shop/a"]);
    assert!(listed.diagnostic().starts_with("error[cluster::expired]"));
    assert_eq!(script.requests().len(), 2);
}

#[tokio::test]
async fn a_server_that_repeats_a_page_does_not_hold_the_listing() {
    let again = ok(&widgets(&["b"], "t"));
    let script =
        Script::new().on(&page("limit=500"), [ok(&widgets(&["a"], "t"))]).on(&page("limit=500&continue=t"), [again]);
    let listed = script.widgets(Limits::default()).await;
    assert!(listed.diagnostic().contains("the same page again"), "{}", listed.diagnostic());
}

#[tokio::test]
async fn a_page_that_is_too_large_is_requested_with_fewer_objects() {
    let script = Script::new()
        .on(&page("limit=500"), [heavy(&["a", "b", "c"], "", 1000)])
        .on(&page("limit=125"), [heavy(&["a", "b", "c"], "", 1000)])
        .on(&page("limit=31"), [heavy(&["a"], "t", 1000)])
        // One object has about 1,050 bytes: one fits into 2,000.
        .on(&page("limit=1&continue=t"), [heavy(&["b"], "u", 10)])
        // Pages grow to twice their size at most.
        .on(&page("limit=2&continue=u"), [heavy(&["c", "d"], "v", 10)])
        .on(&page("limit=4&continue=v"), [heavy(&["e"], "", 10)]);
    let listed = script.widgets(Limits { page_bytes: 2000, answer_bytes: 3000, ..Limits::default() }).await;
    assert_eq!(listed.names(), ["shop/a", "shop/b", "shop/c", "shop/d", "shop/e"], "{:?}", script.requests());
    assert!(listed.listing.is_complete && !listed.listing.is_of_several_times);
    let limits =
        script.requests().iter().map(|request| request[14..].split('&').next().unwrap().to_owned()).collect::<Vec<_>>();
    assert_eq!(limits, ["500", "125", "31", "1", "2", "4"]);
}

#[tokio::test]
async fn an_object_that_is_too_large_ends_its_listing() {
    let script = Script::new()
        .on(&page("limit=4"), [heavy(&["a", "b"], "", 10_000)])
        .on(&page("limit=1"), [heavy(&["a"], "t", 10)])
        .on(&page("limit=2&continue=t"), [heavy(&["b"], "", 10_000)])
        .on(&page("limit=1&continue=t"), [heavy(&["b"], "", 10_000)]);
    let limits = Limits { page_objects: 4, page_bytes: 2000, answer_bytes: 3000, ..Limits::default() };
    let listed = script.widgets(limits).await;
    assert_eq!(listed.names(), ["shop/a"]);
    assert_eq!(
        listed.diagnostic(),
        "error[cluster::too-large]: an answer to list `widgets.example.com` has more than 3000 bytes; the rest is not read\n   \
         = in: widgets.example.com v1\n   = help: find the large objects: `kubectl get --raw /apis/example.com/v1/widgets?limit=1`\n"
    );
}

#[tokio::test]
async fn a_failing_listing_gives_what_came_before() {
    let script = Script::new()
        .on(&page("limit=500"), [ok(&widgets(&["a"], "t"))])
        .on(&page("limit=500&continue=t"), [status(400, "continue key is not valid")]);
    let listed = script.widgets(Limits::default()).await;
    assert_eq!(listed.names(), ["shop/a"]);
    assert!(listed.diagnostic().starts_with(
        "error[cluster::refused]: the server refuses to list `widgets.example.com` (400): continue key is not valid"
    ));
}
