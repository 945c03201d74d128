//! What the user asks for.

use crd_convert::Conversions;
use crd_upgrade::inspect::KnownBundles;
use crd_upgrade::migrate::{Options, Settings};

use super::journal::Journal;
use super::target::{Named, ReadTarget};

/// What the user asks for.
pub(crate) struct Question<'q> {
    pub(crate) names: Vec<String>,
    pub(crate) context: Option<&'q str>,
    pub(crate) prefix: Option<&'q str>,
    pub(crate) settings: Settings,
    /// The version whose service changes, and whether it is served from now on.
    pub(crate) serving: Option<(&'q str, bool)>,
    /// The bundle to go to.
    pub(crate) target: Option<(Named<'q>, ReadTarget)>,
    pub(crate) known: KnownBundles,
    pub(crate) conversions: Option<Conversions>,
    pub(crate) is_rollback: bool,
    pub(crate) options: Options,
    pub(crate) journal: Journal,
    /// The Job whose manifest is printed; without it, the plan is carried out.
    pub(crate) job: Option<Job<'q>>,
    pub(crate) is_confirmed: bool,
    pub(crate) is_json: bool,
}

/// What the user wants of the Job.
pub(crate) struct Job<'q> {
    pub(crate) shards: u32,
    pub(crate) namespace: &'q str,
    pub(crate) image: &'q str,
}
