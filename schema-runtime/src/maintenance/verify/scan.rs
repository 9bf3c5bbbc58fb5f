//! The walk over all documents with copies, batch by batch, in bounded memory.

use std::collections::{BTreeMap, HashSet};

use bson::{Bson, Document, RawDocumentBuf, doc};

use super::compare::{Looked, Wrong, compare};
use super::report::Defect;
use super::sources::{Found, Sources};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::path::overlap;
use crate::driver::rows::Rows;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::{Edge, Edges};
use crate::graph::relations::{Reach, Relations};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tenant::tenant_field;
use crate::tenant::Scope;

/// The number of documents that are compared together, and the number of their bytes.
const DOCUMENTS: usize = 1_000;
const BYTES: usize = 16 * 1024 * 1024;

/// The largest number of further reads of a document that looks wrong and whose sources changed in between.
const ROUNDS: usize = 5;

/// The references in the documents of these models, with and without copies; of all models if none are given. Skips references in maps.
pub(crate) fn chosen(models: Option<&[&'static ModelMeta]>) -> impl Iterator<Item = &'static Edge> {
    let collections: Option<HashSet<&str>> =
        models.map(|models| models.iter().map(|model| model.collection).collect());
    let relations = Relations::get().all().iter();
    let found = relations.filter(|relation| relation.reach == Reach::Index);
    // Skip arrays that follow the other side of their reference: the comparison with that side finds more.
    let follows = |edge: &Edge| {
        let (collection, path) = (edge.target.collection, edge.place.path());
        let mut links = Edges::get().links().iter();
        links.any(|link| link.derives_ids(collection, &path))
    };
    found.map(|relation| relation.edge).filter(move |edge| {
        let asked = collections.as_ref();
        let asked = asked.is_none_or(|collections| collections.contains(edge.target.collection));
        asked && !follows(edge)
    })
}

/// The findings in some documents of one collection.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) looked: Vec<(&'static Edge, Looked)>,
    pub(crate) wrong: Vec<Wrong>,
    pub(crate) unsettled: u64,
}

/// A walk over collections.
pub(crate) struct Scan<'a> {
    db: &'a Database,
    todo: Vec<(&'static str, Vec<&'static Edge>)>,
    open: Option<Open<'a>>,
    sources: Sources,
    filter: Document,
    scope: Scope,
}

/// The collection that is being walked.
struct Open<'a> {
    collection: &'static str,
    edges: Vec<&'static Edge>,
    rows: Rows<'a>,
}

impl<'a> Scan<'a> {
    pub(crate) fn new(db: &'a Database, along: impl Iterator<Item = &'static Edge>) -> Self {
        let mut todo: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for edge in along {
            todo.entry(edge.target.collection)
                .or_insert_with(Vec::new)
                .push(edge);
        }
        Scan {
            db,
            todo: todo.into_iter().rev().collect(),
            open: None,
            sources: Sources::default(),
            filter: doc! {},
            scope: Scope::default(),
        }
    }

    /// Only documents of a scope, and their sources there.
    pub(crate) fn within(mut self, scope: &Scope) -> Self {
        self.sources = Sources::within(scope);
        self.scope = scope.clone();
        self
    }

    /// Only the documents that meet a filter.
    pub(crate) fn filtered(mut self, filter: Document) -> Self {
        self.filter = filter;
        self
    }

    /// Compares the next documents; `None` when all were compared.
    pub(crate) async fn next(&mut self) -> Result<Option<Batch>> {
        let mut open = match self.open.take() {
            Some(open) => open,
            None => {
                let Some((collection, edges)) = self.todo.pop() else {
                    return Ok(None);
                };
                let args = FindArgs {
                    projection: Some(fields(&edges)),
                    batch_size: u32::try_from(DOCUMENTS).ok(),
                    ..FindArgs::default()
                };
                let filter = self.scope.restrict(collection, self.filter.clone());
                let rows = driver::open(self.db, collection, filter, args, None).await?;
                Open {
                    collection,
                    edges,
                    rows,
                }
            }
        };
        let mut documents = Vec::new();
        let (mut bytes, mut more) = (0, true);
        while documents.len() < DOCUMENTS && bytes < BYTES {
            let Some(row) = open.rows.next(|raw| Ok(raw.to_owned())).await? else {
                more = false;
                break;
            };
            bytes += row.as_bytes().len();
            documents.push(row);
        }
        let batch = self
            .compare_documents(open.collection, &open.edges, &documents)
            .await?;
        self.open = more.then_some(open);
        Ok(Some(batch))
    }

    async fn compare_documents(
        &mut self,
        collection: &'static str,
        along: &[&'static Edge],
        documents: &[RawDocumentBuf],
    ) -> Result<Batch> {
        self.sources.load(self.db, along, documents).await?;
        let mut batch = Batch::default();
        let mut doubtful = Vec::new();
        let mut looked: Vec<Looked> = along.iter().map(|_| Looked::default()).collect();
        for document in documents {
            let mut wrong = Vec::new();
            for (edge, sum) in along.iter().zip(&mut looked) {
                let here = compare(document, edge, &self.sources, &mut wrong);
                sum.references += here.references;
                sum.copies += here.copies;
            }
            // A flagged defect needs no second read. Any other may be a write that came between the two reads.
            match wrong.iter().find(|wrong| !wrong.finding.flagged) {
                Some(wrong) => doubtful.push(wrong.finding.id.clone()),
                None => batch.wrong.append(&mut wrong),
            }
        }
        batch.looked = along.iter().copied().zip(looked).collect();
        self.confirm(collection, along, doubtful, &mut batch)
            .await?;
        self.retype(&mut batch.wrong).await?;
        Ok(batch)
    }

    /// Reads documents that look wrong again, and then their sources. A source that is the same before and after, with the document read
    /// in between, was not changed meanwhile: a difference in its copies is a defect then. If it was changed, they are read once more.
    async fn confirm(
        &mut self,
        collection: &'static str,
        along: &[&'static Edge],
        mut doubtful: Vec<Bson>,
        batch: &mut Batch,
    ) -> Result<()> {
        let fields = fields(along);
        let mut before: Option<Sources> = None;
        for _ in 0..ROUNDS {
            if doubtful.is_empty() {
                return Ok(());
            }
            let filter = doc! { "_id": { "$in": &doubtful } };
            let filter = self.scope.restrict(collection, filter);
            let args = FindArgs {
                projection: Some(fields.clone()),
                ..FindArgs::default()
            };
            let mut rows = driver::open(self.db, collection, filter, args, None).await?;
            let mut read = Vec::new();
            while let Some(row) = rows.next(|raw| Ok(raw.to_owned())).await? {
                read.push(row);
            }
            let mut after = Sources::within(&self.scope);
            after.load(self.db, along, &read).await?;
            doubtful.clear();
            for document in &read {
                let mut wrong = Vec::new();
                for edge in along {
                    compare(document, edge, &after, &mut wrong);
                }
                let settled = |wrong: &&Wrong| {
                    let key = IdKey::new(&wrong.key);
                    let now = after.get(wrong.edge, &key);
                    let then = before.as_ref().unwrap_or(&self.sources);
                    wrong.finding.flagged || then.get(wrong.edge, &key) == now
                };
                match wrong.iter().find(|wrong| !settled(wrong)) {
                    Some(wrong) => doubtful.push(wrong.finding.id.clone()),
                    None => batch.wrong.append(&mut wrong),
                }
            }
            before = Some(after);
        }
        batch.unsettled += doubtful.len() as u64;
        Ok(())
    }

    /// A reference that leads nowhere may be an ObjectId written as a string, or the other way round.
    async fn retype(&mut self, wrong: &mut [Wrong]) -> Result<()> {
        let lost = |wrong: &Wrong| {
            matches!(wrong.finding.kind, Defect::Orphan | Defect::Kept) && !wrong.finding.flagged
        };
        let others: Vec<_> = wrong
            .iter()
            .filter(|wrong| lost(wrong))
            .filter_map(|wrong| Some((wrong.edge, retyped(&wrong.key)?)))
            .collect();
        if others.is_empty() {
            return Ok(());
        }
        let sources = Sources::within(&self.scope);
        let sources = sources.read_all(self.db, &others).await?;
        for wrong in wrong.iter_mut().filter(|wrong| lost(wrong)) {
            let Some(other) = retyped(&wrong.key) else {
                continue;
            };
            let found = sources.get(wrong.edge, &IdKey::new(&other));
            if let Some(Found::One(_)) = found {
                wrong.finding.kind = Defect::WrongType;
                wrong.finding.want = Some(other);
            }
        }
        Ok(())
    }
}

fn retyped(key: &Bson) -> Option<Bson> {
    match key {
        Bson::String(text) => text.parse().ok().map(Bson::ObjectId),
        Bson::ObjectId(id) => Some(Bson::String(id.to_hex())),
        _ => None,
    }
}

/// The fields of a document that the comparison reads: references, copies, revisions, marks and the tenant. No path lies inside another.
pub(crate) fn fields(along: &[&'static Edge]) -> Document {
    let mut paths: HashSet<String> = HashSet::new();
    for edge in along {
        paths.insert(edge.place.path());
        paths.insert(edge.place.revision_path());
        paths.extend(edge.live.iter().map(|copied| edge.full(copied)));
        paths.extend(tenant_field(edge.target).map(str::to_owned));
    }
    let mut paths: Vec<String> = paths.into_iter().collect();
    paths.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    let mut fields = doc! { "_id": 1, stored::UNVERIFIED: 1 };
    for path in paths {
        if !fields.keys().any(|known| overlap(known, &path)) {
            fields.insert(path, 1);
        }
    }
    fields
}
