//! Following without a change stream: the documents are compared again and again.

use std::collections::HashSet;
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};

use super::batch::{Batch, Change};
use super::effects::Effects;
use super::fanned::Fanned;
use super::gaps::{OVERLAP, repair_scope};
use super::interest::Interests;
use super::position::{Pen, Scope};
use super::status::Role;
use super::{Settings, Shared};
use crate::bson_util::id_key::IdKey;
use crate::driver;
use crate::driver::FindArgs;
use crate::error::Result;

/// The interval between comparisons of everything, where time fields tell what has changed.
const WHOLE: Duration = Duration::from_secs(3_600);

/// The largest number of documents that are compared together.
const DOCUMENTS: usize = 1_000;

/// Looks again and again for as long as this program holds the lock.
pub(crate) async fn lead(
    pen: Pen,
    interests: &Interests,
    settings: &Settings,
    shared: &Shared,
    every: Duration,
) -> Result<()> {
    let claimed = pen.claim().await?;
    shared.change(|status| status.role = Role::Polling);
    let db = pen.db.clone();
    let mut effects = Effects {
        db: &db,
        interests,
        fanned: Fanned::default(),
    };
    let dangling: HashSet<String> = claimed.dangling.into_iter().collect();
    let mut polled = claimed.polled;
    let mut whole = claimed.whole;
    loop {
        let now = driver::server_time(&db).await?;
        let age = |then: Option<DateTime>| then.map(|then| now.saturating_duration_since(then));
        let timed = !settings.times.is_empty() && age(whole).is_some_and(|age| age < WHOLE);
        if timed {
            let since = polled.unwrap_or(DateTime::from_millis(0));
            let since = since.timestamp_millis() - i64::try_from(OVERLAP.as_millis()).unwrap_or(0);
            for (collection, field) in &settings.times {
                let newer = doc! { field: { "$gte": DateTime::from_millis(since) } };
                changed_since(&mut effects, collection, newer, &dangling, shared).await?;
            }
        } else {
            let scope = Scope::Everything {
                followed: whole.is_some(),
            };
            let compared = repair_scope(&db, interests, &scope).await?;
            whole = Some(now);
            let refused = compared.refused;
            shared.change(|status| refused.iter().for_each(|refused| status.note(refused)));
        }
        polled = Some(now);
        pen.write(doc! { "$set": { "polled": now, "whole": whole } })
            .await?;
        shared.change(|status| status.repaired += 1);
        tokio::time::sleep(every).await;
    }
}

/// Applies what the documents that meet a filter make necessary, as if each had just been stored.
async fn changed_since(
    effects: &mut Effects<'_>,
    collection: &'static str,
    filter: Document,
    dangling: &HashSet<String>,
    shared: &Shared,
) -> Result<()> {
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        ..FindArgs::default()
    };
    let db = effects.db;
    let mut rows = driver::open(db, collection, filter, args, None).await?;
    let mut more = true;
    while more {
        let mut batch = Batch::default();
        let changes = batch.changes.entry(collection).or_default();
        while changes.len() < DOCUMENTS {
            let row = rows
                .next(|raw| Ok(crate::bson_util::stored_id::id_of(raw)))
                .await?;
            let Some(id) = row.filter(|id| *id != Bson::Null) else {
                more = false;
                break;
            };
            changes.insert(IdKey::new(&id), Change::stored(id));
        }
        let seen = changes.len() as u64;
        let done = effects.apply(&batch, dangling).await?;
        shared.change(|status| {
            status.events += seen;
            status.sources += done.sources;
            status.targets += done.targets;
            status.parents += done.parents;
            done.refused.iter().for_each(|refused| status.note(refused));
        });
    }
    Ok(())
}
