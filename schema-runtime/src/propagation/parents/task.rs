//! Changed children of the parents in one collection. While an update of parents is under way, the children that come meanwhile gather, and
//! the next update is for all of them: a parent with many writers is changed once for each group of children, and the parents of one group
//! are changed by one command.
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

use super::group::{Evidence, Group, Statement};
use crate::bson_util::id_key::IdKey;
use crate::driver::Acknowledged;
use crate::error::Result;
use crate::finisher::{self, HandleId, Open};
use crate::graph::edges::Edges;
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::propagation::counter::{self, CountAt, Removal};
use crate::propagation::links::{self, ToRefill};
use crate::propagation::source;
use crate::{Database, driver};

/// How many children one command is for.
const CHILDREN: usize = 500;

/// How many tokens of its own a program leaves on a parent: less than a parent holds, so that other programs find room.
const TOKENS: usize = 48;

/// How many tokens that nothing needs wait until an update for other children removes them: each removal makes the writers of other
/// programs read the parent again.
const UNNEEDED: usize = 16;

/// How long marks and tokens wait for the next update.
const LINGER: Duration = Duration::from_millis(20);

/// A child that changes what its parent stores about its children.
#[derive(Debug)]
pub(super) struct ChangedChild {
    pub(super) parent: Bson,
    pub(super) child: Arc<Source>,
    /// The lists that change, each with true if the child belongs there.
    pub(super) lists: Vec<(&'static Link, &'static Recent, bool)>,
    pub(super) count: Option<CountAt>,
    /// How far the update of the parent has to be acknowledged.
    pub(super) acknowledged: Acknowledged,
}

/// An update of a parent for a child.
#[derive(Debug)]
pub(super) struct Applied {
    /// The parent after it, if that was read.
    pub(super) parent: Option<Arc<Document>>,
    /// What it has left, if it may still be undone.
    pub(super) evidence: Option<Arc<Evidence>>,
    /// The child's share in it.
    pub(super) ticket: Ticket,
}

/// The state of a child after its parents were updated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Finished {
    /// It was as its parents know it when its flags were removed.
    Confirmed,
    /// Its flags were removed, but it may have changed before: lists are compared with the children.
    Changed,
    /// Its flags may still be there.
    Failed,
}

type Key = (HandleId, &'static str);

type Child = (ChangedChild, oneshot::Sender<Applied>);

/// The changes and reports that wait for the task of a collection.
#[derive(Debug, Default)]
struct Waiting {
    children: Vec<Child>,
    finished: Vec<(u64, Finished)>,
    tidied: Vec<(u64, oneshot::Sender<()>)>,
    wake: Arc<Notify>,
}

fn collections() -> MutexGuard<'static, HashMap<Key, Waiting>> {
    static COLLECTIONS: OnceLock<Mutex<HashMap<Key, Waiting>>> = OnceLock::new();
    let collections = COLLECTIONS.get_or_init(Mutex::default).lock();
    collections.unwrap_or_else(PoisonError::into_inner)
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
        if let Some(waiting) = collections().get_mut(&self.key) {
            waiting.tidied.push((self.group, done));
        }
        drop(self);
        // An error means that the task has ended: then a finisher of another program removes it.
        let _ = tidied.await;
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if let Some(waiting) = collections().get_mut(&self.key) {
            waiting.finished.push((self.group, self.finished));
            waiting.wake.notify_one();
        }
    }
}

/// Updates a parent for a changed child, together with others. `None` if it does not exist, is being deleted, counts in another epoch, or
/// was not updated for another reason: then the separate steps find out why.
pub(super) async fn apply(
    db: &Database,
    edges: &'static Edges,
    host: &'static str,
    child: ChangedChild,
) -> Option<Applied> {
    let key = (finisher::handle(db), host);
    let (reply, applied) = oneshot::channel();
    {
        let mut collections = collections();
        match collections.get_mut(&key) {
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
                collections.insert(key, waiting);
                drop(collections);
                let task = Task {
                    db: db.clone(),
                    edges,
                    key,
                    wake,
                    open: Open::unbounded(db),
                    groups: HashMap::new(),
                    last: 0,
                    parents: HashMap::new(),
                    tidied: Vec::new(),
                    ended: false,
                };
                tokio::spawn(task.run());
            }
        }
    }
    applied.await.ok()
}

/// The tokens and marks that the task has left on one parent.
#[derive(Debug, Default)]
struct Left {
    id: Bson,
    /// How many tokens of unfinished children there are.
    tokens: usize,
    /// Marks and tokens that can be removed.
    marks: Vec<ObjectId>,
    unneeded: Vec<ObjectId>,
    /// Lists to compare with the children.
    compare: ToRefill,
}

impl Left {
    fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.unneeded.is_empty() && self.compare.is_empty()
    }
}

/// One command for all of these children waits as each of them needs it.
fn together(children: &[Child]) -> Acknowledged {
    let mut all = children.iter().map(|(child, _)| &child.acknowledged);
    let first = all.next();
    match first.filter(|first| all.all(|other| other == *first)) {
        Some(all) => all.clone(),
        None => Acknowledged::Durable,
    }
}

/// The task that updates the parents of one collection.
struct Task {
    db: Database,
    edges: &'static Edges,
    key: Key,
    wake: Arc<Notify>,
    open: Open,
    groups: HashMap<u64, Group>,
    last: u64,
    parents: HashMap<IdKey, Left>,
    tidied: Vec<(u64, oneshot::Sender<()>)>,
    ended: bool,
}

impl Drop for Task {
    fn drop(&mut self) {
        if !self.ended {
            // Tickets that are dropped with it take the lock themselves.
            let dropped = collections().remove(&self.key);
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
            if self.parents.values().any(|left| !left.is_empty()) {
                if self.tidied.is_empty() && self.wait(Some(LINGER)).await {
                    continue;
                }
                self.tidy().await;
                continue;
            }
            self.parents.retain(|_, left| left.tokens > 0);
            let groups = &self.groups;
            self.tidied.retain(|(group, _)| groups.contains_key(group));
            if self.end() {
                return;
            }
            self.wait(None).await;
        }
    }

    /// Reads what waits; returns the children that the next command is for.
    fn take(&mut self) -> Vec<Child> {
        let mut children = Vec::new();
        let finished = {
            let mut collections = collections();
            let Some(waiting) = collections.get_mut(&self.key) else {
                return Vec::new();
            };
            self.tidied.append(&mut waiting.tidied);
            let mut tokens: HashMap<IdKey, usize> = HashMap::new();
            let mut seen = HashSet::new();
            let mut others = Vec::new();
            for child in waiting.children.drain(..) {
                let changed = &child.0;
                let parent = IdKey::new(&changed.parent);
                let more = usize::from(changed.count.is_some());
                let known = self.parents.get(&parent).map_or(0, |left| left.tokens);
                let own = tokens.entry(parent.clone()).or_default();
                let fits = more == 0 || known + *own < TOKENS;
                // Two changes of one child are sent one after the other.
                let first = seen.insert((parent, IdKey::new(&changed.child.id)));
                if fits && first && children.len() < CHILDREN {
                    *own += more;
                    children.push(child);
                } else {
                    others.push(child);
                }
            }
            waiting.children = others;
            std::mem::take(&mut waiting.finished)
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
        let left = self.parents.entry(IdKey::new(&group.parent)).or_default();
        left.id = group.parent;
        left.tokens = left.tokens.saturating_sub(group.tokens.len());
        if group.worst == Finished::Failed {
            // The marks and tokens say that something is not finished here.
            return;
        }
        left.unneeded.extend(group.tokens);
        for (link, marks) in group.lists {
            let mut compare = marks.refill;
            match group.worst {
                Finished::Confirmed => left.marks.extend(marks.put),
                Finished::Changed | Finished::Failed => compare.extend(marks.put),
            }
            if !compare.is_empty() {
                links::later(&mut left.compare, vec![(link, compare)]);
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
        let mut collections = collections();
        let idle = match collections.get(&self.key) {
            None => true,
            Some(waiting) => {
                waiting.children.is_empty()
                    && waiting.finished.is_empty()
                    && waiting.tidied.is_empty()
                    && self.groups.is_empty()
            }
        };
        if idle {
            collections.remove(&self.key);
            self.ended = true;
        }
        idle
    }

    /// One command that updates the parents of these children.
    async fn update(&mut self, children: Vec<Child>) {
        let acknowledged = together(&children);
        let mut parents: HashMap<IdKey, Vec<Child>> = HashMap::new();
        for child in children {
            let parent = IdKey::new(&child.0.parent);
            parents.entry(parent).or_default().push(child);
        }
        let mut statements = Vec::new();
        for (key, children) in parents {
            let (changed, replies): (Vec<ChangedChild>, Vec<_>) = children.into_iter().unzip();
            let nothing = Left::default();
            let left = self.parents.get(&key).unwrap_or(&nothing);
            let unneeded: &[ObjectId] = match left.unneeded.len() {
                many if many >= UNNEEDED => &left.unneeded,
                _ => &[],
            };
            // Without a reply the children go on with the separate steps.
            if let Some(statement) = Statement::of(&self.db, &changed, unneeded, &left.marks) {
                statements.push((key, statement, replies));
            }
        }
        let parents = match self.send(&statements, &acknowledged).await {
            Ok(parents) => parents,
            Err(_) => return,
        };
        for ((key, statement, replies), parent) in statements.into_iter().zip(parents) {
            let Some(parent) = parent else {
                continue;
            };
            let left = self.parents.entry(key).or_default();
            left.marks.clear();
            if statement.removes() {
                left.unneeded.clear();
            }
            let group = statement.done(&self.db, parent.as_deref());
            left.tokens += group.tokens.len();
            left.id = group.parent.clone();
            self.last += 1;
            let evidence = match acknowledged {
                Acknowledged::Durable => None,
                Acknowledged::As(_) => Some(Arc::new(group.evidence())),
            };
            self.groups.insert(self.last, group);
            for reply in replies {
                let ticket = Ticket {
                    key: self.key,
                    group: self.last,
                    finished: Finished::Failed,
                };
                // A caller that has gone drops its ticket.
                let _ = reply.send(Applied {
                    parent: parent.clone(),
                    evidence: evidence.clone(),
                    ticket,
                });
            }
        }
    }

    /// Sends the statements; returns for each the parent, if it was changed: as a document if it was read.
    async fn send<T>(
        &self,
        statements: &[(IdKey, Statement, T)],
        acknowledged: &Acknowledged,
    ) -> Result<Vec<Option<Option<Arc<Document>>>>> {
        let host = self.key.1;
        if let [(_, only, _)] = statements {
            let fields = source::fields(self.edges, host);
            let (query, update) = (only.query.clone(), only.pipeline.clone());
            let db = &self.db;
            let found =
                driver::change_and_read_as(db, host, query, update, fields, acknowledged).await?;
            return Ok(vec![found.map(|parent| Some(Arc::new(parent)))]);
        }
        let updates = statements.iter().map(|(_, one, _)| one.update());
        let updates: Vec<Document> = updates.collect();
        let done = driver::statements_as(&self.db, host, &updates, acknowledged.clone()).await?;
        if done.failed.is_empty() && done.matched == updates.len() as u64 {
            return Ok(vec![Some(None); updates.len()]);
        }
        // Those that have one of the new marks or tokens were changed.
        let ids = statements.iter().map(|(_, one, _)| one.parent.clone());
        let ids: Vec<Bson> = ids.collect();
        let fields = doc! { "_dn.v": 1, "_dn.k": 1 };
        let found = driver::read_by(&self.db, host, "_id", &ids, &fields, None).await?;
        let found: HashMap<IdKey, Document> = found
            .into_iter()
            .filter_map(|one| Some((IdKey::new(one.get("_id")?), one)))
            .collect();
        let changed = statements.iter().map(|(key, one, _)| {
            let parent = found.get(key)?;
            one.is_on(parent).then_some(None)
        });
        Ok(changed.collect())
    }

    /// Removes what finished children have left on the parents.
    async fn tidy(&mut self) {
        let host = self.key.1;
        let mut lefts = Vec::new();
        let mut compare = ToRefill::new();
        for (key, left) in &mut self.parents {
            links::later(&mut compare, std::mem::take(&mut left.compare));
            let marks = std::mem::take(&mut left.marks);
            let tokens = std::mem::take(&mut left.unneeded);
            if !marks.is_empty() || !tokens.is_empty() {
                lefts.push(((host, key.clone()), left.id.clone(), tokens, marks));
            }
        }
        let removals = lefts.iter().map(|(parent, id, tokens, marks)| Removal {
            parent: parent.clone(),
            id,
            tokens,
            marks,
        });
        let removals: Vec<Removal<'_>> = removals.collect();
        if !removals.is_empty() {
            let removed = counter::remove(&self.db, host, &removals).await;
            finisher::done(&self.db, &removed);
        }
        if !compare.is_empty() {
            let compared = links::refill(&self.db, compare).await;
            finisher::done(&self.db, &compared);
        }
    }
}
