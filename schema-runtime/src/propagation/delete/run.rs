//! One call: the documents that it deletes and the way it deletes them, page by page.

mod plain;

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use self::plain::Removal;
pub(crate) use self::plain::{Marked, Marker, soft_delete};
use super::check::{Check, PAGE, ids, page};
use super::indexes::check_indexes;
use super::op::DeleteOperation;
use super::plan::{Plan, Way};
use super::resume;
use crate::bson_util::stored_id::id_in_filter;
use crate::driver::{Acknowledged, FindArgs, Strings};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::outcome::{Pending, What};
use crate::propagation::counter::CountToken;
use crate::propagation::links;
use crate::propagation::links::ToRefill;
use crate::propagation::parents::{Finished, ParentChanges};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// Which documents are deleted.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    /// The one with this `_id`, which must exist.
    One(Document),
    /// All that match a filter, with this comparison of strings.
    Many(Document, Strings),
}

/// How often a delete that another program undid is started again.
const TRIES: u32 = 5;

/// Deletes documents, and applies the delete rules of the references to them.
pub(crate) fn delete<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    which: Which,
    session: Option<&'f mut ClientSession>,
    tell: &'f mut Tell<'_>,
) -> BoxFuture<'f, Result<Deleted>> {
    delete_by(db, meta, which, Removal::Remove, session, tell)
}

fn delete_by<'f>(
    db: &'f Database,
    meta: &'static ModelMeta,
    which: Which,
    removal: Removal<'f>,
    mut session: Option<&'f mut ClientSession>,
    tell: &'f mut Tell<'_>,
) -> BoxFuture<'f, Result<Deleted>> {
    Box::pin(async move {
        let plan = match removal {
            Removal::Remove => Plan::of(meta.collection),
            Removal::Mark(_) => Plan::of_mark(meta.collection),
        };
        let edges = Edges::get();
        let mut run = Run {
            db,
            meta,
            plan: &plan,
            removal,
            out: Deleted::default(),
            tell,
            refill: ToRefill::new(),
            unfinished: false,
            strings: match which {
                Which::One(_) => Strings::Exactly,
                Which::Many(_, strings) => strings,
            },
        };
        if plan.way == Way::Entombed {
            edges.in_no_circle()?;
            check_indexes(db, &plan).await?;
        }
        let in_session = session.is_some();
        let asked = session.as_deref_mut();
        match (plan.way, &which) {
            (Way::Plain, Which::One(filter)) => {
                run.out.deleted = run.remove(filter.clone(), false, asked).await?;
            }
            (Way::Plain, Which::Many(filter, _)) => {
                run.out.deleted = run.remove(filter.clone(), true, asked).await?;
            }
            (_, Which::One(filter)) => {
                edges.in_no_circle()?;
                let page = run.one(filter, asked).await?;
                if plan.denied {
                    run.refused(std::slice::from_ref(&page), session.as_deref_mut())
                        .await?;
                }
                let mut beside = filter.clone();
                beside.remove("_id");
                let done = run.page(vec![page], &beside, session).await;
                run.end(done, in_session).await?;
            }
            (_, Which::Many(filter, _)) => {
                edges.in_no_circle()?;
                let done = run.many(filter, session).await;
                run.end(done, in_session).await?;
            }
        }
        match which {
            Which::One(filter) if run.out.deleted == 0 => Err(Error::NotFound {
                model: meta.name,
                id: Box::new(id_in_filter(&filter)),
            }),
            _ => Ok(run.out),
        }
    })
}

struct Run<'a, 't> {
    /// How the filter of the call compares strings.
    strings: Strings,
    db: &'a Database,
    meta: &'static ModelMeta,
    plan: &'a Plan,
    removal: Removal<'a>,
    out: Deleted,
    tell: &'a mut Tell<'t>,
    /// The lists that have lost children, each to be refilled once.
    refill: ToRefill,
    /// True if documents are left with tombstones that another program will delete.
    unfinished: bool,
}

impl Run<'_, '_> {
    /// Refills the lists of parents that stay, and adds to an error what was done before it.
    async fn end(&mut self, done: Result<()>, in_session: bool) -> Result<()> {
        let filled = links::refill(self.db, std::mem::take(&mut self.refill)).await;
        let done = done.and(filled);
        if in_session || self.out.deleted + self.out.cascaded == 0 && !self.unfinished {
            return done;
        }
        done.map_err(|source| Error::DeletedInPart {
            model: self.meta.name,
            deleted: self.out.deleted,
            marked: self.unfinished,
            source: Box::new(source),
        })
    }

    /// The document with this `_id`, with the fields that references to it hold.
    async fn one(
        &self,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Document> {
        let fields = self.plan.fields(self.plan.root);
        let id = id_in_filter(filter);
        if fields.len() == 1 || self.plan.way == Way::Entombed && !self.plan.denied {
            return Ok(doc! { "_id": id });
        }
        let asked = [id.clone()];
        let read =
            driver::read_by(self.db, self.plan.root, "_id", &asked, &fields, session).await?;
        read.into_iter().next().ok_or_else(|| Error::NotFound {
            model: self.meta.name,
            id: Box::new(id),
        })
    }

    /// Checks that nothing refuses the deletion of these documents.
    async fn refused(
        &mut self,
        page: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut check = Check::new(self.db, self.plan, self.tell);
        check.roots(page, session.as_deref_mut()).await?;
        if self.plan.is_entangled() {
            check.again();
            check.roots(page, session).await?;
        }
        Ok(())
    }

    async fn many(
        &mut self,
        filter: &Document,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let args = || FindArgs {
            projection: Some(self.plan.fields(self.plan.root)),
            batch_size: u32::try_from(PAGE).ok(),
            strings: self.strings,
            ..FindArgs::default()
        };
        let root = self.plan.root;
        let passes = match (self.plan.denied, self.plan.is_entangled()) {
            (false, _) => 0,
            (true, false) => 1,
            (true, true) => 2,
        };
        let mut check = Check::new(self.db, self.plan, self.tell);
        let mut only = None;
        for pass in 0..passes {
            if pass == 1 {
                check.again();
            }
            let asked = session.as_deref_mut();
            let mut rows = driver::open(self.db, root, filter.clone(), args(), asked).await?;
            let mut pages = 0;
            loop {
                let roots = page(&mut rows).await?;
                if roots.is_empty() {
                    break;
                }
                check.roots(&roots, rows.session()).await?;
                pages += 1;
                only = (pages == 1).then_some(roots);
            }
            if pages == 0 {
                return Ok(());
            }
        }
        if let Some(page) = only {
            return self.page(page, filter, session).await;
        }
        let mut rows = driver::open(self.db, root, filter.clone(), args(), session).await?;
        loop {
            let roots = page(&mut rows).await?;
            if roots.is_empty() {
                return Ok(());
            }
            // Other references may have come since the check of all documents; a delete with tombstones checks again by itself.
            if self.plan.way == Way::Checked {
                self.refused(&roots, rows.session()).await?;
            }
            self.page(roots, filter, rows.session()).await?;
        }
    }

    /// Deletes some documents of the collection of the call, as far as they still match the filter.
    async fn page(
        &mut self,
        page: Vec<Document>,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        if self.plan.way == Way::Checked {
            return self.checked(page, filter, session).await;
        }
        match session {
            Some(session) => self.inside(page, filter, session).await,
            None => self.entombed(page, filter).await,
        }
    }

    /// With tombstones, outside of a session.
    async fn entombed(&mut self, page: Vec<Document>, filter: &Document) -> Result<()> {
        for tries in 0..TRIES {
            let mut op = DeleteOperation::new(self.db, self.plan, ObjectId::new(), &mut *self.tell);
            op.strings = self.strings;
            let alone = page.len() == 1 && finisher::is_behind();
            op.leaves = (alone && self.plan.only_leaves()).then(CountToken::now);
            fault!("before_d1");
            let done = match begin(&mut op, &page, filter, None).await {
                Ok(Some(marked)) => leave(&mut op, &marked).await,
                Ok(None) => {
                    // There is no such document, or each has the tombstone of another delete.
                    let entombed = doc! {
                        "_id": { "$in": ids(&page) },
                        stored::TOMBSTONE: { "$exists": true },
                    };
                    let (db, root) = (self.db, self.plan.root);
                    if resume::help_after(db, root, entombed, tries).await? {
                        continue;
                    }
                    return Ok(());
                }
                Err(error) => Err(error),
            };
            links::later(&mut self.refill, std::mem::take(&mut op.refill));
            let done = match done {
                // Another program took it for one that was left behind, and finished it.
                Err(Error::Unsettled { .. }) if op.certain || op.is_gone().await? => {
                    op.out.deleted = op.roots;
                    Ok(())
                }
                // Or undid it.
                Err(Error::Unsettled { .. }) => continue,
                Err(error) if !op.certain => {
                    let unknown = driver::outcome_unknown(&error);
                    let (error, back) = take_back(&mut op, &page, error).await;
                    self.unfinished |= unknown && !back;
                    return Err(error);
                }
                done => done,
            };
            self.unfinished |= done.is_err();
            let out = op.out;
            self.out.deleted += out.deleted;
            self.out.cascaded += out.cascaded;
            self.out.changed += out.changed;
            return done;
        }
        Err(Error::Unsettled {
            model: self.meta.name,
            id: Box::new(
                page.first()
                    .and_then(|one| one.get("_id"))
                    .cloned()
                    .unwrap_or(Bson::Null),
            ),
        })
    }

    /// With tombstones, for documents that are deleted after the commit.
    fn inside<'f>(
        &'f mut self,
        page: Vec<Document>,
        filter: &'f Document,
        session: &'f mut ClientSession,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let mut op = DeleteOperation::new(self.db, self.plan, ObjectId::new(), &mut *self.tell);
            op.strings = self.strings;
            let Some(page) = begin(&mut op, &page, filter, Some(&mut *session)).await? else {
                return Ok(());
            };
            if self.plan.is_deep() {
                op.descend(Some(&mut *session)).await?;
                op.follow(Some(session)).await?;
            } else {
                op.follow_page(self.plan.root, &page, Some(session)).await?;
            }
            self.out.deleted += op.roots;
            self.out.cascaded += op.out.cascaded + op.marked;
            self.out.changed += op.out.changed;
            self.out.pending.push(Pending {
                edge: self.plan.root.to_owned(),
                collection: self.plan.root.to_owned(),
                what: What::Delete(op.leader, op.token),
                reason: None,
            });
            Ok(())
        })
    }
}

/// D1 of some documents, a leader first; returns those that got the tombstone. `None` if there is none.
async fn begin(
    op: &mut DeleteOperation<'_, '_>,
    page: &[Document],
    filter: &Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Vec<Document>>> {
    for (at, candidate) in page.iter().enumerate() {
        op.leader = candidate.get("_id").cloned().unwrap_or(Bson::Null);
        let Some(leader) = op.mark_root(filter, session.as_deref_mut()).await? else {
            continue;
        };
        let mut marked = vec![leader];
        let others = &page[at + 1..];
        if !others.is_empty() {
            let filter = match filter.is_empty() {
                true => Document::new(),
                false => doc! { "$and": [filter.clone()] },
            };
            let (root, ids) = (op.plan.root, ids(others));
            let asked = session.as_deref_mut();
            let all = op.mark(root, &ids, (filter, op.strings), asked).await?;
            op.roots += all;
            // A document that does not match the filter any more stays, with all references to it; and a key that references hold may have
            // changed meanwhile.
            if all == others.len() as u64 && op.plan.fields(root).len() == 1 {
                marked.extend_from_slice(others);
            } else {
                marked.extend(op.marked_among(&ids, session).await?);
            }
        }
        return Ok(Some(marked));
    }
    Ok(None)
}

/// Clears the tombstones of a delete that failed before it was certain. Returns why it failed, and whether they are cleared.
async fn take_back(
    op: &mut DeleteOperation<'_, '_>,
    page: &[Document],
    error: Error,
) -> (Error, bool) {
    let mut others = ids(page);
    others.retain(|id| *id != op.leader);
    let only = (!op.plan.is_deep()).then_some(others.as_slice());
    match op.undo(only).await {
        Ok(()) => (error, true),
        // Another program has cleared them; or the answer that made the delete certain was lost.
        Err(Error::Unsettled { .. }) => (error, false),
        // The remaining tombstones matter more than the refusal, so report that error.
        Err(failed) if matches!(error, Error::Referenced { .. }) => (failed, false),
        Err(_) => (error, false),
    }
}

/// Everything after D1. If only parents have to follow, all of them are updated at once; their marks go behind the answer.
async fn leave(op: &mut DeleteOperation<'_, '_>, page: &[Document]) -> Result<()> {
    let (Some(leaves), [child]) = (op.leaves, page) else {
        return finish(op, page).await;
    };
    fault!("after_d1");
    let child = Arc::new(Source::read(child.clone()));
    // An earlier writer may have left a count flag: it must be counted before the document is gone.
    let others = flags::marks(&child.fields, stored::key::UNCOUNTED)
        .any(|flag| !flags::has_token([flag].into_iter(), leaves.token));
    let changes = match others {
        true => None,
        false => ParentChanges::plan(op.db, op.plan.root, &[child], Some(leaves)),
    };
    let mut tickets = Vec::new();
    if let Some(changes) = changes {
        // The document is gone afterwards: nothing would find that the parents have not followed.
        let applied = changes.apply(op.db, &Acknowledged::Durable).await;
        tickets = applied.tickets;
        if applied.all {
            fault!("after_d2");
            fault!("before_d3");
            op.bury_page(&[]).await?;
            fault!("after_d3");
            tickets
                .into_iter()
                .for_each(|ticket| ticket.finish(Finished::Confirmed));
            return Ok(());
        }
    }
    finish(op, page).await?;
    tickets
        .into_iter()
        .for_each(|ticket| ticket.finish(Finished::Changed));
    Ok(())
}

/// Everything after D1.
fn finish<'f>(
    op: &'f mut DeleteOperation<'_, '_>,
    page: &'f [Document],
) -> BoxFuture<'f, Result<()>> {
    Box::pin(async move {
        fault!("after_d1");
        let deep = op.plan.is_deep();
        let others = ids(&page[1..]);
        if op.plan.denied {
            if deep {
                op.descend(None).await?;
            }
            fault!("after_freeze");
            if deep {
                op.check().await?;
            } else {
                op.check_page(op.plan.root, page).await?;
            }
            op.commit().await?;
        } else if deep {
            op.descend(None).await?;
        }
        if deep {
            op.follow(None).await?;
        } else {
            op.follow_page(op.plan.root, page, None).await?;
            op.leave_page(op.plan.root, &ids(page)).await?;
        }
        fault!("after_d2");
        fault!("before_d3");
        if deep {
            op.bury().await?;
        } else {
            op.bury_page(&others).await?;
        }
        fault!("after_d3");
        // References that were stored meanwhile without a mark.
        op.follow_unmarked(page).await
    })
}
