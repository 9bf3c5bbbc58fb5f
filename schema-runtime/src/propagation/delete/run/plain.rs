//! Deletes that nothing has to follow: one command removes the documents, or marks them as deleted.

use std::collections::HashSet;

use bson::{Document, doc};
use futures::future::BoxFuture;

use super::{Run, Which, delete_by};
use crate::driver::{self, ClientSession, Database, Lasting, Strings};
use crate::error::{Error, Result};
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::propagation::delete::pages::ids;
use crate::propagation::delete::refusals::{Going, RefusalCheck};
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::DocumentScope;

/// Marks documents as deleted, and makes all changes that follow from it. The module that writes documents implements this trait.
pub(crate) trait Marker: Sync {
    /// Marks the live document that the filter matches, or all such documents.
    fn mark<'f>(
        &'f self,
        filter: Document,
        which: Marked,
        session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<Deleted>>;
}

/// The choice of the documents that a [`Marker`] marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Marked {
    /// The document whose `_id` the filter names.
    One,
    /// All documents that match, with this comparison of strings.
    Many(Strings),
}

/// The way to delete documents if no other change has to follow.
#[derive(Clone, Copy)]
pub(super) enum Removal<'m> {
    /// The documents are removed.
    Remove,
    /// The documents stay, marked as deleted.
    Mark(&'m dyn Marker),
}

/// Marks live documents as deleted, unless a reference of a live document refuses that.
///
/// # Errors
/// As [`delete`](super::delete).
pub(crate) fn soft_delete<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    which: Which,
    marker: &'f dyn Marker,
    session: Option<&'f mut ClientSession>,
    tell: &'f mut Tell<'_>,
) -> BoxFuture<'f, Result<Deleted>> {
    let live = |filter| DocumentScope::Live.restrict(meta, filter);
    let which = match which {
        Which::One(filter, events) => Which::One(live(filter), events),
        Which::Many(filter, strings, events) => Which::Many(live(filter), strings, events),
    };
    delete_by(db, meta, which, Removal::Mark(marker), session, tell)
}

impl Run<'_, '_> {
    /// Deletes the documents that match; returns the number of deleted documents.
    pub(super) async fn delete_plain(
        &mut self,
        filter: Document,
        many: bool,
        session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let (db, root, lasting) = (self.db, self.plan.root, Lasting::AsConfigured);
        match self.removal {
            Removal::Remove if many => {
                driver::delete_many(db, root, filter, lasting, self.strings, session).await
            }
            Removal::Remove => driver::delete_one(db, root, filter, session).await,
            Removal::Mark(marker) => {
                let which = match many {
                    true => Marked::Many(self.strings),
                    false => Marked::One,
                };
                let marked = marker.mark(filter, which, session).await?;
                self.out.pending.extend(marked.pending);
                self.out.cascaded += marked.cascaded;
                Ok(marked.deleted)
            }
        }
    }

    /// Deletes the documents if references can only refuse that, and counts the references that were stored meanwhile.
    pub(super) async fn delete_checked(
        &mut self,
        page: Vec<Document>,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let in_session = session.is_some();
        let one = match (self.removal, page.as_slice(), self.strings) {
            (Removal::Mark(_), [one], Strings::Exactly) => one.get("_id"),
            _ => None,
        };
        let these = match one {
            Some(id) => {
                let mut q = doc! { "_id": id };
                q.extend(filter.clone());
                q
            }
            None => doc! { "$and": [{ "_id": { "$in": ids(&page) } }, filter.clone()] },
        };
        let many = one.is_none();
        let root = self.plan.root;
        let gone = self.delete_plain(these, many, session).await?;
        self.out.deleted += gone;
        self.tell.deleted(gone);
        if in_session || gone < page.len() as u64 {
            return Ok(());
        }
        let seen = HashSet::new();
        let check = RefusalCheck {
            db: self.db,
            plan: self.plan,
            collection: root,
            page: &page,
            going: Going::Seen(&seen),
        };
        match check.run(|_| true, None).await {
            Err(Error::Referenced { by, .. }) => {
                self.out.dangling += by.iter().map(|blocker| blocker.count).sum::<u64>();
                Ok(())
            }
            late => late,
        }
    }
}
