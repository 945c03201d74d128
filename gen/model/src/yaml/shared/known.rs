//! The schemas that were read, by the text of which they were read.
//!
//! Invariants: a schema depends on its text alone, so that sharing it only saves time and memory. Nothing is kept alive: neither texts nor schemas.

use std::collections::BTreeMap;
use std::fmt;
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

/// The schemas that one reader of several releases shares. Threads may use it at the same time.
#[derive(Default)]
pub struct SharedSchemas([Mutex<BTreeMap<u64, Known>>; PARTS]);

impl SharedSchemas {
    /// The schema of a part of a text, and how many maps it has.
    pub(super) fn find(&self, text: &str, part: &Part, depth: usize) -> Option<(Arc<Schema>, usize)> {
        let (schema, read, bytes, maps) = {
            let all = self.table(part.digest).lock().unwrap_or_else(PoisonError::into_inner);
            let known = all.get(&part.digest).filter(|known| known.depth == depth)?;
            (known.schema.upgrade()?, known.text.upgrade()?, known.bytes.clone(), known.maps)
        };
        (read.get(bytes)? == text.get(part.bytes.clone())?).then_some((schema, maps))
    }

    pub(super) fn keep(&self, text: &Arc<String>, part: Part, depth: usize, schema: &Arc<Schema>, maps: usize) {
        let known =
            Known { text: Arc::downgrade(text), bytes: part.bytes, depth, schema: Arc::downgrade(schema), maps };
        let mut all = self.table(part.digest).lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= MOST {
            all.retain(|_, known| known.schema.strong_count() > 0);
            if all.len() >= MOST {
                all.clear();
            }
        }
        all.insert(part.digest, known);
    }

    fn table(&self, digest: u64) -> &Mutex<BTreeMap<u64, Known>> {
        // The high digits depend on all lines.
        &self.0[(digest >> 60) as usize % PARTS]
    }
}

/// The schemas are many.
impl fmt::Debug for SharedSchemas {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SharedSchemas").finish_non_exhaustive()
    }
}
