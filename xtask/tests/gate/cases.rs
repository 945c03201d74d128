//! Ways to hide a breaking change from the gate, and changes that break no user (`cases.yaml`): each in a repository of its own, with the gate as the
//! hook and the action run it.

use super::*;

/// The cases of a kind.
fn cases(kind: &str) -> Vec<Value> {
    let document = yaml::read(include_str!("cases.yaml")).unwrap().remove(0);
    let cases = document[kind].as_array().unwrap();
    let is_known = |key: &String| ["case", "setup", "run", "prints"].contains(&key.as_str());
    assert!(cases.iter().all(|case| case.as_object().unwrap().keys().all(is_known)), "a key that no case has");
    cases.clone()
}

impl Project {
    fn script(&self, script: &str) -> Output {
        let prelude = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/gate/prelude.sh");
        let mut command = self.command("bash");
        command.args(["-euc", &format!("source '{prelude}'\n{script}")]).env("OURS", self.clone_of_ours());
        command.env("ACTION", steps(&action())[2]["run"].as_str().unwrap()).output().unwrap()
    }
}

/// What is wrong, if the gate ends with another code or prints something else.
fn fault(case: &Value, codes: &[i32]) -> Option<String> {
    let text = |key: &str| case[key].as_str().unwrap_or_default();
    let (name, project) = (text("case"), Project::new());
    fs::write(project.folder.path().join("lamps.yaml"), CRD).unwrap();
    let setup = project.script(text("setup"));
    assert!(setup.status.success(), "{name}: {}", printed(&setup));
    let ended = project.script(text("run"));
    let (code, printed) = (ended.status.code(), printed(&ended));
    let is_expected =
        code.is_some_and(|code| codes.contains(&code)) && printed.contains(case["prints"].as_str().unwrap());
    (!is_expected).then(|| format!("{name}: {code:?}\n{printed}"))
}

fn assert_all(kind: &str, least: usize, codes: &[i32]) {
    let cases = cases(kind);
    let faults = crd_model::parallel::each(&cases, |case| fault(case, codes)).into_iter().flatten().collect::<Vec<_>>();
    assert!(cases.len() >= least && faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_hides_a_breaking_change() {
    assert_all("hidden", 26, &[1, 2]);
}

#[test]
fn harmless_changes_pass() {
    assert_all("harmless", 10, &[0]);
}
