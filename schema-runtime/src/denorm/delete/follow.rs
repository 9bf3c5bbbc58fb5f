//! D2: what refers to the documents that go follows its rule, and what parents keep of them is taken from those.

use bson::{Bson, Document, doc};

use super::check::{self, ids, page};
use super::op::{Op, ROUNDS};
use super::plan::keys;
use super::{resume, tomb};
use crate::ClientSession;
use crate::crud::driver::{self, Statements};
use crate::denorm::counter;
use crate::denorm::links;
use crate::denorm::relations::Relation;
use crate::denorm::source::{self, Left, Source};
use crate::error::{Error, Result};
use crate::model::OnDelete;

/// Of how many documents that go parents are told at once.
const TOLD: usize = 2_500;

impl Op<'_, '_> {
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
                self.leaves(relation, &keys, asked).await?;
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

    /// D2 of documents that nothing refers to: one `delete`. What is kept of them goes with what they refer to, unless somebody
    /// has not been told of them yet, perhaps that they left: those few pass by, are finished, and go then.
    async fn leaves(
        &mut self,
        relation: &'static Relation,
        keys: &[Bson],
        mut session: Option<&mut ClientSession>,
    ) -> Result<()> {
        let child = relation.child();
        let kept = self.edges.links_of(child).next().is_some();
        for _ in 0..ROUNDS {
            let mut q = relation.referring(keys);
            if kept {
                q = doc! { "$and": [q, self.finished(child)] };
            }
            let mut delete = doc! { "q": q, "limit": 0 };
            if let Some(hint) = relation.hint() {
                delete.insert("hint", hint);
            }
            let asked = session.as_deref_mut();
            let done = driver::deletes(self.db, child, &[delete], asked).await?;
            sent(relation, &done)?;
            self.out.cascaded += done.matched;
            self.tell.deleted(done.matched);
            fault!("mid_d2");
            if !kept
                || !self
                    .unfinished(relation, keys, session.as_deref_mut())
                    .await?
            {
                return Ok(());
            }
        }
        Err(Error::Busy {
            what: format!("what goes along {}", relation.shown()),
        })
    }

    /// What a document says nothing of that its parents have not been told.
    fn finished(&self, collection: &str) -> Document {
        let mut names = self.edges.flagged(collection);
        names.push(tomb::NAME);
        doc! { "_dn.p": { "$nin": names }, "_dn.c.0": { "$exists": false } }
    }

    /// Finishes what the documents of this reference have not told their parents; says whether there may be some to be deleted now.
    /// In a session they are left for after the commit.
    async fn unfinished(
        &mut self,
        relation: &'static Relation,
        keys: &[Bson],
        session: Option<&mut ClientSession>,
    ) -> Result<bool> {
        let (child, in_session) = (relation.child(), session.is_some());
        let flagged = doc! { "$nor": [self.finished(child)] };
        let filter = doc! { "$and": [relation.referring(keys), flagged] };
        let args = check::args(relation, doc! { "_id": 1 });
        let mut rows = check::open(self.db, relation, filter, args, session).await?;
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
            let entombed = with("_dn.del", there.clone());
            resume::help(self.db, self.edges, child, entombed).await?;
            let pending = with("_dn.p", doc! { "$in": self.edges.flagged(child) }.into());
            let left = source::resume(self.db, self.edges, child, pending, &mut |_| true).await?;
            refused(&left)?;
            let counted = with("_dn.c.t", there);
            counter::resume(self.db, self.edges, child, counted, &mut |_| true).await?;
        }
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
    pub(super) async fn leave_page(&mut self, collection: &str, ids: &[Bson]) -> Result<()> {
        if self.edges.links_of(collection).next().is_none() {
            return Ok(());
        }
        self.leave_lists(collection, ids).await?;
        let these = doc! { "_id": { "$in": ids }, "_dn.del": self.token };
        counter::leave(self.db, self.edges, collection, &these).await
    }

    async fn leave_lists(&mut self, collection: &str, ids: &[Bson]) -> Result<()> {
        let fields = source::fields(self.edges, collection);
        for ids in ids.chunks(TOLD) {
            let read = driver::durable_read(self.db, collection, "_id", ids, &fields).await?;
            let gone = read
                .into_iter()
                .map(Source::read)
                .filter(|source| source.deleted);
            let told = source::tell(self.db, self.edges, collection, gone.collect(), &[]).await?;
            refused(&told)?;
            links::later(&mut self.refill, told.refill);
        }
        Ok(())
    }
}

/// That the server refused no parent what it was to be told.
fn refused(left: &Left) -> Result<()> {
    match left.pending.first() {
        None => Ok(()),
        Some(refused) => Err(Error::Refused {
            edge: refused.edge().to_owned(),
            code: 0,
            message: refused.reason().unwrap_or_default().to_owned(),
        }),
    }
}

/// Checks that the server did what it was sent along a relation.
fn sent(relation: &Relation, done: &Statements) -> Result<()> {
    source::indexed(relation.edge, done)?;
    source::accepted(relation.edge, done)
}
