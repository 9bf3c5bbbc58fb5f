//! A change of one document, or the insert of the document if there is none.

use bson::{Bson, Document, doc};

use super::Swapped;
use super::by_key::upsert_by_key;
use super::send::change;
use super::{OrInsert, Update};
use crate::builder::answers;
use crate::document::documents::Documents;
use crate::document::encoding::unencodable;
use crate::document::id::by_id;
use crate::driver::Database;
use crate::error::Result;
use crate::outcome::Outcome;
use crate::schema::model::Model;
use crate::schema::tenant::same_tenant;

/// A document about to be stored, or to be changed if it is stored already. `.await` gives an [`Outcome`](crate::Outcome), of which
/// `inserted` or `matched` is 1.
pub type Upsert<'a, M> = Update<'a, M, OrInsert>;

impl<'a, M: Model> Upsert<'a, M> {
    pub(crate) fn new(db: &'a Database, document: &M) -> Self {
        let mut new = Documents::default();
        let filter: Result<_> = new
            .push(document)
            .and_then(|()| new.check_versions(M::model_meta()))
            .and_then(|()| by_id::<M>(document.document_id()));
        Update {
            new: Some(new),
            ..Update::live(db, filter)
        }
    }

    /// The filter for a document with the same values of these fields.
    pub(super) fn key_of(&self, names: &[&'static str]) -> Result<Document> {
        let raw = self.new.as_ref().and_then(|new| new.iter().next());
        let mut key = Document::new();
        for name in names {
            let value = raw.and_then(|raw| raw.get(name).ok().flatten());
            let value = value.map_or(Ok(Bson::Null), Bson::try_from);
            let value = value.map_err(|error| unencodable(M::model_meta(), error))?;
            key.insert(*name, doc! { "$eq": value });
        }
        // A key is unique in its tenant.
        key.extend(raw.map_or_else(Document::new, |raw| same_tenant(M::model_meta(), raw)));
        Ok(key)
    }
}

answers!(['a, M: Model] Upsert<'a, M> => Outcome, self, self.call.clone(), {
    let mut one = self.into_kind();
    if let Some(key) = one.key.take() {
        return upsert_by_key(one, key).await;
    }
    match change(one).await? {
        Swapped::Done(outcome) => Ok(outcome),
        // Only a condition can be unmet, and an upsert has none.
        Swapped::Not(_) => Ok(Outcome::default()),
    }
});
