//! The reads of sources around an insert.

use std::collections::BTreeMap;

use super::Writes;
use super::steps::Steps;
use crate::graph::edges::{Edge, Edges};
use crate::propagation::tenants;

impl Writes {
    /// The reads before the document is stored: of copies that are filled first, and of targets that have to be of its tenant.
    pub(super) fn read_sources_before(&self, marked: &[&Edge], steps: &mut Steps) {
        if self.into.iter().any(|edge| edge.is_filled_first()) {
            steps.in_turn(sources(&self.into).len());
        } else if self.only_checks(marked) {
            steps.in_turn(sources(&self.walled()).len());
        } else if !self.walled().is_empty() {
            steps.at_once(sources(&self.into).len());
        }
    }

    /// The insert, and the reads beside or after it.
    pub(super) fn store_and_read(&self, marked: &[&Edge], steps: &mut Steps) {
        // The update of a parent shows that it is there: one from which nothing is copied is not read.
        let shown = |edge: &&Edge| edge.live.is_empty() && Edges::get().changes_target(edge);
        let read: Vec<&Edge> = marked.iter().copied().filter(|edge| !shown(edge)).collect();
        let read = sources(&read).len();
        if self.only_checks(marked) {
            // Nothing is copied: the targets are read after the document is stored.
            steps.at_once(1);
            steps.at_once(read);
        } else if self.walled().is_empty() {
            steps.at_once(1 + read);
        } else {
            steps.at_once(1);
        }
    }

    fn only_checks(&self, marked: &[&Edge]) -> bool {
        let no_parent = Edges::get().links_of(self.collection).next().is_none();
        no_parent && marked.iter().all(|edge| edge.live.is_empty())
    }

    /// The references to models with a tenant.
    fn walled(&self) -> Vec<&'static Edge> {
        let all = self.into.iter().copied();
        all.filter(|edge| tenants::is_walled(edge)).collect()
    }
}

/// The collections that these references lead to, by the field that they hold, each with how many documents are read there.
fn sources<'e>(edges: &[&'e Edge]) -> BTreeMap<(&'e str, &'e str), usize> {
    let mut found = BTreeMap::new();
    for edge in edges {
        let several = if edge.place.is_single() { 1 } else { 2 };
        *found.entry((edge.source.collection, edge.key)).or_default() += several;
    }
    found
}

/// The commands of durable reads: one for a document, two for several of a collection.
pub(super) fn durable_reads(edges: &[&Edge]) -> usize {
    let documents = sources(edges).into_values();
    documents.map(|documents| documents.min(2)).sum()
}
