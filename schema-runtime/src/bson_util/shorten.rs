//! Text from outside, as messages repeat it.

/// The longest text that a message repeats whole, in bytes.
const LONGEST: usize = 400;

/// The text, or its beginning and its end where it is long: a message must not grow with what a client sends.
pub(crate) fn shorten(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let half = LONGEST / 2;
    let (mut start, mut end) = (half, text.len() - half);
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end += 1;
    }
    format!("{} .. {}", &text[..start], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn long_text_loses_its_middle() {
        assert_eq!(shorten("short"), "short");
        for text in ["a".repeat(1_000_000), "\u{20ac}".repeat(1_000)] {
            let short = shorten(&text);
            assert!(short.len() < 410 && short.contains(" .. "), "{short}");
        }
    }
}
