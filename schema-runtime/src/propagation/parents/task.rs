//! The task that updates the parents in one collection for changed children. While an update of parents runs, the children of other calls
//! gather, and the next update is for all of them: a parent with many writers is changed once for many calls, and one command changes the
//! parents of all these calls.
//!
//! An update of a parent leaves marks of its lists and tokens of its numbers. The next update removes them, or an update of their own if no
//! other comes.

use std::collections::{HashMap, HashSet};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use futures::channel::oneshot;
use tokio::sync::Notify;

use super::children::ChangedChildren;
use super::group::{Finished, Group, Statement};
use super::waiting::{Applied, Call, Key, Ticket, Waiting, collections};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Acknowledged, Database};
use crate::error::Result;
use crate::finisher::{self, Open};
use crate::graph::links::DURABLE_TOGETHER;
use crate::graph::source::Source;
use crate::propagation::counter::{self, Removal};
use crate::propagation::links::{self, ToRefill};
use crate::propagation::source;
use crate::schema::stored;

/// The largest number of changes of parents in one command, and the largest number of children of several calls in one update of a parent's
/// lists.
const CHANGES: usize = 500;

/// The smallest number of parents that are updated by two commands at once.
const TWO_COMMANDS: usize = 16;

/// The largest number of tokens of unfinished calls that this program leaves on a parent: fewer than a parent holds, so that other programs
/// find room.
const TOKENS: usize = 192;

/// The number of tokens, or marks, that nothing needs, from which on an update for other children also removes them: each removal of tokens
/// makes the writers of other programs read the parent again, and an update that only adds costs the server less.
const UNNEEDED: usize = 16;

/// The time that marks and tokens wait for the next update.
const LINGER: Duration = Duration::from_millis(20);

/// Updates a parent for changed children, together with those of other calls. `None` if the parent does not exist, is being deleted, counts
/// in another epoch, or was not updated for another reason: then the separate steps find the reason.
pub(super) async fn apply(
    db: &Database,
    host: &'static str,
    children: ChangedChildren,
) -> Option<Applied> {
    let key = (finisher::handle(db), host);
    let (reply, applied) = oneshot::channel();
    {
        let mut collections = collections();
        match collections.get_mut(&key) {
            Some(waiting) => {
                waiting.calls.push((children, reply));
                waiting.wake.notify_one();
            }
            None => {
                let waiting = Waiting {
                    calls: vec![(children, reply)],
                    ..Waiting::default()
                };
                let wake = Arc::clone(&waiting.wake);
                collections.insert(key, waiting);
                drop(collections);
                let task = Task {
                    db: db.clone(),
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
    /// The number of tokens of unfinished calls.
    tokens: usize,
    /// The marks and tokens that can be removed.
    marks: Vec<ObjectId>,
    unneeded: Vec<ObjectId>,
    /// The lists to compare with the children.
    compare: ToRefill,
}

impl Left {
    /// The tokens and the marks that the next update for other children should remove too.
    fn removable(&self) -> (&[ObjectId], &[ObjectId]) {
        let (tokens, marks) = (self.unneeded.as_slice(), self.marks.as_slice());
        match (tokens.len() >= UNNEEDED, marks.len() >= UNNEEDED) {
            (true, _) => (tokens, marks),
            (false, true) => (&[], marks),
            (false, false) => (&[], &[]),
        }
    }

    fn is_empty(&self) -> bool {
        self.marks.is_empty() && self.unneeded.is_empty() && self.compare.is_empty()
    }
}

/// The acknowledgement of one command for all of these calls: what each of them needs. If the command is for many parents, it is durable,
/// because one wait costs less than a confirmation of each parent.
fn combine_acknowledgements(calls: &[Call]) -> Acknowledged {
    let parents = calls.iter().map(|(changed, _)| IdKey::new(&changed.parent));
    if parents.collect::<HashSet<IdKey>>().len() >= DURABLE_TOGETHER {
        return Acknowledged::Durable;
    }
    let mut all = calls.iter().map(|(changed, _)| &changed.acknowledged);
    let first = all.next();
    match first.filter(|first| all.all(|other| other == *first)) {
        Some(all) => all.clone(),
        None => Acknowledged::Durable,
    }
}

/// The changes of one parent that the next update makes.
struct NextUpdate {
    tokens: usize,
    listed: HashSet<IdKey>,
}

impl NextUpdate {
    fn after(tokens: usize) -> Self {
        NextUpdate {
            tokens,
            listed: HashSet::new(),
        }
    }

    /// Adds the children of a call, if the next update can be for them as well. It cannot if the parent has too many tokens, if the
    /// children are too many, or if a child has another change in the update: such changes are sent one after the other.
    fn add(&mut self, call: &ChangedChildren) -> bool {
        let more = usize::from(call.count.is_some());
        let listed: Vec<IdKey> = call.listed().map(IdKey::new).collect();
        let all = self.listed.len() + listed.len();
        let fits = (more == 0 || self.tokens + more <= TOKENS)
            && (self.listed.is_empty() || all <= CHANGES)
            && listed.iter().all(|child| !self.listed.contains(child));
        if fits {
            self.tokens += more;
            self.listed.extend(listed);
        }
        fits
    }
}

/// The task that updates the parents of one collection.
struct Task {
    db: Database,
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
            // Tickets that are dropped here take the lock themselves.
            let dropped = collections().remove(&self.key);
            drop(dropped);
        }
    }
}

impl Task {
    async fn run(mut self) {
        loop {
            finisher::gather(|| self.waiting()).await;
            let calls = self.take_calls();
            if !calls.is_empty() {
                self.update(calls).await;
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
            if self.end_if_idle() {
                return;
            }
            self.wait(None).await;
        }
    }

    /// The number of calls that wait.
    fn waiting(&self) -> usize {
        collections()
            .get(&self.key)
            .map_or(0, |waiting| waiting.calls.len())
    }

    /// Reads the waiting calls and reports; returns the calls that the next command is for.
    fn take_calls(&mut self) -> Vec<Call> {
        let mut calls = Vec::new();
        let finished = {
            let mut collections = collections();
            let Some(waiting) = collections.get_mut(&self.key) else {
                return Vec::new();
            };
            self.tidied.append(&mut waiting.tidied);
            let mut parents: HashMap<IdKey, NextUpdate> = HashMap::new();
            let mut others = Vec::new();
            for call in waiting.calls.drain(..) {
                let parent = IdKey::new(&call.0.parent);
                let tokens = self.parents.get(&parent).map_or(0, |left| left.tokens);
                let taken = parents
                    .entry(parent)
                    .or_insert_with(|| NextUpdate::after(tokens));
                if calls.len() < CHANGES && taken.add(&call.0) {
                    calls.push(call);
                } else {
                    others.push(call);
                }
            }
            waiting.calls = others;
            std::mem::take(&mut waiting.finished)
        };
        for (group, finished) in finished {
            self.record_finished(group, finished);
        }
        calls
    }

    /// Records the report of a call. With the last report of a group, the marks and tokens that its update has left can be removed.
    fn record_finished(&mut self, group: u64, finished: Finished) {
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
            // The marks and tokens stay: they say that something is not finished on this parent.
            return;
        }
        left.unneeded.extend(group.tokens);
        for (link, marks) in group.lists {
            match group.worst {
                Finished::Confirmed => left.marks.extend(marks.put),
                Finished::Changed | Finished::Failed if marks.put.is_empty() => {}
                Finished::Changed | Finished::Failed => {
                    links::collect_refills(&mut left.compare, vec![(link, marks.put)]);
                }
            }
        }
    }

    /// Waits for more calls or reports; true if any came.
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
    fn end_if_idle(&mut self) -> bool {
        let mut collections = collections();
        let idle = match collections.get(&self.key) {
            None => true,
            Some(waiting) => {
                waiting.calls.is_empty()
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

    /// Sends one command that updates the parents of the children of these calls.
    async fn update(&mut self, calls: Vec<Call>) {
        let acknowledged = combine_acknowledgements(&calls);
        let mut parents: HashMap<IdKey, Vec<Call>> = HashMap::new();
        for call in calls {
            let parent = IdKey::new(&call.0.parent);
            parents.entry(parent).or_default().push(call);
        }
        let mut statements = Vec::new();
        for (key, calls) in parents {
            let (changed, replies): (Vec<ChangedChildren>, Vec<_>) = calls.into_iter().unzip();
            let nothing = Left::default();
            let left = self.parents.get(&key).unwrap_or(&nothing);
            let (unneeded, marks) = left.removable();
            // Calls that get no reply go on with the separate steps.
            if let Some(statement) = Statement::plan(&self.db, &changed, unneeded, marks) {
                statements.push((key, statement, replies));
            }
        }
        let parents = match self.send(&mut statements, &acknowledged).await {
            Ok(parents) => parents,
            Err(_) => return,
        };
        for ((key, statement, replies), parent) in statements.into_iter().zip(parents) {
            let Some(parent) = parent else {
                continue;
            };
            let left = self.parents.entry(key).or_default();
            if statement.removes_marks {
                left.marks.clear();
            }
            if statement.removes_tokens() {
                left.unneeded.clear();
            }
            let fields = parent.as_ref().map(|parent| &parent.fields);
            let mut group = statement.done(&self.db, fields);
            left.tokens += group.tokens.len();
            left.id = group.parent.clone();
            self.last += 1;
            let evidence = match acknowledged {
                Acknowledged::Durable => None,
                Acknowledged::As(_) => Some(Arc::new(group.evidence())),
            };
            let refill = group.take_refill();
            self.groups.insert(self.last, group);
            for reply in replies {
                let ticket = Ticket::new(self.key, self.last);
                // A caller that has gone away drops its ticket.
                let _ = reply.send(Applied {
                    parent: parent.clone(),
                    evidence: evidence.clone(),
                    ticket,
                    refill: refill.clone(),
                });
            }
        }
    }

    /// Sends the statements. Returns for each statement whether it has changed its parent, with the parent if it was read.
    async fn send<T>(
        &self,
        statements: &mut [(IdKey, Statement, T)],
        acknowledged: &Acknowledged,
    ) -> Result<Vec<Option<Option<Arc<Source>>>>> {
        let host = self.key.1;
        if let [(_, only, _)] = statements {
            let fields = source::fields(host);
            let (query, update) = only.take();
            let db = &self.db;
            let found =
                driver::change_and_read_as(db, host, query, update, fields, acknowledged).await?;
            return Ok(vec![
                found.map(|parent| Some(Arc::new(Source::read(parent)))),
            ]);
        }
        let updates = statements.iter_mut().map(|(_, one, _)| one.take_update());
        let updates: Vec<Document> = updates.collect();
        if self.send_all(&updates, acknowledged).await? {
            return Ok(vec![Some(None); updates.len()]);
        }
        // The parents that have one of the new marks or tokens were changed.
        let ids = statements.iter().map(|(_, one, _)| one.parent.clone());
        let ids: Vec<Bson> = ids.collect();
        let fields = doc! { stored::UNCONFIRMED: 1, stored::COUNTS: 1 };
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

    /// Sends these updates; true if each has found its parent. The server runs the updates of a command one after the other, so that many
    /// updates are sent as two commands at once.
    async fn send_all(&self, updates: &[Document], acknowledged: &Acknowledged) -> Result<bool> {
        let first = match updates.len() {
            ..TWO_COMMANDS => updates.len(),
            many => many / 2,
        };
        let (some, others) = updates.split_at(first);
        let (db, host) = (&self.db, self.key.1);
        let some = driver::statements_as(db, host, some, acknowledged.clone());
        // An empty list sends nothing.
        let others = driver::statements_as(db, host, others, acknowledged.clone());
        let (some, others) = futures::future::join(some, others).await;
        let (some, others) = (some?, others?);
        let matched = some.matched + others.matched;
        Ok(some.failed.is_empty() && others.failed.is_empty() && matched == updates.len() as u64)
    }

    /// Removes the marks and tokens that finished children have left on the parents.
    async fn tidy(&mut self) {
        let host = self.key.1;
        let mut lefts = Vec::new();
        let mut compare = ToRefill::new();
        for (key, left) in &mut self.parents {
            links::collect_refills(&mut compare, std::mem::take(&mut left.compare));
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
            let removed = counter::remove_all(&self.db, host, &removals).await;
            finisher::done(&self.db, &removed);
        }
        if !compare.is_empty() {
            let compared = links::refill(&self.db, compare).await;
            finisher::done(&self.db, &compared);
        }
    }
}
