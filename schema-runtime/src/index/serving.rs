//! Finds the index that serves a reference.

use bson::Document;

use crate::graph::relations::{Reach, Relation};
use crate::schema::relation::OnDelete;

impl Relation {
    /// The keys of the index that finds the reference: `{path: 1, _id: 1}` where documents are changed while it is walked
    /// (PROTOCOL 15.A1); if they are only looked for, an index that begins with the path will do.
    pub(crate) fn hint(&self) -> Option<Document> {
        let find = || {
            if self.reach != Reach::Index {
                return None;
            }
            let exact = self.edge.hint();
            if self.rule != OnDelete::Deny || exact.len() == 1 {
                return Some(exact);
            }
            Some(super::collect::serving(self.edge.target.collection, &exact))
        };
        self.hint.get_or_init(find).clone()
    }
}
