//! Models behind a wall: each document belongs to one tenant, and a call sees the documents of one.

use bson::{Bson, Document, RawDocument, doc};

use crate::schema::model::ModelMeta;
use crate::schema::rows::Fixed;

/// The stored name of the field that holds the tenant; `None` for a model that has no wall.
pub(crate) fn tenant_field(meta: &ModelMeta) -> Option<&'static str> {
    let mut rows = meta.shape.fields.iter();
    let row = rows.find(|row| row.fixed == Some(Fixed::Tenant))?;
    Some(row.name)
}

/// The condition that a document belongs to the same tenant as this one; empty for a model that has no wall.
pub(crate) fn same_tenant(meta: &ModelMeta, raw: &RawDocument) -> Document {
    of_tenant(meta, own_tenant(meta, raw).as_ref())
}

/// The tenant that a document of a model belongs to; `None` if the model has no wall.
pub(crate) fn own_tenant(meta: &ModelMeta, raw: &RawDocument) -> Option<Bson> {
    tenant_field(meta).map(|field| tenant_of(field, raw))
}

/// The condition that a document belongs to this tenant; empty for a model that has no wall, and without a tenant.
pub(crate) fn of_tenant(meta: &ModelMeta, tenant: Option<&Bson>) -> Document {
    match (tenant_field(meta), tenant) {
        (Some(field), Some(tenant)) => doc! { field: { "$eq": tenant } },
        _ => Document::new(),
    }
}

/// The tenant that a document names; null where it names none.
pub(crate) fn tenant_of(field: &str, raw: &RawDocument) -> Bson {
    let tenant = raw.get(field).ok().flatten();
    tenant
        .and_then(|tenant| Bson::try_from(tenant).ok())
        .unwrap_or(Bson::Null)
}

/// The tenant that all documents which meet this filter belong to; `None` if it leaves that open.
pub(crate) fn demanded_tenant<'f>(field: &str, filter: &'f Document) -> Option<&'f Bson> {
    let equal = filter.get_document(field).ok();
    let equal = equal.filter(|operators| operators.len() == 1);
    let parts = || filter.get_array("$and").into_iter().flatten();
    equal
        .and_then(|operators| operators.get("$eq"))
        .or_else(|| {
            let mut parts = parts().filter_map(Bson::as_document);
            parts.find_map(|part| demanded_tenant(field, part))
        })
}
