//! One delete with tombstones, from D1 to D3.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;

use super::Tell;
use super::check::{self, Going, PAGE, ids, page};
use super::plan::{Plan, keys};
use super::report::Deleted;
use super::resume;
use super::tomb::{self, State};
use crate::crud::driver::{self, FindArgs, Lasting, Rows, Statements, UpdateArgs};
use crate::denorm::counter;
use crate::denorm::edges::Edges;
use crate::denorm::relations::Relation;
use crate::denorm::source::{self, Source};
use crate::error::{Error, Result};
use crate::model::OnDelete;
use crate::{ClientSession, Database};

/// How often documents with the tombstone of another delete are looked at again.
const ROUNDS: usize = 8;

/// One delete: everything that carries one tombstone.
pub(super) struct Op<'a, 't> {
    pub(super) db: &'a Database,
    pub(super) edges: &'static Edges,
    pub(super) plan: &'a Plan,
    pub(super) token: ObjectId,
    /// The document that says how far it is: the first to be marked, the last to go.
    pub(super) leader: Bson,
    pub(super) out: Deleted,
    pub(super) tell: &'a mut Tell<'t>,
    /// How many of the documents with its tombstone are those of the call.
    pub(super) roots: u64,
    /// How many are further ones.
    pub(super) marked: u64,
}

impl Op<'_, '_> {
    /// D1 of the leader; `None` if it does not meet the filter, or has a tombstone.
    pub(super) async fn lead(
        &mut self,
        filter: &Document,
        session: Option<&mut ClientSession>,
    ) -> Result<Option<Document>> {
        let collection = self.plan.root;
        let state = match session {
            None if self.plan.denied => State::Freeze,
            _ => State::Commit,
        };
        let deep = self.plan.is_deep();
        let changes = tomb::entomb(self.edges, collection, self.token, Some(state), deep);
        let live = doc! { "_id": { "$eq": &self.leader }, "_dn.del": { "$exists": false } };
        let args = UpdateArgs {
            filter: doc! { "$and": [live, filter.clone()] },
            changes: UpdateModifications::Pipeline(changes),
            many: false,
            upsert: false,
            lasting: Lasting::Durable,
        };
        let fields = self.plan.fields(collection);
        let led = driver::update_and_read(self.db, collection, args, fields, session).await?;
        self.roots += u64::from(led.is_some());
        Ok(led)
    }

    /// D1 of further documents, as far as they meet the filter. Those of another delete are waited for.
    pub(super) async fn mark(
        &mut self,
        collection: &'static str,
        ids: &[Bson],
        filter: Document,
        mut session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let mut marked = 0;
        for _ in 0..ROUNDS {
            let mut q = doc! { "_id": { "$in": ids }, "_dn.del": { "$exists": false } };
            q.extend(filter.clone());
            let update = doc! {
                "q": q,
                "u": tomb::entomb(self.edges, collection, self.token, None, self.plan.is_deep()),
                "multi": true,
                "hint": { "_id": 1 },
            };
            let asked = session.as_deref_mut();
            marked += driver::statements(self.db, collection, &[update], true, asked)
                .await?
                .matched;
            if marked >= ids.len() as u64 || session.is_some() {
                break;
            }
            let others = doc! {
                "_id": { "$in": ids },
                "_dn.del": { "$exists": true, "$ne": self.token },
            };
            if !resume::help(self.db, self.edges, collection, others).await? {
                break;
            }
        }
        Ok(marked)
    }

    /// Says that it is still at work.
    ///
    /// # Errors
    /// [`Error::Unsettled`] where another program has undone or finished it.
    async fn beat(&self, session: Option<&mut ClientSession>) -> Result<()> {
        let beat = doc! { "$inc": { "_dn.d.n": 1 } };
        self.lead_on(doc! {}, beat.into(), session).await
    }

    /// Changes what the leader says, if it still leads.
    async fn lead_on(
        &self,
        state: Document,
        changes: Bson,
        session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let mut q = doc! { "_id": { "$eq": &self.leader }, "_dn.del": self.token };
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

    /// From here on it cannot be refused any more.
    pub(super) async fn commit(&self) -> Result<()> {
        let set = doc! { "$set": { "_dn.d.s": State::Commit.name() } };
        let frozen = doc! { "_dn.d.s": State::Freeze.name() };
        self.lead_on(frozen, set.into(), None).await
    }

    /// Whether it is finished: nobody leads it any more, and there is no leader that could have been undone.
    pub(super) async fn is_gone(&self) -> Result<bool> {
        let leader = doc! { "_id": { "$eq": &self.leader } };
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            primary: true,
            ..FindArgs::default()
        };
        let found = driver::first(self.db, self.plan.root, leader, args, None, |_| Ok(()));
        Ok(found.await?.is_none())
    }

    /// The documents with its tombstone that meet `filter`, through the index of flags.
    async fn members<'s>(
        &self,
        collection: &str,
        filter: Document,
        session: Option<&'s mut ClientSession>,
    ) -> Result<Rows<'s>> {
        let args = FindArgs {
            projection: Some(self.plan.fields(collection)),
            batch_size: u32::try_from(PAGE).ok(),
            hint: Some(tomb::index()),
            primary: true,
            ..FindArgs::default()
        };
        driver::open(self.db, collection, filter, args, session).await
    }

    /// D1 of everything below what is marked, level by level. What is left to do is in the database alone, so that another
    /// program can go on, and memory holds one page.
    pub(super) async fn descend(&mut self, mut session: Option<&mut ClientSession>) -> Result<()> {
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
                    "q": { "_id": { "$in": ids(&parents) }, "_dn.del": self.token },
                    "u": tomb::seen(),
                    "multi": true,
                    "hint": { "_id": 1 },
                };
                let asked = session.as_deref_mut();
                driver::statements(self.db, collection, &[seen], true, asked).await?;
                self.beat(session.as_deref_mut()).await?;
                fault!("mid_d1");
            }
        }
        Ok(())
    }

    /// D1 of the documents that go with these, and whose own deletion concerns others. Says how many were not marked before.
    async fn mark_children(
        &mut self,
        collection: &'static str,
        parents: &[Document],
        mut session: Option<&mut ClientSession>,
    ) -> Result<u64> {
        let mut marked = 0;
        for relation in self.plan.descents(collection) {
            let referring = relation.referring(&keys(relation, parents));
            let mut filter = referring.clone();
            filter.insert("_dn.del", doc! { "$ne": self.token });
            let args = check::args(relation, doc! { "_id": 1 });
            let asked = session.as_deref_mut();
            let mut rows = check::open(self.db, relation, filter, args, asked).await?;
            loop {
                let children = ids(&page(&mut rows).await?);
                if children.is_empty() {
                    break;
                }
                marked += self
                    .mark(
                        relation.child(),
                        &children,
                        referring.clone(),
                        rows.session(),
                    )
                    .await?;
            }
        }
        self.marked += marked;
        Ok(marked)
    }

    /// That no document refuses what is marked.
    pub(super) async fn check(&mut self) -> Result<()> {
        for collection in self.plan.entombed() {
            let mut rows = self.members(collection, tomb::of(self.token), None).await?;
            loop {
                let marked = page(&mut rows).await?;
                if marked.is_empty() {
                    break;
                }
                self.check_page(collection, &marked).await?;
                self.beat(None).await?;
            }
        }
        Ok(())
    }

    pub(super) async fn check_page(&self, collection: &str, page: &[Document]) -> Result<()> {
        let going = Going::Marked(self.token);
        check::refused(self.db, self.plan, collection, page, going, |_| true, None).await
    }

    /// D2 of everything that is marked.
    pub(super) async fn follow(&mut self, mut session: Option<&mut ClientSession>) -> Result<()> {
        loop {
            let mut late = 0;
            for collection in self.plan.entombed() {
                let all = tomb::of(self.token);
                let mut rows = self
                    .members(collection, all, session.as_deref_mut())
                    .await?;
                loop {
                    let marked = page(&mut rows).await?;
                    if marked.is_empty() {
                        break;
                    }
                    self.follow_page(collection, &marked, false, rows.session())
                        .await?;
                    late += self
                        .mark_children(collection, &marked, rows.session())
                        .await?;
                    self.beat(rows.session()).await?;
                }
            }
            if late == 0 {
                return Ok(());
            }
            // Somebody stored them since the walk down.
            self.descend(session.as_deref_mut()).await?;
        }
    }

    /// D2: what refers to these documents of one collection follows its rule: all that does, or only what no mark speaks of. Doing
    /// it twice does no harm.
    pub(super) async fn follow_page(
        &mut self,
        collection: &str,
        page: &[Document],
        unmarked: bool,
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let in_session = session.is_some();
        for relation in self.plan.relations.to(collection) {
            if unmarked && relation.edge.marks() {
                continue;
            }
            let keys = keys(relation, page);
            if keys.is_empty() {
                continue;
            }
            let child = relation.child();
            let asked = session.as_deref_mut();
            if relation.rule == OnDelete::Cascade && self.plan.is_leaf(child) {
                let mut delete = doc! { "q": relation.referring(&keys), "limit": 0 };
                if let Some(hint) = relation.hint() {
                    delete.insert("hint", hint);
                }
                let done = driver::deletes(self.db, child, &[delete], asked).await?;
                sent(relation, &done)?;
                self.out.cascaded += done.matched;
                self.tell.deleted(done.matched);
                fault!("mid_d2");
            } else if let Some(update) = relation.applied(self.edges, &keys) {
                let done = driver::statements(self.db, child, &[update], true, asked).await?;
                sent(relation, &done)?;
                self.out.changed += done.modified;
                self.tell.changed(done.modified);
                fault!("mid_d2");
                let onward = relation.onward(self.edges);
                if !onward.is_empty() && !in_session {
                    let filter = doc! { "_dn.p": { "$in": onward } };
                    source::resume(self.db, self.edges, child, filter, &mut |_| true).await?;
                }
            }
        }
        Ok(())
    }

    /// What parents keep of everything that is marked is taken from them.
    pub(super) async fn leave(&mut self) -> Result<()> {
        for collection in self.plan.entombed() {
            if self.edges.links_of(collection).next().is_none() {
                continue;
            }
            let mut rows = self.members(collection, tomb::of(self.token), None).await?;
            loop {
                let marked = page(&mut rows).await?;
                if marked.is_empty() {
                    break;
                }
                self.leave_page(collection, &ids(&marked)).await?;
                self.beat(None).await?;
            }
        }
        Ok(())
    }

    /// The same of these documents, if anything is kept of them.
    pub(super) async fn leave_page(&self, collection: &str, ids: &[Bson]) -> Result<()> {
        if self.edges.links_of(collection).next().is_none() {
            return Ok(());
        }
        self.leave_lists(collection, ids).await?;
        let these = doc! { "_id": { "$in": ids }, "_dn.del": self.token };
        counter::leave(self.db, self.edges, collection, &these).await
    }

    async fn leave_lists(&self, collection: &str, ids: &[Bson]) -> Result<()> {
        let fields = source::fields(self.edges, collection);
        for ids in ids.chunks(source::SOURCES) {
            let read = driver::durable_read(self.db, collection, "_id", ids, &fields).await?;
            let gone = read
                .into_iter()
                .map(Source::read)
                .filter(|source| source.deleted);
            let left = source::finish(self.db, self.edges, collection, gone.collect(), &[]).await?;
            if let Some(refused) = left.pending.first() {
                return Err(Error::Refused {
                    edge: refused.edge().to_owned(),
                    code: 0,
                    message: refused.reason().unwrap_or_default().to_owned(),
                });
            }
        }
        Ok(())
    }

    /// D3: everything with the tombstone goes, the leader last.
    pub(super) async fn bury(&mut self) -> Result<()> {
        let entombed: Vec<&str> = self.plan.entombed().collect();
        let mut gone = 0;
        for collection in entombed.into_iter().rev() {
            let mut q = tomb::of(self.token);
            q.insert("_dn.d", doc! { "$exists": false });
            let delete = doc! { "q": q, "limit": 0, "hint": tomb::index() };
            let done = driver::deletes(self.db, collection, &[delete], None).await?;
            missing_index(collection, &done)?;
            gone += done.matched;
            self.tell.deleted(done.matched);
        }
        gone += self.bury_leader().await?;
        self.out.deleted += self.roots;
        self.out.cascaded += gone.saturating_sub(self.roots);
        Ok(())
    }

    /// The same where everything with the tombstone is one page of the collection of the call.
    pub(super) async fn bury_page(&mut self, others: &[Bson]) -> Result<()> {
        if !others.is_empty() {
            let q = doc! {
                "_id": { "$in": others },
                "_dn.del": self.token,
                "_dn.d": { "$exists": false },
            };
            let delete = doc! { "q": q, "limit": 0, "hint": { "_id": 1 } };
            let done = driver::deletes(self.db, self.plan.root, &[delete], None).await?;
            self.out.deleted += done.matched;
            self.tell.deleted(done.matched);
        }
        self.bury_leader().await?;
        // Whoever finished it for us deleted it for us.
        self.out.deleted += 1;
        Ok(())
    }

    async fn bury_leader(&mut self) -> Result<u64> {
        let q = doc! { "_id": { "$eq": &self.leader }, "_dn.del": self.token };
        let delete = doc! { "q": q, "limit": 1 };
        let done = driver::deletes(self.db, self.plan.root, &[delete], None).await?;
        self.tell.deleted(done.matched);
        Ok(done.matched)
    }

    /// Takes every tombstone off again, that of the leader last, and brings copies to what their sources say. `others` are all
    /// that have it beside the leader, where that is known.
    pub(super) async fn undo(&mut self, others: Option<&[Bson]>) -> Result<()> {
        let set = doc! { "$set": { "_dn.d.s": State::Undo.name() } };
        let uncertain = [State::Freeze.name(), State::Undo.name()];
        let uncertain = doc! { "_dn.d.s": { "$in": uncertain.to_vec() } };
        self.lead_on(uncertain, set.into(), None).await?;
        fault!("mid_undo");
        for collection in self.plan.entombed() {
            let (mut q, hint) = match others {
                Some([]) => break,
                Some(ids) => {
                    let ids = doc! { "_id": { "$in": ids }, "_dn.del": self.token };
                    (ids, doc! { "_id": 1 })
                }
                None => (tomb::of(self.token), tomb::index()),
            };
            q.insert("_dn.d", doc! { "$exists": false });
            let update = doc! {
                "q": q,
                "u": tomb::exhume(self.edges, collection),
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
        let leader = tomb::exhume(self.edges, root);
        let leader: Vec<Bson> = leader.into_iter().map(Bson::from).collect();
        self.lead_on(doc! {}, leader.into(), None).await?;
        for collection in self.plan.entombed() {
            let flagged = self.edges.flagged(collection);
            if !flagged.is_empty() {
                let filter = doc! { "_dn.p": { "$in": flagged } };
                source::resume(self.db, self.edges, collection, filter, &mut |_| true).await?;
            }
        }
        Ok(())
    }
}

/// That the server did what was asked along a relation.
fn sent(relation: &Relation, done: &Statements) -> Result<()> {
    source::indexed(relation.edge, done)?;
    match done.failed.first() {
        None => Ok(()),
        Some((_, code, message)) => Err(Error::Refused {
            edge: relation.edge.name.clone(),
            code: *code,
            message: message.clone(),
        }),
    }
}

/// That the index of flags was there.
fn missing_index(collection: &'static str, done: &Statements) -> Result<()> {
    match done.failed.first() {
        None => Ok(()),
        Some((_, 2, message)) if message.contains("hint") => Err(Error::MissingIndex {
            edge: tomb::NAME.to_owned(),
            collection,
            keys: tomb::index().to_string(),
        }),
        Some((_, code, message)) => Err(Error::Refused {
            edge: tomb::NAME.to_owned(),
            code: *code,
            message: message.clone(),
        }),
    }
}
