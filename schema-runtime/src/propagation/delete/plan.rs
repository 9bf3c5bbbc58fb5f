//! The collections and references that a delete in one collection may concern: they are found in the tables, before anything is sent.

use bson::{Document, doc};

use crate::graph::edges::Edges;
use crate::graph::links::Link;
use crate::graph::relations::{Relation, Relations};
use crate::schema::registry::model_in;
use crate::schema::relation::OnDelete;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;

/// The way in which documents of a collection are deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// One `delete`: no reference to the documents has a rule to follow or check.
    Plain,
    /// A check, and a `delete`: references may refuse the delete, and nothing else changes.
    Checked,
    /// Tombstones: other changes follow the delete, or references may be stored meanwhile.
    Entombed,
}

/// The collections and references that a delete in one collection may concern.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) root: &'static str,
    pub(crate) relations: &'static Relations,
    pub(crate) way: Way,
    /// The collections whose documents the delete may remove, each once, the collection of the call first.
    pub(crate) closure: Vec<&'static str>,
    /// True if a reference may refuse the delete.
    pub(crate) denied: bool,
    /// True if cascades may come back to a collection.
    pub(crate) circular: bool,
    /// True if the documents are only marked as deleted: references of deleted documents refuse nothing.
    pub(crate) marks: bool,
}

impl Plan {
    pub(crate) fn plan_delete(root: &'static str) -> Plan {
        let relations = Relations::get();
        let closure = closure(relations, root, false);
        let mut denied = false;
        // Parents must lose a document from their derived data before it is deleted, and its events must be in the log.
        let edges = Edges::get();
        let mut way = match edges.links_of(root).next().is_some() || edges.holds_entries(root) {
            true => Way::Entombed,
            false => Way::Plain,
        };
        for collection in &closure {
            for relation in relations.to(collection) {
                denied |= relation.rule == OnDelete::Deny;
            }
        }
        for relation in relations.to(root).filter(|r| r.rule != OnDelete::Keep) {
            if relation.acts() || relation.edge.marks() {
                way = Way::Entombed;
            } else if way == Way::Plain {
                way = Way::Checked;
            }
        }
        let circular = is_circular(relations, &closure, false);
        Plan {
            root,
            relations,
            way,
            closure,
            denied,
            circular,
            marks: false,
        }
    }

    /// Plans a delete that only marks the documents of the call as deleted: references may refuse it, and all other rules wait until the
    /// documents are removed.
    pub(crate) fn plan_soft_delete(root: &'static str) -> Plan {
        let relations = Relations::get();
        let closure = closure(relations, root, true);
        let mut referring = closure
            .iter()
            .flat_map(|collection| relations.to(collection));
        let denied = referring.any(|relation| relation.denies(true));
        Plan {
            root,
            relations,
            way: if denied { Way::Checked } else { Way::Plain },
            circular: is_circular(relations, &closure, true),
            closure,
            denied,
            marks: true,
        }
    }

    /// True if documents of this collection are deleted by one `delete` on their reference: nothing refers to them, no check needs to know
    /// whether they are deleted too, and derived data about them is deleted with their parents.
    pub(crate) fn is_leaf(&self, collection: &str) -> bool {
        let asked =
            |relation: &&Relation| relation.child() == collection && self.entangled(relation);
        !self.relations.is_referred_to(collection)
            && !Edges::get().holds_entries(collection)
            && !self.relations.all().iter().any(|r| asked(&r))
            && Edges::get()
                .links_of(collection)
                .all(|link| self.goes_along(link))
    }

    /// True if the parent of a link is deleted whenever one of its children is, so that it needs no update. The copies of a child show that
    /// it belongs to the deleted parent, and not to a parent that was stored under the same key later and counts the child.
    fn goes_along(&self, link: &Link) -> bool {
        let same = |relation: &Relation| {
            relation.parent() == link.host.collection
                && relation.edge.place.path() == link.reference
                && relation.edge.has_marked_copies()
        };
        let relations = self.closure.iter().flat_map(|c| self.relations.to(c));
        let mut into = relations.filter(|relation| {
            relation.rule == OnDelete::Cascade && relation.child() == link.child.collection
        });
        !link.many && link.child.collection != self.root && into.all(same)
    }

    /// True if the delete itself may remove the documents that refuse it: then they refuse nothing.
    pub(crate) fn entangled(&self, relation: &Relation) -> bool {
        relation.denies(self.marks)
            && self.closure.contains(&relation.parent())
            && self.closure.contains(&relation.child())
    }

    /// True if the delete itself may remove the documents that refuse it, for any of the references.
    pub(crate) fn is_entangled(&self) -> bool {
        self.relations
            .all()
            .iter()
            .any(|relation| self.entangled(relation))
    }

    /// The collections whose documents may get tombstones.
    pub(crate) fn entombed(&self) -> impl Iterator<Item = &'static str> {
        let leaf = |collection: &&&str| !self.is_leaf(collection) || **collection == self.root;
        self.closure.iter().filter(leaf).copied()
    }

    /// The references to this collection by which further documents get tombstones.
    pub(crate) fn descents(&self, collection: &str) -> impl Iterator<Item = &'static Relation> {
        let deep =
            |relation: &&Relation| goes_on(relation, self.marks) && !self.is_leaf(relation.child());
        self.relations.to(collection).filter(deep)
    }

    /// True if documents other than those of the call get tombstones.
    pub(crate) fn is_deep(&self) -> bool {
        self.descents(self.root).next().is_some()
    }

    /// True if nothing refers to the documents, so that only the lists and numbers of their parents have to follow their delete.
    pub(crate) fn only_leaves(&self) -> bool {
        self.way == Way::Entombed
            && !Edges::get().holds_entries(self.root)
            && self.relations.to(self.root).next().is_none()
    }

    /// The fields of a document that show which references lead to the document.
    pub(crate) fn fields(&self, collection: &str) -> Document {
        let mut fields = doc! { "_id": 1 };
        for name in self.relations.to(collection).flat_map(Relation::key_fields) {
            fields.insert(name, 1);
        }
        let mut relations = self.relations.to(collection);
        if relations.any(|relation| self.compares_revisions(relation)) {
            fields.insert(stored::REVISION, 1);
        }
        fields
    }

    /// True if no write changes the fields of the call's documents that show which references lead to them: their `_id` and their tenant.
    pub(crate) fn keys_stay(&self) -> bool {
        let tenant = model_in(self.root).and_then(tenant_field);
        let fields = self.fields(self.root);
        let mut names = fields.keys().map(String::as_str);
        names.all(|name| name == "_id" || Some(name) == tenant)
    }
}

/// True if the documents that refer along this relation are deleted with their target; with `marks`, if they are marked as deleted with it.
fn goes_on(relation: &Relation, marks: bool) -> bool {
    match marks {
        true => relation.marks_children(),
        false => relation.rule == OnDelete::Cascade,
    }
}

fn cascades(
    relations: &'static Relations,
    from: &str,
    marks: bool,
) -> impl Iterator<Item = &'static str> {
    let cascades = move |relation: &&Relation| goes_on(relation, marks);
    relations.to(from).filter(cascades).map(Relation::child)
}

/// The collections whose documents a delete in this collection may delete, this collection first.
fn closure(relations: &'static Relations, root: &'static str, marks: bool) -> Vec<&'static str> {
    let mut closure = vec![root];
    let mut at = 0;
    while let Some(collection) = closure.get(at).copied() {
        for child in cascades(relations, collection, marks) {
            if !closure.contains(&child) {
                closure.push(child);
            }
        }
        at += 1;
    }
    closure
}

/// True if cascades may come back to one of these collections.
fn is_circular(relations: &'static Relations, closure: &[&'static str], marks: bool) -> bool {
    closure.iter().any(|from| {
        let mut reached: Vec<&str> = cascades(relations, from, marks).collect();
        let mut at = 0;
        while let Some(next) = reached.get(at).copied() {
            let more: Vec<&str> = cascades(relations, next, marks).collect();
            let new = more.into_iter().filter(|next| !reached.contains(next));
            let new: Vec<&str> = new.collect();
            reached.extend(new);
            at += 1;
        }
        reached.contains(from)
    })
}

impl Plan {
    /// True if children along this relation are deleted only if the revision of their copies is older than that of the deleted document:
    /// newer copies belong to a document that was stored under the same key later.
    pub(crate) fn compares_revisions(&self, relation: &Relation) -> bool {
        let child = relation.child();
        relation.rule == OnDelete::Cascade
            && self.is_leaf(child)
            && (relation.edge.has_marked_copies() || Edges::get().links_of(child).next().is_some())
    }
}
