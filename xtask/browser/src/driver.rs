//! The process of chromedriver.
//!
//! Invariant: it listens on loopback, on a port that the operating system chose, and ends with its value.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The line of the driver that names its port, up to the port.
const STARTED: &str = "ChromeDriver was started successfully on port ";

pub(crate) struct Driver {
    process: Child,
    port: u16,
}

impl Driver {
    pub(crate) fn start(program: &Path) -> Self {
        let mut command = Command::new(program);
        command
            .args(["--port=0", "--log-level=WARNING"])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let process = command.spawn().unwrap_or_else(|error| panic!("cannot run {}: {error}", program.display()));
        // From here on the process ends with the value, also if there is no port.
        let mut driver = Self { process, port: 0 };
        let lines = driver.process.stdout.take().into_iter().flat_map(|out| BufReader::new(out).lines());
        let mut printed = Vec::new();
        for line in lines.map_while(Result::ok) {
            if let Some(port) = line.strip_prefix(STARTED).and_then(|rest| rest.trim_end_matches('.').parse().ok()) {
                driver.port = port;
                return driver;
            }
            printed.push(line);
        }
        panic!("{} printed no port:\n{}", program.display(), printed.join("\n"))
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
