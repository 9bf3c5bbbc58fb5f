//! The reading of a projection that borrows: its text and bytes stay where they lie in the server's reply.

use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;

use super::field::Slot;
use super::witness::{Answer, Seen, asked};
use super::{Reader, Refused, kind};

/// A value that is read without being copied out of the bytes that it is read from.
pub trait Borrows<'a>: Sized {
    /// Reads a payload of type `kind`.
    ///
    /// # Errors
    /// [`Refused`] where serde has to do it.
    fn read(kind: u8, from: &mut Reader<'a>) -> Result<Self, Refused>;

    /// The value of an absent field, where its type has one.
    #[inline(always)]
    fn absent() -> Option<Self> {
        None
    }
}

impl<'a> Borrows<'a> for &'a str {
    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'a>) -> Result<Self, Refused> {
        from.string(kind)
    }
}

impl<'a> Borrows<'a> for &'a [u8] {
    /// Serde lends the bytes of the generic subtype only.
    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'a>) -> Result<Self, Refused> {
        match kind {
            kind::BINARY => match from.binary()? {
                (0, bytes) => Ok(bytes),
                _ => Err(Refused),
            },
            _ => Err(Refused),
        }
    }
}

impl<'a, T: Borrows<'a>> Borrows<'a> for Option<T> {
    #[inline(always)]
    fn read(kind: u8, from: &mut Reader<'a>) -> Result<Self, Refused> {
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

/// The marker of a [`Slot`] that borrows.
#[derive(Debug)]
pub struct Lent<'a>(PhantomData<&'a ()>);

impl<'a, T: Borrows<'a>> Slot<T, Lent<'a>> {
    /// As for an [`Element`](super::Element).
    #[inline(always)]
    pub fn next<const N: usize>(&mut self, from: &mut Reader<'a>, key: &[u8; N]) -> bool {
        match from.next_is(key) {
            Some(kind) => self.put(T::read(kind, from)),
            None => true,
        }
    }

    /// As for an [`Element`](super::Element): `false` also where the field was there before.
    #[inline(always)]
    pub fn fill(&mut self, kind: u8, from: &mut Reader<'a>) -> bool {
        self.is_empty() && self.put(T::read(kind, from))
    }

    /// As for an [`Element`](super::Element).
    ///
    /// # Errors
    /// There is no such value.
    #[inline(always)]
    pub fn take(&mut self) -> Result<T, Refused> {
        self.taken().or_else(T::absent).ok_or(Refused)
    }
}

/// Asks how `T`, which borrows, is read by serde.
pub struct AskBorrowed<'a, T>(PhantomData<&'a T>);

impl<T> fmt::Debug for AskBorrowed<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AskBorrowed")
    }
}

impl<T> AskBorrowed<'_, T> {
    /// The question.
    pub const NEW: Self = AskBorrowed(PhantomData);
}

impl<'a, T: Deserialize<'a>> Answer for AskBorrowed<'a, T> {
    fn ask(&self) -> Option<Seen> {
        asked::<'a, T>(None)
    }

    fn ask_tagged(&self, tag: &'static str) -> Option<Seen> {
        asked::<'a, T>(Some(tag))
    }
}
