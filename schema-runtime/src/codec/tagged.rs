//! Enums whose variants are distinguished by a tag.

use super::{Element, Put, Reader, Refused, Slot, Writer, kind};

/// The elements beside a tag, where the tag is not the first.
#[derive(Debug, Default)]
pub struct Beside(Vec<u8>);

impl Beside {
    /// No elements yet.
    #[must_use]
    pub const fn new() -> Self {
        Beside(Vec::new())
    }
}

impl<'a> Reader<'a> {
    /// The tag of an internally tagged document, and its other elements. `key` ends with its NUL.
    ///
    /// # Errors
    /// The value is no document, or has not exactly one tag that is a string.
    pub fn tagged<'b>(
        &mut self,
        kind: u8,
        key: &[u8],
        beside: &'b mut Beside,
    ) -> Result<(&'a str, Reader<'b>), Refused>
    where
        'a: 'b,
    {
        let inside = self.document(kind)?;
        let all = inside.rest();
        let mut walk = inside;
        let mut found = None;
        loop {
            let start = all.len() - walk.rest().len();
            let Some((name, kind)) = walk.key()? else {
                break;
            };
            if name != key {
                walk.pass(kind)?;
            } else if found.is_none() {
                let tag = walk.string(kind)?;
                found = Some((tag, start, all.len() - walk.rest().len()));
            } else {
                return Err(Refused);
            }
        }
        let (tag, start, end) = found.ok_or(Refused)?;
        let (before, after) = (all.get(..start), all.get(end..).unwrap_or_default());
        Ok(match before.unwrap_or_default() {
            [] => (tag, inside.among(after)),
            before => {
                beside.0 = [before, after].concat();
                (tag, inside.among(&beside.0))
            }
        })
    }
}

/// A document in a variant, under its tag.
impl<T: Element> Put<'_, T> {
    /// Writes the document with a tag before its own elements. `false` where it is refused, or no document.
    #[inline(always)]
    pub fn under(&self, key: &[u8], tag: &[u8], value: &str, to: &mut Writer) -> bool {
        to.tagged_inside(key, tag, value, |key, to| self.0.write(key, to))
            .is_ok()
    }
}

/// `Put` of a type that only serde knows: only serde knows its form under a tag, too.
pub trait UnderNone {
    /// See `Put::under`.
    fn under(&self, _: &[u8], _: &[u8], _: &str, _: &mut Writer) -> bool {
        false
    }
}

impl<T> UnderNone for &Put<'_, T> {}

impl<T: Element> Slot<T> {
    /// Reads all that is left of a document as one. `false` where it is refused.
    #[inline(always)]
    pub fn rest(&mut self, from: Reader<'_>) -> bool {
        self.fill(kind::DOCUMENT, &mut from.as_document())
    }
}

/// [`Slot`] of a type that only serde knows.
pub trait RestNone {
    /// See `Slot::rest`.
    fn rest(&self, _: Reader<'_>) -> bool {
        false
    }
}

impl<T> RestNone for &mut Slot<T> {}

#[cfg(test)]
mod tests {
    use crate::codec::{Element, Refused, Writer};

    #[test]
    fn a_tag_comes_first() {
        let inner = bson::Document::from_iter([("a".to_owned(), bson::Bson::Int32(1))]);
        for key in [&b""[..], b"k\0"] {
            let mut to = Writer::after(vec![9, 9], 0);
            to.tagged_inside(key, b"kind\0", "K", |key, to| inner.write(key, to))
                .expect("a document");
            let bytes = to.into_bytes();
            let mut expected = vec![9, 9];
            if !key.is_empty() {
                expected.extend([3, b'k', 0]);
            }
            let whole = bson::doc! { "kind": "K", "a": 1 };
            expected.extend(bson::serialize_to_vec(&whole).expect("a document"));
            assert_eq!(bytes, expected);
        }
    }

    #[test]
    fn only_a_document_has_a_tag() {
        let mut to = Writer::after(Vec::new(), 0);
        let written = to.tagged_inside(b"k\0", b"kind\0", "K", |key, to| 7_i32.write(key, to));
        assert!(matches!(written, Err(Refused)));
    }
}
