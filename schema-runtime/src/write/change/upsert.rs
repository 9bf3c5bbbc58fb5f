//! A change of one document, or the insert of the document if there is none.

use std::fmt;

use bson::{Bson, Document, doc};

use super::Swapped;
use super::Update;
use super::by_key::upsert_by_key;
use super::send::change;
use crate::Database;
use crate::builder::answers;
use crate::document::documents::Documents;
use crate::document::encoding::unencodable;
use crate::document::id::by_id;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::field::Handles;
use crate::schema::model::Model;
use crate::schema::unique::{KeyFields, UniqueKey};

/// A document about to be stored, or to be changed if it is stored already. `.await` gives an [`Outcome`](crate::Outcome), of which
/// `inserted` or `matched` is 1.
#[must_use = "nothing is sent before it is awaited"]
pub struct Upsert<'a, M> {
    pub(super) one: Update<'a, M>,
    /// The unique key by which the document is found, instead of its `_id`: a filter.
    key: Option<Result<Document>>,
}

impl<M> fmt::Debug for Upsert<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upsert").field("update", &self.one).finish()
    }
}

impl<'a, M: Model> Upsert<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        let mut new = Documents::default();
        let filter: Result<_> = new
            .push(document)
            .and_then(|()| new.check_versions(M::model_meta()))
            .and_then(|()| by_id::<M>(document.document_id()));
        let mut one = Update::live(db, filter);
        one.new = Some(new);
        Upsert { one, key: None }
    }

    /// Finds the stored document by a unique key instead of its `_id`: `.by(|u| u.email)`, or `.by(|u| (u.team, u.number))` in the order of
    /// the index. A stored document keeps its `_id`. Only the keys of a declared unique index compile.
    ///
    /// Sends a `find` of the key first; then what [`update`](crate::MongoModel::update) sends, or if there is no document what
    /// [`insert`](crate::MongoModel::insert) sends. If another program stores or changes the document in between, it is found again.
    ///
    /// ```no_run
    /// # use mongo_model::{Database, Id, MongoModel};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Debug, Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "visitors")]
    /// # pub struct Visitor { #[serde(rename = "_id")] pub id: Id<Visitor>, #[index(unique)] pub email: String, pub visits: i64 }
    /// # async fn example(db: &Database) -> mongo_model::Result<()> {
    /// let first = Visitor { id: Id::new(), email: "kate@example.com".to_owned(), visits: 1 };
    /// Visitor::upsert(db, &first).by(|v| v.email).inc(|v| v.visits, 1).await?;
    /// # Ok(()) }
    /// ```
    pub fn by<K: KeyFields<M>>(mut self, fields: impl FnOnce(M::FieldHandles) -> K) -> Self
    where
        K::Markers: UniqueKey<M>,
    {
        let _ = fields(M::FieldHandles::VALUE);
        self.key = Some(self.key_of(&K::names()));
        self
    }

    /// The filter for a document with the same values of these fields.
    fn key_of(&self, names: &[&'static str]) -> Result<Document> {
        let raw = self.one.new.as_ref().and_then(|new| new.iter().next());
        let mut key = Document::new();
        for name in names {
            let value = raw.and_then(|raw| raw.get(name).ok().flatten());
            let value = value.map_or(Ok(Bson::Null), Bson::try_from);
            let value = value.map_err(|error| unencodable(M::model_meta(), error))?;
            key.insert(*name, doc! { "$eq": value });
        }
        Ok(key)
    }
}

answers!(['a, M: Model] Upsert<'a, M> => Outcome, self, self.one.settled, {
    if let Some(key) = self.key {
        return upsert_by_key(self.one, key).await;
    }
    match change(self.one).await? {
        Swapped::Done(outcome) => Ok(outcome),
        // Only a condition can be unmet, and an upsert has none.
        Swapped::Not(_) => Ok(Outcome::default()),
    }
});
