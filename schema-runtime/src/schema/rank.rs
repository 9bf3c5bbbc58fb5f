//! Places in an order that users set: texts between any two of which there is another.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::str::FromStr;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

/// The digits, in the order in which the server compares them, also where a collation leaves out the case.
const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE: u8 = 36;

/// The first digit of the integers from zero on. It is greater by one with each further digit.
const POSITIVE: u8 = 18;

/// The place of a document among others, in an order that users set: tasks in a list, pages in a chapter, documents below one parent in a tree.
///
/// Stored as a short text, at most 200 bytes, so that an index sorts it. There is a rank between any two, so a document is moved by
/// one update of it alone. [`Find::rank_after`](crate::find::Find::rank_after) and its relatives give the next rank. Two programs that ask
/// for the same place get different ranks.
///
/// ```
/// # use mongo_model::{Database, Id, MongoModel, Rank, Result};
/// # use serde::{Deserialize, Serialize};
/// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// # #[model(collection = "lists")]
/// # pub struct List { #[serde(rename = "_id")] pub id: Id<List>, pub name: String }
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "tasks")]
/// pub struct Task {
///     #[serde(rename = "_id")]
///     pub id: Id<Task>,
///     #[parent(List, sort = rank)]
///     pub list: Id<List>,
///     pub rank: Rank,
///     pub title: String,
/// }
///
/// # async fn example(db: &Database, list: Id<List>, task: Id<Task>, above: &Task) -> Result<()> {
/// let last = Task::find(db, |t| t.list.eq(list)).rank_last(|t| t.rank).await?;
/// Task::insert(db, &Task { id: Id::new(), list, rank: last, title: "buy milk".into() }).await?;
///
/// let below = Task::find(db, |t| t.list.eq(list)).rank_after(|t| t.rank, &above.rank).await?;
/// Task::update(db, task).set(|t| t.rank, below).await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct Rank(String);

/// A text that is no [`Rank`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidRank;

impl fmt::Display for InvalidRank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a rank: expected what `Rank` stores, at most 200 digits and small letters")
    }
}

impl std::error::Error for InvalidRank {}

impl Rank {
    /// The largest number of bytes of a rank.
    pub const MAX: usize = 200;

    /// A rank after `lower` and before `upper`; `None` for one of them is the beginning or the end of the order. At the ends, and between
    /// two ranks that [`spread`](Self::spread) gave, a rank has some 4 bytes.
    ///
    /// Returns `None` if `lower` is not before `upper`, or if the rank would be too long: after about 700 documents that were each put
    /// right before the last one. [`spread`](Self::spread) then gives the documents new ranks.
    ///
    /// ```
    /// # use mongo_model::Rank;
    /// let one = Rank::between(None, None).unwrap();
    /// let two = Rank::between(Some(&one), None).unwrap();
    /// let middle = Rank::between(Some(&one), Some(&two)).unwrap();
    /// assert!(one < middle && middle < two);
    /// ```
    #[must_use]
    pub fn between(lower: Option<&Rank>, upper: Option<&Rank>) -> Option<Rank> {
        let digits = |rank: Option<&Rank>| rank.map(Rank::digits);
        let (lower, upper) = (digits(lower), digits(upper));
        let shortest = middle(lower.as_deref(), upper.as_deref())?;
        let mut longer = shortest.clone();
        longer.extend(random_digits());
        let is_below = upper.is_none_or(|upper| longer < upper);
        let chosen = if is_below { longer } else { shortest };
        (chosen.len() <= Self::MAX).then(|| Rank::of_digits(&chosen))
    }

    /// So many ranks in their order, as far apart as they can be: for an import, or for documents whose ranks have become long.
    ///
    /// ```
    /// # use mongo_model::Rank;
    /// let titles = ["buy milk", "walk the dog"];
    /// let ranked: Vec<_> = titles.into_iter().zip(Rank::spread()).collect();
    /// assert!(ranked[0].1 < ranked[1].1);
    /// ```
    pub fn spread() -> impl Iterator<Item = Rank> {
        let first = Some(vec![POSITIVE, 0]);
        let integers = std::iter::successors(first, |last| next_integer(last));
        integers.map(|integer| Rank::of_digits(&integer))
    }

    /// The text that is stored.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn digits(&self) -> Vec<u8> {
        let digit = |byte: u8| match byte {
            b'0'..=b'9' => byte - b'0',
            _ => byte.wrapping_sub(b'a').wrapping_add(10),
        };
        self.0.bytes().map(digit).collect()
    }

    fn of_digits(digits: &[u8]) -> Rank {
        let digits = digits.iter().map(|digit| DIGITS[usize::from(*digit)]);
        Rank(digits.map(char::from).collect())
    }
}

impl FromStr for Rank {
    type Err = InvalidRank;

    fn from_str(text: &str) -> Result<Rank, InvalidRank> {
        let rank = Rank(text.to_owned());
        let known = text.bytes().all(|byte| DIGITS.contains(&byte));
        if !known || text.is_empty() || text.len() > Self::MAX {
            return Err(InvalidRank);
        }
        let digits = rank.digits();
        let integer = integer_length(digits[0]);
        let is_fraction = digits.len() == integer || digits.last() != Some(&0);
        match digits.len() >= integer && is_fraction {
            true => Ok(rank),
            false => Err(InvalidRank),
        }
    }
}

impl<'de> Deserialize<'de> for Rank {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// Two digits that make the ranks of two programs differ. The last one is not zero: nothing would fit between a fraction that ends with it
/// and the one without it.
fn random_digits() -> [u8; 2] {
    let random = RandomState::new().build_hasher().finish();
    let digit = |number: u64, least: u8| {
        let number = number % u64::from(BASE - least);
        least + u8::try_from(number).unwrap_or_default()
    };
    [digit(random, 0), digit(random >> 32, 1)]
}

/// The number of digits of the integer that begins with this one, which says it.
const fn integer_length(first: u8) -> usize {
    let others = match first >= POSITIVE {
        true => first - POSITIVE + 1,
        false => POSITIVE - first,
    };
    1 + others as usize
}

/// The shortest digits between these two.
fn middle(lower: Option<&[u8]>, upper: Option<&[u8]>) -> Option<Vec<u8>> {
    if let (Some(lower), Some(upper)) = (lower, upper)
        && lower >= upper
    {
        return None;
    }
    let split = |rank: &[u8]| {
        let (integer, fraction) = rank.split_at(integer_length(rank[0]).min(rank.len()));
        (integer.to_vec(), fraction.to_vec())
    };
    let join = |mut integer: Vec<u8>, fraction: Vec<u8>| {
        integer.extend(fraction);
        integer
    };
    match (lower.map(split), upper.map(split)) {
        (None, None) => Some(vec![POSITIVE, 0]),
        (None, Some((integer, fraction))) => Some(match previous_integer(&integer) {
            Some(previous) => previous,
            None => join(integer, middle_fraction(&[], Some(&fraction))),
        }),
        (Some((integer, fraction)), None) => Some(match next_integer(&integer) {
            Some(next) => next,
            None => join(integer, middle_fraction(&fraction, None)),
        }),
        (Some((integer, low)), Some((above, high))) if integer == above => {
            Some(join(integer, middle_fraction(&low, Some(&high))))
        }
        (Some((integer, low)), Some((above, high))) => match next_integer(&integer)? {
            next if next < above || !high.is_empty() => Some(next),
            _ => Some(join(integer, middle_fraction(&low, None))),
        },
    }
}

/// The digits of a fraction between these two: the first is less, and neither ends with zero. Without the second, up to 1.
fn middle_fraction(lower: &[u8], upper: Option<&[u8]>) -> Vec<u8> {
    let mut between = Vec::new();
    let mut upper = upper;
    let mut at = 0;
    loop {
        let low = lower.get(at).copied().unwrap_or_default();
        let high = upper.map_or(BASE, |upper| upper.get(at).copied().unwrap_or_default());
        match high.saturating_sub(low) {
            0 => between.push(low),
            1 if upper.is_some_and(|upper| upper.len() > at + 1) => {
                between.push(high);
                return between;
            }
            1 => {
                between.push(low);
                upper = None;
            }
            _ => {
                between.push((low + high).div_ceil(2));
                return between;
            }
        }
        at += 1;
    }
}

/// The next integer; `None` after the last one.
fn next_integer(integer: &[u8]) -> Option<Vec<u8>> {
    let (first, digits) = integer.split_first()?;
    let mut next = digits.to_vec();
    for digit in next.iter_mut().rev() {
        if *digit < BASE - 1 {
            *digit += 1;
            next.insert(0, *first);
            return Some(next);
        }
        *digit = 0;
    }
    let first = first + 1;
    (first < BASE).then(|| {
        let mut next = vec![0; integer_length(first)];
        next[0] = first;
        next
    })
}

/// The integer before; `None` before the first one.
fn previous_integer(integer: &[u8]) -> Option<Vec<u8>> {
    let (first, digits) = integer.split_first()?;
    let mut previous = digits.to_vec();
    for digit in previous.iter_mut().rev() {
        if *digit > 0 {
            *digit -= 1;
            previous.insert(0, *first);
            return Some(previous);
        }
        *digit = BASE - 1;
    }
    let first = first.checked_sub(1)?;
    let mut previous = vec![BASE - 1; integer_length(first)];
    previous[0] = first;
    Some(previous)
}

#[cfg(test)]
mod tests {
    use super::{Rank, middle};

    /// A number below this one, the same in each run.
    fn random(state: &mut u64, below: usize) -> usize {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(*state >> 33).expect("31 bits") % below
    }

    #[test]
    fn there_is_a_rank_between_any_two() {
        let mut state = 7;
        let mut ranks: Vec<Rank> = Vec::new();
        for _ in 0..4_000 {
            let at = random(&mut state, ranks.len() + 1);
            let lower = at.checked_sub(1).and_then(|below| ranks.get(below));
            let rank = Rank::between(lower, ranks.get(at)).expect("one");
            assert_eq!(rank.as_str().parse(), Ok(rank.clone()));
            ranks.insert(at, rank);
        }
        assert!(ranks.is_sorted_by(|one, next| one < next));
        let longest = ranks.iter().map(|rank| rank.as_str().len()).max();
        assert!(longest < Some(20), "{longest:?}");
    }

    #[test]
    fn ranks_at_the_ends_stay_short() {
        for is_last in [true, false] {
            let mut end = Rank::between(None, None).expect("one");
            for _ in 0..50_000 {
                let next = match is_last {
                    true => Rank::between(Some(&end), None),
                    false => Rank::between(None, Some(&end)),
                };
                let next = next.expect("one");
                assert_eq!(next > end, is_last);
                end = next;
            }
            assert!(end.as_str().len() <= 7, "{end:?}");
        }
    }

    #[test]
    fn a_place_takes_hundreds_of_documents() {
        for is_low in [true, false] {
            let mut low = Rank::between(None, None).expect("one");
            let mut high = Rank::between(Some(&low), None).expect("one");
            let mut number = 0;
            while let Some(rank) = Rank::between(Some(&low), Some(&high)) {
                assert!(low < rank && rank < high);
                *(if is_low { &mut low } else { &mut high }) = rank;
                number += 1;
            }
            assert!(number > 600, "{number}");
        }
    }

    #[test]
    fn ranks_of_one_place_differ() {
        let mut spread = Rank::spread();
        let (one, two) = (spread.next(), spread.next());
        let between = || Rank::between(one.as_ref(), two.as_ref()).expect("one");
        let ranks: std::collections::BTreeSet<Rank> = (0..20).map(|_| between()).collect();
        assert!(ranks.len() > 15, "{}", ranks.len());
    }

    #[test]
    fn a_spread_is_in_order_and_short() {
        let ranks: Vec<Rank> = Rank::spread().take(50_000).collect();
        assert!(ranks.is_sorted_by(|one, next| one < next));
        assert!(ranks.iter().all(|rank| rank.as_str().len() <= 5));
    }

    #[test]
    fn what_is_no_rank_is_refused() {
        for text in ["", "i", "I0", "i00", "j0", "i0 ", "i0a0", "ä0", "z"] {
            text.parse::<Rank>().expect_err(text);
        }
        let long = format!("i0{}", "1".repeat(Rank::MAX));
        long.parse::<Rank>().expect_err("too long");
        for text in ["i0", "j01", "i0a", "hz1", "000000000000000000z"] {
            text.parse::<Rank>().expect(text);
        }
    }

    #[test]
    fn two_ranks_in_the_wrong_order_have_none_between() {
        let (one, two) = ("i0".parse().expect("one"), "i1".parse().expect("one"));
        assert_eq!(Rank::between(Some(&two), Some(&one)), None);
        assert_eq!(Rank::between(Some(&one), Some(&one)), None);
        assert_eq!(
            middle(Some(&[18, 0]), Some(&[18, 0, 1])),
            Some(vec![18, 0, 0, 18])
        );
    }
}
