//! Registries on loopback. Each ends with its value.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::programs::command;

/// A registry in a process, which stores everything in memory or in a folder.
pub(super) struct Registry {
    process: Child,
    /// `127.0.0.1:PORT`.
    pub(super) host: String,
}

/// The commands that serve: crane's registry, whose clients must keep lists of referrers under tags, and the same with the API for them.
pub(super) const SERVERS: [&str; 2] = ["crane registry serve --address 127.0.0.1:0", "interop serve 127.0.0.1:0"];

impl Registry {
    pub(super) fn start(server: &str) -> Registry {
        let mut words = server.split_whitespace();
        let mut command = command(words.next().expect("a program"));
        let mut process = command.args(words).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().expect("it starts");
        let mut lines = BufReader::new(process.stderr.take().expect("its log")).lines().map_while(Result::ok);
        let port = lines.find_map(|line| Some(line.split_once("serving on port ")?.1.to_owned())).expect("a port");
        // A full pipe would stop it.
        std::thread::spawn(move || lines.for_each(drop));
        Registry { process, host: format!("127.0.0.1:{port}") }
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
