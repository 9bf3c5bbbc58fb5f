//! Update statements with pipelines that record what they change.

use std::borrow::Cow;

use bson::{Bson, Document};
use mongodb::{ClientSession, Database};

use super::super::command::{self, Statements};
use super::super::{Strings, refusal};
use super::Entry;
use crate::error::Result;
use crate::schema::outbox::RecordedFields;

/// Statements that change one field of documents, with the entry that they store, where the history of these documents records that field.
#[derive(Debug)]
pub(crate) struct RecordedStatements<'s> {
    all: Cow<'s, [Document]>,
    entry: Option<(&'static str, Entry)>,
}

impl<'s> RecordedStatements<'s> {
    /// Makes the statements record what they change of the field at this path. A statement with operators stays as it is.
    pub(crate) fn new(collection: &str, path: &str, all: &'s [Document]) -> Self {
        let recorded = RecordedFields::find(collection);
        let Some((collection, history)) = recorded.filter(|(_, history)| history.records(path))
        else {
            return RecordedStatements {
                all: Cow::Borrowed(all),
                entry: None,
            };
        };
        let entry = Entry::new();
        let mut all = all.to_vec();
        for statement in &mut all {
            let Ok(stages) = statement.get_array("u") else {
                continue;
            };
            let stages = stages.iter().filter_map(Bson::as_document).cloned();
            let stages = entry.recorded_stages(history, stages.collect(), Strings::Exactly);
            statement.insert("u", stages);
        }
        RecordedStatements {
            all: Cow::Owned(all),
            entry: Some((collection, entry)),
        }
    }

    /// The statements.
    pub(crate) fn all(&self) -> &[Document] {
        &self.all
    }

    /// Notes the entry, if documents may hold it after this answer.
    pub(crate) fn note(self, db: &Database, in_session: bool, answer: &Result<Statements>) {
        let may_hold = match answer {
            Ok(done) => done.modified > 0,
            Err(error) => refusal::outcome_unknown(error),
        };
        let is_multi = |one: &Document| one.get_bool("multi").is_ok_and(|multi| multi);
        let many = self.all.len() > 1 || self.all.iter().any(is_multi);
        if let Some((collection, entry)) = self.entry.filter(|_| may_hold) {
            entry.note((db, collection), (many, in_session));
        }
    }
}

/// Sends statements that change one field of documents, and records what they change. See [`command::statements`].
pub(crate) async fn send_statements(
    db: &Database,
    (collection, path): (&str, &str),
    all: &[Document],
    ordered: bool,
    session: Option<&mut ClientSession>,
) -> Result<Statements> {
    let (in_session, recorded) = (
        session.is_some(),
        RecordedStatements::new(collection, path, all),
    );
    let answer = command::statements(db, collection, recorded.all(), ordered, session).await;
    recorded.note(db, in_session, &answer);
    answer
}
