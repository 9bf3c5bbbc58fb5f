//! A source as it was read.

use bson::{Bson, Document};

use crate::bson_util::number::integer;
use crate::bson_util::path::at;
use crate::codec::outdated::Outdated;
use crate::error::Error;
use crate::graph::edges::{Copied, Edge};
use crate::schema::model::ModelMeta;

/// A source as it was read: the copied fields, and the library's own.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: Bson,
    pub(crate) r: Bson,
    pub(crate) deleted: bool,
    /// The edges that it says have to follow.
    pub(crate) pending: Vec<String>,
    pub(crate) fields: Document,
    /// Why it could not be migrated, where it is older than the program: what its readers would see is not known.
    pub(crate) outdated: Option<Outdated>,
}

impl Source {
    /// What was read by [`fields`].
    pub(crate) fn read(fields: Document) -> Source {
        let dn = fields.get_document("_dn").ok();
        let pending = dn.and_then(|dn| dn.get_array("p").ok());
        let pending = pending.into_iter().flatten().filter_map(Bson::as_str);
        Source {
            id: fields.get("_id").cloned().unwrap_or(Bson::Null),
            r: dn
                .and_then(|dn| dn.get("r"))
                .filter(|r| integer(Some(r)).is_some())
                .cloned()
                .unwrap_or(Bson::Int64(0)),
            deleted: dn.is_some_and(|dn| dn.contains_key("del")),
            pending: pending.map(str::to_owned).collect(),
            fields,
            outdated: None,
        }
    }

    /// Why its copies cannot be written.
    pub(crate) fn unreadable(&self, model: &ModelMeta) -> Option<Error> {
        let outdated = self.outdated.as_ref()?;
        Some(outdated.error(model.name, self.id.to_string()))
    }

    pub(crate) fn revision(&self) -> i64 {
        integer(Some(&self.r)).unwrap_or(0)
    }

    /// What references of this edge hold.
    pub(crate) fn key(&self, edge: &Edge) -> Option<&Bson> {
        self.fields.get(edge.key).filter(|key| **key != Bson::Null)
    }

    /// What a copy has to be; `None` where the field is absent, or a document that it is inside.
    pub(crate) fn value(&self, copied: &Copied) -> Option<&Bson> {
        at(&self.fields, &copied.from)
    }
}
