//! Sends a reverse join, and assigns each child to its parents.

use bson::{RawBsonRef, RawDocument};
use futures::TryStreamExt;

use super::*;
use crate::bson_util::id_key::{IdKey, IdMap, IdSet};
use crate::builder::Sent;
use crate::driver::capabilities::require;
use crate::driver::{FindArgs, Reads};
use crate::error::server::Feature;
use crate::find::operators::{NEAR, NEAR_AND_TEXT, refuse_operators};
use crate::load::{Spec, fetch, ids};
use crate::{driver, projection};

/// The distinct keys in the chunks that are sent, each with the positions of the documents that have it.
struct Keys {
    distinct: Vec<Bson>,
    positions: IdMap<Vec<usize>>,
}

impl Keys {
    fn new(keys: Vec<Bson>) -> Self {
        let mut distinct = Vec::new();
        let mut positions: IdMap<Vec<usize>> = IdMap::default();
        for (position, key) in keys.into_iter().enumerate() {
            // A document without the key has no children: null would find everything that refers to nothing.
            if key == Bson::Null {
                continue;
            }
            let places = positions.entry(IdKey::new(&key)).or_default();
            if places.is_empty() {
                distinct.push(key);
            }
            places.push(position);
        }
        Keys {
            distinct,
            positions,
        }
    }
}

/// The size of a first batch that holds so many rows and closes the cursor; none for "as many as there are".
fn batch(rows: u64) -> Option<u32> {
    let rows = u32::try_from(rows.saturating_add(1)).ok();
    rows.filter(|&rows| rows > 1)
}

/// `$documents` of the keys, each joined by the server with the children that `pipeline` leaves, one row per child.
fn lookup(collection: &str, path: &str, keys: &[Bson], pipeline: Vec<Document>) -> Vec<Document> {
    let keys: Vec<Document> = keys
        .iter()
        // A key is data: without `$literal` a string could name a field.
        .map(|key| doc! { "k": { "$literal": key.clone() } })
        .collect();
    let join = doc! { "from": collection, "localField": "k", "foreignField": path, "pipeline": pipeline, "as": "c" };
    // The server unwinds while it joins, so no array of children is ever built.
    vec![
        doc! { "$documents": keys },
        doc! { "$lookup": join },
        doc! { "$unwind": "$c" },
    ]
}

impl<P: Model, M, O> Children<P, M, O> {
    fn matching(&self, keys: &[Bson]) -> Document {
        let mine = doc! { &self.path: { "$in": keys } };
        let mine = self.scope.restrict(P::model_meta(), mine);
        match &self.filter {
            Some(filter) => doc! { "$and": [mine, filter.clone()] },
            None => mine,
        }
    }

    /// Refuses a filter that the server takes in a `find` only, where children are read by an aggregation.
    fn check_operators(&self, call: &'static str, operators: &[&'static str]) -> Result<()> {
        match &self.filter {
            Some(filter) => refuse_operators(P::model_meta().name, call, filter, operators),
            None => Ok(()),
        }
    }

    fn filter_stage(&self) -> Option<Document> {
        let filter = self.filter.clone().unwrap_or_default();
        let filter = self.scope.restrict(P::model_meta(), filter);
        (!filter.is_empty()).then(|| doc! { "$match": filter })
    }

    /// The stages that order the children of one document, and apply `skip` and `limit`.
    pub(super) fn cut_stages(&self) -> Vec<Document> {
        let signed = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
        let stages = [
            self.sort.clone().map(|sort| doc! { "$sort": sort }),
            (self.skip > 0).then(|| doc! { "$skip": signed(self.skip) }),
            self.limit.map(|limit| doc! { "$limit": signed(limit) }),
        ];
        stages.into_iter().flatten().collect()
    }
}

impl<P: Model, M, O: Projected<P>> Children<P, M, O> {
    /// Reads all children of these keys, not yet assigned to their parents.
    async fn all(
        &self,
        db: &Database,
        keys: &[Bson],
        session: Option<&mut ClientSession>,
        mut found: impl FnMut(&RawDocument, Vec<IdKey>) -> Result<()>,
    ) -> Result<()> {
        // In the order of the index, one parent after the other: no sort in memory. Through an array, the index gives no order.
        let sort = self.sort.as_ref().map(|sort| {
            let mut all = Document::new();
            if !self.array {
                all.insert(self.path.clone(), 1);
            }
            all.extend(sort.clone());
            all
        });
        let args = FindArgs {
            sort,
            projection: projection::versions::asked::<P, O>()
                .map(|projection| projection::with_path(projection, &self.path)),
            reads: Reads::AsConfigured,
            ..FindArgs::default()
        };
        let filter = self.matching(keys);
        let collection = P::model_meta().collection;
        let mut rows = driver::open(db, collection, filter, args, session).await?;
        let steps: Vec<&str> = self.path.split('.').collect();
        while let Some(mut batch) = rows.batch().await? {
            while let Some(raw) = batch.next() {
                let (raw, mut parents) = (raw?, Vec::new());
                let mut take = |id: RawBsonRef<'_>| parents.push(IdKey::of_raw(id));
                ids::at_path(raw, &steps, ids::Take::IDS, &mut take);
                found(raw, parents)?;
            }
        }
        Ok(())
    }

    /// The first children of each key.
    async fn some(
        &self,
        db: &Database,
        keys: &[Bson],
        session: Option<&mut ClientSession>,
        mut found: impl FnMut(&RawDocument, IdKey) -> Result<()>,
    ) -> Result<()> {
        let mut pipeline: Vec<Document> = self.filter_stage().into_iter().collect();
        pipeline.extend(self.cut_stages());
        let projection = projection::versions::asked::<P, O>();
        pipeline.extend(projection.map(|projection| doc! { "$project": projection }));
        let pipeline = lookup(P::model_meta().collection, &self.path, keys, pipeline);
        let most = u64::try_from(keys.len()).unwrap_or(u64::MAX);
        let batch_size = batch(most.saturating_mul(self.limit.unwrap_or(0)));
        let mut rows =
            driver::open_aggregate(db, None, pipeline, batch_size, Reads::AsConfigured, session)
                .await?;
        while let Some(mut batch) = rows.batch().await? {
            while let Some(row) = batch.next() {
                let row = row?;
                if let (Ok(Some(key)), Ok(child)) = (row.get("k"), row.get_document("c")) {
                    found(child, IdKey::of_raw(key))?;
                }
            }
        }
        Ok(())
    }
}

impl<P, M, O> Spec for Children<P, M, O>
where
    P: Model,
    M: Model,
    O: Projected<P>,
{
    type Loaded = Vec<O>;

    fn run<'x>(
        mut self,
        db: &'x Database,
        mut session: Option<&'x mut ClientSession>,
    ) -> Sent<'x, Vec<Vec<O>>>
    where
        Self: 'x,
    {
        let keys = std::mem::replace(&mut self.keys, Ok(Vec::new()));
        Box::pin(async move {
            if let Some(error) = self.error.take() {
                return Err(error);
            }
            let keys = keys?;
            if !self.each.is_empty() {
                return self.find_each(db, &keys, session).await;
            }
            let in_part = self.limit.is_some() || self.skip > 0;
            if in_part {
                self.check_operators("a limit per parent", &NEAR_AND_TEXT)?;
            }
            let mut groups: Vec<Vec<O>> = keys.iter().map(|_| Vec::new()).collect();
            if self.limit == Some(0) {
                return Ok(groups);
            }
            let keys = Keys::new(keys);
            if in_part && !keys.distinct.is_empty() {
                require(db, Feature::LimitPerParent).await?;
            }
            for chunk in fetch::key_chunks(&keys.distinct) {
                let session = session.as_deref_mut();
                if in_part {
                    let found = |child: &RawDocument, key: IdKey| {
                        for &n in keys.positions.get(&key).into_iter().flatten() {
                            groups[n].push(driver::decode_as::<P, O>(child)?);
                        }
                        Ok(())
                    };
                    self.some(db, chunk, session, found).await?;
                } else {
                    let asked: IdSet = chunk.iter().map(IdKey::new).collect();
                    let found = |child: &RawDocument, mut of: Vec<IdKey>| {
                        of.retain(|key| asked.contains(key));
                        // A child that refers to the same parent twice is one child.
                        let mut seen = IdSet::default();
                        for key in of {
                            for &n in keys.positions.get(&key).into_iter().flatten() {
                                if !seen.contains(&key) {
                                    groups[n].push(driver::decode_as::<P, O>(child)?);
                                }
                            }
                            seen.insert(key);
                        }
                        Ok(())
                    };
                    self.all(db, chunk, session, found).await?;
                }
            }
            Ok(groups)
        })
    }
}

impl<P: Model, M: Model> Spec for Counts<P, M> {
    type Loaded = u64;

    fn run<'x>(
        self,
        db: &'x Database,
        mut session: Option<&'x mut ClientSession>,
    ) -> Sent<'x, Vec<u64>>
    where
        Self: 'x,
    {
        let mut children = self.children;
        let keys = std::mem::replace(&mut children.keys, Ok(Vec::new()));
        Box::pin(async move {
            if let Some(error) = children.error.take() {
                return Err(error);
            }
            let keys = keys?;
            if !children.each.is_empty() {
                return children.count_each(db, &keys, session).await;
            }
            let operators: &[&'static str] = if children.array {
                &NEAR_AND_TEXT
            } else {
                &NEAR
            };
            children.check_operators("a count per parent", operators)?;
            let mut counts = vec![0; keys.len()];
            let keys = Keys::new(keys);
            for chunk in fetch::key_chunks(&keys.distinct) {
                let (collection, pipeline) = if children.array {
                    // A child counts once for each of its parents.
                    let mut inner: Vec<_> = children.filter_stage().into_iter().collect();
                    inner.push(doc! { "$count": "n" });
                    let mut pipeline =
                        lookup(P::model_meta().collection, &children.path, chunk, inner);
                    pipeline.push(doc! { "$project": { "k": 1, "n": "$c.n" } });
                    (None, pipeline)
                } else {
                    let group = doc! { "_id": format!("${}", children.path), "n": { "$sum": 1 } };
                    let pipeline = vec![
                        doc! { "$match": children.matching(chunk) },
                        doc! { "$group": group },
                        doc! { "$project": { "_id": 0, "k": "$_id", "n": 1 } },
                    ];
                    (Some(P::model_meta().collection), pipeline)
                };
                let session = session.as_deref_mut();
                let batch_size = batch(u64::try_from(chunk.len()).unwrap_or(u64::MAX));
                let rows = driver::aggregate(
                    db,
                    collection,
                    pipeline,
                    batch_size,
                    Reads::AsConfigured,
                    session,
                    |raw| Ok(Document::try_from(raw).unwrap_or_default()),
                );
                let mut rows = std::pin::pin!(rows);
                while let Some(row) = rows.try_next().await? {
                    let count = match row.get("n") {
                        Some(Bson::Int32(n)) => u64::try_from(*n).unwrap_or(0),
                        Some(Bson::Int64(n)) => u64::try_from(*n).unwrap_or(0),
                        _ => 0,
                    };
                    let key = row.get("k").map(IdKey::new);
                    for &n in key
                        .iter()
                        .filter_map(|key| keys.positions.get(key))
                        .flatten()
                    {
                        counts[n] = count;
                    }
                }
            }
            Ok(counts)
        })
    }
}
