//! Writes the source change (W1) of a reference array: adds some ids or entries, removes others, and leaves the rest of the array
//! unchanged.

use std::collections::HashSet;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;
use mongodb::options::UpdateModifications;

use crate::bson_util::id_key::IdKey;
use crate::driver::{self, ClientSession, Database, Lasting, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::{Edge, Edges, Touched};
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending, What};
use crate::propagation::fill::{Frozen, Which};
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::{SourcesByKey, read_by_keys};
use crate::propagation::target::Unverified;
use crate::propagation::two_way::placed;
use crate::propagation::{fill, source};
use crate::schema::rows::Shape;
use crate::schema::stored;
use crate::write::send::early;
use crate::write::send::many::{of_batch, resume_marks};
use crate::write::send::{
    Withdraw, into_pending, pending_marks, pending_of, propagate_source, verify_new_copies,
};

/// Ids that come to an array, and ids that leave it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Edit<'e> {
    pub(crate) add: &'e [Bson],
    pub(crate) remove: &'e [Bson],
    /// The entries of the ids that come, where the array holds entries.
    pub(crate) entries: &'e [Bson],
    /// Entries that replace the entries with the same ids.
    pub(crate) put: &'e [Bson],
    /// The token of the mark of new copies, where the entries hold any.
    pub(crate) mark: Option<ObjectId>,
}

impl Edit<'_> {
    fn is_empty(&self) -> bool {
        self.add.is_empty() && self.remove.is_empty() && self.put.is_empty()
    }

    /// The array as it is stored.
    fn list(link: &Link) -> Document {
        let stored = format!("${}", link.row);
        doc! { "$cond": [{ "$isArray": [&stored] }, stored, []] }
    }

    /// The array afterwards.
    fn after(&self, link: &Link) -> Document {
        let (list, remove) = (Edit::list(link), self.remove.to_vec());
        let id = match link.entry_id {
            None => "$$this".to_owned(),
            Some(name) => format!("$$this.{name}"),
        };
        let rest = doc! { "$filter": {
            "input": &list,
            "cond": { "$not": [{ "$in": [&id, { "$literal": remove }] }] },
        } };
        let Some(name) = link.entry_id else {
            let new = doc! { "$setDifference": [{ "$literal": self.add.to_vec() }, list] };
            return doc! { "$concatArrays": [rest, new] };
        };
        let new = doc! { "$filter": {
            "input": { "$literal": self.entries.to_vec() },
            "cond": { "$not": [{ "$in": [&id, link.stored_ids()] }] },
        } };
        let rest = if self.put.is_empty() {
            rest
        } else {
            let same = doc! { "$eq": [format!("$$put.{name}"), &id] };
            let put = doc! { "$filter": { "input": { "$literal": self.put.to_vec() }, "as": "put", "cond": same } };
            let one = doc! { "$ifNull": [{ "$arrayElemAt": [put, 0] }, "$$this"] };
            doc! { "$map": { "input": rest, "in": one } }
        };
        doc! { "$concatArrays": [rest, new] }
    }

    /// The ids that come or go in this document.
    fn moved(&self, link: &Link) -> Document {
        let (list, add, remove) = (link.stored_ids(), self.add.to_vec(), self.remove.to_vec());
        doc! { "$concatArrays": [
            { "$setDifference": [{ "$literal": add }, &list] },
            { "$setIntersection": [{ "$literal": remove }, list] },
        ] }
    }

    /// The pipeline of the write: the flag, the parents to update, the array. If no id is added or removed, it changes nothing.
    fn pipeline(&self, link: &Link, touched: &Touched, batch: Option<ObjectId>) -> Vec<Document> {
        let moved = self.moved(link);
        let any = Bson::Document(doc! { "$ne": [&moved, []] });
        let all = Edges::get().flagged(link.child.collection);
        let told = stored::earlier_parents_of(link.row);
        let told = doc! { "$setUnion": [{ "$ifNull": [told, []] }, moved] };
        let told = doc! { "$mergeObjects": [stored::value::EARLIER_PARENTS, { link.row: told }] };
        let told = doc! { stored::key::EARLIER_PARENTS: told };
        let told = doc! { "$mergeObjects": [stored::value::OWN, told] };
        let next = match self.put {
            [] => doc! { "$cond": [&any, self.after(link), format!("${}", link.row)] },
            _ => self.after(link),
        };
        let mut pipeline = vec![
            doc! { "$set": { stored::OWN: flags::bumped(any.clone(), &touched.flagged, &all) } },
            doc! { "$set": { stored::OWN: { "$cond": [&any, told, stored::value::OWN] } } },
        ];
        if let Some(token) = self.mark {
            let marks = flags::with_unverified(token);
            let marked =
                doc! { "$mergeObjects": [stored::value::OWN, { stored::key::UNVERIFIED: marks }] };
            let marked = match self.put {
                [] => doc! { "$cond": [&any, marked, stored::value::OWN] },
                _ => marked,
            };
            pipeline.push(doc! { "$set": { stored::OWN: marked } });
        }
        pipeline.extend([
            match batch {
                Some(token) => doc! { "$set": { stored::BATCH: token } },
                None => doc! { "$unset": stored::BATCH },
            },
            doc! { "$set": { link.row: next } },
        ]);
        pipeline
    }

    /// The error that an entry to be added is there already, and says something else. The write has changed nothing then.
    fn other_entry(&self, link: &Link, stored: &Document) -> Option<Error> {
        let row = link.child_row()?;
        let (name, shape) = (link.entry_id?, row.shape?);
        let there = stored.get_array(link.row).ok()?;
        let find = |id: &Bson| {
            let mut entries = there.iter().filter_map(Bson::as_document);
            entries.find(|entry| entry.get(name) == Some(id))
        };
        let entries = self.entries.iter().filter_map(Bson::as_document);
        let mut differing = entries.filter(|entry| {
            let stored = entry.get(name).and_then(find);
            stored.is_some_and(|stored| differ(shape, entry, stored))
        });
        let id = differing.next()?.get(name)?.clone();
        Some(Error::OtherEntry {
            field: format!("{}.{}", link.child.name, row.rust),
            id: Box::new(id),
        })
    }

    /// The condition that the array has room for the added ids; `None` if the array has no bound, or no id is added.
    fn fits(&self, link: &Link) -> Option<Document> {
        let max = link.child_row().map_or(0, |row| row.max);
        let max = i64::try_from(max)
            .ok()
            .filter(|max| *max > 0 && !self.add.is_empty())?;
        let after = match link.is_symmetric() {
            // The documents on the other side of the pairs have places in the same array.
            true => doc! { "$setUnion": [self.after(link), placed(link)] },
            false => self.after(link),
        };
        Some(doc! { "$or": [
            { "$eq": [self.moved(link), []] },
            { "$lte": [{ "$size": after }, max] },
        ] })
    }
}

/// True if two entries differ in a field that is no copy.
pub(crate) fn differ(shape: &Shape, one: &Document, other: &Document) -> bool {
    let mut own = shape.fields.iter().filter(|row| row.copy.is_none());
    own.any(|row| match (row.name, row.shape) {
        ("", Some(inner)) => differ(inner, one, other),
        (name, _) => one.get(name) != other.get(name),
    })
}

/// Entries that are about to be stored, with their copies.
#[derive(Debug)]
pub(crate) struct NewEntries {
    pub(crate) add: Vec<Bson>,
    pub(crate) put: Vec<Bson>,
    /// The token of their mark.
    token: ObjectId,
    /// The references beside which the copies are compared after the write.
    references: Vec<(&'static Edge, Bson)>,
    /// The tenant of the document; `None` if its model has none.
    tenant: Option<Bson>,
    /// Their sources as the copies say.
    sources: Option<SourcesByKey>,
}

impl NewEntries {
    /// Fills the copies in entries of the array of this child, given with its tenant, from their sources.
    pub(crate) async fn filled(
        db: &Database,
        link: &'static Link,
        (child, tenant): (&Bson, Option<&Bson>),
        (add, put): (Vec<Bson>, Vec<Bson>),
        mut session: Option<&mut ClientSession>,
    ) -> Result<NewEntries> {
        let mut new = NewEntries {
            add,
            put,
            token: ObjectId::new(),
            references: Vec::new(),
            tenant: tenant.cloned(),
            sources: None,
        };
        let collection = link.child.collection;
        let entries: Vec<Bson> = new.add.iter().chain(&new.put).cloned().collect();
        let mut document = doc! { link.row: entries };
        let mut wanted: Vec<(&'static Edge, Bson)> = Vec::new();
        let mut seen = HashSet::new();
        for edge in Edges::get().incoming(collection) {
            if edge.place.root() != link.row {
                continue;
            }
            edge.place.visit(&mut document, &mut |_, key| {
                let new = |key: &Bson| seen.insert((&edge.name, IdKey::new(key)));
                wanted.extend(key.filter(new).map(|key| (edge, key)));
            });
        }
        if wanted.is_empty() {
            return Ok(new);
        }
        let how = ReadMode::InSession(session.as_deref_mut());
        let known = read_by_keys(db, &wanted, tenant, how).await?;
        fill::not_dangling(&wanted, &known)?;
        let mut by_id = doc! { "_id": { "$eq": child } };
        by_id.extend(link.of_tenant(tenant).1);
        let stored = match new.put.is_empty() {
            true => Frozen::default(),
            false => Frozen::stored(db, collection, &by_id, session).await?,
        };
        fill::fill(collection, &mut document, &known, Which::AllBut(&stored));
        if let Some(Bson::Array(mut entries)) = document.remove(link.row) {
            new.put = entries.split_off(new.add.len());
            new.add = entries;
        }
        wanted.retain(|(edge, _)| edge.marks());
        new.references = wanted;
        new.sources = Some(known);
        Ok(new)
    }

    /// The token of the mark that the write leaves, if it stores copies that have to be compared.
    pub(crate) fn mark(&self) -> Option<ObjectId> {
        (!self.references.is_empty()).then_some(self.token)
    }

    /// See [`early::compare_behind`].
    async fn compare_behind(&self, db: &Database, collection: &'static str) -> bool {
        let references = (&self.references[..], self.tenant.as_ref());
        let sources = self.sources.as_ref();
        early::compare_behind(db, collection, self.token, references, sources).await
    }

    /// Compares the new copies of a written document with their sources; in a session that is pending. A document without the mark has
    /// got no entries.
    pub(crate) async fn verify(
        self,
        db: &Database,
        link: &'static Link,
        written: &Source,
        in_session: bool,
    ) -> Result<Vec<Pending>> {
        let collection = link.child.collection;
        let tokens = flags::tokens(written.fields.get_document(stored::OWN).ok());
        if self.references.is_empty() || !tokens.contains(&self.token) {
            return Ok(Vec::new());
        }
        if in_session {
            return Ok(pending_marks(collection, self.token, &self.references));
        }
        fault!("after_i1");
        if self.compare_behind(db, collection).await {
            return Ok(Vec::new());
        }
        let marked = Unverified {
            id: written.id.clone(),
            tokens: vec![self.token],
            references: self.references,
            tenant: self.tenant,
        };
        let withdraw = Withdraw::Elements;
        verify_new_copies(db, collection, self.token, &[marked], withdraw).await
    }
}

/// Changes the array of one child, given with its tenant.
pub(crate) fn edit<'f>(
    db: &'f Database,
    link: &'static Link,
    (child, tenant): (&'f Bson, Option<&'f Bson>),
    edit: Edit<'f>,
    new: Option<NewEntries>,
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Outcome>> {
    Box::pin(async move {
        let collection = link.child.collection;
        let mut touched = Edges::get().touched(collection, &[link.row], None);
        let in_session = session.is_some();
        if in_session {
            touched = touched.all_flagged();
        }
        let not_found = || Error::NotFound {
            model: link.child.name,
            id: Box::new(child.clone()),
        };
        let (_, inside) = link.of_tenant(tenant);
        let mut filter = link.live(doc! { "_id": { "$eq": child } });
        filter.extend(inside.clone());
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
        if let Some(fits) = edit.fits(link) {
            filter.insert("$expr", fits);
        }
        let args = UpdateArgs {
            filter,
            changes: UpdateModifications::Pipeline(edit.pipeline(link, &touched, None)),
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
            strings: driver::Strings::Exactly,
        };
        fault!("before_w1");
        let fields = source::fields(collection);
        let found =
            driver::update_and_read(db, collection, args, fields, session.as_deref_mut()).await?;
        let Some(found) = found else {
            let (ids, fields) = (std::slice::from_ref(child), link.read());
            let by = ("_id", ids);
            let there = driver::read_where(db, collection, by, &inside, &fields, session).await?;
            if there.iter().all(|child| link.is_marked(child)) {
                return Err(not_found());
            }
            let row = link.child_row();
            return Err(Error::Full {
                field: format!(
                    "{}.{}",
                    link.child.name,
                    row.map_or(link.row, |row| row.rust)
                ),
                max: row.map_or(0, |row| row.max),
            });
        };
        fault!("after_w1");
        let source = Source::read(found);
        if let Some(other) = edit.other_entry(link, &source.fields) {
            return Err(other);
        }
        let flagged = !edit.is_empty() && source.pending.contains(&link.name);
        let modified = u64::from(flagged || !edit.put.is_empty());
        let mut pending = if in_session {
            pending_of(collection, &source)
        } else {
            propagate_source(db, collection, source.clone(), &touched.unflagged).await?
        };
        if let Some(new) = new {
            pending.extend(new.verify(db, link, &source, in_session).await?);
        }
        Ok(Outcome {
            matched: 1,
            modified,
            pending,
            ..Outcome::default()
        })
    })
}

/// Changes the arrays of many children of a tenant alike.
pub(crate) async fn edit_many(
    db: &Database,
    link: &'static Link,
    (children, tenant): (&[Bson], Option<&Bson>),
    edit_all: Edit<'_>,
    new: Option<&NewEntries>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let collection = link.child.collection;
    if children.is_empty() || edit_all.is_empty() {
        return Ok(Outcome::default());
    }
    let token = ObjectId::new();
    let touched = Edges::get()
        .touched(collection, &[link.row], None)
        .all_flagged();
    let in_session = session.is_some();
    let mut parts = vec![doc! { "$ne": [edit_all.moved(link), []] }];
    parts.extend(edit_all.fits(link));
    let mut filter = link.live(doc! {
        "_id": { "$in": children.to_vec() },
        stored::TOMBSTONE: { "$exists": false },
        "$expr": { "$and": parts },
    });
    filter.extend(link.of_tenant(tenant).1);
    let args = UpdateArgs {
        filter,
        changes: UpdateModifications::Pipeline(edit_all.pipeline(link, &touched, Some(token))),
        many: true,
        upsert: false,
        lasting: Lasting::Durable,
        strings: driver::Strings::Exactly,
    };
    fault!("before_w1");
    let result = driver::update(db, collection, args, session).await?;
    fault!("after_w1");
    let mut outcome = Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    };
    if result.modified_count == 0 {
        return Ok(outcome);
    }
    let flags = touched.flagged.iter().map(|edge| Pending {
        edge: (*edge).to_owned(),
        collection: collection.to_owned(),
        what: What::Sources(token),
        reason: None,
    });
    let flags: Vec<Pending> = flags.collect();
    let marks = new.map_or_else(Vec::new, |new| {
        pending_marks(collection, new.token, &new.references)
    });
    if in_session {
        outcome.pending = flags;
        outcome.pending.extend(marks);
        return Ok(outcome);
    }
    let filter = of_batch(&touched.flagged, token);
    match source::finish_flagged(db, collection, filter, &mut |_| true).await {
        Ok(left) => outcome.pending = left.pending,
        Err(error) => outcome.pending = into_pending(error, flags)?,
    }
    if let Some(new) = new.filter(|_| !marks.is_empty()) {
        fault!("after_i1");
        if !new.compare_behind(db, collection).await {
            let references = (&new.references[..], tenant);
            let left = resume_marks(db, collection, new.token, references, marks).await?;
            outcome.pending.extend(left);
        }
    }
    Ok(outcome)
}
