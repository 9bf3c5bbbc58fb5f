//! The children of one call that change one parent. Each call makes its own; the task only joins those of several calls.

use std::sync::Arc;

use bson::{Bson, Document};

use crate::driver::Acknowledged;
use crate::graph::links::{Link, Recent};
use crate::graph::source::Source;
use crate::propagation::counter::CountAt;

/// Children of one call that change what their parent stores about its children.
#[derive(Debug)]
pub(super) struct ChangedChildren {
    pub(super) parent: Bson,
    /// The condition that the parent belongs to the tenant of the children.
    pub(super) inside: Document,
    pub(super) lists: Vec<ListChange>,
    pub(super) count: Option<CountAt>,
    /// The acknowledgement that the update of the parent needs.
    pub(super) acknowledged: Acknowledged,
}

/// A list, and the children that change it. Each child comes with true if it belongs into the list.
type ListChange = (&'static Link, &'static Recent, Vec<(Arc<Source>, bool)>);

impl ChangedChildren {
    pub(super) fn new(parent: Bson, inside: Document) -> Self {
        ChangedChildren {
            parent,
            inside,
            lists: Vec::new(),
            count: None,
            acknowledged: Acknowledged::Durable,
        }
    }

    /// The children that change a list.
    pub(super) fn list(
        &mut self,
        link: &'static Link,
        list: &'static Recent,
    ) -> &mut Vec<(Arc<Source>, bool)> {
        let same = |(known, ..): &ListChange| std::ptr::eq(*known, link);
        let at = self.lists.iter().position(same).unwrap_or_else(|| {
            self.lists.push((link, list, Vec::new()));
            self.lists.len() - 1
        });
        &mut self.lists[at].2
    }

    /// The `_id`s of the children that change lists.
    pub(super) fn listed(&self) -> impl Iterator<Item = &Bson> {
        let children = self.lists.iter().flat_map(|(.., children)| children);
        children.map(|(child, _)| &child.id)
    }

    /// True if the update leaves something on the parent by which it can be confirmed. If children only leave a list, the update may leave
    /// nothing.
    pub(super) fn is_evident(&self) -> bool {
        let mut listed = self.lists.iter().flat_map(|(.., children)| children);
        self.count.is_some() || listed.any(|(_, belongs)| *belongs)
    }
}
