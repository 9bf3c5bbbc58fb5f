//! The copies of the program and their sources: one [`Edge`] per source and path of a reference that has copies or is checked, found in the
//! registry.

pub(crate) mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use bson::Document;

use super::links::{self, Keeps, Link};
use super::place::ReferencePath;
use crate::bson_util::path::overlap;
use crate::error::{Error, Result};
use crate::schema::migration::SchemaRow;
use crate::schema::model::ModelMeta;
use crate::schema::person::is_person;
use crate::schema::registry;
use crate::schema::relation::{Level, OnDelete, RelationRow};

pub(crate) use self::walk::Walk;
use self::walk::collections;

/// A reference that has copies, or that writes check.
#[derive(Debug)]
pub(crate) struct Edge {
    /// `products.parts`: the collection of the copies and the path of the reference.
    pub(crate) name: String,
    /// The model copied from.
    pub(crate) source: &'static ModelMeta,
    /// The model that holds the copies.
    pub(crate) target: &'static ModelMeta,
    /// The stored name of the source's field that references hold: `_id`, or a natural key.
    pub(crate) key: &'static str,
    /// The path of the reference and the copies in the target.
    pub(crate) place: ReferencePath,
    /// Copies that follow their source.
    pub(crate) live: Vec<Copied>,
    /// Copies that are frozen when the reference is stored.
    pub(crate) frozen: Vec<Copied>,
    /// True if the references are compared with their sources although nothing is copied: `checked`.
    pub(crate) checked: bool,
    /// The delete rule that the reference follows when its source is deleted.
    pub(crate) on_delete: OnDelete,
    /// True if the reference is a field of an embedded enum: in another variant, the paths of the copies may be fields of that variant.
    pub(crate) in_variant: bool,
    /// True if custom functions store its references (`#[serde(with = ..)]`). They may not store the same value as the source's key, so a
    /// stored value that matches no source may still refer to one.
    pub(crate) opaque: bool,
    /// The propagation level of the live copies: the strongest that any of them declares, since one update writes them all.
    pub(crate) level: Level,
    /// See [`Edge::hint`].
    pub(super) scan: OnceLock<Document>,
}

/// A copied field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Copied {
    /// The stored path in the source, through embedded documents.
    pub(crate) from: String,
    /// The stored path in the target, below the innermost array.
    pub(crate) to: String,
}

impl Edge {
    /// A reference without copies.
    pub(crate) fn plain(
        relation: &'static RelationRow,
        target: &'static ModelMeta,
        path: &str,
    ) -> Edge {
        let source = (relation.target)();
        let rows = source.shape.fields;
        let key = relation
            .key
            .and_then(|key| rows.iter().find(|row| row.rust == key));
        Edge {
            name: format!("{}.{path}", target.collection),
            source,
            target,
            key: key.map_or("_id", |row| row.name),
            place: ReferencePath::default().reference("", path, ""),
            live: Vec::new(),
            frozen: Vec::new(),
            checked: false,
            on_delete: relation.on_delete,
            in_variant: false,
            opaque: false,
            level: Level::FireAndForget,
            scan: OnceLock::new(),
        }
    }

    /// The stored path of a copy from the top of the target.
    pub(crate) fn full(&self, copied: &Copied) -> String {
        self.place.full(&copied.to)
    }

    /// The live copies that `next` copies further, each with the source field that it copies.
    fn copied_on(&self, next: &Edge) -> impl Iterator<Item = String> {
        let (source, target) = (self.source.name, self.target.name);
        let on = self.live.iter().filter(|copied| {
            let path = self.full(copied);
            next.live.iter().any(|onward| overlap(&onward.from, &path))
        });
        on.map(move |copied| {
            let (to, from) = (self.full(copied), &copied.from);
            format!("{target}.{to} copies {source}.{from}")
        })
    }

    /// True if the copies are filled before the reference is stored, because that freezes them, or because a unique index compares them.
    pub(crate) fn is_filled_first(&self) -> bool {
        let unique = &self.target.flat().unique;
        let compared = |copied: &Copied| {
            let copy = self.full(copied);
            unique.iter().any(|path| overlap(path, &copy))
        };
        !self.frozen.is_empty() || !unique.is_empty() && self.live.iter().any(compared)
    }

    /// All copies, live ones first.
    pub(crate) fn copies(&self) -> impl Iterator<Item = &Copied> {
        self.live.iter().chain(&self.frozen)
    }

    /// True if a new reference carries a mark until it has been compared with its source.
    pub(crate) fn marks(&self) -> bool {
        self.checked || self.has_marked_copies()
    }

    /// True if new copies carry a mark: then each copy has a revision once it has been compared.
    pub(crate) fn has_marked_copies(&self) -> bool {
        !self.live.is_empty() && self.level != Level::FireAndForget
    }

    /// True if its references hold values of a field other than `_id`.
    pub(crate) fn by_natural_key(&self) -> bool {
        self.key != "_id"
    }
}

/// Every edge of the program, by the two collections that it joins. Models of one collection share its edges.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    all: Vec<Edge>,
    links: Vec<Link>,
    /// The collections whose documents hold events, or a history.
    with_entries: BTreeSet<&'static str>,
    /// The collections whose documents are persons, with values that can be erased.
    persons: BTreeSet<&'static str>,
    circle: Option<Circle>,
}

/// Copies that form a circle: each edge copies fields that the edge before it writes.
#[derive(Debug)]
struct Circle {
    /// The names of the edges, the first of them also last.
    edges: Vec<String>,
    /// The copies that these edges make, such as `Post.motto copies Team.motto`.
    copies: Vec<String>,
}

impl Edges {
    /// The edges of every model linked into the program; found on first use.
    pub(crate) fn get() -> &'static Edges {
        static EDGES: OnceLock<Edges> = OnceLock::new();
        EDGES.get_or_init(|| Edges::among(&registry::models()))
    }

    /// The edges among these models.
    pub(crate) fn among(models: &[&'static ModelMeta]) -> Edges {
        let references = || models.iter().flat_map(|model| Walk::of(model).found);
        // A stored value may lie at a path that refers to one of several models: then the value does not say which model it refers to.
        let mut sources: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
        for Reference { edge, .. } in references().filter(|found| !found.edge.place.has_tag()) {
            sources
                .entry(edge.name)
                .or_default()
                .insert(edge.source.collection);
        }
        let ambiguous = |edge: &Edge| sources.get(&edge.name).is_some_and(|all| all.len() > 1);
        let mut found: BTreeMap<_, Edge> = BTreeMap::new();
        for Reference {
            mut edge, relation, ..
        } in references()
        {
            edge.checked &= relation.must_be_checked || !ambiguous(&edge);
            if edge.copies().next().is_none() && !edge.checked {
                continue;
            }
            // Variants with tags of their own may refer to the same model by different keys.
            let (name, tag) = (edge.name.clone(), edge.place.tag());
            let key = (edge.source.collection, name, tag, edge.key);
            match found.get_mut(&key) {
                // Another model of the same collection: its copies and those found before are merged into one edge.
                Some(known) => {
                    merge(&mut known.live, edge.live);
                    merge(&mut known.frozen, edge.frozen);
                    known.level = stronger(known.level, edge.level);
                    known.checked |= edge.checked;
                }
                None => drop(found.insert(key, edge)),
            }
        }
        let mut edges = Edges {
            all: found.into_values().collect(),
            links: links::among(models),
            with_entries: collections(models, |model| {
                model.events.is_some() || model.history.is_some()
            }),
            persons: collections(models, is_person),
            circle: None,
        };
        edges.circle = edges.find_circle();
        edges
    }

    pub(crate) fn all(&self) -> &[Edge] {
        &self.all
    }

    /// The edges with live copies whose sources are the documents of this collection.
    pub(crate) fn out_of<'e>(
        &'e self,
        collection: &'e str,
    ) -> impl Iterator<Item = &'e Edge> + use<'e> {
        self.all
            .iter()
            .filter(move |edge| edge.source.collection == collection && !edge.live.is_empty())
    }

    /// The schema of the sources and children in this collection, if the program migrates their older versions in memory.
    pub(crate) fn migrating(&self, collection: &str) -> Option<SchemaRow> {
        let sources = self.all.iter().map(|edge| edge.source);
        let children = self.links.iter().map(|link| link.child);
        let schemas = sources
            .chain(children)
            .filter(|source| source.collection == collection);
        schemas
            .filter_map(|source| source.schema)
            .find(|schema| schema.migrate.is_some())
    }

    /// The edges whose references are in the documents of this collection.
    pub(crate) fn incoming<'e>(
        &'e self,
        collection: &'e str,
    ) -> impl Iterator<Item = &'e Edge> + use<'e> {
        self.all
            .iter()
            .filter(move |edge| edge.target.collection == collection)
    }

    /// True if documents of this collection carry the library's fields.
    pub(crate) fn involves(&self, collection: &str) -> bool {
        // The target of a reference without copies carries at most a tombstone, which every write checks for.
        let edge = |edge: &Edge| {
            edge.target.collection == collection
                || edge.source.collection == collection && edge.copies().next().is_some()
        };
        let link =
            |link: &Link| link.child.collection == collection || link.host.collection == collection;
        self.keeps_own(collection) || self.all.iter().any(edge) || self.links.iter().any(link)
    }

    /// True if documents of this collection keep what the library stores about themselves: events, a history, or an erase that is under way.
    fn keeps_own(&self, collection: &str) -> bool {
        self.holds_entries(collection) || self.persons.contains(collection)
    }

    /// True if documents of this collection hold events or a history, until these are in a log.
    pub(crate) fn holds_entries(&self, collection: &str) -> bool {
        self.with_entries.contains(collection)
    }

    /// The collections whose documents hold events or a history.
    pub(crate) fn holding_entries(&self) -> impl Iterator<Item = &'static str> {
        self.with_entries.iter().copied()
    }

    /// True if every new reference of this edge changes its target, because a list or a number there depends on the reference.
    pub(crate) fn changes_target(&self, edge: &Edge) -> bool {
        let same = |link: &Link| {
            link.host.collection == edge.source.collection && link.reference == edge.place.path()
        };
        let mut links = self.links_of(edge.target.collection);
        !edge.by_natural_key()
            && links.any(|link| same(link) && !matches!(link.keeps, Keeps::Ids { .. }))
    }

    /// True if the documents of this collection take part in nothing but the check of the references that they hold.
    pub(crate) fn only_checks(&self, collection: &str) -> bool {
        let copies = |edge: &Edge| {
            let here = edge.source.collection == collection || edge.target.collection == collection;
            here && edge.copies().next().is_some()
        };
        let link =
            |link: &Link| link.child.collection == collection || link.host.collection == collection;
        !self.keeps_own(collection) && !self.all.iter().any(copies) && !self.links.iter().any(link)
    }

    /// The links of the program: every field that parents derive from their children.
    pub(crate) fn links(&self) -> &[Link] {
        &self.links
    }

    /// The links whose children are the documents of this collection.
    pub(crate) fn links_of<'e>(
        &'e self,
        collection: &'e str,
    ) -> impl Iterator<Item = &'e Link> + use<'e> {
        self.links
            .iter()
            .filter(move |link| link.child.collection == collection)
    }

    /// True if a change of a document of this collection flags that document.
    pub(crate) fn tracks_changes(&self, collection: &str) -> bool {
        self.out_of(collection).next().is_some() || self.links_of(collection).next().is_some()
    }

    /// True if a live edge or a link (except counters) of this name starts at this collection, so that this program can propagate along
    /// it.
    pub(crate) fn knows(&self, collection: &str, name: &str) -> bool {
        let mut links = self.links_of(collection);
        self.named(collection, name).is_some()
            || links.any(|link| link.is_pending_by_name() && link.name == name)
    }

    /// The edge of this reference of a model, no matter which fields it copies.
    pub(crate) fn same(&self, found: &Edge) -> Option<&Edge> {
        let same = |edge: &&Edge| {
            edge.source.collection == found.source.collection
                && edge.name == found.name
                && edge.place.tag() == found.place.tag()
                && edge.key == found.key
        };
        self.all.iter().find(same)
    }

    /// The live edge of this name out of this collection.
    pub(crate) fn named(&self, source: &str, name: &str) -> Option<&Edge> {
        self.all.iter().find(|edge| {
            edge.source.collection == source && edge.name == name && !edge.live.is_empty()
        })
    }

    /// The names of the live edges out of `collection` that copy a field at, above or below one of these stored paths.
    pub(crate) fn copying<'e>(&'e self, collection: &str, changed: &[&str]) -> Vec<&'e str> {
        self.all
            .iter()
            .filter(|edge| edge.source.collection == collection && !edge.live.is_empty())
            .filter(|edge| {
                edge.live
                    .iter()
                    .any(|copied| changed.iter().any(|path| overlap(&copied.from, path)))
            })
            .map(|edge| edge.name.as_str())
            .collect()
    }

    /// The edges and links that the changed paths touch, by the way in which their copies follow; `level` replaces the level that each edge
    /// declares.
    pub(crate) fn touched(
        &'static self,
        collection: &str,
        changed: &[&str],
        level: Option<Level>,
    ) -> Touched {
        let mut touched = Touched::default();
        for name in self.copying(collection, changed) {
            let Some(edge) = self.named(collection, name) else {
                continue;
            };
            match level.unwrap_or(edge.level) {
                Level::FireAndForget => touched.unflagged.push(name),
                Level::Eventual => touched.flagged.push(name),
                Level::Transactional => {
                    touched.flagged.push(name);
                    touched.inside.push(edge);
                }
            }
        }
        let links = self.links.iter();
        let links = links.filter(|link| link.child.collection == collection);
        let seen = links.filter(|link| link.is_pending_by_name() && link.sees(changed));
        touched.flagged.extend(seen.map(|link| link.name.as_str()));
        touched
    }

    /// The names of the edges and links onward from the copies of `edge`: those out of its target that depend on the copies.
    pub(crate) fn onward(&self, edge: &Edge) -> Vec<&str> {
        let changed: Vec<String> = edge.live.iter().map(|copied| edge.full(copied)).collect();
        let changed: Vec<&str> = changed.iter().map(String::as_str).collect();
        let links = self.links.iter().filter(|link| {
            link.child.collection == edge.target.collection
                && link.is_pending_by_name()
                && link.sees(&changed)
        });
        let mut names = self.copying(edge.target.collection, &changed);
        names.extend(links.map(|link| link.name.as_str()));
        names
    }

    /// The names of the edges and links out of this collection that are flagged when everything changes.
    pub(crate) fn flagged<'e>(&'e self, collection: &'e str) -> Vec<&'e str> {
        let edges = self
            .out_of(collection)
            .filter(|edge| edge.level != Level::FireAndForget)
            .map(|edge| edge.name.as_str());
        let links = self
            .links_of(collection)
            .filter(|link| link.is_pending_by_name());
        edges.chain(links.map(|link| link.name.as_str())).collect()
    }

    /// Checks that no copies form a circle.
    ///
    /// # Errors
    /// [`Error::CopyCircle`].
    pub(crate) fn in_no_circle(&self) -> Result<()> {
        match &self.circle {
            None => Ok(()),
            Some(Circle { edges, copies }) => Err(Error::CopyCircle {
                references: edges.clone(),
                copies: copies.clone(),
            }),
        }
    }

    /// A circle of copies, which would propagate without end; `None` if there is none.
    fn find_circle(&self) -> Option<Circle> {
        let mut path = Vec::new();
        let circle = self
            .all
            .iter()
            .filter(|edge| !edge.live.is_empty())
            .find_map(|edge| self.walk_on(edge, &mut path))?;
        let steps = circle.iter().zip(circle.iter().skip(1));
        let copies = steps.flat_map(|(edge, next)| edge.copied_on(next));
        Some(Circle {
            edges: circle.iter().map(|edge| edge.name.clone()).collect(),
            copies: copies.collect(),
        })
    }

    fn walk_on<'e>(&'e self, edge: &'e Edge, path: &mut Vec<&'e Edge>) -> Option<Vec<&'e Edge>> {
        if let Some(start) = path.iter().position(|before| before.name == edge.name) {
            let mut circle = path[start..].to_vec();
            circle.push(edge);
            return Some(circle);
        }
        path.push(edge);
        for next in self.onward(edge) {
            if let Some(next) = self.named(edge.target.collection, next)
                && let Some(circle) = self.walk_on(next, path)
            {
                return Some(circle);
            }
        }
        path.pop();
        None
    }
}

/// The stronger of two levels.
fn stronger(a: Level, b: Level) -> Level {
    let rank = |level| match level {
        Level::FireAndForget => 0,
        Level::Eventual => 1,
        Level::Transactional => 2,
    };
    if rank(a) >= rank(b) { a } else { b }
}

/// The edges out of a collection that a change touches, by the way in which their copies follow.
#[derive(Debug, Default)]
pub(crate) struct Touched {
    /// The names that the write of the source flags.
    pub(crate) flagged: Vec<&'static str>,
    /// The names that are not flagged: their copies stay stale if the propagation is interrupted.
    pub(crate) unflagged: Vec<&'static str>,
    /// The flagged edges whose copies are written in one transaction with the source.
    pub(crate) inside: Vec<&'static Edge>,
}

impl Touched {
    /// Flags every edge, for callers that can later propagate only flagged changes.
    pub(crate) fn all_flagged(mut self) -> Self {
        self.flagged.append(&mut self.unflagged);
        self
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.flagged.is_empty() && self.unflagged.is_empty()
    }
}

fn merge(known: &mut Vec<Copied>, more: Vec<Copied>) {
    for copied in more {
        if !known.contains(&copied) {
            known.push(copied);
        }
    }
}

/// A reference of a model, with or without copies.
#[derive(Debug)]
pub(crate) struct Reference {
    pub(crate) edge: Edge,
    pub(crate) relation: &'static RelationRow,
    /// The field that is removed when the reference is unset, below the innermost array: a whole entry.
    pub(crate) field: String,
    /// The nearest optional document around the reference, below the innermost array.
    pub(crate) whole: Option<String>,
}
