//! The progress of long listings, shown from time to time.

use std::time::{Duration, Instant};

use crd_diagnostics::layout;
use crd_generator::session::Session;

/// How often the progress is shown.
const INTERVAL: Duration = Duration::from_secs(3);

/// Shows a step, how many objects were seen, and how many remain.
pub(crate) fn progress(session: &Session<'_>) -> impl FnMut(&str, u64, Option<u64>) + Send {
    let activity = session.activity();
    let mut shown: Option<Instant> = None;
    move |step, seen, remaining| {
        if let Some(activity) = activity
            && shown.is_none_or(|shown| shown.elapsed() >= INTERVAL)
        {
            shown = Some(Instant::now());
            activity.begin(format!("{step}: {}", layout::progress(seen, remaining, "object")));
        }
    }
}
