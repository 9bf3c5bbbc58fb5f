//! Decimals as the server orders, adds and multiplies them: 34 digits, rounded half to even.

#[cfg(feature = "driver")]
mod places;
#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::ops::{Add, Mul};

use bson::{Bson, Decimal128};

const DIGITS: u32 = 34;
const BEYOND: u128 = 10_u128.pow(DIGITS);
const LEAST_EXPONENT: i32 = -6_176;
const GREATEST_EXPONENT: i32 = 6_111;
/// The bits of the coefficient.
const COEFFICIENT: u32 = 113;

/// A decimal of the server.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Exact {
    Nan,
    Infinite {
        is_negative: bool,
    },
    /// The coefficient has at most 34 digits.
    Finite {
        coefficient: i128,
        exponent: i32,
    },
}

impl Exact {
    pub(crate) const ZERO: Self = Exact::Finite {
        coefficient: 0,
        exponent: 0,
    };
    pub(crate) const INFINITY: Self = Exact::Infinite { is_negative: false };
    /// The greatest finite decimal.
    pub(crate) const MAX: Self = Exact::Finite {
        coefficient: BEYOND.cast_signed() - 1,
        exponent: GREATEST_EXPONENT,
    };

    /// The decimal that a float of a program's text is written as, with its fewest digits.
    pub(crate) fn shortest(float: f64) -> Self {
        parse(&format!("{float:e}"))
    }

    /// The decimal nearest to a float with this number of digits.
    pub(crate) fn of_float(float: f64, digits: usize) -> Self {
        parse(&format!("{float:.0$e}", digits.saturating_sub(1)))
    }

    pub(crate) fn is_nan(self) -> bool {
        matches!(self, Exact::Nan)
    }

    pub(crate) fn is_finite(self) -> bool {
        matches!(self, Exact::Finite { .. })
    }

    pub(crate) fn negated(self) -> Self {
        match self {
            Exact::Nan => Exact::Nan,
            Exact::Infinite { is_negative } => Exact::Infinite {
                is_negative: !is_negative,
            },
            Exact::Finite {
                coefficient,
                exponent,
            } => Exact::Finite {
                coefficient: -coefficient,
                exponent,
            },
        }
    }

    /// The coefficient and the exponent of a finite decimal.
    fn parts(self) -> Option<(i128, i32)> {
        match self {
            Exact::Finite {
                coefficient,
                exponent,
            } => Some((coefficient, exponent)),
            Exact::Nan | Exact::Infinite { .. } => None,
        }
    }

    /// -1, 0 or 1.
    fn sign(self) -> i128 {
        match self {
            Exact::Nan => 0,
            Exact::Infinite { is_negative: true } => -1,
            Exact::Infinite { is_negative: false } => 1,
            Exact::Finite { coefficient, .. } => coefficient.signum(),
        }
    }
}

fn parse(text: &str) -> Exact {
    text.parse::<Decimal128>().map_or(Exact::Nan, Exact::from)
}

impl From<i64> for Exact {
    fn from(whole: i64) -> Self {
        Exact::Finite {
            coefficient: whole.into(),
            exponent: 0,
        }
    }
}

impl From<Decimal128> for Exact {
    fn from(number: Decimal128) -> Self {
        let bits = u128::from_le_bytes(number.bytes());
        let is_negative = bits >> 127 == 1;
        match bits >> 122 & 0b1_1111 {
            0b1_1111 => return Exact::Nan,
            0b1_1110 => return Exact::Infinite { is_negative },
            _ => {}
        }
        // A coefficient beyond 34 digits is zero.
        let is_large = bits >> 125 & 0b11 == 0b11;
        let at = if is_large {
            COEFFICIENT - 2
        } else {
            COEFFICIENT
        };
        let coefficient = bits & ((1 << COEFFICIENT) - 1);
        let coefficient = match is_large || coefficient >= BEYOND {
            true => 0,
            false => coefficient.cast_signed(),
        };
        #[allow(clippy::cast_possible_truncation)] // 14 bits.
        let exponent = (bits >> at & 0x3fff) as i32 + LEAST_EXPONENT;
        Exact::Finite {
            coefficient: if is_negative {
                -coefficient
            } else {
                coefficient
            },
            exponent,
        }
    }
}

impl From<Exact> for Decimal128 {
    fn from(number: Exact) -> Self {
        let bits = match number {
            Exact::Nan => 0b1_1111 << 122,
            Exact::Infinite { is_negative } => u128::from(is_negative) << 127 | 0b1_1110 << 122,
            Exact::Finite {
                coefficient,
                exponent,
            } => {
                let exponent = (exponent - LEAST_EXPONENT).unsigned_abs();
                u128::from(coefficient < 0) << 127
                    | u128::from(exponent) << COEFFICIENT
                    | coefficient.unsigned_abs()
            }
        };
        Decimal128::from_bytes(bits.to_le_bytes())
    }
}

impl From<Exact> for Bson {
    fn from(number: Exact) -> Self {
        Bson::Decimal128(number.into())
    }
}

impl PartialEq for Exact {
    fn eq(&self, other: &Self) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

/// The order of numbers; NaN has none.
impl PartialOrd for Exact {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        let order = self.sign().cmp(&other.sign());
        match (*self, *other) {
            (Exact::Nan, _) | (_, Exact::Nan) => None,
            _ if order.is_ne() => Some(order),
            (
                Exact::Finite {
                    coefficient: a,
                    exponent: a_exponent,
                },
                Exact::Finite {
                    coefficient: b,
                    exponent: b_exponent,
                },
            ) => {
                let (of_a, of_b) = ((a, a_exponent), (b, b_exponent));
                let order = compare_magnitudes(of_a, of_b);
                Some(if a < 0 { order.reverse() } else { order })
            }
            (Exact::Infinite { .. }, Exact::Infinite { .. }) => Some(Ordering::Equal),
            (Exact::Infinite { is_negative }, _) => Some(match is_negative {
                true => Ordering::Less,
                false => Ordering::Greater,
            }),
            (_, Exact::Infinite { is_negative }) => Some(match is_negative {
                true => Ordering::Greater,
                false => Ordering::Less,
            }),
        }
    }
}

fn compare_magnitudes((a, a_exponent): (i128, i32), (b, b_exponent): (i128, i32)) -> Ordering {
    let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
    if a == 0 || b == 0 {
        return a.cmp(&b);
    }
    let length = |n: u128, exponent: i32| digits(n).cast_signed() + exponent;
    let order = length(a, a_exponent).cmp(&length(b, b_exponent));
    // Where both have as many digits in front of the point, the exponents differ by less than the digits.
    order.then_with(|| {
        let by = 10_u128.pow(a_exponent.abs_diff(b_exponent));
        match a_exponent > b_exponent {
            true => (a * by).cmp(&b),
            false => a.cmp(&(b * by)),
        }
    })
}

/// The number of digits; none of zero.
fn digits(n: u128) -> u32 {
    n.checked_ilog10().map_or(0, |log| log + 1)
}

/// `(high * 10^34 + low) * 10^exponent`, rounded to 34 digits. Both parts have at most 34 digits.
fn round(is_negative: bool, (high, low): (u128, u128), exponent: i32) -> Exact {
    let length = match high {
        0 => digits(low),
        high => DIGITS + digits(high),
    };
    let too_small = (LEAST_EXPONENT - exponent).max(0).unsigned_abs();
    let drop = length.saturating_sub(DIGITS).max(too_small);
    let (mut coefficient, half) = match drop {
        0 => (low, Ordering::Less),
        drop if drop > length => (0, Ordering::Less),
        drop if drop <= DIGITS => {
            let unit = 10_u128.pow(drop);
            let kept = high * 10_u128.pow(DIGITS - drop) + low / unit;
            (kept, (low % unit).cmp(&(unit / 2)))
        }
        drop => {
            let unit = 10_u128.pow(drop - DIGITS);
            (high / unit, (high % unit, low).cmp(&(unit / 2, 0)))
        }
    };
    let mut exponent = exponent.saturating_add(drop.cast_signed());
    if half.is_gt() || half.is_eq() && coefficient % 2 == 1 {
        coefficient += 1;
    }
    if coefficient == BEYOND {
        (coefficient, exponent) = (BEYOND / 10, exponent + 1);
    }
    if coefficient == 0 {
        return Exact::ZERO;
    }
    while exponent > GREATEST_EXPONENT && coefficient < BEYOND / 10 {
        (coefficient, exponent) = (coefficient * 10, exponent - 1);
    }
    if exponent > GREATEST_EXPONENT {
        return Exact::Infinite { is_negative };
    }
    let coefficient = coefficient.cast_signed();
    Exact::Finite {
        coefficient: if is_negative {
            -coefficient
        } else {
            coefficient
        },
        exponent,
    }
}

impl Mul for Exact {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let is_negative = self.sign() * other.sign() < 0;
        let (Some((a, of_a)), Some((b, of_b))) = (self.parts(), other.parts()) else {
            // An infinity times zero is none.
            return match self.sign() * other.sign() {
                0 => Exact::Nan,
                _ => Exact::Infinite { is_negative },
            };
        };
        const HALF: u128 = 10_u128.pow(DIGITS / 2);
        let (a, b) = (a.unsigned_abs(), b.unsigned_abs());
        let middle = (a / HALF) * (b % HALF) + (a % HALF) * (b / HALF);
        let low = (middle % HALF) * HALF + (a % HALF) * (b % HALF);
        let high = (a / HALF) * (b / HALF) + middle / HALF + low / BEYOND;
        round(is_negative, (high, low % BEYOND), of_a + of_b)
    }
}

impl Add for Exact {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (Some((a, of_a)), Some((b, of_b))) = (self.parts(), other.parts()) else {
            return match (self, other) {
                (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
                (infinite, Exact::Finite { .. }) => infinite,
                (Exact::Finite { .. }, infinite) => infinite,
                (a, b) if a.sign() == b.sign() => a,
                _ => Exact::Nan,
            };
        };
        if a == 0 || b == 0 {
            return if a == 0 { other } else { self };
        }
        if of_a < of_b {
            return other + self;
        }
        let apart = of_a.abs_diff(of_b);
        let room = 36 - digits(a.unsigned_abs());
        let (sum, exponent) = match apart.checked_sub(room) {
            None | Some(0) => (a * 10_i128.pow(apart) + b, of_b),
            Some(beyond) => {
                // The digits of `b` beyond those of the sum are one digit that says whether there are any.
                let unit = 10_u128.checked_pow(beyond);
                let magnitude = b.unsigned_abs();
                let (kept, is_exact) =
                    unit.map_or((0, false), |unit| (magnitude / unit, magnitude % unit == 0));
                let b = b.signum() * (kept * 10 + u128::from(!is_exact)).cast_signed();
                (
                    a * 10_i128.pow(room) * 10 + b,
                    of_a - room.cast_signed() - 1,
                )
            }
        };
        let magnitude = sum.unsigned_abs();
        round(sum < 0, (magnitude / BEYOND, magnitude % BEYOND), exponent)
    }
}
