//! `rust_decimal::Decimal` as a BSON decimal: `#[serde(with = "mongo_model::decimal")]`, and
//! [`option`] for an `Option`.
//!
//! The type's own serde form is a string, which the server compares by its letters. In JSON, and in other formats that people read, it is a
//! string here too: a number of JSON would lose digits.
//!
//! ```
//! # use mongo_model::{Id, MongoModel};
//! # use serde::{Deserialize, Serialize};
//! # use rust_decimal::Decimal;
//! #[derive(Debug, Serialize, Deserialize, MongoModel)]
//! #[model(collection = "items")]
//! pub struct Item {
//!     #[serde(rename = "_id")]
//!     pub id: Id<Item>,
//!     #[index]
//!     #[serde(with = "mongo_model::decimal")]
//!     pub price: Decimal,
//!     #[serde(with = "mongo_model::decimal::option", default)]
//!     pub discount: Option<Decimal>,
//! }
//! ```

use bson::{Bson, Decimal128};
use rust_decimal::Decimal;
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, Serializer};

use crate::bson_util::shorten::shorten;

/// A decimal number.
///
/// # Errors
/// The serializer's.
pub fn serialize<S: Serializer>(value: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    let text = value.to_string();
    if serializer.is_human_readable() {
        return serializer.serialize_str(&text);
    }
    let number: Decimal128 = text.parse().map_err(S::Error::custom)?;
    number.serialize(serializer)
}

/// A decimal number. An integer is read, too; a string only where the format is text.
///
/// # Errors
/// The deserializer's, and one for a value that is no number, or has more digits than the type.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    let is_text = deserializer.is_human_readable();
    match Bson::deserialize(deserializer)? {
        Bson::Decimal128(number) => parse(&number.to_string()).map_err(D::Error::custom),
        Bson::Int32(number) => Ok(number.into()),
        Bson::Int64(number) => Ok(number.into()),
        Bson::String(text) if is_text => parse(&text).map_err(D::Error::custom),
        other => Err(D::Error::custom(format!(
            "expected a decimal, found {:?}",
            other.element_type()
        ))),
    }
}

fn parse(text: &str) -> Result<Decimal, String> {
    let parsed = if text.contains(['E', 'e']) {
        Decimal::from_scientific(text)
    } else {
        Decimal::from_str_exact(text)
    };
    parsed.map_err(|error| format!("no `Decimal` holds {:?}: {error}", shorten(text)))
}

/// The same for an `Option`: `#[serde(with = "mongo_model::decimal::option")]`.
pub mod option {
    use super::*;

    /// A number in the form of this module.
    struct Number<T>(T);

    impl Serialize for Number<&Decimal> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            super::serialize(self.0, serializer)
        }
    }

    impl<'de> Deserialize<'de> for Number<Decimal> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            super::deserialize(deserializer).map(Number)
        }
    }

    /// A number that may be absent.
    ///
    /// # Errors
    /// As [`serialize`](super::serialize).
    pub fn serialize<S>(value: &Option<Decimal>, serializer: S) -> Result<S::Ok, S::Error>
    where
        S: Serializer,
    {
        value.as_ref().map(Number).serialize(serializer)
    }

    /// A number that may be absent.
    ///
    /// # Errors
    /// As [`deserialize`](super::deserialize).
    pub fn deserialize<'de, D>(deserializer: D) -> Result<Option<Decimal>, D::Error>
    where
        D: Deserializer<'de>,
    {
        let read = Option::<Number<Decimal>>::deserialize(deserializer)?;
        Ok(read.map(|read| read.0))
    }
}
