//! Numbers for choices and pauses; the same for the same seed.

use std::time::Duration;

/// A sequence of numbers: xorshift64*.
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // A state of 0 would stay 0; neighbouring seeds are spread apart.
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u8) -> u8 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let high = self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        u8::try_from(high % u64::from(n.max(1))).unwrap_or(0)
    }

    /// Sleeps for up to this many milliseconds: what separates two steps of a writer in real life.
    pub async fn pause(&mut self, most: u8) {
        tokio::time::sleep(Duration::from_millis(self.below(most).into())).await;
    }
}
