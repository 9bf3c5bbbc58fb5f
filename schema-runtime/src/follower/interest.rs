//! The changes that matter: which collections and which stored paths, and the pipeline that lets only these through.

use std::collections::{BTreeMap, BTreeSet};

use bson::{Bson, Document, doc};

use crate::bson_util::path::{first_step, overlap};
use crate::document;
use crate::driver::stream::changed_paths;
use crate::graph::edges::{Edge, Edges};
use crate::graph::links::Link;
use crate::graph::relations::{Relation, Relations};
use crate::maintenance::verify::parts;
use crate::schema::model::ModelMeta;
use crate::schema::stored;

/// The relations in which one collection takes part.
#[derive(Debug)]
pub(crate) struct Interest {
    pub(crate) collection: &'static str,
    /// Live copies of its documents.
    pub(crate) out: Vec<&'static Edge>,
    /// Live copies in its documents, which are marked when they are new.
    pub(crate) incoming: Vec<&'static Edge>,
    /// Links whose children are its documents.
    pub(crate) children: Vec<&'static Link>,
    /// Links whose parents are its documents.
    pub(crate) hosts: Vec<&'static Link>,
    /// References to its documents that follow a delete rule.
    pub(crate) referred: Vec<&'static Relation>,
    /// The model whose texts are found by their parts, if there is one.
    pub(crate) with_parts: Option<&'static ModelMeta>,
    /// The stored paths whose change matters.
    paths: BTreeSet<String>,
}

/// All collections that take part in anything.
#[derive(Debug)]
pub(crate) struct Interests {
    by_name: BTreeMap<&'static str, Interest>,
}

impl Interests {
    pub(crate) fn among(relations: &'static Relations) -> Interests {
        let edges = Edges::get();
        let mut names: BTreeSet<&'static str> = BTreeSet::new();
        for edge in edges.all().iter().filter(|edge| !edge.live.is_empty()) {
            names.extend([edge.source.collection, edge.target.collection]);
        }
        for link in edges.links() {
            names.extend([link.child.collection, link.host.collection]);
        }
        let acting = |relation: &&Relation| relation.acts();
        for relation in relations.all().iter().filter(acting) {
            names.insert(relation.parent());
        }
        names.extend(parts::models(None).map(|meta| meta.collection));
        let interest = |collection: &'static str| {
            let all = edges.all().iter().filter(|edge| !edge.live.is_empty());
            let links = edges.links().iter();
            let mut interest = Interest {
                collection,
                out: all
                    .clone()
                    .filter(|edge| edge.source.collection == collection)
                    .collect(),
                incoming: all
                    .filter(|edge| edge.target.collection == collection && edge.marks())
                    .collect(),
                children: links
                    .clone()
                    .filter(|link| link.child.collection == collection)
                    .collect(),
                hosts: links
                    .filter(|link| link.host.collection == collection)
                    .collect(),
                referred: relations
                    .to(collection)
                    .filter(|relation| acting(relation))
                    .collect(),
                with_parts: parts::models(None).find(|meta| meta.collection == collection),
                paths: BTreeSet::new(),
            };
            interest.paths = interest.all_paths();
            (collection, interest)
        };
        Interests {
            by_name: names.into_iter().map(interest).collect(),
        }
    }

    pub(crate) fn find(&self, collection: &str) -> Option<&Interest> {
        self.by_name.get(collection)
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Interest> {
        self.by_name.values()
    }

    /// The stages of the stream. `$changeStream` comes first, then the events of collections that take part, then the names of the changed
    /// fields instead of their values: an event is small, however large the document is. The last stage drops the updates that change
    /// nothing of interest and those of the library, so neither leaves the server.
    pub(crate) fn pipeline(&self, start: Document, images: bool) -> Vec<Document> {
        let names: Vec<&str> = self.by_name.keys().copied().collect();
        let mut stream = start;
        let counted = || self.all().flat_map(Interest::counted);
        let rows: BTreeSet<&str> = counted().map(|link| link.row).collect();
        let mut paths: BTreeSet<&str> = rows.clone();
        paths.extend(counted().map(|link| link.reference.as_str()));
        let paths: Vec<&str> = paths.into_iter().collect();
        let mut fields = doc! {
            "operationType": 1, "ns": 1, "to": 1, "documentKey": 1, "clusterTime": 1,
            "dn": { "$ifNull": [
                format!("$fullDocument.{}", stored::OWN),
                format!("$updateDescription.updatedFields.{}", stored::OWN),
            ] },
            // The references to counting parents that a child was given: by an insert or a replacement, and by an update.
            "put": { "$filter": {
                "input": { "$objectToArray": { "$ifNull": ["$updateDescription.updatedFields", {}] } },
                "cond": { "$in": ["$$this.k", { "$literal": paths }] },
            } },
        };
        for row in rows {
            fields.insert(format!("fullDocument.{row}"), 1);
        }
        if images {
            stream.insert("fullDocumentBeforeChange", "whenAvailable");
            fields.insert(
                "had",
                doc! { "$gt": ["$fullDocumentBeforeChange", Bson::Null] },
            );
            for path in self.before() {
                fields.insert(format!("fullDocumentBeforeChange.{path}"), 1);
            }
        }
        fields.extend(changed_paths());
        let dropped = ["dropDatabase", "invalidate"];
        let mut keep = vec![
            doc! { "operationType": { "$ne": "update" } },
            // The beginning and the end of a tombstone, and the loss of all fields of the library.
            doc! { "set": { "$in": [stored::OWN, stored::TOMBSTONE] } },
            doc! { "gone": { "$in": [stored::OWN, stored::TOMBSTONE] } },
        ];
        let own = stored::own_pattern();
        for interest in self.all() {
            let tops: BTreeSet<&str> = interest.paths.iter().map(|path| first_step(path)).collect();
            let tops: Vec<String> = tops.into_iter().map(escaped).collect();
            let any = format!("^(?:{})(?:\\.|$)", tops.join("|"));
            keep.push(doc! {
                "ns.coll": interest.collection,
                "set": { "$not": { "$regex": &own } },
                "$or": [{ "set": { "$regex": &any } }, { "gone": { "$regex": &any } }],
            });
        }
        vec![
            doc! { "$changeStream": stream },
            doc! { "$match": { "$or": [
                { "ns.coll": { "$in": &names } },
                { "to.coll": { "$in": &names } },
                { "operationType": { "$in": dropped.to_vec() } },
            ] } },
            doc! { "$project": fields },
            doc! { "$match": { "$or": keep } },
        ]
    }

    /// The fields of a document before a change that name its parents, also in its count flags, and the keys that references hold.
    fn before(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::from(["_id".to_owned(), stored::UNCOUNTED.to_owned()]);
        for interest in self.all() {
            paths.extend(
                interest
                    .children
                    .iter()
                    .map(|link| first_step(&link.reference).to_owned()),
            );
            paths.extend(
                interest
                    .referred
                    .iter()
                    .map(|relation| relation.edge.key.to_owned()),
            );
            paths.extend(interest.out.iter().map(|edge| edge.key.to_owned()));
        }
        paths
    }
}

impl Interest {
    fn all_paths(&self) -> BTreeSet<String> {
        let mut paths = BTreeSet::new();
        for edge in &self.out {
            paths.insert(edge.key.to_owned());
            paths.extend(edge.live.iter().map(|copied| copied.from.clone()));
        }
        for edge in &self.incoming {
            paths.insert(edge.place.path());
            paths.extend(edge.live.iter().map(|copied| edge.full(copied)));
        }
        for link in &self.children {
            paths.extend(link.seen().map(str::to_owned));
        }
        for link in &self.hosts {
            paths.insert(link.visible().to_owned());
        }
        for relation in &self.referred {
            paths.insert(relation.edge.key.to_owned());
        }
        let rows = self.with_parts.into_iter();
        let rows = rows.flat_map(|meta| document::parts::fields(meta.shape));
        paths.extend(rows.map(|row| row.name.to_owned()));
        paths.remove("_id");
        paths
    }

    /// True if a change at one of these stored paths matters.
    pub(crate) fn concerns(&self, changed: &[String]) -> bool {
        let mut changed = changed.iter();
        changed.any(|path| self.paths.iter().any(|known| overlap(known, path)))
    }

    /// True if an own write keeps `_dn.r` in every document, so that a document without any `_dn` has lost it to another program.
    pub(crate) fn keeps_revisions(&self) -> bool {
        !self.out.is_empty() || !self.children.is_empty()
    }

    /// The links that count the documents of this collection: no parent says which ones it has counted.
    pub(crate) fn counted(&self) -> impl Iterator<Item = &'static Link> {
        self.children.iter().copied().filter(|link| link.counts())
    }
}

/// A field name as a regular expression that matches it alone.
fn escaped(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if !c.is_alphanumeric() && c != '_' {
            out.push('\\');
        }
        out.push(c);
    }
    out
}
