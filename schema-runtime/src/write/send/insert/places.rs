//! The places of new documents in bounded numbers of their parents: P1 before I1, and the count behind the answer.

use bson::{Bson, Document, doc};

use super::super::{into_pending, pending_counts};
use super::New;
use crate::error::Result;
use crate::outcome::Pending;
use crate::outcome::progress::Tell;
use crate::propagation::counter::{self, Reservations, Stage};
use crate::propagation::delete;
use crate::schema::stored;
use crate::{driver, finisher};

impl New<'_> {
    /// P1. In a session nothing is reserved: its transaction counts the documents where it stores them.
    pub(super) async fn reserve(&self, in_session: bool) -> Result<Reservations> {
        match in_session {
            true => Ok(Reservations::none()),
            false => self.reserve_at(Stage::BeforeWrite).await,
        }
    }

    async fn reserve_at(&self, stage: Stage) -> Result<Reservations> {
        let Some(token) = self.count_token else {
            return Ok(Reservations::none());
        };
        let children = self.flagged.iter().map(|source| &source.fields);
        counter::reserve(self.db, self.meta.collection, token, children, stage).await
    }

    /// P1 again after I1, because another program may have released the places meanwhile. Where they are gone, the documents are deleted.
    pub(super) async fn reserve_again(&self) -> Result<()> {
        let Err(error) = self.reserve_at(Stage::AfterWrite).await else {
            return Ok(());
        };
        let Some(token) = self.counts() else {
            return Err(error);
        };
        let stored = doc! {
            "_id": { "$in": &self.ids },
            stored::UNCOUNTED_TOKEN: token.token,
        };
        let which = delete::Which::Many(stored, driver::Strings::Exactly);
        let mut tell = Tell::default();
        Box::pin(delete::delete(self.db, self.meta, which, None, &mut tell)).await?;
        Err(error)
    }

    /// Counts the documents behind the answer, if all that parents count of them is reserved: then the numbers have them already.
    pub(super) async fn count_behind(&mut self, reserved: &Reservations) -> Result<Vec<Pending>> {
        let (db, collection) = (self.db, self.meta.collection);
        let fields = || self.flagged.iter().map(|source| &source.fields);
        let Some(token) = self
            .counts()
            .filter(|_| reserved.cover(collection, fields()))
        else {
            return Ok(Vec::new());
        };
        if !self.answers_early {
            return Ok(Vec::new());
        }
        let children: Vec<Document> = fields().map(flags_alone).collect();
        self.count_token = None;
        let counted = {
            let db = db.clone();
            async move { counter::finish(&db, collection, token, &children).await }
        };
        match finisher::defer(db, counted).await {
            Ok(()) => Ok(Vec::new()),
            Err(error) => into_pending(error, pending_counts(collection, token)),
        }
    }
}

/// The `_id` of a child and the library's fields, which are all that is counted by.
fn flags_alone(child: &Document) -> Document {
    let part = |name: &str| Some((name.to_owned(), child.get(name).cloned()?));
    let parts: [Option<(String, Bson)>; 2] = ["_id", stored::OWN].map(part);
    parts.into_iter().flatten().collect()
}
