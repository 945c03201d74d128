//! The commands of the README and of the pages for first steps of authors, maintainers and operators, as a reader runs them: every command of a page
//! in one shell and an empty folder, with the files and the output that the page shows, without a network and with the programs of the system only.
//!
//! `pages/PAGE.sh` has what the commands of a page read, and what is expected of them. It is made of sections:
//!
//! * `# before: COMMAND`: lines that run before the command, and `# after: COMMAND` after it.
//! * `# exit 1: COMMAND`: its exit code, if that is not 0.
//! * `# elsewhere: COMMAND`: another test runs it.
//!
//! `COMMAND` is the beginning of a command of the page. `pages/programs.sh` replaces the network and programs of other projects.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{PACKAGE, target, text};

/// The pages of a shell: each continues where the one before it ends.
const SHELLS: [&[&str]; 5] = [
    &["README.md"],
    &["docs/getting-started.md", "docs/checking.md", "docs/history.md", "docs/ci.md", "docs/sources.md"],
    &["docs/from-kube-rs.md"],
    &["docs/from-controller-gen.md"],
    &["docs/inspect.md"],
];

/// A command of a page, with its line.
struct Step {
    at: String,
    command: String,
    /// What the page shows of its output. A line `…` takes the place of any lines.
    output: Option<String>,
    code: i32,
    before: String,
    after: String,
}

/// The commands of a page.
fn steps(name: &str, page: &str) -> Vec<Step> {
    let (mut steps, mut files, mut file) = (Vec::<Step>::new(), String::new(), None);
    let mut lines = page.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(marked) = line.trim().strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->")) {
            file = Some(marked);
        }
        let Some(language) = line.trim_start().strip_prefix("```").filter(|language| !language.is_empty()) else {
            continue;
        };
        // A block in a list is indented.
        let indent = line.len() - line.trim_start().len();
        let block = lines.by_ref().map(|(_, line)| line.get(indent..).unwrap_or_default());
        let block = block.take_while(|line| *line != "```").collect::<Vec<_>>();
        if let Some(file) = file.take() {
            let text = block.join("\n");
            write!(files, "mkdir -p \"$(dirname {file})\"\ncat >{file} <<'END_OF_FILE'\n{text}\nEND_OF_FILE\n")
                .unwrap();
        } else if let "sh" | "console" = language {
            for (offset, line) in block.into_iter().enumerate() {
                let command = if language == "sh" { Some(line) } else { line.strip_prefix("$ ") };
                match (command, steps.last_mut()) {
                    (Some(""), _) => {}
                    (Some(command), _) => steps.push(Step {
                        at: format!("{name}:{}", number + offset + 2),
                        command: command.to_owned(),
                        output: (language == "console").then(String::new),
                        code: 0,
                        before: std::mem::take(&mut files),
                        after: String::new(),
                    }),
                    (None, Some(Step { output: Some(output), .. })) => writeln!(output, "{line}").unwrap(),
                    (None, _) => panic!("{name}:{}: output of no command", number + offset + 2),
                }
            }
        }
    }
    assert_eq!(files, "", "{name}: no command reads the last file");
    steps
}

/// Adds the sections of the file of a page to its commands.
fn add_sections(steps: &mut Vec<Step>, sections: &str) {
    for section in sections.split("\n# ").skip(1) {
        let (heading, lines) = section.split_once('\n').unwrap_or((section, ""));
        let (kind, command) = heading.split_once(": ").unwrap();
        let index = steps.iter().position(|step| step.command.starts_with(command));
        let index = index.unwrap_or_else(|| panic!("`{heading}`: no page has this command"));
        match kind.split_once(' ') {
            None if kind == "before" => steps[index].before.push_str(lines),
            None if kind == "after" => steps[index].after.push_str(lines),
            None if kind == "elsewhere" => drop(steps.remove(index)),
            Some(("exit", code)) => steps[index].code = code.parse().unwrap(),
            _ => panic!("`{heading}`: unknown section"),
        }
    }
}

/// A shell in a new folder `work` that runs the lines with the programs of `pages/programs.sh`.
pub(super) fn shell(base: &Path, lines: &str) -> Command {
    let _ = fs::remove_dir_all(base);
    fs::create_dir_all(base.join("work")).unwrap();
    let pages = Path::new(PACKAGE).join("tests/pages");
    let mut command = Command::new("bash");
    command.args(["-c", &format!("source \"$PAGES/programs.sh\"\n{lines}")]).current_dir(base.join("work"));
    command.env("BASE", base).env("PAGES", &pages).env("PROGRAM", env!("CARGO_BIN_EXE_crd-channels"));
    command.env("REPOSITORY", Path::new(PACKAGE).join("../..").canonicalize().unwrap());
    // As in `Adopter`, so that all workspaces share what cargo builds.
    command.env("CARGO_TARGET_DIR", target()).env("CARGO_PROFILE_DEV_BUILD_OVERRIDE_OPT_LEVEL", "1");
    for variable in ["CARGO_MANIFEST_DIR", "CARGO_MANIFEST_PATH", "CLICOLOR_FORCE", "CARGO_TERM_COLOR"] {
        command.env_remove(variable);
    }
    command.env("CARGO_TERM_QUIET", "true");
    // Crates are in the caches of cargo. A page must not need anything else of a network, nor a program that only this machine has.
    let toolchain = Path::new(env!("CARGO")).parent().unwrap();
    let programs = [toolchain, Path::new("/usr/bin"), Path::new("/bin")];
    command.env("PATH", std::env::join_paths(programs).unwrap());
    command.env("CARGO_NET_OFFLINE", "true").env("GIT_ALLOW_PROTOCOL", "file");
    for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        command.env(proxy, "http://127.0.0.1:1").env(proxy.to_lowercase(), "http://127.0.0.1:1");
    }
    command.env_remove("NO_PROXY").env_remove("no_proxy");
    command
}

/// Runs the commands in one shell, and panics at the first one that does not end as it should.
fn run(name: &str, steps: &[Step]) {
    // Outside this repository, whose settings would apply below it, and always at the same path, so that cargo builds little again.
    let place = env!("CARGO_TARGET_TMPDIR").replace(['/', '\\', ':'], "-");
    let base = std::env::temp_dir().join(format!("pages{place}")).join(name);
    let mut lines = "set -uo pipefail\n".to_owned();
    for (index, Step { at, command, code, before, after, .. }) in steps.iter().enumerate() {
        let (quoted, out) = (command.replace('\'', "'\\''"), format!("\"$BASE\"/{index}.out"));
        write!(
            lines,
            "{before}\n{{ eval '{quoted}'; }} >{out} 2>&1 </dev/null; code=$?\n\
             [ $code = {code} ] || {{ echo '{at}: {quoted}: exit code '$code', not {code}'; cat {out}; exit 1; }}\n{after}\n"
        )
        .unwrap();
    }
    let ran = shell(&base, &lines).output().unwrap();
    assert!(ran.status.success(), "{}{}", text(&ran.stdout), text(&ran.stderr));
    for (index, Step { at, command, output, .. }) in steps.iter().enumerate() {
        let found = fs::read_to_string(base.join(format!("{index}.out"))).unwrap();
        let mut rest = &*found;
        for part in output.iter().flat_map(|output| output.split("…\n")) {
            let after = rest.split_once(part).map(|(_, after)| after);
            rest = after.unwrap_or_else(|| panic!("{at}: {command}: the page shows\n{part}\nand it prints\n{found}"));
        }
    }
}

#[test]
fn every_command_of_the_first_pages_works() {
    let repository = Path::new(PACKAGE).join("../..");
    if !repository.join("README.md").exists() {
        println!("skipped: {} does not exist", repository.join("README.md").display());
        return;
    }
    let _guard = super::TARGET.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    for pages in SHELLS {
        let mut all = Vec::new();
        for page in pages {
            let mut steps = steps(page, &fs::read_to_string(repository.join(page)).unwrap());
            let name = Path::new(page).file_stem().unwrap().to_str().unwrap();
            let sections =
                fs::read_to_string(Path::new(PACKAGE).join(format!("tests/pages/{name}.sh"))).unwrap_or_default();
            add_sections(&mut steps, &sections);
            assert!(!steps.is_empty(), "{page} has no command");
            all.extend(steps);
        }
        run(Path::new(pages[0]).file_stem().unwrap().to_str().unwrap(), &all);
    }
}
