//! The programs of a testbed: built from their Go modules once, then taken from the cache.
//!
//! Fed with a minor. Read by keepers (which only take what is cached) and by whoever starts them (who builds what is missing).
//!
//! Invariants: the name of a cached program tells its release and everything else that decides its bytes (modules, flags), so that a
//! change of either builds a new one; a program lies in the cache whole or not at all; one build at a time, since each takes all cores.
//! Without Go, what is cached still works. Helm is no part of a testbed: nothing but whoever asks for it builds it or waits for it.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::folders::Folders;
use crate::held::Held;
use crate::minor::{ETCD_VERSION, HELM_VERSION, Minor};

/// Where the programs of a testbed lie.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) etcd: PathBuf,
    pub(crate) kube_apiserver: PathBuf,
    pub(crate) kubectl: PathBuf,
}

/// What a build has to tell while it runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Somebody else builds; this waits.
    Waiting,
    /// A program is being built: this many packages were compiled, of at most so many.
    Compiling { program: String, packages: usize, of: usize },
    /// Modules are being downloaded: this one now.
    Downloading { program: String, module: String },
    /// It lies in the cache.
    Built { program: String },
}

/// A program and what it is built from.
struct Source {
    /// The program's name.
    program: &'static str,
    /// Its release.
    version: &'static str,
    /// The folder of its module below `go/`.
    module: String,
    /// Its Go package.
    package: &'static str,
    /// What the linker writes into it.
    linker_flags: String,
}

/// Every program that can be built: those of a testbed, and Helm.
pub(crate) const NAMES: [&str; 4] = ["etcd", "kube-apiserver", "kubectl", "helm"];

impl Source {
    /// Those that a testbed is made of.
    fn of_testbed(minor: &Minor) -> [Source; 3] {
        // Without these the server says that it is v0.0.0, and clients misjudge it.
        let mut flags = "-s -w".to_owned();
        for package in ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"] {
            flags.push_str(&format!(
                " -X {package}.gitVersion={} -X {package}.gitMajor=1 -X {package}.gitMinor={}",
                minor.version,
                minor.number()
            ));
        }
        let kubernetes = |program, package| Source {
            program,
            version: minor.version,
            module: minor.module(),
            package,
            linker_flags: flags.clone(),
        };
        [
            Source {
                program: "etcd",
                version: ETCD_VERSION,
                module: "etcd".to_owned(),
                package: "go.etcd.io/etcd/server/v3",
                linker_flags: "-s -w".to_owned(),
            },
            kubernetes("kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            kubernetes("kubectl", "k8s.io/kubernetes/cmd/kubectl"),
        ]
    }

    fn helm() -> Source {
        Source {
            program: "helm",
            version: HELM_VERSION,
            module: "helm".to_owned(),
            package: "helm.sh/helm/v4/cmd/helm",
            // Without it Helm knows its minor only.
            linker_flags: format!("-s -w -X helm.sh/helm/v4/internal/version.version={HELM_VERSION}"),
        }
    }

    /// Where it lies in the cache: `kube-apiserver-v1.36.3-1a2b3c4d5e6f/kube-apiserver`.
    fn cached(&self, folders: &Folders) -> Result<PathBuf, Failure> {
        let module = folders.modules.join(&self.module);
        let mut digest = Sha256::new();
        for file in ["go.mod", "go.sum"] {
            let path = module.join(file);
            digest.update(fs::read(&path).map_err(Failure::file("read", &path))?);
            digest.update([0]);
        }
        digest.update(self.package);
        digest.update(&self.linker_flags);
        let digest = digest.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let folder = format!("{}-{}-{digest}", self.program, self.version);
        // In a folder of its own, so that the program has its plain name and can be put on a PATH.
        Ok(folders.programs().join(folder).join(self.program))
    }
}

/// The programs of a testbed, if all of them are cached.
pub(crate) fn cached(minor: &Minor, folders: &Folders) -> Result<Option<Programs>, Failure> {
    let [etcd, kube_apiserver, kubectl] = Source::of_testbed(minor);
    let (etcd, kube_apiserver, kubectl) =
        (etcd.cached(folders)?, kube_apiserver.cached(folders)?, kubectl.cached(folders)?);
    let whole = [&etcd, &kube_apiserver, &kubectl].iter().all(|path| path.exists());
    Ok(whole.then_some(Programs { etcd, kube_apiserver, kubectl }))
}

/// Helm, if it is cached.
pub(crate) fn cached_helm(folders: &Folders) -> Result<Option<PathBuf>, Failure> {
    Ok(Some(Source::helm().cached(folders)?).filter(|path| path.exists()))
}

/// The programs of a testbed; those that are not cached are built.
pub(crate) fn programs(
    minor: &Minor,
    folders: &Folders,
    progress: &mut dyn FnMut(Progress),
) -> Result<Programs, Failure> {
    built(&Source::of_testbed(minor), folders, progress)?;
    cached(minor, folders)?
        .ok_or_else(|| Failure::Other("a program that was just built is gone from the cache".to_owned()))
}

/// Helm; built if it is not cached.
pub(crate) fn helm(folders: &Folders, progress: &mut dyn FnMut(Progress)) -> Result<PathBuf, Failure> {
    let helm = Source::helm();
    built(std::slice::from_ref(&helm), folders, progress)?;
    helm.cached(folders)
}

/// The programs with these of [`NAMES`], in the order of that table; those that are not cached are built.
pub(crate) fn named(
    names: &[&str],
    minor: &Minor,
    folders: &Folders,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::from(Source::of_testbed(minor));
    sources.push(Source::helm());
    sources.retain(|source| names.contains(&source.program));
    built(&sources, folders, progress)?;
    sources.iter().map(|source| source.cached(folders)).collect()
}

/// Builds what is not cached.
fn built(sources: &[Source], folders: &Folders, progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
    let mut missing = Vec::new();
    for source in sources {
        let target = source.cached(folders)?;
        if !target.exists() {
            missing.push((source, target));
        }
    }
    if missing.is_empty() {
        return Ok(());
    }
    let go = Go::found()?;
    let lock = folders.programs().join("build.lock");
    let _held = match Held::try_take(&lock)? {
        Some(held) => held,
        None => {
            progress(Progress::Waiting);
            Held::take(&lock)?
        }
    };
    for (source, target) in missing {
        // Somebody else may have built it while this waited.
        if !target.exists() {
            go.build(source, &target, folders, progress)?;
            progress(Progress::Built { program: format!("{} {}", source.program, source.version) });
        }
    }
    Ok(())
}

/// How Go says that it downloads a module.
const DOWNLOADING: &str = "go: downloading ";

/// An installed Go.
struct Go {
    program: PathBuf,
}

impl Go {
    /// The one that `GO` names, or the one on the PATH.
    fn found() -> Result<Go, Failure> {
        let named = std::env::var_os("GO").filter(|name| !name.is_empty());
        let program = PathBuf::from(named.unwrap_or_else(|| OsString::from("go")));
        let missing = |reason: String| Failure::MissingGo { go: program.clone(), reason };
        match Command::new(&program).arg("version").stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => Ok(Go { program }),
            Ok(output) => Err(missing(format!("`go version` ended with {}", output.status))),
            Err(error) => Err(missing(error.to_string())),
        }
    }

    fn command(&self, module: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(module)
            .stdin(Stdio::null())
            .env("CGO_ENABLED", "0")
            // The user's own flags and workspaces are about other projects.
            .env("GOFLAGS", "-mod=readonly")
            .env("GOWORK", "off");
        // A program for another machine would be cached for this one.
        for name in ["GOOS", "GOARCH"] {
            command.env_remove(name);
        }
        command
    }

    /// Of how many packages a program is made: as many as may have to be compiled. Asking downloads the modules, which takes a while the
    /// first time; a failure is better told by the build itself.
    fn packages(&self, module: &Path, source: &Source, downloading: &mut dyn FnMut(&str)) -> Option<usize> {
        let mut child = self
            .command(module)
            .args(["list", "-deps", source.package])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let stdout = child.stdout.take()?;
        // Read beside the other stream, or one of both pipes would fill up.
        let counter = std::thread::spawn(move || BufReader::new(stdout).split(b'\n').map_while(Result::ok).count());
        for line in BufReader::new(child.stderr.take()?).split(b'\n').map_while(Result::ok) {
            if let Some(module) = String::from_utf8_lossy(&line).strip_prefix(DOWNLOADING) {
                downloading(module);
            }
        }
        let count = counter.join().ok()?;
        child.wait().is_ok_and(|status| status.success()).then_some(count)
    }

    fn build(
        &self,
        source: &Source,
        target: &Path,
        folders: &Folders,
        progress: &mut dyn FnMut(Progress),
    ) -> Result<(), Failure> {
        let module = folders.modules.join(&source.module);
        let folder = target.parent().unwrap_or(target);
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        let log = folders.programs().join(format!("{}-{}.build.log", source.program, source.version));
        let program = format!("{} {}", source.program, source.version);
        progress(Progress::Compiling { program: program.clone(), packages: 0, of: 0 });
        let mut downloading = |module: &str| {
            progress(Progress::Downloading { program: program.clone(), module: module.to_owned() });
        };
        let of = self.packages(&module, source, &mut downloading).unwrap_or(0);
        // Beside its target; a build that was killed leaves it, and the next one writes over it.
        let unfinished = target.with_extension("unfinished");
        let mut kept = File::create(&log).map_err(Failure::file("create", &log))?;
        let mut child = self
            .command(&module)
            .args(["build", "-v", "-trimpath", "-buildvcs=false", "-ldflags", &source.linker_flags, "-o"])
            .arg(&unfinished)
            .arg(source.package)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| Failure::MissingGo { go: self.program.clone(), reason: error.to_string() })?;
        let mut packages = 0;
        if let Some(stderr) = child.stderr.take() {
            for line in BufReader::new(stderr).split(b'\n') {
                let Ok(line) = line else { break };
                let line = String::from_utf8_lossy(&line);
                // A full disk must not stop the build half way: the compiler will say it better.
                let _ = writeln!(kept, "{line}");
                match line.strip_prefix(DOWNLOADING) {
                    Some(module) => {
                        progress(Progress::Downloading { program: program.clone(), module: module.to_owned() });
                    }
                    // With -v each line is a package, unless something is wrong.
                    None if !line.contains(' ') => packages += 1,
                    None => {}
                }
                progress(Progress::Compiling { program: program.clone(), packages, of });
            }
        }
        let status =
            child.wait().map_err(|error| Failure::Other(format!("the end of `go build` was missed: {error}")))?;
        if !status.success() {
            let _ = fs::remove_file(&unfinished);
            // The names of compiled packages tell nothing about the failure.
            let tail = Failure::tail_of(&log, |line| line.contains(' '));
            return Err(Failure::Build { program, log, tail });
        }
        fs::rename(&unfinished, target).map_err(Failure::file("rename", &unfinished))?;
        let _ = fs::remove_file(&log);
        Ok(())
    }
}
