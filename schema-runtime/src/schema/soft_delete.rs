//! Models whose deletes only mark a document: the field that holds the time, and the documents that a query sees.

use bson::{Bson, Document, doc};
use bson::{RawBsonRef, RawDocument};

use crate::schema::model::{Model, ModelMeta};
use crate::schema::rows::Fixed;

/// A model with `soft_delete`: a delete sets the time in its `#[deleted]` field, and queries see live documents.
#[diagnostic::on_unimplemented(
    message = "a delete of `{Self}` removes the document: there are none that are marked as deleted",
    label = "no `soft_delete`",
    note = "say so on the model: `#[model(collection = \"..\", soft_delete)]`, with a field `#[deleted] deleted_at: Option<bson::DateTime>`"
)]
pub trait SoftDeleted: Model {}

/// The stored name of the field that holds the time of a soft delete; `None` where a delete removes the document.
pub(crate) fn deleted_field(meta: &ModelMeta) -> Option<&'static str> {
    let mut rows = meta.shape.fields.iter();
    let row = rows.find(|row| row.fixed == Some(Fixed::Deleted))?;
    Some(row.name)
}

/// A write that changes nothing but whether a document is marked as deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A live document is deleted now, by the server's clock.
    Set,
    /// A live document is deleted at this time: the time of the document that it is deleted with.
    SetAt(bson::DateTime),
    /// A deleted document is live again.
    Remove,
}

/// The condition that a document is live. A partial index may have it: it is an equality.
pub(crate) fn is_live(name: &str) -> Document {
    doc! { name: Bson::Null }
}

/// The documents of a model with `soft_delete` that a call is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum DocumentScope {
    /// The documents that are not deleted.
    #[default]
    Live,
    /// All documents.
    WithDeleted,
    /// The documents that are marked as deleted.
    OnlyDeleted,
}

impl DocumentScope {
    /// The condition on documents of this model; `None` where all documents meet it.
    pub(crate) fn condition(self, meta: &ModelMeta) -> Option<Document> {
        let name = deleted_field(meta)?;
        match self {
            DocumentScope::Live => Some(is_live(name)),
            DocumentScope::WithDeleted => None,
            DocumentScope::OnlyDeleted => Some(doc! { name: { "$ne": Bson::Null } }),
        }
    }

    /// True if a stored document of this model meets the condition.
    pub(crate) fn admits(self, meta: &ModelMeta, raw: &RawDocument) -> bool {
        let Some(name) = deleted_field(meta) else {
            return true;
        };
        let live = matches!(raw.get(name), Ok(None | Some(RawBsonRef::Null)));
        match self {
            DocumentScope::Live => live,
            DocumentScope::WithDeleted => true,
            DocumentScope::OnlyDeleted => !live,
        }
    }

    /// The filter, joined with the condition.
    pub(crate) fn restrict(self, meta: &ModelMeta, mut filter: Document) -> Document {
        let Some(condition) = self.condition(meta) else {
            return filter;
        };
        if condition.keys().any(|name| filter.contains_key(name)) {
            return doc! { "$and": [filter, condition] };
        }
        filter.extend(condition);
        filter
    }
}
