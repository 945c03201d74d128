//! Moves the objects and the API versions of a cluster to a bundle of CRDs, without a conversion webhook.
//!
//! Invariants:
//! * A write names the UID and the `resourceVersion` that were read. A deleted object never returns, and a change of another client is never
//!   overwritten.
//! * An entry of `status.storedVersions` is removed only after every object was written, and only if the CRD has not changed meanwhile.
//! * Objects that are being deleted are not written. While there is one, no entry is removed.
//! * A run that ends anywhere loses nothing, and the next one goes on from the state of the cluster.
//! * [`transition`] consists of pure functions over CRDs.
//! * Memory depends on one page of a listing, never on the number of objects.

mod blocked;
mod by_server;
mod codes;
mod conversion;
mod form;
mod install;
mod job;
mod lease;
mod migrated;
mod pace;
mod pass;
mod plan;
mod replacement;
mod selection;
mod settings;
mod shards;
mod state;
mod storage;
mod target;
pub mod transition;
mod unserve;

pub use blocked::Blocked;
pub use by_server::run_by_server;
pub use codes::{CODES, PAGES};
pub use conversion::{BundlePlan, Journal, Way, is_begun, roll_back};
pub use job::{FOLDER, Job};
pub use lease::{Holder, Noted, with_lease};
pub use migrated::{Counts, Forms, Migrated};
pub use plan::{Migration, Options, Plan, Row};
pub use replacement::Replacement;
pub use selection::{is_name_of, select};
pub use settings::{OnProgress, Progress, Settings, Shard};
pub use storage::StoragePlan;
pub use target::Target;
pub use unserve::{Served, set_served};
