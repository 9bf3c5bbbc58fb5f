//! The buffer that documents are written to.

use super::Refused;
use super::kind;
use crate::bson_util::depth::LEVELS;

/// A document under construction: elements are appended, lengths are filled in when their document ends.
#[derive(Debug)]
pub struct Writer {
    /// The bytes written so far, with spare capacity: an element then costs one check of the length.
    bytes: Vec<u8>,
    start: usize,
    end: usize,
    /// The number of further levels to which documents may be nested.
    levels: u8,
}

/// An open document or array; [`Writer::close`] ends it.
#[derive(Debug)]
#[must_use = "a document has to be closed"]
pub struct Open {
    start: usize,
    /// The number of further levels at its place.
    levels: u8,
}

impl Writer {
    /// A writer that goes on behind `bytes`; `room` more bytes are expected. The buffer is given back by
    /// [`Writer::into_bytes`].
    #[inline(always)]
    pub(crate) fn after(mut bytes: Vec<u8>, room: usize) -> Self {
        let end = bytes.len();
        bytes.resize(end + room, 0);
        Writer {
            bytes,
            start: end,
            end,
            levels: LEVELS,
        }
    }

    #[inline(always)]
    pub(crate) fn into_bytes(mut self) -> Vec<u8> {
        self.bytes.truncate(self.end);
        self.bytes
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.end).unwrap_or_default()
    }

    /// The number of further levels to which documents may be nested here.
    pub(crate) fn levels(&self) -> u8 {
        self.levels
    }

    pub(crate) fn len(&self) -> usize {
        self.end
    }

    /// Passes the buffer to a function that appends to it.
    pub(crate) fn append_with<T>(&mut self, append: impl FnOnce(&mut Vec<u8>) -> T) -> T {
        self.bytes.truncate(self.end);
        let done = append(&mut self.bytes);
        self.end = self.bytes.len();
        done
    }

    /// The place of the next `len` bytes.
    #[inline(always)]
    fn room(&mut self, len: usize) -> &mut [u8] {
        if self.bytes.len() - self.end < len {
            self.grow(len);
        }
        let start = self.end;
        self.end += len;
        // Cut to `len`, not to the end: the compiler then knows how long it is.
        let room = self.bytes.get_mut(start..);
        room.and_then(|room| room.get_mut(..len))
            .unwrap_or_default()
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize) {
        // As much again as this document has; what is before it does not count.
        let more = len.max(self.end - self.start).max(128);
        self.bytes.resize(self.end + more, 0);
    }

    /// Type and key of an element with a payload of `len` bytes, whose place is given. The key ends with its NUL.
    #[inline(always)]
    fn element(&mut self, kind: u8, key: &[u8], len: usize) -> &mut [u8] {
        if let Some((head, rest)) = self.room(1 + key.len() + len).split_first_mut()
            && let Some((name, payload)) = rest.split_at_mut_checked(key.len())
        {
            *head = kind;
            name.copy_from_slice(key);
            return payload;
        }
        &mut []
    }

    /// Type, key and `N` bytes of payload.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(&mut self, kind: u8, key: &[u8], payload: [u8; N]) {
        if let Some(place) = self.element(kind, key, N).first_chunk_mut::<N>() {
            *place = payload;
        }
    }

    /// A string.
    ///
    /// # Errors
    /// The string is larger than BSON allows.
    #[inline(always)]
    pub fn text(&mut self, key: &[u8], text: &str) -> Result<(), Refused> {
        let len = i32::try_from(text.len() + 1).map_err(|_| Refused)?;
        let place = self.element(kind::STRING, key, 5 + text.len());
        if let Some((head, rest)) = place.split_first_chunk_mut::<4>()
            && let Some((end, place)) = rest.split_last_mut()
        {
            *head = len.to_le_bytes();
            place.copy_from_slice(text.as_bytes());
            *end = 0;
        }
        Ok(())
    }

    pub(crate) fn binary(
        &mut self,
        key: &[u8],
        subtype: u8,
        payload: &[u8],
    ) -> Result<(), Refused> {
        let len = i32::try_from(payload.len()).map_err(|_| Refused)?;
        self.fixed(kind::BINARY, key, len.to_le_bytes());
        if let Some((head, place)) = self.room(1 + payload.len()).split_first_mut() {
            *head = subtype;
            place.copy_from_slice(payload);
        }
        Ok(())
    }

    /// Begins an embedded document; without a key (not even its NUL) the document itself.
    #[inline(always)]
    pub fn document(&mut self, key: &[u8]) -> Open {
        self.open(kind::DOCUMENT, key)
    }

    /// Begins a document with its tag, which ends with its NUL.
    ///
    /// # Errors
    /// The value is larger than BSON allows.
    #[inline(always)]
    pub fn tagged(&mut self, key: &[u8], tag: &[u8], value: &str) -> Result<Open, Refused> {
        let open = self.document(key);
        self.text(tag, value)?;
        Ok(open)
    }

    /// The document that `write` appends, with a tag before its own elements.
    ///
    /// # Errors
    /// `write` has refused, or has not appended a document.
    pub(super) fn tagged_inside(
        &mut self,
        key: &[u8],
        tag: &[u8],
        value: &str,
        write: impl FnOnce(&[u8], &mut Writer) -> Result<(), Refused>,
    ) -> Result<(), Refused> {
        let start = self.end;
        // Also where the document itself is written: its type has to be seen.
        let inner = if key.is_empty() { b"\0" } else { key };
        write(inner, self)?;
        let len = start + 1 + inner.len();
        if self.bytes().get(start) != Some(&kind::DOCUMENT) || len + 5 > self.end {
            return Err(Refused);
        }
        // The tag is written behind the elements and then moved before them.
        let end = self.end;
        self.text(tag, value)?;
        let tagged = self.bytes.get_mut(len..self.end).ok_or(Refused)?;
        let size = i32::try_from(tagged.len()).map_err(|_| Refused)?;
        let (head, elements) = tagged.split_first_chunk_mut::<4>().ok_or(Refused)?;
        *head = size.to_le_bytes();
        elements.rotate_right(self.end - end);
        if key.is_empty() {
            self.bytes.copy_within(len..self.end, start);
            self.end -= len - start;
        }
        Ok(())
    }

    #[inline(always)]
    pub(crate) fn array(&mut self, key: &[u8]) -> Open {
        self.open(kind::ARRAY, key)
    }

    #[inline(always)]
    fn open(&mut self, kind: u8, key: &[u8]) -> Open {
        if key.is_empty() {
            self.room(4);
        } else {
            self.element(kind, key, 4);
        }
        let levels = self.levels;
        self.levels = levels.saturating_sub(1);
        Open {
            start: self.end - 4,
            levels,
        }
    }

    /// Ends a document or an array.
    ///
    /// # Errors
    /// The document is larger than BSON allows, or nested too deep.
    #[inline(always)]
    pub fn close(&mut self, open: Open) -> Result<(), Refused> {
        self.levels = open.levels;
        if open.levels == 0 {
            return Err(Refused);
        }
        if let Some(end) = self.room(1).first_mut() {
            *end = 0;
        }
        let len = i32::try_from(self.end - open.start).map_err(|_| Refused)?;
        let place = self
            .bytes
            .get_mut(open.start..)
            .and_then(<[u8]>::first_chunk_mut);
        *place.ok_or(Refused)? = len.to_le_bytes();
        Ok(())
    }
}

impl Open {
    /// The position at which the payload begins.
    pub(crate) fn start(&self) -> usize {
        self.start
    }
}

/// The keys of an array's elements: `0`, `1`, .. as text, each with its NUL.
pub(crate) struct Index {
    /// Right-aligned; the last byte is the NUL.
    text: [u8; 12],
    start: usize,
}

impl Index {
    pub(crate) const FIRST: Self = Index {
        text: *b"00000000000\0",
        start: 10,
    };

    #[inline(always)]
    pub(crate) fn key(&self) -> &[u8] {
        self.text.get(self.start..).unwrap_or_default()
    }

    /// Steps to the next key. An array never has the 10^11 elements that would overflow it.
    #[inline(always)]
    pub(crate) fn step(&mut self) {
        for place in (0..11).rev() {
            if self.text[place] < b'9' {
                self.text[place] += 1;
                self.start = self.start.min(place);
                return;
            }
            self.text[place] = b'0';
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn indexes_count() {
        let mut index = Index::FIRST;
        for n in 0..12_345 {
            assert_eq!(index.key(), format!("{n}\0").as_bytes());
            index.step();
        }
    }
}
