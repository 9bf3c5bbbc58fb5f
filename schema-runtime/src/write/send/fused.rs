//! Propagates a new document whose copies, list entries and counts all depend on one reference: one command updates and reads the
//! parent, and another clears all flags of the document.

use bson::{Bson, Document, doc};
use futures::future::BoxFuture;

use super::into_pending;
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::flags;
use crate::graph::links::{Keeps, Link, Recent};
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::counter::apply::PiggybackCount;
use crate::propagation::recent::Telling;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, links, recent, source, target};
use crate::{Database, driver};

/// One new document, and the changes that it is flagged for.
#[derive(Debug)]
pub(crate) struct New<'a> {
    /// The document as it was stored.
    pub(crate) child: &'a Source,
    /// Its copies.
    pub(crate) marked: Option<&'a Unverified>,
    /// The token under which the document is to be counted.
    pub(crate) begun: Option<counter::CountToken>,
}

/// All flagged changes of one new document, if they concern a single parent.
struct Plan<'a> {
    db: &'a Database,
    edges: &'static Edges,
    new: &'a New<'a>,
    host: &'static str,
    id: Bson,
    lists: Vec<(&'static Link, &'static Recent)>,
    copies: Vec<&'static Edge>,
}

/// Propagates the insertion of a document if it concerns a single parent: sends a `findAndModify` to the parent, an `update` to
/// the document, and an `update` to the parent. Gives the changes that are still pending; `None` if it did nothing.
///
/// # Errors
/// A missing index. Any other failure leaves its change pending.
pub(crate) fn propagate_to_single_parent<'f>(
    db: &'f Database,
    edges: &'static Edges,
    collection: &'f str,
    new: New<'f>,
    pending: &'f [Pending],
) -> BoxFuture<'f, Result<Option<Vec<Pending>>>> {
    Box::pin(async move {
        let Some(plan) = Plan::of(db, edges, collection, &new) else {
            return Ok(None);
        };
        let riding = match new.begun {
            None => None,
            Some(begun) => {
                match PiggybackCount::of(db, edges, collection, begun, &new.child.fields) {
                    Some(riding) if riding.is_at(plan.host, &plan.id) => Some(riding),
                    _ => return Ok(None),
                }
            }
        };
        let (host, told) = match plan.tell(riding.as_ref()).await {
            Ok(Some(told)) => told,
            Ok(None) => return Ok(None),
            Err(error) => return into_pending(error, pending.to_vec()).map(Some),
        };
        // The values to copy from a parent of an older schema are known only after the whole parent is read and migrated.
        let schema = edges.migrating(plan.host);
        if !plan.copies.is_empty() && schema.is_some_and(|schema| schema.is_older(&host)) {
            return Ok(None);
        }
        fault!("after_fused");
        match plan.clear(collection, &host, &told, riding.as_ref()).await {
            Ok(()) => Ok(Some(Vec::new())),
            Err(error) => into_pending(error, pending.to_vec()).map(Some),
        }
    })
}

impl<'a> Plan<'a> {
    fn of(
        db: &'a Database,
        edges: &'static Edges,
        collection: &str,
        new: &'a New<'a>,
    ) -> Option<Self> {
        let mut parent: Option<(&'static str, Bson)> = None;
        let mut same = |host: &'static str, id: &Bson| match &parent {
            None => {
                parent = Some((host, id.clone()));
                true
            }
            Some((known, other)) => *known == host && other == id,
        };
        let (mut lists, mut copies) = (Vec::new(), Vec::new());
        for link in edges.links() {
            if link.child.collection != collection {
                continue;
            }
            for id in link.parents_of(new.child) {
                if !same(link.host.collection, &id) {
                    return None;
                }
                match &link.keeps {
                    Keeps::Ids { .. } => return None,
                    Keeps::Recent(list) => lists.push((link, list)),
                    Keeps::Count => {}
                }
            }
        }
        for (edge, key) in new.marked.iter().flat_map(|marked| &marked.references) {
            let simple = edge.place.is_single() && edge.key == "_id";
            let onward = !edges.onward(edge).is_empty();
            if !simple || onward || !same(edge.source.collection, key) {
                return None;
            }
            copies.push(*edge);
        }
        // Give up if the document has another pending change, because that does not concern this parent.
        let named = |name: &String| lists.iter().any(|(link, _)| link.name == *name);
        let told = lists.len() + usize::from(new.begun.is_some());
        let concerns = told + usize::from(!copies.is_empty());
        if !new.child.pending.iter().all(named) || told == 0 || concerns < 2 {
            return None;
        }
        let (host, id) = parent?;
        Some(Plan {
            db,
            edges,
            new,
            host,
            id,
            lists,
            copies,
        })
    }

    /// Updates the parent, and reads it durably, so that no crash can undo the state read; `None` if it does not exist, is being deleted,
    /// or counts in another epoch.
    async fn tell(
        &self,
        riding: Option<&PiggybackCount>,
    ) -> Result<Option<(Document, Vec<Telling>)>> {
        let mut query = match riding {
            Some(riding) => riding.filter(),
            None => doc! { "_id": { "$eq": &self.id } },
        };
        query.insert("_dn.del", doc! { "$exists": false });
        let mut pipeline = Vec::new();
        let mut told = Vec::new();
        for (link, list) in &self.lists {
            let (stages, telling) = recent::tell(link, list, &self.id, self.new.child);
            pipeline.extend(stages);
            told.push(telling);
        }
        pipeline.extend(riding.map(PiggybackCount::stage));
        let fields = source::fields(self.edges, self.host);
        let done =
            driver::change_and_read(self.db, self.host, query, pipeline, fields, false).await;
        match done {
            Ok(host) => Ok(host.map(|host| (host, told))),
            // Fall back to separate commands: they report which change failed, and repeat one whose reply was lost.
            Err(error) if driver::outcome_unknown(&error) || driver::refusal(&error).is_some() => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn clear(
        &self,
        collection: &str,
        host: &Document,
        told: &[Telling],
        riding: Option<&PiggybackCount>,
    ) -> Result<()> {
        let child = self.new.child;
        let source = Source::read(host.clone());
        let mut updates = Vec::new();
        if let Some(marked) = self.new.marked {
            for edge in &self.copies {
                let copies = [(&self.id, &source)];
                updates.push(target::corrected(self.edges, marked, edge, &copies));
            }
            updates.push(target::cleared(marked));
        }
        let names: Vec<&str> = self
            .lists
            .iter()
            .map(|(link, _)| link.name.as_str())
            .collect();
        if !names.is_empty() {
            updates.push(flags::unflag(
                &[&child.id],
                child.revision(),
                &names,
                &["b"],
            ));
        }
        updates.extend(riding.map(|riding| riding.cleared(&child.id)));
        let done = driver::statements(self.db, collection, &updates, true, None).await?;
        fault!("after_fused_clear");
        // Only if every one of them found the document as it was written.
        let confirmed = done.failed.is_empty() && done.matched == updates.len() as u64;
        let mut update = None;
        let marks: Vec<_> = told.iter().map(|telling| telling.marks(host)).collect();
        for ((link, list), marks) in self.lists.iter().zip(&marks) {
            if !confirmed {
                links::clear_marks(self.db, link, &marks.put, false).await?;
            }
            if !marks.refill.is_empty() {
                let marked = doc! { "_dn.v.t": { "$in": &marks.refill } };
                recent::verify(self.db, link, list, marked, &mut |_, _| true).await?;
            }
        }
        let put: Vec<_> = marks
            .iter()
            .flat_map(|marks| marks.put.iter().copied())
            .collect();
        if confirmed && !put.is_empty() {
            update = Some(doc! {
                "q": { "_id": { "$eq": &self.id } },
                "u": flags::unmark_links(&put),
            });
        }
        driver::statements(self.db, self.host, update.as_slice(), false, None).await?;
        match riding {
            Some(riding) if done.failed.is_empty() => riding.finished(self.db).await,
            _ => Ok(()),
        }
    }
}
