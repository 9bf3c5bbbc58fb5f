//! Reads the documents that have changed, as the watch sees them.

use std::collections::BTreeSet;
use std::marker::PhantomData;

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::Change;
use super::event::{Batch, Fate, Touched};
use crate::bson_util::id_key::{IdKey, IdMap, IdSet};
use crate::bson_util::path::first_step;
use crate::bson_util::stored_id::id_of;
use crate::driver::{Database, ReadOptions, decode_as};
use crate::error::Result;
use crate::error::unread::SkippedDocument;
use crate::find::Find;
use crate::projection::{OnlyId, Projected};
use crate::schema::index_row::CollationRow;
use crate::schema::model::Model;
use crate::schema::rows::{FieldRow, Shape};
use crate::schema::soft_delete::DocumentScope;
use crate::schema::two_way::follows_other_side;

/// The documents that a watch is about.
pub(super) struct Reader<M, O> {
    pub(super) db: Database,
    pub(super) id: Option<Bson>,
    wall: Document,
    conditions: Document,
    collation: Option<&'static CollationRow>,
    scope: DocumentScope,
    options: ReadOptions,
    /// The fields at the top of a document that the conditions name; `None` if a condition is about fields that it does not name.
    named: Option<BTreeSet<String>>,
    /// For one document of a tenant: true if the document was seen among the tenant's, `None` if it may have been.
    is_own: Option<bool>,
    types: PhantomData<fn() -> (M, O)>,
}

impl<M: Model, O: Projected<M>> Reader<M, O> {
    /// The reader of a watch whose conditions are those of this query.
    ///
    /// # Errors
    /// That of the filter.
    pub(super) fn new(
        db: &Database,
        find: Find<'_, M, O>,
        wall: Document,
        id: Option<Bson>,
    ) -> Result<Self> {
        let conditions = find.filter?;
        let scope = find.scope.condition(M::model_meta());
        let named = names_of(&doc! { "$and": [&conditions, scope.unwrap_or_default()] });
        Ok(Reader {
            db: db.clone(),
            id,
            wall,
            conditions,
            collation: find.collation,
            scope: find.scope,
            options: find.options,
            named,
            is_own: None,
            types: PhantomData,
        })
    }

    /// The condition on what the server remembers of a deleted document. One document needs none: it is looked for instead.
    pub(super) fn wall_of_deleted(&self) -> Option<&Document> {
        Some(&self.wall).filter(|wall| !wall.is_empty() && self.id.is_none())
    }

    /// Looks for the one document of a tenant, before it is watched from now on. Sends a `find`, if there is one.
    ///
    /// # Errors
    /// The driver's.
    pub(super) async fn look_for_own(&mut self) -> Result<()> {
        if let Some(id) = self.id.as_ref().filter(|_| !self.wall.is_empty()) {
            self.is_own = Some(!self.find_standing(&[id]).await?.is_empty());
        }
        Ok(())
    }

    /// The change that is told of a deleted document. What the tenant never had is nothing to it.
    fn tell_deleted(&self, id: &Bson) -> Result<Option<Change<M, O>>> {
        let is_own = match self.id.is_some() && !self.wall.is_empty() {
            true => self.is_own,
            false => Some(true),
        };
        match is_own {
            Some(true) => with_id(id, |id| Change::Deleted { id }).map(Some),
            Some(false) => Ok(None),
            None => Ok(Some(Change::Missed)),
        }
    }

    /// The query of the watched documents, of those with these ids.
    pub(super) fn find<V>(&self, ids: Option<&[&Bson]>) -> Find<'_, M, V> {
        let mut conditions = self.within(ids);
        conditions.push(self.conditions.clone());
        let mut find = Find::<M, M>::new(&self.db, Ok(doc! { "$and": conditions }));
        find.collation = self.collation;
        find.scope = self.scope;
        find.options = self.options.clone();
        find.retyped()
    }

    /// The conditions of all documents that the program may see.
    fn within(&self, ids: Option<&[&Bson]>) -> Vec<Document> {
        let mut conditions = vec![self.wall.clone()];
        conditions.extend(self.id.iter().map(|id| doc! { "_id": { "$eq": id } }));
        conditions.extend(ids.map(|ids| doc! { "_id": { "$in": ids } }));
        conditions
    }

    /// The changes that a batch amounts to. If `all_told`, the batch has each document that is not there any more, so one that is not
    /// found was deleted; else another event tells it.
    ///
    /// # Errors
    /// The driver's.
    pub(super) async fn read_changes(
        &mut self,
        batch: &Batch,
        all_told: bool,
    ) -> Result<Vec<Change<M, O>>> {
        let mut changes = Vec::new();
        changes.extend(batch.dropped.then_some(Change::Dropped));
        changes.extend(batch.missed.then_some(Change::Missed));
        let live = batch.touched.iter().filter(|one| one.fate != Fate::Deleted);
        let ids: Vec<&Bson> = live.map(|one| &one.id).collect();
        let mut found = self.read_documents(&ids).await?;
        if !found.is_empty() {
            self.is_own = Some(true);
        }
        let absent = |one: &&Touched| {
            self.may_have_left(one, all_told) && !found.contains_key(&IdKey::new(&one.id))
        };
        let absent = batch.touched.iter().filter(absent);
        let absent: Vec<&Bson> = absent.map(|one| &one.id).collect();
        let standing = self.find_standing(&absent).await?;
        for one in &batch.touched {
            let key = IdKey::new(&one.id);
            let change = match (one.fate, found.remove(&key)) {
                (Fate::Deleted, _) => match self.tell_deleted(&one.id)? {
                    Some(change) => change,
                    None => continue,
                },
                (Fate::Inserted, Some(Ok(document))) => Change::Inserted(document),
                (_, Some(Ok(document))) => Change::Updated {
                    document,
                    paths: one.paths.clone(),
                    derived: is_derived::<M>(&one.paths),
                },
                (_, Some(Err(skipped))) => Change::Undecodable(skipped),
                (_, None) if standing.contains(&key) => with_id(&one.id, |id| Change::Left { id })?,
                (_, None) if all_told => with_id(&one.id, |id| Change::Deleted { id })?,
                (_, None) => continue,
            };
            changes.push(change);
        }
        Ok(changes)
    }

    async fn read_documents(&self, ids: &[&Bson]) -> Result<IdMap<Result<O, SkippedDocument>>> {
        let mut found = IdMap::default();
        if ids.is_empty() {
            return Ok(found);
        }
        let find: Find<'_, M, O> = self.find(Some(ids));
        let (_, mut rows) = find.open(&["_id"]).await?;
        let read = |raw: &bson::RawDocument| {
            let document = match decode_as::<M, O>(raw) {
                Ok(document) => Ok(document),
                Err(error) => Err(error.into_skipped()?),
            };
            Ok((id_of(raw), document))
        };
        while let Some((id, document)) = rows.next(read).await? {
            found.insert(IdKey::new(&id), document);
        }
        Ok(found)
    }

    /// The documents of these that are there, and belong to the tenant.
    async fn find_standing(&self, ids: &[&Bson]) -> Result<IdSet> {
        let mut standing = IdSet::default();
        if ids.is_empty() {
            return Ok(standing);
        }
        let conditions = doc! { "$and": self.within(Some(ids)) };
        let mut find = Find::<M, M>::new(&self.db, Ok(conditions));
        find.scope = DocumentScope::WithDeleted;
        find.options = self.options.clone();
        let find: Find<'_, M, OnlyId<M>> = find.retyped();
        let (_, mut rows) = find.open(&["_id"]).await?;
        while let Some(id) = rows.next(|raw| Ok(id_of(raw))).await? {
            standing.insert(IdKey::new(&id));
        }
        Ok(standing)
    }

    /// True if the document, which is not found, may have met the conditions before.
    fn may_have_left(&self, one: &Touched, all_told: bool) -> bool {
        match one.fate {
            Fate::Inserted | Fate::Deleted => false,
            Fate::Replaced => all_told || self.named.as_ref().is_none_or(|named| !named.is_empty()),
            Fate::Updated => {
                let mut paths = one.paths.iter();
                let named = self.named.as_ref();
                paths.any(|path| named.is_none_or(|named| named.contains(first_step(path))))
            }
        }
    }
}

/// The change of a document that is named by its `_id`.
fn with_id<M: Model, O>(
    id: &Bson,
    change: impl FnOnce(M::DocumentId) -> Change<M, O>,
) -> Result<Change<M, O>> {
    let raw = RawDocumentBuf::try_from(&doc! { "_id": id }).unwrap_or_default();
    match decode_as::<M, OnlyId<M>>(&raw) {
        Ok(found) => Ok(change(found.id)),
        Err(error) => Ok(Change::Undecodable(error.into_skipped()?)),
    }
}

/// The fields at the top of a document that a filter names; `None` if one of its conditions is about fields that it does not name.
fn names_of(filter: &Document) -> Option<BTreeSet<String>> {
    let mut names = BTreeSet::new();
    collect_names(filter, &mut names)?;
    Some(names)
}

fn collect_names(filter: &Document, names: &mut BTreeSet<String>) -> Option<()> {
    for (key, value) in filter {
        match key.as_str() {
            "$text" | "$where" | "$jsonSchema" => return None,
            key if key.starts_with('$') => {}
            key => drop(names.insert(first_step(key).to_owned())),
        }
        collect_operands(value, key == "$expr", names)?;
    }
    Some(())
}

fn collect_operands(value: &Bson, is_expression: bool, names: &mut BTreeSet<String>) -> Option<()> {
    match value {
        // `$$ROOT` and its like are about all fields.
        Bson::String(path) if is_expression && path.starts_with("$$") => return None,
        Bson::String(path) if is_expression && path.starts_with('$') => {
            names.insert(first_step(&path[1..]).to_owned());
        }
        Bson::Array(all) => {
            for one in all {
                collect_operands(one, is_expression, names)?;
            }
        }
        Bson::Document(inner) if is_expression => {
            for (_, value) in inner {
                collect_operands(value, true, names)?;
            }
        }
        Bson::Document(inner) => collect_names(inner, names)?,
        _ => {}
    }
    Some(())
}

/// True if the library fills all of these paths.
fn is_derived<M: Model>(paths: &[String]) -> bool {
    let meta = M::model_meta();
    let fills = |row: &'static FieldRow| {
        let follows = row.copy.is_some() || row.derived.is_some() || row.tree.is_some();
        follows || follows_other_side(meta, row)
    };
    !paths.is_empty() && paths.iter().all(|path| is_filled(meta.shape, path, &fills))
}

fn is_filled(shape: &'static Shape, path: &str, fills: &dyn Fn(&'static FieldRow) -> bool) -> bool {
    let (step, rest) = path.split_once('.').unwrap_or((path, ""));
    let mut rows = shape.fields.iter().filter(|row| row.name == step);
    rows.any(|row| {
        let inside = row.shape.is_some_and(|inner| is_filled(inner, rest, fills));
        fills(row) || inside
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fields_of_a_filter() {
        let filter = doc! { "$and": [
            { "status": "open", "place.city": { "$ne": "Rome" } },
            { "$or": [{ "tags": { "$elemMatch": { "kind": 1 } } }, { "a": { "$not": { "$gt": 1 } } }] },
            { "$expr": { "$gt": ["$sold", { "$add": ["$capacity.all", 1] }] } },
        ] };
        let names = names_of(&filter).expect("all are named");
        for name in ["status", "place", "tags", "a", "sold", "capacity"] {
            assert!(names.contains(name), "{name} of {names:?}");
        }
        for unnamed in [
            doc! { "$and": [{ "a": 1 }, { "$text": { "$search": "b" } }] },
            doc! { "$expr": { "$gt": [{ "$size": { "$objectToArray": "$$ROOT" } }, 3] } },
        ] {
            assert_eq!(names_of(&unnamed), None, "{unnamed}");
        }
    }
}
