//! The release channels: one closed, ordered table.
//!
//! Invariants: channels are ordered from the most stable to the least stable. Each channel contains everything in the
//! channels before it, and what is marked for it (GEP-922). A further channel needs one row here and one variant of
//! [`Channel`].

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Channel {
    /// Stable: changes follow the compatibility rules of GEP-922's standard channel.
    Standard,
    /// Everything in standard, and parts that may still change.
    Experimental,
}

/// One row of the table of channels.
#[derive(Clone, Copy, Debug)]
pub struct ChannelRow {
    pub channel: Channel,
    /// Its name in markers, stamps, folders and options.
    pub name: &'static str,
    /// Whether API versions with `alpha` in their name are served in it, unless the profile serves them in every channel.
    pub serves_alpha: bool,
    /// Its contents, as a phrase for help texts.
    pub purpose: &'static str,
}

/// All channels, the most stable first.
pub const CHANNELS: [ChannelRow; 2] = [
    ChannelRow {
        channel: Channel::Standard,
        name: "standard",
        serves_alpha: false,
        purpose: "stable parts, which change only compatibly",
    },
    ChannelRow {
        channel: Channel::Experimental,
        name: "experimental",
        serves_alpha: true,
        purpose: "everything in standard, and parts that may still change",
    },
];

impl Channel {
    /// All channels, the most stable first.
    pub const ALL: [Channel; 2] = [CHANNELS[0].channel, CHANNELS[1].channel];

    /// The row of the table.
    pub const fn row(self) -> &'static ChannelRow {
        &CHANNELS[self as usize]
    }

    /// The name in markers, stamps, folders and options.
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// The channel of that name.
    pub fn named(name: &str) -> Option<Self> {
        CHANNELS.iter().find(|row| row.name == name).map(|row| row.channel)
    }
}

#[cfg(feature = "serde")]
impl serde::Serialize for Channel {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Channel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Channel".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let rows = CHANNELS.map(|row| schemars::json_schema!({ "const": row.name, "description": row.purpose }));
        schemars::json_schema!({ "description": "A release channel.", "oneOf": rows })
    }
}

impl std::fmt::Display for Channel {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A set of channels: where a field, a value or a rule exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ChannelSet(u8);

impl ChannelSet {
    pub const ALL: ChannelSet = ChannelSet((1 << CHANNELS.len()) - 1);

    /// In one channel only.
    pub const fn only(channel: Channel) -> Self {
        ChannelSet(1 << channel as u8)
    }

    /// In the named channel and every less stable one: what `+experimental` on a field means.
    pub const fn from(channel: Channel) -> Self {
        ChannelSet(Self::ALL.0 & !((1 << channel as u8) - 1))
    }

    /// Whether the channel is in the set.
    pub const fn contains(self, channel: Channel) -> bool {
        self.0 & (1 << channel as u8) != 0
    }

    /// The channels that are in both.
    pub const fn and(self, other: Self) -> Self {
        ChannelSet(self.0 & other.0)
    }

    /// Whether no channel is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether every channel is in the set.
    pub const fn is_all(self) -> bool {
        self.0 == Self::ALL.0
    }

    /// The channels of the set, the most stable first.
    pub fn iter(self) -> impl Iterator<Item = Channel> {
        Channel::ALL.into_iter().filter(move |channel| self.contains(*channel))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_in_the_order_of_the_channels() {
        for (index, row) in CHANNELS.iter().enumerate() {
            assert_eq!(row.channel as usize, index);
            assert_eq!(Channel::named(row.name), Some(row.channel));
            assert_eq!(row.channel.to_string(), row.name);
        }
        assert_eq!(Channel::named("beta"), None);
    }

    #[test]
    fn sets_contain_their_channels() {
        assert!(ChannelSet::ALL.contains(Channel::Standard) && ChannelSet::ALL.contains(Channel::Experimental));
        let experimental = ChannelSet::from(Channel::Experimental);
        assert!(!experimental.contains(Channel::Standard) && experimental.contains(Channel::Experimental));
        assert_eq!(ChannelSet::from(Channel::Standard), ChannelSet::ALL);
        assert!(experimental.and(ChannelSet::only(Channel::Standard)).is_empty());
        assert_eq!(ChannelSet::ALL.iter().collect::<Vec<_>>(), Channel::ALL);
        assert!(ChannelSet::ALL.is_all() && !experimental.is_all());
    }
}
