//! Numbers of a server, however large: they are bounded before anything is computed with them.

use std::time::Duration;

use crd_cluster::Limits;
use serde_json::value::RawValue;
use tokio::time::Instant;

use crate::script::{Answer, Script, crd, ok, page, widgets};

/// Texts where a server has a number. Not all of them are JSON.
const EXTREMES: [&str; 15] = [
    "0",
    "1",
    "-1",
    "",
    "+7",
    "NaN",
    "1.5",
    "1e308",
    "1e999",
    "65536",
    "4294967295",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "1000000000000000000000000000000",
];

fn http(code: u16, retry_after: Option<&'static str>, body: &str) -> Answer {
    Answer::Http(code, retry_after, body.as_bytes().to_vec())
}

#[tokio::test(start_paused = true)]
async fn pauses_that_a_server_names_are_within_the_limit() {
    for number in EXTREMES {
        for code in [429, 503] {
            let body = format!("{{\"details\": {{\"retryAfterSeconds\": {number}}}}}");
            let busy = http(code, Some(number), &body);
            let answers = [busy.clone(), busy, ok(&widgets(&["a"], ""))];
            let (script, begun) = (Script::new().on(&page("limit=500"), answers), Instant::now());
            let listed = script.widgets(Limits::default()).await;
            assert!(begun.elapsed() <= Limits::default().waiting, "{code} {number}: {:?}", begun.elapsed());
            // A pause that is too long is an error at once; without a number there is none.
            let is_too_long =
                code == 429 && number.parse::<u128>().is_ok_and(|seconds| seconds > 30 && seconds < 1 << 64);
            assert_eq!(listed.listing.is_complete, !is_too_long, "{code} {number}");
            assert!(!is_too_long || begun.elapsed() == Duration::ZERO, "{code} {number}");
        }
    }
}

#[tokio::test]
async fn counts_and_generations_of_any_size_are_read_or_absent() {
    for number in EXTREMES.iter().filter(|number| serde_json::from_str::<&RawValue>(number).is_ok()) {
        let item = format!(
            "{{\"metadata\": {{\"name\": \"a\", \"namespace\": \"shop\", \"generation\": {number}, \"resourceVersion\": \"{number}\"}}}}"
        );
        let first =
            format!("{{\"metadata\": {{\"continue\": \"t\", \"remainingItemCount\": {number}}}, \"items\": [{item}]}}");
        let script = Script::new()
            .on(&page("limit=500"), [http(200, None, &first)])
            .on(&page("limit=500&continue=t"), [ok(&widgets(&["b"], ""))])
            .on(&page("limit=1"), [http(200, None, &first)]);
        let listed = script.widgets(Limits::default()).await;
        // 1e999 is JSON, and no number of a value: that object is reported, and the other one is read.
        let names = if *number == "1e999" { vec!["shop/b"] } else { vec!["shop/a", "shop/b"] };
        assert_eq!(
            (listed.names(), listed.listing.seen),
            (names.into_iter().map(str::to_owned).collect(), 2),
            "{number}"
        );
        assert_eq!(listed.progress[0].remaining, number.parse().ok(), "{number}");
        let counted = script.cluster().await.count(&crd(), "v1").await;
        assert_eq!(counted, Ok(number.parse::<u64>().ok().map(|number| number.saturating_add(1))), "{number}");
    }
}

#[tokio::test]
async fn a_minor_of_any_size_is_read_or_absent() {
    for number in EXTREMES {
        let version = format!("{{\"gitVersion\": \"v1.{number}\", \"minor\": \"{number}\"}}");
        let script = Script::new().on("/version", [http(200, None, &version)]);
        let minor = script.cluster().await.server().minor;
        assert!(minor.is_none_or(|minor| minor < 1000), "{number}: {minor:?}");
    }
}
