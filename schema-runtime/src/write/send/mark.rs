//! Marks documents as deleted, and makes them live again. From their parents' point of view the first is a move away from them, and the
//! second a move to them.

use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::update::prepare_marking;
use super::{Prepared, WAITS, edges_of, finish_blocking_delete, not_deleted, update_many};
use crate::bson_util::stored_id::{id_in_filter, id_of_document};
use crate::driver::{FindArgs, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::outcome::Outcome;
use crate::outcome::deleted::Deleted;
use crate::propagation::delete::run::{Marked, Marker};
use crate::propagation::two_way;
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::Mark;
use crate::schema::stamps;
use crate::{ClientSession, Database, driver};

/// The soft deletes of a model.
pub(crate) struct SoftDelete<'a> {
    pub(crate) db: &'a Database,
    pub(crate) meta: &'static ModelMeta,
}

impl Marker for SoftDelete<'_> {
    fn mark<'f>(
        &'f self,
        filter: Document,
        which: Marked,
        session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<Deleted>> {
        Box::pin(async move {
            let (db, meta) = (self.db, self.meta);
            let marked = match which {
                Marked::One => mark_one(db, meta, Mark::Set, filter, session).await?,
                Marked::Many(strings) => {
                    mark_many(db, meta, Mark::Set, (filter, strings), session).await?
                }
            };
            Ok(Deleted {
                deleted: marked.matched,
                pending: marked.pending,
                ..Deleted::default()
            })
        })
    }
}

/// Marks the document of this filter, or removes its mark. No document is no error.
pub(crate) fn mark_one<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    mark: Mark,
    asked: Document,
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Outcome>> {
    Box::pin(async move {
        let mut filter = asked.clone();
        let waits = not_deleted(meta, &mut filter) && session.is_none();
        let which = (filter, Strings::Exactly);
        let prepared = prepare(db, meta, mark, &which, session.as_deref_mut()).await?;
        let filter = which.0;
        for _ in 0..=WAITS {
            let held = session.as_deref_mut();
            let outcome = match &prepared {
                Some(prepared) => {
                    let in_session = held.is_some();
                    let sent = prepared
                        .send(db, filter.clone(), Document::new(), held)
                        .await?;
                    match sent.outcome.matched {
                        0 => sent.outcome,
                        _ => prepared.follow(db, &filter, sent, in_session).await?,
                    }
                }
                None => plainly(db, meta, mark, filter.clone(), None, held).await?,
            };
            // A document that is being removed goes, or is back after this.
            if outcome.matched > 0 || !waits || !finish_blocking_delete(db, meta, &asked).await? {
                return Ok(outcome);
            }
        }
        Err(Error::Unsettled {
            model: meta.name,
            id: Box::new(id_in_filter(&asked)),
        })
    })
}

/// Marks the documents that match this filter, or removes their marks.
pub(crate) fn mark_many<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    mark: Mark,
    (mut filter, strings): (Document, Strings),
    mut session: Option<&'f mut ClientSession>,
) -> BoxFuture<'f, Result<Outcome>> {
    Box::pin(async move {
        not_deleted(meta, &mut filter);
        let which = (filter, strings);
        let prepared = prepare(db, meta, mark, &which, session.as_deref_mut()).await?;
        let filter = which.0;
        match prepared {
            Some(prepared) => {
                let nothing = Document::new();
                let edges = Edges::get();
                update_many(db, edges, meta, prepared, filter, nothing, session).await
            }
            None => plainly(db, meta, mark, filter, Some(strings), session).await,
        }
    })
}

/// What other documents need of the mark; `None` if none follow it.
async fn prepare(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    which: &(Document, Strings),
    session: Option<&mut ClientSession>,
) -> Result<Option<Prepared>> {
    let Some(edges) = edges_of(meta)? else {
        return Ok(None);
    };
    let prepared = prepare_marking(db, edges, meta, mark, session.is_some()).await?;
    if prepared.is_some() && mark == Mark::Remove {
        have_room(db, edges, meta, which, session).await?;
    }
    Ok(prepared)
}

/// Checks that the parents are there whose arrays the documents come back to, and that these have room for them.
async fn have_room(
    db: &Database,
    edges: &'static Edges,
    meta: &'static ModelMeta,
    (filter, strings): &(Document, Strings),
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let collection = meta.collection;
    let mut fields = Document::new();
    for link in edges.links_of(collection).filter(|link| link.is_two_way()) {
        fields.extend(doc! { "_id": 1, link.row: 1 });
    }
    if fields.is_empty() {
        return Ok(());
    }
    let args = FindArgs {
        projection: Some(fields),
        strings: *strings,
        ..FindArgs::default()
    };
    let held = session.as_deref_mut();
    let mut rows = driver::open(db, collection, filter.clone(), args, held).await?;
    let mut children: Vec<Document> = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        children.extend(row);
    }
    drop(rows);
    let belongs = |link: &Link| {
        let pair = |child: &Document| (id_of_document(child), link.referred(child));
        let pairs: Vec<(Bson, Vec<Bson>)> = children.iter().map(pair).collect();
        pairs
    };
    two_way::check_capacity(db, edges, collection, belongs, &[], session).await
}

/// One update, where no other document follows: of many if it compares strings in some way.
async fn plainly(
    db: &Database,
    meta: &'static ModelMeta,
    mark: Mark,
    filter: Document,
    many: Option<Strings>,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let args = UpdateArgs {
        strings: many.unwrap_or(Strings::Exactly),
        ..UpdateArgs::plain(filter, stamps::marking(meta, mark), many.is_some())
    };
    let result = driver::update(db, meta.collection, args, session).await?;
    Ok(Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    })
}
