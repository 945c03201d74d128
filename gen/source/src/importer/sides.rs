//! One thing in each channel that has it.
//!
//! Invariants: an API with one channel has only the side standard. A part needs no channel prefix if every side of what contains it has the
//! part, and has it equal.

use crd_names::channel::Channel;

/// One thing in each channel that has it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Sides<T> {
    pub(crate) standard: Option<T>,
    pub(crate) experimental: Option<T>,
}

impl<T> Default for Sides<T> {
    fn default() -> Self {
        Self { standard: None, experimental: None }
    }
}

impl<T> Sides<T> {
    pub(crate) fn get(&self, channel: Channel) -> Option<&T> {
        match channel {
            Channel::Standard => self.standard.as_ref(),
            Channel::Experimental => self.experimental.as_ref(),
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (Channel, &T)> {
        Channel::ALL.into_iter().filter_map(|channel| Some((channel, self.get(channel)?)))
    }

    pub(crate) fn map<U>(self, mut change: impl FnMut(Channel, T) -> U) -> Sides<U> {
        Sides {
            standard: self.standard.map(|side| change(Channel::Standard, side)),
            experimental: self.experimental.map(|side| change(Channel::Experimental, side)),
        }
    }

    /// The side of the widest channel: experimental contains standard.
    pub(crate) fn widest(&self) -> Option<&T> {
        self.experimental.as_ref().or(self.standard.as_ref())
    }

    /// How many sides there are.
    pub(crate) fn count(&self) -> usize {
        self.iter().count()
    }

    /// The channel, if there is one side only.
    pub(crate) fn only(&self) -> Option<Channel> {
        let mut channels = self.iter().map(|(channel, _)| channel);
        let first = channels.next();
        first.filter(|_| channels.next().is_none())
    }
}

impl<T: PartialEq> Sides<T> {
    /// Whether both sides, if there are two, are equal.
    pub(crate) fn agree(&self) -> bool {
        match (&self.standard, &self.experimental) {
            (Some(standard), Some(experimental)) => standard == experimental,
            _ => true,
        }
    }
}

impl<T> Sides<Option<T>> {
    /// The sides that have the thing.
    pub(crate) fn present(self) -> Sides<T> {
        Sides { standard: self.standard.flatten(), experimental: self.experimental.flatten() }
    }
}

/// Two lists as one, with the channel of what only one has. The order of each list is kept.
pub(crate) fn merged<T: PartialEq + Clone>(sides: &Sides<Vec<T>>) -> Vec<(T, Option<Channel>)> {
    let (Some(standard), Some(experimental)) = (&sides.standard, &sides.experimental) else {
        return sides.widest().into_iter().flatten().map(|part| (part.clone(), None)).collect();
    };
    // The length of the longest common sequence from each pair of positions.
    let mut lengths = vec![vec![0_usize; experimental.len() + 1]; standard.len() + 1];
    for left in (0..standard.len()).rev() {
        for right in (0..experimental.len()).rev() {
            lengths[left][right] = match standard[left] == experimental[right] {
                true => lengths[left + 1][right + 1] + 1,
                false => lengths[left + 1][right].max(lengths[left][right + 1]),
            };
        }
    }
    let (mut left, mut right, mut all) = (0, 0, Vec::new());
    while left < standard.len() || right < experimental.len() {
        match (standard.get(left), experimental.get(right)) {
            (Some(one), Some(other)) if one == other => {
                all.push((one.clone(), None));
                left += 1;
                right += 1;
            }
            (Some(one), other) if other.is_none() || lengths[left + 1][right] >= lengths[left][right + 1] => {
                all.push((one.clone(), Some(Channel::Standard)));
                left += 1;
            }
            (_, Some(other)) => {
                all.push((other.clone(), Some(Channel::Experimental)));
                right += 1;
            }
            (_, None) => break,
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_channel_reads_its_list_in_its_order() {
        for (standard, experimental) in
            [("abc", "abc"), ("abc", "xaybzc"), ("ab", "ba"), ("", "ab"), ("ab", ""), ("axb", "ayb")]
        {
            let lists = Sides {
                standard: Some(standard.chars().collect()),
                experimental: Some(experimental.chars().collect()),
            };
            let all = merged(&lists);
            for (channel, list) in [(Channel::Standard, standard), (Channel::Experimental, experimental)] {
                let read =
                    all.iter().filter(|(_, only)| only.is_none_or(|only| only == channel)).map(|(part, _)| *part);
                assert_eq!(read.collect::<String>(), list, "{all:?}");
            }
        }
        let one = Sides { standard: Some(vec![1, 2]), experimental: None };
        assert_eq!(merged(&one), [(1, None), (2, None)]);
    }
}
