//! A repair overtakes writers that read a source before another program changed it: from then on their copies are older than the source.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use bson::{Bson, Document, doc};

use super::repaired::Repaired;
use super::verify::{Defect, Wrong, chosen, chosen_kept, chosen_links};
use crate::bson_util::id_key::IdKey;
use crate::bson_util::stored_id::id_of;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::{Pending, What};
use crate::propagation::{counter, source, target};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::tenant::Scope;

/// The sources that a repair has raised and fanned out, by collection.
pub(crate) type Fanned = HashSet<(&'static str, IdKey)>;

/// The write that gives a source a revision that no copy and no writer has, not even one that read a document which another program has put
/// back since. It sets no flag: a copy that is wrong is marked next, and a right one stays right.
fn raise(id: &Bson, far: i64) -> Document {
    let known = doc! { "$isNumber": stored::value::REVISION };
    let raised = flags::raised(flags::revision_above_all(known, far), None);
    doc! {
        "q": { "_id": { "$eq": id }, stored::TOMBSTONE: { "$exists": false } },
        "u": [raised],
    }
}

/// Raises these sources, and fans out the flagged ones: the writer that set the flag has to do its work again. Returns the flagged ones.
async fn raise_all(
    db: &Database,
    collection: &'static str,
    ids: &[Bson],
    out: &mut Repaired,
) -> Result<Vec<Bson>> {
    let far = flags::far_revision();
    let updates: Vec<Document> = ids.iter().map(|id| raise(id, far)).collect();
    let sent = driver::statements(db, collection, &updates, false, None).await?;
    for (n, code, message) in sent.failed {
        out.refused
            .push((ids[n].clone(), format!("{message} ({code})")));
    }
    fault!("after_overtake");
    let mut fanned = Vec::new();
    let fields = source::fields(collection);
    for ids in ids.chunks(source::SOURCES) {
        let read = driver::durable_read(db, collection, "_id", ids, &fields).await?;
        let flagged = |source: &Source| {
            let mut pending = source.pending.iter();
            !source.deleted && pending.any(|name| Edges::get().knows(collection, name))
        };
        let flagged: Vec<Source> = read.into_iter().map(Source::read).filter(flagged).collect();
        fanned.extend(flagged.iter().map(|source| source.id.clone()));
        let left = source::finish(db, collection, flagged, &[]).await?;
        out.refused.extend(left.pending.into_iter().map(refusal));
    }
    Ok(fanned)
}

fn refusal(pending: Pending) -> (Bson, String) {
    let reason = pending.to_string();
    match pending.what {
        What::Source(id) => (id, reason),
        _ => (Bson::Null, reason),
    }
}

/// Finishes all that is flagged among the documents of these models and their sources, at revisions that no other writer has. A writer that
/// is about to finish it may have read its values before another program changed them, and clears its flag without another look.
pub(crate) async fn flagged(
    db: &Database,
    models: Option<&[&'static ModelMeta]>,
    scope: &Scope,
    out: &mut Repaired,
) -> Result<()> {
    let mut sources: BTreeSet<&'static str> = BTreeSet::new();
    let mut targets: BTreeSet<&'static str> = BTreeSet::new();
    for edge in chosen(models).filter(|edge| edge.marks()) {
        targets.insert(edge.target.collection);
        if !edge.live.is_empty() {
            sources.insert(edge.source.collection);
        }
    }
    let links = chosen_links(models).chain(chosen_kept(models));
    sources.extend(links.map(|link| link.child.collection));
    for collection in targets {
        let marked = doc! { stored::UNVERIFIED_TOKEN: { "$exists": true } };
        let Some(marked) = scope.filter(collection, marked) else {
            continue;
        };
        let done = target::resume(db, collection, marked, &mut |document| {
            !document.tokens.is_empty()
        })
        .await?;
        out.documents += done.finished;
        out.orphans += done.applied;
        out.refused.extend(done.failed);
    }
    for collection in sources {
        let args = FindArgs {
            projection: Some(doc! { "_id": 1 }),
            ..FindArgs::default()
        };
        let flagged = doc! {
            stored::PENDING: { "$in": Edges::get().flagged(collection) },
            stored::TOMBSTONE: { "$exists": false },
        };
        let Some(flagged) = scope.filter(collection, flagged) else {
            continue;
        };
        let mut rows = driver::open(db, collection, flagged, args, None).await?;
        let mut more = true;
        while more {
            let mut ids = Vec::new();
            while more && ids.len() < source::SOURCES {
                match rows.next(|raw| Ok(id_of(raw))).await? {
                    Some(id) => ids.push(id),
                    None => more = false,
                }
            }
            if !ids.is_empty() {
                let fanned = raise_all(db, collection, &ids, out).await?;
                out.sources += fanned.len() as u64;
            }
        }
    }
    Ok(())
}

/// Counts the children that are flagged for parents of these models, and clears the flags; returns the number of flags. Without this, a
/// number that is right already would be wrong after the writer, or a finisher, has counted the children.
pub(crate) async fn count_flagged(
    db: &Database,
    models: Option<&[&'static ModelMeta]>,
    scope: &Scope,
) -> Result<u64> {
    let counting = chosen_kept(models).filter(|link| link.counts());
    let children: BTreeSet<&'static str> = counting.map(|link| link.child.collection).collect();
    let mut cleared = 0;
    for collection in children {
        let flagged = doc! { stored::UNCOUNTED_TOKEN: { "$exists": true } };
        if let Some(flagged) = scope.filter(collection, flagged) {
            cleared += counter::resume(db, collection, flagged, &mut |_| true).await?;
        }
    }
    Ok(cleared)
}

/// Raises the sources of copies that are stale, before these are marked. A copy that is compared at the revision that its source has can be
/// overwritten by a late fan-out of that revision, from before another program's change. Returns the sources that were fanned out.
pub(crate) async fn stale(db: &Database, wrong: &[Wrong], out: &mut Repaired) -> Result<Fanned> {
    let mut sources: BTreeMap<&'static str, HashMap<IdKey, Bson>> = BTreeMap::new();
    for wrong in wrong {
        let stale = matches!(wrong.finding.kind, Defect::Stale | Defect::WrongType);
        if let (Some(id), true, false) = (&wrong.source, stale, wrong.of_reference) {
            let sources = sources.entry(wrong.edge.source.collection).or_default();
            sources.insert(IdKey::new(id), id.clone());
        }
    }
    let mut all = Fanned::new();
    for (collection, ids) in sources {
        let ids: Vec<Bson> = ids.into_values().collect();
        let fanned = raise_all(db, collection, &ids, out).await?;
        all.extend(fanned.iter().map(|id| (collection, IdKey::new(id))));
    }
    Ok(all)
}
