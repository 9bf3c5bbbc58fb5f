//! The stored form of a field's type: one value or many, its kind, its size, its fields.

mod types;

use crate::schema::field::Handles;
use crate::schema::field::place::Path;
use crate::schema::rows::{FieldRow, Kind, Shape};

/// A type that a field of a model can have.
///
/// Implemented for what BSON holds, for `Option`, `Box`, arrays, sets and maps of it, and by `#[derive(MongoModel)]` and
/// `#[derive(MongoEmbed)]`. The compile-time rules read it, so that an alias hides nothing from them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that a document can hold [VALUE_TYPE]",
    label = "not a stored type",
    note = "an embedded document: add `#[derive(MongoEmbed)]` to `{Self}`",
    note = "a type of another crate: add `#[model(opaque)]` to the field; it is then stored as serde stores it, unchecked"
)]
pub trait Value {
    /// The element of an array, set or map; the type itself where there is none.
    type Elem: Value;
    /// Handles of the fields inside, at path `P`.
    type Sub<P: Path>: Handles;
    /// The number of values that a field of the type holds: one or many.
    const CARD: Cardinality = Cardinality::One;
    /// The form in which a value is stored.
    const KIND: Kind;
    /// True if the value may be stored as null.
    const NULLABLE: bool = false;
    /// A type whose serde form is not the BSON type that one expects.
    const TRAP: SerdePitfall = SerdePitfall::None;
    /// True if the type is a byte: an array of bytes is meant to be binary.
    const BYTE: bool = false;
    /// False if a list of values (`$in`) does not compare some of its values: the server takes a regular expression for a pattern, and
    /// a document whose keys begin with `$` for operators.
    const COMPARED_IN_LISTS: bool = true;
    /// True if the type can be the key of a map, that is, it is stored as a string.
    const MAP_KEY: bool = false;
    /// For a map: true if all keys are strings.
    const MAP_KEYS_OK: bool = true;
    /// The fields inside, of a document or of an array of documents.
    const SHAPE: Option<&'static Shape> = None;
    /// The rows of the fields inside, of a document.
    const FIELDS: &'static [FieldRow] = &[];
    /// The sums over the fields inside, of a document.
    const SIZE: Size = Size::SCALAR;
    /// Bytes of the smallest value that still fills every bound: all arrays full, all strings empty.
    const WORST: u64 = Self::SIZE.worst;
    /// Bytes of the largest value; [`UNBOUNDED`] where nothing bounds it.
    const MOST: u64 = Self::SIZE.most;
    /// The possible values of an enum that is stored as a string.
    const TAGS: &'static [&'static str] = &[];
    /// The least and the greatest integer; `None` where the type is no integer.
    const RANGE: Option<(i64, i64)> = None;
    /// The numbers of a [`Vector`](crate::vector::Vector); 0 for every other type.
    const DIMENSIONS: u64 = 0;
    /// The number of array elements inside a full value.
    const ELEMS: u64 = Self::SIZE.elems;
    /// The number of levels of documents and arrays.
    const DEPTH: u64 = Self::SIZE.depth;
    /// The number of arrays around a copy inside the type.
    const COPY_ARRAYS: u64 = Self::SIZE.copy_arrays;
    /// True if the type holds a copy (a `#[denorm]` field) at any depth.
    const HOLDS_COPIES: bool = Self::SIZE.copies;
}

/// The number of values that a field holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cardinality {
    /// One.
    One,
    /// An array or set that may grow.
    Array,
    /// A document whose keys are data.
    Map,
    /// A model that owns a collection.
    Standalone,
}

/// Types whose serde form surprises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum SerdePitfall {
    /// None.
    None,
    /// A date that is not stored as a BSON date.
    Date,
    /// A decimal number, stored as a string.
    Decimal,
    /// `uuid::Uuid`, stored in two forms.
    Uuid,
    /// Bytes, stored as an array of integers.
    Bytes,
}

/// A size that no bound limits.
pub const UNBOUNDED: u64 = u64::MAX;

/// Bytes of an array with `max` elements of `each` bytes.
#[must_use]
pub const fn array_bytes(max: u64, each: u64) -> u64 {
    // Element keys are "0".."max-1": one digit below 10, two below 100, and so on.
    let mut digits = 0_u64;
    let mut width = 1_u64;
    let mut from = 0_u64;
    let mut to = 10_u64;
    while from < max {
        let upto = if max < to { max } else { to };
        digits = digits.saturating_add((upto - from).saturating_mul(width));
        from = upto;
        to = to.saturating_mul(10);
        width += 1;
    }
    5_u64
        .saturating_add(digits)
        .saturating_add(max.saturating_mul(each.saturating_add(2)))
}

/// The facts about a field's type that the rules check. The field's row holds them, so that the type is named only once.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// True if a document can hold the type.
    pub known: bool,
    /// See [`Value::CARD`].
    pub card: Cardinality,
    /// See [`Value::TRAP`].
    pub trap: SerdePitfall,
    /// See [`Value::MAP_KEYS_OK`].
    pub map_keys_ok: bool,
    /// The sums over one value, without its declared bound.
    pub size: Size,
    /// [`Value::CARD`] of an element.
    pub elem_card: Cardinality,
    /// [`Value::WORST`] of an element.
    pub elem_worst: u64,
    /// [`Value::ELEMS`] of an element.
    pub elem_elems: u64,
    /// [`Value::MOST`] of an element.
    pub elem_most: u64,
    /// [`Value::KIND`] of an element; of the value itself where it has no elements.
    pub elem_kind: Kind,
    /// [`Value::NULLABLE`] of an element.
    pub elem_nullable: bool,
    /// [`Value::TAGS`] of an element; of the value itself where it has no elements.
    pub tags: &'static [&'static str],
    /// [`Value::RANGE`] of an element; of the value itself where it has no elements.
    pub range: Option<(i64, i64)>,
    /// See [`Value::DIMENSIONS`].
    pub dimensions: u64,
}

impl Facts {
    /// Nothing is known: `opaque`, or a field with a `with = ..`.
    pub const UNKNOWN: Facts = Facts {
        known: false,
        card: Cardinality::One,
        trap: SerdePitfall::None,
        map_keys_ok: true,
        size: Size {
            most: UNBOUNDED,
            ..Size::SCALAR
        },
        elem_card: Cardinality::One,
        elem_worst: 0,
        elem_elems: 0,
        elem_most: UNBOUNDED,
        elem_kind: Kind::Any,
        elem_nullable: true,
        tags: &[],
        range: None,
        dimensions: 0,
    };

    pub(crate) const fn of<T: Value>() -> Self {
        Facts {
            known: true,
            card: T::CARD,
            trap: T::TRAP,
            map_keys_ok: T::MAP_KEYS_OK,
            size: Size {
                worst: T::WORST,
                most: T::MOST,
                elems: T::ELEMS,
                depth: T::DEPTH,
                copy_arrays: T::COPY_ARRAYS,
                copies: T::HOLDS_COPIES,
            },
            elem_card: <T::Elem as Value>::CARD,
            elem_worst: <T::Elem as Value>::WORST,
            elem_elems: <T::Elem as Value>::ELEMS,
            elem_most: <T::Elem as Value>::MOST,
            elem_kind: <T::Elem as Value>::KIND,
            elem_nullable: <T::Elem as Value>::NULLABLE,
            tags: <T::Elem as Value>::TAGS,
            range: <T::Elem as Value>::RANGE,
            dimensions: T::DIMENSIONS,
        }
    }
}

/// Sums over the fields of a document.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// See [`Value::WORST`].
    pub worst: u64,
    /// See [`Value::MOST`].
    pub most: u64,
    /// See [`Value::ELEMS`].
    pub elems: u64,
    /// See [`Value::DEPTH`].
    pub depth: u64,
    /// See [`Value::COPY_ARRAYS`].
    pub copy_arrays: u64,
    /// See [`Value::HOLDS_COPIES`].
    pub copies: bool,
}

impl Size {
    /// No document at all.
    pub const SCALAR: Size = Size {
        worst: 0,
        most: 0,
        elems: 0,
        depth: 0,
        copy_arrays: 0,
        copies: false,
    };

    /// A document with the fields `from..to` of a struct or enum.
    #[must_use]
    pub const fn of(fields: &[FieldRow], from: usize, to: usize) -> Self {
        let mut size = Size {
            worst: 5,
            most: 5,
            elems: 0,
            depth: 1,
            copy_arrays: 0,
            copies: false,
        };
        let mut n = from;
        while n < to {
            let field = &fields[n];
            let one = field.facts.size;
            let (bytes, elems) = if field.max == 0 {
                (one.worst, one.elems)
            } else {
                let inside = if field.facts.elem_elems == 0 {
                    1
                } else {
                    field.facts.elem_elems
                };
                (
                    array_bytes(field.max, field.facts.elem_worst),
                    field.max.saturating_mul(inside),
                )
            };
            size.worst = size
                .worst
                .saturating_add(bytes)
                .saturating_add(2 + field.name.len() as u64);
            size.most = size
                .most
                .saturating_add(field.most())
                .saturating_add(2 + field.name.len() as u64);
            size.elems = size.elems.saturating_add(elems);
            if one.depth + 1 > size.depth {
                size.depth = one.depth + 1;
            }
            size.copies = size.copies || one.copies || field.copy.is_some();
            if one.copies && one.copy_arrays > size.copy_arrays {
                size.copy_arrays = one.copy_arrays;
            }
            n += 1;
        }
        size
    }

    /// The sums with the tag that distinguishes the variants of an enum.
    #[must_use]
    pub const fn tagged(mut self, tag: &FieldRow) -> Self {
        let name = 2 + tag.name.len() as u64;
        self.worst = self.worst.saturating_add(name);
        self.most = self.most.saturating_add(name).saturating_add(tag.most());
        self
    }

    /// The larger of two sizes, sum by sum: for the variants of an enum.
    #[must_use]
    pub const fn or(mut self, other: Size) -> Self {
        if other.worst > self.worst {
            self.worst = other.worst;
        }
        if other.most > self.most {
            self.most = other.most;
        }
        if other.elems > self.elems {
            self.elems = other.elems;
        }
        if other.depth > self.depth {
            self.depth = other.depth;
        }
        if other.copy_arrays > self.copy_arrays {
            self.copy_arrays = other.copy_arrays;
        }
        self.copies = self.copies || other.copies;
        self
    }
}

/// Bytes of the longest of these strings; unbounded where there are none.
#[must_use]
pub const fn text_bytes(texts: &[&str]) -> u64 {
    if texts.is_empty() {
        return UNBOUNDED;
    }
    let (mut n, mut longest) = (0, 0);
    while n < texts.len() {
        if texts[n].len() > longest {
            longest = texts[n].len();
        }
        n += 1;
    }
    5 + longest as u64
}

/// The trap of an array of `T`: [`SerdePitfall::Bytes`] for bytes, otherwise the trap of its elements.
const fn element_trap<T: Value>() -> SerdePitfall {
    if T::BYTE {
        SerdePitfall::Bytes
    } else {
        T::TRAP
    }
}

/// The number of arrays around a copy in an array of `T`. An array of arrays counts as too deep: no update reaches into it.
const fn copy_arrays<T: Value>() -> u64 {
    T::COPY_ARRAYS
        + if matches!(T::KIND, Kind::Array) {
            100
        } else {
            1
        }
}

/// The row of a field of type `T`, for the derives.
#[must_use]
pub const fn row<T: Value>(rust: &'static str, name: &'static str) -> FieldRow {
    FieldRow::new(rust, name, T::KIND, T::NULLABLE, T::SHAPE, Facts::of::<T>())
}

/// The row of a field whose type is not known (`opaque`, `with = ..`), and of an enum's tag.
#[must_use]
pub const fn row_unknown(rust: &'static str, name: &'static str, kind: Kind) -> FieldRow {
    FieldRow::new(rust, name, kind, true, None, Facts::UNKNOWN)
}

/// A slot of [`crate::__private::HasField`]'s types for a copied field that does not exist. It satisfies every check, so
/// that the one error about the missing field stays the only one.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Default,
    serde::Serialize,
    serde::Deserialize,
)]
pub struct Missing;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn array_bytes_is_what_bson_writes() {
        for max in [0_u64, 1, 9, 10, 11, 99, 100, 101, 250, 1000, 1234] {
            let array = vec![
                bson::oid::ObjectId::from_bytes([1; 12]);
                usize::try_from(max).expect("small")
            ];
            let raw =
                bson::serialize_to_raw_document_buf(&bson::doc! { "a": array }).expect("encodes");
            // document: 4 length + 1 type + 2 key + array + 1 end
            assert_eq!(
                raw.as_bytes().len() as u64 - 8,
                array_bytes(max, 12),
                "{max} ids"
            );
        }
    }
}
