//! Changes of stored documents: updates, replacements, and changes that give the document.

use bson::{Document, RawDocumentBuf};
use mongodb::options::{
    FindOneAndUpdateOptions, ReplaceOptions, ReturnDocument, UpdateModifications, UpdateOptions,
};
use mongodb::results::UpdateResult;
use mongodb::{ClientSession, Database};

use super::durable::unpack;
use super::{Lasting, Strings, binary, call};
use crate::bson_util::operators;
use crate::bson_util::path::without_nested;
use crate::error::Result;
use crate::outcome::Outcome;

/// Replaces one document, or stores it where there is none.
pub(crate) async fn replace(
    db: &Database,
    collection: &str,
    filter: Document,
    document: &RawDocumentBuf,
    upsert: bool,
    mut session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    traced!(command(db, collection));
    let replace = db.collection::<RawDocumentBuf>(collection);
    let options = ReplaceOptions::builder()
        .upsert(upsert)
        .collation(binary())
        .comment(call::comment())
        .write_concern(Lasting::AsConfigured.concern(collection, session.as_deref_mut()))
        .build();
    let replace = replace.replace_one(filter, document).with_options(options);
    let result = match session {
        Some(session) => replace.session(session).await?,
        None => replace.await?,
    };
    traced!(changed(changed_by(&result)));
    Ok(result)
}

/// The number of documents that an update has changed or stored.
#[cfg(feature = "tracing")]
fn changed_by(result: &UpdateResult) -> u64 {
    result.modified_count + u64::from(result.upserted_id.is_some())
}

/// An update about to be sent.
#[derive(Debug)]
pub(crate) struct UpdateArgs {
    pub(crate) filter: Document,
    pub(crate) changes: UpdateModifications,
    pub(crate) many: bool,
    pub(crate) upsert: bool,
    pub(crate) lasting: Lasting,
    pub(crate) strings: Strings,
}

impl UpdateArgs {
    /// Takes the conditions on array elements out of the operators.
    fn elements(&mut self) -> Option<Vec<Document>> {
        match &mut self.changes {
            UpdateModifications::Document(operators) => operators::take_elements(operators),
            _ => None,
        }
    }

    /// An update that is acknowledged as the client is configured.
    pub(crate) fn plain(filter: Document, changes: Document, many: bool) -> Self {
        UpdateArgs {
            filter,
            changes: UpdateModifications::Document(changes),
            many,
            upsert: false,
            lasting: Lasting::AsConfigured,
            strings: Strings::Exactly,
        }
    }
}

/// Changes one document, or many.
pub(crate) async fn update(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    mut session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    traced!(command(db, collection));
    let target = db.collection::<RawDocumentBuf>(collection);
    let options = UpdateOptions::builder()
        .array_filters(args.elements())
        .upsert(args.upsert.then_some(true))
        .collation(args.strings.collation())
        .comment(call::comment())
        .hint(args.strings.hint())
        .write_concern(args.lasting.concern(collection, session.as_deref_mut()))
        .build();
    let update = if args.many {
        target.update_many(args.filter, args.changes)
    } else {
        target.update_one(args.filter, args.changes)
    };
    let update = update.with_options(options);
    let result = match session {
        Some(session) => update.session(session).await?,
        None => update.await?,
    };
    traced!(changed(changed_by(&result)));
    Ok(result)
}

/// Changes one document durably and gives the changed document.
pub(crate) async fn update_and_read(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    projection: Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Document>> {
    traced!(command(db, collection));
    let target = db.collection::<RawDocumentBuf>(collection);
    let options = FindOneAndUpdateOptions::builder()
        .array_filters(args.elements())
        .upsert(args.upsert.then_some(true))
        .comment(call::comment())
        .collation(args.strings.collation())
        .write_concern(args.lasting.concern(collection, session.as_deref_mut()))
        .projection(without_nested(projection))
        .return_document(ReturnDocument::After)
        .build();
    let update = target
        .find_one_and_update(args.filter, args.changes)
        .with_options(options);
    let found = match session {
        Some(session) => update.session(session).await?,
        None => update.await?,
    };
    traced!(changed(u64::from(found.is_some())));
    found.as_deref().map(unpack).transpose()
}

/// Changes one document and gives it as it was before or is after the change.
pub(crate) async fn update_and_return(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    image: Image,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<RawDocumentBuf>> {
    traced!(command(db, collection));
    let target = db.collection::<RawDocumentBuf>(collection);
    let image = match image {
        Image::Before => ReturnDocument::Before,
        Image::After => ReturnDocument::After,
    };
    let options = FindOneAndUpdateOptions::builder()
        .array_filters(args.elements())
        .comment(call::comment())
        .collation(args.strings.collation())
        .write_concern(args.lasting.concern(collection, session.as_deref_mut()))
        .return_document(image)
        .build();
    let update = target.find_one_and_update(args.filter, args.changes);
    let update = update.with_options(options);
    let found = match session {
        Some(session) => update.session(session).await?,
        None => update.await?,
    };
    traced!(changed(u64::from(found.is_some())));
    Ok(found)
}

/// The state of a changed document that is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Image {
    Before,
    After,
}

/// Changes the first document in an order durably, and gives the changed document.
pub(crate) async fn first_changed(
    db: &Database,
    collection: &str,
    filter: Document,
    sort: Document,
    pipeline: Vec<Document>,
) -> Result<Option<RawDocumentBuf>> {
    traced!(command(db, collection));
    let target = db.collection::<RawDocumentBuf>(collection);
    let options = FindOneAndUpdateOptions::builder()
        .comment(call::comment())
        .write_concern(Lasting::Durable.concern(collection, None))
        .collation(Strings::Exactly.collation())
        .sort(sort)
        .return_document(ReturnDocument::After)
        .build();
    let update = target.find_one_and_update(filter, pipeline);
    let found = update.with_options(options).await?;
    traced!(changed(u64::from(found.is_some())));
    Ok(found)
}

/// The outcome of a save.
pub(crate) fn save_outcome(result: &UpdateResult) -> Outcome {
    Outcome {
        inserted: u64::from(result.upserted_id.is_some()),
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    }
}
