//! New parents, whose children may be there before them.
//!
//! Whoever finishes a child whose parent is not there tells nobody, and takes the child's flag off. So a parent that is stored after its
//! children, or again under a key that it had before, begins with a mark for each thing that it keeps: in `_dn.v`, as lists that may
//! lack some have one. The marks go when a look has shown that no child was there before, or else when list and number were made from
//! the children.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::counter;
use crate::driver::FindArgs;
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::outcome::Pending;
use crate::{Database, driver};

/// How many new parents are looked at together.
const PARENTS: usize = 10_000;

/// New documents of one collection that keep something of others.
#[derive(Debug)]
pub(crate) struct NewParents {
    collection: &'static str,
    /// The epoch that their numbers begin with: one that no document with the same `_id` ever had.
    epoch: Option<ObjectId>,
    /// What they keep, each with the token of its mark.
    marks: Vec<(&'static Link, ObjectId)>,
}

impl NewParents {
    /// `None` if documents of this collection keep nothing of others.
    pub(crate) fn of(edges: &'static Edges, collection: &'static str) -> Option<Self> {
        let links = edges.links().iter();
        let kept = links.filter(|link| link.host.collection == collection);
        let marks: Vec<_> = kept.map(|link| (link, ObjectId::new())).collect();
        (!marks.is_empty()).then(|| NewParents {
            collection,
            epoch: counter::first(edges, collection),
            marks,
        })
    }

    /// What they say beside what they keep, until that has been looked at.
    pub(crate) fn fields(&self) -> Document {
        let marks = self.marks.iter();
        let marks =
            marks.map(|(link, token)| doc! { "t": *token, "e": &link.name, "f": true }.into());
        let mut dn = doc! { "v": marks.collect::<Vec<Bson>>() };
        dn.extend(
            self.epoch
                .map(|epoch| ("k".to_owned(), doc! { "e": epoch }.into())),
        );
        dn
    }

    /// The same as the first stage of an update that stores the document where there is none.
    pub(crate) fn stage(&self) -> Document {
        let new = doc! { "$eq": ["$$ROOT", { "_id": "$_id" }] };
        doc! { "$set": { "_dn": { "$cond": [new, { "$literal": self.fields() }, "$_dn"] } } }
    }

    /// Whether such an update has stored this document.
    pub(crate) fn stored(&self, document: &Document) -> bool {
        let mut tokens = self.marks.iter().map(|(_, token)| *token);
        tokens.any(|token| flags::has_token(flags::marks(document, "v"), token))
    }

    /// The marks, as what is pending.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        let marks = self.marks.iter();
        marks
            .map(|(link, token)| Pending::parents(&link.name, self.collection, *token))
            .collect()
    }

    fn tokens(&self) -> Vec<ObjectId> {
        self.marks.iter().map(|(_, token)| *token).collect()
    }

    /// Makes what they keep what the children say that were there before, and takes the marks off. To be called when they are stored.
    ///
    /// # Errors
    /// The driver's, and [`Error::Busy`](crate::Error::Busy). All marks stay then.
    pub(crate) async fn settle(&self, db: &Database, ids: &[Bson]) -> Result<()> {
        let mut left = false;
        for some in ids.chunks(PARENTS) {
            left |= self.expected(db, some).await? || !self.begin(db, some).await?;
        }
        if left {
            self.settle_marked(db).await?;
        }
        Ok(())
    }

    /// The same without a look at whether there is any child.
    ///
    /// # Errors
    /// As [`settle`](Self::settle).
    pub(crate) async fn settle_marked(&self, db: &Database) -> Result<()> {
        for (link, token) in &self.marks {
            crate::propagation::links::clear_marks(db, link, &[*token], false).await?;
        }
        Ok(())
    }

    /// Whether any document refers to one of these, or has and nobody has counted that yet. The flags are read after the references:
    /// a child that leaves in between shows in the one or the other.
    async fn expected(&self, db: &Database, ids: &[Bson]) -> Result<bool> {
        let mut asked = Vec::new();
        for (link, _) in &self.marks {
            let by = (link.child.collection, link.reference.as_str());
            if asked.contains(&by) {
                continue;
            }
            asked.push(by);
            if any(db, by.0, doc! { by.1: { "$in": ids } }).await? {
                return Ok(true);
            }
        }
        fault!("begin_after_children");
        let mut asked = Vec::new();
        for (link, _) in self.marks.iter().filter(|(link, _)| link.counts()) {
            let by = (link.child.collection, link.row);
            if asked.contains(&by) {
                continue;
            }
            asked.push(by);
            if any(db, by.0, counter::concerning(link, ids)).await? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Takes the marks off these, which no child referred to when they were stored; `false` if not all are as they were stored: a child
    /// has left since then that was not counted before. That goes with a new epoch: who has seen the first one, and a flag that was there
    /// before these, counts nothing any more.
    async fn begin(&self, db: &Database, ids: &[Bson]) -> Result<bool> {
        let ids_of: Vec<&Bson> = ids.iter().collect();
        let tokens = self.tokens();
        let mut q = doc! { "_id": flags::ids_of(&ids_of), "_dn.v.t": { "$in": tokens.clone() } };
        let mut update = flags::unmark_links(&tokens);
        let next = ObjectId::new();
        if let Some(epoch) = self.epoch {
            q.insert("_dn.k.e", epoch);
            q.insert("_dn.k.a.0", doc! { "$exists": false });
            update.push(doc! { "$set": { "_dn.k.e": next } });
        }
        let update = doc! { "q": q, "u": update, "multi": ids.len() > 1 };
        let done = driver::statements(db, self.collection, &[update], false, None).await?;
        let all = done.matched == ids.len() as u64;
        if all && self.epoch.is_some() {
            counter::begun(db, self.collection, ids, next);
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
