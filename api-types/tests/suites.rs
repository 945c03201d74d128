//! The suites of Gateway API: every case has the answer that its author expects, in both channels and on all supported minors.

crd_channels_cli::suites!();
