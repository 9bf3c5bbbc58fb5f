//! Everything that a changed child changes in its parents, by one update of each parent: the lists, the numbers, and beside them the read
//! of what the child copies.

mod group;
mod task;

use std::collections::BTreeMap;
use std::sync::Arc;

use bson::{Bson, Document};
use futures::future::join_all;

pub(crate) use self::group::Evidence;
use self::task::ChangedChild;
pub(crate) use self::task::{Finished, Ticket};
use super::counter::{self, CountAt, CountToken};
use crate::Database;
use crate::bson_util::id_key::IdKey;
use crate::driver::Acknowledged;
use crate::graph::edges::Edges;
use crate::graph::links::{Keeps, Link, Recent};
use crate::graph::source::Source;

/// The changes of the parents of one child.
#[derive(Debug)]
pub(crate) struct ParentChanges(Vec<ParentChange>);

/// The change of one parent.
#[derive(Debug)]
struct ParentChange {
    host: &'static str,
    id: Bson,
    lists: Vec<(&'static Link, &'static Recent, bool)>,
    count: Option<CountAt>,
}

/// A parent after its update.
#[derive(Debug)]
pub(crate) struct UpdatedParent {
    pub(crate) host: &'static str,
    pub(crate) id: Bson,
    /// The parent as the update left it, if that was read.
    pub(crate) document: Option<Arc<Document>>,
    /// What the update has left, if a crash of the server may still undo it.
    pub(crate) evidence: Option<Arc<Evidence>>,
}

/// The parents after their updates.
#[derive(Debug)]
pub(crate) struct Applied {
    /// True if all of them were updated. Otherwise the separate steps have to follow: they find out why, and do not repeat what was done.
    pub(crate) all: bool,
    pub(crate) parents: Vec<UpdatedParent>,
    /// One for each parent: the caller reports in the end whether the child was finished.
    pub(crate) tickets: Vec<Ticket>,
}

impl ParentChanges {
    /// `begun` is the token under which the child was flagged to be counted. `None` if a parent stores the ids of its children, if the
    /// epoch of a parent is not known, or if the child waits for something that concerns no parent.
    pub(crate) fn of(
        db: &Database,
        edges: &'static Edges,
        collection: &str,
        child: &Source,
        begun: Option<CountToken>,
    ) -> Option<Self> {
        let mut parents: BTreeMap<(&'static str, IdKey), ParentChange> = BTreeMap::new();
        for link in edges.links() {
            let pending = child.pending.contains(&link.name);
            if link.child.collection != collection || !pending {
                continue;
            }
            let Keeps::Recent(list) = &link.keeps else {
                return None;
            };
            let stays = link.parents_of(child).into_iter().map(|id| (id, true));
            let left = link.left_by(child).into_iter().map(|id| (id, false));
            for (id, belongs) in stays.chain(left) {
                let parent = ParentChange::at(&mut parents, link.host.collection, &id);
                parent.lists.push((link, list, belongs));
            }
        }
        let links = |name: &String| {
            let mut links = edges.links_of(collection);
            links.any(|link| link.name == *name)
        };
        if !child.pending.iter().filter(|name| !is_own(name)).all(links) {
            return None;
        }
        for count in begun
            .into_iter()
            .flat_map(|begun| counter::counts_of(edges, collection, begun, &child.fields))
        {
            if !count.is_known(db) {
                return None;
            }
            let (host, id) = (count.host(), count.id().clone());
            ParentChange::at(&mut parents, host, &id).count = Some(count);
        }
        Some(ParentChanges(parents.into_values().collect()))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the document with this `_id` is one of these parents: its update shows that it is there.
    pub(crate) fn has(&self, host: &str, id: &Bson) -> bool {
        let mut parents = self.0.iter();
        parents.any(|one| one.host == host && IdKey::new(&one.id) == IdKey::new(id))
    }

    /// The only parent: its collection, its `_id`, and how many of its fields change.
    pub(crate) fn only(&self) -> Option<(&'static str, &Bson, usize)> {
        match self.0.as_slice() {
            [one] => {
                let fields = one.lists.len() + usize::from(one.count.is_some());
                Some((one.host, &one.id, fields))
            }
            _ => None,
        }
    }

    /// Updates all parents at once, each together with other children that change it. Unless that is `acknowledged` as durable, the
    /// updates have to be confirmed before a flag of the child goes.
    pub(crate) async fn apply(
        self,
        db: &Database,
        edges: &'static Edges,
        child: &Arc<Source>,
        acknowledged: &Acknowledged,
    ) -> Applied {
        let updates = self.0.into_iter().map(|change| {
            let ParentChange {
                host,
                id,
                lists,
                count,
            } = change;
            let child = Arc::clone(child);
            // A child that only leaves a list may leave nothing there by which its update could be confirmed.
            let is_evident = count.is_some() || lists.iter().any(|(.., belongs)| *belongs);
            let changed = ChangedChild {
                parent: id.clone(),
                child,
                lists,
                count,
                acknowledged: match is_evident {
                    true => acknowledged.clone(),
                    false => Acknowledged::Durable,
                },
            };
            async move {
                let applied = task::apply(db, edges, host, changed).await;
                (host, id, applied)
            }
        });
        let mut out = Applied {
            all: true,
            parents: Vec::new(),
            tickets: Vec::new(),
        };
        for (host, id, applied) in join_all(updates).await {
            let Some(task::Applied {
                parent: document,
                evidence,
                ticket,
            }) = applied
            else {
                out.all = false;
                continue;
            };
            out.tickets.push(ticket);
            out.parents.push(UpdatedParent {
                host,
                id,
                document,
                evidence,
            });
        }
        out
    }
}

/// True if a name in `_dn.p` is that of a tombstone.
fn is_own(name: &str) -> bool {
    name.starts_with('~')
}

impl ParentChange {
    fn at<'p>(
        parents: &'p mut BTreeMap<(&'static str, IdKey), ParentChange>,
        host: &'static str,
        id: &Bson,
    ) -> &'p mut ParentChange {
        let key = (host, IdKey::new(id));
        parents.entry(key).or_insert_with(|| ParentChange {
            host,
            id: id.clone(),
            lists: Vec::new(),
            count: None,
        })
    }
}
