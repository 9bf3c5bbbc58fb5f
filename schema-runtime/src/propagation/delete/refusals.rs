//! The references that may refuse the deletion of one page of documents. `check` has the walk over all pages. A delete with tombstones
//! checks its pages once more under the tombstones.

use std::collections::HashSet;

use bson::oid::ObjectId;
use bson::{Bson, Document, RawDocument, RawDocumentBuf, doc};

use super::pages::{args, hashed, open};
use super::plan::Plan;
use crate::bson_util::stored_id::{id_of, id_of_document};
use crate::driver::{self, ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::relations::{Keys, Reach, Relation};
use crate::outcome::deleted::Blocker;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stored;

/// The largest number of refusing documents that are counted.
const COUNTED: u64 = 1_000;

/// The documents that the delete removes itself: a reference in one of them refuses nothing.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Going<'s> {
    /// The documents that the walk has seen, as hashes.
    Seen(&'s HashSet<u128>),
    /// The documents with this tombstone.
    Marked(ObjectId),
}

/// The check of one page of documents that are to be deleted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RefusalCheck<'a> {
    pub(crate) db: &'a Database,
    pub(crate) plan: &'a Plan,
    pub(crate) collection: &'a str,
    pub(crate) page: &'a [Document],
    pub(crate) going: Going<'a>,
}

/// Documents that refuse the delete along one relation.
struct Refusing {
    first: RawDocumentBuf,
    count: u64,
}

impl RefusalCheck<'_> {
    /// Checks that no document refuses the deletion along these relations.
    ///
    /// # Errors
    /// [`Error::Referenced`] with all documents that refuse.
    pub(crate) async fn run(
        &self,
        which: impl Fn(&Relation) -> bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut refused: Option<(&'static str, Bson)> = None;
        let mut by = Vec::new();
        let denies = |relation: &&Relation| relation.denies(self.plan.marks) && which(relation);
        for relation in self.plan.relations.to(self.collection).filter(denies) {
            for keys in relation.keys(self.page) {
                let asked = session.as_deref_mut();
                let Some(refusing) = self.find_refusing(relation, &keys, asked).await? else {
                    continue;
                };
                refused.get_or_insert_with(|| {
                    let key = refusing.held_key(relation, &keys.values);
                    (relation.edge.source.name, key.unwrap_or(Bson::Null))
                });
                by.push(refusing.blocker(relation));
            }
        }
        match refused {
            None => Ok(()),
            Some((model, id)) => Err(Error::Referenced {
                model,
                id: Box::new(id),
                by,
            }),
        }
    }

    /// Finds and counts the documents that refer to one of these keys and are not deleted themselves.
    async fn find_refusing(
        &self,
        relation: &Relation,
        keys: &Keys,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Refusing>> {
        let entangled = self.plan.entangled(relation);
        let filter = self.referring(relation, keys);
        let mut args = args(relation, doc! { "_id": 1, relation.edge.place.root(): 1 });
        if !(matches!(self.going, Going::Seen(_)) && entangled) {
            args.limit = Some(-1);
        }
        let mut rows = open(self.db, relation, filter.clone(), args, session).await?;
        let stays = |raw: &RawDocument| match self.going {
            Going::Seen(seen) if entangled => {
                !seen.contains(&hashed(relation.child(), &id_of(raw)))
            }
            _ => true,
        };
        let mut first: Option<RawDocumentBuf> = None;
        let mut count = 0;
        while let Some(row) = rows
            .next(|raw| Ok(stays(raw).then(|| raw.to_owned())))
            .await?
        {
            if let Some(row) = row {
                count += 1;
                first.get_or_insert(row);
            }
            if count >= COUNTED {
                break;
            }
        }
        let session = rows.session();
        let Some(first) = first else {
            return Ok(None);
        };
        if count == 1 && !entangled {
            count = driver::count(
                self.db,
                relation.child(),
                filter,
                Some(COUNTED),
                driver::Strings::Exactly,
                driver::ReadOptions::from_primary(),
                session,
            )
            .await?;
        }
        Ok(Some(Refusing { first, count }))
    }

    /// The filter of the documents that refer to one of these keys, without those that the server can identify as deleted too.
    fn referring(&self, relation: &Relation, keys: &Keys) -> Document {
        let mut filter = relation.referring(keys);
        if self.plan.marks {
            filter = DocumentScope::Live.restrict(relation.edge.target, filter);
        }
        if let (Going::Marked(op), true) = (self.going, self.plan.entangled(relation)) {
            filter.insert(stored::TOMBSTONE, doc! { "$ne": op });
        }
        filter
    }
}

impl Refusing {
    /// The key of a document that is to be deleted, as the first refusing document holds it.
    fn held_key(&self, relation: &Relation, keys: &[Bson]) -> Option<Bson> {
        let held = match &relation.reach {
            Reach::Scan(hidden) => hidden.held(&self.document(), keys),
            Reach::Index => relation.edge.place.keys(&self.first),
        };
        let held = held.iter().find(|key| keys.contains(key));
        held.or(keys.first()).cloned()
    }

    fn blocker(&self, relation: &Relation) -> Blocker {
        Blocker {
            model: relation.edge.target.name,
            field: relation.shown(),
            count: self.count.max(1),
            more: self.count >= COUNTED,
            sample: id_of_document(&self.document()),
        }
    }

    fn document(&self) -> Document {
        Document::try_from(self.first.as_ref()).unwrap_or_default()
    }
}
