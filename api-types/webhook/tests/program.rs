//! The program as its users start it, without a cluster.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_gateway-api-webhook"));
    command.env("KUBECONFIG", "/missing").env("HOME", "/missing").env_remove("KUBERNETES_SERVICE_HOST");
    command
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = program().args(arguments).output().expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (status.code(), text(&stdout), text(&stderr))
}

#[test]
fn rules_are_printed_as_text_and_as_json() {
    let (code, text, _) = run(&["rules"]);
    assert_eq!(code, Some(0));
    assert!(text.starts_with("header-names (GRPCRoute, HTTPRoute)\n  Header names"), "{text}");
    let (_, json, _) = run(&["rules", "--format", "json"]);
    let document: Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!(document["rules"][0]["name"], "header-names");
    assert_eq!(document["reads"].as_array().map(Vec::len), Some(6));
}

#[test]
fn wrong_usage_and_errors_have_their_exit_codes() {
    assert_eq!(run(&["--help"]).0, Some(0));
    for wrong in [&[][..], &["serve", "--channel", "beta"], &["serve", "--listen", "9443"], &["certs", "--secret", "a"]]
    {
        assert_eq!(run(wrong).0, Some(2), "{wrong:?}");
    }
    let (code, _, error) = run(&["explain", "webhook::missing"]);
    assert_eq!((code, error.starts_with("error[webhook::unknown-code]: ")), (Some(1), true), "{error}");
    assert!(run(&["explain", "cluster::no-kubeconfig"]).1.contains("A kubeconfig was not found."));
    assert!(run(&["explain", "webhook::address"]).1.contains("The server cannot listen on an address."));
    let (code, _, error) = run(&["certs", "--once"]);
    assert_eq!(code, Some(1));
    assert!(error.starts_with("error[cluster::no-kubeconfig]: "), "{error}");
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("its address").to_string();
    let (code, _, error) = run(&["serve", "--listen", &address, "--probes", "127.0.0.1:0"]);
    assert_eq!(
        (code, error.contains("error[webhook::address]: cannot listen on 127.0.0.1:")),
        (Some(1), true),
        "{error}"
    );
}

#[test]
fn without_a_cluster_and_a_certificate_it_says_so_and_ends_on_request() {
    let arguments =
        "serve --listen 127.0.0.1:0 --probes 127.0.0.1:0 --certificate /missing --drain 0 --log-format json";
    let mut child = program().args(arguments.split(' ')).stderr(Stdio::piped()).spawn().expect("it starts");
    let mut lines = BufReader::new(child.stderr.take().expect("piped")).lines().map_while(Result::ok);
    let probes = lines.find_map(|line| {
        let event: Value = serde_json::from_str(&line).expect("a line of JSON");
        event["probes"].as_str()?.parse::<SocketAddr>().ok()
    });
    let probes = probes.expect("it listens");
    let begun = Instant::now();
    let text = loop {
        let mut stream = TcpStream::connect(probes).expect("a connection");
        stream.write_all(b"GET /readyz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        assert!(text.starts_with("HTTP/1.1 503 "), "{text}");
        if !text.contains("[-] API server: it was not read yet")
            && !text.contains("[-] certificate: it was not read yet")
        {
            break text;
        }
        assert!(begun.elapsed() < Duration::from_secs(300), "{text}");
    };
    assert!(text.contains("[-] API server: no kubeconfig found at `/missing`"), "{text}");
    assert!(text.contains("[-] certificate: `tls.crt` does not exist. Fix: mount the Secret"), "{text}");
    let terminated = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().expect("kill runs");
    assert!(terminated.success());
    assert!(child.wait().expect("it ends").success());
}
