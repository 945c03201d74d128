//! Measures how long published bundles take to be read: one bundle for each path (a file, or a folder with files), and as
//! many threads. `cargo run --release -p crd-bundle --example read_published -- [--times N] PATH…`

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use crd_bundle::published::{Input, Published, read};
use crd_diagnostics::Diagnostic;

fn files(path: &Path, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    if !path.is_dir() {
        found.push(path.to_owned());
        return Ok(());
    }
    let mut entries: Vec<PathBuf> =
        fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    entries.iter().try_for_each(|entry| files(entry, found))
}

fn bundle(path: &Path) -> std::io::Result<Result<Published, Vec<Diagnostic>>> {
    let mut found = Vec::new();
    files(path, &mut found)?;
    let inputs = found.iter().map(|file| Ok(Input::new(file.to_string_lossy(), fs::read(file)?)));
    Ok(read(&path.to_string_lossy(), inputs.collect::<std::io::Result<Vec<Input>>>()?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut paths: Vec<PathBuf> = env::args_os().skip(1).map(PathBuf::from).collect();
    let mut times = 1;
    if paths.first().is_some_and(|first| first.as_os_str() == "--times") {
        times = paths.get(1).and_then(|number| number.to_str()).ok_or("--times takes a number")?.parse()?;
        paths.drain(..2);
    }
    let mut all: Vec<Duration> = Vec::new();
    for turn in 0..times {
        let start = Instant::now();
        let bundles: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = paths.iter().map(|path| scope.spawn(|| bundle(path))).collect();
            threads.into_iter().map(|thread| thread.join()).collect()
        });
        all.push(start.elapsed());
        for (path, bundle) in paths.iter().zip(bundles).filter(|_| turn == 0) {
            match bundle.map_err(|_| "a thread has panicked")?? {
                Ok(published) => {
                    println!(
                        "{}: {} CRDs, {} skipped",
                        path.display(),
                        published.crds.len(),
                        published.passed_over.len()
                    );
                }
                Err(errors) => errors.iter().take(3).for_each(|error| println!("{:.400}", error.to_string())),
            }
        }
    }
    all.sort();
    println!(
        "{} times: fastest {:?}, median {:?}, slowest {:?}",
        times,
        all[0],
        all[all.len() / 2],
        all[all.len() - 1]
    );
    Ok(())
}
