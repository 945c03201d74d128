//! Random numbers that are the same on every machine and in every run.
//!
//! Invariants: equal seeds give equal sequences (SplitMix64); a bias of the order of 2^-50 in [`Random::below`] is accepted.

/// A source of random numbers.
pub struct Random {
    state: u64,
}

impl Random {
    /// A source that differs from that of every other seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number from 0 to `count - 1`.
    pub fn below(&mut self, count: usize) -> usize {
        assert!(count > 0, "there is no number below zero");
        usize::try_from(self.next() % u64::try_from(count).unwrap()).unwrap()
    }

    /// A number between both bounds, the bounds included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        assert!(low <= high, "{low} is above {high}");
        let span = i128::from(high) - i128::from(low) + 1;
        i64::try_from(i128::from(low) + i128::from(self.next()) % span).unwrap()
    }

    /// True once in so many times.
    pub fn once_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }
}
