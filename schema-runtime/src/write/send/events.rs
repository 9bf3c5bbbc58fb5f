//! The events that a write emits: as a part of its command, and their delivery behind its answer.

use std::fmt;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::into_pending;
use crate::bson_util::number::far_revision;
use crate::bson_util::operators::merge;
use crate::driver::Database;
use crate::error::Result;
use crate::outbox;
use crate::outcome::Pending;
use crate::schema::outbox::Outbox;
use crate::schema::stored;

/// The events that one write emits.
#[derive(Clone, Default)]
pub(crate) struct Emission {
    /// The token of the write.
    token: Option<ObjectId>,
    /// The events that each of its documents emits.
    values: Vec<Bson>,
    /// The events that new documents emit besides, by their positions.
    by_document: Vec<Vec<Bson>>,
    /// True if several documents may hold the events.
    many: bool,
}

/// Names no event.
impl fmt::Debug for Emission {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Emission")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

impl Emission {
    pub(crate) fn is_empty(&self) -> bool {
        self.token.is_none()
    }

    pub(crate) fn add(&mut self, value: Bson) {
        self.token.get_or_insert_with(ObjectId::new);
        self.values.push(value);
    }

    /// Adds an event to each of several new documents, in their order.
    pub(crate) fn add_to_documents(&mut self, values: Vec<Bson>) {
        if values.is_empty() {
            return;
        }
        self.token.get_or_insert_with(ObjectId::new);
        self.many = true;
        self.by_document.resize_with(values.len(), Vec::new);
        let documents = self.by_document.iter_mut().zip(values);
        documents.for_each(|(events, value)| events.push(value));
    }

    /// Says that several documents may emit the events.
    pub(crate) fn by_many(&mut self) {
        self.many = true;
    }

    /// The events that each document of the write emits.
    pub(crate) fn values(&self) -> &[Bson] {
        &self.values
    }

    /// The events of a document at this position of the call, as the document stores them.
    pub(crate) fn stored(&self, position: usize) -> Vec<Bson> {
        let event = |value: &Bson| {
            let value = value.clone();
            doc! { stored::TOKEN: self.token, stored::key::EVENTS_LEFT_VALUE: value }.into()
        };
        let own = self.by_document.get(position).into_iter().flatten();
        self.values.iter().chain(own).map(event).collect()
    }

    /// The stage of a pipeline that adds the events to a document.
    pub(crate) fn stage(&self) -> Option<Document> {
        let stored = self.stored(0);
        let count = Bson::Int64(stored.len() as i64);
        (!stored.is_empty()).then(|| added(stored, count))
    }

    /// Adds the events to the operators of an update.
    pub(crate) fn push(&self, operators: &mut Document) {
        if self.is_empty() {
            return;
        }
        let count = self.values.len() as i64;
        merge(
            operators,
            "$push",
            doc! { stored::EVENTS_LEFT: { "$each": self.stored(0) } },
        );
        merge(operators, "$inc", doc! { stored::EVENT_NUMBER: count });
    }

    /// Delivers the events behind the answer of the present call, or in the call if that waits for everything. In a session they wait for
    /// the commit.
    pub(crate) async fn deliver(
        &self,
        db: &Database,
        collection: &'static str,
        in_session: bool,
    ) -> Result<Vec<Pending>> {
        let Some(token) = self.token else {
            return Ok(Vec::new());
        };
        let pending = vec![Pending::entries(Outbox::Events, collection, token)];
        if in_session {
            return Ok(pending);
        }
        fault!("events_after_write");
        match outbox::deliver_behind(db, collection, (token, self.many)).await {
            Ok(()) => Ok(Vec::new()),
            Err(error) => into_pending(error, pending),
        }
    }
}

/// Delivers the events of the documents that a write has changed, of many also those before an error. Gives the result of the write, and the work
/// that is pending.
pub(crate) async fn deliver_after<T>(
    events: &Emission,
    (db, collection): (&Database, &'static str),
    in_session: bool,
    done: Result<T>,
    changes: impl Fn(&T) -> u64,
) -> Result<(T, Vec<Pending>)> {
    let emits = match &done {
        Ok(done) => changes(done) > 0,
        Err(_) => events.many && !in_session,
    };
    let left = match emits {
        true => Box::pin(events.deliver(db, collection, in_session)).await,
        false => Ok(Vec::new()),
    };
    Ok((done?, left?))
}

/// Takes the events out of the operators of an update: the operators that are left, and the stage of a pipeline that does the same.
pub(super) fn take(operators: &mut Document) -> Option<Document> {
    let events = take_path(operators, "$push", stored::EVENTS_LEFT)?;
    let events = events.as_document()?.get_array("$each").ok()?.clone();
    let count = take_path(operators, "$inc", stored::EVENT_NUMBER)?;
    Some(added(events, count))
}

/// The stage of a pipeline that adds events to a document. Where the document has no number yet, they begin above those of an earlier document
/// with its `_id`.
fn added(events: Vec<Bson>, count: Bson) -> Document {
    let number = doc! { "$ifNull": [stored::value::EVENT_NUMBER, far_revision()] };
    let number = doc! { "$add": [number, count] };
    let left = doc! { "$ifNull": [stored::value::EVENTS_LEFT, []] };
    let left = doc! { "$concatArrays": [left, { "$literal": events }] };
    doc! { "$set": { stored::EVENT_NUMBER: number, stored::EVENTS_LEFT: left } }
}

/// Takes one path out of an operator, and the operator where nothing is left of it.
fn take_path(operators: &mut Document, operator: &str, path: &str) -> Option<Bson> {
    let paths = operators.get_document_mut(operator).ok()?;
    let taken = paths.remove(path);
    if paths.is_empty() {
        operators.remove(operator);
    }
    taken
}
