//! The conversion of values into elements without serde. Each `write` gives the bytes that serde's path gives, each `read` the value;
//! where either is in doubt it refuses, and serde does the work.

mod bson;
mod many;

use std::rc::Rc;
use std::sync::Arc;

use super::{Reader, Refused, Writer, kind};
use crate::bson_util::id::Id;

/// A value that writes itself as an element of a document and reads itself back, with the meaning of its serde derives.
pub trait Element: Sized {
    /// Appends type, key and payload. The key ends with its NUL; without any key it is the document itself that is written.
    ///
    /// # Errors
    /// [`Refused`] where serde has to do it; what was appended is thrown away then. A type that is only read refuses always.
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        let _ = (key, to);
        Err(Refused)
    }

    /// Reads a payload of type `kind`.
    ///
    /// # Errors
    /// [`Refused`] where serde has to do it.
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused>;

    /// The value of an absent field, where its type has one.
    #[inline(always)]
    fn absent() -> Option<Self> {
        None
    }
}

/// An integer of type `$via`; the reader accepts both widths, as serde does.
macro_rules! integers {
    ($($ty:ty as $via:ty: $kind:expr;)*) => {$(
        impl Element for $ty {
            #[inline(always)]
            fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
                let number = <$via>::try_from(*self).map_err(|_| Refused)?;
                to.fixed($kind, key, number.to_le_bytes());
                Ok(())
            }

            #[inline(always)]
            fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
                match kind {
                    kind::INT32 => i32::from_le_bytes(from.chunk()?).try_into().map_err(|_| Refused),
                    kind::INT64 => i64::from_le_bytes(from.chunk()?).try_into().map_err(|_| Refused),
                    _ => Err(Refused),
                }
            }
        }
    )*};
}

integers! {
    i8 as i32: kind::INT32;
    i16 as i32: kind::INT32;
    i32 as i32: kind::INT32;
    i64 as i64: kind::INT64;
    isize as i64: kind::INT64;
    u8 as i32: kind::INT32;
    u16 as i32: kind::INT32;
    u32 as i64: kind::INT64;
    u64 as i64: kind::INT64;
    usize as i64: kind::INT64;
}

impl Element for f64 {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        to.fixed(kind::DOUBLE, key, self.to_le_bytes());
        Ok(())
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        match kind {
            kind::DOUBLE => Ok(f64::from_le_bytes(from.chunk()?)),
            kind::INT32 => Ok(i32::from_le_bytes(from.chunk()?).into()),
            #[expect(clippy::cast_precision_loss, reason = "as serde does")]
            kind::INT64 => Ok(i64::from_le_bytes(from.chunk()?) as f64),
            _ => Err(Refused),
        }
    }
}

impl Element for f32 {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        f64::from(*self).write(key, to)
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        match kind {
            // Serde keeps the sign of a NaN; `as` need not.
            #[expect(clippy::cast_possible_truncation, reason = "as serde does")]
            kind::DOUBLE => {
                let number = f64::from_le_bytes(from.chunk()?);
                Ok((number as f32).copysign(if number.is_sign_positive() { 1.0 } else { -1.0 }))
            }
            #[expect(clippy::cast_precision_loss, reason = "as serde does")]
            kind::INT32 => Ok(i32::from_le_bytes(from.chunk()?) as f32),
            #[expect(clippy::cast_precision_loss, reason = "as serde does")]
            kind::INT64 => Ok(i64::from_le_bytes(from.chunk()?) as f32),
            _ => Err(Refused),
        }
    }
}

impl Element for bool {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        to.fixed(kind::BOOL, key, [u8::from(*self)]);
        Ok(())
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        match kind {
            kind::BOOL => from.bool(),
            _ => Err(Refused),
        }
    }
}

impl Element for String {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        to.text(key, self)
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        from.string(kind).map(str::to_owned)
    }
}

impl Element for char {
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        to.text(key, self.encode_utf8(&mut [0; 4]))
    }

    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        let mut chars = from.string(kind)?.chars();
        match (chars.next(), chars.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Refused),
        }
    }
}

impl<T: ?Sized, R: Element> Element for Id<T, R> {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        self.as_raw().write(key, to)
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        R::read(kind, from).map(Id::from_raw)
    }

    #[inline(always)]
    fn absent() -> Option<Self> {
        R::absent().map(Id::from_raw)
    }
}

impl<T: Element> Element for Option<T> {
    #[inline(always)]
    fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        match self {
            Some(value) => value.write(key, to),
            None => {
                to.fixed(kind::NULL, key, []);
                Ok(())
            }
        }
    }

    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
        match kind {
            kind::NULL => Ok(None),
            kind => T::read(kind, from).map(Some),
        }
    }

    #[inline(always)]
    fn absent() -> Option<Self> {
        Some(None)
    }
}

macro_rules! pointers {
    ($($pointer:ident)*) => {$(
        impl<T: Element> Element for $pointer<T> {
            #[inline(always)]
            fn write(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
                (**self).write(key, to)
            }

            #[inline(always)]
            fn read(kind: u8, from: &mut Reader<'_>) -> Result<Self, Refused> {
                T::read(kind, from).map($pointer::new)
            }

            #[inline(always)]
            fn absent() -> Option<Self> {
                T::absent().map($pointer::new)
            }
        }
    )*};
}

pointers! { Box Rc Arc }
