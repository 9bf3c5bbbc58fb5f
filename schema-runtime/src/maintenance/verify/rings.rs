//! Documents that are above themselves along a reference to their own model: two moves at once may make such a ring.

use bson::{Bson, Document, doc};

use crate::driver::{self, Database};
use crate::error::Result;
use crate::graph::edges::Edge;
use crate::maintenance::verify::report::{Defect, Difference};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::tenant::Scope;

/// The number of documents of rings that are read again together.
const DOCUMENTS: usize = 1_000;

/// The references of these models that lead to one document of the same model.
pub(crate) fn edges(models: Option<&[&'static ModelMeta]>) -> impl Iterator<Item = &'static Edge> {
    super::chosen(models)
        .filter(|edge| edge.source.collection == edge.target.collection && edge.place.is_single())
}

/// The documents of rings along one reference: one `aggregate` that walks up from each document, and another one for the documents that it
/// finds, because a move in between looks like a ring.
pub(crate) async fn of_edge(
    db: &Database,
    edge: &'static Edge,
    scope: &Scope,
) -> Result<Vec<Difference>> {
    let among = scope.restrict(edge.target.collection, Document::new());
    let found = walk(db, edge, &among, Document::new()).await?;
    let mut rings = Vec::new();
    for page in found.chunks(DOCUMENTS) {
        let ids: Vec<Bson> = page.iter().map(|(id, _)| id.clone()).collect();
        let again = walk(db, edge, &among, doc! { "_id": { "$in": ids } }).await?;
        rings.extend(again.into_iter().map(|(id, have)| Difference {
            reference: edge.name.clone(),
            model: edge.target.name,
            id,
            path: edge.place.path(),
            kind: Defect::Ring,
            flagged: false,
            have,
            want: None,
        }));
    }
    Ok(rings)
}

/// True if a document may be without the reference.
fn may_be_absent(edge: &Edge) -> bool {
    let path = edge.place.path();
    let mut rows = edge.target.shape.fields.iter();
    rows.find(|row| row.name == path)
        .is_none_or(|row| row.nullable || row.absent)
}

/// The documents that meet both filters and are above themselves, each with its reference. Those above them have to meet `among`, too.
async fn walk(
    db: &Database,
    edge: &'static Edge,
    among: &Document,
    filter: Document,
) -> Result<Vec<(Bson, Option<Bson>)>> {
    let (path, collection) = (edge.place.path(), edge.target.collection);
    let key = format!("${}", edge.key);
    // No document of the program has a field of this name.
    let above = format!("${}.{}", stored::OWN, edge.key);
    let mut refers = vec![among.clone(), filter, doc! { &path: { "$ne": null } }];
    if !may_be_absent(edge) {
        // Without an absent reference, the root of a tree refers to itself: this is no ring.
        refers.push(doc! { "$expr": { "$ne": [&key, format!("${path}")] } });
    }
    let mut look_up = doc! {
        "from": collection,
        "startWith": format!("${path}"),
        "connectFromField": &path,
        "connectToField": edge.key,
        "as": stored::OWN,
    };
    if !among.is_empty() {
        look_up.insert("restrictSearchWithMatch", among);
    }
    let pipeline = vec![
        doc! { "$match": { "$and": refers } },
        doc! { "$graphLookup": look_up },
        doc! { "$match": { "$expr": { "$in": [key, above] } } },
        doc! { "$project": { "have": format!("${path}") } },
    ];
    let rows = driver::aggregated(db, collection, pipeline)
        .await?
        .into_iter();
    let found = rows.filter_map(|mut row| Some((row.remove("_id")?, row.remove("have"))));
    Ok(found.collect())
}
