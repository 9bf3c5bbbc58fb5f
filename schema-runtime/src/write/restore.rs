//! Making documents live again that are marked as deleted.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::answers;
use crate::builder::{in_sessions, settles, write_hint, write_options};
use crate::driver::Strings;
use crate::error::Error;
use crate::error::Result;
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::schema::model::Model;
use crate::schema::soft_delete::Mark;
use crate::schema::soft_delete::{DocumentScope, SoftDeleted};
use crate::write::send::mark::SoftMark;
use crate::{ClientSession, Database};

macro_rules! builder {
    ($(#[$doc:meta])* $builder:ident) => {
        $(#[$doc])*
        #[must_use = "nothing is sent before it is awaited"]
        pub struct $builder<'a, M> {
            db: &'a Database,
            filter: Result<Document>,
            session: Option<&'a mut ClientSession>,
            notes: Option<&'a mut Vec<Pending>>,
            settled: bool,
            model: PhantomData<fn() -> M>,
        }

        impl<M> fmt::Debug for $builder<'_, M> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($builder))
                    .field("filter", &Redacted(&self.filter))
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
                    notes: None,
                    settled: false,
                    model: PhantomData,
                }
            }
        }

        in_sessions!($builder);
        settles!($builder, settled);
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
write_hint!(RestoreMany);

answers!(['a, M: SoftDeleted] Restore<'a, M> => Outcome, self, self.settled, {
    let Restore { db, filter, session, notes, .. } = self;
    let (meta, filter) = (M::model_meta(), filter?);
    let id = id_in_filter(&filter);
    let restored = SoftMark::new(db, meta, Mark::Remove).mark_one(filter, session).await;
    let restored = restored.map_err(|error| duplicate::typed(meta, error, &[]))?;
    match restored.deleted {
        0 => Err(Error::NotFound { model: meta.name, id: Box::new(id) }),
        _ => Ok(outcome(restored).noted(notes)),
    }
});

answers!(['a, M: Model] RestoreMany<'a, M> => Outcome, self, self.settled, {
    let (meta, filter) = (M::model_meta(), self.filter?);
    let marks = SoftMark::new(self.db, meta, Mark::Remove);
    let restored = marks.mark_many(filter, Strings::AsCollection, self.session).await;
    let restored = restored.map_err(|error| duplicate::typed(meta, error, &[]))?;
    Ok(outcome(restored).noted(self.notes))
});

fn outcome(restored: Deleted) -> Outcome {
    Outcome {
        matched: restored.deleted,
        modified: restored.deleted,
        pending: restored.pending,
        ..Outcome::default()
    }
}
