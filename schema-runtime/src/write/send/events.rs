//! The events that a write emits: as a part of its command, and their delivery behind its answer.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::into_pending;
use crate::bson_util::operators::merge;
use crate::driver::Database;
use crate::error::Result;
use crate::outbox;
use crate::outcome::Pending;
use crate::schema::outbox::Outbox;
use crate::schema::stored;

/// The events that one write emits.
#[derive(Debug, Clone, Default)]
pub(crate) struct Emission {
    /// The token of the write, and the values.
    token: Option<ObjectId>,
    values: Vec<Bson>,
}

impl Emission {
    pub(crate) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub(crate) fn add(&mut self, value: Bson) {
        self.token.get_or_insert_with(ObjectId::new);
        self.values.push(value);
    }

    /// The events as a document stores them.
    pub(crate) fn stored(&self) -> Vec<Bson> {
        let event = |value: &Bson| {
            let value = value.clone();
            doc! { stored::TOKEN: self.token, stored::key::EVENTS_LEFT_VALUE: value }.into()
        };
        self.values.iter().map(event).collect()
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
            doc! { stored::EVENTS_LEFT: { "$each": self.stored() } },
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
        match outbox::deliver_behind(db, collection, token).await {
            Ok(()) => Ok(Vec::new()),
            Err(error) => into_pending(error, pending),
        }
    }
}

/// Takes the events out of the operators of an update: the operators that are left, and the stage of a pipeline that does the same.
pub(super) fn take(operators: &mut Document) -> Option<Document> {
    let events = take_path(operators, "$push", stored::EVENTS_LEFT)?;
    let events = events.as_document()?.get_array("$each").ok()?.clone();
    let count = take_path(operators, "$inc", stored::EVENT_NUMBER)?;
    let number = doc! { "$add": [{ "$ifNull": [stored::value::EVENT_NUMBER, 0_i64] }, count] };
    let left = doc! { "$ifNull": [stored::value::EVENTS_LEFT, []] };
    let left = doc! { "$concatArrays": [left, { "$literal": events }] };
    Some(doc! { "$set": { stored::EVENT_NUMBER: number, stored::EVENTS_LEFT: left } })
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
