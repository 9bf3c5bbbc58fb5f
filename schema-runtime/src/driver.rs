//! The only module that names the driver's calls on documents.
//!
//! The futures of its functions are boxed where they are large: a delete that helps another delete awaits about thirty functions
//! deep, and without optimisation each of them would hold a copy of the largest future below it on the stack.

#[macro_use]
pub(crate) mod fault;

/// Notes something in the span of the present call; nothing without the feature `tracing`.
macro_rules! traced {
    ($($call:tt)*) => {
        #[cfg(feature = "tracing")]
        $crate::driver::span::$($call)*;
    };
}

mod aggregate;
pub(crate) mod attempts;
pub(crate) mod call;
pub(crate) mod capabilities;
pub(crate) mod command;
mod concern;
mod killed;
mod new;
pub(crate) mod options;
mod raw;
pub(crate) mod rows;
#[cfg(feature = "tracing")]
pub(crate) mod span;
pub(crate) mod stream;
pub(crate) mod time;
pub(crate) mod transaction;
mod unread;

use bson::{Bson, Document, RawDocument, RawDocumentBuf};
use futures::future::BoxFuture;
use futures::{Stream, TryStreamExt};
use mongodb::error::ErrorKind;
use mongodb::options::{
    Collation, DeleteOptions, FindOneAndUpdateOptions, FindOptions, Hint, InsertManyOptions,
    InsertOneOptions, ReplaceOptions, ReturnDocument, SelectionCriteria, UpdateModifications,
    UpdateOptions,
};
use mongodb::results::UpdateResult;
use mongodb::{ClientSession, Database};

pub(crate) use self::aggregate::{aggregate, count, group, group_by_index, open_aggregate};
pub(crate) use self::command::{
    before_duplicate, change_and_read, change_and_read_as, deletes, durable_read, is_batch_wide,
    is_duplicate, outcome_unknown, outgrown, read_by, refusal, server_time, set_strings,
    statements, statements_as, statements_once,
};
pub(crate) use self::concern::{Acknowledged, Lasting, acknowledged, configured};
use self::killed::run_killed_again;
pub(crate) use self::new::store_new;
pub(crate) use self::options::ReadOptions;
pub(crate) use self::raw::open_raw;
pub(crate) use self::rows::Rows;
use self::unread::WithoutId;
use crate::bson_util::operators;
use crate::error::{Error, Result};
use crate::projection::{Borrowed, Projected};
use crate::schema::index_row::CollationRow;
use crate::schema::model::Model;

/// How the server compares strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Strings {
    /// Byte by byte, whatever collation the collection has: an id or a reference is this one value and no other.
    #[default]
    Exactly,
    /// As the collection says: in a filter that the user has written.
    AsCollection,
    /// As this collation says, which an index has.
    Collated(&'static CollationRow),
}

impl Strings {
    fn collation(self) -> Option<Collation> {
        match self {
            Strings::Exactly => Some(binary()),
            Strings::AsCollection => None,
            Strings::Collated(row) => {
                let mut collation = Collation::builder().locale(row.locale).build();
                collation.strength = row.strength.and_then(|n| u32::from(n).try_into().ok());
                collation.case_level = row.case_level;
                collation.numeric_ordering = row.numeric_ordering;
                Some(collation)
            }
        }
    }

    /// The index that the call names for its filter.
    fn hint(self) -> Option<Hint> {
        let call = call::current().filter(|_| self == Strings::AsCollection)?;
        call.write.hint.clone().map(Hint::Name)
    }
}

/// The order of bytes.
fn binary() -> Collation {
    Collation::builder().locale("simple").build()
}

/// Which server answers a read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Reads {
    /// The primary: something is written, or refused, because of the answer.
    #[default]
    FromPrimary,
    /// Any server that the client's read preference allows: the answer is the user's.
    AsConfigured,
}

impl Reads {
    fn criteria(self) -> Option<SelectionCriteria> {
        (self == Reads::FromPrimary).then(command::primary)
    }
}

/// The options of a `find`, without its filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct FindArgs {
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<i64>,
    pub(crate) skip: Option<u64>,
    pub(crate) batch_size: Option<u32>,
    pub(crate) projection: Option<Document>,
    /// The keys of the index to use.
    pub(crate) hint: Option<Document>,
    pub(crate) reads: Reads,
    pub(crate) strings: Strings,
    /// The options that the user has set.
    pub(crate) options: ReadOptions,
}

/// The largest size of a batch: the driver requests one more where a limit is as large.
const BATCH_MAX: u32 = i32::MAX as u32 - 1;

impl FindArgs {
    fn options(self, collection: &str, in_session: bool) -> FindOptions {
        let options = self.options.resolve(self.reads, collection, in_session);
        let batch_size = options.batch_size.or(self.batch_size);
        FindOptions::builder()
            .sort(self.sort)
            .limit(self.limit)
            .skip(self.skip.map(clamp_count))
            .batch_size(batch_size.map(|size| size.min(BATCH_MAX)))
            .projection(self.projection)
            .hint(options.hint().or(self.hint.map(Hint::Keys)))
            .collation(self.strings.collation())
            .comment(options.comment())
            .max_time(options.max_time)
            .allow_disk_use(options.allow_disk_use)
            .read_concern(options.concern)
            .selection_criteria(options.criteria)
            .build()
    }
}

/// As many as the server can count.
fn clamp_count(documents: u64) -> u64 {
    documents.min(i64::MAX.unsigned_abs())
}

pub(crate) fn open<'f, 'a: 'f>(
    db: &'f Database,
    collection: &'f str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> BoxFuture<'f, Result<Rows<'a>>> {
    Box::pin(async move {
        // The server takes a limit of 0 for none.
        if args.limit == Some(0) {
            return Ok(Rows::none());
        }
        let without_id = WithoutId::of(db, collection, &filter, &args);
        let rows = send(db, collection, filter, args, session).await?;
        Ok(rows.of_find(without_id))
    })
}

async fn send<'a>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    traced!(command(db, collection));
    let of = db.collection::<RawDocumentBuf>(collection);
    let options = args.options(collection, session.is_some());
    Ok(match session {
        Some(session) => {
            let find = of.find(filter).with_options(options);
            let cursor = find.session(&mut *session).batch().await?;
            Rows::in_session(cursor, session)
        }
        None => {
            let find = || {
                of.find(filter.clone())
                    .with_options(options.clone())
                    .batch()
            };
            Rows::alone(run_killed_again(find).await?)
        }
    })
}

/// Documents as they arrive; `decode` reads each. Nothing is sent before the first poll.
pub(crate) fn rows<'a, T: Send + 'a>(
    db: &'a Database,
    collection: &'static str,
    filter: Result<Document>,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    stream_of(
        async move { open(db, collection, filter?, args, session).await },
        decode,
    )
}

/// The rows of a result that is opened at the first poll.
fn stream_of<'a, T: Send + 'a>(
    asked: impl Future<Output = Result<Rows<'a>>> + Send + 'a,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    let rows = move |rows: Rows<'a>| {
        futures::stream::try_unfold(rows, move |mut rows| async move {
            Ok(rows.next(decode).await?.map(|row| (row, rows)))
        })
    };
    futures::stream::once(asked).map_ok(rows).try_flatten()
}

/// Decodes one document of `M`, or a projection of one; an error names its `_id`.
pub(crate) fn decode_as<M: Model, O: Projected<M>>(raw: &RawDocument) -> Result<O> {
    let read = match M::SCHEMA
        .filter(|_| O::ROWS.is_some() && !crate::projection::versions::only_id::<M, O>())
    {
        Some(schema) => schema.current(raw).and_then(|raw| O::read(&raw)),
        // A whole document knows its version itself.
        None => O::read(raw),
    };
    read.map_err(|source| decode_error(M::model_meta().name, raw, source))
}

/// Gives a document to `each`, read where it lies.
pub(crate) fn lend_as<M: Model, V: Borrowed<M>>(
    raw: &RawDocument,
    only_id: bool,
    mut each: impl for<'d> FnMut(V::Of<'d>),
) -> Result<()> {
    let given = match M::SCHEMA.filter(|_| !only_id) {
        Some(schema) => schema
            .current(raw)
            .and_then(|raw| crate::projection::lend_part::<M, V>(&raw, &mut each)),
        None => crate::projection::lend_part::<M, V>(raw, &mut each),
    };
    given.map_err(|source| decode_error(M::model_meta().name, raw, source))
}

/// The document `raw` of `model` is not what the model says.
pub(crate) fn decode_error(
    model: &'static str,
    raw: &RawDocument,
    source: crate::codec::error::CodecError,
) -> Error {
    let id = raw
        .get("_id")
        .ok()
        .flatten()
        .and_then(|id| Bson::try_from(id).ok());
    let id = id.map_or_else(|| unread::NO_ID.to_owned(), |id| id.to_string());
    if let Some(outdated) = source.as_outdated() {
        return outdated.error(model, id);
    }
    Error::Decode {
        model,
        id,
        source: Box::new(source),
    }
}

/// The first document, decoded.
pub(crate) async fn first<T>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&mut ClientSession>,
    decode: impl FnOnce(&RawDocument) -> Result<T>,
) -> Result<Option<T>> {
    let args = FindArgs {
        limit: Some(-1),
        ..args
    };
    open(db, collection, filter, args, session)
        .await?
        .next(decode)
        .await
}

pub(crate) async fn insert(
    db: &Database,
    name: &str,
    documents: &[&RawDocument],
    lasting: Lasting,
    mut session: Option<&mut ClientSession>,
) -> Result<()> {
    let collection = db.collection::<&RawDocument>(name);
    let concern = lasting.concern(name, session.as_deref_mut());
    let one_option = InsertOneOptions::builder()
        .write_concern(concern.clone())
        .comment(call::comment())
        .build();
    let many_options = InsertManyOptions::builder()
        .write_concern(concern)
        .comment(call::comment())
        .build();
    match (documents, session) {
        ([], _) => {}
        ([one], session) => {
            traced!(command(db, name));
            let insert = collection.insert_one(one).with_options(one_option);
            match session {
                Some(session) => drop(insert.session(session).await?),
                None => drop(insert.await?),
            }
        }
        (many, session) => {
            traced!(command(db, name));
            let insert = collection.insert_many(many).with_options(many_options);
            match session {
                Some(session) => drop(insert.session(session).await?),
                None => drop(insert.await?),
            }
        }
    }
    traced!(changed(documents.len() as u64));
    Ok(())
}

/// Stores new documents in any order; returns the places of those that the server has refused.
pub(crate) async fn insert_unordered(
    db: &Database,
    name: &str,
    documents: &[&RawDocument],
    lasting: Lasting,
) -> Result<Vec<usize>> {
    traced!(command(db, name));
    let collection = db.collection::<&RawDocument>(name);
    let options = InsertManyOptions::builder()
        .ordered(false)
        .write_concern(lasting.concern(name, None))
        .build();
    match collection
        .insert_many(documents)
        .with_options(options)
        .await
    {
        Ok(_) => Ok(Vec::new()),
        Err(error) => match &*error.kind {
            ErrorKind::InsertMany(many) if many.write_concern_error.is_none() => {
                let refused = many.write_errors.iter().flatten();
                Ok(refused.map(|refused| refused.index).collect())
            }
            _ => Err(error.into()),
        },
    }
}

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

/// How many documents an update has changed or stored.
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

    /// As the client is configured.
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

/// Changes one document durably and gives what it is afterwards.
pub(crate) async fn update_and_read(
    db: &Database,
    collection: &str,
    mut args: UpdateArgs,
    projection: Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Option<Document>> {
    traced!(command(db, collection));
    let target = db.collection::<Document>(collection);
    let options = FindOneAndUpdateOptions::builder()
        .array_filters(args.elements())
        .upsert(args.upsert.then_some(true))
        .comment(call::comment())
        .collation(args.strings.collation())
        .write_concern(args.lasting.concern(collection, session.as_deref_mut()))
        .projection(projection)
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
    Ok(found)
}

/// Changes one document and gives it as it was before or is after.
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

/// Which state of a changed document is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Image {
    Before,
    After,
}

/// Changes the first document in an order durably, and gives what it is afterwards.
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

pub(crate) async fn delete_one(
    db: &Database,
    collection: &str,
    filter: Document,
    mut session: Option<&mut ClientSession>,
) -> Result<u64> {
    traced!(command(db, collection));
    let delete = db.collection::<RawDocumentBuf>(collection);
    let options = DeleteOptions::builder()
        .collation(binary())
        .comment(call::comment())
        .write_concern(Lasting::AsConfigured.concern(collection, session.as_deref_mut()))
        .build();
    let delete = delete.delete_one(filter).with_options(options);
    let result = match session {
        Some(session) => delete.session(session).await?,
        None => delete.await?,
    };
    traced!(changed(result.deleted_count));
    Ok(result.deleted_count)
}

pub(crate) async fn delete_many(
    db: &Database,
    collection: &str,
    filter: Document,
    lasting: Lasting,
    strings: Strings,
    mut session: Option<&mut ClientSession>,
) -> Result<u64> {
    traced!(command(db, collection));
    let delete = db.collection::<RawDocumentBuf>(collection);
    let options = DeleteOptions::builder()
        .collation(strings.collation())
        .comment(call::comment())
        .hint(strings.hint())
        .write_concern(lasting.concern(collection, session.as_deref_mut()))
        .build();
    let delete = delete.delete_many(filter).with_options(options);
    let result = match session {
        Some(session) => delete.session(session).await?,
        None => delete.await?,
    };
    traced!(changed(result.deleted_count));
    Ok(result.deleted_count)
}
