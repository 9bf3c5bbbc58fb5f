//! The places of new documents in bounded numbers of their parents: P1 before I1.

use bson::doc;

use super::New;
use crate::driver;
use crate::error::Result;
use crate::outcome::progress::Tell;
use crate::propagation::counter::{self, Reservations, Stage};
use crate::propagation::delete;
use crate::schema::stored;

impl New<'_> {
    /// P1. In a session nothing is reserved: its transaction counts the documents where it stores them.
    pub(super) async fn reserve(&self, in_session: bool) -> Result<Reservations> {
        match in_session {
            true => Ok(Reservations::none()),
            false => self.reserve_at(Stage::BeforeWrite).await,
        }
    }

    async fn reserve_at(&self, stage: Stage) -> Result<Reservations> {
        let token = self.count_token.map(|count_token| count_token.token);
        let Some(token) = token else {
            return Ok(Reservations::none());
        };
        let children = self.flagged.iter().map(|source| &source.fields);
        counter::reserve_places(self.db, self.meta.collection, token, children, stage).await
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
}
