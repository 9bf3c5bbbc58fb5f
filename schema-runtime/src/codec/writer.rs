//! The buffer that documents are written to.

use super::Refused;
use super::kind;

/// A document under construction: elements are appended, lengths are filled in when their document ends.
#[derive(Debug)]
pub struct Writer {
    bytes: Vec<u8>,
}

/// An open document or array; [`Writer::close`] ends it.
#[derive(Debug)]
#[must_use = "a document has to be closed"]
pub struct Open {
    start: usize,
}

impl Writer {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Writer {
            bytes: Vec::with_capacity(bytes),
        }
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Hands the buffer to somebody who appends to it.
    pub(crate) fn buffer(&mut self) -> &mut Vec<u8> {
        &mut self.bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Type, key and `N` bytes of payload. The key ends with its NUL.
    #[inline(always)]
    pub(crate) fn fixed<const N: usize>(&mut self, kind: u8, key: &[u8], payload: [u8; N]) {
        let start = self.bytes.len();
        self.bytes.resize(start + 1 + key.len() + N, 0);
        // One check of the length for three copies of known size.
        if let Some((head, rest)) = self.bytes[start..].split_first_mut()
            && let Some((name, value)) = rest.split_at_mut_checked(key.len())
            && let Some(value) = value.first_chunk_mut::<N>()
        {
            *head = kind;
            name.copy_from_slice(key);
            *value = payload;
        }
    }

    /// A string.
    ///
    /// # Errors
    /// It is larger than BSON can say.
    #[inline(always)]
    pub fn text(&mut self, key: &[u8], text: &str) -> Result<(), Refused> {
        let len = i32::try_from(text.len() + 1).map_err(|_| Refused)?;
        self.bytes.reserve(6 + key.len() + text.len());
        self.fixed(kind::STRING, key, len.to_le_bytes());
        self.bytes.extend_from_slice(text.as_bytes());
        self.bytes.push(0);
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
        self.bytes.push(subtype);
        self.bytes.extend_from_slice(payload);
        Ok(())
    }

    /// Begins an embedded document; without a key (not even its NUL) the document itself.
    #[inline(always)]
    pub(crate) fn document(&mut self, key: &[u8]) -> Open {
        self.open(kind::DOCUMENT, key)
    }

    #[inline(always)]
    pub(crate) fn array(&mut self, key: &[u8]) -> Open {
        self.open(kind::ARRAY, key)
    }

    #[inline(always)]
    fn open(&mut self, kind: u8, key: &[u8]) -> Open {
        if key.is_empty() {
            self.bytes.extend_from_slice(&[0; 4]);
        } else {
            self.fixed(kind, key, [0; 4]);
        }
        Open {
            start: self.bytes.len() - 4,
        }
    }

    /// Ends a document or an array; refuses one that is larger than BSON can say.
    #[inline(always)]
    pub(crate) fn close(&mut self, open: Open) -> Result<(), Refused> {
        self.bytes.push(0);
        let len = i32::try_from(self.bytes.len() - open.start).map_err(|_| Refused)?;
        let place = self
            .bytes
            .get_mut(open.start..)
            .and_then(<[u8]>::first_chunk_mut);
        *place.ok_or(Refused)? = len.to_le_bytes();
        Ok(())
    }
}

impl Open {
    /// Where its payload begins.
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

    /// The next one. An array never has the 10^11 elements that would overflow it.
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
