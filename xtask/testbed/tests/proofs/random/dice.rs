//! Random choices. The same seed makes the same choices.

/// A generator of random numbers (SplitMix64).
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn number(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.number() % end.max(1) as u64).expect("it is below a usize")
    }

    /// Whether something with this probability happens.
    pub(crate) fn percent(&mut self, probability: usize) -> bool {
        self.below(100) < probability
    }

    pub(crate) fn one<'t, T: ?Sized>(&mut self, of: &[&'t T]) -> &'t T {
        of[self.below(of.len())]
    }

    pub(crate) fn pick<'t, T>(&mut self, of: &'t [T]) -> &'t T {
        &of[self.below(of.len())]
    }

    /// One of these; `None` without any.
    pub(crate) fn any<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        (!of.is_empty()).then(|| self.pick(of))
    }
}
