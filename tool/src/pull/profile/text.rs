//! Strings at a path: lengths, the few distinct ones, and what they look like.

use std::collections::BTreeMap;

/// Distinct strings that are counted one by one.
const DISTINCT: usize = 64;
/// Longer strings are no names of variants.
const LONGEST: usize = 48;

/// Strings at one path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Text {
    pub(crate) count: u64,
    /// Characters of the longest string.
    pub(crate) longest: u64,
    /// The first distinct strings, with how often they occur.
    pub(crate) distinct: BTreeMap<Box<str>, u64>,
    /// How many strings are not counted in `distinct`.
    pub(crate) others: u64,
    /// Strings that look like a date.
    pub(crate) dates: u64,
    /// Strings that look like an ObjectId.
    pub(crate) object_ids: u64,
    /// Strings that look like a number.
    pub(crate) numbers: u64,
    /// Empty strings.
    pub(crate) empty: u64,
}

impl Text {
    pub(crate) fn add(&mut self, text: &str) {
        self.count += 1;
        self.longest = self.longest.max(text.chars().count() as u64);
        self.empty += u64::from(text.is_empty());
        self.dates += u64::from(is_date(text));
        self.object_ids += u64::from(is_object_id(text));
        self.numbers += u64::from(is_number(text));
        if text.len() > LONGEST {
            self.others += 1;
        } else {
            self.add_distinct(text, 1);
        }
    }

    fn add_distinct(&mut self, text: &str, count: u64) {
        let room = self.distinct.len() < DISTINCT;
        match self.distinct.get_mut(text) {
            Some(known) => *known += count,
            None if room => {
                self.distinct.insert(text.into(), count);
            }
            None => self.others += count,
        }
    }

    pub(crate) fn merge(&mut self, other: &Text) {
        self.count += other.count;
        self.longest = self.longest.max(other.longest);
        self.empty += other.empty;
        self.dates += other.dates;
        self.object_ids += other.object_ids;
        self.numbers += other.numbers;
        self.others += other.others;
        for (text, count) in &other.distinct {
            self.add_distinct(text, *count);
        }
    }
}

/// `2015-09-03`, `2015-09-03 00:32:16.2270`, `2015-09-03T00:32:16Z`, `03/09/2015`.
pub(crate) fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| {
        bytes
            .get(from..to)
            .is_some_and(|part| part.iter().all(u8::is_ascii_digit))
    };
    let year_first = digits(0, 4)
        && digits(5, 7)
        && digits(8, 10)
        && matches!(bytes[4], b'-' | b'/' | b'.')
        && bytes[4] == bytes[7]
        && !digits(10, 11);
    let year_last = bytes.len() == 10
        && digits(0, 2)
        && digits(3, 5)
        && digits(6, 10)
        && matches!(bytes[2], b'/' | b'.' | b'-')
        && bytes[2] == bytes[5];
    (year_first && bytes.len() <= 35) || year_last
}

/// 24 hexadecimal digits.
pub(crate) fn is_object_id(text: &str) -> bool {
    text.len() == 24 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// `12`, `-3.50`.
fn is_number(text: &str) -> bool {
    text.len() <= 20
        && text.bytes().any(|b| b.is_ascii_digit())
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-'))
        && text.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_told_from_other_text() {
        for date in [
            "2015-09-03",
            "2015-09-03 00:32:16.227000000",
            "2015-09-03T00:32:16Z",
            "03/09/2015",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in [
            "",
            "2015",
            "2015-09",
            "555-12-3456",
            "20150903000000",
            "12.5",
        ] {
            assert!(!is_date(other), "{other}");
        }
    }

    #[test]
    fn strings_beyond_the_limit_are_counted_together() {
        let mut text = Text::default();
        (0..100).for_each(|n| text.add(&n.to_string()));
        text.add("1");
        assert_eq!(
            (text.count, text.distinct.len(), text.others),
            (101, 64, 36)
        );
        assert_eq!((text.numbers, text.longest), (101, 2));
    }
}
