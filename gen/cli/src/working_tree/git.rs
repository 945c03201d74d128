//! Runs git in a folder: the only place that does.
//!
//! Invariants: git writes only what a fetch brings, and reads the repository of the folder whatever its environment and settings are.
//! Nothing that a repository contains, and nothing in its `.git/config`, runs a program. Settings of the user and of the machine are theirs.
//!
//! What was considered:
//!
//! | what | why it is harmless |
//! |---|---|
//! | bare repositories in a work tree | `safe.bareRepository=explicit` |
//! | `core.fsmonitor`, `core.hooksPath` and hooks, `gc.*`, `maintenance.*` | fixed in [`SETTINGS`] |
//! | `filter.*`, `diff.*.textconv`, `diff.*.command`, `diff.external` | what the repository sets is emptied ([`harmless`]); no diff is run |
//! | the same in submodules | their settings count as those of the repository |
//! | `core.sshCommand`, `core.gitProxy`, `core.askPass`, `core.alternateRefsCommand`, `credential.*` | the same, for `fetch` |
//! | `remote.*.uploadpack` | an option of `fetch`, and missing objects are not fetched |
//! | `protocol.*.allow`, `remote.*.vcs`, `url.*.insteadOf` with `ext::` | [`PROTOCOLS`] are the only ones |
//! | `log.showSignature`, `gpg.*` | no signature is shown |
//! | `core.pager`, `core.editor`, `pager.*` | no terminal, and `--no-pager` |
//! | `alias.*` | git does not ask them for its own commands |
//! | `submodule.recurse`, `fetch.recurseSubmodules` | fixed |
//! | `core.attributesFile`, `.gitattributes`, `info/attributes` | they name filters, see above; files are compared as bytes |
//! | replace refs, grafts, `commit-graph` | they are not read |
//! | alternates, `multi-pack-index` | objects are found by their digests |
//! | `core.untrackedCache`, `core.checkStat`, `core.trustctime`, `core.excludesFile`, `assume-unchanged` | fixed, or the callers compare bytes |
//! | `core.worktree`, `include.path` | a setting like any other |
//! | `GIT_*` that name another repository, index or pathspec | removed ([`ELSEWHERE`]) |

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Arc, PoisonError};
use std::thread;

use crd_diagnostics::Diagnostic;
use crd_generator::session::{RepositorySettings, WorkingFolder};

/// Variables that name another repository or index, or change what a path means. Hooks of git set some of them.
const ELSEWHERE: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS",
    "GIT_NOGLOB_PATHSPECS",
    "GIT_ICASE_PATHSPECS",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_SHALLOW_FILE",
    "GIT_ATTR_SOURCE",
    "GIT_EXTERNAL_DIFF",
];

/// Settings of each call.
const SETTINGS: [(&str, &str); 12] = [
    ("safe.bareRepository", "explicit"),
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    // Exact comparison of times, and no list of files that were untracked before.
    ("core.checkStat", "default"),
    ("core.trustctime", "true"),
    ("core.untrackedCache", "false"),
    ("core.commitGraph", "false"),
    ("log.showSignature", "false"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("submodule.recurse", "false"),
    ("fetch.recurseSubmodules", "false"),
];

/// The protocols of a fetch, unless the user names some.
const PROTOCOLS: &str = "file:git:http:https:ssh";

/// The value with which a setting of a repository runs nothing; none if it runs nothing anyway. Only the last part of a name has one case.
fn harmless(key: &str) -> Option<&'static str> {
    let section = key.split('.').next().unwrap_or_default().to_ascii_lowercase();
    let name = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    match (&*section, &*name) {
        ("filter", "clean" | "smudge" | "process") | ("diff", "external" | "command" | "textconv") => Some(""),
        ("filter", "required") => Some("false"),
        ("remote", "uploadpack") => Some("git-upload-pack"),
        ("core", "sshcommand") => Some("ssh"),
        ("core", "askpass") | ("credential", "helper") => Some(""),
        ("core", "alternaterefscommand") | ("gc", "recentobjectshook") => Some("true"),
        _ => None,
    }
}

/// The most submodules whose settings are read.
const MOST_SUBMODULES: usize = 1_000;

/// git in a folder.
#[derive(Clone, Debug)]
pub(crate) struct Git {
    pub(crate) folder: PathBuf,
    /// What the repository has of its own and could run something.
    own: Arc<RepositorySettings>,
}

impl Git {
    /// git in the current folder.
    pub(crate) fn new(from: WorkingFolder<'_>) -> Self {
        Self { folder: from.path.to_owned(), own: from.repositories.clone() }
    }

    /// git in another folder, whose settings are read again.
    pub(crate) fn alone(folder: &Path) -> Self {
        Self { folder: folder.to_owned(), own: Arc::default() }
    }

    /// git in a folder relative to this one.
    pub(crate) fn below(&self, folder: &str) -> Self {
        Self { folder: self.folder.join(folder), own: self.own.clone() }
    }

    /// Whether the repository has a commit.
    pub(super) fn has_commit(&self) -> bool {
        self.run(&["rev-parse", "--quiet", "--verify", "HEAD"]).is_ok_and(|output| output.status.success())
    }

    /// The folder, relative to the top of its repository; empty, or with `/` at the end.
    pub(crate) fn folder_in_repository(&self) -> Result<String, Diagnostic> {
        let prefix = String::from_utf8(self.output(&["rev-parse", "--show-prefix"])?);
        let prefix = prefix.map_err(|_| {
            Diagnostic::error("git::state", "the path in the repository is not UTF-8").at_file(&self.folder)
        })?;
        Ok(prefix.strip_suffix('\n').unwrap_or_default().to_owned())
    }

    /// The name of an object; the error is what git reports about damaged ones.
    pub(crate) fn resolve(&self, revision: &str) -> Result<String, String> {
        let output = self.run(&["rev-parse", "--verify", revision]).map_err(|error| format!(": {error}"))?;
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        match output.status.success() && !revision.starts_with('-') {
            true => Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned()),
            false => {
                Err(errors.lines().filter(|line| line.starts_with("error")).map(|line| format!(": {line}")).collect())
            }
        }
    }

    /// Runs git, whether it succeeds or not.
    pub(crate) fn run(&self, arguments: &[&str]) -> io::Result<Output> {
        self.command(arguments).output()
    }

    /// The standard output of git. A failure is an error.
    pub(crate) fn output(&self, arguments: &[&str]) -> Result<Vec<u8>, Diagnostic> {
        self.successful(arguments, self.run(arguments))
    }

    /// The standard output of git with this standard input.
    pub(super) fn output_of(&self, arguments: &[&str], input: Vec<u8>) -> Result<Vec<u8>, Diagnostic> {
        let run = || {
            let mut command = self.command(arguments);
            let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
            let mut stdin = child.stdin.take();
            // In a thread of its own, because both pipes can be full.
            let writer = thread::spawn(move || stdin.as_mut().map(|stdin| stdin.write_all(&input)));
            let output = child.wait_with_output();
            // git reports an input that it could not read.
            drop(writer.join());
            output
        };
        self.successful(arguments, run())
    }

    fn successful(&self, arguments: &[&str], output: io::Result<Output>) -> Result<Vec<u8>, Diagnostic> {
        let cause = match output {
            Ok(output) if output.status.success() => return Ok(output.stdout),
            Ok(output) => format!("failed: {}", String::from_utf8_lossy(&output.stderr).trim()),
            Err(error) => format!("cannot be run: {error}"),
        };
        let message = format!("`git {}` {cause}", arguments.join(" "));
        Err(Diagnostic::error("git::state", message).at_file(&self.folder))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let own = self.own.lock().unwrap_or_else(PoisonError::into_inner).get(&self.folder).cloned();
        let own = own.unwrap_or_else(|| {
            let found = own_settings(&self.folder);
            self.own.lock().unwrap_or_else(PoisonError::into_inner).insert(self.folder.clone(), found.clone());
            found
        });
        command(&self.folder, arguments, &own)
    }
}

/// The names of the settings of a repository and its submodules that could run something.
fn own_settings(folder: &Path) -> Vec<String> {
    let text = |folder: &Path, arguments: &[&str]| {
        let output = command(folder, arguments, &[]).output().ok().filter(|output| output.status.success());
        output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned()).unwrap_or_default()
    };
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    let mut seen = 0;
    while let Some(folder) = folders.pop().filter(|_| seen < MOST_SUBMODULES) {
        seen += 1;
        let settings = text(&folder, &["config", "--list", "--show-scope", "--name-only", "-z"]);
        let parts = settings.split('\0').collect::<Vec<_>>();
        let own = parts.chunks_exact(2).filter(|pair| ["local", "worktree"].contains(&pair[0]));
        found.extend(own.map(|pair| pair[1].to_owned()).filter(|key| harmless(key).is_some()));
        // MODE OBJECT STAGE, a tab, and the path.
        let listed = text(&folder, &["ls-files", "-s", "-z"]);
        let submodules = listed.split('\0').filter(|entry| entry.starts_with("160000 "));
        let paths = submodules.filter_map(|entry| Some(folder.join(entry.split_once('\t')?.1)));
        folders.extend(paths.filter(|path| path.join(".git").exists()));
    }
    found.sort();
    found.dedup();
    found
}

/// git without what the repository itself sets.
fn command(folder: &Path, arguments: &[&str], own: &[String]) -> Command {
    // The first value of this setting counts, so that only the option has more weight. Without a fetch, no object may be fetched.
    let has_program = own.iter().any(|key| key.to_ascii_lowercase().ends_with(".uploadpack"));
    let (verb, rest) = arguments.split_at(usize::from(has_program && arguments.first() == Some(&"fetch")));
    let option = verb.first().map(|_| "--upload-pack=git-upload-pack");
    let mut command = Command::new("git");
    command
        .args(["--no-pager", "-C"])
        .arg(folder)
        .args(verb.iter().copied().chain(option).chain(rest.iter().copied()))
        .stdin(Stdio::null())
        // English messages, no update of the index, objects as they are committed, and no question.
        .env("LC_ALL", "C")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_GRAFT_FILE", "/dev/null")
        .env("GIT_PROXY_COMMAND", "")
        .env("GIT_TERMINAL_PROMPT", "0");
    if env::var_os("GIT_ALLOW_PROTOCOL").is_none() {
        command.env("GIT_ALLOW_PROTOCOL", PROTOCOLS);
    }
    if has_program {
        command.env("GIT_NO_LAZY_FETCH", "1");
    }
    // As variables, because a name can contain the character that `-c` ends it with. The user may have some.
    let before = env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse::<usize>().ok()).unwrap_or_default();
    let settings = own.iter().filter_map(|key| Some((&**key, harmless(key)?))).chain(SETTINGS).collect::<Vec<_>>();
    for (index, (key, value)) in (before..).zip(&settings) {
        command.env(format!("GIT_CONFIG_KEY_{index}"), key).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    command.env("GIT_CONFIG_COUNT", before.saturating_add(settings.len()).to_string());
    for name in ELSEWHERE {
        command.env_remove(name);
    }
    command
}

#[cfg(test)]
mod tests;
