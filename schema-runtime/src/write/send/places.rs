//! P1 of writes that give stored documents to another parent, or back to theirs: moves and restores. Their new parents are known before
//! the write, so their places in bounded numbers are reserved before it.

use bson::{Bson, Document, RawDocument, doc};

use super::mark::SoftMark;
use super::{Prepared, is_flagged};
use crate::bson_util::stored_id::{id_in_filter, id_of};
use crate::driver::{self, Database, FindArgs, Strings};
use crate::error::Result;
use crate::graph::source::Source;
use crate::propagation::counter::{self, Reservations, Stage};
use crate::schema::soft_delete::{Mark, deleted_field};

/// The reservations of a write of many documents, and a filter of those that may be changed under them; `None` where all may be.
type OfMany = (Reservations, Option<Document>);

impl Prepared {
    /// P1 of an update of one document that gets the parent in `operators`.
    pub(super) async fn reserve_move(
        &self,
        db: &Database,
        filter: &Document,
        operators: &Document,
    ) -> Result<Reservations> {
        let token = self.count_token.map(|count_token| count_token.token);
        let (Some(token), Ok(set)) = (token, operators.get_document("$set")) else {
            return Ok(Reservations::none());
        };
        let collection = self.collection;
        if counter::bounded_parents(collection, set).is_empty() {
            return Ok(Reservations::none());
        }
        let mut id = id_in_filter(filter);
        if id == Bson::Null {
            let found = stored(db, collection, filter.clone(), Strings::Exactly).await?;
            let Some(found) = found.into_iter().next() else {
                return Ok(Reservations::none());
            };
            id = found;
        }
        let child = counter::as_moved_child(collection, &id, set, token);
        counter::reserve_places(db, collection, token, &child, Stage::BeforeWrite).await
    }

    /// Releases what was reserved for a write of one document that changed nothing, or not the parent.
    pub(super) async fn release_unused(
        &self,
        db: &Database,
        reserved: &Reservations,
        source: Option<&Source>,
    ) -> Result<()> {
        let moved = source.zip(self.count_token);
        match moved.is_some_and(|(source, token)| is_flagged(&source.fields, token)) {
            true => Ok(()),
            false => reserved.release(db).await,
        }
    }

    /// Reserves places for an update of many documents.
    pub(super) async fn reserve_moves(
        &self,
        db: &Database,
        filter: &Document,
        operators: &Document,
    ) -> Result<OfMany> {
        let token = self.count_token.map(|count_token| count_token.token);
        let (Some(token), Ok(set)) = (token, operators.get_document("$set")) else {
            return Ok((Reservations::none(), None));
        };
        let collection = self.collection;
        let parents = counter::bounded_parents(collection, set);
        if parents.is_empty() {
            return Ok((Reservations::none(), None));
        }
        let there = parents.into_iter();
        let there =
            there.map(|(link, parent)| (link.reference.clone(), doc! { "$eq": parent }.into()));
        let there: Document = there.collect();
        let elsewhere = doc! { "$and": [filter, { "$nor": [&there] }] };
        let moved = stored(db, collection, elsewhere, Strings::AsCollection).await?;
        let children = moved
            .iter()
            .filter_map(|id| counter::as_moved_child(collection, id, set, token));
        let children: Vec<Document> = children.collect();
        let reserved =
            counter::reserve_places(db, collection, token, &children, Stage::BeforeWrite).await?;
        let reserved_or_there = doc! { "$or": [{ "_id": { "$in": moved } }, there] };
        Ok((reserved, Some(reserved_or_there)))
    }
}

/// The `_id`s of the documents that match.
async fn stored(
    db: &Database,
    collection: &str,
    filter: Document,
    strings: Strings,
) -> Result<Vec<Bson>> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        strings,
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, collection, filter, args, None).await?;
    let mut ids = Vec::new();
    while let Some(id) = rows.next(|raw: &RawDocument| Ok(id_of(raw))).await? {
        ids.push(id);
    }
    Ok(ids)
}

impl SoftMark<'_> {
    /// P1 of a restore. Outside of it nothing is reserved.
    pub(super) async fn reserve(
        self,
        prepared: &Option<Prepared>,
        (filter, strings): &(Document, Strings),
        in_session: bool,
    ) -> Result<OfMany> {
        let SoftMark { db, meta, mark, .. } = self;
        let collection = meta.collection;
        let token = prepared.as_ref().and_then(|prepared| prepared.count_token);
        let token = token.map(|count_token| count_token.token);
        let token = token.filter(|_| mark == Mark::Remove && !in_session);
        let (Some(token), true) = (token, counter::is_child_of_bounded(collection)) else {
            return Ok((Reservations::none(), None));
        };
        let name = deleted_field(meta).unwrap_or_default();
        let args = FindArgs {
            projection: Some(doc! { name: 0 }),
            strings: *strings,
            ..FindArgs::default()
        };
        let marked = doc! { "$and": [filter, { name: { "$ne": null } }] };
        let mut rows = driver::open(db, collection, marked, args, None).await?;
        let read = |raw: &RawDocument| {
            let child = counter::as_new_child(collection, raw, token)?;
            Ok((id_of(raw), child))
        };
        let (mut ids, mut children) = (Vec::new(), Vec::new());
        while let Some((id, child)) = rows.next(read).await? {
            ids.push(id);
            children.extend(child);
        }
        let reserved =
            counter::reserve_places(db, collection, token, &children, Stage::BeforeWrite).await?;
        Ok((reserved, Some(doc! { "_id": { "$in": ids } })))
    }
}
