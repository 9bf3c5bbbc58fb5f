//! Reads of one document, and tests if there is one.

use std::fmt;

use bson::{Bson, Document};

use super::{Find, IntoSort};
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::awaits;
use crate::builder::{document_scopes, read_options, reads_in_transactions};
use crate::driver::{self, Database};
use crate::error::{Error, Result};
use crate::filter::{AskedOf, Conditions, Filter};
use crate::projection::{OnlyId, Projected};
use crate::schema::model::Model;
use crate::tenant::{Confined, Wall};

/// A `find` for one document, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct FindOne<'a, M, O = M> {
    pub(super) find: Find<'a, M, O>,
}

impl<M, O> fmt::Debug for FindOne<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> FindOne<'a, M> {
    pub(crate) fn new(db: &'a Database, filter: Result<Conditions>) -> Self {
        FindOne {
            find: Find::filtered(db, filter),
        }
    }

    /// The document with this `_id`.
    pub(crate) fn by_id(db: &'a Database, filter: Result<Document>) -> Self {
        FindOne {
            find: Find::new(db, filter).exactly(),
        }
    }
}

impl<'a, M: Model, O> FindOne<'a, M, O> {
    /// Reads the document as a projection, so that the server sends its fields and no others.
    pub fn project<V: Projected<M>>(self) -> FindOne<'a, M, V> {
        FindOne {
            find: self.find.project(),
        }
    }

    /// Returns the first document that also meets this filter, as [`Find::filter`].
    pub fn filter<F, S, C>(self, filter: F) -> Self
    where
        F: FnOnce(M::FieldHandles) -> Filter<C, S>,
        S: AskedOf<M, C>,
    {
        FindOne {
            find: self.find.filter(filter).retyped(),
        }
    }

    /// Asks if there is such a document. Sends one `find` for its `_id`.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "users")]
    /// # pub struct User {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<User>,
    /// #     #[index(unique)]
    /// #     pub email: String,
    /// # }
    /// # async fn example(db: &Database, id: Id<User>) -> Result<()> {
    /// if User::get(db, id).exists().await? && !User::exists(db, |u| u.email.eq("ada@example.com")).await? {
    ///     // ..
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn exists(self) -> Exists<'a, M> {
        self.find.exists()
    }

    /// Reads only the `_id`, as [`Find::ids`].
    pub fn id(self) -> OneId<'a, M> {
        OneId {
            find: self.project(),
        }
    }

    /// Requires the document: `.await` gives it, or [`Error::NotFound`], whose status is 404.
    ///
    /// ```
    /// # use mongo_model::{Database, Id, MongoModel, Result};
    /// # use serde::{Deserialize, Serialize};
    /// # #[derive(Serialize, Deserialize, MongoModel)]
    /// # #[model(collection = "users")]
    /// # pub struct User {
    /// #     #[serde(rename = "_id")]
    /// #     pub id: Id<User>,
    /// #     pub name: String,
    /// # }
    /// # async fn example(db: &Database, id: Id<User>) -> Result<()> {
    /// let user: User = User::get(db, id).required().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn required(self) -> Required<'a, M, O> {
        Required { find: self }
    }

    /// Returns the first document in this order.
    pub fn sort<C, S: IntoSort<M, C>>(self, order: impl FnOnce(M::FieldHandles) -> S) -> Self {
        FindOne {
            find: self.find.sort(order),
        }
    }

    /// Skips this many documents.
    pub fn skip(self, documents: u64) -> Self {
        FindOne {
            find: self.find.skip(documents),
        }
    }
}

impl<M: Model, O> Confined for FindOne<'_, M, O> {
    fn confined(self, wall: &Wall) -> Self {
        FindOne {
            find: self.find.confined(wall),
        }
    }
}

read_options!(['a, M, O] FindOne<'a, M, O>, find.options);
reads_in_transactions!(['a, M, O] FindOne<'a, M, O>, find.session);
document_scopes!(['a, M: Model, O] FindOne<'a, M, O>, M, find.scope);

awaits!(['a, M: Model, O: Projected<M>] FindOne<'a, M, O> => Option<O>, self {
    let mut find = self.find;
    let (strings, filter) = (find.strings(), find.take_filter()?);
    let Find { db, sort, skip, session, options, .. } = find;
    let projection = crate::projection::versions::asked::<M, O>();
    let reads = driver::Reads::AsConfigured;
    let args = driver::FindArgs { sort, skip, projection, strings, reads, options, ..driver::FindArgs::default() };
    driver::first(db, M::model_meta().collection, filter, args, session, driver::decode_as::<M, O>).await
});

/// A `find` for a document that has to exist, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct Required<'a, M, O = M> {
    find: FindOne<'a, M, O>,
}

impl<M, O> fmt::Debug for Required<'_, M, O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

read_options!(['a, M, O] Required<'a, M, O>, find.find.options);
reads_in_transactions!(['a, M, O] Required<'a, M, O>, find.find.session);
document_scopes!(['a, M: Model, O] Required<'a, M, O>, M, find.find.scope);

awaits!(['a, M: Model, O: Projected<M>] Required<'a, M, O> => O, self {
    let id = self.find.find.filter.as_ref().map_or(Bson::Null, id_in_filter);
    let document = self.find.await?;
    document.ok_or_else(|| Error::NotFound { model: M::model_meta().name, id: Box::new(id) })
});

/// A `find` for one id, about to be sent.
#[must_use = "nothing is sent before it is awaited"]
pub struct OneId<'a, M: Model> {
    find: FindOne<'a, M, OnlyId<M>>,
}

impl<M: Model> fmt::Debug for OneId<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

read_options!(['a, M: Model] OneId<'a, M>, find.find.options);
reads_in_transactions!(['a, M: Model] OneId<'a, M>, find.find.session);
document_scopes!(['a, M: Model] OneId<'a, M>, M, find.find.scope);

awaits!(['a, M: Model] OneId<'a, M> => Option<M::DocumentId>, self {
    Ok(self.find.await?.map(|found| found.id))
});

/// A test if there is such a document, about to be sent. `.await` gives a `bool`.
#[must_use = "nothing is sent before it is awaited"]
pub struct Exists<'a, M: Model> {
    find: Find<'a, M, OnlyId<M>>,
}

impl<M: Model> fmt::Debug for Exists<'_, M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.find.fmt(f)
    }
}

impl<'a, M: Model> Exists<'a, M> {
    pub(crate) fn of<O, K>(find: Find<'a, M, O, K>) -> Self {
        let mut find = find.retyped();
        find.sort = None;
        find.skip = None;
        Exists { find }
    }
}

read_options!(['a, M: Model] Exists<'a, M>, find.options);
reads_in_transactions!(['a, M: Model] Exists<'a, M>, find.session);
document_scopes!(['a, M: Model] Exists<'a, M>, M, find.scope);

awaits!(['a, M: Model] Exists<'a, M> => bool, self {
    if self.find.limit == Some(0) {
        return Ok(false);
    }
    Ok(FindOne { find: self.find }.await?.is_some())
});
