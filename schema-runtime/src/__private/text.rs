//! Messages of const checks: `format!` does not run at compile time, this does.

/// A string of at most `N` bytes, built in a const. Text that does not fit is cut off at a character.
///
/// ```
/// # use mongo_model::__private::Text;
/// const TEXT: Text<64> = Text::new().push_str("`parts` holds ").push_u64(3000).push_str(" ids");
/// assert_eq!(TEXT.as_str(), "`parts` holds 3000 ids");
/// ```
#[derive(Clone, Copy)]
pub struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    /// An empty text.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "used in consts only")]
    pub const fn new() -> Self {
        Text {
            bytes: [0; N],
            len: 0,
        }
    }

    /// Appends `text`.
    #[must_use]
    pub const fn push_str(self, text: &str) -> Self {
        self.push_part(text, 0, text.len())
    }

    /// Appends the bytes of `text` from `from` to `to`, both at characters.
    #[must_use]
    pub(crate) const fn push_part(mut self, text: &str, from: usize, to: usize) -> Self {
        let bytes = text.as_bytes();
        let mut end = if to - from > N - self.len {
            from + N - self.len
        } else {
            to
        };
        // A continuation byte at the end means that the cut went through a character.
        while end > from && end < bytes.len() && bytes[end] & 0b1100_0000 == 0b1000_0000 {
            end -= 1;
        }
        let mut at = from;
        while at < end {
            self.bytes[self.len] = bytes[at];
            self.len += 1;
            at += 1;
        }
        self
    }

    /// Appends a number in decimal.
    #[must_use]
    pub const fn push_u64(mut self, number: u64) -> Self {
        let mut unit = 1;
        while number / unit >= 10 {
            unit *= 10;
        }
        while unit > 0 && self.len < N {
            // A single digit: `% 10` fits a byte.
            self.bytes[self.len] = b'0' + (number / unit % 10) as u8;
            self.len += 1;
            unit /= 10;
        }
        self
    }

    /// Appends a number in decimal, which may be negative.
    #[must_use]
    pub(crate) const fn push_i64(self, number: i64) -> Self {
        match number < 0 {
            true => self.push_str("-").push_u64(number.unsigned_abs()),
            false => self.push_u64(number.unsigned_abs()),
        }
    }

    /// Appends a number in decimal, in groups of three digits: `16 777 216`.
    #[must_use]
    pub const fn push_grouped(mut self, number: u64) -> Self {
        let mut unit = 1;
        let mut place = 0_u32;
        while number / unit >= 10 {
            unit *= 10;
            place += 1;
        }
        loop {
            self = self.push_u64(number / unit % 10);
            if unit == 1 {
                return self;
            }
            if place.is_multiple_of(3) {
                self = self.push_str(" ");
            }
            unit /= 10;
            place -= 1;
        }
    }

    /// The text that was appended so far.
    #[must_use]
    pub const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

impl<const N: usize> core::fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::Text;

    const MESSAGE: Text<64> = Text::new()
        .push_str("`blocks`: ")
        .push_u64(15_100)
        .push_str(" of ")
        .push_u64(0)
        .push_str(", ")
        .push_u64(u64::MAX);

    #[test]
    fn is_built_at_compile_time() {
        const { assert!(MESSAGE.as_str().len() == 42) };
        assert_eq!(
            MESSAGE.as_str(),
            format!("`blocks`: 15100 of 0, {}", u64::MAX)
        );
        assert_eq!(format!("{MESSAGE:?}"), format!("{:?}", MESSAGE.as_str()));
    }

    #[test]
    fn groups_digits() {
        for (number, text) in [
            (0, "0"),
            (12, "12"),
            (999, "999"),
            (1_000, "1 000"),
            (10_001, "10 001"),
            (16_777_216, "16 777 216"),
        ] {
            assert_eq!(Text::<16>::new().push_grouped(number).as_str(), text);
        }
    }

    #[test]
    fn is_cut_at_a_character() {
        for (text, cut) in [
            ("abcdef", "abcde"),
            ("abcdé", "abcd"),
            ("abcé", "abcé"),
            ("ab€x", "ab€"),
            ("abc€", "abc"),
        ] {
            assert_eq!(Text::<5>::new().push_str(text).as_str(), cut);
        }
        assert_eq!(
            Text::<5>::new()
                .push_str("abc")
                .push_str("€")
                .push_str("de")
                .as_str(),
            "abcde"
        );
        assert_eq!(Text::<3>::new().push_u64(12_345).as_str(), "123");
        assert_eq!(Text::<0>::new().push_str("a").push_u64(1).as_str(), "");
    }
}
