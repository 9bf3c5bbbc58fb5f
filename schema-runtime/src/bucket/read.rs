//! Reading the items of a parent.

use std::fmt;
use std::marker::PhantomData;

use bson::RawDocument;
use bson::{Document, doc};
use futures::{Stream, TryStreamExt};

use crate::bson_util::redacted::Redacted;
use crate::builder::{awaits, read_options, reads_in_transactions};
use crate::document::id::encode_id;
use crate::driver::{self, ClientSession, Database, ReadOptions, Strings};
use crate::error::Result;
use crate::find::Find;
use crate::schema::bucket::Bucketed;
use crate::schema::bucket::id::{all_of, numbered};
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall, confine};

/// The filter for one bucket.
pub(super) fn one<M: Bucketed>(
    parent: &<M::Parent as Model>::DocumentId,
    sequence: i64,
) -> Result<Document> {
    let parent = encode_id::<M::Parent>(parent)?;
    Ok(doc! { "_id": { "$eq": numbered(&parent, sequence) } })
}

/// A walk over the items of a parent, about to be sent. `.await` gives a `Vec`, [`stream`](Iterate::stream) a stream.
#[must_use = "nothing is sent before it is awaited"]
pub struct Iterate<'a, M> {
    pub(super) find: Find<'a, M>,
    newest_first: bool,
}

impl<M> fmt::Debug for Iterate<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Iterate")
            .field("find", &self.find)
            .field("newest_first", &self.newest_first)
            .finish()
    }
}

impl<'a, M: Bucketed> Iterate<'a, M> {
    pub(super) fn new(db: &'a Database, parent: &<M::Parent as Model>::DocumentId) -> Self {
        let filter = encode_id::<M::Parent>(parent).map(|parent| all_of(&parent));
        Iterate {
            find: Find::new(db, filter),
            newest_first: false,
        }
    }

    /// Returns the item that was stored last first.
    pub fn newest_first(mut self) -> Self {
        self.newest_first = true;
        self
    }
}

impl<'a, M: Bucketed> Iterate<'a, M> {
    /// Returns the items as their buckets arrive; memory holds one batch of buckets. Dropping the stream closes the
    /// cursor.
    pub fn stream(self) -> impl Stream<Item = Result<M::Item>> + Send + 'a
    where
        M::Item: 'a,
    {
        let newest_first = self.newest_first;
        let order = if newest_first { -1 } else { 1 };
        let buckets = self.find.sorted(Some(doc! { "_id": order })).stream();
        let items = move |bucket: M| {
            let mut items = bucket.into_items();
            if newest_first {
                items.reverse();
            }
            futures::stream::iter(items.into_iter().map(Ok))
        };
        buckets.map_ok(items).try_flatten()
    }
}

impl<M: Bucketed> Confined for Iterate<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.find = self.find.confined(wall);
        self
    }
}

awaits!(['a, M: Bucketed] Iterate<'a, M> => Vec<M::Item>, self {
    self.stream().try_collect().await
});

/// A count of the items of a parent, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct CountItems<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    options: ReadOptions,
    session: Option<&'a mut ClientSession>,
    model: PhantomData<fn() -> M>,
}

reads_in_transactions!(['a, M] Iterate<'a, M>, find.session);
read_options!(['a, M] Iterate<'a, M>, find.options);
reads_in_transactions!(['a, M] CountItems<'a, M>, session);
read_options!(['a, M] CountItems<'a, M>, options);

impl<M> fmt::Debug for CountItems<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CountItems")
            .field("filter", &Redacted(&self.filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: Bucketed> CountItems<'a, M> {
    pub(super) fn new(db: &'a Database, parent: &<M::Parent as Model>::DocumentId) -> Self {
        CountItems {
            db,
            filter: encode_id::<M::Parent>(parent).map(|parent| all_of(&parent)),
            options: ReadOptions::default(),
            session: None,
            model: PhantomData,
        }
    }
}

impl<M: Bucketed> Confined for CountItems<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.options.reason = wall.reason();
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

awaits!(['a, M: Bucketed] CountItems<'a, M> => u64, self {
    let meta = M::model_meta();
    let row = meta.bucket.map(|row| row.stored(meta));
    let count = row.map(|row| format!("${}", row.count));
    let pipeline = vec![
        doc! { "$match": self.filter? },
        doc! { "$group": { "_id": null, "n": { "$sum": count } } },
    ];
    let rows = driver::group(self.db, meta.collection, pipeline, None, Strings::Exactly, self.options, self.session);
    let read = |raw: &RawDocument| {
        let n = raw.get("n").ok().flatten();
        let n = n.and_then(|n| n.as_i64().or_else(|| n.as_i32().map(i64::from)));
        Ok(n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0))
    };
    Ok(rows.await?.next(read).await?.unwrap_or(0))
});
