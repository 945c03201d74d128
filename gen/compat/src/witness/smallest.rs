//! Small values of a node, whatever the rules say of them.

use crd_boundary::Search;
use crd_model::Schema;
use crd_model::schema::SchemaPath;
use serde_json::{Map, Value};

/// How many values there are at most.
const MOST: usize = 2;

/// Values with few fields that have the structure of a node.
pub(super) fn smallest(node: &Schema) -> Vec<Value> {
    let mut search = Search::new(node, Map::new(), Vec::new(), |_, _| true);
    search.accepted(&SchemaPath::root()).into_iter().take(MOST).map(|found| found.object).collect()
}
