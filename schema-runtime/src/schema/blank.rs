//! The values of fields that the library fills in, in a document that was not stored yet.

use std::marker::PhantomData;

use bson::{DateTime, Decimal128};

/// A field of this type that is left out of a new document.
#[derive(Debug)]
pub struct Blank<T>(PhantomData<fn() -> T>);

impl<T> Blank<T> {
    /// The only value.
    pub const NEW: Self = Blank(PhantomData);
}

impl<T: Default> Blank<T> {
    /// The value that the field gets.
    pub fn value(&self) -> T {
        T::default()
    }
}

/// The value of a field that is left out, where its type has no default.
pub trait BlankFallback<T> {
    /// The value that the field gets.
    fn value(&self) -> T
    where
        T: LeftOut;
}

impl<T> BlankFallback<T> for Blank<T> {
    fn value(&self) -> T
    where
        T: LeftOut,
    {
        T::left_out()
    }
}

/// A type whose fields can be left out of a new document.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no default, so that `new` cannot leave this field out",
    label = "needs `Default`",
    note = "the library fills the field in when the document is stored; implement `Default` for `{Self}`, or remove `new = ..`"
)]
pub trait LeftOut {
    /// The value of a field that is left out.
    fn left_out() -> Self;
}

#[diagnostic::do_not_recommend]
impl LeftOut for DateTime {
    fn left_out() -> Self {
        DateTime::from_millis(0)
    }
}

#[diagnostic::do_not_recommend]
impl LeftOut for Decimal128 {
    fn left_out() -> Self {
        // Zero, with an exponent of zero.
        let mut bytes = [0; 16];
        bytes[14..].copy_from_slice(&[0x40, 0x30]);
        Decimal128::from_bytes(bytes)
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, Decimal128};

    use super::{Blank, BlankFallback as _};

    #[test]
    fn values_that_are_left_out() {
        assert_eq!(Blank::<i64>::NEW.value(), 0);
        assert_eq!(Blank::<Option<DateTime>>::NEW.value(), None);
        assert_eq!(Blank::<DateTime>::NEW.value(), DateTime::from_millis(0));
        assert_eq!(Blank::<Decimal128>::NEW.value().to_string(), "0");
        let (one, other) = (Blank::<crate::Id<str>>::NEW, Blank::<crate::Id<str>>::NEW);
        assert_ne!(one.value(), other.value(), "each is a new id");
    }
}
