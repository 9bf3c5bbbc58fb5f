//! The stored numbers from which arithmetic of the server leads to a result within limits.

use crate::bson_util::exact::Exact;

/// The least and the greatest stored value whose result is within limits; no limit gives none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Stored<T> {
    /// Every stored value has a result within the limits.
    All,
    /// No stored value has a result within the limits.
    None,
    Between(Option<T>, Option<T>),
}

/// The stored integers whose result is within limits.
pub(super) fn integers(
    operator: &str,
    operand: i64,
    min: Option<i64>,
    max: Option<i64>,
) -> Stored<i64> {
    let by = i128::from(operand);
    let (min, max) = (min.map(i128::from), max.map(i128::from));
    let floor = |n: i128| (n * by.signum()).div_euclid(by.abs());
    let ceil = |n: i128| -(-n * by.signum()).div_euclid(by.abs());
    let (least, greatest) = match (operator, by) {
        ("$inc", 0) => return Stored::All,
        ("$inc", by) => (min.map(|n| n - by), max.map(|n| n - by)),
        (_, 0) if min.is_none_or(|n| n <= 0) && max.is_none_or(|n| n >= 0) => return Stored::All,
        (_, 0) => return Stored::None,
        (_, by) if by > 0 => (min.map(ceil), max.map(floor)),
        _ => (max.map(ceil), min.map(floor)),
    };
    let (least_of_all, greatest_of_all) = (i128::from(i64::MIN), i128::from(i64::MAX));
    if least.is_some_and(|n| n > greatest_of_all) || greatest.is_some_and(|n| n < least_of_all) {
        return Stored::None;
    }
    // A limit beyond 64 bits is none.
    let least = least.filter(|n| *n > least_of_all);
    let greatest = greatest.filter(|n| *n < greatest_of_all);
    match (least, greatest) {
        (None, None) => Stored::All,
        (least, greatest) => Stored::Between(
            least.and_then(|n| i64::try_from(n).ok()),
            greatest.and_then(|n| i64::try_from(n).ok()),
        ),
    }
}

/// Numbers whose arithmetic rounds. They stand in a row: the places of two neighbours differ by one.
pub(super) trait Rounded: Copy + PartialOrd {
    const ZERO: Self;
    const INFINITY: Self;
    /// The greatest finite number.
    const MAX: Self;

    fn plus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn negated(self) -> Self;
    fn is_finite(self) -> bool;
    fn place(self) -> i128;
    fn at_place(place: i128) -> Self;
}

impl Rounded for f64 {
    const ZERO: Self = 0.0;
    const INFINITY: Self = f64::INFINITY;
    const MAX: Self = f64::MAX;

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn negated(self) -> Self {
        -self
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }

    fn place(self) -> i128 {
        turned(self.to_bits().cast_signed()).into()
    }

    #[allow(clippy::cast_possible_truncation)] // A place of a float has 64 bits.
    fn at_place(place: i128) -> Self {
        f64::from_bits(turned(place as i64).cast_unsigned())
    }
}

/// The bits of floats, turned so that they have the order of their numbers.
fn turned(bits: i64) -> i64 {
    bits ^ i64::MAX & (bits >> 63)
}

impl Rounded for Exact {
    const ZERO: Self = Exact::ZERO;
    const INFINITY: Self = Exact::INFINITY;
    const MAX: Self = Exact::MAX;

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn times(self, other: Self) -> Self {
        self * other
    }

    fn negated(self) -> Self {
        self.negated()
    }

    fn is_finite(self) -> bool {
        self.is_finite()
    }

    fn place(self) -> i128 {
        self.place()
    }

    fn at_place(place: i128) -> Self {
        Exact::at_place(place)
    }
}

/// The stored numbers whose result is within a range: the server rounds each result, so the ends are looked for.
pub(super) fn rounded<N: Rounded>(
    operator: &str,
    by: N,
    (min, max): (N, N),
    exclusive: bool,
) -> Stored<N> {
    if !by.is_finite() {
        return Stored::None;
    }
    let adds = operator == "$inc";
    let result = |n: N| if adds { n.plus(by) } else { n.times(by) };
    let high = |n: N| result(n) >= min;
    let low = |n: N| {
        if exclusive {
            result(n) < max
        } else {
            result(n) <= max
        }
    };
    if by == N::ZERO && !adds {
        return match high(N::ZERO) && low(N::ZERO) {
            // An infinite value times zero is none.
            true => Stored::Between(Some(N::MAX.negated()), Some(N::MAX)),
            false => Stored::None,
        };
    }
    let rises = adds || by > N::ZERO;
    // A sum has its end near the difference.
    let near = |end: N| adds.then(|| end.plus(by.negated()).place());
    let least = least_number(near(min), |n| if rises { high(n) } else { low(n) });
    let beyond = least_number(near(max), |n| !if rises { low(n) } else { high(n) });
    let greatest = beyond.map_or(N::INFINITY, |beyond: N| N::at_place(beyond.place() - 1));
    match least {
        Some(least) if least <= greatest => Stored::Between(Some(least), Some(greatest)),
        _ => Stored::None,
    }
}

/// The least number that has a property which every greater one has too; `None` if no number has it. It is looked for from the place
/// `near` outwards.
fn least_number<N: Rounded>(near: Option<i128>, has: impl Fn(N) -> bool) -> Option<N> {
    let (mut without, mut with) = (N::INFINITY.negated().place(), N::INFINITY.place());
    if has(N::INFINITY.negated()) || !has(N::INFINITY) {
        return has(N::INFINITY).then_some(N::INFINITY.negated());
    }
    let mut step = 1;
    let mut next = near.filter(|near| without < *near && *near < with);
    while with.abs_diff(without) > 1 {
        let place = next.take().unwrap_or(i128::midpoint(without, with));
        let has_it = has(N::at_place(place));
        match has_it {
            true => with = place,
            false => without = place,
        }
        if near.is_some() && step < with.abs_diff(without).min(1 << 100) {
            let outwards = if has_it {
                with - step.cast_signed()
            } else {
                without + step.cast_signed()
            };
            next = Some(outwards).filter(|next| without < *next && *next < with);
            step *= 2;
        }
    }
    Some(N::at_place(with))
}
