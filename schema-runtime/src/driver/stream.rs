//! A change stream of a database or of one collection, batch by batch.
//!
//! The driver's own stream gives one event at a time and waits for the next inside the call, so a caller cannot know that a batch has
//! ended. Here a batch is one reply, with the token behind its last event: an empty batch has one too, and a caller that stores it does not
//! fall out of the oplog while nothing happens.

use std::time::Duration;

use bson::{Bson, Document, Timestamp, doc};
use mongodb::error::ErrorKind;
use mongodb::{ClientSession, Database};

use super::primary;
use crate::bson_util::number::integer;
use crate::error::Result;
use crate::error::server::Server;

/// The time that a reply may take beyond the server's own wait, before the connection counts as dead.
const GRACE: Duration = Duration::from_secs(20);

/// An open stream.
#[derive(Debug)]
pub(crate) struct Stream {
    db: Database,
    /// The namespace of the cursor.
    of: String,
    session: ClientSession,
    cursor: i64,
}

/// The events of one reply.
#[derive(Debug, Default)]
pub(crate) struct Events {
    pub(crate) events: Vec<Document>,
    /// The place behind the last event, or behind everything that the server has looked at.
    pub(crate) token: Option<Document>,
    /// The time of the reply, by the cluster's logical clock.
    pub(crate) now: Option<Timestamp>,
}

impl Stream {
    /// Opens a stream of the events of a collection, or of all, that pass `pipeline`, whose first stage is `$changeStream`.
    ///
    /// # Errors
    /// The driver's.
    pub(crate) async fn open(
        db: &Database,
        collection: Option<&str>,
        pipeline: Vec<Document>,
        batch: u32,
    ) -> Result<(Stream, Events)> {
        let mut session = db.client().start_session().await?;
        let command = doc! {
            "aggregate": collection.map_or(Bson::Int32(1), Bson::from),
            "pipeline": pipeline,
            "cursor": { "batchSize": batch },
        };
        let run = db
            .run_command(command)
            .selection_criteria(primary())
            .session(&mut session);
        let reply = within(GRACE, run.into_future()).await?;
        let (cursor, events) = read(reply, "firstBatch");
        let stream = Stream {
            db: db.clone(),
            of: collection.unwrap_or("$cmd.aggregate").to_owned(),
            session,
            cursor,
        };
        Ok((stream, events))
    }

    /// The next events: the server waits for the first of them for up to `wait`.
    ///
    /// # Errors
    /// The driver's. The stream has to be opened again then.
    pub(crate) async fn next(&mut self, batch: u32, wait: Duration) -> Result<Events> {
        let command = doc! {
            "getMore": self.cursor,
            "collection": &self.of,
            "batchSize": batch,
            "maxTimeMS": i64::try_from(wait.as_millis()).unwrap_or(1_000),
        };
        let run = self
            .db
            .run_command(command)
            .selection_criteria(primary())
            .session(&mut self.session);
        let reply = within(wait + GRACE, run.into_future()).await?;
        let (cursor, events) = read(reply, "nextBatch");
        self.cursor = cursor;
        Ok(events)
    }

    /// True if the server has ended the stream: what it is about was dropped.
    pub(crate) fn is_closed(&self) -> bool {
        self.cursor == 0
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let (db, of, cursor) = (self.db.clone(), self.of.clone(), self.cursor);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        if cursor != 0 {
            runtime.spawn(async move {
                let kill = doc! { "killCursors": of, "cursors": [cursor] };
                // The server ends an idle cursor by itself, later.
                let _ = db.run_command(kill).selection_criteria(primary()).await;
            });
        }
    }
}

/// Two fields of an event, for its `$project`: the paths that an update has `set`, and those that are `gone`. An event is small with them,
/// however large the values are.
pub(crate) fn changed_paths() -> Document {
    doc! {
        "set": { "$map": {
            "input": { "$objectToArray": { "$ifNull": ["$updateDescription.updatedFields", {}] } },
            "in": "$$this.k",
        } },
        "gone": { "$concatArrays": [
            { "$ifNull": ["$updateDescription.removedFields", []] },
            { "$map": { "input": { "$ifNull": ["$updateDescription.truncatedArrays", []] }, "in": "$$this.field" } },
        ] },
    }
}

/// True if this entry of `listCollections` is of a collection that records what its documents were before a change.
pub(crate) fn records_images(info: &Document) -> bool {
    let options = info.get_document("options").ok();
    let images =
        options.and_then(|options| options.get_document("changeStreamPreAndPostImages").ok());
    images.is_some_and(|images| images.get_bool("enabled").unwrap_or(false))
}

/// A server that is stopped answers nothing and ends no connection.
async fn within(
    time: Duration,
    reply: impl Future<Output = mongodb::error::Result<Document>>,
) -> Result<Document> {
    match tokio::time::timeout(time, reply).await {
        Ok(reply) => Ok(reply?),
        Err(_) => {
            let reason = format!("the change stream did not answer within {time:?}");
            Err(mongodb::error::Error::from(std::io::Error::new(
                std::io::ErrorKind::TimedOut,
                reason,
            ))
            .into())
        }
    }
}

fn read(mut reply: Document, batch: &str) -> (i64, Events) {
    let now = reply.get_timestamp("operationTime").ok();
    let mut cursor = match reply.remove("cursor") {
        Some(Bson::Document(cursor)) => cursor,
        _ => Document::new(),
    };
    let events = match cursor.remove(batch) {
        Some(Bson::Array(events)) => events,
        _ => Vec::new(),
    };
    let token = match cursor.remove("postBatchResumeToken") {
        Some(Bson::Document(token)) => Some(token),
        _ => None,
    };
    let events = events.into_iter().filter_map(|event| match event {
        Bson::Document(event) => Some(event),
        _ => None,
    });
    let id = integer(cursor.get("id")).unwrap_or(0);
    (
        id,
        Events {
            events: events.collect(),
            token,
            now,
        },
    )
}

/// True if the server cannot continue a stream from the given place: the oplog has lost it, or it was never in it.
pub(crate) fn has_lost_place(error: &crate::error::Error) -> bool {
    let crate::error::Error::Driver(error) = error else {
        return false;
    };
    // ChangeStreamHistoryLost, ChangeStreamFatalError, CappedPositionLost, InvalidResumeToken, and the parser's refusals of a token, of
    // which FailedToParse, BadValue, TypeMismatch and Overflow are some.
    match &*error.kind {
        ErrorKind::Command(error) => {
            matches!(
                error.code,
                286 | 280 | 136 | 260 | 2 | 9 | 14 | 15 | 40647 | 40649 | 40615 | 50811 | 51280
            )
        }
        _ => false,
    }
}

/// True if a user may not send this command, or the server does not know it.
pub(crate) fn is_not_allowed(error: &crate::error::Error) -> bool {
    let crate::error::Error::Driver(error) = error else {
        return false;
    };
    // Unauthorized, CommandNotFound, NoReplicationEnabled.
    matches!(&*error.kind, ErrorKind::Command(error) if matches!(error.code, 13 | 59 | 76))
}

/// The facts about a server that the follower depends on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Deployment {
    pub(crate) server: Server,
    /// The identity that a replica set gets when it is initiated, if the user may read it.
    pub(crate) set: Option<Bson>,
    /// The time by the cluster's logical clock.
    pub(crate) now: Option<Timestamp>,
}

/// Asks the primary what it is. Sends `hello`, and `replSetGetConfig` to a replica set.
///
/// # Errors
/// The driver's.
pub(crate) async fn deployment(db: &Database) -> Result<Deployment> {
    let admin = db.client().database("admin");
    let hello = admin
        .run_command(doc! { "hello": 1 })
        .selection_criteria(primary());
    let hello = within(GRACE, hello.into_future()).await?;
    let server = Server::of_hello(&hello);
    let mut set = None;
    if server.deployment == crate::error::server::Deployment::ReplicaSet {
        let config = admin
            .run_command(doc! { "replSetGetConfig": 1 })
            .selection_criteria(primary());
        match within(GRACE, config.into_future()).await {
            Ok(reply) => {
                let config = reply.get_document("config").ok();
                let settings = config.and_then(|config| config.get_document("settings").ok());
                set = settings.and_then(|settings| settings.get("replicaSetId").cloned());
            }
            Err(error) if is_not_allowed(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(Deployment {
        server,
        set,
        now: hello.get_timestamp("operationTime").ok(),
    })
}

/// The identity and the options of collections, by name.
///
/// # Errors
/// The driver's.
pub(crate) async fn collection_infos(db: &Database, names: &[&str]) -> Result<Vec<Document>> {
    let command = doc! { "listCollections": 1, "filter": { "name": { "$in": names } }, "cursor": { "batchSize": 10_000 } };
    let reply = db
        .run_command(command)
        .selection_criteria(primary())
        .await?;
    let cursor = reply.get_document("cursor").ok();
    let batch = cursor.and_then(|cursor| cursor.get_array("firstBatch").ok());
    let infos = batch.into_iter().flatten().filter_map(Bson::as_document);
    Ok(infos.cloned().collect())
}

/// The time of the oldest entry of the oplog; `None` if the user may not read it, or if it is being removed.
///
/// # Errors
/// The driver's.
pub(crate) async fn oldest_in_oplog(db: &Database) -> Result<Option<Timestamp>> {
    let find = doc! {
        "find": "oplog.rs", "sort": { "$natural": 1 }, "limit": 1, "singleBatch": true, "projection": { "ts": 1 },
    };
    let local = db.client().database("local");
    let run = local.run_command(find).selection_criteria(primary());
    let reply = match within(GRACE, run.into_future()).await {
        // The server may remove that entry while it is read.
        Err(error) if is_not_allowed(&error) || has_lost_place(&error) => return Ok(None),
        reply => reply?,
    };
    let (_, found) = read(reply, "firstBatch");
    let first = found.events.first();
    Ok(first.and_then(|entry| entry.get_timestamp("ts").ok()))
}
