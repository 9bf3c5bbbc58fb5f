//! Commands that the driver has no call for: several updates in one, and reads that outlive a crash.

use std::collections::HashSet;

use bson::raw::{CStr, RawArrayBuf, RawBson, cstr};
use bson::{Bson, DateTime, Document, RawDocumentBuf, doc, rawdoc};
use futures::TryStreamExt;
use mongodb::error::{ErrorKind, WriteFailure};
use mongodb::options::{ReadConcern, ReadPreference, SelectionCriteria, WriteConcern};
use mongodb::{ClientSession, Database};

use super::{Acknowledged, Lasting, Strings};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::number::integer;
use crate::document::guard::DOCUMENT_MAX;
use crate::error::{Error, Result};
use crate::schema::model::ModelMeta;
use crate::schema::stored;

/// How many updates one command carries, and how many bytes of them.
const STATEMENTS: usize = 1_000;
/// How many new documents one command carries: as many as the server takes.
const UPSERTS: usize = 100_000;
const BYTES: usize = 8 * 1024 * 1024;

/// How often a command that can be sent twice is sent again after the network or a step-down lost its answer.
const RETRIES: usize = 2;

/// The result of several updates.
#[derive(Debug, Default)]
pub(crate) struct Statements {
    /// Documents that met the filters.
    pub(crate) matched: u64,
    /// Documents that are different now.
    pub(crate) modified: u64,
    /// The updates that failed, by their place, with the server's code and message. Of an ordered command, those behind the first
    /// one were not tried.
    pub(crate) failed: Vec<(usize, i32, String)>,
}

/// Sends updates as `{q, u, ..}` statements, durably, in as few commands as fit. All of them must be such that sending them twice
/// does what sending them once does: a lost answer makes them be sent again.
pub(crate) async fn statements(
    db: &Database,
    collection: &str,
    all: &[Document],
    ordered: bool,
    session: Option<&mut ClientSession>,
) -> Result<Statements> {
    let batch = Batch {
        ordered,
        ..Batch::new(cstr!("update"), cstr!("updates"))
    };
    run(db, batch, collection, all, session, RETRIES).await
}

/// The same, in any order, of updates that must not be sent twice: where an answer is [`outcome_unknown`] that is the error.
pub(crate) async fn statements_once(
    db: &Database,
    collection: &str,
    all: &[Document],
) -> Result<Statements> {
    statements_as(db, collection, all, Acknowledged::Durable).await
}

/// The same with another write concern.
pub(crate) async fn statements_as(
    db: &Database,
    collection: &str,
    all: &[Document],
    acknowledged: Acknowledged,
) -> Result<Statements> {
    let batch = Batch {
        acknowledged,
        ..Batch::new(cstr!("update"), cstr!("updates"))
    };
    run(db, batch, collection, all, None, 0).await
}

/// Stores new documents by upserts, in order; the first that fails is the error of an insert of many.
pub(super) async fn insert_by_upserts(
    db: &Database,
    collection: &str,
    all: &[Document],
    lasting: Lasting,
    session: Option<&mut ClientSession>,
) -> Result<()> {
    let batch = Batch {
        name: cstr!("update"),
        list: cstr!("updates"),
        ordered: true,
        most: UPSERTS,
        acknowledged: match lasting {
            Lasting::Durable => Acknowledged::Durable,
            Lasting::AsConfigured => Acknowledged::As(super::configured(db, collection)),
        },
    };
    let done = run(db, batch, collection, all, session, 0).await?;
    let Some((index, code, message)) = done.failed.into_iter().next() else {
        return Ok(());
    };
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    let failed = doc! { "index": index, "code": code, "errmsg": message };
    let error = bson::deserialize_from_document(doc! { "writeErrors": [failed] });
    let error = error.map_err(mongodb::error::Error::from)?;
    Err(mongodb::error::Error::from(ErrorKind::InsertMany(error)).into())
}

/// Sends deletes as `{q, limit, ..}` statements, as [`statements`] sends updates. `matched` says how many documents are gone.
pub(crate) async fn deletes(
    db: &Database,
    collection: &str,
    all: &[Document],
    session: Option<&mut ClientSession>,
) -> Result<Statements> {
    let batch = Batch::new(cstr!("delete"), cstr!("deletes"));
    run(db, batch, collection, all, session, RETRIES).await
}

/// How statements are sent together.
struct Batch {
    name: &'static CStr,
    list: &'static CStr,
    ordered: bool,
    /// How many statements one command carries.
    most: usize,
    acknowledged: Acknowledged,
}

impl Batch {
    /// Durable statements in any order.
    fn new(name: &'static CStr, list: &'static CStr) -> Self {
        Batch {
            name,
            list,
            ordered: false,
            most: STATEMENTS,
            acknowledged: Acknowledged::Durable,
        }
    }
}

async fn run(
    db: &Database,
    batch: Batch,
    collection: &str,
    all: &[Document],
    mut session: Option<&mut ClientSession>,
    retries: usize,
) -> Result<Statements> {
    let mut out = Statements::default();
    let mut start = 0;
    let mut next = None;
    while start < all.len() {
        let mut statements = RawArrayBuf::new();
        let (mut end, mut bytes) = (start, 0);
        while end < all.len() && end - start < batch.most {
            let statement = match next.take() {
                Some(statement) => statement,
                None => encode_statement(&all[end])?,
            };
            let size = statement.as_bytes().len();
            if end > start && bytes + size > BYTES {
                next = Some(statement);
                break;
            }
            statements.push(statement);
            bytes += size;
            end += 1;
        }
        let mut command = RawDocumentBuf::new();
        command.append(batch.name, collection);
        command.append(batch.list, statements);
        command.append(cstr!("ordered"), batch.ordered);
        let asked = session.as_deref_mut();
        let reply = match &batch.acknowledged {
            Acknowledged::Durable => send(db, command, asked, retries).await?,
            Acknowledged::As(concern) => send_as(db, command, concern.as_ref(), asked).await?,
        };
        out.matched += count(&reply, "n");
        out.modified += count(&reply, "nModified");
        traced!(changed(count(
            &reply,
            if batch.name == cstr!("delete") {
                "n"
            } else {
                "nModified"
            }
        )));
        for error in reply.get_array("writeErrors").into_iter().flatten() {
            let Some(error) = error.as_document() else {
                continue;
            };
            let index = usize::try_from(count(error, "index")).unwrap_or(0);
            let message = error.get_str("errmsg").unwrap_or_default().to_owned();
            let code = error.get_i32("code").unwrap_or(0);
            out.failed.push((start + index, code, message));
        }
        if batch.ordered && !out.failed.is_empty() {
            break;
        }
        start = end;
    }
    Ok(out)
}

/// Compares strings byte by byte, whatever collation a collection has.
fn binary() -> Document {
    doc! { "locale": "simple" }
}

/// A command or a part of one, as it is sent.
fn encode(document: &Document) -> Result<RawDocumentBuf> {
    let raw = RawDocumentBuf::try_from(document);
    Ok(raw.map_err(mongodb::error::Error::from)?)
}

/// A statement as it is sent. It compares strings byte by byte, unless [`set_strings`] says that it does not.
fn encode_statement(statement: &Document) -> Result<RawDocumentBuf> {
    match statement.get("collation") {
        Some(Bson::Null) => {
            let mut statement = statement.clone();
            statement.remove("collation");
            encode(&statement)
        }
        Some(_) => encode(statement),
        None => {
            let mut statement = encode(statement)?;
            statement.append(cstr!("collation"), &*encode(&binary())?);
            Ok(statement)
        }
    }
}

/// Lets a statement compare strings as `strings` says.
pub(crate) fn set_strings(statement: &mut Document, strings: Strings) {
    if strings == Strings::AsCollection {
        statement.insert("collation", Bson::Null);
    }
}

fn count(reply: &Document, key: &str) -> u64 {
    let n = integer(reply.get(key));
    n.and_then(|n| u64::try_from(n).ok()).unwrap_or(0)
}

/// The collection of a command, which is the value of its first field.
#[cfg(feature = "tracing")]
fn collection_of(command: &bson::RawDocument) -> &str {
    let first = command.iter().next();
    first
        .and_then(|first| first.ok()?.1.as_str())
        .unwrap_or_default()
}

/// Runs a write command once, with this write concern; without one, with that of the server.
async fn send_as(
    db: &Database,
    mut command: RawDocumentBuf,
    concern: Option<&WriteConcern>,
    session: Option<&mut ClientSession>,
) -> Result<Document> {
    if session.is_none()
        && let Some(concern) = concern
    {
        let concern = bson::serialize_to_raw_document_buf(concern);
        command.append(
            cstr!("writeConcern"),
            concern.map_err(mongodb::error::Error::from)?,
        );
    }
    add_comment(&mut command)?;
    traced!(command(db, collection_of(&command)));
    let run = db.run_raw_command(command).selection_criteria(primary());
    let reply = match session {
        Some(session) => run.session(session).await?,
        None => run.await?,
    };
    checked(reply)
}

/// Runs a write command on the primary, durably unless a session's transaction decides that.
async fn send(
    db: &Database,
    mut command: RawDocumentBuf,
    mut session: Option<&mut ClientSession>,
    retries: usize,
) -> Result<Document> {
    if session.is_none() {
        command.append(
            cstr!("writeConcern"),
            rawdoc! { "w": "majority", "j": true },
        );
    }
    add_comment(&mut command)?;
    let mut tries = 0;
    let reply = loop {
        traced!(command(db, collection_of(&command)));
        let run = db
            .run_raw_command(command.clone())
            .selection_criteria(primary());
        let reply = match session.as_deref_mut() {
            Some(session) => run.session(session).await,
            None => run.await,
        };
        match reply {
            Err(error) if session.is_none() && tries < retries && may_have_run(&error) => {
                traced!(retry());
                tries += 1;
            }
            reply => break reply?,
        }
    };
    checked(reply)
}

/// Adds the comment that the present call was given.
fn add_comment(command: &mut RawDocumentBuf) -> Result<()> {
    if let Some(comment) = super::call::comment() {
        let comment = RawBson::try_from(comment).map_err(mongodb::error::Error::from)?;
        command.append(cstr!("comment"), comment);
    }
    Ok(())
}

/// Returns an error if the command succeeded where it ran, but may not survive there.
fn checked(reply: Document) -> Result<Document> {
    match reply.get_document("writeConcernError") {
        Ok(error) => Err(Error::NotDurable {
            reason: error.get_str("errmsg").unwrap_or_default().to_owned(),
        }),
        Err(_) => Ok(reply),
    }
}

/// True if the command may or may not have run, and another server or moment may answer it.
fn may_have_run(error: &mongodb::error::Error) -> bool {
    match &*error.kind {
        ErrorKind::Io(_) | ErrorKind::ConnectionPoolCleared { .. } => true,
        ErrorKind::Command(error) => another_may_answer(error.code),
        _ => false,
    }
}

/// Not primary, shutting down, interrupted by either, host unreachable: the driver's own list for retryable writes.
pub(crate) fn another_may_answer(code: i32) -> bool {
    matches!(
        code,
        6 | 7 | 89 | 91 | 189 | 262 | 9001 | 10107 | 11600 | 11602 | 13435 | 13436
    )
}

/// True if the reply to a write is lost, so that the write may have run, or may run yet.
pub(crate) fn outcome_unknown(error: &Error) -> bool {
    matches!(error, Error::Driver(error) if may_have_run(error))
}

/// True if the server already has a document with this key.
pub(crate) fn is_duplicate(error: &Error) -> bool {
    let Error::Driver(error) = error else {
        return error.is_duplicate();
    };
    match &*error.kind {
        ErrorKind::Command(error) => error.code == 11000,
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code == 11000,
        _ => false,
    }
}

/// True if the error is about more than the one document that was written: the connection, or the client.
pub(crate) fn is_batch_wide(error: &Error) -> bool {
    let Error::Driver(error) = error else {
        return false;
    };
    let about_one = matches!(
        &*error.kind,
        ErrorKind::Command(_) | ErrorKind::Write(WriteFailure::WriteError(_))
    );
    !about_one || may_have_run(error)
}

/// Converts the server's error for a document over the size limit into [`Error::Outgrown`].
pub(crate) fn outgrown(meta: &ModelMeta, error: Error) -> Error {
    let Error::Driver(driver) = &error else {
        return error;
    };
    let code = match &*driver.kind {
        ErrorKind::Command(error) => error.code,
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code,
        _ => 0,
    };
    // An object too large, and the same after an update by operators and by a pipeline.
    match code {
        10334 | 17419 | 17420 => Error::Outgrown {
            model: meta.name,
            limit: DOCUMENT_MAX,
        },
        _ => error,
    }
}

/// How many documents of an ordered insert were stored before the one whose key another document has: `None` where that is not what
/// went wrong.
pub(crate) fn before_duplicate(error: &Error) -> Option<usize> {
    let Error::Driver(driver) = error else {
        return None;
    };
    match &*driver.kind {
        ErrorKind::InsertMany(many) => {
            let first = many.write_errors.as_ref()?.first()?;
            (first.code == 11000).then_some(first.index)
        }
        _ => is_duplicate(error).then_some(0),
    }
}

/// The server's refusal of a write that reached it, as its code and message.
pub(crate) fn refusal(error: &Error) -> Option<(i32, String)> {
    match error {
        Error::Driver(error) if !may_have_run(error) => match &*error.kind {
            ErrorKind::Command(error) => Some((error.code, error.message.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// Changes one document and reads the changed document durably: `None` where none met `query`. With `again`, a lost reply makes it
/// send the command again; then doing it twice must have the same effect as doing it once.
pub(crate) async fn change_and_read(
    db: &Database,
    collection: &str,
    query: Document,
    update: impl Into<Bson>,
    fields: Document,
    again: bool,
) -> Result<Option<Document>> {
    let command = changing(collection, query, update.into(), fields)?;
    let reply = send(db, command, None, if again { RETRIES } else { 0 }).await?;
    Ok(value_of(&reply))
}

/// The same, sent once, with another write concern.
pub(crate) async fn change_and_read_as(
    db: &Database,
    collection: &str,
    query: Document,
    update: impl Into<Bson>,
    fields: Document,
    acknowledged: &Acknowledged,
) -> Result<Option<Document>> {
    let Acknowledged::As(concern) = acknowledged else {
        return change_and_read(db, collection, query, update, fields, false).await;
    };
    let command = changing(collection, query, update.into(), fields)?;
    let reply = send_as(db, command, concern.as_ref(), None).await?;
    Ok(value_of(&reply))
}

fn changing(
    collection: &str,
    query: Document,
    update: Bson,
    fields: Document,
) -> Result<RawDocumentBuf> {
    encode(&doc! {
        "findAndModify": collection,
        "query": query,
        "update": update,
        "fields": fields,
        "new": true,
        "collation": binary(),
    })
}

/// The document in the reply to a `findAndModify`.
fn value_of(reply: &Document) -> Option<Document> {
    reply.get_document("value").ok().cloned()
}

/// The time by the primary's clock.
pub(crate) async fn server_time(db: &Database) -> Result<DateTime> {
    let hello = db.run_command(doc! { "hello": 1 });
    let reply = hello.selection_criteria(primary()).await?;
    // A server that does not say it leaves every lease in doubt.
    Ok(reply
        .get_datetime("localTime")
        .copied()
        .unwrap_or(DateTime::MAX))
}

pub(crate) fn primary() -> SelectionCriteria {
    SelectionCriteria::ReadPreference(ReadPreference::Primary)
}

/// The documents whose `key` is one of `keys`, as no crash can take them back: another document is about to be written from what
/// they say (PROTOCOL 15.D1). Of one document that is a `findAndModify` that changes nothing and waits for the journal; of many a
/// find, then one update of each that changes nothing either, and matches only what the find has shown: the primary that answers
/// it, durably, need not be the one that answered the find.
pub(crate) async fn durable_read(
    db: &Database,
    collection: &str,
    key: &str,
    keys: &[Bson],
    fields: &Document,
) -> Result<Vec<Document>> {
    let touch = doc! { "$unset": { stored::ABSENT: 1 } };
    let (first, second) = match keys {
        [] => return Ok(Vec::new()),
        [one] => {
            let command = doc! {
                "findAndModify": collection,
                "query": { key: { "$eq": one } },
                "update": touch,
                "fields": fields.clone(),
                "new": true,
                "collation": binary(),
            };
            let reply = send(db, encode(&command)?, None, RETRIES).await?;
            return Ok(match reply.get("value") {
                Some(Bson::Document(found)) => vec![found.clone()],
                _ => Vec::new(),
            });
        }
        many => many.split_at(many.len() / 2),
    };
    let mut found = read_by(db, collection, key, keys, fields, None).await?;
    let same: Vec<Document> = found
        .iter()
        .map(|found| doc! { "q": unchanged(found, fields), "u": &touch })
        .collect();
    let seen = statements(db, collection, &same, false, None).await?;
    if seen.matched == found.len() as u64 && found.len() <= keys.len() {
        // Read each missing document again by itself: it may have arrived meanwhile.
        let there: HashSet<IdKey> = found
            .iter()
            .filter_map(|found| found.get(key))
            .map(IdKey::new)
            .collect();
        for missing in keys.iter().filter(|key| !there.contains(&IdKey::new(key))) {
            let one = std::slice::from_ref(missing);
            found.extend(Box::pin(durable_read(db, collection, key, one, fields)).await?);
        }
        return Ok(found);
    }
    // Somebody writes one of them: that one is found by halves.
    let mut found = Box::pin(durable_read(db, collection, key, first, fields)).await?;
    found.extend(Box::pin(durable_read(db, collection, key, second, fields)).await?);
    Ok(found)
}

/// The filter for a document that is still as it was read. A revision alone does not say that: one that was lost with a primary
/// is given again by the next.
fn unchanged(found: &Document, fields: &Document) -> Document {
    let is = |value: Option<&Bson>| match value {
        None => doc! { "$exists": false },
        Some(Bson::Null) => doc! { "$type": "null" },
        Some(value) => doc! { "$eq": value },
    };
    // Where the whole document was read, no field of it may have changed, and no migration have been stored.
    let version = crate::codec::outdated::FIELD.to_owned();
    let all = found.keys().chain([&version]);
    let names: Vec<&String> = if fields.is_empty() {
        all.collect()
    } else {
        fields.keys().collect()
    };
    let mut filter: Document = names
        .into_iter()
        .filter(|name| *name != stored::OWN)
        .map(|name| (name.clone(), Bson::Document(is(found.get(name)))))
        .collect();
    let dn = found.get_document(stored::OWN).ok();
    for (path, key) in [
        (stored::REVISION, stored::key::REVISION),
        (stored::TOMBSTONE, stored::key::TOMBSTONE),
    ] {
        filter.insert(path, is(dn.and_then(|dn| dn.get(key))));
    }
    filter
}

/// The documents whose `key` is one of `keys`, as the primary shows them.
pub(crate) async fn read_by(
    db: &Database,
    collection: &str,
    key: &str,
    keys: &[Bson],
    fields: &Document,
    mut session: Option<&mut ClientSession>,
) -> Result<Vec<Document>> {
    let mut found = Vec::new();
    for chunk in keys.chunks(10_000) {
        traced!(command(db, collection));
        let rows = db.collection::<Document>(collection);
        let rows = rows
            .find(doc! { key: { "$in": chunk.to_vec() } })
            .projection(fields.clone())
            .collation(super::binary())
            .selection_criteria(primary());
        let rows = match super::call::comment() {
            Some(comment) => rows.comment(comment),
            None => rows,
        };
        match session.as_deref_mut() {
            // A transaction has a read concern of its own.
            Some(session) => {
                let mut rows = rows.session(&mut *session).await?;
                found.extend(rows.stream(session).try_collect::<Vec<_>>().await?);
            }
            None => {
                let rows = rows.read_concern(ReadConcern::local()).await?;
                found.extend(rows.try_collect::<Vec<_>>().await?);
            }
        }
    }
    Ok(found)
}
