//! Amounts that are added up exactly: integers, and decimals with at most [`DIGITS`] digits after the point.

use bson::{Bson, Decimal128};

use super::number::{decimal_parts, integer};

/// The largest number of digits after the point of a decimal that is added up.
pub(crate) const DIGITS: u32 = 14;

/// A decimal that is added up is less than ten to this power. A sum of a hundred thousand of them fits.
pub(crate) const WHOLE_DIGITS: u32 = 15;

/// The largest number of digits after the point of each factor of a product: it is exact then.
pub(crate) const FACTOR_DIGITS: u32 = DIGITS / 2;

/// A sum of decimals is less than ten to this power, so that it fits the 34 digits of a decimal.
pub(crate) const SUM_DIGITS: u32 = 34 - DIGITS;

/// Part of the text by which the server refuses a decimal that cannot be added exactly.
pub(crate) const INEXACT: &str = "mongo-model: not a decimal that is added exactly";

/// Says that a number, which is named, cannot change by an amount.
pub(crate) fn inexact(number: &str) -> String {
    format!(
        "{number} cannot be changed exactly: a decimal amount is less than 10^{WHOLE_DIGITS} and has at most {DIGITS} digits after the \
         point, or {FACTOR_DIGITS} as a factor; a decimal sum is less than 10^{SUM_DIGITS}; an integer has 64 bits"
    )
}

const UNIT: i128 = 10_i128.pow(DIGITS);

/// An integer or a decimal, as a multiple of the smallest unit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Amount {
    units: i128,
    /// The number of digits after the point that a decimal is shown with; `None` for an integer.
    digits: Option<u32>,
}

impl PartialEq for Amount {
    fn eq(&self, other: &Self) -> bool {
        self.units == other.units
    }
}

impl Amount {
    pub(crate) const ZERO_DECIMAL: Self = Amount {
        units: 0,
        digits: Some(0),
    };

    /// Reads a stored value. `None` if it is no number, or a number that cannot be added exactly.
    pub(crate) fn read(value: &Bson) -> Option<Self> {
        match value {
            Bson::Decimal128(number) => decimal(*number),
            value => Some(integer(Some(value))?.into()),
        }
    }

    pub(crate) fn is_decimal(self) -> bool {
        self.digits.is_some()
    }

    pub(crate) fn is_zero(self) -> bool {
        self.units == 0
    }

    pub(crate) fn is_positive(self) -> bool {
        self.units > 0
    }

    /// True if one child may add the amount.
    pub(crate) fn is_addable(self) -> bool {
        self.digits.is_none() || self.units.unsigned_abs() < 10_u128.pow(WHOLE_DIGITS + DIGITS)
    }

    /// The sum. An amount that no number can hold stays one.
    pub(crate) fn plus(self, other: Self) -> Self {
        Amount {
            units: self.units.saturating_add(other.units),
            digits: self.digits.max(other.digits),
        }
    }

    /// The product; `None` if a factor has more than [`FACTOR_DIGITS`] digits after the point, or if it is too large.
    pub(crate) fn times(self, other: Self) -> Option<Self> {
        let unit = 10_i128.pow(FACTOR_DIGITS);
        if self.units % unit != 0 || other.units % unit != 0 {
            return None;
        }
        let digits = match (self.digits, other.digits) {
            (None, None) => None,
            (one, another) => Some((one.unwrap_or(0) + another.unwrap_or(0)).min(DIGITS)),
        };
        let units = (self.units / unit).checked_mul(other.units / unit)?;
        Some(Amount { units, digits })
    }

    pub(crate) fn negated(self) -> Self {
        Amount {
            units: self.units.saturating_neg(),
            ..self
        }
    }

    /// The amount as a 64-bit integer; `None` if it is none.
    pub(crate) fn as_i64(self) -> Option<i64> {
        let whole = self.units % UNIT == 0;
        i64::try_from(self.units / UNIT).ok().filter(|_| whole)
    }

    /// The amount as it is stored: a 64-bit integer, or a decimal; `None` if that cannot hold it.
    pub(crate) fn to_bson(self) -> Option<Bson> {
        let Some(digits) = self.digits else {
            return self.as_i64().map(Bson::Int64);
        };
        let shown = self.units / 10_i128.pow(DIGITS.saturating_sub(digits));
        let fits = self.units.unsigned_abs() < 10_u128.pow(SUM_DIGITS + DIGITS);
        let number: Decimal128 = format!("{shown}E-{digits}").parse().ok()?;
        fits.then_some(Bson::Decimal128(number))
    }
}

impl From<i64> for Amount {
    fn from(whole: i64) -> Self {
        Amount {
            units: i128::from(whole) * UNIT,
            digits: None,
        }
    }
}

fn decimal(number: Decimal128) -> Option<Amount> {
    let (coefficient, exponent) = decimal_parts(number)?;
    let digits = u32::try_from(-exponent).unwrap_or(0).min(DIGITS);
    let scale = exponent + i32::try_from(DIGITS).ok()?;
    let power = || 10_i128.checked_pow(scale.unsigned_abs());
    let units = match coefficient {
        0 => 0,
        _ if scale >= 0 => coefficient.checked_mul(power()?)?,
        _ => {
            let power = power()?;
            (coefficient % power == 0).then_some(coefficient / power)?
        }
    };
    Some(Amount {
        units,
        digits: Some(digits),
    })
}

#[cfg(test)]
mod tests {
    use bson::{Bson, Decimal128};

    use super::Amount;

    fn decimal(text: &str) -> Bson {
        Bson::Decimal128(text.parse::<Decimal128>().expect("a decimal"))
    }

    fn sum(amounts: &[&str]) -> Option<String> {
        let read = |text: &&str| Amount::read(&decimal(text)).expect("can be added");
        let sum = amounts.iter().map(read);
        let sum = sum.fold(Amount::ZERO_DECIMAL, Amount::plus).to_bson()?;
        match sum {
            Bson::Decimal128(sum) => Some(sum.to_string()),
            _ => None,
        }
    }

    #[test]
    fn decimals_are_added_exactly_and_keep_their_digits() {
        let cases: [(&[&str], &str); 7] = [
            (&["10.00", "5.00"], "15.00"),
            (&["0.1", "0.2", "-0.3"], "0.0"),
            (&["1E+3", "0.5"], "1000.5"),
            (&["1E+3"], "1000"),
            (
                &["0.00000000000001", "999999999999999"],
                "999999999999999.00000000000001",
            ),
            (&["-2.5", "-7.50000"], "-10.00000"),
            (&["1.000000000000000000"], "1.00000000000000"),
        ];
        for (amounts, want) in cases {
            assert_eq!(sum(amounts).as_deref(), Some(want), "{amounts:?}");
        }
    }

    #[test]
    fn what_cannot_be_added_exactly_is_no_amount() {
        for text in [
            "NaN",
            "Infinity",
            "-Infinity",
            "1E-15",
            "1E+6000",
            "9.999999999999999999",
        ] {
            assert!(Amount::read(&decimal(text)).is_none(), "{text}");
        }
        let large = Amount::read(&decimal("1E+15")).expect("a total may be it");
        assert!(!large.is_addable());
        assert!(Amount::from(i64::MAX).is_addable());
        assert!(Amount::read(&Bson::Double(1.0)).is_none());
    }

    #[test]
    fn products_are_exact_or_none() {
        let read = |text: &str| Amount::read(&decimal(text)).expect("can be added");
        let times = |a: Amount, b: Amount| a.times(b).and_then(Amount::to_bson);
        assert_eq!(
            times(read("19.99"), Amount::from(3)),
            Some(decimal("59.97"))
        );
        assert_eq!(
            times(read("0.0000001"), read("-2.5")),
            Some(decimal("-0.00000025"))
        );
        assert_eq!(
            times(Amount::from(-4), Amount::from(5)),
            Some(Bson::Int64(-20))
        );
        assert_eq!(times(read("0.00000001"), Amount::from(1)), None);
        assert_eq!(times(Amount::from(i64::MAX), Amount::from(i64::MAX)), None);
    }

    #[test]
    fn integers_stay_integers() {
        let sum = Amount::from(i64::MAX).plus(Amount::from(-1));
        assert_eq!(sum.to_bson(), Some(Bson::Int64(i64::MAX - 1)));
        assert_eq!(Amount::from(i64::MAX).plus(Amount::from(1)).to_bson(), None);
        assert_eq!(
            Amount::from(3),
            Amount::read(&decimal("3.00")).expect("an amount")
        );
    }
}
