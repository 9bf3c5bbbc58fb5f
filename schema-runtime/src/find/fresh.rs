//! Reading copies that are not older than the read.

use std::fmt;
use std::marker::PhantomData;

use bson::{Document, doc};

use crate::driver::Database;
use crate::error::Result;
use crate::filter::{AskedOf, Filter};
use crate::find::Sort;
use crate::schema::field::Handles;
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall, confine};

/// A find of documents whose copies are not older than the call, about to be sent. `.await` gives a `Vec`.
#[must_use = "nothing is sent before it is awaited"]
pub struct FindFresh<'a, M> {
    db: &'a Database,
    filter: Result<Document>,
    sort: Option<Document>,
    limit: Option<u64>,
    model: PhantomData<fn() -> M>,
}

impl<M> fmt::Debug for FindFresh<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FindFresh")
            .field("filter", &self.filter)
            .field("sort", &self.sort)
            .field("limit", &self.limit)
            .finish_non_exhaustive()
    }
}

impl<'a, M: Model> FindFresh<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        FindFresh {
            db,
            filter,
            sort: None,
            limit: None,
            model: PhantomData,
        }
    }

    /// Sorts in this order, as [`Find::sort`](crate::crud::Find::sort).
    pub fn sort(mut self, order: impl FnOnce(M::FieldHandles) -> Sort<M>) -> Self {
        self.sort = Some(order(M::FieldHandles::VALUE).into_document());
        self
    }

    /// Keeps only documents that also meet this filter, as [`Find::filter`](crate::crud::Find::filter).
    pub fn filter<F, S, C>(mut self, filter: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        let more = filter(M::FieldHandles::VALUE).into_scan();
        self.filter = self
            .filter
            .and_then(|filter| Ok(doc! { "$and": [filter, more?] }));
        self
    }

    /// Returns at most this many documents. With 0, it returns none and sends nothing.
    pub fn limit(mut self, documents: u64) -> Self {
        self.limit = Some(documents);
        self
    }
}

impl<M: Model> Confined for FindFresh<'_, M> {
    fn confined(mut self, wall: &Wall) -> Self {
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

mod sent {
    use std::collections::{BTreeMap, HashMap, HashSet};

    use bson::{Bson, RawDocumentBuf, doc};

    use super::Document;
    use super::FindFresh;
    use crate::bson_util::id_key::IdKey;
    use crate::builder::awaits;
    use crate::driver;
    use crate::driver::Database;
    use crate::driver::FindArgs;
    use crate::error::Error;
    use crate::error::Result;
    use crate::graph::edges::Edge;
    use crate::graph::edges::Edges;
    use crate::graph::source::Source;
    use crate::propagation::source;
    use crate::propagation::target;
    use crate::propagation::target::Missing;
    use crate::propagation::target::Unverified;
    use crate::schema::model::Model;
    use crate::schema::soft_delete::DocumentScope;
    use crate::schema::stored;
    use crate::write::send::is_connected;

    /// How often the documents are read again after copies in them were brought up to date. Another round is needed only where a
    /// new copy appeared in the meantime, or where something was refused.
    const ROUNDS: usize = 8;

    awaits!(['a, M: Model] FindFresh<'a, M> => Vec<M>, self {
        let collection = M::model_meta().collection;
        let filter = DocumentScope::Live.restrict(M::model_meta(), self.filter?);
        if self.limit == Some(0) {
            return Ok(Vec::new());
        }
        let limit = self.limit.map(|limit| i64::try_from(limit).unwrap_or(i64::MAX));
        let strings = driver::Strings::AsCollection;
        let args = FindArgs { sort: self.sort, limit, strings, ..FindArgs::default() };
        let connected = is_connected(M::model_meta())?;
        // First the flags, then the documents: a change that comes in between is newer than this call, and not owed to it.
        let mut behind = match connected {
            true => Behind::probe(self.db, collection).await?,
            false => Behind::default(),
        };
        let mut reason = None;
        for _ in 0..ROUNDS {
            let mut rows = driver::open(self.db, collection, filter.clone(), args.clone(), None).await?;
            let mut read = Vec::new();
            while let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await? {
                read.push(row);
            }
            let helped = connected && behind.help(self.db, collection, &read, &mut reason).await?;
            if !helped {
                return read.iter().map(|raw| driver::decode_as::<M, M>(raw)).collect();
            }
        }
        let reason = reason.unwrap_or_else(|| "others kept changing them".to_owned());
        Err(Error::NotFresh { model: M::model_meta().name, reason })
    });

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
