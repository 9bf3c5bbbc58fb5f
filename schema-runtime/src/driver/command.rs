//! Commands that the driver has no call for: several statements in one, with their write concern.

use bson::raw::{CStr, RawArrayBuf, RawBson, cstr};
use bson::{Bson, Document, RawDocumentBuf, doc, rawdoc};
use futures::future::BoxFuture;
use mongodb::error::ErrorKind;
use mongodb::options::WriteConcern;
use mongodb::{ClientSession, Database};

use super::refusal::may_have_run;
use super::{Acknowledged, Lasting, Strings, call, primary, sharded};
use crate::bson_util::driver_text::without_values;
use crate::bson_util::number::integer;
use crate::error::{Error, Result};

/// The largest number of updates that one command carries. [`BYTES`] limits their size.
const STATEMENTS: usize = 1_000;
/// The largest number of new documents that one command carries: as many as the server takes.
const UPSERTS: usize = 100_000;
const BYTES: usize = 8 * 1024 * 1024;

/// The number of times that a command which may run twice is sent again after the network or a step-down lost its answer.
pub(super) const RETRIES: usize = 2;

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

impl Statements {
    /// Adds the result of other statements, of which the first has this place.
    fn add(&mut self, first: usize, more: Statements) {
        self.matched += more.matched;
        self.modified += more.modified;
        let failed = more.failed.into_iter();
        self.failed
            .extend(failed.map(|(place, code, message)| (first + place, code, message)));
    }
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
    route(db, batch, collection, all, session, RETRIES).await
}

/// Sends updates durably and in any order. They must not be sent twice: an answer that is [`outcome_unknown`] is an error.
pub(crate) async fn statements_once(
    db: &Database,
    collection: &str,
    all: &[Document],
) -> Result<Statements> {
    statements_as(db, collection, all, Acknowledged::Durable).await
}

/// Sends updates in any order with this write concern. They must not be sent twice.
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
    route(db, batch, collection, all, None, 0).await
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
    let done = run(db, &batch, collection, all, session, 0).await?;
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
    route(db, batch, collection, all, session, RETRIES).await
}

/// The form of the commands that send statements together.
#[derive(Clone)]
struct Batch {
    name: &'static CStr,
    list: &'static CStr,
    ordered: bool,
    /// The largest number of statements that one command carries.
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

/// Sends statements so that no document is passed over, also on a sharded cluster outside of a transaction.
fn route<'f>(
    db: &'f Database,
    batch: Batch,
    collection: &'f str,
    all: &'f [Document],
    session: Option<&'f mut ClientSession>,
    retries: usize,
) -> BoxFuture<'f, Result<Statements>> {
    Box::pin(async move {
        if session.is_some() || !sharded::is_sharded(collection) {
            return run(db, &batch, collection, all, session, retries).await;
        }
        let mut out = Statements::default();
        // A statement that follows another in order runs when that one has reached all of its documents.
        let together = if batch.ordered { 1 } else { all.len().max(1) };
        for (n, group) in all.chunks(together).enumerate() {
            let at = (db, &batch, collection);
            // The type is erased: what awaits a write deep below is otherwise too deep for the compiler.
            let sent: BoxFuture<'_, Result<Statements>> =
                Box::pin(send_on_shards(at, group, retries));
            out.add(n * together, sent.await?);
            if batch.ordered && !out.failed.is_empty() {
                break;
            }
        }
        Ok(out)
    })
}

/// Sends statements in which named documents have one each, then others for the documents that those for many have passed over.
async fn send_on_shards(
    (db, batch, collection): (&Database, &Batch, &str),
    all: &[Document],
    retries: usize,
) -> Result<Statements> {
    let (mut sent, mut places, mut for_many) = (Vec::new(), Vec::new(), Vec::new());
    for (n, statement) in all.iter().enumerate() {
        let is_for_many = sharded::is_for_many(statement);
        let parts = sharded::split(statement).filter(|_| is_for_many);
        if is_for_many && parts.is_none() {
            for_many.push(n);
        }
        let parts = parts.unwrap_or_else(|| vec![statement.clone()]);
        places.extend(parts.iter().map(|_| n));
        sent.extend(parts);
    }
    sharded::name_shards(db, collection, &mut sent).await?;
    let mut out = run(db, batch, collection, &sent, None, retries).await?;
    for failed in &mut out.failed {
        failed.0 = places.get(failed.0).copied().unwrap_or_default();
    }
    // A statement that became several fails once.
    out.failed.dedup_by_key(|failed| failed.0);
    for n in for_many {
        if !out.failed.iter().any(|(place, ..)| *place == n) {
            let at = (db, batch, collection);
            out.add(n, send_to_unreached(at, &all[n], retries).await?);
        }
    }
    Ok(out)
}

/// Sends a statement to each document that its filter meets. The failures have the place 0.
async fn send_to_unreached(
    (db, batch, collection): (&Database, &Batch, &str),
    statement: &Document,
    retries: usize,
) -> Result<Statements> {
    let mut out = Statements::default();
    let mut unreached = sharded::open_unreached(db, collection, statement).await?;
    loop {
        let mut page = Vec::new();
        while page.len() < STATEMENTS
            && let Some(key) = unreached
                .next(|raw| Ok(Document::try_from(raw).ok()))
                .await?
        {
            page.extend(key.map(|key| sharded::for_unreached(statement, key)));
        }
        if page.is_empty() {
            return Ok(out);
        }
        let mut done = run(db, batch, collection, &page, None, retries).await?;
        done.failed.iter_mut().for_each(|failed| failed.0 = 0);
        out.add(0, done);
    }
}

/// Deletes the documents that a delete of many has passed over; gives how many that were.
pub(super) async fn delete_unreached(
    db: &Database,
    collection: &str,
    filter: Document,
    strings: Strings,
) -> Result<u64> {
    let mut statement = doc! { "q": filter, "limit": 0 };
    set_strings(&mut statement, strings);
    let batch = Batch::new(cstr!("delete"), cstr!("deletes"));
    let done = send_to_unreached((db, &batch, collection), &statement, RETRIES).await?;
    match done.failed.into_iter().next() {
        None => Ok(done.matched),
        Some((_, code, message)) => Err(Error::Refused {
            reference: collection.to_owned(),
            code,
            message,
        }),
    }
}

async fn run(
    db: &Database,
    batch: &Batch,
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
        call::note_write();
        if let Some(left) = call::limit(None) {
            command.append(
                cstr!("maxTimeMS"),
                i64::try_from(left.as_millis()).unwrap_or(i64::MAX),
            );
        }
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
            let message = error.get_str("errmsg").unwrap_or_default();
            let code = error.get_i32("code").unwrap_or(0);
            let message = without_values(code, message).to_owned();
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
pub(super) fn binary() -> Document {
    doc! { "locale": "simple" }
}

/// A command or a part of one, as it is sent.
pub(super) fn encode(document: &Document) -> Result<RawDocumentBuf> {
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

/// Runs a write command once, with this write concern; without one, with the server's default.
pub(super) async fn send_as(
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
pub(super) async fn send(
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
    if let Some(comment) = call::comment() {
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
