//! The only module that names the driver's calls on documents.

use bson::{Document, RawDocument, RawDocumentBuf};
use futures::Stream;
use mongodb::options::{CountOptions, FindOptions, UpdateModifications};
use mongodb::results::UpdateResult;
use mongodb::{ClientSession, Cursor, Database, SessionCursor};

use crate::error::Result;
use crate::model::MongoModel;

/// What `find` is asked beside its filter.
#[derive(Debug, Clone, Default)]
pub(crate) struct FindArgs {
    pub(crate) sort: Option<Document>,
    pub(crate) limit: Option<i64>,
    pub(crate) skip: Option<u64>,
    pub(crate) batch_size: Option<u32>,
    pub(crate) projection: Option<Document>,
}

impl FindArgs {
    fn options(self) -> FindOptions {
        FindOptions::builder()
            .sort(self.sort)
            .limit(self.limit)
            .skip(self.skip)
            .batch_size(self.batch_size)
            .projection(self.projection)
            .build()
    }
}

/// An open result.
enum Rows<'a> {
    Alone(Cursor<RawDocumentBuf>),
    InSession(SessionCursor<RawDocumentBuf>, &'a mut ClientSession),
}

impl Rows<'_> {
    /// The next document, decoded where it lies in the batch.
    async fn next<T>(
        &mut self,
        decode: impl FnOnce(&RawDocument) -> Result<T>,
    ) -> Result<Option<T>> {
        let row = match self {
            Rows::Alone(cursor) => cursor.advance().await?.then(|| cursor.current()),
            Rows::InSession(cursor, session) => {
                cursor.advance(session).await?.then(|| cursor.current())
            }
        };
        row.map(decode).transpose()
    }
}

async fn open<'a>(
    db: &Database,
    collection: &str,
    filter: Document,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
) -> Result<Rows<'a>> {
    let find = db.collection::<RawDocumentBuf>(collection);
    let find = find.find(filter).with_options(args.options());
    Ok(match session {
        Some(session) => Rows::InSession(find.session(&mut *session).await?, session),
        None => Rows::Alone(find.await?),
    })
}

/// Documents as they arrive; each is handed to `decode`. Nothing is sent before the first is asked for.
pub(crate) fn rows<'a, T: Send + 'a>(
    db: &'a Database,
    collection: &'static str,
    filter: Result<Document>,
    args: FindArgs,
    session: Option<&'a mut ClientSession>,
    decode: impl Fn(&RawDocument) -> Result<T> + Send + Sync + Copy + 'a,
) -> impl Stream<Item = Result<T>> + Send + 'a {
    enum State<'a> {
        Asked(Result<Document>, FindArgs, Option<&'a mut ClientSession>),
        Open(Rows<'a>),
    }
    futures::stream::try_unfold(
        State::Asked(filter, args, session),
        move |state| async move {
            let mut rows = match state {
                State::Asked(filter, args, session) => {
                    open(db, collection, filter?, args, session).await?
                }
                State::Open(rows) => rows,
            };
            Ok(rows.next(decode).await?.map(|row| (row, State::Open(rows))))
        },
    )
}

/// Decodes one document of `M`; an error names its `_id`.
pub(crate) fn decode<M: MongoModel>(raw: &RawDocument) -> Result<M> {
    super::find::decode::<M, M>(raw)
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

pub(crate) async fn count(
    db: &Database,
    collection: &str,
    filter: Document,
    limit: Option<u64>,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let options = CountOptions::builder().limit(limit).build();
    let count = db.collection::<RawDocumentBuf>(collection);
    let count = count.count_documents(filter).with_options(options);
    Ok(match session {
        Some(session) => count.session(session).await?,
        None => count.await?,
    })
}

pub(crate) async fn insert(
    db: &Database,
    collection: &str,
    documents: Vec<RawDocumentBuf>,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let collection = db.collection::<RawDocumentBuf>(collection);
    match (documents.as_slice(), session) {
        ([], _) => {}
        ([one], Some(session)) => drop(collection.insert_one(one).session(session).await?),
        ([one], None) => drop(collection.insert_one(one).await?),
        (many, Some(session)) => drop(collection.insert_many(many).session(session).await?),
        (many, None) => drop(collection.insert_many(many).await?),
    }
    Ok(())
}

pub(crate) async fn replace(
    db: &Database,
    collection: &str,
    filter: Document,
    document: &RawDocumentBuf,
    upsert: bool,
    session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    let replace = db.collection::<RawDocumentBuf>(collection);
    let replace = replace.replace_one(filter, document).upsert(upsert);
    Ok(match session {
        Some(session) => replace.session(session).await?,
        None => replace.await?,
    })
}

pub(crate) async fn update(
    db: &Database,
    collection: &str,
    filter: Document,
    changes: Document,
    many: bool,
    session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    let target = db.collection::<RawDocumentBuf>(collection);
    let changes = UpdateModifications::Document(changes);
    let update = if many {
        target.update_many(filter, changes)
    } else {
        target.update_one(filter, changes)
    };
    Ok(match session {
        Some(session) => update.session(session).await?,
        None => update.await?,
    })
}

pub(crate) async fn delete_one(
    db: &Database,
    collection: &str,
    filter: Document,
    session: Option<&mut ClientSession>,
) -> Result<u64> {
    let delete = db.collection::<RawDocumentBuf>(collection);
    let delete = delete.delete_one(filter);
    let result = match session {
        Some(session) => delete.session(session).await?,
        None => delete.await?,
    };
    Ok(result.deleted_count)
}
