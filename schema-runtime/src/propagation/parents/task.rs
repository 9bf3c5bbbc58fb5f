//! Changed children of one parent. While an update of a parent is under way, those that come meanwhile gather, and the next update is for
//! all of them: a parent with many writers is changed once for each group of children, not once for each child.
//!
//! An update of a parent leaves marks of its lists and tokens of its numbers. They go with the next update, or by an update of their own
//! if none comes.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::channel::oneshot;
use tokio::sync::Notify;

use crate::Database;
use crate::bson_util::id_key::IdKey;
use crate::driver;
use crate::error::Result;
use crate::finisher::{self, HandleId, Open};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::propagation::counter::{self, CountAt, GroupCount, Parent};
use crate::propagation::links::{self, ToRefill};
use crate::propagation::{recent, source};

/// How many children one update is for.
const CHILDREN: usize = 500;

/// How many tokens of its own a program leaves on a parent: less than a parent holds, so that other programs find room.
const TOKENS: usize = 48;

/// How many tokens that nothing needs wait until an update for other children removes them: each removal makes the writers of other
/// programs read the parent again.
const UNNEEDED: usize = 16;

/// How long marks and tokens wait for the next update.
const LINGER: Duration = Duration::from_millis(20);

/// A child that changes what the parent stores about its children.
#[derive(Debug)]
pub(super) struct ChangedChild {
    pub(crate) child: Arc<Source>,
    /// The lists that change, each with true if the child belongs there.
    pub(crate) lists: Vec<(&'static Link, &'static Recent, bool)>,
    pub(crate) count: Option<CountAt>,
}

/// The parent after an update for a child, and the child's share in it.
type Applied = (Arc<Document>, Ticket);

/// What became of a child after its parents were updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finished {
    /// It was as its parents know it when its flags were removed.
    Confirmed,
    /// Its flags were removed, but it may have changed before: lists are compared with the children.
    Changed,
    /// Its flags may still be there.
    Failed,
}

type Key = (HandleId, &'static str, IdKey);

/// What waits for the task of a parent.
#[derive(Debug, Default)]
struct Waiting {
    children: Vec<(ChangedChild, oneshot::Sender<Applied>)>,
    finished: Vec<(u64, Finished)>,
    tidied: Vec<(u64, oneshot::Sender<()>)>,
    wake: Arc<Notify>,
}

fn parents() -> MutexGuard<'static, HashMap<Key, Waiting>> {
    static PARENTS: OnceLock<Mutex<HashMap<Key, Waiting>>> = OnceLock::new();
    let parents = PARENTS.get_or_init(Mutex::default).lock();
    parents.unwrap_or_else(PoisonError::into_inner)
}

/// A child's share in what an update has left on its parent.
#[derive(Debug)]
pub(crate) struct Ticket {
    key: Key,
    group: u64,
    finished: Finished,
}

impl Ticket {
    /// Says what became of the child; what the update left may be removed.
    pub(crate) fn finish(mut self, finished: Finished) {
        self.finished = finished;
    }

    /// The same, and waits until it was removed.
    pub(crate) async fn tidy(mut self, finished: Finished) {
        self.finished = finished;
        let (done, tidied) = oneshot::channel();
        if let Some(waiting) = parents().get_mut(&self.key) {
            waiting.tidied.push((self.group, done));
        }
        drop(self);
        // An error means that the task has ended: then a finisher of another program removes it.
        let _ = tidied.await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(waiting) = parents().get_mut(&self.key) {
            waiting.finished.push((self.group, self.finished));
            waiting.wake.notify_one();
        }
    }
}

/// Updates a parent for a changed child, together with others. `None` if it does not exist, is being deleted, counts in another epoch, or was
/// not updated for another reason: then the separate steps find out why.
pub(super) async fn apply(
    db: &Database,
    edges: &'static Edges,
    host: &'static str,
    id: &Bson,
    child: ChangedChild,
) -> Option<Applied> {
    let key = (finisher::handle(db), host, IdKey::new(id));
    let (reply, applied) = oneshot::channel();
    {
        let mut parents = parents();
        match parents.get_mut(&key) {
            Some(waiting) => {
                waiting.children.push((child, reply));
                waiting.wake.notify_one();
            }
            None => {
                let waiting = Waiting {
                    children: vec![(child, reply)],
                    ..Waiting::default()
                };
                let wake = Arc::clone(&waiting.wake);
                parents.insert(key.clone(), waiting);
                drop(parents);
                let task = Task {
                    db: db.clone(),
                    edges,
                    id: id.clone(),
                    key,
                    wake,
                    open: Open::unbounded(db),
                    groups: HashMap::new(),
                    last: 0,
                    tokens: 0,
                    left: LeftOver::default(),
                    tidied: Vec::new(),
                    ended: false,
                };
                tokio::spawn(task.run());
            }
        }
    }
    applied.await.ok()
}

/// The children of one update that are not finished yet, and what it left on the parent.
#[derive(Debug)]
struct Group {
    unfinished: usize,
    worst: Finished,
    lists: Vec<(&'static Link, recent::Marks)>,
    tokens: Vec<ObjectId>,
}

/// What can be removed from the parent.
#[derive(Debug, Default)]
struct LeftOver {
    marks: Vec<ObjectId>,
    tokens: Vec<ObjectId>,
    /// Lists to compare with the children.
    compare: ToRefill,
}

impl LeftOver {
    fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.tokens.is_empty() && self.compare.is_empty()
    }
}

/// The task that updates one parent.
struct Task {
    db: Database,
    edges: &'static Edges,
    id: Bson,
    key: Key,
    wake: Arc<Notify>,
    open: Open,
    groups: HashMap<u64, Group>,
    last: u64,
    /// How many tokens this task has on the parent.
    tokens: usize,
    left: LeftOver,
    tidied: Vec<(u64, oneshot::Sender<()>)>,
    ended: bool,
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.ended {
            // Tickets that are dropped with it take the lock themselves.
            let dropped = parents().remove(&self.key);
            drop(dropped);
        }
    }
}

impl Task {
    async fn run(mut self) {
        loop {
            let children = self.take();
            if !children.is_empty() {
                self.update(children).await;
                continue;
            }
            if !self.left.is_empty() {
                if self.tidied.is_empty() && self.wait(Some(LINGER)).await {
                    continue;
                }
                self.tidy().await;
                continue;
            }
            self.tidied
                .retain(|(group, _)| self.groups.contains_key(group));
            if self.end() {
                return;
            }
            self.wait(None).await;
        }
    }

    /// Reads what waits; returns the children that the next update is for.
    fn take(&mut self) -> Vec<(ChangedChild, oneshot::Sender<Applied>)> {
        let (finished, children) = {
            let mut parents = parents();
            let Some(waiting) = parents.get_mut(&self.key) else {
                return Vec::new();
            };
            self.tidied.append(&mut waiting.tidied);
            let room = TOKENS.saturating_sub(self.tokens);
            let counted = |(child, _): &(ChangedChild, _)| child.count.is_some();
            let some = waiting.children.len().min(CHILDREN);
            let mut counts = waiting.children[..some]
                .iter()
                .map(counted)
                .scan(0, |n, one| {
                    *n += usize::from(one);
                    Some(*n)
                });
            let fit = counts.position(|n| n > room).unwrap_or(some);
            // Two changes of one child are sent one after the other.
            let mut seen = HashSet::new();
            let ids = waiting.children[..fit].iter();
            let mut ids = ids.map(|(changed, _)| IdKey::new(&changed.child.id));
            let fit = ids.position(|id| !seen.insert(id)).unwrap_or(fit);
            let children: Vec<_> = waiting.children.drain(..fit).collect();
            (std::mem::take(&mut waiting.finished), children)
        };
        for (group, finished) in finished {
            self.finished(group, finished);
        }
        children
    }

    fn finished(&mut self, group: u64, finished: Finished) {
        let Some(known) = self.groups.get_mut(&group) else {
            return;
        };
        known.unfinished -= 1;
        known.worst = known.worst.max(finished);
        if known.unfinished > 0 {
            return;
        }
        let Some(group) = self.groups.remove(&group) else {
            return;
        };
        self.tokens -= group.tokens.len();
        if group.worst == Finished::Failed {
            // The marks and tokens say that something is not finished here.
            return;
        }
        self.left.tokens.extend(group.tokens);
        for (link, marks) in group.lists {
            let mut compare = marks.refill;
            match group.worst {
                Finished::Confirmed => self.left.marks.extend(marks.put),
                Finished::Changed | Finished::Failed => compare.extend(marks.put),
            }
            if !compare.is_empty() {
                links::later(&mut self.left.compare, vec![(link, compare)]);
            }
        }
    }

    /// Waits for more; true if something came.
    async fn wait(&self, time: Option<Duration>) -> bool {
        let work = self.open.work();
        let mut hurry = pin!(work.hurry().notified());
        hurry.as_mut().enable();
        let Some(time) = time else {
            self.wake.notified().await;
            return true;
        };
        if work.is_hurried() {
            return false;
        }
        let woken = pin!(self.wake.notified());
        let either = futures::future::select(woken, hurry);
        let came = tokio::time::timeout(time, either).await;
        matches!(came, Ok(futures::future::Either::Left(_)))
    }

    /// True if nothing waits and nothing is unfinished: then the task has ended.
    fn end(&mut self) -> bool {
        let mut parents = parents();
        let idle = match parents.get(&self.key) {
            None => true,
            Some(waiting) => {
                waiting.children.is_empty()
                    && waiting.finished.is_empty()
                    && waiting.tidied.is_empty()
                    && self.groups.is_empty()
            }
        };
        if idle {
            parents.remove(&self.key);
            self.ended = true;
        }
        idle
    }

    /// One update of the parent for these children.
    async fn update(&mut self, children: Vec<(ChangedChild, oneshot::Sender<Applied>)>) {
        let (children, replies): (Vec<ChangedChild>, Vec<_>) = children.into_iter().unzip();
        let applied = self.send(&children).await;
        // Without a reply the children go on with the separate steps.
        let Ok(Some((parent, group))) = applied else {
            return;
        };
        self.last += 1;
        self.tokens += group.tokens.len();
        self.groups.insert(self.last, group);
        let parent = Arc::new(parent);
        for reply in replies {
            let ticket = Ticket {
                key: self.key.clone(),
                group: self.last,
                finished: Finished::Failed,
            };
            // A caller that has gone drops its ticket.
            let _ = reply.send((Arc::clone(&parent), ticket));
        }
    }

    async fn send(&mut self, children: &[ChangedChild]) -> Result<Option<(Document, Group)>> {
        let counted: Vec<&CountAt> = children
            .iter()
            .filter_map(|one| one.count.as_ref())
            .collect();
        let mut query = doc! { "_id": { "$eq": &self.id } };
        let unneeded: &[ObjectId] = match &self.left.tokens {
            many if many.len() >= UNNEEDED => many,
            _ => &[],
        };
        let count = match counted.is_empty() {
            true => None,
            false => match GroupCount::of(&self.db, &counted) {
                Some(count) => {
                    query = count.filter(unneeded.len());
                    Some(count)
                }
                None => return Ok(None),
            },
        };
        query.insert("_dn.del", doc! { "$exists": false });
        let mut pipeline = Vec::new();
        let mut attempts = Vec::new();
        for (link, list, children) in by_list(children) {
            let (stages, attempt) = recent::change(link, list, &self.id, &children);
            pipeline.extend(stages);
            attempts.push((link, attempt));
        }
        let next = ObjectId::new();
        pipeline.extend(count.as_ref().map(|count| count.stage(unneeded, next)));
        if !self.left.marks.is_empty() {
            pipeline.extend(flags::unmark_links(&self.left.marks));
        }
        let fields = source::fields(self.edges, self.key.1);
        let parent =
            driver::change_and_read(&self.db, self.key.1, query, pipeline, fields, false).await?;
        let Some(parent) = parent else {
            return Ok(None);
        };
        self.left.marks.clear();
        if let Some(count) = &count {
            let removed = !unneeded.is_empty();
            count.done(&self.db, removed.then_some(next));
            if removed {
                self.left.tokens.clear();
            }
        }
        let lists = attempts.into_iter();
        let lists = lists.map(|(link, attempt)| (link, attempt.marks(&parent)));
        let group = Group {
            unfinished: children.len(),
            worst: Finished::Confirmed,
            lists: lists.collect(),
            tokens: counted.iter().map(|count| count.token()).collect(),
        };
        Ok(Some((parent, group)))
    }

    /// Removes what finished children have left on the parent.
    async fn tidy(&mut self) {
        let left = std::mem::take(&mut self.left);
        let parent: Parent = (self.key.1, self.key.2.clone());
        let (tokens, marks) = (&left.tokens, &left.marks);
        let tidied = counter::tidy(&self.db, &parent, &self.id, tokens, marks).await;
        finisher::done(&self.db, &tidied);
        if !left.compare.is_empty() {
            let compared = links::refill(&self.db, left.compare).await;
            finisher::done(&self.db, &compared);
        }
    }
}

/// A list, and the children that change it, each with true if it belongs there.
type OfList<'c> = (&'static Link, &'static Recent, Vec<(&'c Source, bool)>);

fn by_list(children: &[ChangedChild]) -> Vec<OfList<'_>> {
    let mut out: Vec<OfList<'_>> = Vec::new();
    for child in children {
        for (link, list, belongs) in &child.lists {
            let change = (&*child.child, *belongs);
            match out
                .iter_mut()
                .find(|(known, ..)| std::ptr::eq(*known, *link))
            {
                Some((.., children)) => children.push(change),
                None => out.push((link, list, vec![change])),
            }
        }
    }
    out
}
