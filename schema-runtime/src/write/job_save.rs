//! Saves a job without taking it from the worker that has leased it.

use bson::{Document, RawDocumentBuf, doc};

use crate::document::encoding::unencodable;
use crate::driver::{Lasting, UpdateArgs};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::ModelMeta;
use crate::{ClientSession, Database, driver};

/// Replaces a job, or stores it, and preserves its queue state.
pub(crate) async fn save(
    db: &Database,
    meta: &ModelMeta,
    filter: Document,
    document: &RawDocumentBuf,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let document =
        Document::try_from(document.as_ref()).map_err(|error| unencodable(meta, error))?;
    let whole = doc! { "$mergeObjects": [{ "$literal": document }, { "_dn": "$_dn" }] };
    let args = UpdateArgs {
        filter,
        changes: vec![doc! { "$replaceWith": whole }].into(),
        many: false,
        upsert: true,
        lasting: Lasting::AsConfigured,
        strings: driver::Strings::Exactly,
    };
    let result = driver::update(db, meta.collection, args, session).await?;
    Ok(Outcome {
        inserted: u64::from(result.upserted_id.is_some()),
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    })
}
