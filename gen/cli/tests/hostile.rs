//! Hostile input: archives and names made to write elsewhere, or to use up memory or time.
//!
//! Archives are only read, so their file names have no effect; the CRDs determine the names of written files. Each case
//! runs in its own process, whose memory the system measures.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::support::{THING, Tree, published, things, tree};
use crd_channels_cli::Exit;

/// The limit of memory: the largest input, its texts, and a little more.
const MOST_MEMORY: u64 = 256 << 20;

const MIB: usize = 1 << 20;

/// A workspace next to a file that must not be touched.
struct Sandbox {
    folder: tempfile::TempDir,
}

/// The result of an import.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) exit: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
    /// The time of processors that the process took; zero where the system does not report it.
    pub(crate) cpu: Duration,
}

impl Sandbox {
    fn new() -> Self {
        let folder = tempfile::Builder::new().prefix("crd-channels-hostile-").tempdir().unwrap();
        for (path, text) in [("root/Cargo.toml", "[workspace]\n"), ("secret.yaml", "secret: true\n")] {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { folder }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Imports bytes, in another process.
    fn import(&self, name: &str, bytes: &[u8]) -> Outcome {
        let inputs = tempfile::tempdir().unwrap();
        let input = inputs.path().join(name);
        fs::write(&input, bytes).unwrap();
        let input = &*input.to_string_lossy();
        let arguments = ["import", input, "--version", "v1.2.0", "--channel", "standard"];
        let outcome = measured(&format!("{name}: {} kB", bytes.len() / 1000), &self.path().join("root"), &arguments);
        let shown = |text: &str| text.replace(input, name);
        Outcome { out: shown(&outcome.out), err: shown(&outcome.err), ..outcome }
    }

    /// An import that is refused with these words, and writes nothing.
    #[track_caller]
    fn refuses(name: &str, bytes: &[u8], expected: &str) -> Outcome {
        let sandbox = Self::new();
        let before = tree(sandbox.path());
        let outcome = sandbox.import(name, bytes);
        crate::support::assert_untouched(&before, &tree(sandbox.path()));
        assert!(outcome.exit != Some(i32::from(Exit::Fine.code())) && outcome.err.contains(expected), "{outcome:?}");
        outcome
    }

    /// Imports the CRD of the archive, and writes nothing else.
    #[track_caller]
    fn takes(name: &str, bytes: &[u8]) -> Outcome {
        let sandbox = Self::new();
        let before = tree(sandbox.path());
        let outcome = sandbox.import(name, bytes);
        assert_eq!(
            (outcome.exit, &*outcome.out),
            (Some(0), "bundles/v1.2.0/standard: 1 CRD imported\n"),
            "{outcome:?}"
        );
        let after = tree(sandbox.path());
        let is_written = |path: &PathBuf| path.starts_with("root/bundles");
        let rest =
            after.iter().filter(|(path, _)| !is_written(path)).map(|(path, entry)| (path.clone(), entry.clone()));
        crate::support::assert_untouched(&before, &rest.collect::<Tree>());
        let written =
            after.keys().filter(|path| is_written(path)).map(|path| path.to_str().unwrap()).collect::<Vec<_>>();
        let expected = [
            "root/bundles",
            "root/bundles/v1.2.0",
            "root/bundles/v1.2.0/bundle.yaml",
            "root/bundles/v1.2.0/standard",
            &format!("root/bundles/v1.2.0/standard/{THING}"),
        ];
        assert_eq!(written, expected);
        outcome
    }
}

/// Runs a command in another process, which must not use much memory or time.
pub(crate) fn measured(name: &str, root: &Path, arguments: &[&str]) -> Outcome {
    let started = Instant::now();
    // The system limits the memory, and ends what blocks.
    let output = Command::new("sh")
        .args(["-c", "ulimit -v 4000000; exec timeout 600 \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["hostile::child", "--exact", "--nocapture", "--test-threads=1"])
        .env("CRD_HOSTILE_ARGUMENTS", arguments.join("\n"))
        .env("CRD_HOSTILE_ROOT", root)
        .output()
        .unwrap();
    // Idle it takes seconds; quadratic time would be hours.
    let took = started.elapsed();
    let text = String::from_utf8(output.stdout).unwrap();
    let printed = text.split("\u{1}").collect::<Vec<_>>();
    let &[_, out, err, memory, cpu, _] = printed.as_slice() else {
        panic!("{name}: {arguments:?}: {text}\n{}", String::from_utf8_lossy(&output.stderr))
    };
    let memory = memory.parse::<u64>().unwrap();
    let cpu = Duration::from_millis(cpu.parse().unwrap());
    println!(
        "{name}: {}: {took:?}, {cpu:?} of CPU, {} MiB: {}",
        arguments[0],
        memory >> 20,
        err.lines().next().unwrap_or(out)
    );
    assert!(memory < MOST_MEMORY, "{name}: {} MiB", memory >> 20);
    Outcome { exit: output.status.code(), out: out.to_owned(), err: err.to_owned(), cpu }
}

/// The command in the child process. Does nothing without the environment of the test.
#[test]
fn child() {
    let (Ok(arguments), Some(root)) = (std::env::var("CRD_HOSTILE_ARGUMENTS"), std::env::var_os("CRD_HOSTILE_ROOT"))
    else {
        return;
    };
    let arguments = arguments.split('\n').collect::<Vec<_>>();
    // Versions are those of a catalogue.
    let has_types =
        arguments.iter().any(|argument| argument.starts_with("v1.")) || ["check", "tombstones"].contains(&arguments[0]);
    let ran = match has_types {
        true => crate::support::run_at(Path::new(&root), &things(), &arguments),
        false => crate::support::program_at(Path::new(&root), &arguments),
    };
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak =
        status.lines().find_map(|line| line.strip_prefix("VmHWM:")).and_then(|rest| rest.split_whitespace().next());
    let peak = peak.map_or(0, |text| text.parse::<u64>().unwrap() * 1024);
    // Ticks of user and system time, 100 in a second.
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let times = stat.rsplit(") ").next().into_iter().flat_map(|rest| rest.split(' ').skip(11).take(2));
    let cpu = times.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>() * 10;
    println!("\u{1}{}\u{1}{}\u{1}{peak}\u{1}{cpu}\u{1}", ran.out, ran.err);
    std::process::exit(i32::from(ran.exit.code()));
}

/// A good CRD.
pub(crate) fn crd() -> String {
    fs::read_to_string(published(&things()).path().join("standard").join(THING)).unwrap()
}

/// A header of tar with any content.
fn header(path: &[u8], kind: u8, size: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path);
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_mode(0o6777);
    header.set_size(size);
    header.set_cksum();
    header
}

/// An entry with its bytes.
pub(crate) fn entry(path: &[u8], kind: u8, bytes: &[u8]) -> Vec<u8> {
    let mut all = header(path, kind, bytes.len() as u64).as_bytes().to_vec();
    all.extend(bytes);
    all.resize(all.len().next_multiple_of(512), 0);
    all
}

/// An archive of entries.
fn archive(entries: &[Vec<u8>]) -> Vec<u8> {
    [entries.concat(), vec![0; 1024]].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Gzip data of some bytes, followed by the same piece many times. Pieces of a deflate stream can be repeated if each ends at a byte and
/// refers back only to equal bytes.
fn gzip_of_many(first: &[u8], piece: &[u8], times: usize) -> Vec<u8> {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    for bytes in [first, piece] {
        encoder.write_all(bytes).unwrap();
        encoder.flush().unwrap();
    }
    let start = encoder.get_ref().len();
    encoder.write_all(piece).unwrap();
    encoder.flush().unwrap();
    let repeated = encoder.get_ref()[start..].to_vec();
    let mut all = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    all.extend(encoder.get_ref());
    for _ in 2..times {
        all.extend(&repeated);
    }
    // An empty last block; checksum and length are never reached.
    all.extend([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    all
}

/// Extended headers of tar, in the form of POSIX.
fn pax(records: &[(&str, &str)]) -> Vec<u8> {
    let record = |(key, value): &(&str, &str)| {
        let rest = format!(" {key}={value}\n");
        let length = (rest.len()..).find(|length| length.to_string().len() + rest.len() == *length).unwrap();
        format!("{length}{rest}")
    };
    entry(b"./PaxHeaders/x", b'x', records.iter().map(record).collect::<String>().as_bytes())
}

/// The name of a CRD decides where it is written, not its path in the archive.
#[test]
fn paths_lead_nowhere() {
    let crd = crd();
    let sandbox = Sandbox::new();
    let absolute = sandbox.path().join("secret.yaml").display().to_string();
    for path in [
        "../secret.yaml",
        "../../../../../../tmp/crd-hostile.yaml",
        &absolute,
        "/etc/crd-hostile.yaml",
        "a/../../secret.yaml",
        "a\\..\\..\\secret.yaml",
        "C:\\secret.yaml",
        "./../root/Cargo.toml.yaml",
        "\u{1b}[2J.yaml",
        "~/x.yaml",
        "$(touch x).yaml",
        "-rf.yaml",
    ] {
        let bytes = archive(&[entry(path.as_bytes(), b'0', crd.as_bytes())]);
        Sandbox::takes("paths.tar", &bytes);
        Sandbox::takes("paths.tar.gz", &gzip(&bytes));
        // The same by the extensions that take longer names.
        let bytes = archive(&[entry(b"././@LongLink", b'L', path.as_bytes()), entry(b"x", b'0', crd.as_bytes())]);
        Sandbox::takes("gnu.tar", &bytes);
        if path.is_ascii() {
            let bytes = archive(&[pax(&[("path", path)]), entry(b"x", b'0', crd.as_bytes())]);
            Sandbox::takes("pax.tar", &bytes);
        }
    }
    // A folder, a volume, a folder's listing, and headers for the whole archive are skipped; another kind is an error. Links have tests in
    // `gen/bundle/src/published/tests/forms.rs`.
    let good = entry(b"x.yaml", b'0', crd.as_bytes());
    let others = [b'5', b'V', b'D'].map(|kind| entry(&[kind, b'.', b'y'], kind, b"")).concat();
    Sandbox::takes("kinds.tar", &archive(&[others, entry(b"g", b'g', b"18 path=../x.yaml\n"), good.clone()]));
    let other = entry(b"Q.yaml", b'Q', b"");
    Sandbox::refuses("kinds.tar", &archive(&[other, good]), "Q.yaml: this is neither a file nor a folder");
    assert!(!Path::new("/tmp/crd-hostile.yaml").exists() && !Path::new("/etc/crd-hostile.yaml").exists());
    assert_eq!(fs::read_to_string(absolute).unwrap(), "secret: true\n");
}

/// Names in CRDs become file names, so CRDs with other characters are rejected.
#[test]
fn names_of_crds_lead_nowhere() {
    let good = crd();
    for (group, plural) in [
        ("things.example.com", "../../../../secret"),
        ("../../../..", "secret"),
        ("/etc", "passwd"),
        ("things.example.com", "a/b"),
        ("things.example.com", ".."),
        ("..", ".."),
        ("things.example.com", "a\\b"),
        ("things.example.com", "a\\u0000b"),
        ("things.example.com", "a\\nb"),
        ("", "things"),
        ("things.example.com", ""),
        ("C:", "things"),
        ("things.example.com", "Things"),
        ("~", "x"),
        ("things.example.com", "-rf"),
    ] {
        let quoted = |text: &str| {
            format!(
                "\"{}\"",
                text.replace('\\', if text.contains("\\u") || text.contains("\\n") { "\\" } else { "\\\\" })
            )
        };
        let name = quoted(&format!("{plural}.{group}"));
        let text = good
            .replace("name: things.things.example.com", &format!("name: {name}"))
            .replace("group: things.example.com", &format!("group: {}", quoted(group)))
            .replace("plural: things", &format!("plural: {}", quoted(plural)));
        assert_ne!(text, good);
        Sandbox::refuses("crd.yaml", text.as_bytes(), "error: ");
    }
    // As long as Kubernetes permits each of them, which is longer than a file's name may be.
    let group = [&*"g".repeat(63); 3].join(".") + ".example.com";
    let text = good
        .replace("name: things.things.example.com", &format!("name: {}.{group}", "p".repeat(63)))
        .replace("group: things.example.com", &format!("group: {group}"))
        .replace("plural: things", &format!("plural: {}", "p".repeat(63)));
    Sandbox::refuses("crd.yaml", text.as_bytes(), "error: ");
}

#[test]
fn ten_gigabytes_of_zeros() {
    let piece = vec![0; 16 * MIB];
    let times = 640;
    let too_large = "this unpacks to 64 MiB or more, and at most 64 MiB are read";
    Sandbox::refuses("zeros.gz", &gzip_of_many(&[], &piece, times), too_large);
    // In many small members, one behind the other.
    Sandbox::refuses("members.gz", &gzip(&piece).repeat(times), too_large);
    // As a YAML file, and as a file that is not read.
    let file = |path: &[u8]| header(path, b'0', (times * piece.len()) as u64);
    let wanted = gzip_of_many(file(b"x.yaml").as_bytes(), &piece, times + 1);
    Sandbox::refuses("wanted.tgz", &wanted, "the files in it are 64 MiB or more, and at most 64 MiB are read");
    let unwanted = gzip_of_many(file(b"x.bin").as_bytes(), &piece, times + 1);
    Sandbox::refuses("unwanted.tgz", &unwanted, "this unpacks to 256 MiB or more, and at most 256 MiB are read");
    // At the limit.
    let most = header(b"x.yaml", b'0', 64 * MIB as u64);
    let bytes = [most.as_bytes().to_vec(), vec![b'#'; 64 * MIB], vec![0; 1024]].concat();
    Sandbox::refuses("most.tgz", &gzip(&bytes), "no CustomResourceDefinition found");
    // Many files that are empty, or nearly.
    let none = "no CustomResourceDefinition found";
    Sandbox::refuses("many.tgz", &gzip(&archive(&[entry(b"x.yaml", b'0', b"").repeat(20_000)])), none);
    Sandbox::refuses("many.tgz", &gzip(&archive(&[entry(b"x.yaml", b'0', b"a: b\n").repeat(10_000)])), none);
}

/// Sizes in headers are not trusted before the bytes are read.
#[test]
fn wrong_sizes() {
    let crd = crd();
    let too_large = "the files in it are 64 MiB or more";
    for size in [65 * MIB as u64, 1 << 33, 1 << 40, u64::MAX >> 1, u64::MAX] {
        let bytes = [header(b"x.yaml", b'0', size).as_bytes().as_slice(), crd.as_bytes(), &[0; 4096]].concat();
        Sandbox::refuses("sizes.tar", &bytes, if size > u64::MAX - 511 { "cannot be unpacked" } else { too_large });
        let bytes = [header(b"x.bin", b'0', size).as_bytes().as_slice(), crd.as_bytes(), &[0; 4096]].concat();
        Sandbox::refuses(
            "sizes.tar",
            &bytes,
            if size > u64::MAX - 511 { "cannot be unpacked" } else { "ends too early" },
        );
        let text = size.to_string();
        let bytes = archive(&[pax(&[("size", &text)]), entry(b"x.yaml", b'0', crd.as_bytes())]);
        Sandbox::refuses("pax.tar", &bytes, if size > u64::MAX - 511 { "cannot be unpacked" } else { too_large });
    }
    // Within the limit, but without the bytes.
    let bytes = [header(b"x.yaml", b'0', 60 * MIB as u64).as_bytes().as_slice(), crd.as_bytes(), &[0; 4096]].concat();
    Sandbox::refuses("sizes.tar", &bytes, "ends too early");
    for size in ["-1", "x", "", "99999999999999999999999"] {
        let bytes = archive(&[pax(&[("size", size)]), entry(b"x.yaml", b'0', crd.as_bytes())]);
        let sandbox = Sandbox::new();
        // In each case, only the CRD is written.
        let outcome = sandbox.import("pax.tar", &bytes);
        assert!(matches!(outcome.exit, Some(0 | 2)), "{outcome:?}");
    }
    for digits in
        [&b"77777777777\0"[..], b"-1\0", b"999\0", b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", b"zzz"]
    {
        let mut header = header(b"x.yaml", b'0', 0);
        header.as_mut_bytes()[124..124 + digits.len()].copy_from_slice(digits);
        header.set_cksum();
        Sandbox::refuses("sizes.tar", &[header.as_bytes().as_slice(), crd.as_bytes(), &[0; 4096]].concat(), "error: ");
    }
}

/// The headers of a file have a limit of their own.
#[test]
fn headers_without_end() {
    let crd = entry(b"x.yaml", b'0', crd().as_bytes());
    let size = 200 * MIB;
    let piece = vec![b'a'; 8 * MIB];
    let large = "this archive cannot be unpacked: what describes one of its files takes more than 1024 KiB";
    for kind in [b'L', b'K', b'x', b'g'] {
        let header = header(b"x", kind, size as u64);
        let bytes = gzip_of_many(header.as_bytes(), &piece, size / piece.len());
        let expected = if kind == b'g' { "this archive cannot be unpacked" } else { large };
        Sandbox::refuses(&format!("large-{}.tgz", char::from(kind)), &bytes, expected);
    }
    // One value of POSIX headers, and many of them.
    let value = "a".repeat(2 * MIB);
    let bytes = archive(&[pax(&[("comment", &value), ("path", &value)]), crd.clone()]);
    Sandbox::refuses("pax.tar", &bytes, large);
    // A sparse file of as many pieces as fit: each takes three times its place in memory.
    let mut sparse = header(b"x.bin", b'S', 0);
    let block = |number: u64, place: &mut [u8]| {
        place[..12].copy_from_slice(&[&[0x80, 0, 0, 0][..], &(number + 1).to_be_bytes()].concat());
        place[12..24].copy_from_slice(&[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    };
    sparse.as_mut_bytes()[482] = 1;
    sparse.set_cksum();
    let mut bytes = sparse.as_bytes().to_vec();
    let mut number = 0;
    while bytes.len() < 60 * MIB {
        let mut extension = [0; 512];
        for place in extension[..504].chunks_exact_mut(24) {
            block(number, place);
            number += 1;
        }
        extension[504] = 1;
        bytes.extend(extension);
    }
    Sandbox::refuses("sparse.tar", &bytes, large);
    // A sparse file of terabytes without a byte in it.
    let mut hole = header(b"hole.yaml", b'S', 0);
    block(1 << 43, &mut hole.as_mut_bytes()[386..410]);
    hole.as_mut_bytes()[483..495].copy_from_slice(&[&[0x80, 0, 0, 0][..], &((1u64 << 43) + 1).to_be_bytes()].concat());
    hole.set_cksum();
    Sandbox::refuses(
        "hole.tar",
        &archive(&[hole.as_bytes().to_vec(), crd.clone()]),
        "the files in it are 64 MiB or more, and at most 64 MiB are read",
    );
    hole.as_mut_bytes()[..9].copy_from_slice(b"hole.bin\0");
    hole.set_cksum();
    Sandbox::takes("hole.tar", &archive(&[hole.as_bytes().to_vec(), crd]));
}

/// Messages contain no control characters of the input, and no line that a CI would run as a command.
#[test]
fn messages_quote_input_safely() {
    let evil = r"a\u001b[2J\r\n::error::b\u0007\u009b";
    let good = crd();
    let pod = |text: &str| format!("apiVersion: v1\nkind: {text}\nmetadata:\n  name: {text}\n---\n{good}");
    let quoted = format!("\"{evil}\"");
    for (text, is_fine) in [
        (good.replace("name: things.things.example.com", &format!("name: {quoted}")), false),
        (good.replace("plural: things", &format!("plural: {quoted}")), false),
        (good.replace("kind: Thing\n", &format!("kind: {quoted}\n")), false),
        (good.replace("bundle-version: v1.2.0", &format!("bundle-version: {quoted}")), false),
        (good.replace("channel: standard", &format!("channel: {quoted}")), false),
        (good.replace("maximum: 10", &format!("{quoted}: 10")), true),
        (good.replace("type: integer", &format!("type: {quoted}")), false),
        (good.replace("apiextensions.k8s.io/v1", &format!("\"apiextensions.k8s.io/{evil}\"")), false),
        (pod(&quoted), true),
        (format!("{good}---\n{good}"), false),
    ] {
        assert_ne!(text, good);
        let archive = archive(&[entry(b"\x1b[2J\n::error::.yaml", b'0', text.as_bytes())]);
        for (name, bytes) in [("x.yaml", text.as_bytes()), ("x.tar", &archive)] {
            let outcome = Sandbox::new().import(name, bytes);
            assert_eq!(outcome.exit == Some(0), is_fine, "{outcome:?}");
            let printed = format!("{}{}", outcome.out, outcome.err);
            assert!(!printed.contains(|character: char| character.is_control() && character != '\n'), "{printed:?}");
            for line in printed.lines() {
                assert!(!line.trim_start().starts_with("::"), "{printed:?}");
            }
        }
    }
}

/// A file of the history must be a regular file: a pipe blocks, and a device has no end.
#[test]
fn files_of_the_history_that_are_not_regular_files() {
    let pipe = |path: &Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    let zero = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).unwrap();
    let large = |path: &Path| fs::File::create(path).unwrap().set_len(65 * MIB as u64).unwrap();
    let no_file = "is neither a file nor a folder, and a file is needed. move it away";
    let link = "is a symlink, so git would not commit its content. replace it with the file itself";
    let out = "is a symlink that leads out of `bundles/v1.2.0`. replace it with what it leads to, or name the folder that contains both";
    let too_large = "is larger than 64 MiB, the limit for a file";
    let (bundle, crd) = ("bundles/v1.2.0/bundle.yaml", format!("bundles/v1.2.0/standard/{THING}"));
    let (ledger, waivers) = ("bundles/tombstones.yaml", "bundles/waivers.yaml");
    let history: &[&str] = &["check", "diff v1.2.0 v1.2.0", "release v1.3.0 --dry-run --date 2026-03-01"];
    let ledgers: &[&str] = &["check", "diff v1.2.0 v1.2.0", "tombstones list", "tombstones add"];
    let judged: &[&str] = &["check", "release v1.3.0 --dry-run --date 2026-03-01"];
    for (path, make, commands, words) in [
        (waivers, &pipe as &dyn Fn(&Path), judged, no_file),
        (waivers, &zero, judged, link),
        (waivers, &large, judged, too_large),
        (ledger, &pipe, ledgers, no_file),
        (ledger, &zero, ledgers, link),
        (ledger, &large, ledgers, too_large),
        (bundle, &pipe, history, no_file),
        (bundle, &zero, history, out),
        (bundle, &large, history, too_large),
        (&crd, &pipe, history, no_file),
        (&crd, &zero, history, out),
    ] {
        let place = crate::support::Place::with(&things());
        place.publish(&things());
        let path_there = place.path().join(path);
        let _ = fs::remove_file(&path_there);
        make(&path_there);
        let before = fs::symlink_metadata(&path_there).unwrap().file_type();
        for command in commands {
            let outcome = measured(path, place.path(), &command.split(' ').collect::<Vec<_>>());
            // Equal errors at several places are one: `and 2 more` comes before the help.
            let (cause, help) = words.split_once(". ").unwrap_or((words, ""));
            let error = outcome.err.lines().find(|line| line.starts_with(&format!("error: {path}: {cause}")));
            assert!(
                outcome.exit == Some(2) && error.is_some_and(|line| line.ends_with(help)),
                "{command}: {outcome:?}"
            );
            assert_eq!(fs::symlink_metadata(&path_there).unwrap().file_type(), before);
        }
    }
}
