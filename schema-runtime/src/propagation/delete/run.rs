//! A call that deletes documents: the documents and the way in which it deletes them, page by page.

mod plain;
mod steps;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use self::plain::Removal;
pub(crate) use self::plain::{Marked, Marker, soft_delete};
use self::steps::{delete_marked, mark_page, take_back};
use super::check::Check;
use super::indexes::check_indexes;
use super::op::DeleteOperation;
use super::pages::{PAGE, ids, page};
use super::plan::{Plan, Way};
use super::resume;
use crate::bson_util::stored_id::id_in_filter;
use crate::driver::{self, ClientSession, Database, FindArgs, Strings};
use crate::error::{Error, Result};
use crate::finisher;
use crate::graph::edges::Edges;
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::outcome::{Pending, What};
use crate::propagation::counter::CountToken;
use crate::propagation::links;
use crate::propagation::links::ToRefill;
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tenant::{demanded_tenant, tenant_field};

/// The choice of the documents to delete.
#[derive(Debug, Clone)]
pub(crate) enum Which {
    /// The document with this `_id`, which must exist, and the events that its delete emits.
    One(Document, Vec<Bson>),
    /// All documents that match a filter, with this comparison of strings, and the events that each of them emits.
    Many(Document, Strings, Vec<Bson>),
}

impl Which {
    /// All documents that match a filter byte by byte. They emit nothing.
    pub(crate) fn matching(filter: Document) -> Self {
        Which::Many(filter, Strings::Exactly, Vec::new())
    }
}

/// The largest number of times that a delete is started, because another program undid it or had begun one.
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
            Removal::Remove => Plan::plan_delete(meta.collection),
            Removal::Mark(_) => Plan::plan_soft_delete(meta.collection),
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
                Which::One(..) => Strings::Exactly,
                Which::Many(_, strings, _) => strings,
            },
            events: match &which {
                Which::One(_, events) | Which::Many(_, _, events) => events.clone(),
            },
        };
        if plan.way == Way::Entombed {
            edges.in_no_circle()?;
            check_indexes(db, &plan).await?;
        }
        let in_session = session.is_some();
        let asked = session.as_deref_mut();
        match (plan.way, &which) {
            (Way::Plain, Which::One(filter, _)) => {
                run.out.deleted = run.delete_plain(filter.clone(), false, asked).await?;
            }
            (Way::Plain, Which::Many(filter, ..)) => {
                run.out.deleted = run.delete_plain(filter.clone(), true, asked).await?;
            }
            (_, Which::One(filter, _)) => {
                edges.in_no_circle()?;
                let page = run.read_one(filter, asked).await?;
                if plan.denied {
                    run.check_refusals(std::slice::from_ref(&page), session.as_deref_mut())
                        .await?;
                }
                let mut beside = filter.clone();
                beside.remove("_id");
                let done = run.delete_page(vec![page], &beside, session).await;
                run.refill_lists(done, in_session).await?;
            }
            (_, Which::Many(filter, ..)) => {
                edges.in_no_circle()?;
                let done = run.delete_many(filter, session).await;
                run.refill_lists(done, in_session).await?;
            }
        }
        match which {
            Which::One(filter, _) if run.out.deleted == 0 => Err(Error::NotFound {
                model: meta.name,
                id: Box::new(id_in_filter(&filter)),
            }),
            _ => Ok(run.out),
        }
    })
}

struct Run<'a, 't> {
    /// The way in which the filter of the call compares strings.
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
    /// The events that each document of the call emits.
    events: Vec<Bson>,
}

impl Run<'_, '_> {
    /// Refills the lists of parents that stay, and adds to an error the work that was done before it.
    async fn refill_lists(&mut self, done: Result<()>, in_session: bool) -> Result<()> {
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
    async fn read_one(
        &self,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Document> {
        let fields = self.plan.fields(self.plan.root);
        let id = id_in_filter(filter);
        let tenant = tenant_field(self.meta);
        let tells = self.plan.denied && tenant.is_some();
        if fields.len() == 1 && !tells || self.plan.way == Way::Entombed && !self.plan.denied {
            return Ok(doc! { "_id": id });
        }
        let not_found = |id: Bson| Error::NotFound {
            model: self.meta.name,
            id: Box::new(id),
        };
        // The error of a refused delete names the referring documents: no caller gets it for a document of another tenant.
        let own = tenant.and_then(|field| Some((field, demanded_tenant(field, filter)?)));
        if let Some((field, tenant)) = own {
            let own = doc! { "_id": { "$eq": &id }, field: { "$eq": tenant } };
            let args = FindArgs {
                projection: Some(fields),
                ..FindArgs::default()
            };
            let root = self.plan.root;
            let found = driver::first(self.db, root, own, args, session, driver::unpack).await?;
            return found.ok_or_else(|| not_found(id));
        }
        let asked = [id.clone()];
        let read =
            driver::read_by(self.db, self.plan.root, "_id", &asked, &fields, session).await?;
        read.into_iter().next().ok_or_else(|| not_found(id))
    }

    /// Checks that nothing refuses the deletion of these documents.
    async fn check_refusals(
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

    async fn delete_many(
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
            return self.delete_page(page, filter, session).await;
        }
        let mut rows = driver::open(self.db, root, filter.clone(), args(), session).await?;
        loop {
            let roots = page(&mut rows).await?;
            if roots.is_empty() {
                return Ok(());
            }
            // Other references may have come since the check of all documents; a delete with tombstones checks again by itself.
            if self.plan.way == Way::Checked {
                self.check_refusals(&roots, rows.session()).await?;
            }
            self.delete_page(roots, filter, rows.session()).await?;
        }
    }

    /// Deletes some documents of the collection of the call, if they still match the filter.
    async fn delete_page(
        &mut self,
        page: Vec<Document>,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        if self.plan.way == Way::Checked {
            return self.delete_checked(page, filter, session).await;
        }
        match session {
            Some(session) => self.delete_in_session(page, filter, session).await,
            None => self.delete_entombed(page, filter).await,
        }
    }

    /// Deletes a page with tombstones, outside of a session.
    async fn delete_entombed(&mut self, mut page: Vec<Document>, filter: &Document) -> Result<()> {
        for tries in 0..TRIES {
            let mut op = DeleteOperation::new(self.db, self.plan, ObjectId::new(), &mut *self.tell);
            op.strings = self.strings;
            op.events.clone_from(&self.events);
            let alone = page.len() == 1 && finisher::is_behind();
            op.leaves = (alone && self.plan.only_leaves()).then(CountToken::now);
            fault!("before_d1");
            let done = match mark_page(&mut op, &page, filter, None).await {
                Ok(Some(marked)) => delete_marked(&mut op, &marked).await,
                Ok(None) => {
                    // None of the documents exists, or each has the tombstone of another delete.
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
            links::collect_refills(&mut self.refill, std::mem::take(&mut op.refill));
            let done = match done {
                // Another program took this delete for one that was left behind, and finished it.
                Err(Error::Unsettled { .. }) if op.certain || op.is_gone().await? => {
                    // Or it undid this delete, and another one has deleted the leader: the others are looked for again.
                    if !op.certain && page.len() > 1 {
                        page.retain(|one| one.get("_id") != Some(&op.leader));
                        continue;
                    }
                    op.out.deleted = op.roots;
                    Ok(())
                }
                // Another program has undone this delete.
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
            self.out.deleted += op.out.deleted;
            self.out.cascaded += op.out.cascaded;
            self.out.changed += op.out.changed;
            if done.is_err() || !op.incomplete {
                return done;
            }
            let others = op.match_others(&ids(&page));
            page = op.read_roots(others.clone(), None).await?;
            if page.is_empty() {
                return done;
            }
            resume::help_after(self.db, self.plan.root, others, tries).await?;
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

    /// Deletes a page with tombstones, in a session: the documents are deleted after the commit.
    fn delete_in_session<'f>(
        &'f mut self,
        page: Vec<Document>,
        filter: &'f Document,
        session: &'f mut ClientSession,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let mut op = DeleteOperation::new(self.db, self.plan, ObjectId::new(), &mut *self.tell);
            op.strings = self.strings;
            op.events.clone_from(&self.events);
            let Some(page) = mark_page(&mut op, &page, filter, Some(&mut *session)).await? else {
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
