//! A pass over the flags of all models, each with the steps that finish it. `recover` and the `Sweeper` differ only in their choice of
//! flags.

use std::collections::{BTreeSet, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::Recovered;
use crate::driver::{self, Database, FindArgs, Strings};
use crate::error::{Error, Result};
use crate::graph::edges::Edges;
use crate::graph::relations::Relations;
use crate::graph::source::Source;
use crate::maintenance::verify::trees;
use crate::outbox;
use crate::outcome::{Pending, What};
use crate::personal::erase;
use crate::propagation::delete::tomb::Tomb;
use crate::propagation::links::verify;
use crate::propagation::target::{Moving, Unverified};
use crate::propagation::{counter, delete, source, target};
use crate::schema::outbox::Outbox;
use crate::schema::stored;
use crate::tenant::Scope;
use crate::write::send::{cascade, mark_flag};

/// The choice of flags that a pass finishes.
pub(super) trait Choice: Send {
    fn source(&mut self, collection: &str, source: &Source) -> bool;
    fn target(&mut self, collection: &str, document: &Unverified) -> bool;
    fn parent(&mut self, collection: &str, id: &Bson, tokens: &[ObjectId]) -> bool;
    fn tomb(&mut self, collection: &str, tomb: &Tomb) -> bool;
    fn moving(&mut self, collection: &str, moving: &Moving) -> bool;
    fn refused(&mut self, collection: &str, id: &Bson);
}

/// Chooses all flags.
pub(super) struct Everything;

impl Choice for Everything {
    fn source(&mut self, _: &str, _: &Source) -> bool {
        true
    }
    fn target(&mut self, _: &str, _: &Unverified) -> bool {
        true
    }
    fn parent(&mut self, _: &str, _: &Bson, _: &[ObjectId]) -> bool {
        true
    }
    fn tomb(&mut self, _: &str, _: &Tomb) -> bool {
        true
    }
    fn moving(&mut self, _: &str, _: &Moving) -> bool {
        true
    }
    fn refused(&mut self, _: &str, _: &Bson) {}
}

/// The documents with a mark, and the sources with a pending edge. Both are what the indexes hold.
fn flagged(field: &str) -> Document {
    doc! { field: { "$exists": true } }
}

/// A pass over all flags of a scope.
struct Pass<'p> {
    db: &'p Database,
    scope: &'p Scope,
    choice: &'p mut dyn Choice,
    out: Recovered,
}

/// Finishes the chosen flags in the documents of a scope.
pub(super) async fn finish_flags(
    db: &Database,
    scope: &Scope,
    choice: &mut dyn Choice,
) -> Result<Recovered> {
    Edges::get().in_no_circle()?;
    let mut pass = Pass {
        db,
        scope,
        choice,
        out: Recovered::default(),
    };
    pass.deliver_entries().await?;
    // Deletes first: a reference to a deleted document then needs no update.
    for collection in Relations::get().entombing() {
        pass.finish_deletes(collection).await?;
    }
    // Moves next: new documents in a tree are compared with parents that stand still.
    pass.finish_moves().await?;
    // Erases next: what they leave in copies and lists is finished with the rest.
    pass.finish_erases().await?;
    // New copies next: their corrected values may be copied further.
    pass.verify_copies().await?;
    pass.fan_out_sources().await?;
    pass.finish_soft_deletes().await?;
    pass.count_children().await?;
    pass.remove_tokens().await?;
    pass.verify_parents().await?;
    Ok(pass.out)
}

impl Pass<'_> {
    /// Copies events and histories into their logs.
    async fn deliver_entries(&mut self) -> Result<()> {
        let holding = Edges::get().holding_entries();
        for (collection, outbox) in
            holding.flat_map(|name| Outbox::find_all(name).map(move |of| (name, of)))
        {
            let Some(filter) = self.scope.filter(collection, Document::new()) else {
                continue;
            };
            // A document may wait for both logs: each is looked at by itself.
            let log = outbox.log_of(collection).unwrap_or(collection);
            let mut take = |id: &Bson, tokens: &[ObjectId]| self.choice.parent(log, id, tokens);
            let done = outbox::deliver_chosen(self.db, collection, outbox, filter, &mut take).await;
            match done {
                Ok(delivered) => self.out.events += delivered,
                Err(error @ Error::Refused { .. }) => {
                    let (edge, reason) = (
                        format!("the {} of {collection}", outbox.name()),
                        error.to_string(),
                    );
                    let stuck = Pending::refused(&edge, collection, Bson::Null, reason);
                    self.out.stuck.push(stuck);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Finishes, or undoes, the deletes whose leaders are in this collection, and clears tombstones without a leader.
    async fn finish_deletes(&mut self, collection: &'static str) -> Result<()> {
        let Some(entombed) = self.scope.filter(collection, delete::entombed()) else {
            return Ok(());
        };
        let args = FindArgs {
            projection: Some(delete::fields()),
            ..FindArgs::default()
        };
        let mut rows = driver::open(self.db, collection, entombed, args, None).await?;
        // Many documents share one leader: look for it once.
        let mut led: HashSet<ObjectId> = HashSet::new();
        while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
            let Some(tomb) = row.as_ref().and_then(Tomb::read) else {
                continue;
            };
            let follows = tomb.leads.is_none() && led.contains(&tomb.op);
            if follows || !self.choice.tomb(collection, &tomb) {
                continue;
            }
            let done = match tomb.leads {
                Some(_) => delete::resume(self.db, collection, &tomb).await,
                // If the leader still exists, the pass decides about it when it reaches the leader itself.
                None => delete::has_root(self.db, collection, &tomb)
                    .await
                    .map(|there| led.extend(there.then_some(tomb.op))),
            };
            match done {
                Ok(()) => self.out.deletes += u64::from(tomb.leads.is_some()),
                Err(error @ Error::MissingIndex { .. }) => return Err(error),
                Err(error) => {
                    self.choice.refused(collection, &tomb.id);
                    led.insert(tomb.op);
                    self.out.stuck.push(Pending::refused(
                        delete::NAME,
                        collection,
                        tomb.id,
                        error.to_string(),
                    ));
                }
            }
        }
        Ok(())
    }

    /// Finishes the moves in trees.
    async fn finish_moves(&mut self) -> Result<()> {
        for tree in trees(None) {
            let meta = tree.edge.target;
            if self
                .scope
                .filter(meta.collection, Document::new())
                .is_none()
            {
                continue;
            }
            let moves = tree.moves(self.db);
            let mut take = |moving: &Moving| self.choice.moving(meta.collection, moving);
            match moves.resume(&mut take).await {
                Ok(resumed) => self.out.moves += u64::from(resumed),
                Err(error @ Error::Refused { .. }) => {
                    let (edge, reason) = (&tree.edge.name, error.to_string());
                    let stuck = Pending::refused(edge, meta.collection, Bson::Null, reason);
                    self.out.stuck.push(stuck);
                }
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Finishes the erases of persons.
    async fn finish_erases(&mut self) -> Result<()> {
        let choice = &mut self.choice;
        let mut take = |collection: &str, id: &Bson, tokens: &[ObjectId]| {
            choice.parent(collection, id, tokens)
        };
        let finished = erase::resume(self.db, self.scope, &mut take).await?;
        self.out.erases += finished.persons;
        self.out.stuck.extend(finished.stuck);
        Ok(())
    }

    /// Does steps I2 and I3 for documents with new copies.
    async fn verify_copies(&mut self) -> Result<()> {
        let marked = Edges::get().all().iter();
        let marked = marked.filter(|edge| edge.checked || !edge.live.is_empty());
        let targets: BTreeSet<&'static str> = marked.map(|edge| edge.target.collection).collect();
        for collection in targets {
            let marked = flagged(stored::UNVERIFIED_TOKEN);
            let Some(filter) = self.scope.filter(collection, marked) else {
                continue;
            };
            let mut take = |document: &Unverified| {
                !document.tokens.is_empty() && self.choice.target(collection, document)
            };
            let done = target::resume(self.db, collection, filter, &mut take).await?;
            self.out.targets += done.finished;
            self.out.dangling += done.dangling;
            self.out.applied += done.applied;
            for (id, reason) in done.failed {
                self.choice.refused(collection, &id);
                self.out.stuck.push(Pending {
                    edge: collection.to_owned(),
                    collection: collection.to_owned(),
                    what: What::Source(id),
                    reason: Some(reason),
                });
            }
        }
        Ok(())
    }

    /// Does steps W2 and W3 for changed sources and children.
    async fn fan_out_sources(&mut self) -> Result<()> {
        let edges = Edges::get();
        let live = edges.all().iter().filter(|edge| !edge.live.is_empty());
        let children = edges.links().iter().map(|link| link.child.collection);
        let sources: BTreeSet<&'static str> = live
            .map(|edge| edge.source.collection)
            .chain(children)
            .collect();
        for collection in sources {
            let Some(filter) = self.scope.filter(collection, flagged(stored::PENDING)) else {
                continue;
            };
            let knows = |source: &Source| {
                let mut pending = source.pending.iter();
                !source.deleted && pending.any(|name| edges.knows(collection, name))
            };
            let mut take =
                |source: &Source| knows(source) && self.choice.source(collection, source);
            let done = source::resume(self.db, collection, filter, &mut take).await?;
            self.out.sources += done.finished;
            for stuck in done.pending {
                if let What::Source(id) = &stuck.what {
                    self.choice.refused(collection, id);
                }
                self.out.stuck.push(stuck);
            }
        }
        Ok(())
    }

    /// Does the rest of soft deletes that go on to other documents.
    async fn finish_soft_deletes(&mut self) -> Result<()> {
        for meta in mark_flag::cascading() {
            let flagged = mark_flag::flagged(None);
            let Some(filter) = self.scope.filter(meta.collection, flagged) else {
                continue;
            };
            let mut take = |source: &Source| self.choice.source(meta.collection, source);
            match cascade::finish(self.db, meta, (filter, Strings::Exactly), &mut take).await {
                Ok(finished) => {
                    self.out.deletes += finished.flags;
                    self.out.stuck.extend(finished.pending);
                }
                Err(error @ Error::MissingIndex { .. }) => return Err(error),
                Err(error) => self.out.stuck.push(Pending::refused(
                    mark_flag::NAME,
                    meta.collection,
                    Bson::Null,
                    error.to_string(),
                )),
            }
        }
        Ok(())
    }

    /// Does steps C2 to C4 for counted children.
    async fn count_children(&mut self) -> Result<()> {
        let counting = Edges::get().links().iter().filter(|link| link.counts());
        let children: BTreeSet<&'static str> = counting.map(|link| link.child.collection).collect();
        for collection in children {
            let uncounted = flagged(stored::UNCOUNTED_TOKEN);
            let Some(filter) = self.scope.filter(collection, uncounted) else {
                continue;
            };
            let mut take =
                |(id, tokens): (&Bson, &[ObjectId])| self.choice.parent(collection, id, tokens);
            self.out.counted += counter::resume(self.db, collection, filter, &mut take).await?;
        }
        Ok(())
    }

    /// Does step C4 for tokens that no child has. Such a token is not unfinished work, so removing it does not count as work done.
    async fn remove_tokens(&mut self) -> Result<()> {
        let counting = Edges::get().links().iter().filter(|link| link.counts());
        let hosts: BTreeSet<&'static str> = counting.map(|link| link.host.collection).collect();
        for collection in hosts {
            let mut take =
                |(id, tokens): (&Bson, &[ObjectId])| self.choice.parent(collection, id, tokens);
            let Some(of_scope) = self.scope.filter(collection, Document::new()) else {
                continue;
            };
            counter::remove_orphaned_tokens(self.db, collection, &of_scope, &mut take).await?;
            counter::release_abandoned(self.db, collection, &of_scope).await?;
        }
        Ok(())
    }

    /// Does the last steps for marked arrays, lists and counts.
    async fn verify_parents(&mut self) -> Result<()> {
        for link in Edges::get().links() {
            let collection = link.host.collection;
            let mut take =
                |id: &Bson, tokens: &[ObjectId]| self.choice.parent(collection, id, tokens);
            let Some(of_scope) = self.scope.filter(collection, Document::new()) else {
                continue;
            };
            self.out.parents += verify(self.db, link, &of_scope, &mut take).await?;
        }
        Ok(())
    }
}
