//! A repository with each hostile setting: no call runs its program, and git itself does run most of them.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

/// A repository with `a.yaml` in one commit, a program, and the file that this program makes.
struct Hostile {
    folder: tempfile::TempDir,
}

/// What the commands of this project call.
const CALLS: [&[&str]; 9] = [
    &["status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=none"],
    &["ls-files", "-v", "-s", "-z"],
    &["ls-tree", "-r", "-z", "HEAD"],
    &["cat-file", "blob", "HEAD:a.yaml"],
    &["log", "-1", "--no-show-signature", "--format=%ct", "HEAD"],
    &["describe", "--tags", "--abbrev=0"],
    &["grep", "--text", "--no-color", "--no-recurse-submodules", "-lzF", "CustomResourceDefinition", "HEAD"],
    &["hash-object", "--no-filters", "a.yaml"],
    &["fetch", "--quiet", "--no-tags", "origin", "main"],
];

impl Hostile {
    fn new() -> Self {
        let hostile = Self { folder: tempfile::tempdir().unwrap() };
        let text = format!("#!/bin/sh\necho run >>'{}'\n[ \"$1\" != filter ] || cat\n", hostile.path("ran").display());
        for name in ["evil", "hooks/post-index-change", "hooks/reference-transaction", "hooks/pre-auto-gc"] {
            fs::create_dir_all(hostile.path("hooks")).unwrap();
            fs::write(hostile.path(name), &text).unwrap();
            fs::set_permissions(hostile.path(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        for name in ["work", "origin"] {
            hostile.repository(&hostile.path(name));
        }
        hostile
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn repository(&self, folder: &Path) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(".gitattributes"), "*.yaml filter=evil diff=evil\nb.yaml filter=ev=il\n").unwrap();
        fs::write(folder.join("a.yaml"), "a: 1\n").unwrap();
        fs::write(folder.join("b.yaml"), "b: 1\n").unwrap();
        self.plain(folder, &["init", "--quiet", "--initial-branch=main"]);
        self.plain(folder, &["add", "--all"]);
        self.plain(folder, &["-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "--quiet", "-m", "a"]);
    }

    /// git as it is.
    fn plain(&self, folder: &Path, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(folder).env("GIT_CONFIG_GLOBAL", "/dev/null").stdin(Stdio::null());
        let _ = command.env("GIT_TERMINAL_PROMPT", "0").output().unwrap();
    }

    /// Whether the program has run since the last question.
    fn has_run(&self) -> bool {
        fs::remove_file(self.path("ran")).is_ok()
    }

    /// Files that git must read, because their times are new.
    fn touch(&self) {
        for name in ["a.yaml", "b.yaml"] {
            let text = fs::read_to_string(self.path("work").join(name)).unwrap();
            fs::write(self.path("work").join(name), text).unwrap();
        }
    }

    /// Makes all calls. Returns those that ran the program.
    fn calls(&self) -> Vec<&'static [&'static str]> {
        let git = Git::alone(&self.path("work"));
        let ran = |call: &&[&str]| {
            self.touch();
            let _ = git.run(call).unwrap();
            self.has_run()
        };
        CALLS.into_iter().filter(ran).collect()
    }
}

/// Settings, with `EVIL` for the program and `HOOKS` for its folder, and whether git itself would run it in one of the calls.
const SETTINGS_OF_ATTACKERS: &[(&[(&str, &str)], bool)] = &[
    (&[("filter.evil.clean", "EVIL filter")], true),
    (&[("filter.ev=il.clean", "EVIL filter")], true),
    (&[("Filter.evil.CLEAN", "EVIL filter"), ("filter.evil.required", "true")], true),
    (&[("filter.evil.process", "EVIL"), ("filter.evil.smudge", "EVIL")], true),
    (&[("include.path", "INCLUDED")], true),
    (&[("core.fsmonitor", "EVIL")], true),
    (&[("core.hooksPath", "HOOKS")], true),
    (&[("remote.origin.url", "ORIGIN"), ("remote.origin.uploadpack", "EVIL")], true),
    (&[("remote.origin.url", "ssh://127.0.0.1:1/a"), ("core.sshCommand", "EVIL")], true),
    (&[("remote.origin.url", "git://127.0.0.1:1/a"), ("core.gitProxy", "EVIL")], true),
    (&[("remote.origin.url", "ext::EVIL"), ("protocol.ext.allow", "always")], true),
    (&[("remote.origin.url", "EVIL"), ("remote.origin.vcs", "ext"), ("protocol.allow", "always")], true),
    (
        &[
            ("remote.origin.url", "https://a/"),
            ("url.ext::EVIL .insteadOf", "https://a/"),
            ("protocol.ext.allow", "always"),
        ],
        true,
    ),
    (
        &[("remote.origin.url", "https://127.0.0.1:1/a"), ("credential.helper", "!EVIL"), ("core.askPass", "EVIL")],
        false,
    ),
    (&[("diff.evil.textconv", "EVIL"), ("diff.evil.command", "EVIL"), ("diff.external", "EVIL")], false),
    (&[("core.pager", "EVIL"), ("pager.log", "EVIL"), ("core.editor", "EVIL")], false),
    (&[("alias.status", "!EVIL"), ("alias.ls-files", "!EVIL")], false),
    (&[("log.showSignature", "true"), ("gpg.program", "EVIL")], false),
    (&[("uploadpack.packObjectsHook", "EVIL"), ("core.alternateRefsCommand", "EVIL")], false),
];

#[test]
fn no_setting_of_a_repository_runs_a_program() {
    for (settings, git_runs_it) in SETTINGS_OF_ATTACKERS {
        let hostile = Hostile::new();
        let work = hostile.path("work");
        let included = format!("[filter \"evil\"]\n\tclean = {} filter\n", hostile.path("evil").display());
        fs::write(hostile.path("included"), included).unwrap();
        for (key, value) in *settings {
            let shown = |name: &str| hostile.path(name).display().to_string();
            let filled = |text: &str| {
                let text = text.replace("EVIL", &shown("evil")).replace("HOOKS", &shown("hooks"));
                text.replace("ORIGIN", &shown("origin")).replace("INCLUDED", &shown("included"))
            };
            hostile.plain(&work, &["config", &filled(key), &filled(value)]);
        }
        hostile.has_run();
        assert_eq!(hostile.calls(), [&[""; 0] as &[&str]; 0], "{settings:?}");
        hostile.touch();
        CALLS.iter().for_each(|call| hostile.plain(&work, call));
        assert_eq!(hostile.has_run(), *git_runs_it, "{settings:?}");
    }
}

#[test]
fn settings_of_submodules_and_work_trees_count_too() {
    let hostile = Hostile::new();
    let (work, evil) = (hostile.path("work"), hostile.path("evil").display().to_string());
    let origin = hostile.path("origin").display().to_string();
    hostile.plain(&work, &["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &origin, "sub"]);
    hostile.plain(&work.join("sub"), &["config", "filter.evil.clean", &evil]);
    fs::write(work.join("sub/a.yaml"), "a: 1\n").unwrap();
    hostile.has_run();
    assert_eq!(hostile.calls(), [&[""; 0] as &[&str]; 0]);
    hostile.plain(&work, CALLS[0]);
    assert!(hostile.has_run());

    let hostile = Hostile::new();
    let (work, evil) = (hostile.path("work"), hostile.path("evil").display().to_string());
    hostile.plain(&work, &["config", "extensions.worktreeConfig", "true"]);
    hostile.plain(&work, &["config", "--worktree", "filter.evil.clean", &evil]);
    hostile.has_run();
    assert_eq!(hostile.calls(), [&[""; 0] as &[&str]; 0]);
    hostile.touch();
    hostile.plain(&work, CALLS[0]);
    assert!(hostile.has_run());
}

#[test]
fn a_bare_repository_in_a_work_tree_is_not_one() {
    let hostile = Hostile::new();
    let (work, evil) = (hostile.path("work"), hostile.path("evil").display().to_string());
    let crds = work.join("crds");
    fs::create_dir(&crds).unwrap();
    hostile.plain(&crds, &["init", "--quiet", "--bare"]);
    hostile.plain(&crds, &["config", "core.fsmonitor", &evil]);
    hostile.plain(&crds, &["config", "core.bare", "false"]);
    hostile.plain(&crds, &["config", "core.worktree", ".."]);
    hostile.has_run();
    let git = Git::alone(&crds);
    for call in CALLS {
        assert!(!git.run(call).unwrap().status.success(), "{call:?}");
        assert!(!hostile.has_run(), "{call:?}");
    }
}

/// What git answers does not depend on the settings in a repository.
#[test]
fn replaced_objects_and_grafts_change_no_answer() {
    let hostile = Hostile::new();
    let work = hostile.path("work");
    let git = Git::alone(&work);
    let before = git.output(&["cat-file", "blob", "HEAD:a.yaml"]).unwrap();
    hostile.plain(&work, &["replace", "HEAD:a.yaml", "HEAD:b.yaml"]);
    assert_eq!(git.output(&["cat-file", "blob", "HEAD:a.yaml"]).unwrap(), before);
    hostile
        .plain(&work, &["-c", "user.name=A", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m", "b"]);
    hostile.plain(&work, &["-c", "user.name=A", "-c", "user.email=a@b", "tag", "v1.0.0", "HEAD~1"]);
    let tag = git.output(&["describe", "--tags", "--abbrev=0"]).unwrap();
    let head = git.resolve("HEAD").unwrap();
    fs::create_dir_all(work.join(".git/info")).unwrap();
    fs::write(work.join(".git/info/grafts"), format!("{head}\n")).unwrap();
    assert_eq!(git.output(&["describe", "--tags", "--abbrev=0"]).unwrap(), tag);
}
