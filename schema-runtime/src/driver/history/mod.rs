//! Records the changes of documents in their history, as a part of the update that makes them. A pipeline compares the document with itself
//! before its stages; `operators` makes a pipeline of operators. Operators that no pipeline can replace change only a document whose fields
//! are those that `guard` has read.

mod actor;
mod guard;
mod operators;
mod statements;

use bson::oid::ObjectId;
use bson::{Document, doc};
use futures::future::BoxFuture;
use mongodb::options::UpdateModifications;
use mongodb::{ClientSession, Database};

pub use self::actor::acting_as;
pub(crate) use self::statements::{RecordedStatements, send_statements};
use super::update_args::UpdateArgs;
use super::{Strings, call};
use crate::bson_util::number::far_revision;
use crate::error::Result;
use crate::outcome::recorded;
use crate::schema::outbox::{Outbox, RecordedFields};
use crate::schema::stored;

/// The keys of an entry, in a document and in the log.
pub(crate) mod entry {
    /// The call that made the change.
    pub(crate) const CALL: &str = "c";
    /// The actor.
    pub(crate) const BY: &str = "by";
    /// The time of the change.
    pub(crate) const AT: &str = "at";
    /// In a document: the changed fields as they were before, each with its name as `k`, and its value as `v` if it had one.
    pub(crate) const BEFORE: &str = "b";
}

/// The entry that an update stores in the documents that it changes.
#[derive(Debug)]
pub(crate) struct Entry {
    token: ObjectId,
    /// The call and the actor.
    facts: Document,
}

impl Entry {
    /// An entry of the present call.
    pub(crate) fn new() -> Self {
        let mut facts = Document::new();
        if let Some(name) = recorded::builder().map(call_name) {
            facts.insert(entry::CALL, name);
        }
        facts.extend(actor::present().map(|by| (entry::BY.to_owned(), by.into())));
        Entry {
            token: ObjectId::new(),
            facts,
        }
    }

    /// The call and the actor of the change.
    pub(crate) fn facts(&self) -> &Document {
        &self.facts
    }

    /// The history of new documents, whose numbers are greater than those of documents with the same `_id` before.
    pub(crate) fn new_history(&self, far: i64) -> Document {
        let left =
            vec![doc! { stored::TOKEN: self.token, stored::key::EVENTS_LEFT_VALUE: &self.facts }];
        doc! { stored::key::HISTORY_NUMBER: far, stored::key::HISTORY_LEFT: left }
    }

    /// Notes that documents of a collection hold the entry.
    pub(crate) fn note(
        &self,
        (db, collection): (&Database, &'static str),
        (many, in_session): (bool, bool),
    ) {
        recorded::note(recorded::RecordedChange {
            db: db.clone(),
            collection,
            token: self.token,
            many,
            in_session,
        });
    }

    /// The stages that do what `stages` do, and add the entry to the documents that these change.
    fn recorded_stages(
        &self,
        history: &RecordedFields,
        stages: Vec<Document>,
        strings: Strings,
    ) -> Vec<Document> {
        let before = format!("${}", stored::BEFORE);
        let is_kept = history.condition("$$this.k");
        let fields =
            doc! { "$filter": { "input": { "$objectToArray": "$$ROOT" }, "cond": is_kept } };
        let is_other = match strings {
            Strings::Exactly => doc! { "$not": [{ "$in": ["$$this", "$$after"] }] },
            Strings::AsCollection | Strings::Collated(_) => is_other_text(),
        };
        let changed = doc! { "$filter": { "input": &before, "cond": is_other } };
        let new = doc! { "$setDifference": ["$$after.k", format!("{before}.k")] };
        let new = doc! { "$map": { "input": new, "in": { "k": "$$this" } } };
        let changed = doc! { "$let": {
            "vars": { "after": &fields },
            "in": { "$concatArrays": [changed, new] },
        } };
        let number =
            doc! { "$add": [{ "$ifNull": [stored::value::HISTORY_NUMBER, far_revision()] }, 1] };
        let value = doc! { "$mergeObjects": [
            { "$literal": &self.facts }, { entry::AT: "$$NOW", entry::BEFORE: &before },
        ] };
        let left = doc! { "$ifNull": [stored::value::HISTORY_LEFT, []] };
        let left = doc! { "$concatArrays": [left, [{ stored::TOKEN: self.token, stored::key::EVENTS_LEFT_VALUE: value }]] };
        let unchanged = doc! { "$eq": [&before, []] };
        let next = doc! { stored::key::HISTORY_NUMBER: number, stored::key::HISTORY_LEFT: left };
        let mut all = vec![doc! { "$set": { stored::BEFORE: fields } }];
        all.extend(stages);
        all.extend([
            doc! { "$set": { stored::BEFORE: changed } },
            doc! { "$set": { stored::HISTORY: { "$cond": [unchanged, stored::value::HISTORY, next] } } },
            doc! { "$unset": stored::BEFORE },
        ]);
        all
    }
}

/// True if a field, `$$this`, has another value in `$$after`, where a collation may take two texts for equal. Texts inside of embedded documents
/// and arrays are compared as the collation says.
fn is_other_text() -> Document {
    let same_name = doc! { "$eq": ["$$other.k", "$$this.k"] };
    let same = doc! { "$filter": { "input": "$$after", "as": "other", "cond": same_name } };
    let are_texts =
        doc! { "$eq": [[{ "$type": "$$this.v" }, { "$type": "$$now.v" }], ["string", "string"]] };
    let is_longer = doc! { "$ne": [{ "$strLenBytes": "$$this.v" }, { "$strLenBytes": "$$now.v" }] };
    let begins = doc! { "$eq": [{ "$indexOfBytes": ["$$this.v", "$$now.v"] }, 0] };
    let differ = doc! { "$or": [is_longer, { "$not": [begins] }] };
    let is_other = doc! { "$cond": [are_texts, differ, { "$ne": ["$$this", "$$now"] }] };
    doc! { "$let": { "vars": { "now": { "$arrayElemAt": [same, 0] } }, "in": is_other } }
}

/// The name of the call of a builder, whether or not it returns the document: `Product::update`.
fn call_name(builder: &str) -> String {
    let name = call::name(builder);
    let Some((model, method)) = name.split_once("::") else {
        return name;
    };
    let method = match method {
        "insert_returning" => "insert",
        "returning" => "update",
        "returning_if" => "update_if",
        method => method,
    };
    format!("{model}::{method}")
}

/// An update that records the changes that it makes.
#[derive(Debug)]
pub(super) struct Recording {
    entry: Entry,
    collection: &'static str,
    many: bool,
    /// True if the update compares the document with one that was read.
    compares: bool,
}

impl Recording {
    /// Makes an update record what it changes; `None` if the model keeps no history, or none of these fields.
    pub(super) fn prepare<'f>(
        db: &'f Database,
        collection: &'f str,
        args: &'f mut UpdateArgs,
        session: Option<&'f mut ClientSession>,
    ) -> BoxFuture<'f, Result<Option<Self>>> {
        Box::pin(async move {
            let Some((collection, history)) = RecordedFields::find(collection) else {
                return Ok(None);
            };
            let (entry, mut compares) = (Entry::new(), false);
            let stages = match &args.changes {
                UpdateModifications::Pipeline(stages) => Some(stages.clone()),
                UpdateModifications::Document(changes)
                    if !operators::change_recorded_fields(history, changes) =>
                {
                    return Ok(None);
                }
                UpdateModifications::Document(changes) => operators::stages(history, changes),
                // The driver may get further forms; none is in use.
                _ => return Ok(None),
            };
            match stages {
                Some(stages) => {
                    args.changes = entry.recorded_stages(history, stages, args.strings).into()
                }
                None => {
                    let stored =
                        guard::store_before((db, collection), history, &entry, args, session);
                    compares = stored.await?;
                }
            }
            Ok(Some(Recording {
                entry,
                collection,
                many: args.many,
                compares,
            }))
        })
    }

    /// True if the update matches a document only if its fields are those that were read.
    pub(super) fn compares(&self) -> bool {
        self.compares
    }

    /// Notes the entries of an update that was made.
    pub(super) fn note(self, db: &Database, in_session: bool) {
        self.entry
            .note((db, self.collection), (self.many, in_session));
    }
}

/// True if the documents of a collection have a history.
pub(crate) fn has_history(collection: &str) -> bool {
    Outbox::History.log_of(collection).is_some()
}
