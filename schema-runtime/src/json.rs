//! Ids, dates and decimals in the JSON of a web API: an id as its 24 hexadecimal digits, a date as RFC 3339, a decimal as its digits.
//!
//! By themselves the types write Extended JSON (`{"$oid": ".."}`, `{"$date": {..}}`), which MongoDB's tools read and
//! browsers do not. `#[serde(with = "mongo_model::json")]` on a field of a struct that the API sends or receives writes
//! plain strings; [`option`] and [`list`] do the same for an `Option` and a `Vec`. They belong on the structs of the
//! API: on a model they would store strings.
//!
//! ```
//! use bson::DateTime;
//! use mongo_model::Id;
//! use serde::{Deserialize, Serialize};
//!
//! # struct Part;
//! #[derive(Serialize, Deserialize)]
//! struct PartJson {
//!     #[serde(with = "mongo_model::json")]
//!     id: Id<Part>,
//!     #[serde(with = "mongo_model::json")]
//!     made: DateTime,
//!     #[serde(with = "mongo_model::json::option")]
//!     sold: Option<DateTime>,
//!     #[serde(with = "mongo_model::json::list")]
//!     fits: Vec<Id<Part>>,
//! }
//!
//! let text = r#"{"id":"65f000000000000000000001","made":"2024-03-12T08:00:00.25Z","sold":null,"fits":[]}"#;
//! let part: PartJson = serde_json::from_str(text).unwrap();
//! assert_eq!(serde_json::to_string(&part).unwrap(), text);
//! ```

use std::borrow::Cow;

use bson::binary::Vector;
use bson::oid::ObjectId;
use bson::{Bson, DateTime, Decimal128};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Error as _, Serialize, SerializeSeq, Serializer};

use crate::bson_util::id::Id;
use crate::bson_util::shorten::shorten;

/// A value that can be written as text.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no form as text for JSON",
    label = "neither an id nor a date or decimal",
    note = "`mongo_model::json` is for `Id`, `ObjectId`, `bson::DateTime` and `bson::Decimal128`; `mongo_model::json::option` and `mongo_model::json::list` are for an `Option` and a `Vec` of them"
)]
pub trait Text: Sized {
    /// The text.
    ///
    /// # Errors
    /// The reason why there is none, such as a date beyond the year 9999.
    fn to_text(&self) -> Result<String, String>;
    /// Parses the value from its text.
    ///
    /// # Errors
    /// The reason why the text has no such value.
    fn from_text(text: &str) -> Result<Self, String>;
}

impl Text for ObjectId {
    fn to_text(&self) -> Result<String, String> {
        Ok(self.to_hex())
    }

    fn from_text(text: &str) -> Result<Self, String> {
        ObjectId::parse_str(text).map_err(|_| {
            format!(
                "expected an id of 24 hexadecimal digits, found {:?}",
                shorten(text)
            )
        })
    }
}

impl<T: ?Sized> Text for Id<T> {
    fn to_text(&self) -> Result<String, String> {
        self.as_raw().to_text()
    }

    fn from_text(text: &str) -> Result<Self, String> {
        ObjectId::from_text(text).map(Id::from_raw)
    }
}

impl Text for Decimal128 {
    fn to_text(&self) -> Result<String, String> {
        Ok(self.to_string())
    }

    fn from_text(text: &str) -> Result<Self, String> {
        text.parse()
            .map_err(|_| format!("expected a decimal number, found {:?}", shorten(text)))
    }
}

/// A date in text without what is smaller than a millisecond, so that it is cut towards the past, before 1970 too.
fn cut_to_millis(text: &str) -> Cow<'_, str> {
    let Some((whole, rest)) = text.split_once('.') else {
        return text.into();
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    match digits > 3 {
        true => format!("{whole}.{}{}", &rest[..3], &rest[digits..]).into(),
        false => text.into(),
    }
}

impl Text for DateTime {
    fn to_text(&self) -> Result<String, String> {
        /// The first millisecond of the year 0, and the last one of the year 9999.
        const YEARS: std::ops::RangeInclusive<i64> = -62_167_219_200_000..=253_402_300_799_999;
        let text = self.try_to_rfc3339_string().ok();
        text.filter(|_| YEARS.contains(&self.timestamp_millis()))
            .ok_or_else(|| format!("RFC 3339 has no form for the date {self:?}"))
    }

    fn from_text(text: &str) -> Result<Self, String> {
        DateTime::parse_rfc3339_str(cut_to_millis(text).as_ref())
            .map_err(|_| format!("expected a date as in RFC 3339, found {:?}", shorten(text)))
    }
}

/// A value, for `#[serde(with = "mongo_model::json")]`.
///
/// # Errors
/// The serializer's, and one for a date that RFC 3339 cannot express.
pub fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
where
    T: Text,
    S: Serializer,
{
    let text = value.to_text().map_err(S::Error::custom)?;
    serializer.serialize_str(&text)
}

/// A value, for `#[serde(with = "mongo_model::json")]`.
///
/// # Errors
/// The deserializer's, and one for text that is not an id or date.
pub fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Text,
    D: Deserializer<'de>,
{
    let text = String::deserialize(deserializer)?;
    T::from_text(&text).map_err(D::Error::custom)
}

/// A value in its form as text.
struct AsText<T>(T);

impl<T: Text> Serialize for AsText<&T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.0, serializer)
    }
}

impl<'de, T: Text> Deserialize<'de> for AsText<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserialize(deserializer).map(AsText)
    }
}

/// A value in its stored form, with text for every id, date, decimal and UUID in it.
pub(crate) struct Readable<'a>(pub(crate) &'a Bson);

impl Serialize for Readable<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Bson::ObjectId(id) => serialize(id, serializer),
            Bson::DateTime(date) => serialize(date, serializer),
            Bson::Decimal128(number) => serialize(number, serializer),
            Bson::Binary(bytes) => match bytes.to_uuid() {
                Ok(uuid) => serializer.collect_str(&uuid),
                Err(_) => match Vector::try_from(bytes) {
                    Ok(Vector::Float32(numbers)) => numbers.serialize(serializer),
                    _ => bytes.serialize(serializer),
                },
            },
            Bson::Array(all) => serializer.collect_seq(all.iter().map(Readable)),
            Bson::Document(fields) => {
                serializer.collect_map(fields.iter().map(|(name, value)| (name, Readable(value))))
            }
            other => other.serialize(serializer),
        }
    }
}

/// The same for an `Option`: `#[serde(with = "mongo_model::json::option")]`.
pub mod option {
    use super::*;

    /// A value that may be absent.
    ///
    /// # Errors
    /// As [`serialize`](super::serialize).
    pub fn serialize<T, S>(value: &Option<T>, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Text,
        S: Serializer,
    {
        value.as_ref().map(AsText).serialize(serializer)
    }

    /// A value that may be absent.
    ///
    /// # Errors
    /// As [`deserialize`](super::deserialize).
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
    where
        T: Text,
        D: Deserializer<'de>,
    {
        let found = Option::<AsText<T>>::deserialize(deserializer)?;
        Ok(found.map(|found| found.0))
    }
}

/// The same for a `Vec`: `#[serde(with = "mongo_model::json::list")]`.
pub mod list {
    use super::*;

    /// Values.
    ///
    /// # Errors
    /// As [`serialize`](super::serialize).
    pub fn serialize<T, S>(values: &[T], serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Text,
        S: Serializer,
    {
        let mut list = serializer.serialize_seq(Some(values.len()))?;
        for value in values {
            list.serialize_element(&AsText(value))?;
        }
        list.end()
    }

    /// Values.
    ///
    /// # Errors
    /// As [`deserialize`](super::deserialize).
    pub fn deserialize<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
    where
        T: Text,
        D: Deserializer<'de>,
    {
        let found = Vec::<AsText<T>>::deserialize(deserializer)?;
        Ok(found.into_iter().map(|found| found.0).collect())
    }
}

#[cfg(test)]
mod tests {
    use bson::DateTime;
    use bson::oid::ObjectId;
    use serde::{Deserialize, Serialize};

    use super::Text;
    use crate::bson_util::id::Id;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Row {
        #[serde(with = "super")]
        id: Id<Row>,
        #[serde(with = "super")]
        at: DateTime,
        #[serde(with = "super::option")]
        end: Option<DateTime>,
        #[serde(with = "super::list")]
        all: Vec<ObjectId>,
    }

    fn row() -> Row {
        Row {
            id: Id::from_raw(ObjectId::from_bytes([7; 12])),
            at: DateTime::from_millis(1_500),
            end: Some(DateTime::from_millis(0)),
            all: vec![ObjectId::from_bytes([1; 12])],
        }
    }

    #[test]
    fn dates_are_cut_to_milliseconds_towards_the_past() {
        let cases = [
            ("1970-01-01T00:00:00.0009Z", 0),
            ("1969-12-31T23:59:59.9999Z", -1),
            ("1969-12-31T23:59:59.9990001+00:00", -1),
            ("1969-12-31T23:59:59.99Z", -10),
            ("1969-12-31T22:59:59.123456789-01:00", -877),
            ("1969-12-31T23:59:59Z", -1_000),
        ];
        for (text, millis) in cases {
            let read = <DateTime as Text>::from_text(text).map(DateTime::timestamp_millis);
            assert_eq!(read, Ok(millis), "{text}");
        }
        assert!(<DateTime as Text>::from_text("1969-12-31T23:59:59.1234xZ").is_err());
    }

    #[test]
    fn json_has_text() {
        let text = serde_json::to_string(&row()).expect("written");
        assert_eq!(
            text,
            r#"{"id":"070707070707070707070707","at":"1970-01-01T00:00:01.5Z","end":"1970-01-01T00:00:00Z","all":["010101010101010101010101"]}"#
        );
        assert_eq!(serde_json::from_str::<Row>(&text).expect("read"), row());
        let offset = text.replace("1970-01-01T00:00:01.5Z", "1970-01-01T02:00:01.5+02:00");
        assert_eq!(serde_json::from_str::<Row>(&offset).expect("read"), row());
    }

    #[test]
    fn what_is_no_id_or_date_is_an_error_that_shows_it() {
        let text = serde_json::to_string(&row()).expect("written");
        let wrong = text.replace("070707070707070707070707", "7");
        let error = serde_json::from_str::<Row>(&wrong).expect_err("refused");
        let error = error.to_string();
        assert!(
            error.starts_with(r#"expected an id of 24 hexadecimal digits, found "7""#),
            "{error}"
        );
        let wrong = text.replace("1970-01-01T00:00:00Z", "yesterday");
        let error = serde_json::from_str::<Row>(&wrong).expect_err("refused");
        let error = error.to_string();
        assert!(
            error.starts_with("expected a date as in RFC 3339"),
            "{error}"
        );
        let late = Row {
            at: DateTime::MAX,
            ..row()
        };
        assert!(serde_json::to_string(&late).is_err());
    }
}
