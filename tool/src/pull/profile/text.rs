//! Strings at a path: lengths, the few distinct ones, and what they look like.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use mongo_model::validator::{EMAIL_PATTERN, URL_PATTERN};
use regex_lite::Regex;

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
    /// Characters of the shortest one.
    pub(crate) shortest: u64,
    /// The first distinct strings, with how often they occur.
    pub(crate) distinct: BTreeMap<Box<str>, u64>,
    /// The number of strings that are not counted in `distinct`.
    pub(crate) others: u64,
    /// Strings that look like a date.
    pub(crate) dates: u64,
    /// Strings that look like an ObjectId.
    pub(crate) object_ids: u64,
    /// Strings that look like a number.
    pub(crate) numbers: u64,
    /// Numbers with a point.
    pub(crate) fractions: u64,
    /// Numbers that begin with a zero, as codes do.
    pub(crate) zeros: u64,
    /// Strings that look like a sum of money: `$12.50`, `1.234,50 €`.
    pub(crate) money: u64,
    /// Empty strings.
    pub(crate) empty: u64,
    /// Strings that the rule `email` takes.
    pub(crate) emails: u64,
    /// Strings that the rule `url` takes.
    pub(crate) urls: u64,
}

impl Text {
    pub(crate) fn add(&mut self, text: &str) {
        let length = text.chars().count() as u64;
        self.shortest = match self.count {
            0 => length,
            _ => self.shortest.min(length),
        };
        self.count += 1;
        self.longest = self.longest.max(length);
        self.emails += u64::from(is_email(text));
        self.urls += u64::from(is_url(text));
        self.empty += u64::from(text.is_empty());
        self.dates += u64::from(is_date(text));
        self.object_ids += u64::from(is_object_id(text));
        if is_number(text) {
            self.numbers += 1;
            self.fractions += u64::from(text.contains('.'));
            let digits = text.trim_start_matches('-').as_bytes();
            self.zeros +=
                u64::from(digits[0] == b'0' && digits.get(1).is_some_and(u8::is_ascii_digit));
        }
        self.money += u64::from(is_money(text));
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
        self.shortest = match (self.count, other.count) {
            (_, 0) => self.shortest,
            (0, _) => other.shortest,
            _ => self.shortest.min(other.shortest),
        };
        self.count += other.count;
        self.emails += other.emails;
        self.urls += other.urls;
        self.longest = self.longest.max(other.longest);
        self.empty += other.empty;
        self.dates += other.dates;
        self.object_ids += other.object_ids;
        self.numbers += other.numbers;
        self.fractions += other.fractions;
        self.zeros += other.zeros;
        self.money += other.money;
        self.others += other.others;
        for (text, count) in &other.distinct {
            self.add_distinct(text, *count);
        }
    }
}

/// `2015-09-03`, `2015-09-03 00:32:16.2270`, `2015-09-03T00:32:16Z`, `03/09/2015`, `Thu Sep 11 19:29:24 +0000 2014`,
/// `Thu, 11 Sep 2014 19:29:24 +0000`.
pub(crate) fn is_date(text: &str) -> bool {
    if is_spelled_date(text) {
        return true;
    }
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

/// A day of the week, a month, a day, a time and a year, as mail and C's `ctime` write them.
fn is_spelled_date(text: &str) -> bool {
    const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
    const MONTHS: [&str; 12] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ];
    let mut words = text.split([' ', ',']).filter(|word| !word.is_empty());
    let has_day = words.next().is_some_and(|word| DAYS.contains(&word));
    let digits = |word: &str, n: std::ops::RangeInclusive<usize>| {
        n.contains(&word.len()) && word.bytes().all(|b| b.is_ascii_digit())
    };
    let (mut month, mut day, mut time, mut year) = (0, 0, 0, 0);
    for word in words {
        month += usize::from(MONTHS.contains(&word));
        day += usize::from(digits(word, 1..=2));
        time += usize::from(word.len() == 8 && word.matches(':').count() == 2);
        year += usize::from(digits(word, 4..=4));
    }
    has_day && text.len() <= 35 && [month, day, time, year] == [1; 4]
}

fn is_email(text: &str) -> bool {
    static PATTERN: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(EMAIL_PATTERN).expect("a pattern"));
    text.contains('@') && PATTERN.is_match(text)
}

fn is_url(text: &str) -> bool {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| Regex::new(URL_PATTERN).expect("a pattern"));
    text.starts_with("http") && PATTERN.is_match(text)
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

/// A number with the sign or the code of a currency, or with a comma.
fn is_money(text: &str) -> bool {
    let is_code = |word: &str| word.len() == 3 && word.bytes().all(|b| b.is_ascii_uppercase());
    let is_sign = |c: char| matches!(c, '$' | '€' | '£' | '¥' | '₹');
    let number = text.trim_matches(|c| is_sign(c) || matches!(c, ' ' | '-'));
    let (first, last) = (number.split(' ').next(), number.split(' ').next_back());
    let has_code = first.into_iter().chain(last).any(is_code);
    let number = number.trim_matches(|c: char| c == ' ' || c.is_ascii_uppercase());
    let marked = has_code || text.contains(is_sign) || number.contains(',');
    let digits = number.bytes().filter(u8::is_ascii_digit).count();
    marked
        && text.chars().count() <= 24
        && number.starts_with(|c: char| c.is_ascii_digit())
        && number.ends_with(|c: char| c.is_ascii_digit())
        && number.len() - digits <= 4
        && number
            .bytes()
            .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_told_from_other_text() {
        for money in [
            "$12.50",
            "12,50 €",
            "1.234,50",
            "EUR 12",
            "12.50 USD",
            "-$3",
        ] {
            assert!(is_money(money), "{money}");
        }
        for other in [
            "",
            "12.50",
            "a, b",
            "$",
            "12,",
            "ABC",
            "(1,2)",
            "1,2,3,4,5,6,7",
        ] {
            assert!(!is_money(other), "{other}");
        }
    }

    #[test]
    fn dates_are_told_from_other_text() {
        for date in [
            "2015-09-03",
            "2015-09-03 00:32:16.227000000",
            "2015-09-03T00:32:16Z",
            "03/09/2015",
            "Thu Sep 11 19:29:24 +0000 2014",
            "Thu, 11 Sep 2014 19:29:24 +0000",
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
            "Thu Sep 11",
            "Sun and Moon",
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
