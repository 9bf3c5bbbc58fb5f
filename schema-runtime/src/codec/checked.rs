//! Checks if a generated codec may replace the type's serde traits. The derives see the `#[serde(..)]` attributes, but not
//! whether serde's derives read them as well: `Serialize` may be written by hand, or derived with another macro. So both
//! directions are compared with serde's when a type is first used; one that differs goes through serde from then on.

use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

use serde::Serialize;

use super::field::append;
use super::witness::{Form, Seen};
use super::writer::Open;
use super::{Plain, Put, Refused, Writer};

/// The number of values that are written both ways before the writer is trusted.
const TRUSTED: u8 = 16;
const DIFFERENT: u8 = u8::MAX;

/// The results of comparing one type's codec with serde.
#[derive(Debug)]
pub struct Checked {
    /// 0, [`TRUSTED`] or [`DIFFERENT`].
    read: AtomicU8,
    /// The number of values that were compared, or [`DIFFERENT`].
    write: AtomicU8,
    /// The size that a document is expected to have.
    size: AtomicUsize,
}

/// A writer by serde: [`PutChecked::put_checked`] of one value.
type BySerde<'a> = &'a dyn Fn(&[u8], &mut Writer) -> Result<(), Refused>;

impl Checked {
    /// Nothing is known.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "used by statics only")]
    pub const fn new() -> Self {
        Checked {
            read: AtomicU8::new(0),
            write: AtomicU8::new(0),
            size: AtomicUsize::new(128),
        }
    }

    /// Goes on if serde reads the type in this form, under this name and with these fields or variants.
    ///
    /// # Errors
    /// Serde reads the type in another way.
    #[inline(always)]
    pub fn reads(
        &self,
        ask: fn() -> Option<Seen>,
        form: Form,
        name: &'static str,
        names: &[&str],
    ) -> Result<(), Refused> {
        match self.read.load(Relaxed) {
            TRUSTED => Ok(()),
            _ => self.ask(ask, form, name, names),
        }
    }

    #[cold]
    fn ask(
        &self,
        ask: fn() -> Option<Seen>,
        form: Form,
        name: &'static str,
        names: &[&str],
    ) -> Result<(), Refused> {
        if self.read.load(Relaxed) != DIFFERENT
            && let Some(seen) = ask()
            && seen.form == form
            && seen.name == name
            && seen.fields.is_none_or(|fields| {
                fields.iter().all(|field| names.contains(field))
                    && names.iter().all(|name| fields.contains(name))
            })
        {
            self.read.store(TRUSTED, Relaxed);
            return Ok(());
        }
        self.read.store(DIFFERENT, Relaxed);
        Err(Refused)
    }

    /// Begins a document.
    ///
    /// # Errors
    /// It is known that serde writes the type in another way.
    #[inline(always)]
    pub fn document(&self, key: &[u8], to: &mut Writer) -> Result<Open, Refused> {
        if self.write.load(Relaxed) == DIFFERENT {
            return Err(Refused);
        }
        Ok(to.document(key))
    }

    /// Ends a document, and compares it with serde's.
    ///
    /// # Errors
    /// The two documents differ, or the document is too large.
    #[inline(always)]
    pub fn end(
        &self,
        open: Open,
        key: &[u8],
        to: &mut Writer,
        by_serde: BySerde<'_>,
    ) -> Result<(), Refused> {
        let start = open.start();
        to.close(open)?;
        if self.write.load(Relaxed) == TRUSTED {
            return Ok(());
        }
        self.compare(start, key, to, by_serde)
    }

    /// Writes a value by `write`, and compares it with serde's.
    ///
    /// # Errors
    /// The two forms differ, or the value was refused.
    #[inline(always)]
    pub fn value(
        &self,
        key: &[u8],
        to: &mut Writer,
        write: impl FnOnce(&[u8], &mut Writer) -> Result<(), Refused>,
        by_serde: BySerde<'_>,
    ) -> Result<(), Refused> {
        let learnt = self.write.load(Relaxed);
        if learnt == DIFFERENT {
            return Err(Refused);
        }
        // The document itself has neither type nor key.
        let start = to.len() + usize::from(!key.is_empty()) + key.len();
        write(key, to)?;
        if learnt == TRUSTED {
            return Ok(());
        }
        self.compare(start, key, to, by_serde)
    }

    /// Compares the payload that begins at `start`.
    #[cold]
    fn compare(
        &self,
        start: usize,
        key: &[u8],
        to: &Writer,
        by_serde: BySerde<'_>,
    ) -> Result<(), Refused> {
        let mut other = Writer::after(Vec::new(), 0);
        let key = if key.is_empty() { b"\0" } else { key };
        by_serde(key, &mut other)?;
        let ours = to.bytes().get(start..);
        if ours.is_none() || ours != other.bytes().get(1 + key.len()..) {
            self.write.store(DIFFERENT, Relaxed);
            return Err(Refused);
        }
        let learnt = self.write.load(Relaxed);
        if learnt < TRUSTED {
            self.write.store(learnt + 1, Relaxed);
        }
        Ok(())
    }

    /// The number of bytes to reserve for a document.
    #[inline(always)]
    pub(crate) fn size(&self) -> usize {
        self.size.load(Relaxed)
    }

    /// Remembers the size of a document: at once if it is larger, slowly if it is much smaller.
    #[inline(always)]
    pub(crate) fn was(&self, len: usize) {
        let size = self.size.load(Relaxed);
        if len > size {
            self.size.store(len, Relaxed);
        } else if len < size / 2 {
            self.size.store(size - size / 8, Relaxed);
        }
    }
}

/// Writes a value by serde, whatever other codec it has.
pub trait PutChecked {
    /// Appends type, key and payload.
    ///
    /// # Errors
    /// Serde's.
    fn put_checked(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused>;
}

impl<T: Serialize> PutChecked for Put<'_, T> {
    fn put_checked(&self, key: &[u8], to: &mut Writer) -> Result<(), Refused> {
        append::<Plain, T>(self.0, key, to)
    }
}

/// [`PutChecked`] of a type without `Serialize`: there is nothing to be equal to.
pub trait PutUnchecked {
    /// See [`PutChecked::put_checked`].
    fn put_checked(&self, _: &[u8], _: &mut Writer) -> Result<(), Refused> {
        Err(Refused)
    }
}

impl<T> PutUnchecked for &Put<'_, T> {}
