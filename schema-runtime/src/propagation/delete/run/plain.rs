//! Deletes that nothing has to follow: one command removes the documents, or marks them as deleted.

use std::collections::HashSet;

use bson::{Document, doc};
use futures::future::BoxFuture;

use super::{Run, Which, delete_by};
use crate::bson_util::stored_id::id_in_filter;
use crate::driver::{Lasting, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::propagation::delete::check::{self, Going, ids};
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::DocumentScope;
use crate::schema::stamps;
use crate::{ClientSession, Database, driver};

/// How documents are deleted that nothing has to follow.
#[derive(Debug)]
pub(super) enum Removal {
    /// They are removed.
    Remove,
    /// They stay, changed by these operators.
    Mark(Document),
}

/// Marks live documents as deleted, unless a reference to one refuses that. The compiler has refused what would have to follow.
///
/// # Errors
/// [`Error::Unsupported`] if something has to follow after all; else as [`delete`].
pub(crate) fn soft_delete<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&'f mut ClientSession>,
    tell: &'f mut Tell<'_>,
) -> BoxFuture<'f, Result<Deleted>> {
    let live = |filter| DocumentScope::Live.restrict(meta, filter);
    let which = match which {
        Which::One(filter) => Which::One(live(filter)),
        Which::Many(filter, strings) => Which::Many(live(filter), strings),
    };
    let mark = Removal::Mark(stamps::soft_deletion(meta));
    delete_by(db, meta, which, mark, session, tell)
}

/// Marks live documents as deleted without a look at the references to them.
pub(crate) async fn mark_unchecked(
    db: &Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&mut ClientSession>,
) -> Result<Deleted> {
    let (filter, strings, id) = match which {
        Which::One(filter) => {
            let id = id_in_filter(&filter);
            (filter, Strings::Exactly, Some(id))
        }
        Which::Many(filter, strings) => (filter, strings, None),
    };
    let filter = DocumentScope::Live.restrict(meta, filter);
    let args = UpdateArgs {
        strings,
        ..UpdateArgs::plain(filter, stamps::soft_deletion(meta), id.is_none())
    };
    let deleted = driver::update(db, meta.collection, args, session)
        .await?
        .matched_count;
    match id {
        Some(id) if deleted == 0 => Err(Error::NotFound {
            model: meta.name,
            id: Box::new(id),
        }),
        _ => Ok(Deleted {
            deleted,
            ..Deleted::default()
        }),
    }
}

impl Run<'_, '_> {
    /// Deletes the documents that match, in one command; returns how many.
    pub(super) async fn remove(
        &self,
        filter: Document,
        many: bool,
        session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let (db, root, lasting) = (self.db, self.plan.root, Lasting::AsConfigured);
        match &self.removal {
            Removal::Remove if many => {
                driver::delete_many(db, root, filter, lasting, self.strings, session).await
            }
            Removal::Remove => driver::delete_one(db, root, filter, session).await,
            Removal::Mark(operators) => {
                let args = UpdateArgs {
                    strings: self.strings,
                    ..UpdateArgs::plain(filter, operators.clone(), many)
                };
                let marked = driver::update(db, root, args, session).await?;
                Ok(marked.matched_count)
            }
        }
    }

    /// If references can only refuse: deletes the documents, and counts the references that were stored meanwhile.
    pub(super) async fn checked(
        &mut self,
        page: Vec<Document>,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let in_session = session.is_some();
        let q = doc! { "$and": [{ "_id": { "$in": ids(&page) } }, filter.clone()] };
        let root = self.plan.root;
        let gone = self.remove(q, true, session).await?;
        self.out.deleted += gone;
        self.tell.deleted(gone);
        if in_session || gone < page.len() as u64 {
            return Ok(());
        }
        let seen = HashSet::new();
        let going = Going::Seen(&seen);
        let late = check::refused(self.db, self.plan, root, &page, going, |_| true, None).await;
        match late {
            Err(Error::Referenced { by, .. }) => {
                self.out.dangling += by.iter().map(|blocker| blocker.count).sum::<u64>();
                Ok(())
            }
            late => late,
        }
    }
}
