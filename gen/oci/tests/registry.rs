//! The client, with a registry on loopback.

mod hostile;
mod push;
mod reference;
mod server;
