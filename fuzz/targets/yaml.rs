//! A text is read without a panic, as values that the writer writes and an independent reader reads as the same, and the fast reader of CRDs finds as many
//! documents as the usual one.
#![no_main]

use std::sync::Arc;

use crd_model::document::send_value;
use crd_model::yaml::{Start, YamlWriter, documents, SharedSchemas, read, reads_back, shared_documents};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(values) = read(text) else { return };
    for value in &values {
        let mut writer = YamlWriter::new(Start::Marker);
        send_value(value, &mut writer);
        let written = writer.finish();
        if let Err(mismatch) = reads_back(&written, |sink| send_value(value, sink)) {
            panic!("{mismatch}\n{written}");
        }
    }
    if let Some(fast) = shared_documents(&Arc::new(text.to_owned()), &SharedSchemas::default()) {
        assert_eq!(fast.len(), documents(text).count());
    }
});
