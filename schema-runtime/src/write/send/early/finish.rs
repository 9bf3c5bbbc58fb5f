//! The last steps of changed documents, behind the answers of their calls: their copies are compared with a durable read of the sources,
//! and all flags of a document are removed by one statement.

use bson::oid::ObjectId;
use bson::{Bson, doc};
use futures::future::BoxFuture;

use super::clear;
use super::unfinished::{Flagged, Parents, Unfinished};
use crate::driver::{self, Database};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::Pending;
use crate::propagation::parents::Finished;
use crate::propagation::source_reads::ReadMode;
use crate::propagation::sources_by_key::{SourcesByKey, read_by_keys};
use crate::propagation::target::{Resumed, Unverified};
use crate::propagation::{counter, source, target};
use crate::schema::stored;

/// The largest number of documents that are finished together.
const DOCUMENTS: usize = 5_000;

/// The documents after their last steps.
#[derive(Debug)]
pub(super) struct Done {
    pub(super) state: Finished,
    /// The reason why the server refused a correction, or another program still has to finish a document: its flags stay.
    pub(super) refused: Option<String>,
}

impl Done {
    /// These changes with the reason of the refusal, if a change is pending.
    pub(super) fn into_pending(self, mut pending: Vec<Pending>) -> Vec<Pending> {
        let Some(reason) = self.refused else {
            return Vec::new();
        };
        for one in &mut pending {
            one.reason = Some(reason.clone());
        }
        pending
    }
}

/// Finishes changed documents of one collection, as a batch behind the answers of their calls.
pub(super) fn run(
    db: Database,
    collection: &'static str,
    calls: Vec<Unfinished>,
) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let finished = finish(&db, collection, &calls).await;
        match &finished {
            Ok(Done {
                refused: Some(reason),
                ..
            }) => finisher::failed(&db, reason.clone()),
            finished => finisher::done(&db, finished),
        }
        let state = finished.map_or(Finished::Failed, |done| done.state);
        let tickets = calls.into_iter().flat_map(|call| call.tickets);
        tickets.for_each(|ticket| ticket.finish(state));
    })
}

/// Finishes these documents: by one command if none of them has changed since, else by the steps that finish any flagged document.
///
/// # Errors
/// The driver's. Flags may stay then.
pub(super) async fn finish(
    db: &Database,
    collection: &'static str,
    calls: &[Unfinished],
) -> Result<Done> {
    let parents = Parents::read(db, calls).await?;
    let is_confirmed = |call: &Unfinished| !call.has_left_parents && parents.confirm(call);
    let confirmed = calls.iter().all(is_confirmed);
    let documents = calls
        .iter()
        .flat_map(|call| call.documents.iter().map(move |one| (call, one)));
    let documents: Vec<(&Unfinished, &Flagged)> = documents.collect();
    let mut done = Done {
        state: Finished::Confirmed,
        refused: None,
    };
    for page in documents.chunks(DOCUMENTS) {
        let of_page = match confirmed {
            true => finish_page(db, collection, page, &parents).await?,
            false => resume(db, collection, page).await?,
        };
        done.state = done.state.max(of_page.state);
        done.refused = done.refused.or(of_page.refused);
    }
    Ok(done)
}

async fn finish_page(
    db: &Database,
    collection: &'static str,
    documents: &[(&Unfinished, &Flagged)],
    parents: &Parents,
) -> Result<Done> {
    let mut marked = documents.iter().map(|(_, one)| one.unverified.is_some());
    if marked.any(|marked| marked) && target::has_moved(db, collection).await? {
        return resume(db, collection, documents).await;
    }
    let known = read_sources(db, documents, parents).await?;
    fault!("after_i2");
    if let Some(statements) = clear::statements(documents, &known, parents) {
        let done = driver::statements(db, collection, &statements, false, None).await?;
        fault!("after_fused_clear");
        if done.failed.is_empty() && done.matched == documents.len() as u64 {
            return Ok(Done {
                state: Finished::Confirmed,
                refused: None,
            });
        }
    }
    resume(db, collection, documents).await
}

/// I2: the sources that were not read with an update of a parent.
async fn read_sources(
    db: &Database,
    documents: &[(&Unfinished, &Flagged)],
    parents: &Parents,
) -> Result<SourcesByKey> {
    let wanted: Vec<(&'static Edge, Bson)> = documents
        .iter()
        .flat_map(|(call, one)| {
            let references = one.unverified.iter().flat_map(|marked| &marked.references);
            references.filter(|(edge, key)| {
                !call.is_shown(edge, key) && call.parent(edge, key, parents).is_none()
            })
        })
        .cloned()
        .collect();
    if wanted.is_empty() {
        return Ok(SourcesByKey::default());
    }
    let marked = documents
        .iter()
        .filter_map(|(_, one)| one.unverified.as_ref());
    let tenants = marked.map(|marked| &marked.tenant);
    read_by_keys(db, &wanted, target::common(tenants), ReadMode::Durably).await
}

/// The steps of a finisher, for documents that something else has changed.
async fn resume(
    db: &Database,
    collection: &'static str,
    documents: &[(&Unfinished, &Flagged)],
) -> Result<Done> {
    let ids: Vec<&Bson> = documents.iter().map(|(_, one)| &one.id).collect();
    let flagged = |field: &str| {
        let mut filter = doc! { "_id": flags::ids_of(&ids) };
        filter.insert(field, doc! { "$exists": true });
        filter
    };
    let mut every = |_: &Unverified| true;
    let mut all = |_: &Source| true;
    let any = |has: fn(&Flagged) -> bool| documents.iter().any(|(_, one)| has(one));
    let mut done = Done {
        state: Finished::Changed,
        refused: None,
    };
    if any(|one| one.unverified.is_some()) {
        let verified = target::resume(
            db,
            collection,
            flagged(stored::UNVERIFIED_TOKEN),
            &mut every,
        );
        done.refused = refused(collection, verified.await?);
    }
    if any(|one| one.counted.is_some()) {
        counter::resume(
            db,
            collection,
            flagged(stored::UNCOUNTED_TOKEN),
            &mut |_| true,
        )
        .await?;
    }
    if any(|one| !one.pending.is_empty()) {
        let left = source::resume(db, collection, flagged(stored::PENDING), &mut all);
        let mut left = left.await?.pending.into_iter();
        if let Some(left) = left.next() {
            // The parents may not agree with this document: the flags that were left on them stay.
            done.state = Finished::Failed;
            done.refused = done.refused.or(left.reason);
        }
    }
    Ok(done)
}

/// The reason why a mark stays after a comparison.
fn refused(collection: &str, compared: Resumed) -> Option<String> {
    let dangling = compared.dangling;
    let mut failed = compared.failed.into_iter().map(|(_, reason)| reason);
    failed.next().or_else(|| {
        (dangling > 0).then(|| format!("{dangling} references in {collection} lead nowhere"))
    })
}

/// Compares the new copies under a token with their sources behind the answer of the present call, if the call may answer early and these
/// are the sources of all copies, whose values it has stored. `false` if the copies have to be compared in the call.
pub(crate) async fn compare_behind(
    db: &Database,
    collection: &'static str,
    token: ObjectId,
    (references, tenant): (&[(&'static Edge, Bson)], Option<&Bson>),
    sources: Option<&SourcesByKey>,
) -> bool {
    let stored = sources.is_some_and(|sources| sources.are_of(references));
    if !finisher::is_behind() || !stored {
        return false;
    }
    let (own, references, tenant) = (db.clone(), references.to_vec(), tenant.cloned());
    let compared = async move {
        if target::verify_together(&own, collection, token, (&references, tenant.as_ref()), &[])
            .await?
        {
            return Ok(None);
        }
        let filter = doc! { stored::UNVERIFIED_TOKEN: token };
        let compared = target::resume(&own, collection, filter, &mut |_| true).await?;
        Ok(refused(collection, compared))
    };
    finisher::later(db, compared).await;
    true
}
