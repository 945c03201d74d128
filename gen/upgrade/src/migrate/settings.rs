//! How fast a migration works, and which part of the objects it writes.

use std::fmt;
use std::str::FromStr;

use crd_model::text_value;

/// How a migration works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The most writes in a second.
    pub rate: u32,
    /// The most requests at the same time.
    pub at_once: usize,
    /// The part of the objects that is written; without it, all of them.
    pub shard: Option<Shard>,
    /// The server checks each write, and stores nothing.
    pub is_dry_run: bool,
}

impl Default for Settings {
    /// 200 writes in a second, 8 requests at the same time.
    fn default() -> Self {
        Self { rate: 200, at_once: 8, shard: None, is_dry_run: false }
    }
}

/// One of several parts of the objects. Each object belongs to one part, by its UID.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Which part: 1 to `of`.
    pub index: u32,
    /// How many parts there are.
    pub of: u32,
}

impl Shard {
    pub const MOST: u32 = 256;

    /// Whether an object with this UID belongs to the part.
    pub fn contains(self, uid: &str) -> bool {
        // FNV-1a (64 bits): the same on every machine.
        let hash = uid
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        // The low bits of FNV are those of the last bytes: the high ones are mixed in.
        (hash ^ (hash >> 32)) % u64::from(self.of.max(1)) == u64::from(self.index.saturating_sub(1))
    }
}

text_value!(Shard, "A part of the objects, such as 1/4.");

impl fmt::Display for Shard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<u32>().ok())?;
        let shard = text.split_once('/').and_then(|(index, of)| Some(Self { index: number(index)?, of: number(of)? }));
        let is_part = |shard: &Self| (1..=shard.of).contains(&shard.index) && shard.of <= Self::MOST;
        let expected = || format!("expected I/N such as 1/4, with I from 1 to N, and N up to {}", Self::MOST);
        shard.filter(is_part).ok_or_else(expected)
    }
}

/// Called after each page of objects.
pub type OnProgress<'p> = &'p mut (dyn FnMut(&Progress<'_>) + Send);

/// How far a migration is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress<'p> {
    pub crd: &'p str,
    /// What is being done, such as `writing`.
    pub step: &'static str,
    /// How many objects were read.
    pub seen: u64,
    /// How many of them this run has written.
    pub written: u64,
    /// How many objects follow, if the server reports it.
    pub remaining: Option<u64>,
}
