//! Joins that start from a query and hold one batch at a time.

use std::fmt;

use futures::stream::{self, Stream, TryStreamExt};

use super::{Join, Joined, Spec};
use crate::builder::{Sent, send};
use crate::driver::call::Streamed;
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::find::Find;
use crate::projection::Projected;
use crate::schema::model::Model;

/// The number of documents of the query that are joined at a time.
const BATCH: usize = 1_000;

type Inner<'a, O, T> =
    Box<dyn for<'x> Fn(&'x Database, &'x [O]) -> Join<'x, 'x, O, T> + Send + Sync + 'a>;

/// A query whose documents are joined as they arrive, about to be sent. `.await` gives a `Vec` of [`Joined`],
/// [`stream`](FindJoin::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct FindJoin<'a, M, O, T> {
    find: Find<'a, M, O>,
    inner: Inner<'a, O, T>,
    batch: usize,
}

impl<M, O, T> fmt::Debug for FindJoin<'_, M, O, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindJoin")
            .field("find", &self.find)
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model, O, K> Find<'a, M, O, K> {
    /// Joins the documents found with others, with one command for each 1,000 of them ([`FindJoin::batch`]).
    ///
    /// The inner load runs in the session of the query.
    pub fn join<T>(
        self,
        inner: impl for<'x> Fn(&'x Database, &'x [O]) -> Join<'x, 'x, O, T> + Send + Sync + 'a,
    ) -> FindJoin<'a, M, O, T> {
        FindJoin {
            find: self.retyped(),
            inner: Box::new(inner),
            batch: BATCH,
        }
    }
}

impl<'a, M: Model, O: Projected<M>, T: Spec + 'a> FindJoin<'a, M, O, T> {
    /// Sets the size of a batch, at least 1: memory holds this many documents of the query, and one command of the join loads for them.
    pub fn batch(mut self, documents: usize) -> Self {
        self.batch = documents.max(1);
        self
    }

    /// Returns the documents as they arrive, each with the values loaded for it; memory holds one batch. Dropping the
    /// stream closes the cursor.
    #[track_caller]
    pub fn stream(self) -> impl Stream<Item = Result<Joined<O, T::Loaded>>> + Send + 'a {
        let FindJoin { find, inner, batch } = self;
        let state = (Some(find), None, inner);
        let joined = stream::try_unfold(state, move |(find, rows, inner)| async move {
            let (db, mut rows) = match (find, rows) {
                (Some(find), _) => find.open(&[]).await?,
                (None, Some(open)) => open,
                (None, None) => return Ok::<_, Error>(None),
            };
            let mut documents = Vec::new();
            while documents.len() < batch
                && let Some(document) =
                    driver::Rows::next(&mut rows, driver::decode_as::<M, O>).await?
            {
                documents.push(document);
            }
            if documents.is_empty() {
                return Ok(None);
            }
            let more = documents.len() == batch;
            let spec = inner(db, &documents).spec;
            let loaded = spec.run(db, rows.session()).await?;
            let joined: Vec<Result<_>> = documents
                .into_iter()
                .zip(loaded)
                .map(|(document, loaded)| Ok(Joined { document, loaded }))
                .collect();
            let rows = more.then_some((db, rows));
            Ok(Some((stream::iter(joined), (None, rows, inner))))
        })
        .try_flatten();
        Streamed::of::<Self>(joined)
    }
}

impl<'a, M: Model, O: Projected<M>, T: Spec + 'a> IntoFuture for FindJoin<'a, M, O, T> {
    type Output = Result<Vec<Joined<O, T::Loaded>>>;
    type IntoFuture = Sent<'a, Vec<Joined<O, T::Loaded>>>;

    #[track_caller]
    fn into_future(self) -> Self::IntoFuture {
        send::<Self, _>(Box::pin(self.stream().try_collect()))
    }
}
