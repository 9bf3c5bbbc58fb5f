//! A reader of documents in unvalidated bytes.

use super::Refused;
use super::kind;
use super::text;
use crate::bson_util::depth::LEVELS;

/// The rest of one document's elements. Every read checks that the bytes are there, and that text is UTF-8; the reader refuses
/// everything that it does not read.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
    depth: u8,
    /// True if the next document has begun already: its elements are the rest.
    opened: bool,
    /// True if serde would have the values in a buffer of its own by now, and read them out of it as if they were human-readable.
    buffered: bool,
}

impl<'a> Reader<'a> {
    /// A reader before the payload of a document.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Reader {
            rest: bytes,
            depth: LEVELS,
            opened: false,
            buffered: false,
        }
    }

    /// True if serde would read the values from a buffer of its own.
    pub(crate) fn buffered(&self) -> bool {
        self.buffered
    }

    /// True if the next document starts without its length.
    pub(crate) fn opened(&self) -> bool {
        self.opened
    }

    /// A reader over these elements of the document that `self` is in, as serde has them when it has looked for the tag.
    pub(super) fn among<'b>(&self, elements: &'b [u8]) -> Reader<'b> {
        Reader {
            rest: elements,
            depth: self.depth,
            opened: false,
            buffered: true,
        }
    }

    /// Makes one document of the elements that are left.
    #[must_use]
    pub(super) fn as_document(self) -> Self {
        Reader {
            opened: true,
            ..self
        }
    }

    /// The bytes that were not read yet.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline(always)]
    pub(crate) fn chunk<const N: usize>(&mut self) -> Result<[u8; N], Refused> {
        let (chunk, rest) = self.rest.split_first_chunk().ok_or(Refused)?;
        self.rest = rest;
        Ok(*chunk)
    }

    #[inline(always)]
    pub(crate) fn bytes(&mut self, len: usize) -> Result<&'a [u8], Refused> {
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Refused)?;
        self.rest = rest;
        Ok(bytes)
    }

    /// A length. A negative one is larger than any buffer.
    #[inline(always)]
    pub(crate) fn len(&mut self) -> Result<usize, Refused> {
        Ok(u32::from_le_bytes(self.chunk()?) as usize)
    }

    /// The payload of a string.
    #[inline(always)]
    fn text(&mut self) -> Result<&'a str, Refused> {
        let len = self.len()?;
        match self.bytes(len)? {
            [text @ .., 0] => text::text(text),
            _ => Err(Refused),
        }
    }

    /// A string.
    ///
    /// # Errors
    /// The value is no string.
    #[inline(always)]
    pub fn string(&mut self, kind: u8) -> Result<&'a str, Refused> {
        if kind == kind::STRING {
            self.text()
        } else {
            Err(Refused)
        }
    }

    /// Subtype and bytes of a binary. The old subtype 2, which has a second length inside, is refused.
    pub(crate) fn binary(&mut self) -> Result<(u8, &'a [u8]), Refused> {
        let len = self.len()?;
        let [subtype] = self.chunk()?;
        if subtype == 2 {
            return Err(Refused);
        }
        Ok((subtype, self.bytes(len)?))
    }

    #[inline(always)]
    pub(crate) fn bool(&mut self) -> Result<bool, Refused> {
        match self.chunk()? {
            [0] => Ok(false),
            [1] => Ok(true),
            _ => Err(Refused),
        }
    }

    /// The elements of the document or array that comes next.
    #[inline(always)]
    fn nested(&mut self) -> Result<Self, Refused> {
        if self.opened {
            let inside = Reader {
                opened: false,
                ..*self
            };
            self.rest = &[];
            return Ok(inside);
        }
        let len = self.len()?;
        let depth = self.depth.checked_sub(1).ok_or(Refused)?;
        match self.bytes(len.checked_sub(4).ok_or(Refused)?)? {
            [rest @ .., 0] => Ok(Reader {
                rest,
                depth,
                ..*self
            }),
            _ => Err(Refused),
        }
    }

    /// The elements of the embedded document that comes next.
    ///
    /// # Errors
    /// The value is no document, or does not fit its surroundings.
    #[inline(always)]
    pub fn document(&mut self, kind: u8) -> Result<Self, Refused> {
        if kind == kind::DOCUMENT {
            self.nested()
        } else {
            Err(Refused)
        }
    }

    #[inline(always)]
    pub(crate) fn array(&mut self, kind: u8) -> Result<Self, Refused> {
        if kind == kind::ARRAY {
            self.nested()
        } else {
            Err(Refused)
        }
    }

    /// The type of the next element if it has this key (which ends with its NUL); the reader then stands before its payload.
    #[inline(always)]
    pub fn next_is<const N: usize>(&mut self, key: &[u8; N]) -> Option<u8> {
        let (kind, rest) = self.rest.split_first()?;
        let (found, rest) = rest.split_first_chunk::<N>()?;
        if found == key {
            self.rest = rest;
            Some(*kind)
        } else {
            None
        }
    }

    /// Key (with its NUL) and type of the next element, `None` at the end.
    ///
    /// # Errors
    /// The document breaks off here.
    #[inline]
    pub fn key(&mut self) -> Result<Option<(&'a [u8], u8)>, Refused> {
        let Some((kind, rest)) = self.rest.split_first() else {
            return Ok(None);
        };
        let (mut len, mut ascii) = (0, true);
        loop {
            match rest.get(len) {
                Some(0) => break,
                Some(byte) => ascii &= byte.is_ascii(),
                None => return Err(Refused),
            }
            len += 1;
        }
        let (key, rest) = rest.split_at(len + 1);
        if !ascii && std::str::from_utf8(key).is_err() {
            return Err(Refused);
        }
        self.rest = rest;
        Ok(Some((key, *kind)))
    }

    /// Type of the next element of an array, `None` at the end. Its key says nothing, as serde sees it, but must be text.
    #[inline(always)]
    pub(crate) fn next_value(&mut self) -> Result<Option<u8>, Refused> {
        match self.rest {
            [kind, b'0'..=b'9', 0, rest @ ..] | [kind, b'0'..=b'9', b'0'..=b'9', 0, rest @ ..] => {
                self.rest = rest;
                Ok(Some(*kind))
            }
            _ => Ok(self.key()?.map(|(_, kind)| kind)),
        }
    }

    /// Walks over a payload of this type, and sees to it that serde could have.
    ///
    /// # Errors
    /// Serde may not be able to.
    pub fn skip(&mut self, kind: u8) -> Result<(), Refused> {
        let fixed = match kind {
            kind::NULL | kind::UNDEFINED | kind::MIN_KEY | kind::MAX_KEY => 0,
            kind::INT32 => 4,
            kind::DOUBLE | kind::DATE | kind::INT64 | kind::TIMESTAMP => 8,
            kind::OBJECT_ID => 12,
            kind::DECIMAL => 16,
            kind::STRING | kind::CODE | kind::SYMBOL => return self.text().map(|_| ()),
            kind::BINARY => return self.binary().map(|_| ()),
            kind::BOOL => return self.bool().map(|_| ()),
            kind::DOCUMENT | kind::ARRAY => {
                let mut inside = self.nested()?;
                while let Some((_, kind)) = inside.key()? {
                    inside.skip(kind)?;
                }
                return Ok(());
            }
            // Regular expressions, code with scope, pointers: too rare to be worth a second reading.
            _ => return Err(Refused),
        };
        self.bytes(fixed).map(|_| ())
    }

    /// Passes over a payload of this type without a look inside.
    pub(super) fn pass(&mut self, kind: u8) -> Result<(), Refused> {
        let len = match kind {
            kind::STRING | kind::CODE | kind::SYMBOL => self.len()?,
            kind::DOCUMENT | kind::ARRAY => self.len()?.checked_sub(4).ok_or(Refused)?,
            kind::BINARY => self.len()?.checked_add(1).ok_or(Refused)?,
            kind::BOOL => 1,
            kind => return self.skip(kind),
        };
        self.bytes(len).map(|_| ())
    }

    /// Walks over all that is left.
    ///
    /// # Errors
    /// As [`Reader::skip`].
    pub fn skip_all(&mut self) -> Result<(), Refused> {
        while let Some((_, kind)) = self.key()? {
            self.skip(kind)?;
        }
        Ok(())
    }
}
