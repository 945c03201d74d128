//! The client, with a registry on loopback.

mod chart_repository;
mod hostile;
mod push;
mod reference;
mod server;
