//! Sending an update of many documents.

use super::send::{outcome_of, refused, remove_nulls};
use super::{Update, UpdateMany};
use crate::builder::answers;
use crate::driver::{self, Database, UpdateArgs};
use crate::error::Result;
use crate::outcome::Outcome;
use crate::propagation::keys;
use crate::schema::model::Model;
use crate::schema::stamps;
use crate::write::send::events::{Emission, deliver_after};
use crate::write::{migrate_one as migrate, send as write};

answers!(['a, M: Model] UpdateMany<'a, M> => Outcome, self, self.call.clone(), {
    let done = change_many(self).await;
    done.map_err(|error| refused(M::model_meta(), error))
});

async fn change_many<M: Model>(update: UpdateMany<'_, M>) -> Result<Outcome> {
    let Update {
        db,
        filter,
        mut changes,
        level,
        mut session,
        notes,
        ..
    } = update;
    let filter = filter?;
    changes.check::<M>()?;
    changes.check_for_many()?;
    changes.events.by_many();
    if changes.nothing_left() {
        return Ok(Outcome::default());
    }
    let (meta, in_session) = (M::model_meta(), session.is_some());
    let events = changes.events.clone();
    keys::unchanged(meta, &changes.paths())?;
    let nulls = changes.nulls();
    remove_nulls::<M>(db, (&filter, true), &nulls, session.as_deref_mut()).await?;
    let migrated = migrate::before::<M>(db, &filter, session.as_deref_mut()).await?;
    let prepared = match write::is_connected(meta)? {
        true => {
            let mut request = changes.request(None);
            request.many = Some(&filter);
            let held = session.as_deref_mut();
            write::prepare(db, meta, request, level, held).await?
        }
        false => None,
    };
    let (mut guarded, mut operators) = changes.command_for_many(filter)?;
    write::not_deleted(meta, &mut guarded);
    if let Some(prepared) = prepared {
        let done = write::update_many(db, meta, prepared, guarded, operators, session);
        let mut done = delivered::<M>(db, &events, done.await, in_session).await?;
        done.pending.extend(migrated);
        return Ok(done.noted(notes));
    }
    stamps::touch(meta, &mut operators);
    let args = UpdateArgs {
        strings: driver::Strings::AsCollection,
        ..UpdateArgs::plain(guarded, operators, true)
    };
    let done = driver::update(db, meta.collection, args, session).await;
    let done = done.map(|done| outcome_of(&done, migrated));
    let done = delivered::<M>(db, &events, done, in_session).await?;
    Ok(done.noted(notes))
}

/// Delivers the events of the documents that an update has changed, also of those before an error.
async fn delivered<M: Model>(
    db: &Database,
    events: &Emission,
    done: Result<Outcome>,
    in_session: bool,
) -> Result<Outcome> {
    let log = (db, M::model_meta().collection);
    let matched = |outcome: &Outcome| outcome.matched;
    let (mut outcome, left) = deliver_after(events, log, in_session, done, matched).await?;
    outcome.pending.extend(left);
    Ok(outcome)
}
