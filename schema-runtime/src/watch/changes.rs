//! The stream of changes: it goes on where a connection breaks, another primary is elected, or the collection is dropped.

use std::collections::VecDeque;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bson::{Document, doc};
use futures::stream::{BoxStream, Stream, StreamExt, unfold};

use super::event::{Batch, pipeline};
use super::poll::Seen;
use super::reader::Reader;
use super::{Change, ResumeToken};
use crate::driver::capabilities::ask;
use crate::driver::is_interrupted;
use crate::driver::stream::{self, Events, collection_infos, has_lost_place, records_images};
use crate::error::server::Feature;
use crate::error::{Error, Result};
use crate::projection::Projected;
use crate::schema::model::Model;

/// The largest number of events in a reply.
const BATCH: u32 = 1_000;

/// The longest time that the server waits for the first event of a reply.
const WAIT: Duration = Duration::from_secs(1);

/// The pause before a lost connection is tried again.
const PAUSE: Duration = Duration::from_millis(200);

/// How long the server may not answer before the stream ends with its error.
const PATIENCE: Duration = Duration::from_secs(60);

/// The changes of the documents of a model: a stream that ends only with an error. Made by [`MongoModel::watch`](crate::MongoModel::watch).
///
/// A `next()` that is not awaited to its end loses nothing, so it may stand in a `select!`.
pub struct Changes<M: Model, O = M> {
    steps: BoxStream<'static, Step<M, O>>,
    token: Option<ResumeToken>,
    is_polling: bool,
}

impl<M: Model, O> fmt::Debug for Changes<M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Changes")
            .field("is_polling", &self.is_polling)
            .finish_non_exhaustive()
    }
}

impl<M: Model, O> Changes<M, O> {
    /// The place behind the items that were taken, for [`Watch::resume_after`](super::Watch::resume_after). It may be a little earlier, so
    /// that the last items are told again. It moves on while nothing happens, so store it from time to time; `None` where the watch
    /// [polls](Changes::is_polling).
    #[must_use]
    pub fn resume_token(&self) -> Option<&ResumeToken> {
        self.token.as_ref()
    }

    /// True if the server is a standalone one, which has no change streams: the documents are read and compared every second. That is for
    /// development; it costs the server a read of all documents each time, and several changes of a document between two reads are one.
    #[must_use]
    pub fn is_polling(&self) -> bool {
        self.is_polling
    }
}

impl<M: Model, O> Stream for Changes<M, O> {
    type Item = Result<Change<M, O>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            let Some(step) = ready!(self.steps.poll_next_unpin(context)) else {
                return Poll::Ready(None);
            };
            if step.token.is_some() {
                self.token = step.token;
            }
            if step.change.is_some() {
                return Poll::Ready(step.change);
            }
        }
    }
}

/// An item, and the place behind it, if it is the last of its reply.
struct Step<M: Model, O> {
    change: Option<Result<Change<M, O>>>,
    token: Option<ResumeToken>,
}

/// The origin of the ids.
enum Source {
    Stream {
        /// `None` if another one has to be opened.
        open: Option<Box<stream::Stream>>,
        /// The place behind the last events that were told.
        token: Option<Document>,
        /// Events that are not told yet, because their documents could not be read.
        untold: Option<Events>,
        /// True if changes are missing before the next events.
        missed: bool,
    },
    Poll {
        seen: Box<Seen>,
        every: Duration,
        untold: Option<Batch>,
    },
}

struct Watching<M: Model, O> {
    reader: Reader<M, O>,
    source: Source,
    queue: VecDeque<Change<M, O>>,
    ended: bool,
}

/// Begins a watch.
///
/// # Errors
/// [`Error::Impossible`] for the documents of a tenant whose collection does not keep what they were before a change; the driver's.
pub(super) async fn open<M: Model, O: Projected<M>>(
    reader: Reader<M, O>,
    after: Option<ResumeToken>,
    every: Duration,
) -> Result<Changes<M, O>> {
    let is_polling = !ask(&reader.db).await?.supports(Feature::ChangeStreams);
    let source = match is_polling {
        true => {
            let mut seen = Box::<Seen>::default();
            seen.find_changed(&reader).await?;
            Source::Poll {
                seen,
                every,
                untold: None,
            }
        }
        false => {
            require_images(&reader).await?;
            Source::Stream {
                open: None,
                token: after.as_ref().map(ResumeToken::to_document),
                untold: None,
                missed: false,
            }
        }
    };
    let mut watching = Watching {
        reader,
        source,
        queue: VecDeque::new(),
        ended: false,
    };
    // The stream tells every change after this call.
    watching.source.open(&watching.reader).await?;
    if after.is_none() {
        watching.reader.look_for_own().await?;
    }
    Ok(Changes {
        token: watching.token().or(after),
        steps: unfold(watching, step).boxed(),
        is_polling,
    })
}

/// Refuses to watch the documents of a tenant where the server does not keep a deleted document, which names its tenant. Sends a
/// `listCollections`.
async fn require_images<M: Model, O: Projected<M>>(reader: &Reader<M, O>) -> Result<()> {
    let meta = M::model_meta();
    if reader.wall_of_deleted().is_none() {
        return Ok(());
    }
    let infos = collection_infos(&reader.db, &[meta.collection]).await?;
    match infos.iter().any(records_images) {
        true => Ok(()),
        false => Err(Error::Impossible {
            what: format!(
                "watching the documents of a tenant in `{0}`, which does not keep documents as they were before a change, so that nobody \
                 knows whose a deleted one was; run `db.runCommand({{ collMod: \"{0}\", changeStreamPreAndPostImages: {{ enabled: true }} }})` \
                 (MongoDB 6.0) [{1}]",
                meta.collection, meta.name
            ),
        }),
    }
}

async fn step<M: Model, O: Projected<M>>(
    mut watching: Watching<M, O>,
) -> Option<(Step<M, O>, Watching<M, O>)> {
    if watching.ended {
        return None;
    }
    if watching.queue.is_empty() {
        match watching.read().await {
            Ok(changes) => watching.queue.extend(changes),
            Err(error) => {
                watching.ended = true;
                let change = Some(Err(error));
                return Some((
                    Step {
                        change,
                        token: None,
                    },
                    watching,
                ));
            }
        }
    }
    let change = watching.queue.pop_front().map(Ok);
    let is_last = watching.queue.is_empty();
    let token = is_last.then(|| watching.token()).flatten();
    Some((Step { change, token }, watching))
}

impl<M: Model, O: Projected<M>> Watching<M, O> {
    fn token(&self) -> Option<ResumeToken> {
        match &self.source {
            Source::Stream { token, .. } => token.as_ref().and_then(ResumeToken::read),
            Source::Poll { .. } => None,
        }
    }

    /// The changes of the next reply, which may be none. Goes on where the connection is lost.
    async fn read(&mut self) -> Result<Vec<Change<M, O>>> {
        let began = Instant::now();
        loop {
            match self.source.read(&mut self.reader).await {
                Err(error) if is_interrupted(&error) && began.elapsed() < PATIENCE => {
                    self.source.close();
                    tokio::time::sleep(PAUSE).await;
                }
                changes => return changes,
            }
        }
    }
}

impl Source {
    /// Opens the stream, if it is not open. A place that the server does not remember is given up for the present one.
    async fn open<M: Model, O: Projected<M>>(&mut self, reader: &Reader<M, O>) -> Result<()> {
        let Source::Stream {
            open,
            token,
            untold,
            missed,
        } = self
        else {
            return Ok(());
        };
        while open.is_none() {
            let start = match &*token {
                Some(token) => doc! { "startAfter": token },
                None => Document::new(),
            };
            let stages = pipeline(start, reader.id.as_ref(), reader.wall_of_deleted());
            let collection = M::model_meta().collection;
            match stream::Stream::open(&reader.db, Some(collection), stages, BATCH).await {
                Ok((stream, events)) => {
                    *token = token.take().or_else(|| events.token.clone());
                    *untold = Some(events);
                    *open = Some(Box::new(stream));
                }
                // The server has many codes for a token that it cannot use. An error that is about something else comes again.
                Err(error) if token.is_some() && !is_interrupted(&error) => {
                    *token = None;
                    *missed = true;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        if let Source::Stream { open, .. } = self {
            *open = None;
        }
    }

    async fn read<M: Model, O: Projected<M>>(
        &mut self,
        reader: &mut Reader<M, O>,
    ) -> Result<Vec<Change<M, O>>> {
        self.open(reader).await?;
        match self {
            Source::Poll {
                seen,
                every,
                untold,
            } => {
                let batch = match untold {
                    Some(batch) => batch,
                    None => {
                        tokio::time::sleep(*every).await;
                        untold.insert(seen.find_changed(reader).await?)
                    }
                };
                let changes = reader.read_changes(batch, true).await?;
                *untold = None;
                Ok(changes)
            }
            Source::Stream {
                open,
                token,
                untold,
                missed,
            } => {
                if untold.is_none()
                    && let Some(stream) = open
                {
                    match stream.next(BATCH, WAIT).await {
                        Ok(events) => *untold = Some(events),
                        Err(error) if has_lost_place(&error) => {
                            (*open, *token, *missed) = (None, None, true);
                            return Ok(Vec::new());
                        }
                        Err(error) => return Err(error),
                    }
                }
                let Some(events) = untold else {
                    return Ok(Vec::new());
                };
                let batch = Batch::read(&events.events);
                let mut changes = reader.read_changes(&batch, false).await?;
                if std::mem::take(missed) {
                    changes.insert(0, Change::Missed);
                }
                if events.token.is_some() {
                    *token = events.token.take();
                }
                *untold = None;
                if open.as_ref().is_some_and(|stream| stream.is_closed()) {
                    *open = None;
                }
                Ok(changes)
            }
        }
    }
}
