//! Making documents live again that are marked as deleted.

use std::fmt;
use std::marker::PhantomData;

use bson::Document;

use crate::bson_util::redacted::Redacted;
use crate::bson_util::stored_id::id_in_filter;
use crate::builder::{CallOptions, answers};
use crate::builder::{settles, write_hint, write_options, writes_in_transactions};
use crate::driver::{ClientSession, Database, Strings};
use crate::error::Error;
use crate::error::Result;
use crate::index::duplicate;
use crate::outcome::Outcome;
use crate::outcome::Pending;
use crate::outcome::deleted::Deleted;
use crate::schema::model::Model;
use crate::schema::soft_delete::Mark;
use crate::schema::soft_delete::{DocumentScope, SoftDeleted};
use crate::tenant::{Confined, Wall, confine};
use crate::write::cardinality::{Cardinality, Many, One};
use crate::write::send::events::{Emission, deliver_after};
use crate::write::send::mark::SoftMark;

/// Documents about to be made live again; `N` says how many. `.await` gives an [`Outcome`](crate::Outcome).
#[must_use = "nothing is sent before it is awaited"]
pub struct Restore<'a, M, N = One> {
    db: &'a Database,
    pub(super) filter: Result<Document>,
    pub(super) events: Emission,
    session: Option<&'a mut ClientSession>,
    notes: Option<&'a mut Vec<Pending>>,
    call: CallOptions,
    model: PhantomData<fn() -> (M, N)>,
}

/// The documents of a filter, about to be made live again.
pub type RestoreMany<'a, M> = Restore<'a, M, Many>;

impl<M, N: Cardinality> fmt::Debug for Restore<'_, M, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = if N::MANY { "RestoreMany" } else { "Restore" };
        f.debug_struct(name)
            .field("filter", &Redacted(&self.filter))
            .finish_non_exhaustive()
    }
}

impl<'a, M: SoftDeleted, N> Restore<'a, M, N> {
    pub(crate) fn new(db: &'a Database, filter: Result<Document>) -> Self {
        let deleted = |filter| DocumentScope::OnlyDeleted.restrict(M::model_meta(), filter);
        Restore {
            db,
            filter: filter.map(deleted),
            events: Emission::default(),
            session: None,
            notes: None,
            call: CallOptions::default(),
            model: PhantomData,
        }
    }
}

impl<M: Model, N> Confined for Restore<'_, M, N> {
    fn confined(mut self, wall: &Wall) -> Self {
        wall.set_options(&mut self.call);
        self.filter = confine::<M>(wall, self.filter);
        self
    }
}

writes_in_transactions!(Restore<N>);
settles!(Restore<N>, call);
write_options!(Restore<N>);
write_hint!(RestoreMany);

answers!(['a, M: SoftDeleted, N: Cardinality] Restore<'a, M, N> => Outcome, self, self.call.clone(), {
    let Restore { db, filter, mut events, session, notes, .. } = self;
    let (meta, filter, in_session) = (M::model_meta(), filter?, session.is_some());
    let id = (!N::MANY).then(|| id_in_filter(&filter));
    if N::MANY {
        events.by_many();
    }
    let marks = SoftMark::new(db, meta, Mark::Remove).emitting(&events);
    let restored = match N::MANY {
        true => marks.mark_many(filter, Strings::AsCollection, session).await,
        false => marks.mark_one(filter, session).await,
    };
    let restored = restored.map_err(|error| duplicate::typed(meta, error, &[]));
    let live = |restored: &Deleted| restored.deleted;
    let (restored, left) = deliver_after(&events, (db, meta.collection), in_session, restored, live).await?;
    match id {
        Some(id) if restored.deleted == 0 => Err(Error::NotFound { model: meta.name, id: Box::new(id) }),
        _ => {
            let mut outcome = outcome(restored);
            outcome.pending.extend(left);
            Ok(outcome.noted(notes))
        }
    }
});

fn outcome(restored: Deleted) -> Outcome {
    Outcome {
        matched: restored.deleted,
        modified: restored.deleted,
        pending: restored.pending,
        ..Outcome::default()
    }
}
