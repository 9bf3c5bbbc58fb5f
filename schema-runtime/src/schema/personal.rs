//! The rows of values that are about a person.

use std::fmt;

use bson::Bson;

use crate::codec::{CodecError, Encode};

/// Gives the stored form of the value that stands in place of an erased one, of the person with this `_id`.
type Erased = fn(&str) -> Result<Bson, CodecError>;

/// A `#[personal]` field, as its derive writes it.
#[doc(hidden)]
#[derive(Clone, Copy)]
pub struct PersonalRow {
    /// The Rust name of the reference to the person; `None` where the document is the person.
    pub of: Option<&'static str>,
    /// The expression of the value that stands in place of an erased one; `None` for an absent value.
    pub erased: Option<&'static str>,
    /// The time for which the value stays, and the reason; `None` where it is erased.
    pub kept: Option<(&'static str, &'static str)>,
    /// The value that stands in place of an erased one; `None` where it stays.
    value: Option<Erased>,
}

impl fmt::Debug for PersonalRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PersonalRow")
            .field("of", &self.of)
            .field("erased", &self.erased)
            .field("kept", &self.kept)
            .finish_non_exhaustive()
    }
}

impl PersonalRow {
    /// A value of the person whose document it is in.
    #[must_use]
    pub const fn own() -> Self {
        PersonalRow {
            of: None,
            erased: None,
            kept: None,
            value: None,
        }
    }

    /// A value of the person that this field refers to.
    #[must_use]
    pub const fn of(reference: &'static str) -> Self {
        PersonalRow {
            of: Some(reference),
            ..Self::own()
        }
    }

    /// The row of a value that another one replaces.
    #[must_use]
    pub const fn erased(mut self, value: &'static str) -> Self {
        self.erased = Some(value);
        self
    }

    /// The row of a value that stays.
    #[must_use]
    pub const fn kept(mut self, keep_for: &'static str, reason: &'static str) -> Self {
        self.kept = Some((keep_for, reason));
        self
    }

    /// The row of a value that becomes the one which this function gives.
    #[must_use]
    pub const fn value(mut self, value: Erased) -> Self {
        self.value = Some(value);
        self
    }

    /// The stored form of the value that stands in place of an erased one.
    pub(crate) fn erased_value(&self, id: &str) -> Result<Bson, CodecError> {
        self.value.map_or(Ok(Bson::Null), |value| value(id))
    }
}

/// The stored form of a value. For the derives.
///
/// # Errors
/// The codec's.
pub fn erased_value<C: Encode<T>, T>(value: &T) -> Result<Bson, CodecError> {
    C::encode(value)
}

/// The text in place of an erased one: `{id}` in it is the `_id` of the person.
#[must_use]
pub fn erased_text(text: &str, id: &str) -> String {
    text.replace("{id}", id)
}
