//! A server on a loopback port that answers by path.
//!
//! Invariant: every request is GET.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;

use serde_json::{Value, json};

/// The answers by path and query.
type Answers = BTreeMap<String, (u16, Value)>;

/// A server. Its thread ends with the process.
pub(crate) struct Server {
    pub(crate) address: String,
}

impl Server {
    pub(crate) fn start(answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let answers = Arc::new(answers);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let answers = Arc::clone(&answers);
                std::thread::spawn(move || answer(&connection, &answers));
            }
        });
        Self { address }
    }
}

/// Answers the requests of a connection, one after the other. Nothing if the program breaks it off.
fn answer(connection: &TcpStream, answers: &Answers) -> Option<()> {
    // Otherwise the body waits 40 ms for the client's acknowledgement of the head.
    connection.set_nodelay(true).ok()?;
    let mut lines = BufReader::new(connection).lines();
    loop {
        let request = lines.next()?.ok()?;
        // The rest of the head; a GET has no body.
        while !lines.next()?.ok()?.is_empty() {}
        let path = request.strip_prefix("GET ").and_then(|rest| rest.split(' ').next());
        let missing = || (404, json!({"kind": "Status", "code": 404, "message": format!("no answer to {request}")}));
        let (code, body) = path.and_then(|path| answers.get(path).cloned()).unwrap_or_else(missing);
        let body = body.to_string();
        let head =
            format!("HTTP/1.1 {code} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut writer = connection;
        writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(body.as_bytes())).ok()?;
    }
}
