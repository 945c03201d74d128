//! Only the writer writes, and each code has a page.

use std::fs;
use std::path::Path;

fn sources() -> Vec<(String, String)> {
    let entries = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.map(|path| (path.file_name().unwrap().display().to_string(), fs::read_to_string(path).unwrap())).collect()
}

/// One file sends requests, and one file builds those that are not GET. Nothing uses kube's typed interface, which can write.
#[test]
fn only_the_writer_sends_other_requests_than_get() {
    let sources = sources();
    assert!(sources.len() > 10);
    for (file, text) in &sources {
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
        for word in ["kube::Api", "kube::api", "kube::core", ".request(", ".request_text("] {
            assert!(!code.contains(word), "{file} contains {word}");
        }
        let has = |word: &str| code.contains(word);
        assert_eq!(has("Request::builder("), file == "requests.rs", "{file}");
        for method in ["Method::POST", "Method::PUT", "Method::PATCH", "Method::DELETE"] {
            assert_eq!(has(method), file == "write.rs", "{file} and {method}");
        }
        // Methods have one form, and messages with other methods have one builder.
        for word in ["Method::from", "\"POST\"", "\"PUT\"", "\"PATCH\"", "\"DELETE\"", "Method::try_from"] {
            assert!(!has(word), "{file} contains {word}");
        }
        assert_eq!(has("Message {"), file == "write.rs", "{file}");
    }
}

#[test]
fn every_code_has_one_page() {
    let pages = crd_diagnostics::page::pages(crd_cluster::PAGES).map(|page| page.code).collect::<Vec<_>>();
    assert_eq!(crd_cluster::CODES.iter().map(|code| code.name).collect::<Vec<_>>(), pages);
}
