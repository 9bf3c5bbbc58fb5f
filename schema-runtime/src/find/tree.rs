//! Finds around a document in a tree. Each is one command, which an index of the tree serves.

use bson::{Bson, Document, doc};

use super::Find;
use crate::document::id::encode_id;
use crate::driver::Database;
use crate::error::Result;
use crate::schema::model::Model;
use crate::schema::tree::{Tree, TreeFields};

pub(crate) fn children<'a, M: Tree>(db: &'a Database, id: &M::DocumentId) -> Find<'a, M> {
    find(db, |tree| {
        Ok(doc! { tree.above: { "$eq": encode_id::<M>(id)? } })
    })
}

pub(crate) fn roots<M: Tree>(db: &Database) -> Find<'_, M> {
    find(db, |tree| Ok(doc! { tree.above: Bson::Null }))
}

pub(crate) fn descendants<'a, M: Tree>(db: &'a Database, id: &M::DocumentId) -> Find<'a, M> {
    find(db, |tree| {
        Ok(doc! { tree.path: { "$eq": encode_id::<M>(id)? } })
    })
}

/// A document at most so many levels below this one has no ancestor behind that place of its array.
pub(crate) fn descendants_within<'a, M: Tree>(
    db: &'a Database,
    document: &M,
    levels: usize,
) -> Find<'a, M> {
    find(db, |tree| {
        let id = encode_id::<M>(document.document_id())?;
        let deepest = document.ancestor_ids().len().saturating_add(levels);
        let deeper = format!("{}.{deepest}", tree.path);
        Ok(doc! { tree.path: { "$eq": id }, deeper: { "$exists": false } })
    })
}

pub(crate) fn siblings<'a, M: Tree>(db: &'a Database, document: &M) -> Find<'a, M> {
    find(db, |tree| {
        let above = document.parent_id().map(encode_id::<M>).transpose()?;
        let own = encode_id::<M>(document.document_id())?;
        Ok(doc! { tree.above: { "$eq": above }, "_id": { "$ne": own } })
    })
}

fn find<M: Model>(
    db: &Database,
    filter: impl FnOnce(TreeFields) -> Result<Document>,
) -> Find<'_, M> {
    let tree = TreeFields::of(M::model_meta());
    let filter = tree.map_or_else(|| Ok(Document::new()), filter);
    Find::new(db, filter).exactly()
}
