//! W3 of the protocol: flags are removed when the work that they announce is done.

use std::collections::{BTreeMap, HashSet};

use bson::oid::ObjectId;
use bson::{Bson, Document};

use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::links::Link;
use crate::graph::source::Source;
use crate::schema::stored;

/// The marks that the parents of children got along one link, and true if all children were applied.
pub(super) type Marks = (&'static Link, Vec<ObjectId>, bool);

/// W3 of some sources: the removal of their flags, and of the marks that the parents of children got.
pub(super) struct Clear {
    collection: String,
    statements: Vec<Document>,
    sources: u64,
    marks: Vec<Marks>,
}

impl Clear {
    pub(super) fn plan(
        collection: &str,
        sources: &[Source],
        failed: &HashSet<(usize, &str)>,
        marks: Vec<Marks>,
    ) -> Self {
        let edges = Edges::get();
        // One statement covers the sources of one revision: each loses its flags only while it has that revision.
        let mut done: BTreeMap<(i64, Vec<&str>), Vec<&Bson>> = BTreeMap::new();
        for (n, source) in sources.iter().enumerate() {
            let links = edges.links_of(collection).map(|link| link.name.as_str());
            let edges = edges.out_of(collection).map(|edge| edge.name.as_str());
            let edges: Vec<&str> = edges
                .chain(links)
                .filter(|name| {
                    source.pending.iter().any(|p| p == name) && !failed.contains(&(n, *name))
                })
                .collect();
            if !edges.is_empty() && !source.deleted {
                done.entry((source.revision(), edges))
                    .or_default()
                    .push(&source.id);
            }
        }
        let beside: &[&str] = if edges.links_of(collection).next().is_some() {
            &flags::WHILE_PENDING
        } else {
            &[stored::key::BATCH]
        };
        let statements = done
            .iter()
            .map(|((r, edges), ids)| flags::unflag(ids, *r, edges, beside));
        Clear {
            collection: collection.to_owned(),
            statements: statements.collect(),
            sources: done.values().map(|ids| ids.len() as u64).sum(),
            marks,
        }
    }

    /// Removes the flags; returns the number of sources that lost flags.
    pub(super) async fn send(self, db: &Database) -> Result<u64> {
        let cleared =
            driver::statements(db, &self.collection, &self.statements, false, None).await?;
        fault!("after_w3");
        let confirmed = cleared.failed.is_empty() && cleared.matched == self.sources;
        if !self.marks.is_empty() {
            fault!("2w_after_w3");
        }
        for (link, marks, all) in self.marks {
            crate::propagation::links::clear_marks(db, link, &marks, confirmed && all).await?;
        }
        Ok(cleared.modified)
    }
}
