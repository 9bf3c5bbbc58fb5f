//! The documents that a delete concerns, read by relation and page by page.

use std::hash::{DefaultHasher, Hash, Hasher};

use bson::{Bson, Document};

use super::indexes::open_hinted;
use crate::bson_util::id_key::IdKey;
use crate::driver::rows::Rows;
use crate::driver::{ClientSession, Database, FindArgs};
use crate::error::Result;
use crate::graph::relations::Relation;

/// The largest number of documents that are read, marked or deleted together.
pub(crate) const PAGE: usize = 5_000;

/// The hash of a document, so that a table can hold all documents that a delete concerns.
pub(super) fn hashed(collection: &str, id: &Bson) -> u128 {
    let key = (collection, IdKey::new(id));
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, &key).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}

/// The arguments of a query of a relation, which must use the relation's index.
pub(crate) fn args(relation: &Relation, projection: Document) -> FindArgs {
    FindArgs {
        projection: Some(projection),
        batch_size: u32::try_from(PAGE).ok(),
        hint: relation.hint(),
        ..FindArgs::default()
    }
}

/// Opens a query of a relation.
///
/// # Errors
/// [`Error::MissingIndex`].
pub(crate) async fn open<'a>(
    db: &Database,
    relation: &Relation,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    let (edge, child) = (&relation.edge.name, relation.child());
    open_hinted(db, edge, child, filter, args, session).await
}

/// The next documents of a result, one page at most.
pub(crate) async fn page(rows: &mut Rows<'_>) -> Result<Vec<Document>> {
    let mut page = Vec::new();
    while page.len() < PAGE {
        let row = rows.next(|raw| Ok(Document::try_from(raw).ok())).await?;
        let Some(row) = row else { break };
        page.extend(row);
    }
    Ok(page)
}

/// The `_id`s of these documents.
pub(crate) fn ids(page: &[Document]) -> Vec<Bson> {
    page.iter()
        .filter_map(|one| one.get("_id").cloned())
        .collect()
}
