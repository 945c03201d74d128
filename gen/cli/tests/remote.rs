//! The program with a kubeconfig, and an API server on a loopback port.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output, Stdio};

use http::Request;
use serde_json::Value;

use crate::support::Place;

/// Variables of the machine of a test, which can have a cluster of its own.
const VARIABLES: [&str; 7] =
    ["KUBERNETES_SERVICE_HOST", "HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// A place with a kubeconfig for a server.
pub(crate) struct Remote {
    pub(crate) place: Place,
    address: String,
}

/// What the program printed.
#[derive(Debug)]
pub(crate) struct Printed {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Remote {
    /// A server that answers each request with a status and a body. Its threads end with the process.
    pub(crate) fn new(answer: impl Fn(Request<Vec<u8>>) -> (u16, Vec<u8>) + Clone + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                let answer = answer.clone();
                std::thread::spawn(move || serve(&connection, &answer));
            }
        });
        let remote = Self { place: Place::new(), address };
        remote.use_server(&remote.address);
        remote
    }

    /// Writes the kubeconfig for a server at this address.
    pub(crate) fn use_server(&self, address: &str) {
        let kubeconfig = format!(
            "clusters: [{{name: c, cluster: {{server: '{address}'}}}}]\nusers: [{{name: u, user: {{token: secret}}}}]\n\
             contexts: [{{name: staging, context: {{cluster: c, user: u}}}}]\ncurrent-context: staging\n"
        );
        self.place.write("kubeconfig", kubeconfig);
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Printed {
        self.printed(&self.command(arguments).output().unwrap())
    }

    /// The program with these arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_crd-channels"));
        command.args(arguments).current_dir(self.place.path()).stdin(Stdio::null());
        for variable in VARIABLES {
            command.env_remove(variable);
        }
        command.env("KUBECONFIG", self.place.path().join("kubeconfig")).env("HOME", self.place.path());
        // The machine can be so busy that the program prints what it waits for.
        command.env("NO_COLOR", "1").env("CARGO_TERM_QUIET", "true");
        command
    }

    /// What the program printed.
    pub(crate) fn printed(&self, output: &Output) -> Printed {
        let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).replace(&self.address, "http://SERVER");
        Printed { code: output.status.code().unwrap(), out: plain(&output.stdout), err: plain(&output.stderr) }
    }

    /// The exit code and the document, which is one line.
    pub(crate) fn document(&self, arguments: &[&str]) -> (i32, Value) {
        let printed = self.run(&[arguments, &["--format", "json"]].concat());
        assert_eq!(printed.out.lines().count(), 1);
        (printed.code, serde_json::from_str(&printed.out).unwrap_or_else(|_| panic!("{printed:?}")))
    }
}

/// Answers the requests of a connection, one after the other. Nothing if the program breaks it off.
fn serve(connection: &TcpStream, answer: &impl Fn(Request<Vec<u8>>) -> (u16, Vec<u8>)) -> Option<()> {
    // Otherwise the body waits 40 ms for the client's acknowledgement of the head.
    connection.set_nodelay(true).ok()?;
    let mut reader = BufReader::new(connection);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let mut words = line.split_whitespace();
        let mut request = Request::builder().method(words.next()?).uri(words.next()?);
        let mut length = 0;
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok()?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            if name.eq_ignore_ascii_case("content-length") {
                length = value.parse().unwrap();
            }
            request = request.header(name, value);
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (status, body) = answer(request.body(body).unwrap());
        let head =
            format!("HTTP/1.1 {status} \r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
        let mut writer = connection;
        writer.write_all(head.as_bytes()).and_then(|()| writer.write_all(&body)).ok()?;
    }
}
