//! Tests of the rules of Gateway API's webhook.

mod case;
mod listener_conflicts;
mod page;
mod program;
mod rules;
