//! Limits of reading, so that no input takes unexpected memory or time.
//!
//! Measured against Gateway API v1.6.1, one of the largest APIs there are: 23 CRDs, 1.6 MB of YAML, 4,717 maps; the
//! largest CRD is 0.3 MB.

/// The most bytes of one input, and of all texts in one archive.
pub const MOST_BYTES: usize = 64 << 20;

/// The most bytes that an archive may have unpacked: texts and skipped files.
pub const MOST_UNPACKED: u64 = 256 << 20;

/// The most files of an archive that links in it lead to.
pub const MOST_LINKED: usize = 10_000;

/// The most packed charts within each other.
pub const MOST_SUBCHARTS: usize = 8;

/// The most memory that xz data may take while it is unpacked, in KiB: most of it is its dictionary, 64 MiB at the highest level of `xz`.
pub const MOST_DICTIONARY_KIB: u32 = 80 << 10;

/// The most bytes that an archive may take to describe one file: its name, and what formats add to that. It is kept in memory, some of it
/// in a larger form.
pub const MOST_DESCRIBED: u64 = 1 << 20;

/// The most bytes of one CRD as compact JSON. No API server takes more in one request (and etcd, by default, half of it).
pub const MOST_CRD_BYTES: usize = 3 << 20;

/// The most maps in all CRDs of one input: what memory goes for. Hundred times those of Gateway API.
pub const MOST_MAPS: usize = 500_000;

/// The most bytes that the paths of all values of one CRD may have together: what messages about it could need.
pub const MOST_PATH_BYTES: usize = 64_000_000;

/// The most folders within each other, and kustomizations that list each other.
pub const MOST_FOLDERS: usize = 100;

/// The most errors of one input that are reported.
pub const MOST_ERRORS: usize = 100;

/// The most documents of one input that are listed as skipped.
pub const MOST_PASSED_OVER: usize = 1000;

/// The longest name of a file in an archive, or of an object, as it is shown.
pub const LONGEST_NAME: usize = 200;
