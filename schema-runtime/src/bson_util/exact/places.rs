//! Decimals in a row: the places of two neighbours differ by one.

use super::{BEYOND, Exact, GREATEST_EXPONENT, LEAST_EXPONENT};

const FIRST: i128 = BEYOND.cast_signed();
/// Decimals of 34 digits with the same exponent.
const EACH: i128 = FIRST / 10 * 9;
const LAST: i128 = FIRST + EACH * (GREATEST_EXPONENT - LEAST_EXPONENT) as i128;

impl Exact {
    /// The place of a number in the row; of NaN that of zero.
    pub(crate) fn place(self) -> i128 {
        let Exact::Finite {
            coefficient,
            mut exponent,
        } = self
        else {
            return self.sign() * LAST;
        };
        let mut magnitude = coefficient.abs();
        while magnitude != 0 && magnitude < FIRST / 10 && exponent > LEAST_EXPONENT {
            (magnitude, exponent) = (magnitude * 10, exponent - 1);
        }
        let place = match i128::from(exponent - LEAST_EXPONENT) {
            _ if magnitude == 0 => 0,
            0 => magnitude,
            n => FIRST + (n - 1) * EACH + magnitude - FIRST / 10,
        };
        coefficient.signum() * place
    }

    /// The number at a place.
    pub(crate) fn at_place(place: i128) -> Self {
        let is_negative = place < 0;
        let (magnitude, exponent) = match place.abs() - FIRST {
            beyond if beyond < 0 => (place.abs(), LEAST_EXPONENT),
            beyond => {
                let exponent = i32::try_from(beyond / EACH).unwrap_or(i32::MAX / 2);
                (FIRST / 10 + beyond % EACH, LEAST_EXPONENT + 1 + exponent)
            }
        };
        if exponent > GREATEST_EXPONENT {
            return Exact::Infinite { is_negative };
        }
        Exact::Finite {
            coefficient: if is_negative { -magnitude } else { magnitude },
            exponent,
        }
    }
}
