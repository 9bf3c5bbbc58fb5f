//! Reading copies that are not older than the read.

use std::fmt;
use std::marker::PhantomData;

use super::{Find, FindOne};
use crate::schema::model::Model;

/// A read of documents whose copies are not older than the call, about to be sent. `.await` gives what the read gives by itself: a `Vec`,
/// or an `Option` of one document.
#[must_use = "nothing is sent before it is awaited"]
pub struct Fresh<'a, M, T = Vec<M>> {
    find: Find<'a, M>,
    result: PhantomData<fn() -> T>,
}

impl<M, T> fmt::Debug for Fresh<'_, M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model, K> Find<'a, M, M, K> {
    /// Reads documents in which every live copy is a value that its source held when the call began or later, no matter what other
    /// programs are doing, or have left undone, at the time. The filter and the order use the copies as they are stored. Copies of
    /// copies are as fresh as the copies that they come from.
    ///
    /// Sends one `find` per source collection, on an index that is empty unless a change of a source is on its way to
    /// its copies, and then one `find`, all to the primary, whatever the read preference. If a change has yet to reach the copies in a
    /// document that it finds, it brings them up to date (one read of those sources and the commands of a fan-out, one `update` for
    /// new copies) and asks again, at most 8 times. A model without copies sends a plain `find`.
    ///
    /// ```no_run
    /// # use mongo_model::*; use mongo_model_guide::shop::*;
    /// # async fn example(db: &Database, id: Id<Product>) -> Result<()> {
    /// let products = Product::find(db, |p| p.catalog_number.gt(1234)).limit(10).fresh().await?;
    /// let product = Product::get(db, id).fresh().await?;
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// Those of the read, and [`Error::NotFresh`](crate::Error::NotFresh) if copies could not be brought up to
    /// date, [`Error::MissingIndex`](crate::Error::MissingIndex), [`Error::CopyCircle`](crate::Error::CopyCircle);
    /// [`Error::Impossible`](crate::Error::Impossible) in a transaction, which does not see copies that are brought up to date
    /// meanwhile (nothing was sent).
    pub fn fresh(self) -> Fresh<'a, M> {
        Fresh {
            find: self.retyped(),
            result: PhantomData,
        }
    }
}

impl<'a, M: Model> FindOne<'a, M> {
    /// Reads a document in which no copy is older than the call: see [`Find::fresh`].
    pub fn fresh(self) -> Fresh<'a, M, Option<M>> {
        Fresh {
            find: self.find.limit(1),
            result: PhantomData,
        }
    }
}

mod sent {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use bson::{Bson, Document, RawDocumentBuf, doc};

    use super::Fresh;
    use crate::bson_util::id_key::IdKey;
    use crate::builder::{CallOptions, answers};
    use crate::driver;
    use crate::driver::{Database, FindArgs, Reads};
    use crate::error::{Error, Result};
    use crate::find::Find;
    use crate::graph::edges::Edge;
    use crate::graph::edges::Edges;
    use crate::graph::source::Source;
    use crate::propagation::source;
    use crate::propagation::target;
    use crate::propagation::target::Missing;
    use crate::propagation::target::Unverified;
    use crate::schema::model::Model;
    use crate::schema::stored;
    use crate::write::send::is_connected;

    /// The largest number of reads of the documents: they are read again after copies in them were brought up to date. A third read
    /// is needed only if a new copy appeared in the meantime, or a change was refused.
    const ROUNDS: usize = 8;

    // The commands that bring copies up to date see all tenants for the same reason as the read.
    answers!(['a, M: Model] Fresh<'a, M> => Vec<M>, self, options(&self.find), {
        read(self.find).await
    });

    answers!(['a, M: Model] Fresh<'a, M, Option<M>> => Option<M>, self, options(&self.find), {
        Ok(read(self.find).await?.pop())
    });

    fn options<M>(find: &Find<'_, M>) -> CallOptions {
        CallOptions {
            settled: true,
            reason: find.options.reason.clone(),
            actor: None,
        }
    }

    async fn read<M: Model>(mut find: Find<'_, M>) -> Result<Vec<M>> {
        let (meta, db) = (M::model_meta(), find.db);
        if find.session.is_some() {
            let reason = "in a transaction `fresh` would bring copies up to date that the transaction does not see; read without it";
            return Err(Error::Impossible {
                what: format!("{}: {reason}", meta.name),
            });
        }
        let filter = find.take_filter()?;
        if find.limit == Some(0) {
            return Ok(Vec::new());
        }
        find.options.criteria = None;
        let args = FindArgs {
            reads: Reads::FromPrimary,
            ..find.args_of(None)
        };
        let connected = is_connected(meta)?;
        // First the flags, then the documents: a change that comes in between is newer than this call, and not owed to it.
        let mut behind = match connected {
            true => Behind::probe(db, meta.collection).await?,
            false => Behind::default(),
        };
        let mut reason = None;
        for _ in 0..ROUNDS {
            let mut rows =
                driver::open(db, meta.collection, filter.clone(), args.clone(), None).await?;
            let mut read = Vec::new();
            while let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await? {
                read.push(row);
            }
            let helped = connected && behind.help(db, meta.collection, &read, &mut reason).await?;
            if !helped {
                return read
                    .iter()
                    .map(|raw| driver::decode_as::<M, M>(raw))
                    .collect();
            }
        }
        let reason = reason.unwrap_or_else(|| "others kept changing them".to_owned());
        Err(Error::NotFresh {
            model: meta.name,
            reason,
        })
    }

    /// Sources whose copies may be older than this call, by edge and by the key that references hold.
    #[derive(Default)]
    struct Behind(HashMap<(&'static str, IdKey), Bson>);

    impl Behind {
        async fn probe(db: &Database, collection: &'static str) -> Result<Behind> {
            let mut sources: BTreeMap<&str, Vec<&'static Edge>> = BTreeMap::new();
            for edge in Edges::get()
                .incoming(collection)
                .filter(|edge| !edge.live.is_empty())
            {
                let along = sources.entry(edge.source.collection).or_default();
                along.push(edge);
            }
            let mut behind = HashMap::new();
            for (source, along) in sources {
                let names: Vec<&str> = along.iter().map(|edge| edge.name.as_str()).collect();
                let mut fields = doc! { "_id": 1, stored::PENDING: 1 };
                fields.extend(
                    along
                        .iter()
                        .map(|edge| (edge.key.to_owned(), Bson::Int32(1))),
                );
                let args = FindArgs {
                    projection: Some(fields),
                    ..FindArgs::default()
                };
                let filter = doc! { stored::PENDING: { "$in": names } };
                let mut rows = driver::open(db, source, filter, args, None).await?;
                while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
                    let Some(row) = row.map(Source::read) else {
                        continue;
                    };
                    for edge in along.iter().filter(|edge| row.pending.contains(&edge.name)) {
                        if let Some(key) = row.key(edge) {
                            behind.insert((edge.name.as_str(), IdKey::new(key)), row.id.clone());
                        }
                    }
                }
            }
            Ok(Behind(behind))
        }

        /// Updates the copies in these documents that may be stale; gives true if there were any.
        async fn help(
            &mut self,
            db: &Database,
            collection: &'static str,
            read: &[RawDocumentBuf],
            reason: &mut Option<String>,
        ) -> Result<bool> {
            let mut marked = Vec::new();
            let mut sources: BTreeMap<&'static str, (HashSet<IdKey>, Vec<Bson>)> = BTreeMap::new();
            for row in read {
                let Some(document) = Unverified::read(collection, row) else {
                    continue;
                };
                for (edge, key) in &document.references {
                    if let Some(id) = self.0.get(&(edge.name.as_str(), IdKey::new(key))) {
                        let (seen, ids) = sources.entry(edge.source.collection).or_default();
                        if seen.insert(IdKey::new(id)) {
                            ids.push(id.clone());
                        }
                    }
                }
                if !document.tokens.is_empty() {
                    marked.push(document);
                }
            }
            let helped = !marked.is_empty() || !sources.is_empty();
            for (source, (seen, ids)) in sources {
                let fields = source::fields(source);
                let found = driver::durable_read(db, source, "_id", &ids, &fields).await?;
                let found = found.into_iter().map(Source::read).collect();
                let left = source::finish(db, source, found, &[]).await?;
                let failed: HashSet<&str> = left.pending.iter().map(|p| p.edge.as_str()).collect();
                // A change that a source receives after this read is newer than the call, so these copies are fresh enough.
                self.0.retain(|(edge, _), id| {
                    failed.contains(edge) || !seen.contains(&IdKey::new(id))
                });
                *reason = left
                    .pending
                    .first()
                    .map(ToString::to_string)
                    .or(reason.take());
            }
            for page in marked.chunks(target::DOCUMENTS) {
                let verified = target::verify(db, collection, page, Missing::Apply).await?;
                *reason = verified
                    .failed
                    .first()
                    .map(|(id, why)| format!("{id}: {why}"))
                    .or(reason.take());
            }
            Ok(helped)
        }
    }
}
