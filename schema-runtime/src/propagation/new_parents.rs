//! New parents whose children may have been stored before them.
//!
//! A child whose parent does not exist yet is finished without an update of that parent, and its flag is cleared. So a parent that is
//! stored after its children, or again under a key that it had before, starts with a mark for each derived field, in `_dn.v`, like a list
//! that may lack children. The marks are cleared when a check has shown that no child existed before, or when the list and the number were
//! rebuilt from the children.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::counter;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::outcome::Pending;
use crate::schema::stored;

/// The largest number of new parents that are checked together.
const PARENTS: usize = 10_000;

/// New documents of one collection that store derived data about others.
#[derive(Debug, Clone)]
pub(crate) struct NewParents {
    collection: &'static str,
    /// The epoch of their new numbers: no document with the same `_id` ever had it.
    epoch: Option<ObjectId>,
    /// Their derived fields, each with the token of its mark.
    marks: Vec<(&'static Link, ObjectId)>,
}

impl NewParents {
    /// Plans the marks of new documents. `None` if those of this collection store no derived data about others.
    pub(crate) fn plan(collection: &'static str) -> Option<Self> {
        let links = Edges::get().links().iter();
        let kept = links.filter(|link| link.host.collection == collection);
        let marks: Vec<_> = kept.map(|link| (link, ObjectId::new())).collect();
        (!marks.is_empty()).then(|| NewParents {
            collection,
            epoch: counter::first_epoch(collection),
            marks,
        })
    }

    /// The library's fields that the new documents carry until their derived data has been checked.
    pub(crate) fn fields(&self) -> Document {
        let marks = self.marks.iter();
        let marks = marks.map(|(link, token)| flags::lacking_mark(*token, &link.name).into());
        let mut dn = doc! { stored::key::UNCONFIRMED: marks.collect::<Vec<Bson>>() };
        dn.extend(self.epoch.map(|epoch| {
            (
                stored::key::COUNTS.to_owned(),
                counter::new_counts(epoch).into(),
            )
        }));
        dn
    }

    /// The first stage of an update that stores the document if it does not exist: it adds these fields.
    pub(crate) fn stage(&self) -> Document {
        let new = doc! { "$eq": ["$$ROOT", { "_id": "$_id" }] };
        doc! { "$set": { stored::OWN: { "$cond": [new, { "$literal": self.fields() }, stored::value::OWN] } } }
    }

    /// True if the update with this [`stage`](Self::stage) has stored this document.
    pub(crate) fn stored(&self, document: &Document) -> bool {
        let mut tokens = self.marks.iter().map(|(_, token)| *token);
        tokens
            .any(|token| flags::has_token(flags::marks(document, stored::key::UNCONFIRMED), token))
    }

    /// The marks as pending entries.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        let marks = self.marks.iter();
        marks
            .map(|(link, token)| Pending::parents(&link.name, self.collection, *token))
            .collect()
    }

    fn tokens(&self) -> Vec<ObjectId> {
        self.marks.iter().map(|(_, token)| *token).collect()
    }

    /// Makes the derived data match the children that were stored before the parents, and clears the marks. Call it after the parents were
    /// stored.
    ///
    /// # Errors
    /// The driver's, and [`Error::Busy`](crate::Error::Busy). After an error all marks stay.
    pub(crate) async fn match_children(&self, db: &Database, ids: &[Bson]) -> Result<()> {
        let mut left = false;
        for some in ids.chunks(PARENTS) {
            left |= self.have_children(db, some).await? || !self.clear_childless(db, some).await?;
        }
        if left {
            self.rebuild_marked(db).await?;
        }
        Ok(())
    }

    /// Makes the derived data match the children, and clears the marks, without a check whether there are any children.
    ///
    /// # Errors
    /// As [`match_children`](Self::match_children).
    pub(crate) async fn rebuild_marked(&self, db: &Database) -> Result<()> {
        for (link, token) in &self.marks {
            crate::propagation::links::clear_marks(db, link, &[*token], false).await?;
        }
        Ok(())
    }

    /// Checks if any document refers to one of these parents, or if a flag of a former child is not counted yet. Reads the flags after the
    /// references: a child that leaves in between is found in one of the two reads.
    async fn have_children(&self, db: &Database, ids: &[Bson]) -> Result<bool> {
        let mut asked = Vec::new();
        for (link, _) in &self.marks {
            let by = (link.child.collection, link.reference.as_str());
            if asked.contains(&by) {
                continue;
            }
            asked.push(by);
            if any(db, by.0, link.referring(ids)).await? {
                return Ok(true);
            }
        }
        fault!("begin_after_children");
        let mut asked = Vec::new();
        for (link, _) in self.marks.iter().filter(|(link, _)| link.counts()) {
            let by = (link.child.collection, link.key.as_str());
            if asked.contains(&by) {
                continue;
            }
            asked.push(by);
            if any(db, by.0, counter::flagged_for(link, ids)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Clears the marks of parents that no child referred to when they were stored. `false` if some parent has changed since it was stored:
    /// a child that was not counted before has left it. This starts a new epoch: a writer that has seen the first epoch, with a flag from
    /// before these parents, counts nothing any more.
    async fn clear_childless(&self, db: &Database, ids: &[Bson]) -> Result<bool> {
        let ids_of: Vec<&Bson> = ids.iter().collect();
        let tokens = self.tokens();
        let mut q = doc! {
            "_id": flags::ids_of(&ids_of),
            stored::UNCONFIRMED_TOKEN: { "$in": tokens.clone() },
        };
        let mut update = flags::unmark_links(&tokens);
        let next = ObjectId::new();
        if let Some(epoch) = self.epoch {
            q.insert(stored::COUNTS_EPOCH, epoch);
            q.insert(stored::COUNTED_FIRST, doc! { "$exists": false });
            update.push(doc! { "$set": { stored::COUNTS_EPOCH: next } });
        }
        let update = doc! { "q": q, "u": update, "multi": ids.len() > 1 };
        let done = driver::statements(db, self.collection, &[update], false, None).await?;
        let all = done.matched == ids.len() as u64;
        if all && self.epoch.is_some() {
            counter::cache_first_epoch(db, self.collection, ids, next);
        }
        Ok(all)
    }
}

async fn any(db: &Database, collection: &str, filter: Document) -> Result<bool> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let found = driver::first(db, collection, filter, args, None, |_| Ok(())).await?;
    Ok(found.is_some())
}
