//! The history of documents: each change that the library has made, with the values before and after it.
//!
//! A model with `history` stores an entry in the same atomic write as the change, in the document itself. From there the library copies it
//! into a collection of its own, behind the answer of the call; [`recover`](crate::recover) and a [`Sweeper`](crate::Sweeper) do that for
//! programs that have ended. So no change is without its entry, on a standalone server too. The entries of one document have consecutive
//! numbers: where one is missing, it was removed.
//!
//! An entry leaves out the values that the library derives: counts, lists and copies, the time of the last write, versions. A write of
//! another program has no entry; the next entry has the values that it met, so the change shows there.

mod archive;
mod foreign;
mod state;

use std::fmt;

use bson::{Bson, DateTime, Document, doc};
use serde::{Serialize, Serializer};

pub use self::archive::archive;
pub use self::foreign::ForeignChange;
use self::state::{Position, Snapshot};
#[doc(inline)]
pub use crate::acting::{ActBy, Acting};
use crate::bson_util::number::integer;
#[doc(inline)]
pub use crate::driver::history::acting_as;
use crate::driver::history::entry;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::json::Readable;
use crate::outbox::{changes_between, key};
use crate::outcome::Outcome;
use crate::schema::bucket::{Insertable, Replaceable};
#[doc(no_inline)]
pub use crate::schema::history::KeepsHistory;
use crate::schema::model::Model;
use crate::schema::version::Unversioned;
use crate::tenant::{Reach, reach_filter};
use crate::write::store::Save;

/// A change of a document, as its history keeps it. Serde writes it as JSON, with ids, dates, decimals and UUIDs as text.
#[derive(Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Entry {
    /// The number of the entry: one more than that of the entry before it of the same document. A document that is stored again after its
    /// delete begins with a greater one.
    pub revision: i64,
    /// The time of the change by the server's clock. An insert, and a change of array elements that meet a condition, has the time at which
    /// the entry came into the collection of the entries, milliseconds later, or that of the next change if that was earlier.
    #[serde(with = "crate::json")]
    pub at: DateTime,
    /// The call that made the change, such as `Order::update`. A document that is changed or deleted with another one has the call on that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// The actor of the call: see [`acting_as`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// The values that changed. An insert and a delete are one change of the whole document.
    pub changes: Vec<Change>,
    /// The fields whose changes are kept, as they were after an update, where the model says `history(whole)`.
    #[serde(serialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub document: Option<Bson>,
}

/// Names no value.
impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("revision", &self.revision)
            .field("at", &self.at)
            .field("call", &self.call)
            .field("changes", &self.changes.len())
            .finish_non_exhaustive()
    }
}

impl Entry {
    /// True if the document was stored by this change.
    #[must_use]
    pub fn is_insert(&self) -> bool {
        self.is_whole() && self.changes.iter().all(|change| change.before.is_none())
    }

    /// True if the document was deleted by this change.
    #[must_use]
    pub fn is_delete(&self) -> bool {
        self.is_whole() && self.changes.iter().all(|change| change.after.is_none())
    }

    fn is_whole(&self) -> bool {
        matches!(self.changes.as_slice(), [change] if change.steps.is_empty())
    }

    fn read(number: i64, stored: &Document) -> Self {
        let text = |name: &str| stored.get_str(name).ok().map(str::to_owned);
        let changes = stored.get_array(key::CHANGES).into_iter().flatten();
        let changes = changes.filter_map(Bson::as_document).map(Change::read);
        Entry {
            revision: number,
            at: stored
                .get_datetime(entry::AT)
                .copied()
                .unwrap_or(DateTime::MAX),
            call: text(entry::CALL),
            by: text(entry::BY),
            changes: changes.collect(),
            document: stored.get(key::DOCUMENT).cloned(),
        }
    }
}

/// A value that changed.
#[derive(Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Change {
    /// The stored path of the value, with the places of array elements: `lines.3.qty`. Empty for the whole document.
    pub path: String,
    /// The value before the change; `None` if there was none.
    #[serde(serialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub before: Option<Bson>,
    /// The value after the change; `None` if there is none.
    #[serde(serialize_with = "readable", skip_serializing_if = "Option::is_none")]
    pub after: Option<Bson>,
    #[serde(skip)]
    steps: Vec<Bson>,
}

fn readable<S: Serializer>(
    value: &Option<Bson>,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    Readable(value.as_ref().unwrap_or(&Bson::Null)).serialize(serializer)
}

impl Change {
    fn read(stored: &Document) -> Self {
        let steps = stored.get_array(key::PATH).cloned().unwrap_or_default();
        let [before, after] = [key::BEFORE, key::AFTER].map(|side| stored.get(side).cloned());
        Change::new(steps, before, after)
    }

    fn new(steps: Vec<Bson>, before: Option<Bson>, after: Option<Bson>) -> Self {
        let names = steps.iter().map(|step| match step {
            Bson::String(name) => name.clone(),
            step => step.to_string(),
        });
        Change {
            path: names.collect::<Vec<_>>().join("."),
            before,
            after,
            steps,
        }
    }
}

/// Names no value, and no path, which may have keys of a map in it.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Change").finish_non_exhaustive()
    }
}

/// The history of a document.
pub struct History<'a, M: Model> {
    handle: &'a M::DatabaseHandle,
    db: &'a Database,
    /// The filter of the entries, of the tenant.
    filter: Document,
    id: Result<Bson>,
    model: std::marker::PhantomData<fn() -> M>,
}

impl<M: Model> fmt::Debug for History<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "History({})", M::model_meta().collection)
    }
}

/// The largest number of entries that one call gives.
const MOST: i64 = 1_000;

impl<'a, M: Model<DatabaseHandle: Reach>> History<'a, M> {
    pub(crate) fn new(db: &'a M::DatabaseHandle, id: &M::DocumentId) -> Self {
        let handle = db;
        let (db, filter) = reach_filter::<M>(handle, Document::new());
        History {
            handle,
            db,
            filter,
            id: crate::document::id::encode_id::<M>(id),
            model: std::marker::PhantomData,
        }
    }

    /// Reads the entries with revisions above `after`, oldest first, at most 1,000.
    ///
    /// Sends a `find` of the document, and one of the entries, served by the index of `_id`.
    ///
    /// # Errors
    /// The driver's.
    pub async fn entries(self, after: Option<i64>) -> Result<Vec<Entry>> {
        let snapshot = self.snapshot().await?;
        let mut entries = snapshot.stored(after, Position::Oldest, MOST).await?;
        let room = usize::try_from(MOST).unwrap_or(usize::MAX);
        let undelivered = snapshot.undelivered().iter();
        let undelivered =
            undelivered.filter(|entry| after.is_none_or(|after| entry.revision > after));
        entries.extend(
            undelivered
                .take(room.saturating_sub(entries.len()))
                .cloned(),
        );
        order_times(entries.iter_mut().rev());
        Ok(entries)
    }

    /// Reads the entries with revisions below `before`, newest first, at most 1,000. Sends the commands of [`entries`](Self::entries).
    ///
    /// # Errors
    /// The driver's.
    pub async fn newest(self, before: Option<i64>) -> Result<Vec<Entry>> {
        let snapshot = self.snapshot().await?;
        let undelivered = snapshot.undelivered().iter().rev();
        let undelivered =
            undelivered.filter(|entry| before.is_none_or(|before| entry.revision < before));
        let mut entries: Vec<Entry> = undelivered.cloned().collect();
        let room = MOST.saturating_sub(entries.len() as i64);
        if room > 0 {
            entries.extend(snapshot.stored(before, Position::Newest, room).await?);
        }
        entries.truncate(usize::try_from(MOST).unwrap_or(usize::MAX));
        order_times(entries.iter_mut());
        Ok(entries)
    }

    /// The document after the entry with this revision; `None` if it was not stored, or deleted. What the library derives is as it is now.
    ///
    /// Takes the changes of all later entries back, from the document as it is now. Sends a `find` of the document, and one per 1,000 later
    /// entries.
    ///
    /// # Errors
    /// The driver's; [`Error::Impossible`] if a later entry is missing, or another program has changed what an entry is about;
    /// [`Error::Decode`] if the state is no document of the model as the program declares it.
    pub async fn at(self, revision: i64) -> Result<Option<M>> {
        let state = self.snapshot().await?.state_at(revision).await?;
        decoded(state)
    }

    /// The document as it was at this time by the server's clock; `None` if it was not stored, or deleted. Sends the commands of
    /// [`at`](Self::at).
    ///
    /// # Errors
    /// Those of [`at`](Self::at).
    pub async fn as_of(self, time: DateTime) -> Result<Option<M>> {
        let snapshot = self.snapshot().await?;
        decoded(snapshot.state(|entry| entry.at > time).await?)
    }

    /// Compares the document after one revision with the document after another. Sends the commands of two calls of [`at`](Self::at).
    ///
    /// # Errors
    /// Those of [`at`](Self::at).
    pub async fn diff(self, from: i64, to: i64) -> Result<Vec<Change>> {
        let snapshot = self.snapshot().await?;
        let before = snapshot.state_at(from).await?;
        let after = snapshot.state_at(to).await?;
        let changes = changes_between(before.as_ref(), after.as_ref());
        Ok(changes.iter().map(Change::read).collect())
    }

    /// Stores the document again as it was after the entry with this revision, by a [`save`](crate::MongoModel::save), which is checked as
    /// every other and has an entry of its own. Values that the library derives, and those that only the first store of a document decides, stay
    /// as they are.
    ///
    /// Sends the commands of [`at`](Self::at) and `save`.
    ///
    /// # Errors
    /// Those of [`at`](Self::at) and `save`; [`Error::NotFound`] if the document was not stored then, or deleted.
    pub async fn revert(self, revision: i64) -> Result<Outcome>
    where
        M: Unversioned + Insertable + Replaceable,
    {
        let handle = self.handle;
        let snapshot = self.snapshot().await?;
        let state = snapshot.state_at(revision).await?;
        let id = Box::new(snapshot.id.clone());
        let document = decoded::<M>(state)?.ok_or(Error::NotFound {
            model: M::model_meta().name,
            id,
        })?;
        handle.reach(|db| Save::new(db, &document)).await
    }

    /// The changes that no entry explains: those of other programs, and the few of the library that have no entry. Each is found where an entry, or
    /// the document as it is now, has another value than the entries before it have left. A change that was taken back before the next entry of
    /// the same value is not found, and one that comes before the entry of the last write has left the document, some milliseconds after that,
    /// is taken for a part of it.
    ///
    /// Replays the entries, oldest first, from the first one that has all fields: an insert, or any in a model with `history(whole)`. Before that
    /// it compares the values that entries name. Arrays are compared by places; where the elements of another program do not fit into the places
    /// of an entry, the whole field is one change. Where entries were removed between others, their changes are among these.
    ///
    /// Sends a `find` of the document, and one per 1,000 entries; if the document is gone, or another program has stored it anew, one of each
    /// more. Holds 1,000 entries and one state of the document in memory.
    ///
    /// # Errors
    /// The driver's.
    pub async fn foreign_changes(self) -> Result<Vec<ForeignChange>> {
        let mut snapshot = self.snapshot().await?;
        loop {
            match foreign::find_changes(&snapshot).await? {
                Some(changes) => return Ok(changes),
                None => snapshot = snapshot.again().await?,
            }
        }
    }

    /// Reads the document as it is now, with the entries that it holds.
    async fn snapshot(self) -> Result<Snapshot<'a>> {
        Snapshot::read(self.db, M::model_meta(), self.id?, self.filter).await
    }
}

/// Gives entries, newest first, no later time than that of the entry after them: some have the time at which they came into the log.
fn order_times<'e>(entries: impl Iterator<Item = &'e mut Entry>) {
    let mut next = DateTime::MAX;
    for entry in entries {
        entry.at = entry.at.min(next);
        next = entry.at;
    }
}

fn decoded<M: Model>(state: Option<Document>) -> Result<Option<M>> {
    let raw = state.map(|state| {
        bson::RawDocumentBuf::try_from(&state)
            .map_err(|error| crate::document::encoding::unencodable(M::model_meta(), error))
    });
    let raw = raw.transpose()?;
    raw.map(|raw| driver::decode_as::<M, M>(&raw)).transpose()
}

/// The entries of a log, by the `_id` that the log gives them.
async fn read_log(
    db: &Database,
    log: &str,
    filter: Document,
    position: Position,
    limit: i64,
) -> Result<Vec<Entry>> {
    let args = FindArgs {
        sort: Some(doc! { "_id": position.sort() }),
        limit: Some(limit),
        ..FindArgs::default()
    };
    let rows = driver::open(db, log, filter, args, None).await?;
    rows.all(|raw| {
        let stored = driver::unpack(raw)?;
        let number = stored
            .get_document("_id")
            .ok()
            .and_then(|id| integer(id.get("r")));
        Ok(Entry::read(number.unwrap_or_default(), &stored))
    })
    .await
}
