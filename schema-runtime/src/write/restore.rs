//! Making documents live again that are marked as deleted.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

#[cfg(feature = "driver")]
use crate::bson_util::stored_id::id_in_filter;
#[cfg(feature = "driver")]
use crate::builder::awaits;
use crate::builder::write_options;
#[cfg(feature = "driver")]
use crate::driver::{self, Strings, UpdateArgs};
#[cfg(feature = "driver")]
use crate::error::Error;
use crate::error::Result;
#[cfg(feature = "driver")]
use crate::index::duplicate;
#[cfg(feature = "driver")]
use crate::outcome::Outcome;
#[cfg(feature = "driver")]
use crate::schema::model::{Model, ModelMeta};
use crate::schema::soft_delete::{DocumentScope, SoftDeleted};
#[cfg(feature = "driver")]
use crate::schema::stamps;
#[cfg(feature = "driver")]
use crate::write::send as write;
use crate::{ClientSession, Database};

macro_rules! builder {
    ($(#[$doc:meta])* $builder:ident) => {
        $(#[$doc])*
        #[must_use = "nothing is sent before it is awaited"]
        pub struct $builder<'a, M> {
            db: &'a Database,
            filter: Result<Document>,
            session: Option<&'a mut ClientSession>,
            model: PhantomData<fn() -> M>,
        }

        impl<M> fmt::Debug for $builder<'_, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($builder))
                    .field("filter", &self.filter)
                    .finish_non_exhaustive()
            }
        }

        impl<'a, M: SoftDeleted> $builder<'a, M> {
            pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
                let deleted = |filter| DocumentScope::OnlyDeleted.restrict(M::model_meta(), filter);
                $builder {
                    db,
                    filter: filter.map(deleted),
                    session: None,
                    model: PhantomData,
                }
            }

            /// In this session, and in its transaction if one is open.
            pub fn session(mut self, session: &'a mut ClientSession) -> Self {
                self.session = Some(session);
                self
            }
        }
    };
}

builder!(
    /// A document about to be made live again. `.await` gives an [`Outcome`](crate::Outcome).
    Restore
);
builder!(
    /// Documents about to be made live again. `.await` gives an [`Outcome`](crate::Outcome).
    RestoreMany
);
write_options!(Restore, RestoreMany);

/// Removes the time from the documents that match.
#[cfg(feature = "driver")]
async fn restore(
    db: &Database,
    meta: &'static ModelMeta,
    filter: Document,
    (many, strings): (bool, Strings),
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let args = UpdateArgs {
        strings,
        ..UpdateArgs::plain(filter, stamps::restoration(meta), many)
    };
    let result = driver::update(db, meta.collection, args, session).await;
    let result = result.map_err(|error| duplicate::typed(meta, error, &[]))?;
    Ok(Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    })
}

#[cfg(feature = "driver")]
awaits!(['a, M: SoftDeleted] Restore<'a, M> => Outcome, self {
    let Restore { db, filter, mut session, .. } = self;
    let (meta, deleted) = (M::model_meta(), filter?);
    let mut filter = deleted.clone();
    let waits = write::not_deleted(meta, &mut filter) && session.is_none();
    for _ in 0..=write::WAITS {
        let how = (false, Strings::Exactly);
        let outcome = restore(db, meta, filter.clone(), how, session.as_deref_mut()).await?;
        if outcome.matched > 0 {
            return Ok(outcome);
        }
        // A document that is being purged goes, or is back after this.
        if !waits || !write::finish_blocking_delete(db, meta, &deleted).await? {
            return Err(Error::NotFound { model: meta.name, id: Box::new(id_in_filter(&deleted)) });
        }
    }
    Err(Error::Unsettled { model: meta.name, id: Box::new(id_in_filter(&deleted)) })
});

#[cfg(feature = "driver")]
awaits!(['a, M: Model] RestoreMany<'a, M> => Outcome, self {
    let (meta, mut filter) = (M::model_meta(), self.filter?);
    write::not_deleted(meta, &mut filter);
    restore(self.db, meta, filter, (true, Strings::AsCollection), self.session).await
});
