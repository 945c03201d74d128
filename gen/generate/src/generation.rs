//! What can go wrong at generation, as data.
//!
//! Fed by every step of the engine. Read by the command line, which prints all of it.
//!
//! Invariants: an error knows the Rust type and field it comes from, as far as there is one, and the channel if it holds in
//! one only.

use crd_channels::channel::Channel;
use crd_channels::descriptor::{Field, Location, TypeDescriptor};

/// A reason why nothing is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationError {
    /// Where in the source.
    pub location: Option<Location>,
    /// The Rust type.
    pub type_name: String,
    /// The Rust field.
    pub field: Option<String>,
    /// The channel, if the error is only there.
    pub channel: Option<Channel>,
    /// The rule that was broken, if it has a name.
    pub rule: Option<&'static str>,
    /// What is wrong, why, and how to mend it.
    pub message: String,
}

impl GenerationError {
    pub(crate) fn of_type(descriptor: &'static TypeDescriptor, message: String) -> Self {
        Self {
            location: Some(descriptor.location),
            type_name: descriptor.name.to_owned(),
            field: None,
            channel: None,
            rule: None,
            message,
        }
    }

    pub(crate) fn of_field(descriptor: &'static TypeDescriptor, field: &'static Field, message: String) -> Self {
        Self {
            location: Some(Location { file: descriptor.location.file, line: field.line }),
            field: Some(field.name.to_owned()),
            ..Self::of_type(descriptor, message)
        }
    }

    pub(crate) fn in_channel(self, channel: Channel) -> Self {
        Self { channel: Some(channel), ..self }
    }
}

impl std::fmt::Display for GenerationError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(location) = self.location {
            write!(formatter, "{location}: ")?;
        }
        formatter.write_str(&self.type_name)?;
        if let Some(field) = &self.field {
            write!(formatter, ".{field}")?;
        }
        if let Some(channel) = self.channel {
            write!(formatter, " ({channel})")?;
        }
        write!(formatter, ": {}", self.message)?;
        if let Some(rule) = self.rule {
            write!(formatter, " [{rule}]")?;
        }
        Ok(())
    }
}

impl std::error::Error for GenerationError {}
