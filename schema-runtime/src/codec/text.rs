//! Text from unvalidated bytes.

use super::Refused;

/// The longest text that is checked here. The standard library checks longer text in one pass, as fast as this module.
const SHORT: usize = 512;

/// The bytes as text, if they are UTF-8.
///
/// Most stored text is short and ASCII. The standard library walks over such text byte by byte; eight at a time are several
/// times faster.
#[inline(always)]
pub(super) fn text(bytes: &[u8]) -> Result<&str, Refused> {
    if bytes.len() <= SHORT && is_ascii(bytes) {
        // SAFETY: no byte has its highest bit set, and every ASCII byte is UTF-8.
        #[expect(unsafe_code, reason = "the one place, see above")]
        return Ok(unsafe { std::str::from_utf8_unchecked(bytes) });
    }
    any_text(bytes)
}

#[inline(never)]
fn any_text(bytes: &[u8]) -> Result<&str, Refused> {
    std::str::from_utf8(bytes).map_err(|_| Refused)
}

/// True if no byte has its highest bit set.
#[inline(always)]
fn is_ascii(bytes: &[u8]) -> bool {
    let seen = if let Some(last) = bytes.last_chunk::<8>() {
        let (words, _) = bytes.as_chunks::<8>();
        // The last word overlaps the one before it.
        words.iter().fold(u64::from_le_bytes(*last), |seen, word| {
            seen | u64::from_le_bytes(*word)
        })
    } else if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        u64::from(u32::from_le_bytes(*first) | u32::from_le_bytes(*last))
    } else {
        bytes.iter().fold(0, |seen, byte| seen | u64::from(*byte))
    };
    seen & 0x8080_8080_8080_8080 == 0
}

#[cfg(test)]
mod tests {
    use super::text;

    /// The same as the standard library says, with one byte of any value anywhere, and with longer characters. Under miri (a few
    /// minutes): `cargo +nightly miri test -p mongo-model --no-default-features --features derive --lib text_is_utf8`.
    #[test]
    fn text_is_utf8() {
        for len in 0..40 {
            let plain = vec![b'a'; len];
            assert_eq!(text(&plain).ok(), std::str::from_utf8(&plain).ok());
            for at in 0..len {
                for byte in [0, 0x7f, 0x80, 0xc3, 0xe2, 0xf0, 0xff] {
                    let mut bytes = plain.clone();
                    bytes[at] = byte;
                    assert_eq!(text(&bytes).ok(), std::str::from_utf8(&bytes).ok());
                }
                for long in ["ü", "€", "𝄞"] {
                    let mut bytes = plain.clone();
                    bytes.splice(at..=at, long.bytes());
                    assert_eq!(text(&bytes).ok(), std::str::from_utf8(&bytes).ok());
                }
            }
        }
        let long = "ü".repeat(10_000);
        assert_eq!(text(long.as_bytes()).ok(), Some(&*long));
        assert!(text(&long.as_bytes()[..9_999]).is_err());
    }
}
