//! The references of the program: one [`Relation`] per reference, with or without copies, and its delete rule.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::edges::{Edge, Edges, Walk};
use super::hidden::{Container, HiddenPath, Removal};
use super::links::Link;
use crate::bson_util::path::join;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::relation::{Holds, OnDelete, RelationRow};
use crate::schema::rows::{FieldRow, Kind, Shape};
use crate::schema::soft_delete::deleted_field;
use crate::schema::tenant::{of_tenant, tenant_field};
use bson::{Bson, Document, doc};

/// A reference with its delete rule.
#[derive(Debug)]
pub(crate) struct Relation {
    /// The two models, the path of the reference, and its copies: an edge of [`Edges`] if the reference has copies.
    pub(crate) edge: &'static Edge,
    /// The rule that the reference follows when its target is deleted.
    pub(crate) rule: OnDelete,
    /// True if the reference refuses the purge of its target, but not its soft delete.
    pub(crate) at_purge: bool,
    /// The way in which a delete finds the reference.
    pub(crate) reach: Reach,
    /// The fields or element that `pull` and `unset` remove; `None` under every other rule.
    pub(crate) removal: Option<Removal>,
    pub(crate) hint: OnceLock<Option<Document>>,
}

/// The way in which a delete finds the documents with a reference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// An index on the path of the reference finds them.
    Index,
    /// A scan of the collection finds them: no path, and so no index, reaches the reference.
    Scan(HiddenPath),
}

/// The keys that references to some documents hold. If the model has a tenant, all of these documents belong to one, and a reference from
/// another tenant leads to none of them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Keys {
    pub(crate) values: Vec<Bson>,
    tenant: Option<Bson>,
}

impl Keys {
    /// The keys of documents that do not exist, so that they belong to no tenant.
    pub(crate) fn of_nothing(values: &[Bson]) -> Self {
        Keys {
            values: values.to_vec(),
            tenant: None,
        }
    }
}

impl Relation {
    /// The keys that references to these documents hold, grouped by tenant, without documents that have no key. The documents were read
    /// with [`key_fields`](Self::key_fields).
    pub(crate) fn keys(&self, page: &[Document]) -> Vec<Keys> {
        let own = tenant_field(self.edge.source);
        let mut all: Vec<Keys> = Vec::new();
        for document in page {
            let Some(key) = self.key(document) else {
                continue;
            };
            let tenant = own.map(|own| document.get(own).cloned().unwrap_or(Bson::Null));
            match all.iter_mut().find(|keys| keys.tenant == tenant) {
                Some(keys) => keys.values.push(key),
                None => all.push(Keys {
                    values: vec![key],
                    tenant,
                }),
            }
        }
        all
    }

    /// The key that references to a document hold.
    pub(crate) fn key(&self, document: &Document) -> Option<Bson> {
        let key = document.get(self.edge.key);
        key.filter(|key| **key != Bson::Null).cloned()
    }

    /// The fields of a document from which the keys of references to it are read.
    pub(crate) fn key_fields(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.edge.key).chain(tenant_field(self.edge.source))
    }

    /// The condition that the referring documents belong to the tenant of the documents that they refer to.
    pub(crate) fn inside(&self, keys: &Keys) -> Document {
        of_tenant(self.edge.target, keys.tenant.as_ref())
    }

    /// The collection of the referring documents.
    pub(crate) fn child(&self) -> &'static str {
        self.edge.target.collection
    }

    /// The collection that the reference leads to.
    pub(crate) fn parent(&self) -> &'static str {
        self.edge.source.collection
    }

    /// The name of the reference in messages: `Product.parts`.
    pub(crate) fn shown(&self) -> String {
        let at = self.edge.name.split_once('.').map_or("", |(_, at)| at);
        format!("{}.{at}", self.edge.target.name)
    }

    /// The filter of the documents that refer to one of these keys.
    pub(crate) fn referring(&self, keys: &Keys) -> Document {
        let mut filter = match &self.reach {
            Reach::Scan(hidden) => doc! { "$expr": hidden.holds(&keys.values) },
            Reach::Index => self.edge.place.referring(&keys.values),
        };
        filter.extend(self.inside(keys));
        filter
    }

    /// The edges and links out of the referring documents that depend on the fields that the delete rule changes.
    pub(crate) fn onward(&self) -> Vec<&'static str> {
        let mut changed: Vec<String> = vec![self.edge.place.path()];
        changed.extend(self.edge.copies().map(|copied| self.edge.full(copied)));
        // An optional document that is removed with its reference has further fields.
        if let Some(Removal::Fields(fields)) = &self.removal {
            changed.extend(fields.iter().map(|field| match &self.reach {
                Reach::Index => self.edge.place.full(field),
                Reach::Scan(hidden) => hidden.full(field),
            }));
        }
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        let edges = Edges::get();
        let links = edges.links_of(self.child());
        let links = links.filter(|link| link.is_pending_by_name() && link.sees(&changed));
        let mut names = edges.copying(self.child(), &changed);
        names.extend(links.map(|link| link.name.as_str()));
        names
    }

    /// True if the referring documents are marked as deleted when their target is.
    pub(crate) fn marks_children(&self) -> bool {
        self.rule == OnDelete::Cascade && deleted_field(self.edge.target).is_some()
    }

    /// True if the reference may refuse the removal of its target; with `marks`, if it may refuse that the target is marked as deleted.
    pub(crate) fn denies(&self, marks: bool) -> bool {
        self.rule == OnDelete::Deny && !(marks && self.at_purge)
    }

    /// True if the delete of a target changes or deletes the documents that refer to it.
    pub(crate) fn acts(&self) -> bool {
        !matches!(self.rule, OnDelete::Deny | OnDelete::Keep)
    }
}

/// Every reference of the program. Models of one collection share its references.
#[derive(Debug, Default)]
pub(crate) struct Relations {
    all: Vec<Relation>,
}

impl Relations {
    /// The references of every model that is linked into the program; found on first use.
    pub(crate) fn get() -> &'static Relations {
        static RELATIONS: OnceLock<Relations> = OnceLock::new();
        RELATIONS.get_or_init(|| Relations::among(&registry::models()))
    }

    fn among(models: &[&'static ModelMeta]) -> Relations {
        let edges = Edges::get();
        let mut all: Vec<Relation> = Vec::new();
        for model in models {
            for found in Walk::of(model).found {
                let place = &found.edge.place;
                // The derived side of a two-way reference needs no rule: the library removes deleted documents from it.
                let path = place.path();
                let derives = |link: &Link| link.derives_ids(model.collection, &path);
                let pulled = found.edge.on_delete == OnDelete::Pull && found.relation.many;
                if pulled && edges.links().iter().any(derives) {
                    continue;
                }
                let mut fields = vec![found.field];
                if !found.relation.entry {
                    fields.push(place.revision_below().to_owned());
                    fields.extend(found.edge.copies().map(|copied| copied.to.clone()));
                }
                let removal = removal(found.relation, fields, found.whole, !place.is_single());
                let edge = edges.same(&found.edge);
                let unmarked = Edge {
                    checked: false,
                    ..found.edge
                };
                add(
                    &mut all,
                    Relation {
                        rule: rule(found.relation, removal.as_ref()),
                        at_purge: found.relation.deny_purge,
                        // The program builds these tables once and never frees them.
                        edge: edge.unwrap_or_else(|| Box::leak(Box::new(unmarked))),
                        reach: Reach::Index,
                        removal,
                        hint: OnceLock::new(),
                    },
                );
            }
            let mut hidden = Hidden {
                model,
                found: Vec::new(),
            };
            hidden.shape(model.shape, &Place::default());
            for relation in hidden.found {
                add(&mut all, relation);
            }
        }
        Relations { all }
    }

    pub(crate) fn all(&self) -> &[Relation] {
        &self.all
    }

    /// The references to documents of this collection.
    pub(crate) fn to<'r>(
        &'static self,
        collection: &'r str,
    ) -> impl Iterator<Item = &'static Relation> + use<'r> {
        self.all
            .iter()
            .filter(move |relation| relation.parent() == collection)
    }

    /// The relation of this edge.
    pub(crate) fn along(&'static self, edge: &Edge) -> Option<&'static Relation> {
        let same = |relation: &&Relation| {
            relation.edge.name == edge.name
                && relation.parent() == edge.source.collection
                && relation.edge.place == edge.place
        };
        self.all.iter().find(same)
    }

    /// The collections whose documents may carry a tombstone.
    pub(crate) fn entombing(&self) -> BTreeSet<&'static str> {
        let parents = self.all.iter().map(Relation::parent);
        let all = parents.chain(self.all.iter().map(Relation::child));
        let all = all.chain(Edges::get().holding_entries());
        all.filter(|collection| self.entombs(collection)).collect()
    }

    /// True if documents of this collection can be deleted without any other change: no reference with a rule leads to them, no parent
    /// stores derived data about them, and they hold no events.
    pub(crate) fn is_leaf(&self, collection: &str) -> bool {
        let edges = Edges::get();
        !self.is_referred_to(collection)
            && !edges.holds_entries(collection)
            && edges.links_of(collection).next().is_none()
    }

    /// True if a reference to this collection has a rule that a delete must apply or check.
    pub(crate) fn is_referred_to(&self, collection: &str) -> bool {
        let minds = |relation: &Relation| {
            relation.parent() == collection && relation.rule != OnDelete::Keep
        };
        self.all.iter().any(minds)
    }

    /// True if a document of this collection carries a tombstone while it is deleted: its deletion changes other documents, or another
    /// writer may store a reference meanwhile.
    pub(crate) fn entombs(&self, collection: &str) -> bool {
        let inbound = |relation: &Relation| {
            relation.parent() == collection && (relation.acts() || relation.edge.marks())
        };
        let child = |relation: &Relation| {
            relation.child() == collection && relation.rule == OnDelete::Cascade
        };
        Edges::get().tracks_changes(collection)
            || Edges::get().holds_entries(collection)
            || self.all.iter().any(inbound)
            || !self.is_leaf(collection) && self.all.iter().any(child)
    }
}

/// Adds a reference, unless another model of the collection has declared the same. If their delete rules differ, a refusal wins.
fn add(all: &mut Vec<Relation>, new: Relation) {
    let same = |known: &&mut Relation| {
        known.edge.name == new.edge.name
            && known.parent() == new.parent()
            && known.edge.place == new.edge.place
            && known.reach == new.reach
    };
    match all.iter_mut().find(same) {
        Some(known) => {
            if new.rule == OnDelete::Deny {
                known.at_purge = new.at_purge && (known.at_purge || known.rule != OnDelete::Deny);
                known.rule = OnDelete::Deny;
            }
        }
        None => all.push(new),
    }
}

/// The removal that the rule of a reference makes. `fields` are the reference and its copies; `whole` is the nearest optional document
/// around the embedded document that holds it, unless the elements of an array or a map are nearer.
fn removal(
    relation: &RelationRow,
    fields: Vec<String>,
    whole: Option<String>,
    in_element: bool,
) -> Option<Removal> {
    match relation.on_delete {
        OnDelete::Unset => Some(Removal::Fields(fields)),
        OnDelete::Pull if relation.many => Some(Removal::Element),
        OnDelete::Pull => match whole {
            Some(whole) => Some(Removal::Fields(vec![whole])),
            None => in_element.then_some(Removal::Element),
        },
        OnDelete::Deny | OnDelete::Cascade | OnDelete::Keep => None,
    }
}

/// The rule that a reference follows. The compiler refuses a `pull` that has nothing to remove; if generic code hides that from the
/// compiler, the reference refuses the delete.
fn rule(relation: &RelationRow, removal: Option<&Removal>) -> OnDelete {
    match (relation.on_delete, removal) {
        (OnDelete::Pull, None) => OnDelete::Deny,
        (rule, _) => rule,
    }
}

/// The search for the references of a model that no path reaches.
struct Hidden {
    model: &'static ModelMeta,
    found: Vec<Relation>,
}

/// A place in a model.
#[derive(Default)]
struct Place {
    /// The containers on the way to the place.
    containers: HiddenPath,
    /// The path of the place below the innermost container.
    at: String,
    /// The nearest optional document around the place, below the innermost container.
    whole: Option<String>,
}

impl Hidden {
    fn shape(&mut self, shape: &'static Shape, place: &Place) {
        for row in shape.fields {
            if let Some(relation) = row.relation {
                self.relation(relation, row, place);
            }
            // Skip generated entries, which hold copies, and last-N lists, which belong to the children.
            let Some(inner) = row
                .shape
                .filter(|_| row.relation.is_none_or(|relation| relation.members))
                .filter(|_| row.derived.is_none())
            else {
                continue;
            };
            let at = join(&place.at, row.name);
            let inside = match row.kind {
                Kind::Array | Kind::Map => Place {
                    containers: opened(&place.containers, row, &at),
                    ..Place::default()
                },
                _ => Place {
                    containers: place.containers.clone(),
                    whole: row
                        .is_optional()
                        .then(|| at.clone())
                        .or(place.whole.clone()),
                    at,
                },
            };
            self.shape(inner, &inside);
        }
    }

    fn relation(&mut self, relation: &'static RelationRow, row: &FieldRow, place: &Place) {
        let path = join(&place.at, row.name);
        let entry = if relation.entry {
            relation.entry_id
        } else {
            ""
        };
        let hidden = match relation.holds {
            Holds::MapKeys => opened(&place.containers, row, &path).keys(),
            _ if relation.many => {
                opened(&place.containers, row, &path).reference(entry.to_owned(), "", None)
            }
            _ => {
                let reference = join(&path, entry);
                let containers = place.containers.clone();
                containers.reference(reference, &place.at, relation.tag)
            }
        };
        if hidden.is_open() {
            return;
        }
        let in_element = !place.containers.is_single();
        let removal = removal(
            relation,
            vec![path.clone()],
            place.whole.clone(),
            in_element,
        );
        let edge = Edge::plain(relation, self.model, &place.containers.full(&path));
        self.found.push(Relation {
            rule: rule(relation, removal.as_ref()),
            at_purge: relation.deny_purge,
            edge: Box::leak(Box::new(edge)),
            reach: Reach::Scan(hidden),
            removal,
            hint: OnceLock::new(),
        });
    }
}

/// The containers up to the elements of the array or map in a field at `path`, or up to those of the containers that are its elements.
fn opened(containers: &HiddenPath, row: &FieldRow, path: &str) -> HiddenPath {
    let outer = match row.kind {
        Kind::Map => Container::Map,
        _ => Container::Array,
    };
    let opened = containers.inside(outer, path);
    match row.facts.elem_kind {
        // The elements of an array of references are the references; the keys of a map are beside its values.
        _ if row
            .relation
            .is_some_and(|relation| relation.holds != Holds::MapValues) =>
        {
            opened
        }
        Kind::Array => opened.inside(Container::Array, ""),
        Kind::Map => opened.inside(Container::Map, ""),
        _ => opened,
    }
}
