//! The seeded generator behind everything that happens by chance.

/// `SplitMix64`: one word of state, every seed is a good one.
#[derive(Clone, Debug)]
pub(crate) struct Rng(u64);

impl Rng {
    /// A generator of its own for each (seed, purpose): what one part draws never shifts what
    /// another part is given.
    pub(crate) fn for_purpose(seed: u64, purpose: &str) -> Rng {
        // FNV-1a, so that the same text is the same stream on every machine.
        let text = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
        let mut rng = Rng(seed ^ text);
        // One turn, so that neighbouring seeds do not begin alike.
        rng.next();
        rng
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    /// A number in `from..to`.
    pub(crate) fn between(&mut self, from: u64, to: u64) -> u64 {
        from + self.next() % (to - from)
    }

    /// Whether something happens that happens this many times in a thousand.
    pub(crate) fn happens(&mut self, per_mille: u64) -> bool {
        self.next() % 1000 < per_mille
    }

    /// One of several.
    pub(crate) fn pick<'a, T>(&mut self, choices: &'a [T]) -> Option<&'a T> {
        let index = usize::try_from(self.next() % choices.len().max(1) as u64).ok()?;
        choices.get(index)
    }

    /// 128 bits, as ids are made of.
    pub(crate) fn bits_128(&mut self) -> [u8; 16] {
        let mut bits = [0; 16];
        bits[..8].copy_from_slice(&self.next().to_le_bytes());
        bits[8..].copy_from_slice(&self.next().to_le_bytes());
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn a_stream_depends_on_seed_and_purpose_alone() {
        let first = |seed, purpose| Rng::for_purpose(seed, purpose).next();
        assert_eq!(first(1, "a"), first(1, "a"));
        assert_ne!(first(1, "a"), first(2, "a"));
        assert_ne!(first(1, "a"), first(1, "b"));
    }

    #[test]
    fn draws_keep_their_bounds() {
        let mut rng = Rng::for_purpose(7, "bounds");
        assert!((0..1000).all(|_| (3..9).contains(&rng.between(3, 9))));
        assert!((0..1000).all(|_| !rng.happens(0) && rng.happens(1000)));
        assert_eq!(rng.pick::<u8>(&[]), None);
    }
}
