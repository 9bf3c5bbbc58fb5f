//! D2: the references to deleted documents follow their delete rules, and the parents of those documents lose their entries.

use std::collections::HashSet;

use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::op::{DeleteOperation, ROUNDS};
use super::pages::{self, ids, page};
use super::run::{Which, delete};
use super::{resume, tomb};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::driver::command::Statements;
use crate::driver::{self, ClientSession};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::{Keys, Relation};
use crate::graph::source::Source;
use crate::outbox;
use crate::outcome::progress::Tell;
use crate::propagation::source::Left;
use crate::propagation::{counter, links, source};
use crate::schema::outbox::Outbox;
use crate::schema::relation::OnDelete;
use crate::schema::stored;

/// The largest number of deleted documents that one update of their parents covers.
const TOLD: usize = 2_500;

impl DeleteOperation<'_, '_> {
    /// D2 of all marked documents.
    pub(crate) fn follow<'f>(
        &'f mut self,
        mut session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            loop {
                let mut late = 0;
                for collection in self.plan.entombed() {
                    let all = tomb::match_entombed(self.token);
                    let mut rows = self
                        .members(collection, all, session.as_deref_mut())
                        .await?;
                    loop {
                        let marked = page(&mut rows).await?;
                        if marked.is_empty() {
                            break;
                        }
                        self.follow_page(collection, &marked, rows.session())
                            .await?;
                        late += self
                            .mark_children(collection, &marked, rows.session())
                            .await?;
                        self.heartbeat(rows.session()).await?;
                    }
                }
                if late == 0 {
                    return Ok(());
                }
                // Other writers stored these documents since the walk down.
                self.descend(session.as_deref_mut()).await?;
            }
        })
    }

    /// D2: the references to these documents of one collection, which have tombstones, follow their rules. A repetition does no harm.
    pub(crate) async fn follow_page(
        &mut self,
        collection: &str,
        page: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        for relation in self.plan.relations.to(collection) {
            self.follow_relation(relation, page, session.as_deref_mut())
                .await?;
        }
        Ok(())
    }

    /// Repeats D2 after D3, for references that no mark records. If a document was stored under the same key meanwhile, a reference to that
    /// key belongs to the new document.
    pub(crate) async fn follow_unmarked(&mut self, page: &[Document]) -> Result<()> {
        let relations = self.plan.relations.to(self.plan.root);
        for relation in relations.filter(|relation| relation.acts() && !relation.edge.marks()) {
            let keys: Vec<Bson> = page.iter().filter_map(|one| relation.key(one)).collect();
            let (root, key) = (self.plan.root, relation.edge.key);
            let mut fields = doc! { "_id": 0 };
            fields.extend(
                relation
                    .key_fields()
                    .map(|name| (name.to_owned(), 1.into())),
            );
            let again = driver::read_by(self.db, root, key, &keys, &fields, None).await?;
            let known = |one: &Document| -> Vec<Option<IdKey>> {
                let values = relation.key_fields().map(|name| one.get(name));
                values.map(|value| value.map(IdKey::new)).collect()
            };
            let again: HashSet<Vec<Option<IdKey>>> = again.iter().map(known).collect();
            let gone = |one: &&Document| !again.contains(&known(one));
            let gone: Vec<Document> = page.iter().filter(gone).cloned().collect();
            self.follow_relation(relation, &gone, None).await?;
        }
        Ok(())
    }

    async fn follow_relation(
        &mut self,
        relation: &'static Relation,
        page: &[Document],
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let in_session = session.is_some();
        let all = relation.keys(page);
        if all.is_empty() {
            return Ok(());
        }
        let child = relation.child();
        if relation.rule == OnDelete::Cascade && self.plan.is_leaf(child) {
            return self.leaves(relation, page, session).await;
        }
        let updates = all.iter().filter_map(|of| relation.applied(of));
        let updates: Vec<Document> = updates.collect();
        if updates.is_empty() {
            return Ok(());
        }
        let done = relation.send(self.db, &updates, session).await?;
        check_sent(relation, &done)?;
        self.out.changed += done.modified;
        self.tell.changed(done.modified);
        fault!("mid_d2");
        if in_session {
            return Ok(());
        }
        for keys in &all {
            relation.follow(self.db, keys, doc! {}).await?;
        }
        Ok(())
    }

    /// D2 of documents that nothing refers to: one `delete`. It removes only those whose copies show that they refer to the deleted parent,
    /// and not to a parent that was stored under its key later, because the command may arrive late. Derived data about these documents is
    /// deleted together with their parents. If another parent has not been updated yet, perhaps after a document left it, those few
    /// documents are finished first, and deleted then.
    async fn leaves(
        &mut self,
        relation: &'static Relation,
        page: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let child = relation.child();
        let kept = Edges::get().links_of(child).next().is_some();
        // In a session the command cannot arrive late, because it is part of the transaction.
        let guarded = self.plan.compares_revisions(relation) && session.is_none();
        let of: Vec<Document> = match guarded {
            true => page
                .chunks(COMPARED)
                .flat_map(|some| older(relation, some))
                .collect(),
            false => referring(relation, page),
        };
        for _ in 0..ROUNDS {
            let deletes: Vec<Document> = of
                .iter()
                .map(|of| {
                    let q = match kept {
                        true => doc! { "$and": [of, self.finished(child)] },
                        false => of.clone(),
                    };
                    let mut delete = doc! { "q": q, "limit": 0 };
                    if let Some(hint) = relation.hint() {
                        delete.insert("hint", hint);
                    }
                    delete
                })
                .collect();
            let asked = session.as_deref_mut();
            let done = driver::deletes(self.db, child, &deletes, asked).await?;
            check_sent(relation, &done)?;
            self.out.cascaded += done.matched;
            self.tell.deleted(done.matched);
            fault!("mid_d2");
            let mut again = false;
            for of in of.iter().filter(|_| kept) {
                again |= self
                    .unfinished(relation, of, session.as_deref_mut())
                    .await?;
            }
            if !again {
                let moved = relation.keys(page).into_iter().filter(|_| guarded);
                for parents in moved {
                    self.delete_moved(relation, &parents).await?;
                }
                return Ok(());
            }
        }
        Err(Error::Busy {
            what: format!("what goes along {}", relation.shown()),
        })
    }

    /// D2 of documents that another program has changed to refer to the deleted parent: their copies have the revision of the former
    /// parent, which may be newer. If a parent still has its tombstone after its children were read, it was not stored again before the
    /// read.
    async fn delete_moved(&mut self, relation: &'static Relation, parents: &Keys) -> Result<()> {
        let args = pages::args(relation, doc! { "_id": 1 });
        let referring = relation.referring(parents);
        let mut rows = pages::open(self.db, relation, referring, args, None).await?;
        loop {
            let moved = ids(&page(&mut rows).await?);
            if moved.is_empty() {
                return Ok(());
            }
            let mut entombed = tomb::match_entombed(self.token);
            entombed.insert(relation.edge.key, doc! { "$in": &parents.values });
            let collection = relation.edge.source.collection;
            let mut entombed = self.members(collection, entombed, None).await?;
            // The parents belong to one tenant.
            let mut entombed = relation.keys(&page(&mut entombed).await?);
            let of_them = relation.referring(&entombed.pop().unwrap_or_default());
            let these = doc! { "$and": [{ "_id": { "$in": moved } }, of_them] };
            let which = Which::matching(these);
            let mut tell = Tell::default();
            let gone = delete(self.db, relation.edge.target, which, None, &mut tell);
            self.out.cascaded += Box::pin(gone).await?.deleted;
        }
    }

    /// The filter of documents whose parents are up to date, and whose copies have been compared with their sources.
    fn finished(&self, collection: &str) -> Document {
        let mut names = Edges::get().flagged(collection);
        names.push(tomb::NAME);
        let absent = doc! { "$exists": false };
        doc! {
            stored::PENDING: { "$nin": names },
            stored::UNCOUNTED_FIRST: &absent,
            stored::UNVERIFIED_FIRST: absent,
        }
    }

    /// Updates the parents of those documents of this reference that still exist; returns whether some of them may have to be deleted now.
    /// In a session this is done after the commit.
    async fn unfinished(
        &mut self,
        relation: &'static Relation,
        of: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<bool> {
        let (child, in_session) = (relation.child(), session.is_some());
        // Flagged or not: a writer may have removed the last flag after the delete had passed over the document, with a read from before
        // the tombstone.
        let args = pages::args(relation, doc! { "_id": 1 });
        let mut rows = pages::open(self.db, relation, of.clone(), args, session).await?;
        let mut any = false;
        loop {
            let some = ids(&page(&mut rows).await?);
            if some.is_empty() {
                return Ok(any && !in_session);
            }
            any = true;
            if in_session {
                self.out.cascaded += some.len() as u64;
                continue;
            }
            let these = doc! { "_id": { "$in": some } };
            let with = |flag: &str, value: Bson| {
                let mut filter = these.clone();
                filter.insert(flag, value);
                filter
            };
            let there: Bson = doc! { "$exists": true }.into();
            let entombed = with(stored::TOMBSTONE, there.clone());
            resume::help(self.db, child, entombed).await?;
            let pending = with(
                stored::PENDING,
                doc! { "$in": Edges::get().flagged(child) }.into(),
            );
            let left = source::resume(self.db, child, pending, &mut |_| true).await?;
            check_accepted(&left)?;
            let counted = with(stored::UNCOUNTED_TOKEN, there);
            counter::resume(self.db, child, counted, &mut |_| true).await?;
            // A document that has not been compared may have been stored after a new parent: it is deleted by itself, and all its parents
            // are updated.
            let marked = with(stored::UNVERIFIED_TOKEN, doc! { "$exists": true }.into());
            let marked = doc! { "$and": [of, marked] };
            let mut tell = Tell::default();
            let target = relation.edge.target;
            let gone = delete(self.db, target, Which::matching(marked), None, &mut tell);
            let gone = Box::pin(gone).await?;
            self.out.cascaded += gone.deleted;
        }
    }

    /// D3 of the marked documents in a collection whose parents store derived data: page by page, the parents lose the documents, and then
    /// the page is deleted. Never deletes a document that was marked after its parents were updated. Returns the number of deleted
    /// documents.
    pub(crate) async fn leave_and_bury(&mut self, collection: &'static str) -> Result<u64> {
        let mut gone = 0;
        loop {
            let mut of = tomb::match_entombed(self.token);
            of.insert(stored::DELETE, doc! { "$exists": false });
            let mut rows = self.members(collection, of, None).await?;
            let marked = ids(&page(&mut rows).await?);
            drop(rows);
            if marked.is_empty() {
                return Ok(gone);
            }
            self.leave_page(collection, &marked).await?;
            self.heartbeat(None).await?;
            let q = doc! { "_id": { "$in": marked }, stored::TOMBSTONE: self.token };
            let delete = doc! { "q": q, "limit": 0, "hint": { "_id": 1 } };
            let done = driver::deletes(self.db, collection, &[delete], None).await?;
            gone += done.matched;
            self.tell.deleted(done.matched);
        }
    }

    /// Removes these documents from the derived data of their parents, and delivers what they hold for logs.
    pub(crate) fn leave_page<'f>(
        &'f mut self,
        collection: &'f str,
        ids: &'f [Bson],
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            for outbox in Outbox::find_all(collection) {
                let these = doc! { "_id": { "$in": ids } };
                Box::pin(outbox::deliver(self.db, collection, outbox, these)).await?;
            }
            let (db, token, history) = (self.db, self.token, Outbox::History);
            Box::pin(outbox::deliver_last(db, (collection, history), ids, token)).await?;
            let may_emit = self.helping || !self.events.is_empty();
            if may_emit && collection == self.plan.root {
                let events = (collection, Outbox::Events);
                Box::pin(outbox::deliver_last(db, events, ids, token)).await?;
            }
            if Edges::get().links_of(collection).next().is_none() {
                return Ok(());
            }
            self.leave_lists(collection, ids).await?;
            let these = doc! { "_id": { "$in": ids }, stored::TOMBSTONE: self.token };
            counter::subtract_children(self.db, collection, &these).await
        })
    }

    async fn leave_lists(&mut self, collection: &str, ids: &[Bson]) -> Result<()> {
        let fields = source::fields(collection);
        for ids in ids.chunks(TOLD) {
            let read = driver::durable_read(self.db, collection, "_id", ids, &fields).await?;
            let gone = read
                .into_iter()
                .map(Source::read)
                .filter(|source| source.deleted);
            let told = source::fan_out_sources(self.db, collection, gone.collect(), &[]).await?;
            check_accepted(&told)?;
            links::collect_refills(&mut self.refill, told.refill);
        }
        Ok(())
    }
}

/// The largest number of deleted documents whose revisions one command compares with those of copies.
const COMPARED: usize = 100;

/// The filters of references to these documents, which have tombstones, and not to documents that were stored under their keys later:
/// copies of the latter are newer.
fn older(relation: &Relation, page: &[Document]) -> Vec<Document> {
    let each = page.iter().filter_map(|one| {
        let keys = relation.keys(std::slice::from_ref(one)).pop()?;
        let dn = one.get_document(stored::OWN).ok();
        let r = dn.and_then(|dn| integer(dn.get(stored::key::REVISION)));
        let mut older = relation.edge.place.holding(keys.values.first()?, r);
        older.extend(relation.inside(&keys));
        Some(older)
    });
    let each: Vec<Document> = each.collect();
    if each.len() < 2 {
        return each;
    }
    let all = referring(relation, page).into_iter();
    all.map(|all| doc! { "$and": [all, { "$or": &each }] })
        .collect()
}

/// The filters of references to these documents, one for each tenant of the documents.
fn referring(relation: &Relation, page: &[Document]) -> Vec<Document> {
    let all = relation.keys(page);
    all.iter().map(|keys| relation.referring(keys)).collect()
}

/// Checks that the server refused no update of a parent.
fn check_accepted(left: &Left) -> Result<()> {
    match left.pending.first() {
        None => Ok(()),
        Some(refused) => Err(Error::Refused {
            reference: refused.reference().to_owned(),
            code: 0,
            message: refused.reason().unwrap_or_default().to_owned(),
        }),
    }
}

/// Checks that the server executed all statements that were sent along a relation.
fn check_sent(relation: &Relation, done: &Statements) -> Result<()> {
    source::check_index(relation.edge, done)?;
    source::check_accepted(relation.edge, done)
}
