//! The state of a document after an earlier change: all later changes are taken back from the document as it is now.

use bson::{Bson, Document, doc};

use super::{Entry, MOST, read_log};
use crate::bson_util::number::integer;
use crate::driver::{self, Database, FindArgs};
use crate::error::{Error, Result};
use crate::outbox::{undelivered_entries, undo};
use crate::schema::model::ModelMeta;
use crate::schema::outbox::Outbox;
use crate::schema::stored;

/// The end of the log at which a read begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Position {
    Oldest,
    Newest,
}

impl Position {
    pub(super) fn sort(self) -> i32 {
        match self {
            Position::Oldest => 1,
            Position::Newest => -1,
        }
    }
}

/// A document as it is now, with the entries that it holds: those before them are in the log.
pub(super) struct Snapshot<'a> {
    db: &'a Database,
    pub(super) meta: &'static ModelMeta,
    pub(super) id: Bson,
    filter: Document,
    /// The document; null if there is none.
    pub(super) now: Bson,
    /// The revision of its latest entry; `None` where another program has stored it.
    pub(super) latest: Option<i64>,
    undelivered: Vec<Entry>,
}

impl<'a> Snapshot<'a> {
    pub(super) async fn read(
        db: &'a Database,
        meta: &'static ModelMeta,
        id: Bson,
        filter: Document,
    ) -> Result<Self> {
        let mut this = doc! { "_id": { "$eq": &id } };
        this.extend(filter.clone());
        let collection = meta.collection;
        let found = driver::first(
            db,
            collection,
            this,
            FindArgs::default(),
            None,
            driver::unpack,
        );
        let mut now = found.await?;
        let undelivered = now
            .iter()
            .flat_map(|now| undelivered_entries(now, collection));
        let undelivered = undelivered.map(|(number, stored)| Entry::read(number, &stored));
        let undelivered = undelivered.collect();
        let own = now.as_mut().and_then(|now| now.remove(stored::OWN));
        let own = own.as_ref().and_then(Bson::as_document);
        let list = own.and_then(|own| own.get_document(stored::key::HISTORY).ok());
        let latest = list.and_then(|list| integer(list.get(stored::key::HISTORY_NUMBER)));
        Ok(Snapshot {
            db,
            meta,
            id,
            filter,
            now: now.map_or(Bson::Null, Bson::Document),
            latest,
            undelivered,
        })
    }

    /// Reads the same document once more.
    pub(super) async fn again(&self) -> Result<Self> {
        Snapshot::read(self.db, self.meta, self.id.clone(), self.filter.clone()).await
    }

    /// The entries that are not in the log yet, oldest first.
    pub(super) fn undelivered(&self) -> &[Entry] {
        &self.undelivered
    }

    /// The entries in the log beyond this revision, from one end.
    pub(super) async fn stored(
        &self,
        beyond: Option<i64>,
        from: Position,
        limit: i64,
    ) -> Result<Vec<Entry>> {
        let log = Outbox::History.log_of(self.meta.collection);
        // Another program may put those that the document holds into the log.
        let end = self.undelivered.first().map(|entry| entry.revision);
        let (above, below) = match from {
            Position::Oldest => (beyond, end),
            Position::Newest => (None, [beyond, end].into_iter().flatten().min()),
        };
        let key = |number: Bson| doc! { "d": &self.id, "r": number };
        let range = doc! {
            "$gt": key(above.map_or(Bson::MinKey, Bson::from)),
            "$lt": key(below.map_or(Bson::MaxKey, Bson::from)),
        };
        let mut filter = doc! { "_id": range };
        filter.extend(self.filter.clone());
        read_log(self.db, log.unwrap_or_default(), filter, from, limit).await
    }

    /// The state after the entry with this revision; `None` if there was no document.
    pub(super) async fn state_at(&self, revision: i64) -> Result<Option<Document>> {
        self.state(|entry| entry.revision > revision).await
    }

    /// The state before the first of the later entries.
    pub(super) async fn state(
        &self,
        is_later: impl Fn(&Entry) -> bool,
    ) -> Result<Option<Document>> {
        let mut state = self.now.clone();
        let mut next: Option<i64> = None;
        for entry in self.undelivered.iter().rev() {
            self.follows(entry, next)?;
            if !is_later(entry) {
                return Ok(self.stored_document(state));
            }
            next = self.take_back(entry, &mut state)?;
        }
        let mut below = None;
        loop {
            let page = self.stored(below, Position::Newest, MOST).await?;
            for entry in &page {
                self.follows(entry, next)?;
                if !is_later(entry) {
                    return Ok(self.stored_document(state));
                }
                next = self.take_back(entry, &mut state)?;
            }
            below = page.last().map(|entry| entry.revision);
            if page.len() < usize::try_from(MOST).unwrap_or(usize::MAX) {
                break;
            }
        }
        // Without the entry of its insert the document is older than its history, or than the entries that are kept.
        match state {
            Bson::Null => Ok(None),
            _ => Err(self.impossible("the history does not reach back to it")),
        }
    }

    /// Checks that no entry is missing behind this one.
    fn follows(&self, entry: &Entry, next: Option<i64>) -> Result<()> {
        match next {
            Some(next) if next != entry.revision => {
                Err(self.impossible("an entry after it is missing"))
            }
            _ => Ok(()),
        }
    }

    /// Takes the changes of an entry back. Gives the revision of the entry before it; `None` if that may be any.
    fn take_back(&self, entry: &Entry, state: &mut Bson) -> Result<Option<i64>> {
        for change in &entry.changes {
            if !undo(state, &change.steps, change.before.as_ref()) {
                return Err(self.impossible("another program has changed the document since"));
            }
        }
        // A document that was stored again after a delete has greater numbers.
        Ok((!entry.is_insert()).then(|| entry.revision - 1))
    }

    fn impossible(&self, why: &str) -> Error {
        let name = self.meta.name;
        Error::Impossible {
            what: format!("the state of a {name} at an earlier revision: {why}"),
        }
    }

    /// The document of a state; `None` for the state without a document.
    fn stored_document(&self, state: Bson) -> Option<Document> {
        let Bson::Document(fields) = state else {
            return None;
        };
        let mut document = doc! { "_id": &self.id };
        document.extend(fields);
        Some(document)
    }
}
