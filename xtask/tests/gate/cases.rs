//! Ways to hide a breaking change from the gate, and changes that break no user: each in a repository of its own, with the gate as the hook and the
//! action run it.

use super::*;

/// What a run of the gate ended with: the exit code, and what was printed.
type Ended = (Option<i32>, String);

impl Project {
    fn path(&self, path: &str) -> PathBuf {
        self.work().join(path)
    }

    /// A breaking change, committed.
    fn break_users(&self) {
        self.maximum(5);
        self.commit("second");
    }

    fn link(&self, path: &str, target: impl AsRef<Path>) {
        let _ = fs::remove_file(self.path(path));
        std::os::unix::fs::symlink(target, self.path(path)).unwrap();
    }

    fn rename(&self, from: &str, to: &str) {
        fs::rename(self.path(from), self.path(to)).unwrap();
    }

    /// The gate as the hook runs it, with the first commit as base.
    fn hook(&self) -> Ended {
        self.gate(&["config/crd"], Some("HEAD~1"))
    }

    /// The gate with other variables or in another folder.
    fn run(&self, arguments: &[&str], set: impl Fn(&mut Command)) -> Ended {
        let mut command = self.command(self.clone_of_ours().join(".ci/gate"));
        command.args(arguments).args(["--channel", "standard"]);
        set(&mut command);
        let output = command.output().unwrap();
        (output.status.code(), printed(&output))
    }

    /// The last step of the action.
    fn action(&self, base: &str, options: &str) -> Ended {
        let built = self.clone_of_ours().join("target/gate/bin/crd-channels");
        fs::create_dir_all(built.parent().unwrap()).unwrap();
        script(&built, "#!/bin/sh\n");
        let mut command = self.command("bash");
        command.args(["-eo", "pipefail", "-c", steps(&action())[2]["run"].as_str().unwrap()]);
        command.env("GITHUB_ACTION_PATH", self.clone_of_ours()).env("CRDS", "config/crd");
        let output = command.env("CRD_BASE", base).env("OPTIONS", options).output().unwrap();
        (output.status.code(), printed(&output))
    }

    /// A breaking change of a CRD that is moved at the same time.
    fn move_rooms(&self) {
        let rooms = CRD.replace("lamp", "room").replace("Lamp", "Room");
        self.write("config/more/rooms.yaml", &rooms);
        self.commit("two");
        fs::remove_file(self.path("config/more/rooms.yaml")).unwrap();
        self.write("config/crd/rooms.yaml", &rooms.replace("10", "5"));
        self.commit("moved");
    }

    /// The file of the object with the CRD in a commit.
    fn object(&self, revision: &str) -> PathBuf {
        let name = self.git(&["rev-parse", &format!("{revision}:{PATH}")]);
        self.path(".git/objects").join(&name[..2]).join(&name[2..])
    }

    /// The same with the work tree of a shallow clone.
    fn shallow(&self) {
        let origin = self.folder.path().join("origin");
        fs::rename(self.work(), &origin).unwrap();
        let url = format!("file://{}", origin.display());
        assert!(git(self.folder.path(), &["clone", "--quiet", "--depth=1", &url, "work"]).status.success());
    }
}

/// A case: what it is, how the repository is built and the gate runs, and a text that it prints.
type Case = (&'static str, fn(&Project) -> Ended, &'static str);

const MAJOR: &str = "This needs a major bundle.";

/// Ways to hide a breaking change, or that nothing was compared.
const HIDDEN: &[Case] = &[
    (
        "a link to a file outside",
        |p| {
            let outside = p.folder.path().join("lamps.yaml");
            fs::write(&outside, CRD).unwrap();
            p.link(PATH, &outside);
            p.commit("link");
            p.gate(&["config/crd"], Some("HEAD"))
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a file that becomes a link to a file outside",
        |p| {
            let outside = p.folder.path().join("lamps.yaml");
            fs::write(&outside, CRD).unwrap();
            p.link(PATH, "../../../lamps.yaml");
            p.commit("link");
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a link to nothing",
        |p| {
            p.link(PATH, "nothing.yaml");
            p.commit("link");
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a link to nothing in the base",
        |p| {
            p.link(PATH, "nothing.yaml");
            p.commit("link");
            fs::remove_file(p.path(PATH)).unwrap();
            p.break_users();
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a loop of links",
        |p| {
            p.link(PATH, "lamps.yaml");
            p.commit("link");
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a link to a file in another folder of the repository",
        |p| {
            p.write("shared/lamps.yaml", CRD);
            p.link(PATH, "../../shared/lamps.yaml");
            p.commit("link");
            p.write("shared/lamps.yaml", &CRD.replace("10", "5"));
            p.commit("second");
            p.hook()
        },
        MAJOR,
    ),
    (
        "a linked folder",
        |p| {
            p.link("crds", "config/crd");
            p.commit("link");
            p.break_users();
            p.gate(&["crds"], Some("HEAD~1"))
        },
        MAJOR,
    ),
    (
        "export-ignore",
        |p| {
            p.write(".gitattributes", "config/crd export-ignore\n*.yaml export-ignore\n");
            p.commit("attributes");
            p.break_users();
            p.hook()
        },
        MAJOR,
    ),
    (
        "a path that begins with `../`",
        |p| {
            p.break_users();
            fs::create_dir(p.path("sub")).unwrap();
            p.run(&["../config/crd"], |gate| _ = gate.current_dir(p.path("sub")).env("CRD_BASE", "HEAD~1"))
        },
        MAJOR,
    ),
    (
        "an absolute path",
        |p| {
            p.break_users();
            p.gate(&[p.path("config/crd").to_str().unwrap()], Some("HEAD~1"))
        },
        MAJOR,
    ),
    ("a mistyped path", |p| p.gate(&["confg/crd"], Some("HEAD")), "`confg/crd` has no CRDs, neither in HEAD nor now"),
    ("no path", |p| p.gate(&[""], Some("HEAD")), "the path of the CRDs is empty"),
    (
        "a renamed folder",
        |p| {
            p.rename("config", "deploy");
            p.commit("renamed");
            p.hook()
        },
        "--old-path config/crd",
    ),
    (
        "a renamed folder, by its new path",
        |p| {
            p.rename("config", "deploy");
            p.write("deploy/crd/lamps.yaml", &CRD.replace("10", "5"));
            p.commit("renamed");
            p.gate(&["deploy/crd"], Some("HEAD~1"))
        },
        "pass `--old-path config/crd`",
    ),
    (
        "a renamed folder, with its old path",
        |p| {
            p.rename("config", "deploy");
            p.write("deploy/crd/lamps.yaml", &CRD.replace("10", "5"));
            p.commit("renamed");
            p.gate(&["deploy/crd", "--old-path", "config/crd"], Some("HEAD~1"))
        },
        MAJOR,
    ),
    (
        "a renamed file, by its new path",
        |p| {
            p.rename(PATH, "config/crd/lights.yaml");
            p.commit("renamed");
            p.gate(&["config/crd/lights.yaml"], Some("HEAD~1"))
        },
        "pass `--old-path config/crd`",
    ),
    (
        "a CRD that is moved into the path",
        |p| {
            p.move_rooms();
            p.hook()
        },
        "pass `--old-path config/more`",
    ),
    (
        "a CRD that is moved into the path, with its old path",
        |p| {
            p.move_rooms();
            p.gate(&["config/crd", "--old-path", "config/more"], Some("HEAD~1"))
        },
        "rooms.example.com",
    ),
    (
        "a path in another case",
        |p| {
            p.rename("config/crd", "config/CRD");
            p.commit("renamed");
            p.hook()
        },
        "`config/crd` has no CRDs now",
    ),
    (
        "no temporary folder",
        |p| {
            p.break_users();
            p.run(&["config/crd"], |gate| _ = gate.env("CRD_BASE", "HEAD~1").env("TMPDIR", "/dev/full"))
        },
        MAJOR,
    ),
    (
        "a missing object",
        |p| {
            p.break_users();
            fs::remove_file(p.object("HEAD~1")).unwrap();
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a truncated object",
        |p| {
            p.break_users();
            let object = p.object("HEAD~1");
            let half = fs::read(&object).unwrap();
            fs::remove_file(&object).unwrap();
            fs::write(&object, &half[..half.len() / 2]).unwrap();
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a shallow clone with an empty base",
        |p| {
            p.break_users();
            p.shallow();
            p.action("", "--channel standard")
        },
        "`config/crd` would be compared with itself: this is a shallow clone",
    ),
    (
        "an empty base without a tag",
        |p| {
            p.break_users();
            p.action("", "--channel standard")
        },
        "`config/crd` would be compared with itself: the base is empty",
    ),
    (
        "an empty base, and a tag that was moved to HEAD",
        |p| {
            p.git(&["tag", "v1.0.0"]);
            p.break_users();
            p.git(&["tag", "--force", "v1.0.0"]);
            p.action("", "--channel standard")
        },
        "the base is v1.0.0, which is HEAD",
    ),
    (
        "an empty base, and an older tag",
        |p| {
            p.git(&["tag", "v1.0.0"]);
            p.break_users();
            p.action("", "--channel standard")
        },
        MAJOR,
    ),
    (
        "a shallow clone whose base cannot be fetched",
        |p| {
            p.break_users();
            p.shallow();
            p.action("no-such-branch", "--channel standard")
        },
        "the commit no-such-branch is not here, and cannot be fetched",
    ),
    ("a base with a refspec", |p| p.gate(&["config/crd"], Some("HEAD:refs/heads/x")), "is not the name of a commit"),
    ("a base that is an option", |p| p.gate(&["config/crd"], Some("--upload-pack=x")), "cannot be fetched"),
    ("a base with spaces", |p| p.gate(&["config/crd"], Some("HEAD HEAD")), "cannot be fetched"),
    (
        "options in later lines",
        |p| {
            p.maximum(20);
            p.commit("second");
            p.action("HEAD~1", "--channel standard\n  --fail-on minor\n")
        },
        "`--fail-on minor` does not permit it",
    ),
    (
        "a deleted folder",
        |p| {
            fs::remove_dir_all(p.path("config")).unwrap();
            p.commit("deleted");
            p.hook()
        },
        "`config/crd` has no CRDs now",
    ),
    (
        "one deleted CRD of two",
        |p| {
            p.write("config/crd/rooms.yaml", &CRD.replace("lamp", "room").replace("Lamp", "Room"));
            p.commit("two");
            fs::remove_file(p.path(PATH)).unwrap();
            p.commit("deleted");
            p.hook()
        },
        "lamps.example.com",
    ),
    (
        "a submodule",
        |p| {
            let head = p.git(&["rev-parse", "HEAD"]);
            p.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},config/crd/more")]);
            p.git(&["commit", "--quiet", "--message", "submodule"]);
            p.gate(&["config/crd"], Some("HEAD"))
        },
        "config/crd/more",
    ),
    (
        "a name that is not UTF-8",
        |p| {
            use std::os::unix::ffi::OsStrExt;
            fs::write(p.path("config/crd").join(std::ffi::OsStr::from_bytes(b"\xff.yaml")), CRD).unwrap();
            p.commit("name");
            p.hook()
        },
        "has a name that is not UTF-8",
    ),
    (
        "a name that was not UTF-8",
        |p| {
            use std::os::unix::ffi::OsStrExt;
            let odd = p.path("config/crd").join(std::ffi::OsStr::from_bytes(b"\xff.yaml"));
            fs::rename(p.path(PATH), &odd).unwrap();
            p.commit("name");
            fs::remove_file(odd).unwrap();
            p.break_users();
            p.hook()
        },
        "has a name that is not UTF-8",
    ),
    (
        "a hidden name",
        |p| {
            p.rename(PATH, "config/crd/.lamps.yaml");
            p.commit("hidden");
            p.hook()
        },
        "config/crd",
    ),
    (
        "another extension",
        |p| {
            p.rename(PATH, "config/crd/lamps.txt");
            p.commit("renamed");
            p.hook()
        },
        "config/crd",
    ),
    (
        "a compressed file",
        |p| {
            p.rename(PATH, "config/crd/lamps.yaml.gz");
            p.commit("renamed");
            p.hook()
        },
        "config/crd",
    ),
    (
        "a pointer of Git LFS in the base",
        |p| {
            p.write(PATH, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n");
            p.commit("pointer");
            p.break_users();
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "skip-worktree",
        |p| {
            p.break_users();
            p.git(&["update-index", "--skip-worktree", PATH]);
            p.maximum(10);
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "assume-unchanged",
        |p| {
            p.break_users();
            p.git(&["update-index", "--assume-unchanged", PATH]);
            p.maximum(10);
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a file that git no longer tracks",
        |p| {
            p.git(&["rm", "--quiet", "--cached", PATH]);
            p.gate(&["config/crd"], Some("HEAD"))
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a sparse checkout",
        |p| {
            p.write("config/crd/a/rooms.yaml", &CRD.replace("lamp", "room").replace("Lamp", "Room"));
            p.commit("two");
            p.git(&["sparse-checkout", "set", "--cone", "config"]);
            p.git(&["sparse-checkout", "set", "--no-cone", "/config/crd/lamps.yaml"]);
            p.gate(&["config/crd"], Some("HEAD"))
        },
        "config/crd/a/rooms.yaml",
    ),
    (
        "an emptied file",
        |p| {
            p.write(PATH, "");
            p.commit("empty");
            p.hook()
        },
        "config/crd",
    ),
    (
        "a file that no longer parses",
        |p| {
            p.write(PATH, &CRD.replace("spec:", "spec: ]"));
            p.commit("broken");
            p.hook()
        },
        "config/crd/lamps.yaml",
    ),
    (
        "a CRD that appears twice",
        |p| {
            p.write("config/crd/z.yaml", &CRD.replace("10", "5"));
            p.commit("twice");
            p.hook()
        },
        "config/crd/z.yaml",
    ),
    (
        "a kustomization that does not list it",
        |p| {
            p.write("config/crd/kustomization.yaml", "resources: []\n");
            p.commit("kustomization");
            p.hook()
        },
        "config/crd",
    ),
    (
        "git replace",
        |p| {
            p.break_users();
            p.git(&["replace", &format!("HEAD~1:{PATH}"), &format!("HEAD:{PATH}")]);
            p.hook()
        },
        MAJOR,
    ),
    (
        "variables of a hook in another repository",
        |p| {
            p.break_users();
            let other = p.folder.path().join("other");
            assert!(git(p.folder.path(), &["init", "--quiet", "other"]).status.success());
            p.run(&["config/crd"], |gate| {
                gate.env("CRD_BASE", "HEAD~1").env("GIT_DIR", other.join(".git")).env("GIT_WORK_TREE", &other);
            })
        },
        MAJOR,
    ),
    (
        "no repository",
        |p| {
            fs::remove_dir_all(p.path(".git")).unwrap();
            p.gate(&["config/crd"], None)
        },
        "not a git repository",
    ),
    (
        "no git",
        |p| {
            std::os::unix::fs::symlink("/bin/bash", p.programs().join("bash")).unwrap();
            p.run(&["config/crd"], |gate| _ = gate.env("PATH", p.programs()))
        },
        "`git rev-parse --show-prefix` cannot be run",
    ),
];

/// Changes that break no user.
const HARMLESS: &[Case] = &[
    ("no change", |p| p.gate(&["config/crd/"], None), "the base is HEAD, because it has no tag before it"),
    (
        "a wider range",
        |p| {
            p.maximum(20);
            p.commit("second");
            p.hook()
        },
        "This needs a minor bundle.",
    ),
    (
        "line ends of Windows and a byte order mark",
        |p| {
            p.write(PATH, &format!("\u{feff}{}", CRD.replace('\n', "\r\n")));
            p.commit("second");
            p.hook()
        },
        "nothing to report",
    ),
    (
        "attributes for line ends and keywords",
        |p| {
            p.write(".gitattributes", "*.yaml text eol=crlf export-subst ident\n");
            p.commit("second");
            p.hook()
        },
        "nothing to report",
    ),
    (
        "a list",
        |p| {
            let indented = CRD.replace('\n', "\n  ");
            p.write(PATH, &format!("apiVersion: v1\nkind: List\nitems:\n- {}\n", indented.trim_end()));
            p.commit("second");
            p.hook()
        },
        "nothing to report",
    ),
    (
        "another file name",
        |p| {
            p.rename(PATH, "config/crd/a: b.yml");
            p.commit("second");
            p.hook()
        },
        "nothing to report",
    ),
    (
        "a new path, next to the one before",
        |p| {
            p.write("new/lamps.yaml", CRD);
            p.commit("second");
            p.gate(&["new"], Some("HEAD~1"))
        },
        "new is not part of HEAD~1: nothing to compare with",
    ),
    (
        "the first CRD of a folder",
        |p| {
            p.write("docs/README.md", "a");
            p.write("docs/notes.yaml", "a: b\n");
            p.commit("second");
            p.write("docs/rooms.yaml", &CRD.replace("lamp", "room").replace("Lamp", "Room"));
            p.gate(&["docs"], Some("HEAD"))
        },
        "docs is not part of HEAD",
    ),
    (
        "a link inside the folder, and a link to it",
        |p| {
            p.link("config/crd/z.yaml", "lamps.yaml");
            p.link("config/more", "crd");
            p.commit("second");
            p.gate(&["config"], Some("HEAD"))
        },
        "nothing to report",
    ),
    (
        "a folder that was renamed, with its old path",
        |p| {
            p.rename("config", "deploy");
            p.commit("second");
            p.gate(&["deploy/crd", "--old-path", "config/crd"], Some("HEAD~1"))
        },
        "nothing to report",
    ),
    ("the first push of a branch", |p| p.gate(&["config/crd"], Some(&"0".repeat(40))), "this is the first push"),
    (
        "the first commit",
        |p| {
            fs::remove_dir_all(p.path(".git")).unwrap();
            p.git(&["init", "--quiet"]);
            p.gate(&["config/crd"], None)
        },
        "the branch has no commit yet",
    ),
    (
        "a submodule and a broken link elsewhere",
        |p| {
            let head = p.git(&["rev-parse", "HEAD"]);
            p.link("broken", "nothing");
            p.commit("link");
            p.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{head},more")]);
            p.git(&["commit", "--quiet", "--message", "submodule"]);
            p.gate(&["config/crd"], Some("HEAD"))
        },
        "nothing to report",
    ),
];

#[test]
fn nothing_hides_a_breaking_change() {
    let failed = crd_model::parallel::each(HIDDEN, |(name, run, part)| {
        let (code, printed) = run(&Project::new());
        let is_caught = matches!(code, Some(1 | 2)) && printed.contains(part);
        (!is_caught).then(|| format!("{name}: {code:?}\n{printed}"))
    });
    let failed = failed.into_iter().flatten().collect::<Vec<_>>();
    assert!(HIDDEN.len() >= 26 && failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn harmless_changes_pass() {
    let failed = crd_model::parallel::each(HARMLESS, |(name, run, part)| {
        let (code, printed) = run(&Project::new());
        (code != Some(0) || !printed.contains(part)).then(|| format!("{name}: {code:?}\n{printed}"))
    });
    let failed = failed.into_iter().flatten().collect::<Vec<_>>();
    assert!(HARMLESS.len() >= 10 && failed.is_empty(), "{}", failed.join("\n"));
}
