//! A comment line is a marker or a list of reasons, wherever it is written, and no reason is empty.
#![no_main]

use crd_markers::docs::documentation;
use crd_markers::marker::parse;
use crd_markers::table::Target;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    for target in Target::ALL {
        match parse(text, target) {
            Ok(marker) => assert!(text.contains(&marker.name)),
            Err(faults) => assert!(!faults.is_empty() && faults.iter().all(|fault| !fault.is_empty())),
        }
    }
    let _ = documentation(text.lines());
});
