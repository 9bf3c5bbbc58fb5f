//! All changes that the children of one call cause in their parents, by one update of each parent: of the lists and of the numbers. The
//! same command reads the fields of the parent that the children copy.

mod children;
mod group;
mod task;
mod waiting;

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Bson, Document};
use futures::future::join_all;

use self::children::ChangedChildren;
pub(crate) use self::group::{Evidence, Finished};
pub(crate) use self::waiting::Ticket;
use super::counter::{self, CountToken, Reservations};
use super::links::{self, ToRefill};
use crate::bson_util::id_key::IdKey;
use crate::driver::{Acknowledged, Database};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Keeps;
use crate::graph::source::Source;

/// The changes of the parents of one call's children, by the collection and `_id` of the parent.
#[derive(Debug)]
pub(crate) struct ParentChanges(BTreeMap<(&'static str, IdKey), ChangedChildren>);

/// A parent after its update.
#[derive(Debug)]
pub(crate) struct UpdatedParent {
    pub(crate) host: &'static str,
    pub(crate) id: Bson,
    /// The parent after the update, if it was read.
    pub(crate) source: Option<Arc<Source>>,
    /// The marks and tokens that the update has left, if a crash of the server may still undo the update.
    pub(crate) evidence: Option<Arc<Evidence>>,
}

/// The parents after their updates.
#[derive(Debug)]
pub(crate) struct Applied {
    /// True if all parents were updated. Otherwise the separate steps have to follow: they find the reason, and do not repeat finished
    /// work.
    pub(crate) all: bool,
    pub(crate) parents: Vec<UpdatedParent>,
    /// A ticket for each parent: by it the caller reports in the end whether the children were finished.
    pub(crate) tickets: Vec<Ticket>,
    /// The lists that may lack children now: a reader would miss these children until the lists are refilled.
    pub(crate) refill: ToRefill,
}

impl ParentChanges {
    /// Plans the changes. `begun` is the token under which the children were flagged to be counted. `None` if a parent stores the ids of
    /// its children, if the epoch of a parent or the period of a child is not known, if children of several tenants name the same parent,
    /// or if a child has pending work that concerns no parent.
    pub(crate) fn plan(
        db: &Database,
        collection: &str,
        children: &[Arc<Source>],
        begun: Option<CountToken>,
    ) -> Option<Self> {
        let edges = Edges::get();
        let mut parents = BTreeMap::new();
        let links = edges.links().iter();
        for link in links.filter(|link| link.child.collection == collection) {
            let pending = |child: &&Arc<Source>| child.pending.contains(&link.name);
            for child in children.iter().filter(pending) {
                let Keeps::Recent(list) = &link.keeps else {
                    return None;
                };
                if !link.is_dated(child) {
                    return None;
                }
                let stays = link.parents_of(child).into_iter().map(|id| (id, true));
                let left = link.left_by(child).into_iter().map(|id| (id, false));
                for (id, belongs) in stays.chain(left) {
                    let inside = link.inside_host(&child.fields);
                    let parent = entry_of(&mut parents, link.host.collection, &id, &inside)?;
                    parent.list(link, list).push((Arc::clone(child), belongs));
                }
            }
        }
        let known = |name: &String| {
            let mut links = edges.links_of(collection);
            flags::is_of_delete(name) || links.any(|link| link.name == *name)
        };
        if !children.iter().all(|child| child.pending.iter().all(known)) {
            return None;
        }
        if let Some(begun) = begun {
            let fields = children.iter().map(|child| &child.fields);
            for count in counter::counts_of(collection, begun, fields) {
                if !count.is_known(db) {
                    return None;
                }
                let of = entry_of(&mut parents, count.host(), count.id(), count.inside())?;
                of.count = Some(count);
            }
        }
        Some(ParentChanges(parents))
    }

    /// True if these pending names of children concern nothing but lists of their parents.
    pub(crate) fn are_all(collection: &str, names: &[&str]) -> bool {
        let is_list = |name: &&str| {
            let mut links = Edges::get().links_of(collection);
            links.any(|link| link.name == **name && matches!(link.keeps, Keeps::Recent(_)))
        };
        names.iter().all(is_list)
    }

    /// Removes and returns the parents whose numbers the reservations have changed already: their updates turn these into counts.
    pub(crate) fn split_reserved(&mut self, reserved: &Reservations) -> Self {
        let is_reserved = |change: &ChangedChildren| {
            let count = change.count.as_ref();
            change.lists.is_empty() && count.is_some_and(|count| reserved.cover(count))
        };
        let all = std::mem::take(&mut self.0).into_iter();
        let (reserved, others) = all.partition(|(_, change)| is_reserved(change));
        self.0 = others;
        ParentChanges(reserved)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the document with this `_id` is one of these parents: its update shows that it exists.
    pub(crate) fn has(&self, host: &str, id: &Bson) -> bool {
        let id = IdKey::new(id);
        let mut parents = self.0.keys();
        parents.any(|(known, parent)| *known == host && *parent == id)
    }

    /// The only parent: its collection, its `_id`, and the number of its fields that change. `None` if there are several parents.
    pub(crate) fn only(&self) -> Option<(&'static str, &Bson, usize)> {
        let mut parents = self.0.iter();
        let ((host, _), change) = parents.next()?;
        let fields = change.lists.len() + usize::from(change.count.is_some());
        parents
            .next()
            .is_none()
            .then_some((*host, &change.parent, fields))
    }

    /// Updates all parents at once, each together with the children of other calls that change it. Unless the updates are `acknowledged` as
    /// durable, they have to be confirmed before the flag of any child is removed.
    pub(crate) async fn apply(self, db: &Database, acknowledged: &Acknowledged) -> Applied {
        let updates = self.0.into_iter().map(|((host, _), mut change)| {
            if change.is_evident() {
                change.acknowledged = acknowledged.clone();
            }
            async move {
                let id = change.parent.clone();
                let applied = task::apply(db, host, change).await;
                (host, id, applied)
            }
        });
        let mut out = Applied {
            all: true,
            parents: Vec::new(),
            tickets: Vec::new(),
            refill: ToRefill::new(),
        };
        for (host, id, applied) in join_all(updates).await {
            let Some(waiting::Applied {
                parent: source,
                evidence,
                ticket,
                refill,
            }) = applied
            else {
                out.all = false;
                continue;
            };
            out.tickets.push(ticket);
            links::collect_refills(&mut out.refill, refill);
            out.parents.push(UpdatedParent {
                host,
                id,
                source,
                evidence,
            });
        }
        out
    }
}

/// The changes of one parent; `None` if its children belong to several tenants.
fn entry_of<'p>(
    parents: &'p mut BTreeMap<(&'static str, IdKey), ChangedChildren>,
    host: &'static str,
    id: &Bson,
    inside: &Document,
) -> Option<&'p mut ChangedChildren> {
    let key = (host, IdKey::new(id));
    let known = parents.entry(key);
    let of = known.or_insert_with(|| ChangedChildren::new(id.clone(), inside.clone()));
    (of.inside == *inside).then_some(of)
}
