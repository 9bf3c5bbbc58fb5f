//! Vectors of numbers, which an index of vectors compares.

use std::fmt;

use bson::{Binary, Bson};
use serde::de::Error as _;
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::schema::field::NoFields;
use crate::schema::field::place::Path;
use crate::schema::rows::Kind;
use crate::schema::value::{Size, Value};

/// Numbers that are no [`Vector`]. Neither says a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum InvalidVector {
    /// There are more or fewer numbers than the type has.
    Length {
        /// The numbers that are there.
        given: usize,
        /// The numbers of the type.
        expected: usize,
    },
    /// Some of the numbers are infinite or NaN.
    NotFinite {
        /// How many.
        numbers: usize,
    },
    /// The stored value is neither a vector of 32-bit floats nor an array of numbers.
    OtherType,
}

impl fmt::Display for InvalidVector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InvalidVector::Length { given, expected } => {
                write!(f, "the vector has {given} numbers, and its type {expected}")
            }
            InvalidVector::NotFinite { numbers } => {
                write!(f, "numbers of the vector that are not finite: {numbers}")
            }
            InvalidVector::OtherType => {
                f.write_str("expected a vector of 32-bit floats or an array of numbers")
            }
        }
    }
}

impl std::error::Error for InvalidVector {}

/// A vector of `N` numbers, as a model for embeddings gives it: the type of a field with `#[index(vector(1536, cosine))]`.
///
/// Stored as BSON binary of subtype 9 with 32-bit floats, which takes less than half of the space of an array; an array of numbers is read as
/// well. In JSON it is an array of numbers. Infinite numbers and NaN are refused by every write, search and read.
///
/// The index and the search need a server with vector search: MongoDB Atlas, or MongoDB 8.2 with `mongot`. They are tested by the commands
/// that they send, not against such a server. Storing and reading need no such server.
///
/// ```
/// # use mongo_model::{Database, Id, MongoModel, vector::Vector};
/// # use serde::{Deserialize, Serialize};
/// #[derive(Debug, Serialize, Deserialize, MongoModel)]
/// #[model(collection = "articles")]
/// pub struct Article {
///     #[serde(rename = "_id")]
///     pub id: Id<Article>,
///     #[index(vector(3, cosine))]
///     pub embedding: Vector<3>,
/// }
///
/// # async fn example(db: &Database, numbers: Vec<f32>) -> Result<(), Box<dyn std::error::Error>> {
/// let question = Vector::try_from(numbers)?;
/// for article in Article::find_nearest(db, |a| a.embedding, &question).limit(5).await? {
///     println!("{:.2}: {:?}", article.score, article.document.id);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Vector<const N: usize>(Box<[f32]>);

/// The numbers are not shown.
impl<const N: usize> fmt::Debug for Vector<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Vector<{N}>")
    }
}

impl<const N: usize> Vector<N> {
    /// The numbers.
    #[must_use]
    pub fn as_slice(&self) -> &[f32] {
        &self.0
    }

    /// The stored form.
    ///
    /// # Errors
    /// A number is not finite.
    pub(crate) fn stored(&self) -> Result<Binary, InvalidVector> {
        check_finite(&self.0)?;
        let numbers = self.0.to_vec();
        Ok(bson::binary::Vector::Float32(numbers).into())
    }
}

fn check_finite(numbers: &[f32]) -> Result<(), InvalidVector> {
    match numbers.iter().filter(|number| !number.is_finite()).count() {
        0 => Ok(()),
        numbers => Err(InvalidVector::NotFinite { numbers }),
    }
}

/// An infinite number or NaN is refused where the vector is used.
impl<const N: usize> From<[f32; N]> for Vector<N> {
    fn from(numbers: [f32; N]) -> Self {
        Vector(numbers.into())
    }
}

impl<const N: usize> TryFrom<Vec<f32>> for Vector<N> {
    type Error = InvalidVector;

    /// # Errors
    /// There are more or fewer than `N` numbers, or some are infinite or NaN.
    fn try_from(numbers: Vec<f32>) -> Result<Self, InvalidVector> {
        if numbers.len() != N {
            return Err(InvalidVector::Length {
                given: numbers.len(),
                expected: N,
            });
        }
        check_finite(&numbers)?;
        Ok(Vector(numbers.into()))
    }
}

impl<const N: usize> From<Vector<N>> for Vec<f32> {
    fn from(vector: Vector<N>) -> Self {
        vector.0.into()
    }
}

impl<const N: usize> Serialize for Vector<N> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let stored = self.stored().map_err(S::Error::custom)?;
        match serializer.is_human_readable() {
            true => self.0.serialize(serializer),
            false => stored.serialize(serializer),
        }
    }
}

impl<'de, const N: usize> Deserialize<'de> for Vector<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let numbers = match Bson::deserialize(deserializer)? {
            Bson::Binary(stored) => floats(&stored),
            Bson::Array(numbers) => numbers.iter().map(number).collect(),
            _ => None,
        };
        let numbers = numbers.ok_or(InvalidVector::OtherType);
        numbers.and_then(Vector::try_from).map_err(D::Error::custom)
    }
}

/// The numbers of a stored vector, if they are 32-bit floats.
fn floats(stored: &Binary) -> Option<Vec<f32>> {
    match bson::binary::Vector::try_from(stored).ok()? {
        bson::binary::Vector::Float32(numbers) => Some(numbers),
        _ => None,
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the nearest 32-bit float"
)]
fn number(value: &Bson) -> Option<f32> {
    match value {
        Bson::Double(number) => Some(*number as f32),
        Bson::Int32(number) => Some(*number as f32),
        Bson::Int64(number) => Some(*number as f32),
        _ => None,
    }
}

#[diagnostic::do_not_recommend]
impl<const N: usize> Value for Vector<N> {
    type Elem = Self;
    type Sub<P: Path> = NoFields;
    const KIND: Kind = Kind::Binary;
    const DIMENSIONS: u64 = N as u64;
    const SIZE: Size = Size {
        worst: bytes(N),
        most: bytes(N),
        ..Size::SCALAR
    };
}

/// Bytes of a stored vector: a length, a subtype, the type of its numbers, and the numbers.
const fn bytes(numbers: usize) -> u64 {
    4 + 1 + 2 + 4 * numbers as u64
}

/// A field that holds a vector of `N` numbers.
#[diagnostic::on_unimplemented(
    message = "`{Self}` holds no `Vector<{N}>`",
    label = "not a vector of as many numbers",
    note = "a search compares vectors of one length: that of the field's `mongo_model::vector::Vector`"
)]
pub trait VectorValue<const N: usize>: Value {}
#[diagnostic::do_not_recommend]
impl<const N: usize> VectorValue<N> for Vector<N> {}
#[diagnostic::do_not_recommend]
impl<const N: usize> VectorValue<N> for Option<Vector<N>> {}

#[cfg(test)]
mod tests {
    use bson::spec::BinarySubtype;
    use bson::{Bson, doc};

    use super::{InvalidVector, Value, Vector};

    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Holder {
        v: Vector<3>,
        #[serde(default)]
        other: Option<Vector<2>>,
    }

    #[test]
    fn a_vector_is_stored_as_binary_and_arrays_are_read_too() {
        let holder = Holder {
            v: Vector::from([0.5, -1.0, 2.0]),
            other: None,
        };
        let stored = bson::serialize_to_raw_document_buf(&holder).expect("written");
        let stored = bson::Document::try_from(stored).expect("a document");
        let Some(Bson::Binary(binary)) = stored.get("v") else {
            panic!("{stored}");
        };
        assert_eq!(binary.subtype, BinarySubtype::Vector);
        assert_eq!(binary.bytes.len() as u64 + 5, Vector::<3>::SIZE.most);
        let read: Holder = bson::deserialize_from_document(stored).expect("read");
        assert_eq!(read, holder);
        let array = doc! { "v": [0.5, -1, 2_i64], "other": Bson::Null };
        let read: Holder = bson::deserialize_from_document(array).expect("read");
        assert_eq!(read, holder);
        let json = serde_json::to_value(&holder.v).expect("written");
        assert_eq!(json, serde_json::json!([0.5, -1.0, 2.0]));
        let read: Vector<3> = serde_json::from_value(json).expect("read");
        assert_eq!(
            (read.as_slice(), format!("{read:?}")),
            (&[0.5, -1.0, 2.0][..], "Vector<3>".to_owned())
        );
    }

    #[test]
    fn a_wrong_vector_is_refused_by_counts() {
        let (given, expected) = (2, 3);
        assert_eq!(
            Vector::<3>::try_from(vec![1.0, 2.0]),
            Err(InvalidVector::Length { given, expected })
        );
        let numbers = vec![f32::NAN, 1.0, f32::INFINITY];
        let error = Vector::<3>::try_from(numbers).expect_err("refused");
        assert_eq!(error, InvalidVector::NotFinite { numbers: 2 });
        bson::serialize_to_bson(&Vector::from([f32::NAN])).expect_err("not finite");
        for other in [
            Bson::from(vec![1.0, 2.0]),
            Bson::from(vec!["a", "b", "c"]),
            Bson::from(vec![1e300, 0.0, 0.0]),
            Bson::from("secret"),
            bson::binary::Vector::Int8(vec![1, 2, 3]).into(),
            bson::Binary {
                subtype: BinarySubtype::Vector,
                bytes: vec![0x27, 0, 7],
            }
            .into(),
        ] {
            let document = doc! { "v": other };
            let error = bson::deserialize_from_document::<Holder>(document).expect_err("refused");
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
