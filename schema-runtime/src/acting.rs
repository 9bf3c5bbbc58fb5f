//! The handle of a model with `history(by = required)`: a database, or a tenant's, with the name of who acts.

use std::fmt;
use std::sync::Arc;

use crate::driver::Database;
use crate::tenant::{Reach, Tenant, TenantId, Wall};

/// A [`Database`] or [`Tenant`] with the name of who acts: what the calls of models with `#[model(history(by = required))]` take. Every entry of
/// a history that comes from such a call names the actor. Made by [`ActBy::by`].
///
/// ```
/// use mongo_model::history::ActBy;
/// use mongo_model::{Database, Id, MongoModel, Outcome, Result};
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Serialize, Deserialize, MongoModel)]
/// #[model(collection = "contracts", history(by = required))]
/// pub struct Contract {
///     #[serde(rename = "_id")]
///     pub id: Id<Contract>,
///     pub price: i64,
/// }
///
/// async fn change_price(db: &Database, user: &str, id: Id<Contract>, price: i64) -> Result<Outcome> {
///     // A plain `db` does not compile here.
///     Contract::update(&db.by(user), id).set(|c| c.price, price).await
/// }
/// ```
#[derive(Clone)]
pub struct Acting<H> {
    handle: H,
    wall: Wall,
}

impl<H> Acting<H> {
    /// The handle without the actor: for models that do not require one, and for transactions.
    #[must_use]
    pub fn handle(&self) -> &H {
        &self.handle
    }
}

impl<H: fmt::Debug> fmt::Debug for Acting<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Acting")
            .field("handle", &self.handle)
            .finish_non_exhaustive()
    }
}

/// Names who acts: see [`Acting`].
pub trait ActBy: Reach {
    /// The handle with the name of who acts, such as a user's id or the name of a job.
    fn by(&self, actor: impl Into<String>) -> Acting<Self> {
        let wall = self.parts().1.cloned().unwrap_or_default();
        Acting {
            handle: self.clone(),
            wall: wall.with_actor(Arc::from(actor.into())),
        }
    }
}

impl ActBy for Database {}
impl<T: TenantId> ActBy for Tenant<T> {}

impl<H: Reach> Reach for Acting<H> {
    fn parts(&self) -> (&Database, Option<&Wall>) {
        (self.handle.parts().0, Some(&self.wall))
    }
}
