//! New documents of a model.

use bson::{Bson, Document, RawDocument, doc};
use mongodb::options::UpdateModifications;
use mongodb::{ClientSession, Database};

use super::update::update_unrecorded;
use super::update_args::UpdateArgs;
use super::{Lasting, Strings, command, insert};
use crate::document::encoding::unencodable;
use crate::error::Result;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;
use crate::schema::stored;

/// Stores new documents of a model. Where the server's clock decides fields of them, each is an upsert that matches nothing, because an
/// `insert` has no expressions: an `_id` that exists is a duplicate either way. Many of them are one `update` command per 8 MiB, which the
/// driver does not send again when its reply is lost.
pub(crate) async fn store_new(
    db: &Database,
    meta: &ModelMeta,
    documents: &[&RawDocument],
    lasting: Lasting,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let Some(stamps) = Stamps::of(meta).filter(Stamps::has_times) else {
        return insert(db, meta.collection, documents, lasting, session).await;
    };
    let mut upserts = Vec::with_capacity(documents.len());
    for raw in documents {
        let document = Document::try_from(*raw);
        let document = document.map_err(|error| unencodable(meta, error))?;
        let id = document.get("_id").cloned().unwrap_or(Bson::Null);
        let nothing = doc! { "_id": { "$eq": id }, stored::OWN: { "$in": [] } };
        upserts.push((nothing, stamps.inserted(document)));
    }
    if let [(filter, pipeline)] = &mut *upserts {
        let args = UpdateArgs {
            filter: std::mem::take(filter),
            changes: UpdateModifications::Pipeline(std::mem::take(pipeline)),
            many: false,
            upsert: true,
            lasting,
            strings: Strings::Exactly,
        };
        let stored = update_unrecorded(db, meta.collection, args, session);
        return stored.await.map(drop);
    }
    let statements = upserts.into_iter();
    let statements = statements.map(|(q, u)| doc! { "q": q, "u": u, "upsert": true });
    command::insert_by_upserts(
        db,
        meta.collection,
        &statements.collect::<Vec<_>>(),
        lasting,
        session,
    )
    .await
}
