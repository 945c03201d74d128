//! The holder of a lease: this process on this machine.

use crd_upgrade::migrate::Holder;
use jiff::Timestamp;
use rustix::process::{Pid, test_kill_process};

pub(crate) struct OwnHolder<'h> {
    host: String,
    on_wait: &'h (dyn Fn(&str) + Sync),
}

impl<'h> OwnHolder<'h> {
    /// `on_wait` is called with the name of another holder before the wait for it.
    pub(crate) fn new(on_wait: &'h (dyn Fn(&str) + Sync)) -> Self {
        Self { host: rustix::system::uname().nodename().to_string_lossy().into_owned(), on_wait }
    }

    /// Calls `use_it` with the holder.
    pub(crate) fn holder<'c>(&'c self, has_ended: &'c (dyn Fn(&str) -> bool + Sync)) -> Holder<'c> {
        Holder {
            name: format!("{}/{}", self.host, std::process::id()),
            has_ended,
            now: &|| format!("{:.6}", Timestamp::now()),
            on_wait: self.on_wait,
        }
    }

    /// Whether a holder was a process of this machine that has ended.
    pub(crate) fn has_ended(&self, holder: &str) -> bool {
        let process = holder.strip_prefix(&*self.host).and_then(|rest| rest.strip_prefix('/')?.parse().ok());
        let process = process.and_then(Pid::from_raw);
        // Processes in containers have the same numbers, but containers have different hosts.
        process.is_some_and(|process| test_kill_process(process).is_err_and(|error| error == rustix::io::Errno::SRCH))
    }
}
