//! Results as the server sends them: a batch stays as it came from the network, and documents are read where they lie in it.

use std::ops::Range;

use bson::RawDocument;
use bson::spec::ElementType;
use futures::StreamExt;
use futures::future::BoxFuture;
use mongodb::ClientSession;
use mongodb::raw_batch_cursor::{RawBatch, RawBatchCursor, SessionRawBatchCursor};

use super::killed::{is_cursor_gone, may_be_sent_again};
use super::unread::WithoutId;
use super::walk::Walk;
use crate::error::unread::SkippedDocument;
use crate::error::{Error, Result};

/// The type byte of a document.
const DOCUMENT: u8 = ElementType::EmbeddedDocument as u8;

/// An open result. Dropping it before its end closes the server's cursor.
pub(crate) struct Rows<'a> {
    cursor: Cursor<'a>,
    batch: Option<Batch>,
    without_id: Option<Box<WithoutId>>,
    /// The place of a read that goes on where the server closes its cursor.
    walk: Option<Box<Walk>>,
    /// The listener for documents that cannot be decoded, and are left out.
    skip: Option<SkipListener<'a>>,
    /// The number of documents in the batches that were read to their end.
    read: u64,
}

/// A function that gets each document that is left out.
pub(crate) type SkipListener<'a> = Box<dyn FnMut(SkippedDocument) + Send + 'a>;

enum Cursor<'a> {
    /// A result that is empty, so that nothing was sent.
    None,
    /// A cursor without a session, and the collection, for an error that names it.
    Alone(RawBatchCursor, Box<str>),
    InSession(SessionRawBatchCursor, &'a mut ClientSession),
}

impl<'a> Rows<'a> {
    pub(crate) fn none() -> Self {
        Rows::of(Cursor::None)
    }

    fn of(cursor: Cursor<'a>) -> Self {
        Rows {
            cursor,
            batch: None,
            without_id: None,
            walk: None,
            skip: None,
            read: 0,
        }
    }

    pub(crate) fn without_session(cursor: RawBatchCursor, collection: &str) -> Self {
        Rows::of(Cursor::Alone(cursor, collection.into()))
    }

    /// Remembers the `find` of these rows, if it leaves the `_id` out.
    pub(crate) fn of_find(mut self, without_id: Option<WithoutId>) -> Self {
        self.without_id = without_id.map(Box::new);
        self
    }

    /// Goes on where the server closes the cursor.
    pub(crate) fn walking(mut self, walk: Option<Walk>) -> Self {
        self.walk = walk.map(Box::new);
        self
    }

    /// Leaves out documents that cannot be decoded, and gives them to the listener.
    pub(crate) fn skipping(mut self, skip: Option<SkipListener<'a>>) -> Self {
        self.skip = skip;
        self
    }

    pub(crate) fn in_session(
        cursor: SessionRawBatchCursor,
        session: &'a mut ClientSession,
    ) -> Self {
        Rows::of(Cursor::InSession(cursor, session))
    }
}

impl Rows<'_> {
    /// The session that the result belongs to, for another command in between.
    pub(crate) fn session(&mut self) -> Option<&mut ClientSession> {
        match &mut self.cursor {
            Cursor::None | Cursor::Alone(..) => None,
            Cursor::InSession(_, session) => Some(session),
        }
    }

    /// The next batch; an empty one is not the end. The caller returns it by [`pass`](Rows::pass) once it has read it.
    pub(crate) async fn batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let reply = match &mut self.cursor {
                Cursor::None => return Ok(None),
                Cursor::Alone(cursor, _) => cursor.next().await,
                Cursor::InSession(cursor, session) => cursor.stream(session).next().await,
            };
            let error = match (reply, &self.cursor) {
                (None, _) => return Ok(None),
                (Some(Ok(reply)), _) => return Batch::new(reply).map(Some),
                (Some(Err(error)), Cursor::Alone(..)) => error,
                (Some(Err(error)), _) => return Err(error.into()),
            };
            self.reopen(error).await?;
        }
    }

    /// Opens another cursor behind the last document, where the order says which documents are left.
    fn reopen<'f>(&'f mut self, error: mongodb::error::Error) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let gone = is_cursor_gone(&error);
            let Cursor::Alone(cursor, collection) = &mut self.cursor else {
                return Err(error.into());
            };
            match &self.walk {
                Some(walk) if gone || may_be_sent_again(&error) => {
                    traced!(retry());
                    match walk.reopen(self.read).await? {
                        Some(opened) => *cursor = opened,
                        None => self.cursor = Cursor::None,
                    }
                    Ok(())
                }
                _ if gone => Err(Error::CursorLost {
                    collection: collection.to_string(),
                    read: self.read,
                    source: Box::new(error.into()),
                }),
                _ => Err(error.into()),
            }
        })
    }

    /// Counts the documents of a batch that was read to its end, and remembers the last one.
    pub(crate) fn pass(&mut self, batch: &Batch) -> Result<()> {
        self.read += batch.read;
        if let Some(walk) = &mut self.walk
            && let Some(last) = batch.last.clone()
        {
            walk.pass(batch.get(last)?);
        }
        Ok(())
    }

    /// The next document, decoded where it lies in the batch.
    pub(crate) async fn next<T>(
        &mut self,
        mut decode: impl FnMut(&RawDocument) -> Result<T>,
    ) -> Result<Option<T>> {
        loop {
            while let Some(batch) = &mut self.batch
                && let Some(raw) = batch.next()
            {
                let raw = raw?;
                let error = match decode(raw) {
                    Ok(read) => return Ok(Some(read)),
                    Err(error) => error,
                };
                let unread = raw.to_owned();
                self.skip_or_fail(error, &unread).await?;
            }
            // Free the batch that was read before waiting for the next one.
            if let Some(batch) = self.batch.take() {
                self.pass(&batch)?;
            }
            match self.batch().await? {
                None => return Ok(None),
                batch => self.batch = batch,
            }
        }
    }

    /// All that are left, decoded.
    pub(crate) async fn all<T>(
        mut self,
        decode: impl Fn(&RawDocument) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut all = Vec::new();
        while let Some(mut batch) = self.batch().await? {
            while let Some(raw) = batch.next() {
                let raw = raw?;
                match decode(raw) {
                    Ok(read) => all.push(read),
                    Err(error) => self.skip_or_fail(error, raw).await?,
                }
            }
            self.pass(&batch)?;
        }
        Ok(all)
    }

    /// Gives a document that could not be decoded to the listener.
    ///
    /// # Errors
    /// The given one, if there is no listener, or if it is not about the document.
    pub(crate) fn skip_or_fail<'f>(
        &'f mut self,
        error: Error,
        unread: &'f RawDocument,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let Some(skip) = &mut self.skip else {
                return Err(self.named(error, unread).await);
            };
            skip(error.into_skipped()?);
            Ok(())
        })
    }

    /// The error of a document that could not be decoded, with its `_id` where the read left it out: see [`WithoutId::named`].
    async fn named(&mut self, error: Error, unread: &RawDocument) -> Error {
        match self.without_id.take() {
            Some(find) => find.named(error, unread, self.session()).await,
            None => error,
        }
    }
}

/// A reply of the server, and the place up to which it has been read.
pub(crate) struct Batch {
    reply: RawBatch,
    /// The offset in the reply at which the next document's element begins.
    at: usize,
    /// The place of the document that was read last.
    last: Option<Range<usize>>,
    /// The number of documents that were read.
    read: u64,
}

impl Batch {
    fn new(reply: RawBatch) -> Result<Self> {
        let array = reply.doc_slices()?.as_bytes().as_ptr();
        let whole = reply.as_raw_document().as_bytes().as_ptr();
        // The elements follow the array's length.
        let at = array.addr() - whole.addr() + 4;
        Ok(Batch {
            reply,
            at,
            last: None,
            read: 0,
        })
    }

    /// The next document.
    pub(crate) fn next(&mut self) -> Option<Result<&RawDocument>> {
        let place = self.place()?;
        Some(self.get(place))
    }

    /// The place of the next document, for [`get`](Batch::get), which refuses anything there that is no document.
    pub(crate) fn place(&mut self) -> Option<Range<usize>> {
        let place = step(self.reply.as_raw_document().as_bytes(), &mut self.at)?;
        self.last = Some(place.clone());
        self.read += 1;
        Some(place)
    }

    /// The document at a place that this batch gave.
    pub(crate) fn get(&self, place: Range<usize>) -> Result<&RawDocument> {
        let bytes = self.reply.as_raw_document().as_bytes().get(place);
        let document = RawDocument::from_bytes(bytes.unwrap_or_default());
        Ok(document.map_err(mongodb::error::Error::from)?)
    }
}

/// The place of the document whose element begins at `at`, which then is where the next one begins.
fn step(reply: &[u8], at: &mut usize) -> Option<Range<usize>> {
    let element = reply.get(*at..)?;
    let (&kind, element) = element.split_first().filter(|(kind, _)| **kind != 0)?;
    let key = element.iter().position(|&byte| byte == 0);
    let value = element.get(key.unwrap_or(element.len()) + 1..);
    let len = value.and_then(<[u8]>::first_chunk);
    let len = len.and_then(|len| usize::try_from(i32::from_le_bytes(*len)).ok());
    let (DOCUMENT, Some(key), Some(len)) = (kind, key, len) else {
        // A reply that is not well formed has nothing behind this.
        *at = usize::MAX;
        return Some(0..0);
    };
    let start = *at + key + 2;
    *at = start + len;
    Some(start..*at)
}

#[cfg(test)]
mod tests {
    use bson::{RawDocument, RawDocumentBuf, doc};

    use super::step;

    fn all(reply: &[u8]) -> Vec<Option<&RawDocument>> {
        let mut at = 4;
        let places = std::iter::from_fn(|| step(reply, &mut at));
        let documents =
            places.map(|place| RawDocument::from_bytes(reply.get(place).unwrap_or_default()).ok());
        documents.collect()
    }

    #[test]
    fn documents_are_found_where_they_lie() {
        let documents: Vec<_> = (0..1_234).map(|n| doc! { "n": n, "empty": {} }).collect();
        let array = doc! { "a": documents.clone() };
        let raw = RawDocumentBuf::try_from(&array).expect("encodes");
        let array = raw.get_array("a").expect("an array").as_bytes();
        let found = all(array);
        let found: Vec<bson::Document> = found
            .into_iter()
            .map(|raw| raw.expect("a document").try_into().expect("decodes"))
            .collect();
        assert_eq!(found, documents);
        assert!(all(&[5, 0, 0, 0, 0]).is_empty());
    }

    #[test]
    fn what_is_no_document_ends_the_batch() {
        // A number, no key's end, no length, a negative length, a length beyond the reply, nothing at all.
        for elements in [
            &b"\x10n\0\x01\0\0\0\0"[..],
            b"\x030000",
            b"\x030\0\x05",
            b"\x030\0\xff\xff\xff\xff\0",
            b"\x030\0\xff\0\0\0\0",
            b"\x030\0\xff\xff\xff\x7f\0",
        ] {
            let reply = [b"\0\0\0\0", elements].concat();
            assert_eq!(all(&reply), [None], "{elements:x?}");
        }
        assert!(all(b"").is_empty());
    }
}
