//! The schemas that were read, by the text of which they were read.
//!
//! Invariants: a schema depends on its text alone, so that sharing it only saves time and memory. Nothing is kept alive: neither texts nor schemas.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::index::Part;
use crate::schema::Schema;

/// A schema and where it was read.
struct Known {
    text: Weak<String>,
    bytes: Range<usize>,
    /// How deep: below another number of maps, the text may nest too deeply.
    depth: usize,
    schema: Weak<Schema>,
    maps: usize,
}

/// How many schemas each part of the table remembers.
const MOST: usize = 4096;
/// In how many parts the table is, so that threads rarely wait for each other.
const PARTS: usize = 16;

static KNOWN: [Mutex<BTreeMap<u64, Known>>; PARTS] = [const { Mutex::new(BTreeMap::new()) }; PARTS];

/// The schema of a part of a text, and how many maps it has.
pub(super) fn find(text: &str, part: &Part, depth: usize) -> Option<(Arc<Schema>, usize)> {
    let (schema, read, bytes, maps) = {
        let all = table(part.digest).lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.get(&part.digest).filter(|known| known.depth == depth)?;
        (known.schema.upgrade()?, known.text.upgrade()?, known.bytes.clone(), known.maps)
    };
    (read.get(bytes)? == text.get(part.bytes.clone())?).then_some((schema, maps))
}

/// Remembers a schema.
pub(super) fn keep(text: &Arc<String>, part: Part, depth: usize, schema: &Arc<Schema>, maps: usize) {
    let known = Known { text: Arc::downgrade(text), bytes: part.bytes, depth, schema: Arc::downgrade(schema), maps };
    let mut all = table(part.digest).lock().unwrap_or_else(PoisonError::into_inner);
    if all.len() >= MOST {
        all.retain(|_, known| known.schema.strong_count() > 0);
        if all.len() >= MOST {
            all.clear();
        }
    }
    all.insert(part.digest, known);
}

fn table(digest: u64) -> &'static Mutex<BTreeMap<u64, Known>> {
    // The high digits depend on all lines.
    &KNOWN[(digest >> 60) as usize % PARTS]
}
