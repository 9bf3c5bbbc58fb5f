//! The key by which a sharded cluster distributes the documents of a model.

use bson::{Bson, Document};

use crate::schema::index_row::KeyKind;
use crate::schema::model::ModelMeta;
use crate::schema::tenant::tenant_field;

/// The fields of the shard key of a model, as the keys of an index; `None` for a model without one.
pub(crate) fn shard_key_fields(meta: &ModelMeta) -> Option<Vec<(String, KeyKind)>> {
    let key = meta.shard_key?;
    let tenant = tenant_field(meta).filter(|_| key.by_tenant);
    let id = match key.hashed {
        true => KeyKind::Hashed,
        false => KeyKind::Asc,
    };
    let fields = tenant.map(|field| (field.to_owned(), KeyKind::Asc));
    Some(fields.into_iter().chain([("_id".to_owned(), id)]).collect())
}

/// The shard key of a model as commands name it.
pub(crate) fn shard_key(meta: &ModelMeta) -> Option<Document> {
    let fields = shard_key_fields(meta)?.into_iter();
    let fields = fields.map(|(field, kind)| match kind {
        KeyKind::Hashed => (field, Bson::from("hashed")),
        _ => (field, Bson::from(1)),
    });
    Some(fields.collect())
}
