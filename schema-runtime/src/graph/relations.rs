//! The references of the program: one [`Relation`] per reference, with or without copies, and its delete rule.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use super::edges::{Edge, Edges, Walk};
use super::links::Link;
use crate::bson_util::path::join;
use crate::schema::model::ModelMeta;
use crate::schema::registry;
use crate::schema::relation::{Holds, OnDelete, RelationRow};
use crate::schema::rows::{Kind, Shape};
use bson::{Bson, Document, doc};

/// A reference, as its deletion rule needs it.
#[derive(Debug)]
pub(crate) struct Relation {
    /// The two models, the path of the reference, and its copies. An edge of [`Edges`] where it has copies.
    pub(crate) edge: &'static Edge,
    /// The rule that the reference follows when its target is deleted.
    pub(crate) rule: OnDelete,
    /// How it is found.
    pub(crate) reach: Reach,
    /// The fields that are removed when the reference is unset, below the innermost array.
    pub(crate) unset: Vec<String>,
    pub(crate) hint: OnceLock<Option<Document>>,
}

/// How the documents with a reference are found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Reach {
    /// By an index on its path.
    Index,
    /// By a scan of the collection that compares every key of a map (`$$this.k`) or a part of every value (`$$this.v`): keys that are data
    /// have no index.
    Scan {
        /// The path of the map.
        map: String,
        /// The expression that is compared with the keys.
        part: String,
    },
    /// Not at all: a map inside an array or inside another map.
    Nowhere,
}

impl Relation {
    /// The collection of the documents that refer.
    pub(crate) fn child(&self) -> &'static str {
        self.edge.target.collection
    }

    /// The collection that is referred to.
    pub(crate) fn parent(&self) -> &'static str {
        self.edge.source.collection
    }

    /// The name of the reference in messages: `Product.parts`.
    pub(crate) fn shown(&self) -> String {
        let at = self.edge.name.split_once('.').map_or("", |(_, at)| at);
        format!("{}.{at}", self.edge.target.name)
    }

    /// The documents that refer to one of these keys.
    pub(crate) fn referring(&self, keys: &[Bson]) -> Document {
        match &self.reach {
            Reach::Scan { map, part } => {
                let entries = doc! { "$objectToArray": { "$cond": [
                    { "$eq": [{ "$type": format!("${map}") }, "object"] },
                    format!("${map}"),
                    {},
                ] } };
                // The keys of a map are texts.
                let keys = keys.iter().map(|key| match key {
                    Bson::ObjectId(id) if part == "k" => Bson::from(id.to_hex()),
                    key => key.clone(),
                });
                let keys: Vec<Bson> = keys.collect();
                let one = doc! { "$in": [format!("$$this.{part}"), { "$literal": keys }] };
                let held = doc! { "$filter": { "input": entries, "cond": one } };
                doc! { "$expr": { "$ne": [held, []] } }
            }
            _ => self.edge.place.referring(keys),
        }
    }

    /// The edges and links out of the referring documents that depend on the fields that the rule changes.
    pub(crate) fn onward(&self, edges: &'static Edges) -> Vec<&'static str> {
        let mut changed: Vec<String> = vec![self.edge.place.path()];
        changed.extend(self.edge.copies().map(|copied| self.edge.full(copied)));
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        let links = edges.links_of(self.child());
        let links = links.filter(|link| link.is_pending_by_name() && link.sees(&changed));
        let mut names = edges.copying(self.child(), &changed);
        names.extend(links.map(|link| link.name.as_str()));
        names
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
    /// Those of every model linked into the program; found on first use.
    pub(crate) fn get() -> &'static Relations {
        static RELATIONS: OnceLock<Relations> = OnceLock::new();
        RELATIONS.get_or_init(|| Relations::among(&registry::models(), Edges::get()))
    }

    fn among(models: &[&'static ModelMeta], edges: &'static Edges) -> Relations {
        let mut all: Vec<Relation> = Vec::new();
        for model in models {
            for found in Walk::of(model).found {
                let place = &found.edge.place;
                // The derived side of a two-way reference needs no rule: the library removes deleted documents from it.
                let kept = |link: &Link| {
                    link.host.collection == model.collection && found.field == link.field
                };
                let pulled = found.edge.on_delete == OnDelete::Pull;
                if pulled && place.is_top() && edges.links().iter().any(kept) {
                    continue;
                }
                let mut unset = vec![found.field];
                if !found.relation.entry {
                    unset.push(place.revision_below().to_owned());
                    unset.extend(found.edge.copies().map(|copied| copied.to.clone()));
                }
                let edge = edges.by_name(found.edge.source.collection, &found.edge.name);
                add(
                    &mut all,
                    Relation {
                        rule: found.edge.on_delete,
                        // The program builds these tables once and never frees them.
                        edge: edge.unwrap_or_else(|| Box::leak(Box::new(found.edge))),
                        reach: Reach::Index,
                        unset,
                        hint: OnceLock::new(),
                    },
                );
            }
            let mut maps = Maps {
                model,
                found: Vec::new(),
            };
            maps.shape(model.shape, "", &Above::Documents);
            for relation in maps.found {
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

    /// The relation of an edge.
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
        all.filter(|collection| self.entombs(collection)).collect()
    }

    /// True if documents of this collection can be deleted without any other change: no reference with a rule leads to them, and no parent
    /// stores derived data about them.
    pub(crate) fn is_leaf(&self, collection: &str) -> bool {
        !self.is_referred_to(collection) && Edges::get().links_of(collection).next().is_none()
    }

    /// True if a reference to this collection has a rule that a delete must follow or check.
    pub(crate) fn is_referred_to(&self, collection: &str) -> bool {
        let minds = |relation: &Relation| {
            relation.parent() == collection && relation.rule != OnDelete::Keep
        };
        self.all.iter().any(minds)
    }

    /// True if a document of this collection carries a tombstone while it is deleted: other changes follow its deletion, or another writer
    /// may store a reference meanwhile.
    pub(crate) fn entombs(&self, collection: &str) -> bool {
        let inbound = |relation: &Relation| {
            relation.parent() == collection && (relation.acts() || relation.edge.marks())
        };
        let child = |relation: &Relation| {
            relation.child() == collection && relation.rule == OnDelete::Cascade
        };
        Edges::get().tracks_changes(collection)
            || self.all.iter().any(inbound)
            || !self.is_leaf(collection) && self.all.iter().any(child)
    }
}

/// Adds a reference, unless another model of the collection has the same. Where their delete rules differ, a refusal wins.
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
                known.rule = OnDelete::Deny;
            }
        }
        None => all.push(new),
    }
}

/// The references inside maps.
struct Maps {
    model: &'static ModelMeta,
    found: Vec<Relation>,
}

/// The containers above a field.
enum Above {
    /// Documents alone.
    Documents,
    /// Arrays as well.
    Arrays,
    /// One map, at this path.
    Map(String),
    /// More than one map, or a map and an array.
    Deep,
}

impl Maps {
    fn shape(&mut self, shape: &'static Shape, at: &str, above: &Above) {
        for row in shape.fields {
            let path = join(at, row.name);
            if let Some(relation) = row.relation {
                self.relation(relation, &path, above);
            }
            // Skip generated entries, which hold copies, and last-N lists, which belong to the children.
            let Some(inner) = row
                .shape
                .filter(|_| row.relation.is_none_or(|relation| relation.members))
                .filter(|_| row.derived.is_none())
            else {
                continue;
            };
            match (row.kind, above) {
                (Kind::Map, Above::Documents) => self.shape(inner, "", &Above::Map(path)),
                (Kind::Map, _) | (Kind::Array, Above::Map(_)) => {
                    self.shape(inner, &path, &Above::Deep);
                }
                (Kind::Array, Above::Documents) => self.shape(inner, &path, &Above::Arrays),
                _ => self.shape(inner, &path, above),
            }
        }
    }

    fn relation(&mut self, relation: &'static RelationRow, path: &str, above: &Above) {
        let scan = |map: &str, part: String| Reach::Scan {
            map: map.to_owned(),
            part,
        };
        let reach = match (relation.holds, above) {
            (Holds::Ids, Above::Documents | Above::Arrays) => return,
            // An update could not name the value of the map to change.
            _ if matches!(relation.on_delete, OnDelete::Unset | OnDelete::Pull) => Reach::Nowhere,
            (Holds::MapKeys, Above::Documents) => scan(path, "k".to_owned()),
            (Holds::MapValues, Above::Documents) => scan(path, "v".to_owned()),
            (Holds::Ids, Above::Map(map)) if !relation.many => {
                let entry = if relation.entry {
                    relation.entry_id
                } else {
                    ""
                };
                scan(map, join("v", &join(path, entry)))
            }
            _ => Reach::Nowhere,
        };
        let whole = match above {
            Above::Map(map) => join(map, path),
            _ => path.to_owned(),
        };
        let edge = Edge::plain(relation, self.model, &whole);
        self.found.push(Relation {
            rule: relation.on_delete,
            edge: Box::leak(Box::new(edge)),
            reach,
            unset: Vec::new(),
            hint: OnceLock::new(),
        });
    }
}
