//! Reads the newest bucket of a parent, and finds which of the given items any of its buckets holds.

use bson::{Bson, Document, RawDocument, doc};

use crate::bson_util::number::integer;
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::schema::bucket::id::all_of;
use crate::schema::bucket::{Bucketed, Stored};
use crate::schema::stored;

/// The newest bucket of a parent when it was read, and the items that the parent's buckets held after that.
#[derive(Debug)]
pub(super) struct Newest {
    pub(super) sequence: i64,
    /// The number of items that the bucket had taken; `None` if another program wrote it without that number: then it takes no more items.
    pub(super) taken: Option<u64>,
    /// The requested items that some bucket of the parent held after the fields above were read, each with the number of that bucket.
    pub(super) there: Vec<(Bson, i64)>,
}

/// Reads the newest bucket of a parent, then searches for the items; `None` if the parent has no bucket. A push relies on this
/// order, and the server guarantees it: it runs the second search for each document that the first one finds.
pub(super) async fn newest<M: Bucketed>(
    db: &Database,
    stored: &Stored,
    (parent, own): (&Bson, &Document),
    items: &[Bson],
    session: Option<&mut ClientSession>,
) -> Result<Option<Newest>> {
    let meta = M::model_meta();
    let ids = stored.item_id();
    let mut holding = doc! { stored.parent: { "$eq": parent }, &ids: { "$in": items } };
    holding.extend(own.clone());
    let mut all = all_of(parent);
    all.extend(own.clone());
    let found = doc! { "$setIntersection": [format!("${ids}"), { "$literal": items }] };
    let pipeline = vec![
        doc! { "$match": all },
        doc! { "$sort": { "_id": -1 } },
        doc! { "$limit": 1 },
        doc! { "$project": { "_id": 0, "s": "$_id.s", "n": stored::value::ITEMS_TAKEN } },
        doc! { "$lookup": { "from": meta.collection, "as": "there", "pipeline": [
            { "$match": holding },
            { "$project": { "_id": 0, "s": "$_id.s", "ids": found } },
        ] } },
    ];
    let rows = driver::open_aggregate(
        db,
        Some(meta.collection),
        pipeline,
        None,
        driver::Reads::FromPrimary,
        session,
    );
    let read = |raw: &RawDocument| {
        Document::try_from(raw).map_err(|source| Error::Decode {
            model: meta.name,
            id: parent.to_string(),
            source: Box::new(source.into()),
        })
    };
    let Some(found) = rows.await?.next(read).await? else {
        return Ok(None);
    };
    let number = |of: &Document, name: &str| integer(of.get(name));
    let buckets = found.get_array("there").into_iter().flatten();
    let there = buckets.filter_map(Bson::as_document).flat_map(|bucket| {
        let sequence = number(bucket, "s").unwrap_or(0);
        let ids = bucket.get_array("ids").into_iter().flatten().cloned();
        ids.map(move |id| (id, sequence)).collect::<Vec<_>>()
    });
    Ok(Some(Newest {
        sequence: number(&found, "s").unwrap_or(0),
        taken: number(&found, "n").and_then(|taken| u64::try_from(taken).ok()),
        there: there.collect(),
    }))
}
