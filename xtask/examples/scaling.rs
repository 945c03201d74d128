//! How time and memory grow with the number of resources: `cargo run --release -p xtask --example scaling -- 1000`.
//!
//! Makes as many resources as asked for out of the real ones, under new kinds, and generates both channels into an empty
//! folder, reading everything back. One process per measurement, because the peak of its memory is the process's.

use std::time::Instant;

use command_line::{Catalogue, Session, run_in};
use crd_channels::{ResourceDescriptor, TypeDescriptor};
use crd_generate::settings::{FILE_NAME, Settings};

fn main() {
    let wanted: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10);
    let settings =
        "prefix: gateway.networking.k8s.io\nversion: v1.6.1\nannotations: {api-approved.kubernetes.io: unapproved}\n";
    let settings = Settings::read(FILE_NAME.as_ref(), settings, &[]).unwrap_or_default();
    let mut catalogue = Catalogue::new(settings);
    let mut resources = 0;
    'all: for round in 0.. {
        let mut last = "";
        for descriptor in gateway_api_types::RESOURCES {
            let Some(resource) = descriptor.resource else { continue };
            if resource.kind != last {
                if resources == wanted {
                    break 'all;
                }
                resources += 1;
                last = resource.kind;
            }
            // A measurement ends with its process: what is leaked here goes with it.
            let kind: &'static str = Box::leak(format!("{}{round}", resource.kind).into_boxed_str());
            let plural: &'static str = Box::leak(format!("{}{round}", resource.plural).into_boxed_str());
            let copy =
                TypeDescriptor { resource: Some(ResourceDescriptor { kind, plural, ..resource }), ..**descriptor };
            catalogue = catalogue.resources([&*Box::leak(Box::new(copy))]);
        }
    }
    let folder = std::env::temp_dir().join(format!("crd-channels-scaling-{}", std::process::id()));
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let start = Instant::now();
    let mut session = Session::new(std::env::temp_dir(), &mut out, &mut err);
    let exit = run_in(&catalogue, ["generate", "--out", &folder.to_string_lossy()], &mut session);
    let elapsed = start.elapsed();
    let written = size_of(&folder);
    let _ = std::fs::remove_dir_all(&folder);
    print!("{}{}", String::from_utf8_lossy(&out), String::from_utf8_lossy(&err));
    println!(
        "{resources} resources: {exit:?}, {:.3} ms, {:.1} us per resource, {written} bytes written, peak memory {} bytes = {:.2} x output + 4 MiB",
        elapsed.as_secs_f64() * 1e3,
        elapsed.as_secs_f64() * 1e6 / resources as f64,
        peak_memory(),
        (peak_memory() as f64 - (4 << 20) as f64) / written as f64,
    );
}

fn size_of(folder: &std::path::Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .filter_map(Result::ok)
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

/// The process's peak resident memory in bytes, as Linux counts it; 0 elsewhere.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.split_whitespace().next().and_then(|kib| kib.parse::<u64>().ok()).unwrap_or_default() * 1024
}
