//! The average of a field of the children: a sum and a number.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::value::{Size, Value, row};

/// The type of a field with `#[avg(Review, field = stars)]`: the average of a field of the documents that refer to this one.
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

    /// The sum of the values.
    #[must_use]
    pub const fn sum(self) -> i64 {
        self.sum
    }

    /// The number of children that have a value.
    #[must_use]
    pub const fn count(self) -> i64 {
        self.count
    }
}

/// The stored form.
#[derive(Serialize, Deserialize)]
#[serde(rename = "Average")]
struct Stored {
    sum: i64,
    n: i64,
}

impl Serialize for Average {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return self.value().serialize(serializer);
        }
        let Average { sum, count: n } = *self;
        Stored { sum, n }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Average {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let read = Option::<Stored>::deserialize(deserializer)?;
        Ok(
            read.map_or_else(Average::default, |Stored { sum, n }| Average {
                sum,
                count: n,
            }),
        )
    }
}

impl Value for Average {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::Document;
    const SHAPE: Option<&'static Shape> = Some(&Shape {
        name: "Average",
        fields: Self::FIELDS,
    });
    const FIELDS: &'static [FieldRow] = &[row::<i64>("sum", "sum"), row::<i64>("count", "n")];
    const SIZE: Size = Size::of(Self::FIELDS, 0, 2);
}
