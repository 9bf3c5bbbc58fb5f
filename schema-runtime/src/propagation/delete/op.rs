//! A delete with tombstones: the steps D1 and D3, and how the delete is undone.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::future::BoxFuture;
use mongodb::options::UpdateModifications;

use super::indexes::open_hinted;
use super::pages::{self, PAGE, ids, page};
use super::plan::Plan;
use super::refusals::{Going, RefusalCheck};
use super::resume;
use super::tomb::{self, Part, State};
use crate::driver::command::Statements;
use crate::driver::rows::Rows;
use crate::driver::{self, ClientSession, Database, FindArgs, Lasting, Strings, UpdateArgs};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::outcome::deleted::Deleted;
use crate::outcome::progress::Tell;
use crate::propagation::counter::CountToken;
use crate::propagation::links::ToRefill;
use crate::propagation::{counter, source};
use crate::schema::stored;

/// The largest number of times that the first tombstone is sent again after its answer was lost.
const RETRIES: usize = 2;

/// The largest number of times that a delete waits for documents that carry the tombstone of another delete.
pub(crate) const ROUNDS: usize = 8;

/// A delete: everything that carries one tombstone.
pub(crate) struct DeleteOperation<'a, 't> {
    pub(crate) db: &'a Database,
    pub(crate) plan: &'a Plan,
    pub(crate) token: ObjectId,
    /// True if this program finishes the delete for another one.
    pub(crate) helping: bool,
    /// The document that stores the state of the delete: the first to be marked, the last to be deleted.
    pub(crate) leader: Bson,
    pub(crate) out: Deleted,
    pub(crate) tell: &'a mut Tell<'t>,
    /// True if the delete can no longer be undone: another program that finds it left behind finishes it.
    pub(crate) certain: bool,
    /// The number of documents with the tombstone that match the call itself.
    pub(crate) roots: u64,
    /// The number of other documents with the tombstone.
    pub(crate) marked: u64,
    /// Lists of parents that are refilled once everything is deleted.
    pub(crate) refill: ToRefill,
    /// The way in which the filter of the call compares strings.
    pub(crate) strings: Strings,
    /// The token by which the write of the first document's tombstone counts the document as gone. It is set only if nothing but the
    /// updates of its parents has to follow the delete.
    pub(crate) leaves: Option<CountToken>,
    /// The events that each document of the call emits: it holds them beside its tombstone until they are in the log.
    pub(crate) events: Vec<Bson>,
    /// True if not all documents of the page have the tombstone. Where they have that of another delete, the call waits for it when this
    /// delete has ended.
    pub(crate) incomplete: bool,
}

impl<'a, 't> DeleteOperation<'a, 't> {
    pub(crate) fn new(
        db: &'a Database,
        plan: &'a Plan,
        token: ObjectId,
        tell: &'a mut Tell<'t>,
    ) -> Self {
        DeleteOperation {
            db,
            plan,
            token,
            helping: false,
            leader: Bson::Null,
            out: Deleted::default(),
            tell,
            certain: false,
            roots: 0,
            marked: 0,
            refill: ToRefill::new(),
            strings: Strings::Exactly,
            leaves: None,
            events: Vec::new(),
            incomplete: false,
        }
    }
}

impl DeleteOperation<'_, '_> {
    /// D1 of the leader; `None` if it does not match the filter, or has a tombstone. If others follow it, the delete is not certain before
    /// all of them have the tombstone: a program that finishes it earlier would delete documents whose references it has not seen.
    pub(crate) async fn mark_root(
        &mut self,
        filter: &Document,
        alone: bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<Option<Document>> {
        let collection = self.plan.root;
        let state = match session {
            None if self.plan.denied || !alone => State::Freeze,
            _ => State::Commit,
        };
        let deep = self.plan.is_deep();
        let mut changes = tomb::entomb(collection, self.token, Some(state), &self.events, deep);
        let mut fields = self.plan.fields(collection);
        if let Some(leaves) = self.leaves {
            changes.extend(counter::removal_stages(collection, leaves.token));
            fields = source::fields(collection);
        }
        // If an answer was lost, the tombstone may be there already.
        let mut live = doc! { "$exists": false };
        let mut tries = 0;
        let led = loop {
            let live_leader = doc! { "_id": { "$eq": &self.leader }, stored::TOMBSTONE: live };
            let args = UpdateArgs {
                filter: doc! { "$and": [live_leader, filter.clone()] },
                changes: UpdateModifications::Pipeline(changes.clone()),
                many: false,
                upsert: false,
                lasting: Lasting::Durable,
                strings: self.strings,
            };
            let (fields, asked) = (fields.clone(), session.as_deref_mut());
            match driver::update_and_read(self.db, collection, args, fields, asked).await {
                Err(error)
                    if session.is_none() && tries < RETRIES && driver::outcome_unknown(&error) =>
                {
                    tries += 1;
                    live = doc! { "$in": [Bson::Null, Bson::ObjectId(self.token)] };
                }
                led => break led?,
            }
        };
        self.roots += u64::from(led.is_some());
        self.certain = led.is_some() && state == State::Commit;
        Ok(led)
    }

    /// The documents among these that have the tombstone, as they are now.
    pub(crate) async fn marked_among(
        &self,
        ids: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Document>> {
        let marked = doc! { "_id": { "$in": ids }, stored::TOMBSTONE: self.token };
        self.read_roots(marked, session).await
    }

    /// Documents of the page, as they are now.
    pub(crate) async fn read_roots(
        &self,
        filter: Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Vec<Document>> {
        let args = FindArgs {
            projection: Some(self.plan.fields(self.plan.root)),
            batch_size: u32::try_from(PAGE).ok(),
            ..FindArgs::default()
        };
        let mut rows = driver::open(self.db, self.plan.root, filter, args, session).await?;
        page(&mut rows).await
    }

    /// D1 of further documents, if they match the filter. Waits for documents with the tombstone of another delete, unless the delete is not
    /// certain and nothing may refuse it, or this program finishes it for another program: two deletes that each need documents of the
    /// other would undo or finish each other for ever. A document of another delete is removed by that delete, or is compared with its
    /// sources when it is live again.
    pub(crate) async fn mark(
        &mut self,
        collection: &'static str,
        ids: &[Bson],
        (filter, part): (Document, Part),
        mut session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let (strings, events) = match part {
            Part::Root => (self.strings, self.events.as_slice()),
            Part::Below => (Strings::Exactly, &[][..]),
        };
        let mut marked = 0;
        for _ in 0..ROUNDS {
            let mut q = doc! { "_id": { "$in": ids }, stored::TOMBSTONE: { "$exists": false } };
            q.extend(filter.clone());
            let mut update = doc! {
                "q": q,
                "u": tomb::entomb(collection, self.token, None, events, self.plan.is_deep()),
                "multi": true,
                "hint": { "_id": 1 },
            };
            driver::set_strings(&mut update, strings);
            let asked = session.as_deref_mut();
            marked += driver::statements(self.db, collection, &[update], true, asked)
                .await?
                .matched;
            let waits = self.certain || self.plan.denied;
            if marked >= ids.len() as u64 || session.is_some() || self.helping || !waits {
                break;
            }
            if !resume::help(self.db, collection, self.match_others(ids)).await? {
                break;
            }
        }
        Ok(marked)
    }

    /// The filter of those of these documents that have the tombstone of another delete.
    pub(crate) fn match_others(&self, ids: &[Bson]) -> Document {
        let other = doc! { "$exists": true, "$ne": self.token };
        doc! { "_id": { "$in": ids }, stored::TOMBSTONE: other }
    }

    /// Updates the heartbeat, so that other programs see that the delete is still running.
    ///
    /// # Errors
    /// [`Error::Unsettled`] if another program has undone or finished the delete.
    pub(crate) async fn heartbeat(&self, session: Option<&mut ClientSession>) -> Result<()> {
        let beat = doc! { "$inc": { stored::DELETE_HEARTBEAT: 1 } };
        self.update_root(doc! {}, beat.into(), session).await
    }

    /// Changes the state in the leader, if it is still the leader of this delete.
    async fn update_root(
        &self,
        state: Document,
        changes: Bson,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut q = doc! { "_id": { "$eq": &self.leader }, stored::TOMBSTONE: self.token };
        q.extend(state);
        let update = [doc! { "q": q, "u": changes }];
        let done = driver::statements(self.db, self.plan.root, &update, true, session).await?;
        if done.matched == 0 {
            return Err(Error::Unsettled {
                model: self.plan.root,
                id: Box::new(self.leader.clone()),
            });
        }
        Ok(())
    }

    /// Makes the delete certain: from here on it cannot be refused any more.
    pub(crate) async fn commit(&mut self) -> Result<()> {
        let set = doc! { "$set": { stored::DELETE_STATE: State::Commit.name() } };
        // The command is sent again if its answer was lost, and then finds the state that it wrote itself.
        let mine = [State::Freeze.name(), State::Commit.name()];
        let mine = doc! { stored::DELETE_STATE: { "$in": mine.to_vec() } };
        self.update_root(mine, set.into(), None).await?;
        self.certain = true;
        Ok(())
    }

    /// Checks if the delete is finished: then its leader does not exist any more, so that no other program can undo it.
    pub(crate) async fn is_gone(&self) -> Result<bool> {
        let leader = doc! { "_id": { "$eq": &self.leader } };
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let found = driver::first(self.db, self.plan.root, leader, args, None, |_| Ok(()));
        Ok(found.await?.is_none())
    }

    /// The documents with the tombstone that match `filter`, read through the index of flags.
    pub(crate) async fn members<'s>(
        &self,
        collection: &'static str,
        filter: Document,
        session: Option<&'s mut ClientSession>,
    ) -> Result<Rows<'s>> {
        let args = FindArgs {
            projection: Some(self.plan.fields(collection)),
            batch_size: u32::try_from(PAGE).ok(),
            hint: Some(tomb::index()),
            ..FindArgs::default()
        };
        open_hinted(self.db, collection, collection, filter, args, session).await
    }

    /// D1 of everything below the marked documents, level by level. The remaining work is in the database alone, so that another program
    /// can continue it, and memory holds one page.
    pub(crate) fn descend<'f>(
        &'f mut self,
        mut session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let mut more = true;
            while more {
                more = false;
                for collection in self.plan.entombed() {
                    let unseen = tomb::unseen(self.token);
                    let mut rows = self
                        .members(collection, unseen, session.as_deref_mut())
                        .await?;
                    let parents = page(&mut rows).await?;
                    drop(rows);
                    if parents.is_empty() {
                        continue;
                    }
                    more = true;
                    self.mark_children(collection, &parents, session.as_deref_mut())
                        .await?;
                    let seen = doc! {
                        "q": { "_id": { "$in": ids(&parents) }, stored::TOMBSTONE: self.token },
                        "u": tomb::seen(),
                        "multi": true,
                        "hint": { "_id": 1 },
                    };
                    let asked = session.as_deref_mut();
                    driver::statements(self.db, collection, &[seen], true, asked).await?;
                    self.heartbeat(session.as_deref_mut()).await?;
                    fault!("mid_d1");
                }
            }
            Ok(())
        })
    }

    /// D1 of the documents that are deleted with these, if their own deletion concerns others. Returns the number of documents that were
    /// not marked before.
    pub(crate) async fn mark_children(
        &mut self,
        collection: &'static str,
        parents: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let mut marked = 0;
        let descents = self.plan.descents(collection);
        let each = descents.flat_map(|relation| {
            let keys = relation.keys(parents).into_iter();
            keys.map(move |keys| (relation, relation.referring(&keys)))
        });
        for (relation, referring) in each {
            let mut filter = referring.clone();
            filter.insert(stored::TOMBSTONE, doc! { "$ne": self.token });
            let args = pages::args(relation, doc! { "_id": 1 });
            let asked = session.as_deref_mut();
            let mut rows = pages::open(self.db, relation, filter, args, asked).await?;
            loop {
                let children = ids(&page(&mut rows).await?);
                if children.is_empty() {
                    break;
                }
                let (child, below) = (relation.child(), (referring.clone(), Part::Below));
                marked += self.mark(child, &children, below, rows.session()).await?;
            }
        }
        self.marked += marked;
        Ok(marked)
    }

    /// Checks that no document refuses the deletion of the marked ones.
    pub(crate) async fn check(&mut self) -> Result<()> {
        for collection in self.plan.entombed() {
            let mut rows = self
                .members(collection, tomb::match_entombed(self.token), None)
                .await?;
            loop {
                let marked = page(&mut rows).await?;
                if marked.is_empty() {
                    break;
                }
                self.check_page(collection, &marked).await?;
                self.heartbeat(None).await?;
            }
        }
        Ok(())
    }

    pub(crate) async fn check_page(&self, collection: &str, page: &[Document]) -> Result<()> {
        let check = RefusalCheck {
            db: self.db,
            plan: self.plan,
            collection,
            page,
            going: Going::Marked(self.token),
        };
        check.run(|_| true, None).await
    }

    /// D3: deletes all documents with the tombstone, the leader last. Their parents have lost them already.
    pub(crate) fn bury<'f>(&'f mut self) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let entombed: Vec<&'static str> = self.plan.entombed().collect();
            let mut gone = 0;
            for collection in entombed.into_iter().rev() {
                let edges = Edges::get();
                if edges.holds_entries(collection) || edges.links_of(collection).next().is_some() {
                    gone += self.leave_and_bury(collection).await?;
                    continue;
                }
                let mut q = tomb::match_entombed(self.token);
                q.insert(stored::DELETE, doc! { "$exists": false });
                let delete = doc! { "q": q, "limit": 0, "hint": tomb::index() };
                let done = driver::deletes(self.db, collection, &[delete], None).await?;
                missing_index(collection, &done)?;
                gone += done.matched;
                self.tell.deleted(done.matched);
            }
            let leader = [self.leader.clone()];
            self.leave_page(self.plan.root, &leader).await?;
            gone += self.bury_leader().await?;
            self.out.deleted += self.roots;
            self.out.cascaded += gone.saturating_sub(self.roots);
            Ok(())
        })
    }

    /// D3 if all documents with the tombstone are one page of the collection of the call.
    pub(crate) async fn bury_page(&mut self, others: &[Bson]) -> Result<()> {
        if !others.is_empty() {
            let q = doc! {
                "_id": { "$in": others },
                stored::TOMBSTONE: self.token,
                stored::DELETE: { "$exists": false },
            };
            let delete = doc! { "q": q, "limit": 0, "hint": { "_id": 1 } };
            let done = driver::deletes(self.db, self.plan.root, &[delete], None).await?;
            self.out.deleted += done.matched;
            self.tell.deleted(done.matched);
        }
        self.bury_leader().await?;
        // Another program finished the delete for this call.
        self.out.deleted += 1;
        Ok(())
    }

    async fn bury_leader(&mut self) -> Result<u64> {
        let q = doc! { "_id": { "$eq": &self.leader }, stored::TOMBSTONE: self.token };
        let delete = doc! { "q": q, "limit": 1 };
        let done = driver::deletes(self.db, self.plan.root, &[delete], None).await?;
        self.tell.deleted(done.matched);
        Ok(done.matched)
    }

    /// Clears all tombstones of the delete, that of the leader last, and propagates the sources to their copies. `others` are all documents
    /// with the tombstone except the leader, if they are known.
    pub(crate) fn undo<'f>(&'f mut self, others: Option<&'f [Bson]>) -> BoxFuture<'f, Result<()>> {
        Box::pin(async move {
            let set = doc! { "$set": { stored::DELETE_STATE: State::Undo.name() } };
            let uncertain = [State::Freeze.name(), State::Undo.name()];
            let uncertain = doc! { stored::DELETE_STATE: { "$in": uncertain.to_vec() } };
            self.update_root(uncertain, set.into(), None).await?;
            fault!("mid_undo");
            for collection in self.plan.entombed() {
                let (mut q, hint) = match others {
                    Some([]) => break,
                    Some(ids) => {
                        let ids = doc! { "_id": { "$in": ids }, stored::TOMBSTONE: self.token };
                        (ids, doc! { "_id": 1 })
                    }
                    None => (tomb::match_entombed(self.token), tomb::index()),
                };
                q.insert(stored::DELETE, doc! { "$exists": false });
                let update = doc! {
                    "q": q,
                    "u": tomb::exhume(collection, self.token),
                    "multi": true,
                    "hint": hint,
                };
                let done = driver::statements(self.db, collection, &[update], true, None).await?;
                missing_index(collection, &done)?;
                if others.is_some() {
                    break;
                }
            }
            let root = self.plan.root;
            let leader = tomb::exhume(root, self.token);
            let leader: Vec<Bson> = leader.into_iter().map(Bson::from).collect();
            self.update_root(doc! {}, leader.into(), None).await?;
            for collection in self.plan.entombed() {
                resume::compare_again(self.db, collection, self.token).await?;
                let flagged = Edges::get().flagged(collection);
                if !flagged.is_empty() {
                    let filter = doc! { stored::PENDING: { "$in": flagged } };
                    source::resume(self.db, collection, filter, &mut |_| true).await?;
                }
            }
            Ok(())
        })
    }
}

/// Checks that the index of flags exists.
fn missing_index(collection: &'static str, done: &Statements) -> Result<()> {
    match done.failed.first() {
        None => Ok(()),
        Some((_, 2, message)) if message.contains("hint provided") => Err(Error::MissingIndex {
            reference: collection.to_owned(),
            collection,
            keys: tomb::index().to_string(),
        }),
        Some((_, code, message)) => Err(Error::Refused {
            reference: collection.to_owned(),
            code: *code,
            message: message.clone(),
        }),
    }
}
