//! Messages of const checks: `format!` does not run at compile time, this does.

/// A string of at most `N` bytes, built in a const. Text that does not fit is cut off at a character.
#[derive(Clone, Copy)]
pub(crate) struct Text<const N: usize> {
    bytes: [u8; N],
    len: usize,
}

impl<const N: usize> Text<N> {
    /// An empty text.
    #[must_use]
    pub(crate) const fn new() -> Self {
        Text {
            bytes: [0; N],
            len: 0,
        }
    }

    /// Appends `text`.
    #[must_use]
    pub(crate) const fn push_str(self, text: &str) -> Self {
        self.push_part(text, 0, text.len())
    }

    /// Appends a template: `{name}` in it stands for the part with this name, and `{{` for a brace. See [`say!`](say).
    #[must_use]
    pub(crate) const fn say(mut self, template: &str, parts: &[(&str, Part<'_>)]) -> Self {
        let bytes = template.as_bytes();
        let (mut from, mut at) = (0, 0);
        while at < bytes.len() {
            if !matches!(bytes[at], b'{' | b'}') {
                at += 1;
                continue;
            }
            self = self.push_part(template, from, at);
            if at + 1 < bytes.len() && bytes[at + 1] == bytes[at] {
                (from, at) = (at + 1, at + 2);
                continue;
            }
            let name = at + 1;
            while bytes[at] != b'}' {
                at += 1;
            }
            self = match find(parts, bytes.split_at(at).0.split_at(name).1) {
                Part::Str(text) => self.push_str(text),
                Part::Number(number) => self.push_u64(number),
                Part::Signed(number) => self.push_i64(number),
                Part::Grouped(number) => self.push_grouped(number),
            };
            (from, at) = (at + 1, at + 1);
        }
        self.push_part(template, from, bytes.len())
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
    const fn push_u64(mut self, number: u64) -> Self {
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
    const fn push_i64(self, number: i64) -> Self {
        match number < 0 {
            true => self.push_str("-").push_u64(number.unsigned_abs()),
            false => self.push_u64(number.unsigned_abs()),
        }
    }

    /// Appends a number in decimal, in groups of three digits: `16 777 216`.
    #[must_use]
    const fn push_grouped(mut self, number: u64) -> Self {
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
    pub(crate) const fn as_str(&self) -> &str {
        match core::str::from_utf8(self.bytes.split_at(self.len).0) {
            Ok(text) => text,
            Err(_) => "",
        }
    }
}

/// A part of a message that stands in the place of a name.
#[derive(Clone, Copy)]
pub(crate) enum Part<'a> {
    Str(&'a str),
    Number(u64),
    Signed(i64),
    /// A number in groups of three digits.
    Grouped(u64),
}

/// The part with this name. A template that names no part does not compile where it is used.
const fn find<'a>(parts: &[(&str, Part<'a>)], name: &[u8]) -> Part<'a> {
    let mut n = 0;
    while n < parts.len() {
        let (bytes, mut same) = (parts[n].0.as_bytes(), 0);
        while same < name.len() && same < bytes.len() && bytes[same] == name[same] {
            same += 1;
        }
        if same == name.len() && same == bytes.len() {
            return parts[n].1;
        }
        n += 1;
    }
    panic!("a template names a part that is not given");
}

/// A message by its template: `say!("`{owner}` holds {count} ids"; owner, count: Number = 3)`. With a text and `=>` before the template, that text
/// goes before it.
macro_rules! say {
    (@part $name:ident) => { $crate::__private::text::Part::Str($name) };
    (@part $name:ident = $value:expr) => { $crate::__private::text::Part::Str($value) };
    (@part $name:ident: $kind:ident) => { $crate::__private::text::Part::$kind($name) };
    (@part $name:ident: $kind:ident = $value:expr) => { $crate::__private::text::Part::$kind($value) };
    ($template:literal $(; $($name:ident $(: $kind:ident)? $(= $value:expr)?),+)?) => {
        $crate::__private::text::say!(
            $crate::__private::text::Text::<1024>::new() => $template $(; $($name $(: $kind)? $(= $value)?),+)?
        )
    };
    ($before:expr => $template:literal $(; $($name:ident $(: $kind:ident)? $(= $value:expr)?),+)?) => {
        $before.say($template, &[$($((
            stringify!($name),
            $crate::__private::text::say!(@part $name $(: $kind)? $(= $value)?),
        )),+)?])
    };
}
pub(crate) use say;

/// Refuses what is checked, with the message that [`say!`](say) makes.
macro_rules! refuse {
    ($($message:tt)*) => {{
        let text = $crate::__private::text::say!($($message)*);
        panic!("{}", text.as_str())
    }};
}
pub(crate) use refuse;

impl<const N: usize> core::fmt::Debug for Text<N> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        self.as_str().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, Text};

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
    fn has_parts_in_the_places_of_their_names() {
        const OWNER: &str = "Order::parts";
        const SAID: Text<1024> = say!(
            "`{owner}` {verb} {count} or {most} in {{ }}, é, `{owner}`";
            owner = OWNER, verb = "holds", count: Number = 0, most: Grouped = 15_100
        );
        let text = "`Order::parts` holds 0 or 15 100 in { }, é, `Order::parts`";
        assert_eq!(SAID.as_str(), text);
        assert_eq!(say!(SAID => "").as_str(), text);
        let short = Text::<5>::new().say("ab{c}d", &[("c", Part::Str("€"))]);
        assert_eq!(short.as_str(), "ab€");
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
