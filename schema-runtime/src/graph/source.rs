//! A source as it was read.

use std::collections::BTreeMap;

use bson::{Bson, DateTime, Document, RawDocument};

use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::bson_util::path::at;
use crate::codec::outdated::Outdated;
use crate::error::Error;
use crate::graph::edges::{Copied, Edge};
use crate::graph::flags;
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::schema::tenant::{of_tenant, own_tenant, tenant_field};

/// A source as it was read: the copied fields, and the library's own.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) id: Bson,
    pub(crate) r: Bson,
    pub(crate) deleted: bool,
    /// The names of the edges and links that are pending for the source.
    pub(crate) pending: Vec<String>,
    pub(crate) fields: Document,
    /// The beginnings of the periods that the source belongs to, by the [key](crate::graph::links::Link::key) of the link. They are there
    /// once [`find_periods`](crate::graph::links::find_periods) has found them.
    pub(crate) starts: BTreeMap<&'static str, DateTime>,
    /// The reason why the source could not be migrated, if its schema is older than the program's: the values that its readers would see
    /// are unknown.
    pub(crate) outdated: Option<Outdated>,
}

impl Source {
    /// Reads a source from a document with the fields of [`fields`].
    pub(crate) fn read(fields: Document) -> Source {
        let dn = fields.get_document(stored::OWN).ok();
        let pending = dn.and_then(|dn| dn.get_array(stored::key::PENDING).ok());
        let pending = pending.into_iter().flatten().filter_map(Bson::as_str);
        Source {
            id: fields.get("_id").cloned().unwrap_or(Bson::Null),
            r: dn
                .and_then(|dn| dn.get(stored::key::REVISION))
                .filter(|r| integer(Some(r)).is_some())
                .cloned()
                .unwrap_or(Bson::Int64(0)),
            deleted: dn.is_some_and(|dn| dn.contains_key(stored::key::TOMBSTONE)),
            pending: pending.map(str::to_owned).collect(),
            fields,
            starts: BTreeMap::new(),
            outdated: None,
        }
    }

    /// The error for a source whose copies cannot be written, because it could not be migrated.
    pub(crate) fn unreadable(&self, model: &ModelMeta) -> Option<Error> {
        let outdated = self.outdated.as_ref()?;
        Some(outdated.error(model.name, self.id.to_string()))
    }

    pub(crate) fn revision(&self) -> i64 {
        integer(Some(&self.r)).unwrap_or(0)
    }

    /// True if another program has wiped the revision, and no program has raised it above those of the copies since.
    pub(crate) fn is_wiped(&self) -> bool {
        let dn = self.fields.get_document(stored::OWN).ok();
        let raises = integer(dn.and_then(|dn| dn.get(stored::key::RAISES)));
        self.revision() <= flags::WIPED || raises == Some(self.revision())
    }

    /// The key that references of this edge hold.
    pub(crate) fn key(&self, edge: &Edge) -> Option<&Bson> {
        self.fields.get(edge.key).filter(|key| **key != Bson::Null)
    }

    /// The tenant that the source belongs to; `None` if its model has none.
    pub(crate) fn tenant(&self, model: &ModelMeta) -> Option<Bson> {
        let own = tenant_field(model)?;
        Some(self.fields.get(own).cloned().unwrap_or(Bson::Null))
    }

    /// The condition that documents with copies belong to the tenant of the source; empty if one of the models has none.
    pub(crate) fn same_tenant(&self, edge: &Edge) -> Document {
        of_tenant(edge.target, self.tenant(edge.source).as_ref())
    }

    /// True if this document, which refers to the source along the edge, belongs to another tenant: then the reference leads nowhere.
    pub(crate) fn is_outside(&self, edge: &Edge, document: &RawDocument) -> bool {
        let both = own_tenant(edge.target, document).zip(self.tenant(edge.source));
        both.is_some_and(|(own, of)| IdKey::new(&own) != IdKey::new(&of))
    }

    /// The value of the source for a copy; `None` if the field, or a document that contains it, is absent.
    pub(crate) fn value(&self, copied: &Copied) -> Option<&Bson> {
        at(&self.fields, &copied.from)
    }
}
