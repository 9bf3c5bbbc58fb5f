//! The places of new documents in bounded arrays and numbers of their parents: P1 before I1.

use bson::{Bson, doc};

use super::New;
use crate::driver::{ClientSession, Database};
use crate::error::{Error, Result};
use crate::graph::links::Link;
use crate::outcome::progress::Tell;
use crate::propagation::capacity::{self, NewChild, NewParents};
use crate::propagation::counter::{self, Reservations, Stage};
use crate::propagation::delete;
use crate::propagation::two_way::Places;
use crate::schema::stored;
use crate::schema::tenant::own_tenant;

/// The places of new documents in their parents.
pub(super) struct Reserved {
    arrays: Places,
    numbers: Reservations,
}

impl Reserved {
    /// True if another program may have released some of the places by now.
    pub(super) async fn are_late(&self) -> bool {
        self.arrays.are_late().await || self.numbers.are_late().await
    }

    /// The places in numbers.
    pub(super) fn numbers(&self) -> &Reservations {
        &self.numbers
    }

    /// Releases the places after an insert that failed, unless it may have stored documents, or may do so yet. Returns the error.
    pub(super) async fn release_after(&self, db: &Database, error: Error) -> Error {
        let error = self.arrays.release_after(db, error).await;
        self.numbers.release_after(db, error).await
    }
}

impl New<'_> {
    /// P1, and the checks of the parents. In a session nothing is reserved: its transaction counts and lists the documents where it stores
    /// them.
    pub(super) async fn reserve(&self, session: Option<&mut ClientSession>) -> Result<Reserved> {
        let in_session = session.is_some();
        let all = self.new_parents();
        let arrays = capacity::reserve_places(self.db, &all, &self.ids, session).await?;
        let numbers = match in_session {
            true => Ok(Reservations::none()),
            false => self.reserve_numbers(Stage::BeforeWrite).await,
        };
        match numbers {
            Ok(numbers) => Ok(Reserved { arrays, numbers }),
            Err(error) => Err(arrays.release_after(self.db, error).await),
        }
    }

    /// The documents with their parents that have arrays of them.
    fn new_parents(&self) -> Vec<NewParents> {
        let belongs = |link: &Link| {
            let children = self.documents.iter().zip(&self.ids);
            let new = children.map(|(raw, id)| NewChild {
                id: id.clone(),
                parents: link.parents(raw),
                tenant: own_tenant(self.meta, raw),
            });
            new.collect()
        };
        capacity::along_links(self.meta.collection, belongs)
    }

    async fn reserve_numbers(&self, stage: Stage) -> Result<Reservations> {
        let token = self.count_token.map(|count_token| count_token.token);
        let Some(token) = token else {
            return Ok(Reservations::none());
        };
        let children = self.flagged.iter().map(|source| &source.fields);
        counter::reserve_places(self.db, self.meta.collection, token, children, stage).await
    }

    /// P1 again after I1, because another program may have released the places meanwhile. If the places are gone, and no others are free,
    /// the documents are deleted.
    pub(super) async fn reserve_again(&self, reserved: &mut Reserved) -> Result<()> {
        let Err(error) = self.renew(reserved).await else {
            return Ok(());
        };
        let mut stored = doc! { "_id": { "$in": self.ids.iter().collect::<Vec<&Bson>>() } };
        if let Some(token) = self.counts() {
            stored.insert(stored::UNCOUNTED_TOKEN, token.token);
        }
        let which = delete::Which::matching(stored);
        let mut tell = Tell::default();
        Box::pin(delete::delete(self.db, self.meta, which, None, &mut tell)).await?;
        Err(reserved.arrays.release_after(self.db, error).await)
    }

    async fn renew(&self, reserved: &mut Reserved) -> Result<()> {
        reserved.arrays.renew(self.db).await?;
        let all = self.new_parents();
        capacity::reserve_again(self.db, &all, &self.ids, &mut reserved.arrays, None).await?;
        self.reserve_numbers(Stage::AfterWrite).await?;
        Ok(())
    }
}
