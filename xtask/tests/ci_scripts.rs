//! `.ci/run`: its jobs, what it prints of each step and test program, and the steps that became slower.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

/// Runs commands with the functions of `.ci/steps.bash`, in a folder.
fn steps(folder: &Path, commands: &str) -> String {
    let script = format!("source '{ROOT}/.ci/steps.bash'; cd '{}'; {commands}", folder.display());
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

fn run(argument: &str) -> Output {
    Command::new("bash").args([&format!("{ROOT}/.ci/run"), argument]).output().unwrap()
}

#[test]
fn the_workflow_runs_each_job_of_the_script() {
    let help = run("--help");
    assert!(help.status.success());
    let jobs = |lines: &str| -> Vec<String> {
        lines
            .lines()
            .filter_map(|line| Some(line.trim().strip_prefix("run ")?.split_whitespace().next()?.to_owned()))
            .collect()
    };
    let jobs: Vec<String> = jobs(text(&help.stdout)).into_iter().filter(|job| *job != "every").collect();
    assert_eq!(jobs.len(), 4, "{jobs:?}");
    let workflow = fs::read_to_string(format!("{ROOT}/.github/workflows/ci.yml")).unwrap();
    assert!(workflow.contains(&format!("job: [{}]", jobs.join(", "))), "{jobs:?}");
    let unknown = run("everything");
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).starts_with("error: unknown job `everything`\n"));
}

/// The table of `.ci/cold` has seconds and CPU seconds, cold and warm. Steps below 20 CPU seconds differ by chance.
#[test]
fn a_step_that_grew_by_more_than_a_quarter_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<!-- written by .ci/cold -->\n| step | cold, s | CPU s | warm, s | CPU s |\n|---|--:|--:|--:|--:|\n\
                | cargo clippy | 60 | 100 | 20 | 30 |\n| packages | 1 | 1 | 1 | 1 |\n<!-- end -->\n";
    fs::write(folder.path().join("CONTRIBUTING.md"), page).unwrap();
    let compared = |state: &str, cpu: u32| {
        let times = format!("printf 'cargo clippy\\t9\\t{cpu}\\npackages\\t9\\t19\\nnew step\\t9\\t90\\n' >\"$times\"");
        steps(folder.path(), &format!("{times}; state={state}; comparison"))
    };
    assert_eq!(compared("cold", 125), "");
    assert_eq!(compared("cold", 126), "slower than CONTRIBUTING.md (cold): cargo clippy: 126 CPU s, 100 before\n");
    assert!(compared("warm", 38).starts_with("slower than CONTRIBUTING.md (warm): cargo clippy: 38 "));
}

#[test]
fn steps_and_test_programs_print_their_times_and_the_sum() {
    let cargo = "printf '     Running tests/main.rs (target/a)\\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\\n'";
    let printed = steps(Path::new(ROOT), &format!("tests() {{ {cargo}; }}; step 'a step' run_tests tests; summary 3"));
    let has = |part: &str| assert!(printed.contains(part), "{part}: {printed}");
    has("== a step\n     Running tests/main.rs (target/a)\n");
    has("0 measured; 0.");
    has("CPU s  a step\n");
    has("CPU s  all steps\n\n3 passed, 0 failed, 1 skipped\n");
    let failing = format!("source '{ROOT}/.ci/steps.bash'; step 'a step' false");
    let output = Command::new("bash").args(["-c", &failing]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("== failed with exit code 1 after "), "{}", text(&output.stderr));
}
