//! The averages of a field of the children: a sum and a number.

use bson::{Bson, Decimal128};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::bson_util::number::decimal_parts;
use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Size, Value, row};

/// The type of a field with `#[avg(Review, field = stars)]`: the average of an integer field of the documents that refer to this one.
/// That field may be a decimal in a [`DecimalAverage`].
///
/// Stored as `{ sum: <the sum>, n: <the number of children> }`, which each write of a child changes by a difference; a read computes the
/// quotient. In JSON, and in other formats that people read, the value is that quotient, or null where no child has a value.
///
/// ```
/// # use mongo_model::{Average, Id, MongoModel};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "products")]
/// pub struct Product {
///     #[serde(rename = "_id")]
///     pub id: Id<Product>,
///     #[avg(Review, field = stars)]
///     #[serde(default)]
///     pub rating: Average,
/// }
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "reviews")]
/// pub struct Review {
///     #[serde(rename = "_id")]
///     pub id: Id<Review>,
///     #[parent(Product)]
///     pub product: Id<Product>,
///     pub stars: i32,
/// }
///
/// assert_eq!(Average::default().value(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Average {
    sum: i64,
    count: i64,
}

impl Average {
    /// The average; `None` where no child has a value.
    #[must_use]
    pub fn value(self) -> Option<f64> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a quotient of integers is rounded anyway"
        )]
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    fn shown(self) -> Option<f64> {
        self.value()
    }
}

/// The type of a field with `#[avg(Line, field = price)]` where that field is a `Decimal128`: the average of a decimal of the documents that
/// refer to this one.
///
/// Stored as an [`Average`], with a decimal sum that is exact to the last digit; a read computes the quotient. In JSON the value is the digits
/// of the quotient as text, or null where no child has a value.
///
/// ```
/// # use mongo_model::{DecimalAverage, Id, MongoModel};
/// # use mongo_model::bson::Decimal128;
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "baskets")]
/// pub struct Basket {
///     #[serde(rename = "_id")]
///     pub id: Id<Basket>,
///     #[avg(Item, field = price)]
///     #[serde(default)]
///     pub mean: DecimalAverage,
/// }
///
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "items")]
/// pub struct Item {
///     #[serde(rename = "_id")]
///     pub id: Id<Item>,
///     #[parent(Basket)]
///     pub basket: Id<Basket>,
///     pub price: Decimal128,
/// }
///
/// assert_eq!(DecimalAverage::default().value(), None);
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DecimalAverage {
    sum: Decimal128,
    count: i64,
}

impl DecimalAverage {
    /// The average, rounded to 14 digits after the point; `None` where no child has a value.
    #[must_use]
    pub fn value(self) -> Option<Decimal128> {
        quotient(self.sum, self.count)
    }

    fn shown(self) -> Option<String> {
        self.value().map(|value| value.to_string())
    }
}

impl Default for DecimalAverage {
    fn default() -> Self {
        // A decimal of 128 bits begins with its digits. The exponent of zero is 6,176 more than what is stored, in the upper 15 bits.
        let mut zero = [0; 16];
        zero[14..].copy_from_slice(&(6_176_u16 << 1).to_le_bytes());
        DecimalAverage {
            sum: Decimal128::from_bytes(zero),
            count: 0,
        }
    }
}

/// The quotient with as many digits after the point as the sum has, or more where it is not exact; at most [`DIGITS`].
fn quotient(sum: Decimal128, count: i64) -> Option<Decimal128> {
    /// The largest number of digits after the point of a sum.
    const DIGITS: i32 = 14;
    let (coefficient, exponent) = decimal_parts(sum).filter(|_| count > 0)?;
    let scale = 10_i128.checked_pow(u32::try_from(exponent + DIGITS).ok()?)?;
    let (units, count) = (coefficient.checked_mul(scale)?, i128::from(count));
    let is_rounded_away = (units % count).abs() * 2 >= count;
    let mut quotient = units / count + units.signum() * i128::from(is_rounded_away);
    let mut digits = DIGITS;
    while digits > (-exponent).max(0) && quotient % 10 == 0 {
        quotient /= 10;
        digits -= 1;
    }
    format!("{quotient}E-{digits}").parse().ok()
}

/// The value of an average in an answer; null where no child has a value.
#[derive(Debug)]
pub struct Quotient(pub(crate) Bson);

/// The stored form.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Average")]
struct Stored<S> {
    sum: S,
    n: i64,
}

/// The parts and the stored form of an average.
macro_rules! stored_average {
    ($average:ident, $sum:ty) => {
        impl $average {
            /// The sum of the values.
            #[must_use]
            pub const fn sum(self) -> $sum {
                self.sum
            }

            /// The number of children that have a value.
            #[must_use]
            pub const fn count(self) -> i64 {
                self.count
            }
        }

        impl From<$average> for Quotient {
            fn from(average: $average) -> Self {
                Quotient(average.value().into())
            }
        }

        impl Serialize for $average {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if serializer.is_human_readable() {
                    return self.shown().serialize(serializer);
                }
                let $average { sum, count: n } = *self;
                Stored { sum, n }.serialize(serializer)
            }
        }

        impl<'de> Deserialize<'de> for $average {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let read = Option::<Stored<$sum>>::deserialize(deserializer)?;
                let average = |Stored { sum, n }| $average { sum, count: n };
                Ok(read.map_or_else($average::default, average))
            }
        }

        impl Value for $average {
            type Elem = Self;
            type Sub<P: Path> = NoFields;
            const KIND: Kind = Kind::Document;
            const SHAPE: Option<&'static Shape> = Some(&Shape {
                name: stringify!($average),
                fields: Self::FIELDS,
            });
            const FIELDS: &'static [FieldRow] =
                &[row::<$sum>("sum", "sum"), row::<i64>("count", "n")];
            const SIZE: Size = Size::of(Self::FIELDS, 0, 2);
        }
    };
}

stored_average!(Average, i64);
stored_average!(DecimalAverage, Decimal128);

#[cfg(test)]
mod tests {
    use bson::Decimal128;

    use super::{DecimalAverage, quotient};

    #[test]
    fn a_quotient_shows_the_digits_that_it_needs() {
        for (sum, count, want) in [
            ("15.00", 2, Some("7.50")),
            ("10", 4, Some("2.5")),
            ("10.00", 3, Some("3.33333333333333")),
            ("-20", 3, Some("-6.66666666666667")),
            ("1E+3", 8, Some("125")),
            (
                "99999999999999999999.99999999999999",
                1,
                Some("99999999999999999999.99999999999999"),
            ),
            ("0.00", 5, Some("0.00")),
            ("1", 0, None),
            ("NaN", 1, None),
            ("1E-15", 1, None),
        ] {
            let decimal = |text: &str| text.parse::<Decimal128>().expect("a decimal");
            let shown = quotient(decimal(sum), count).map(|value| value.to_string());
            assert_eq!(shown.as_deref(), want, "{sum} / {count}");
        }
        assert_eq!(DecimalAverage::default().sum().to_string(), "0");
    }
}
