//! The texts that an editor has open.
//!
//! Invariant: a text is what the editor has, also if it differs from the file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crd_diagnostics::Diagnostic;
use lsp_types::{TextDocumentContentChangeEvent, Uri};

use crate::text::Encoding;

/// An open text.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) uri: Uri,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) version: i32,
    /// The diagnostics that the editor shows.
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// All open texts, by their addresses.
#[derive(Debug, Default)]
pub(crate) struct Documents(BTreeMap<String, Document>);

impl Documents {
    pub(crate) fn open(&mut self, uri: Uri, text: String, version: i32) {
        let path = path(&uri).unwrap_or_else(|| PathBuf::from(uri.as_str()));
        let key = uri.as_str().to_owned();
        self.0.insert(key, Document { uri, path, text, version, diagnostics: Vec::new() });
    }

    pub(crate) fn close(&mut self, uri: &Uri) {
        self.0.remove(uri.as_str());
    }

    pub(crate) fn get(&self, uri: &Uri) -> Option<&Document> {
        self.0.get(uri.as_str())
    }

    pub(crate) fn get_mut(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.0.get_mut(uri.as_str())
    }

    pub(crate) fn addresses(&self) -> Vec<Uri> {
        self.0.values().map(|document| document.uri.clone()).collect()
    }
}

impl Document {
    /// Applies changes in their order: a range each, or the whole text.
    pub(crate) fn change(&mut self, changes: Vec<TextDocumentContentChangeEvent>, version: i32, encoding: Encoding) {
        for TextDocumentContentChangeEvent { range, text, .. } in changes {
            match range {
                Some(range) => {
                    let start = encoding.byte(&self.text, range.start);
                    let end = encoding.byte(&self.text, range.end).max(start);
                    self.text.replace_range(start..end, &text);
                }
                None => self.text = text,
            }
        }
        self.version = version;
    }
}

/// The path of a file's address.
pub(crate) fn path(uri: &Uri) -> Option<PathBuf> {
    let encoded = uri.as_str().strip_prefix("file://")?;
    // A host is before the path.
    let encoded = &encoded[encoded.find('/')?..];
    let mut bytes = Vec::with_capacity(encoded.len());
    let mut rest = encoded.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let digits = [rest.next()?, rest.next()?];
                u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?
            }
            byte => byte,
        });
    }
    let path = String::from_utf8(bytes).ok()?;
    // `/C:/…` on Windows.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(PathBuf::from(if is_drive { &path[1..] } else { &path }))
}

/// The address of a file.
pub(crate) fn address(path: &Path) -> Option<Uri> {
    let mut text = "file://".to_owned();
    for byte in path.to_str()?.replace('\\', "/").bytes() {
        match byte {
            b'/' | b'-' | b'.' | b'_' | b'~' => text.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => text.push(char::from(byte)),
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text.parse().ok()
}
