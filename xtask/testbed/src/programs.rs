//! The programs of a testbed: built from their Go modules once, then read from the cache.
//!
//! Invariants:
//! * The name of a cached program contains its release and a digest of its source (modules, package) and of the flags. A change of any
//!   of them builds a new program.
//! * The cache contains complete programs only. One build runs at a time, because each uses all cores.
//! * Cached programs work without Go. A testbed builds its own programs only; what else is in [`NAMES`] is built where it is needed.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sha2::{Digest, Sha256};

use crate::failure::Failure;
use crate::folders::Folders;
use crate::lock::Lock;
use crate::minor::{ETCD_VERSION, HELM_3_VERSION, HELM_CONTROLLER_VERSION, HELM_VERSION, Minor};

/// The paths of a testbed's programs.
#[derive(Clone, Debug)]
pub(crate) struct Programs {
    pub(crate) etcd: PathBuf,
    pub(crate) kube_apiserver: PathBuf,
    pub(crate) kubectl: PathBuf,
    /// Only for a testbed with controllers.
    pub(crate) kube_controller_manager: Option<PathBuf>,
}

/// A step of a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    /// Another process builds; this one waits.
    Waiting,
    /// A program is being built: `packages` are compiled, of at most `of`.
    Compiling { program: String, packages: usize, of: usize },
    /// This module is being downloaded.
    Downloading { program: String, module: String },
    /// The program is in the cache.
    Built { program: String },
}

/// A program and the source that it is built from.
struct Source {
    /// The program's name.
    program: &'static str,
    /// Its release.
    version: &'static str,
    /// The folder of its module below `go/`.
    module: String,
    /// Its Go package.
    package: &'static str,
    /// The flags of the linker, which write versions into the program.
    linker_flags: String,
    /// The folder of the source below `go/`, for a program of this repository. It uses the versions that `module` lists.
    own: Option<&'static str>,
}

/// All programs that can be built: the three programs of each testbed, what reads releases or installs CRDs, the oracle, and what few tests need.
pub(crate) const NAMES: [&str; 13] = [
    "etcd",
    "kube-apiserver",
    "kubectl",
    "helm",
    "helm3",
    "gitops",
    "oras",
    "crane",
    "interop",
    "oracle",
    BY_NAME[0],
    BY_NAME[1],
    BY_NAME[2],
];

/// The programs that few tests need and that take minutes to build. They are built only by their names.
pub(crate) const BY_NAME: [&str; 3] = [CONTROLLERS, "cosign", "helm-controller"];

/// The program of testbeds with controllers.
pub(crate) const CONTROLLERS: &str = "kube-controller-manager";

/// The programs that read what a release publishes or install CRDs, Helm 4 aside: name, release and Go package. `interop` and `gitops` are
/// programs of this repository around Flux's packages, of these releases; `gitops` contains those of Argo CD too.
pub(crate) const CLIENTS: [(&str, &str, &str); 7] = [
    ("cosign", "v3.1.3", "github.com/sigstore/cosign/v3/cmd/cosign"),
    ("oras", "v1.3.6", "oras.land/oras/cmd/oras"),
    ("crane", "v0.22.1", "github.com/google/go-containerregistry/cmd/crane"),
    ("interop", "v0.70.0", "."),
    ("helm3", HELM_3_VERSION, "helm.sh/helm/v3/cmd/helm"),
    ("gitops", "v0.75.0", "."),
    ("helm-controller", HELM_CONTROLLER_VERSION, "github.com/fluxcd/helm-controller"),
];

/// The minor whose kube-controller-manager cannot be built.
const MINOR_WITHOUT_CONTROLLERS: &str = "1.32";

/// The flags of `go build` for every program, which must be cheap to compile.
///
/// * `-trimpath` is absent. With it, Go does not share the compiled packages of a replaced module between the modules below `go/`. Without
///   it, the paths of the module cache are in stack traces; the programs run only on the machine that built them.
/// * The compiler writes no DWARF, because the linker's `-w` removes it again.
const BUILD_FLAGS: [&str; 2] = ["-buildvcs=false", "-gcflags=all=-dwarf=false"];

impl Source {
    /// The programs of each testbed.
    fn of_testbed(minor: &Minor) -> [Source; 3] {
        [
            Source {
                program: "etcd",
                version: ETCD_VERSION,
                module: "etcd".to_owned(),
                package: "go.etcd.io/etcd/server/v3",
                linker_flags: "-s -w".to_owned(),
                own: None,
            },
            Self::kubernetes(minor, "kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"),
            Self::kubernetes(minor, "kubectl", "k8s.io/kubernetes/cmd/kubectl"),
        ]
    }

    fn controllers(minor: &Minor) -> Result<Source, Failure> {
        if minor.name == MINOR_WITHOUT_CONTROLLERS {
            return Err(Failure::Other(format!(
                "{CONTROLLERS} of Kubernetes {} cannot be built: the module k8s.io/kube-scheduler of this release is not published\n  \
                 choose a newer minor with --kubernetes",
                minor.name
            )));
        }
        Ok(Self::kubernetes(minor, CONTROLLERS, "k8s.io/kubernetes/cmd/kube-controller-manager"))
    }

    /// A program of Kubernetes.
    fn kubernetes(minor: &Minor, program: &'static str, package: &'static str) -> Source {
        // Without these flags the server reports version v0.0.0, and clients treat it as such.
        let mut flags = "-s -w".to_owned();
        for package in ["k8s.io/component-base/version", "k8s.io/client-go/pkg/version"] {
            flags.push_str(&format!(
                " -X {package}.gitVersion={} -X {package}.gitMajor=1 -X {package}.gitMinor={}",
                minor.version,
                minor.number()
            ));
        }
        Source { program, version: minor.version, module: minor.module(), package, linker_flags: flags, own: None }
    }

    fn helm() -> Source {
        Source {
            program: "helm",
            version: HELM_VERSION,
            module: "helm".to_owned(),
            package: "helm.sh/helm/v4/cmd/helm",
            // Without this flag Helm reports only its minor.
            linker_flags: format!("-s -w -X helm.sh/helm/v4/internal/version.version={HELM_VERSION}"),
            own: None,
        }
    }

    /// The programs that read what a release publishes or install CRDs, Helm 4 aside.
    fn clients() -> [Source; 7] {
        CLIENTS.map(|(program, version, package)| Source {
            program,
            version,
            module: program.to_owned(),
            package,
            linker_flags: "-s -w".to_owned(),
            own: (package == ".").then_some(program),
        })
    }

    fn oracle(minor: &Minor) -> Source {
        Source {
            program: "oracle",
            version: minor.version,
            module: minor.module(),
            package: ".",
            linker_flags: "-s -w".to_owned(),
            own: Some("oracle"),
        }
    }

    /// The folder in which Go runs.
    fn folder(&self, folders: &Folders) -> PathBuf {
        folders.modules.join(self.own.unwrap_or(&self.module))
    }

    /// The option that selects the versions of a program of this repository.
    fn module_file(&self) -> Option<String> {
        self.own.map(|_| format!("-modfile=../{}/go.mod", self.module))
    }

    /// Its path in the cache: `kube-apiserver-v1.36.3-1a2b3c4d5e6f/kube-apiserver`.
    fn cached(&self, folders: &Folders) -> Result<PathBuf, Failure> {
        let module = folders.modules.join(&self.module);
        let mut digest = Sha256::new();
        for file in ["go.mod", "go.sum"] {
            let path = module.join(file);
            digest.update(fs::read(&path).map_err(Failure::file("read", &path))?);
            digest.update([0]);
        }
        if self.own.is_some() {
            let path = self.folder(folders).join("main.go");
            digest.update(fs::read(&path).map_err(Failure::file("read", &path))?);
        }
        digest.update(self.package);
        digest.update(&self.linker_flags);
        digest.update(BUILD_FLAGS.join(" "));
        let digest = digest.finalize()[..6].iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let folder = format!("{}-{}-{digest}", self.program, self.version);
        // In a separate folder, so that the program keeps its plain name and the folder can be added to a PATH.
        Ok(folders.programs().join(folder).join(self.program))
    }
}

/// The programs of a testbed, with or without controllers; `None` unless all of them are cached.
pub(crate) fn cached(minor: &Minor, controllers: bool, folders: &Folders) -> Result<Option<Programs>, Failure> {
    let [etcd, kube_apiserver, kubectl] = Source::of_testbed(minor);
    let programs = Programs {
        etcd: etcd.cached(folders)?,
        kube_apiserver: kube_apiserver.cached(folders)?,
        kubectl: kubectl.cached(folders)?,
        kube_controller_manager: match controllers {
            true => Some(Source::controllers(minor)?.cached(folders)?),
            false => None,
        },
    };
    let paths = [&programs.etcd, &programs.kube_apiserver, &programs.kubectl];
    let is_complete = paths.into_iter().chain(&programs.kube_controller_manager).all(|path| path.exists());
    Ok(is_complete.then_some(programs))
}

/// Helm; `None` unless it is cached.
pub(crate) fn cached_helm(folders: &Folders) -> Result<Option<PathBuf>, Failure> {
    Ok(Some(Source::helm().cached(folders)?).filter(|path| path.exists()))
}

/// Builds the programs of a testbed that are not cached, and returns all of them.
pub(crate) fn build_for_testbed(
    minor: &Minor,
    controllers: bool,
    folders: &Folders,
    progress: &mut dyn FnMut(Progress),
) -> Result<Programs, Failure> {
    let mut sources = Vec::from(Source::of_testbed(minor));
    if controllers {
        sources.push(Source::controllers(minor)?);
    }
    build_missing(&sources, folders, progress)?;
    cached(minor, controllers, folders)?
        .ok_or_else(|| Failure::Other("a program was removed from the cache right after its build".to_owned()))
}

/// Builds the oracle of a minor if it is not cached, and returns its path.
pub(crate) fn build_oracle(
    minor: &Minor,
    folders: &Folders,
    progress: &mut dyn FnMut(Progress),
) -> Result<PathBuf, Failure> {
    let oracle = Source::oracle(minor);
    build_missing(std::slice::from_ref(&oracle), folders, progress)?;
    oracle.cached(folders)
}

/// Builds the programs with these of [`NAMES`] that are not cached, and returns all of them in the order of that table.
pub(crate) fn build_named(
    names: &[&str],
    minor: &Minor,
    folders: &Folders,
    progress: &mut dyn FnMut(Progress),
) -> Result<Vec<PathBuf>, Failure> {
    let mut sources = Vec::from(Source::of_testbed(minor));
    sources.extend([Source::helm(), Source::oracle(minor)]);
    sources.extend(Source::clients());
    if names.contains(&CONTROLLERS) {
        sources.push(Source::controllers(minor)?);
    }
    sources.retain(|source| names.contains(&source.program));
    build_missing(&sources, folders, progress)?;
    sources.iter().map(|source| source.cached(folders)).collect()
}

/// Builds the programs that are not cached.
fn build_missing(sources: &[Source], folders: &Folders, progress: &mut dyn FnMut(Progress)) -> Result<(), Failure> {
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
    let go = Go::find()?;
    let lock_path = folders.programs().join("build.lock");
    let _lock = match Lock::try_take(&lock_path)? {
        Some(lock) => lock,
        None => {
            progress(Progress::Waiting);
            Lock::take(&lock_path)?
        }
    };
    for (source, target) in missing {
        // Another process may have built it in the meantime.
        if !target.exists() {
            go.build(source, &target, folders, progress)?;
            progress(Progress::Built { program: format!("{} {}", source.program, source.version) });
        }
    }
    Ok(())
}

/// The prefix of the line that Go prints when it downloads a module.
const DOWNLOADING: &str = "go: downloading ";

/// An installed Go.
struct Go {
    program: PathBuf,
}

impl Go {
    /// The program that `GO` names, or `go` on the PATH.
    fn find() -> Result<Go, Failure> {
        let named = std::env::var_os("GO").filter(|name| !name.is_empty());
        let program = PathBuf::from(named.unwrap_or_else(|| OsString::from("go")));
        let missing = |reason: String| Failure::MissingGo { go: program.clone(), reason };
        match Command::new(&program).arg("version").stdin(Stdio::null()).output() {
            Ok(output) if output.status.success() => Ok(Go { program }),
            Ok(output) => Err(missing(format!("`go version` failed with {}", output.status))),
            Err(error) => Err(missing(error.to_string())),
        }
    }

    fn command(&self, module: &Path) -> Command {
        let mut command = Command::new(&self.program);
        command
            .current_dir(module)
            .stdin(Stdio::null())
            .env("CGO_ENABLED", "0")
            // Flags and workspaces of the user are meant for other projects.
            .env("GOFLAGS", "-mod=readonly")
            .env("GOWORK", "off");
        // A program for another machine must not be cached for this one.
        for name in ["GOOS", "GOARCH"] {
            command.env_remove(name);
        }
        command
    }

    /// The number of packages of a program, the upper limit of what must be compiled. Counting downloads the modules, which takes a while
    /// the first time. Returns `None` on a failure, which the build itself reports better.
    fn packages(&self, folder: &Path, source: &Source, downloading: &mut dyn FnMut(&str)) -> Option<usize> {
        let mut child = self
            .command(folder)
            .arg("list")
            .args(source.module_file())
            .args(["-deps", source.package])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .ok()?;
        let stdout = child.stdout.take()?;
        // A thread reads this stream while the loop below reads the other, so that neither pipe fills up.
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
        let source_folder = source.folder(folders);
        let folder = target.parent().unwrap_or(target);
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
        let log = folders.programs().join(format!("{}-{}.build.log", source.program, source.version));
        let program = format!("{} {}", source.program, source.version);
        progress(Progress::Compiling { program: program.clone(), packages: 0, of: 0 });
        let mut downloading = |module: &str| {
            progress(Progress::Downloading { program: program.clone(), module: module.to_owned() });
        };
        let of = self.packages(&source_folder, source, &mut downloading).unwrap_or(0);
        // In the same folder as the target. A killed build leaves this file behind, and the next build overwrites it.
        let unfinished = target.with_extension("unfinished");
        let mut log_file = File::create(&log).map_err(Failure::file("create", &log))?;
        let mut child = self
            .command(&source_folder)
            .arg("build")
            .args(source.module_file())
            .arg("-v")
            .args(BUILD_FLAGS)
            .args(["-ldflags", &source.linker_flags, "-o"])
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
                // A full disk must not stop the build here: the compiler reports it better.
                let _ = writeln!(log_file, "{line}");
                match line.strip_prefix(DOWNLOADING) {
                    Some(module) => {
                        progress(Progress::Downloading { program: program.clone(), module: module.to_owned() });
                    }
                    // With -v each line is a package; messages about errors contain spaces.
                    None if !line.contains(' ') => packages += 1,
                    None => {}
                }
                progress(Progress::Compiling { program: program.clone(), packages, of });
            }
        }
        let status = child.wait().map_err(|error| Failure::Other(format!("cannot wait for `go build`: {error}")))?;
        if !status.success() {
            let _ = fs::remove_file(&unfinished);
            // The names of compiled packages do not explain the failure.
            let tail = Failure::tail_of(&log, |line| line.contains(' '));
            return Err(Failure::Build { program, log, tail });
        }
        fs::rename(&unfinished, target).map_err(Failure::file("rename", &unfinished))?;
        let _ = fs::remove_file(&log);
        Ok(())
    }
}
