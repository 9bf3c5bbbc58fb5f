//! A round over some sources brings up to date their copies, the parents of those that are children, their flags, and the copies of copies.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use bson::{Document, doc};
use futures::StreamExt;
use futures::future::BoxFuture;

use super::clear::{Clear, Marks};
use super::copies::{to_all_copies, to_copies};
use super::refusals::{check_index, update_one_by_one};
use super::{Left, resume};
use crate::driver::command::Statements;
use crate::driver::{self, Database};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::{Edge, Edges};
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::links;
use crate::schema::stored;

/// The largest number of updates of copies, each along one edge, that run at once.
const AT_ONCE: usize = 8;

/// Some sources of a collection, and the progress of their round.
pub(super) struct Round<'f> {
    db: &'f Database,
    collection: &'f str,
    sources: Vec<Source>,
    /// The edges and links that stay flagged, each with the index of its source.
    failed: HashSet<(usize, &'f str)>,
    pub(super) left: Left,
}

/// The updates of W2 along one edge.
pub(super) struct Job<'e> {
    edge: &'e Edge,
    /// The indexes of the sources that the updates are for.
    places: Vec<usize>,
    /// A statement per source, for all documents at once.
    all: Vec<Document>,
    /// A statement per source, for documents one by one.
    each: Vec<Document>,
}

/// The copies in one collection that have copies of their own.
#[derive(Default)]
pub(super) struct Onward<'e> {
    /// The names of the edges from these copies.
    edges: BTreeSet<&'e str>,
    /// The filters for the documents whose copies were changed.
    changed: Vec<Document>,
}

impl<'f> Round<'f> {
    pub(super) fn new(db: &'f Database, collection: &'f str, sources: Vec<Source>) -> Self {
        Round {
            db,
            collection,
            sources,
            failed: HashSet::new(),
            left: Left::default(),
        }
    }

    /// Plans the updates of all copies; and, by collection, the changed copies that have copies of their own.
    pub(super) fn plan_jobs(
        &mut self,
        also: &[&str],
    ) -> (Vec<Job<'f>>, BTreeMap<&'f str, Onward<'f>>) {
        let mut onward: BTreeMap<&str, Onward<'f>> = BTreeMap::new();
        let mut jobs = Vec::new();
        let edges = Edges::get();
        for edge in edges.out_of(self.collection) {
            let mut job = Job {
                edge,
                places: Vec::new(),
                all: Vec::new(),
                each: Vec::new(),
            };
            let mut unreadable = Vec::new();
            for (n, source) in self.sources.iter().enumerate() {
                let asked =
                    source.pending.contains(&edge.name) || also.contains(&edge.name.as_str());
                if !asked || source.deleted {
                    continue;
                }
                if let Some(error) = source.unreadable(edge.source) {
                    unreadable.push((n, error.to_string()));
                } else if let Some(key) = source.key(edge) {
                    let update = to_copies(edge, source, key);
                    job.places.push(n);
                    job.all.push(to_all_copies(edge, source, key, &update));
                    job.each.push(update);
                    let next = edges.onward(edge);
                    if !next.is_empty() {
                        let onward = onward.entry(edge.target.collection).or_default();
                        onward.edges.extend(next);
                        let mut referring = edge.place.referring_to(key);
                        referring.extend(source.same_tenant(edge));
                        onward.changed.push(referring);
                    }
                }
            }
            for (n, reason) in unreadable {
                self.refuse(&edge.name, n, reason);
            }
            if !job.places.is_empty() {
                traced!(edge(&edge.name));
                jobs.push(job);
            }
        }
        (jobs, onward)
    }

    /// W2 along the edges of these jobs.
    pub(super) async fn update_copies(&mut self, jobs: &[Job<'f>], behind: bool) -> Result<()> {
        let db = self.db;
        // A call that waits for everything sends the updates one after the other, so that a test can stop it between two of them.
        let at_once = if behind { AT_ONCE } else { 1 };
        let mut sends: Vec<BoxFuture<'_, Result<Statements>>> = Vec::new();
        for Job { edge, all, .. } in jobs {
            sends.push(Box::pin(async move {
                fault!("before_w2");
                driver::statements(db, edge.target.collection, all, false, None).await
            }));
        }
        let mut sends = futures::stream::iter(sends).buffered(at_once);
        for Job {
            edge, places, each, ..
        } in jobs
        {
            let Some(done) = sends.next().await else {
                break;
            };
            let mut done = done?;
            check_index(edge, &done)?;
            self.left.changed += done.modified;
            let stopped = std::mem::take(&mut done.failed);
            for (n, code, message) in update_one_by_one(db, edge, each, stopped).await? {
                self.refuse(&edge.name, places[n], format!("{message} ({code})"));
            }
            fault!("mid_w2");
        }
        Ok(())
    }

    /// W2 of two-way arrays and lists: updates the parents of those sources that are children.
    pub(super) async fn update_parents(&mut self) -> Result<Vec<Marks>> {
        let mut marks = Vec::new();
        for link in Edges::get().links() {
            if link.child.collection != self.collection {
                continue;
            }
            let asked = |source: &&Source| source.pending.contains(&link.name);
            let places = self.sources.iter().enumerate();
            let (places, children): (Vec<usize>, Vec<&Source>) =
                places.filter(|(_, source)| asked(source)).unzip();
            if children.is_empty() {
                continue;
            }
            fault!("2w_after_w1");
            let kept = links::apply(self.db, link, &children).await?;
            self.left.changed += kept.changed;
            // A child whose update was refused, or that is being deleted, does not lose its flag below, which proves that it is unchanged.
            let all = kept.refused.is_empty() && children.iter().all(|child| !child.deleted);
            marks.push((link, kept.marks, all));
            if !kept.refill.is_empty() {
                links::collect_refills(&mut self.left.refill, vec![(link, kept.refill)]);
            }
            for (n, reason) in kept.refused {
                self.refuse(&link.name, places[n], reason);
            }
        }
        Ok(marks)
    }

    /// W3: clears the flags; with `behind`, after the answer of the present call.
    pub(super) async fn clear_flags(&mut self, marks: Vec<Marks>, behind: bool) -> Result<()> {
        let clear = Clear::plan(self.collection, &self.sources, &self.failed, marks);
        if behind {
            let later = self.db.clone();
            let clear = async move { clear.send(&later).await.map(drop) };
            finisher::defer(self.db, clear).await
        } else {
            self.left.finished += clear.send(self.db).await?;
            Ok(())
        }
    }

    /// Updates the copies of the copies that this round has changed.
    pub(super) async fn update_onward(
        &mut self,
        onward: BTreeMap<&'f str, Onward<'f>>,
    ) -> Result<()> {
        for (target, onward) in onward {
            let names: Vec<&str> = onward.edges.into_iter().collect();
            for referring in onward.changed {
                let mut filter = doc! { stored::PENDING: { "$in": &names } };
                filter.extend(referring);
                let all = &mut |_: &Source| true;
                let resumed = Box::pin(resume(self.db, target, filter, all)).await?;
                self.left.add(resumed);
            }
        }
        Ok(())
    }

    /// Leaves the work along an edge or link pending for the source with this index.
    fn refuse(&mut self, name: &'f str, n: usize, reason: String) {
        self.failed.insert((n, name));
        let id = self.sources[n].id.clone();
        self.left
            .pending
            .push(Pending::refused(name, self.collection, id, reason));
    }
}
