//! A server on the loopback interface that has the releases of the tool in a folder, and lists what was asked of it.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Its thread ends with the process.
pub struct Releases {
    pub address: String,
    folder: PathBuf,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Releases {
    pub fn new(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let (requests, served) = (Arc::new(Mutex::new(Vec::new())), folder.to_owned());
        let list = Arc::clone(&requests);
        std::thread::spawn(move || {
            for connection in listener.incoming().map_while(Result::ok) {
                if let Some(path) = requested(&connection) {
                    list.lock().expect("a list").push(path.clone());
                    // A client may go away.
                    let _ = answer(connection, &served.join(path));
                }
            }
        });
        Self { address, folder: folder.to_owned(), requests }
    }

    /// The paths of all requests since the last call.
    pub fn requests(&self) -> Vec<String> {
        std::mem::take(&mut *self.requests.lock().expect("a list"))
    }

    /// Adds a release with the archive of a program for Linux on this processor, by `.ci/archive`, and its SHA256SUMS.
    pub fn add(&self, version: &str, program: &Path) -> PathBuf {
        let release = self.folder.join(format!("tool-v{version}"));
        fs::create_dir_all(&release).expect("a folder");
        Self::pack(program, &target(), &release);
        let sums = format!("cd '{}' && sha256sum crd-channels-* >SHA256SUMS", release.display());
        assert!(Command::new("sh").args(["-c", &sums]).status().expect("sh runs").success());
        release
    }

    /// Writes the archive of a program into a folder.
    pub fn pack(program: &Path, target: &str, folder: &Path) {
        // Two packages have this file in their tests.
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().find(|folder| folder.join(".ci/archive").exists());
        let mut archive = Command::new(root.expect("the repository").join(".ci/archive"));
        let status = archive.arg("program").arg(program).arg(target).arg(folder).status().expect("python3 runs");
        assert!(status.success());
    }
}

/// The target of the programs of this machine.
pub fn target() -> String {
    format!("{}-unknown-linux-musl", std::env::consts::ARCH)
}

/// The path of the request, without the first slash.
fn requested(connection: &TcpStream) -> Option<String> {
    let mut lines = BufReader::new(connection).lines().map_while(Result::ok);
    let first = lines.next()?;
    lines.find(String::is_empty)?;
    Some(first.split(' ').nth(1)?.trim_start_matches('/').to_owned())
}

/// A file, or status 404. Of a file next to which `NAME.truncated` is, only half is sent.
fn answer(mut connection: TcpStream, path: &Path) -> std::io::Result<()> {
    let (status, content) = fs::read(path).map_or((404, Vec::new()), |content| (200, content));
    write!(connection, "HTTP/1.1 {status} -\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", content.len())?;
    let is_truncated =
        path.with_file_name(format!("{}.truncated", path.file_name().unwrap_or_default().display())).exists();
    connection.write_all(&content[..if is_truncated { content.len() / 2 } else { content.len() }])
}
