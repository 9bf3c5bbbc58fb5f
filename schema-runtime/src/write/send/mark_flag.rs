//! The flag of documents that are marked as deleted, and whose mark has to go on to their children.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use crate::graph::relations::{Relation, Relations};
use crate::schema::model::ModelMeta;
use crate::schema::soft_delete::deleted_field;
use crate::schema::stored;

/// The name in the `_dn.p` of a document whose children have to be marked with it.
pub(crate) const NAME: &str = "~mark";

/// The references along which the mark of a document goes on.
pub(crate) fn along(meta: &ModelMeta) -> impl Iterator<Item = &'static Relation> + use<> {
    let collection = meta.collection;
    let is_soft = deleted_field(meta).is_some();
    let relations = Relations::get().all().iter();
    relations.filter(move |relation| {
        is_soft && relation.parent() == collection && relation.marks_children()
    })
}

/// The models whose marks go on.
pub(crate) fn cascading() -> impl Iterator<Item = &'static ModelMeta> {
    let mut seen: Vec<&str> = Vec::new();
    let relations = Relations::get().all().iter();
    let parents = relations.filter(|relation| relation.marks_children());
    parents
        .map(|relation| relation.edge.source)
        .filter(move |meta| {
            let new = deleted_field(meta).is_some() && !seen.contains(&meta.collection);
            seen.push(meta.collection);
            new
        })
}

/// The stage that flags a document in the write that marks it.
pub(crate) fn flag(token: ObjectId) -> Document {
    let names = doc! { "$setUnion": [{ "$ifNull": [stored::value::PENDING, []] }, [NAME]] };
    doc! { "$set": { stored::PENDING: names, stored::SOFT_DELETE: token } }
}

/// The filter for the documents that are flagged, under this token.
pub(crate) fn flagged(token: Option<ObjectId>) -> Document {
    let mut filter = doc! { stored::PENDING: NAME };
    filter.extend(token.map(|token| (stored::SOFT_DELETE.to_owned(), Bson::ObjectId(token))));
    filter
}

/// The filter, for documents alone whose mark still has to go on to their children.
pub(crate) fn unfinished(mut filter: Document) -> Document {
    filter.insert(stored::SOFT_DELETE, doc! { "$exists": true });
    filter
}
