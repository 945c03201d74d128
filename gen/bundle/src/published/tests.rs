//! Tests of reading published bundles.

mod bad;
mod bytes;
mod choice;
mod forms;
mod history;
mod imports;
mod odd;

use crd_model::channel::Channel;
use std::io::Write as _;

use crd_diagnostics::text::one_line;

use super::*;

/// A CRD, and all that is needed of one.
pub(super) const THING: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    example.com/bundle-version: v1.2.0
    example.com/channel: standard
  name: things.example.com
spec:
  group: example.com
  names:
    kind: Thing
    plural: things
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          spec:
            properties:
              size:
                type: integer
            type: object
        type: object
    served: true
    storage: true
";

/// The same CRD by another name.
fn thing(plural: &str) -> String {
    THING.replace("things", plural)
}

/// The names of the CRDs in one input, in its order of names.
fn names(name: &str, bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let published = read("the bundle", [Input::new(name, bytes)]).unwrap_or_else(|errors| panic!("{}", lines(&errors)));
    published.crds.iter().map(|crd| crd.crd.name.to_string()).collect()
}

/// The errors of one input, as they are printed.
fn errors(name: &str, bytes: impl Into<Vec<u8>>) -> Vec<String> {
    let errors = read("the bundle", [Input::new(name, bytes)]).expect_err("there are errors");
    errors.iter().map(one_line).collect()
}

/// The CRD in one input, and the warnings, as they are printed.
fn warned(name: &str, bytes: impl Into<Vec<u8>>) -> (CustomResourceDefinition, Vec<String>) {
    let read = read("the bundle", [Input::new(name, bytes)]);
    let mut published = read.unwrap_or_else(|errors| panic!("{}", lines(&errors)));
    (published.crds.remove(0).crd, published.warnings.iter().map(one_line).collect())
}

fn lines(errors: &[Diagnostic]) -> String {
    errors.iter().map(|error| format!("{}\n", one_line(error))).collect()
}

/// A tar archive of files.
fn tar<B: AsRef<[u8]>>(files: &[(&str, B)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (path, bytes) in files {
        let mut header = tar::Header::new_ustar();
        // Not `set_path`, which refuses what an archive may well hold.
        header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
        header.set_size(bytes.as_ref().len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        builder.append(&header, bytes.as_ref()).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gzip(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes.as_ref()).unwrap();
    encoder.finish().unwrap()
}
