//! Changes of stored documents: updates, replacements, and changes that give the document.

use bson::{Document, RawDocumentBuf};
use futures::future::BoxFuture;
use mongodb::options::{FindOneAndUpdateOptions, ReplaceOptions, ReturnDocument, UpdateOptions};
use mongodb::results::UpdateResult;
use mongodb::{ClientSession, Database};

use super::attempts::pause;
use super::durable::unpack;
use super::history::{self, Recording};
use super::sharded::name_shard;
use super::update_args::UpdateArgs;
use super::{Lasting, Strings, binary, call};
use crate::bson_util::path::without_nested;
use crate::error::{Error, Result};
use crate::outcome::Outcome;

/// Replaces one document, or stores it where there is none.
pub(crate) async fn replace(
    db: &Database,
    collection: &str,
    mut filter: Document,
    document: &RawDocumentBuf,
    upsert: bool,
    mut session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    if session.is_none() {
        name_shard(db, collection, &mut filter, Strings::Exactly, None).await?;
    }
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
fn changed_by(result: &UpdateResult) -> u64 {
    result.modified_count + u64::from(result.upserted_id.is_some())
}

/// The largest number of attempts of an update that others are in the way of.
const ROUNDS: usize = 64;

/// A function that sends an update, with what it needs besides.
type SendUpdate<E, T> = for<'s> fn(
    &'s Database,
    &'s str,
    UpdateArgs,
    E,
    Option<&'s mut ClientSession>,
) -> BoxFuture<'s, Result<T>>;

/// The answer to an update.
trait Answer {
    /// True if no document matched.
    fn is_unmatched(&self) -> bool;

    /// True if a document may have changed.
    fn may_have_changed(&self) -> bool {
        !self.is_unmatched()
    }
}

impl Answer for UpdateResult {
    fn is_unmatched(&self) -> bool {
        self.matched_count == 0 && self.upserted_id.is_none()
    }

    fn may_have_changed(&self) -> bool {
        changed_by(self) > 0
    }
}

impl<T> Answer for Option<T> {
    fn is_unmatched(&self) -> bool {
        self.is_none()
    }
}

/// Sends an update that records what it changes. Where another program changes a field between a read and the update, that is sent again.
///
/// The type of the future is erased: what awaits an update deep below is otherwise too deep for the compiler.
fn recorded<'r, E: Clone + Send + 'r, T: Answer + Send + 'r>(
    target: (&'r Database, &'r str),
    args: UpdateArgs,
    extra: E,
    session: Option<&'r mut ClientSession>,
    send: SendUpdate<E, T>,
) -> BoxFuture<'r, Result<T>> {
    Box::pin(send_recorded(target, args, extra, session, send))
}

async fn send_recorded<E: Clone, T: Answer>(
    (db, collection): (&Database, &str),
    args: UpdateArgs,
    extra: E,
    mut session: Option<&mut ClientSession>,
    send: SendUpdate<E, T>,
) -> Result<T> {
    let in_session = session.is_some();
    for attempt in 0..ROUNDS {
        let held = session.as_deref_mut();
        let mut args = args.clone();
        let recording = Recording::prepare(db, collection, &mut args, held).await?;
        let held = session.as_deref_mut();
        let answer = send(db, collection, args, extra.clone(), held).await?;
        let Some(recording) = recording else {
            return Ok(answer);
        };
        if answer.is_unmatched() && recording.compares() && !in_session {
            pause(attempt).await;
            continue;
        }
        if answer.may_have_changed() {
            recording.note(db, in_session);
        }
        return Ok(answer);
    }
    Err(Error::Busy {
        what: format!("a document of {collection}"),
    })
}

/// Changes one document, or many, and records the changes in their history.
pub(crate) async fn update(
    db: &Database,
    collection: &str,
    args: UpdateArgs,
    session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    if !history::has_history(collection) {
        return update_unrecorded(db, collection, args, session).await;
    }
    let send: SendUpdate<(), _> = |db, collection, args, (), session| {
        Box::pin(update_unrecorded(db, collection, args, session))
    };
    recorded((db, collection), args, (), session, send).await
}

/// Changes one document, or many, without an entry: for what is recorded elsewhere.
pub(super) async fn update_unrecorded(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    mut session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    if !args.many && !args.upsert && session.is_none() {
        name_shard(db, collection, &mut args.filter, args.strings, None).await?;
    }
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

/// Changes one document durably and gives these fields of the changed document.
pub(crate) async fn update_and_read(
    db: &Database,
    collection: &str,
    args: UpdateArgs,
    projection: Document,
    session: Option<&mut ClientSession>,
) -> Result<Option<Document>> {
    let returned = (Image::After, Some(without_nested(projection)));
    let found = find_and_update(db, collection, args, returned, session).await?;
    found.as_deref().map(unpack).transpose()
}

/// Changes one document and gives it as it was before or is after the change.
pub(crate) async fn update_and_return(
    db: &Database,
    collection: &str,
    args: UpdateArgs,
    image: Image,
    session: Option<&mut ClientSession>,
) -> Result<Option<RawDocumentBuf>> {
    find_and_update(db, collection, args, (image, None), session).await
}

/// The state and the fields of a changed document that are given; all fields without a projection.
type Returned = (Image, Option<Document>);

async fn find_and_update(
    db: &Database,
    collection: &str,
    args: UpdateArgs,
    returned: Returned,
    session: Option<&mut ClientSession>,
) -> Result<Option<RawDocumentBuf>> {
    if !history::has_history(collection) {
        return find_and_update_unrecorded(db, collection, args, returned, session).await;
    }
    let send: SendUpdate<Returned, _> = |db, collection, args, returned, session| {
        Box::pin(find_and_update_unrecorded(
            db, collection, args, returned, session,
        ))
    };
    recorded((db, collection), args, returned, session, send).await
}

async fn find_and_update_unrecorded(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    (image, projection): Returned,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<RawDocumentBuf>> {
    let (asked, strings) = (session.as_deref_mut(), args.strings);
    if !args.upsert && !name_shard(db, collection, &mut args.filter, strings, asked).await? {
        return Ok(None);
    }
    traced!(command(db, collection));
    let target = db.collection::<RawDocumentBuf>(collection);
    let image = match image {
        Image::Before => ReturnDocument::Before,
        Image::After => ReturnDocument::After,
    };
    let mut options = FindOneAndUpdateOptions::builder()
        .array_filters(args.elements())
        .upsert(args.upsert.then_some(true))
        .comment(call::comment())
        .collation(args.strings.collation())
        .write_concern(args.lasting.concern(collection, session.as_deref_mut()))
        .return_document(image)
        .build();
    options.projection = projection;
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
