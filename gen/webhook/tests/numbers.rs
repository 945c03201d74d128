//! Numbers of clients and of the command line, however large: each is within its bounds, or refused.

use tokio::io::AsyncWriteExt;

use crate::cluster::{Cluster, Content};
use crate::running::{Answer, Running, patient};

const EXTREMES: [&str; 14] = [
    "0",
    "1",
    "-1",
    "",
    "+7",
    "NaN",
    "1.5",
    "1e308",
    "3600",
    "4294967296",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1000000000000000000000000000000",
];

#[test]
fn durations_of_the_command_line_are_within_their_bounds() {
    let century = 36_500 * 24 * 60 * 60;
    for (command, option, bounds) in [
        ("serve", "drain", 0..=600),
        ("certs", "overlap", 0..=century / 9),
        ("certs", "lifetime", 600..=century),
        ("certs", "ca-lifetime", 600..=century),
    ] {
        for number in EXTREMES {
            let matches = crd_webhook::command_line("webhook").try_get_matches_from([
                "webhook",
                command,
                &format!("--{option}={number}"),
            ]);
            let found = matches.ok().and_then(|matches| {
                matches.subcommand_matches(command).and_then(|matches| matches.get_one::<u64>(option).copied())
            });
            let expected = number.parse::<u64>().ok().filter(|number| bounds.contains(number));
            assert_eq!(found, expected, "{option} {number}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_length_of_any_size_is_an_error() {
    let running = Running::ready(&Cluster::new(Content::default()), patient()).await;
    for length in EXTREMES.iter().filter(|length| !["1", "+7", "3600"].contains(length)) {
        let mut stream = running.connect().await;
        let head = format!(
            "POST /validate HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
        );
        stream.write_all(head.as_bytes()).await.unwrap();
        let answer = Answer::read(&mut stream).await.map(|answer| answer.status);
        assert!(matches!(answer, None | Some(400 | 413 | 431)), "{length}: {answer:?}");
        assert_eq!(running.probe("/livez").await.0, 200);
    }
}
