//! The example of `docs/testing.md` prints what the page contains.

use command_line::{Exit, Session, run_in};

use crate::readme::code_block;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

#[test]
fn the_page_contains_what_is_printed() {
    let page = std::fs::read_to_string(format!("{ROOT}/docs/testing.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("class.suite.yaml"), code_block(&page)).unwrap();
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut session = Session::new(folder.path(), &mut out, &mut err);
    let arguments = ["test", "class.suite.yaml", "--coverage", "--root", ROOT];
    assert_eq!(run_in(&crate::catalogue::with_settings(), arguments, &mut session), Exit::Fine);
    drop(session);
    let out = String::from_utf8(out).unwrap();
    for block in page.split("```text\n").skip(1) {
        let block = &block[..block.find("```").unwrap()];
        for part in block.split("…\n") {
            assert!(out.contains(part), "{part}\n{out}");
        }
    }
}
