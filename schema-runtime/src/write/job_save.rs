//! Saves a job without taking it from the worker that has leased it.

use bson::{Document, RawDocumentBuf, doc};

use crate::document::encoding::unencodable;
use crate::document::shared;
use crate::driver::{self, ClientSession, Database, Lasting, UpdateArgs, save_outcome};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::ModelMeta;
use crate::schema::stamps::Stamps;
use crate::schema::stored;

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
    let stamps = Stamps::of(meta).unwrap_or_default();
    let args = UpdateArgs {
        filter,
        changes: shared::replacement(
            meta,
            &stamps,
            document,
            doc! { stored::OWN: stored::value::OWN },
        )
        .into(),
        many: false,
        upsert: true,
        lasting: Lasting::AsConfigured,
        strings: driver::Strings::Exactly,
    };
    let result = driver::update(db, meta.collection, args, session).await?;
    Ok(save_outcome(&result))
}
