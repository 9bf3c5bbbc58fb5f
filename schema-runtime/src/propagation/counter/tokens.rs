//! C4: tokens leave their parents when nothing needs them any more, and each removal starts a new epoch. The counting is in another module,
//! because three others remove tokens too: the task that updates parents, the sweeper, and a writer that finds a full parent.

use std::collections::HashSet;
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};

use super::epochs::{self, Unneeded};
use super::resume::{Wanted, resume};
use super::{CountState, Parent, count_flags};
use crate::bson_util::id_key::IdKey;
use crate::driver::{self, Database, FindArgs};
use crate::error::Result;
use crate::finisher::{self, Open};
use crate::graph::edges::Edges;
use crate::graph::flags;
use crate::schema::stored;

/// The time that tokens wait for others that can be removed with them.
const LINGER: Duration = Duration::from_millis(20);

/// Removes a token that nothing needs any more from a parent; after the answer and together with other tokens, if the present call answers
/// before its work is done.
pub(super) async fn remove_token_soon(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    token: ObjectId,
) -> Result<()> {
    if !finisher::is_behind() {
        let mut tokens = epochs::take_finished(db, parent);
        tokens.push(token);
        return remove_in_epoch(db, parent, id, &tokens).await;
    }
    match epochs::finished(db, parent, token) {
        Unneeded::Now(tokens) => remove_in_epoch(db, parent, id, &tokens).await,
        Unneeded::Waiting => Ok(()),
        Unneeded::Later => {
            let (own, parent, id) = (db.clone(), parent.clone(), id.clone());
            let open = Open::unbounded(db);
            let later = async move {
                open.linger(LINGER).await;
                let tokens = epochs::take_finished(&own, &parent);
                remove_in_epoch(&own, &parent, &id, &tokens).await
            };
            finisher::defer(db, later).await
        }
    }
}

/// An expression for the tokens of a parent without these.
pub(super) fn without_tokens(unneeded: &[ObjectId]) -> Document {
    doc! { "$filter": {
        "input": { "$ifNull": [stored::value::COUNTED, []] },
        "cond": { "$not": [flags::has_one_of(unneeded)] },
    } }
}

/// Tokens and marks that can be removed from a parent. Removing tokens starts a new epoch.
#[derive(Debug)]
pub(crate) struct Removal<'a> {
    pub(crate) parent: Parent,
    pub(crate) id: &'a Bson,
    pub(crate) tokens: &'a [ObjectId],
    pub(crate) marks: &'a [ObjectId],
}

/// Removes marks and tokens that nothing needs any more from parents of one collection. Sends one command, if no other program removes
/// tokens meanwhile.
///
/// # Errors
/// The driver's.
pub(crate) async fn remove_all(
    db: &Database,
    host: &'static str,
    removals: &[Removal<'_>],
) -> Result<()> {
    let next = ObjectId::new();
    let mut epochs_of = Vec::new();
    let mut statements = Vec::new();
    for removal in removals {
        let known = epochs::cached_epoch(db, &removal.parent, epochs::now());
        let mut q = doc! { "_id": { "$eq": removal.id } };
        let mut stages = Vec::new();
        if !removal.marks.is_empty() {
            stages.extend(flags::unmark_links(removal.marks));
        }
        if !removal.tokens.is_empty() {
            // Only this epoch continues in the new epoch: in any other, another program has removed a token.
            q.insert(stored::COUNTS_EPOCH, known.flatten());
            let left = doc! { stored::COUNTED: without_tokens(removal.tokens), stored::COUNTS_EPOCH: next };
            stages.push(doc! { "$set": left });
        }
        epochs_of.push(known);
        statements.push(doc! { "q": q, "u": stages });
    }
    let done = driver::statements(db, host, &statements, false, None).await?;
    if done.failed.is_empty() && done.matched == statements.len() as u64 {
        for (removal, known) in removals.iter().zip(epochs_of) {
            if let (false, Some(known)) = (removal.tokens.is_empty(), known) {
                epochs::advance(db, &removal.parent, known, next);
            }
        }
        return Ok(());
    }
    // Some of these parents still have their tokens; a second removal does no harm.
    for removal in removals {
        if !removal.marks.is_empty() {
            let (q, u) = (
                doc! { "_id": { "$eq": removal.id } },
                flags::unmark_links(removal.marks),
            );
            driver::statements(db, host, &[doc! { "q": q, "u": u }], false, None).await?;
        }
        remove_tokens(db, &removal.parent, removal.id, removal.tokens).await?;
    }
    Ok(())
}

async fn remove_in_epoch(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    tokens: &[ObjectId],
) -> Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    let removal = Removal {
        parent: parent.clone(),
        id,
        tokens,
        marks: &[],
    };
    remove_all(db, parent.0, &[removal]).await
}

/// C4: removes these tokens from a parent, which starts a new epoch.
pub(crate) async fn remove_tokens(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    tokens: &[ObjectId],
) -> Result<()> {
    if tokens.is_empty() {
        return Ok(());
    }
    pull_tokens(
        db,
        parent,
        id,
        doc! { stored::TOKEN: { "$in": tokens.to_vec() } },
    )
    .await
}

pub(super) async fn pull_tokens(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    which: Document,
) -> Result<()> {
    let epoch = ObjectId::new();
    let update = doc! {
        "q": { "_id": { "$eq": id }, stored::COUNTED: { "$elemMatch": &which } },
        "u": { "$pull": { stored::COUNTED: which }, "$set": { stored::COUNTS_EPOCH: epoch } },
    };
    let done = driver::statements(db, parent.0, &[update], false, None).await?;
    if done.matched > 0 {
        epochs::learn(db, parent, Some(epoch));
    }
    Ok(())
}

/// Makes room for a token on a full parent: removes tokens that nothing needs. If that is not enough, it finishes the counts that other
/// programs have started.
pub(crate) async fn make_room(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    now: &CountState,
    help: bool,
) -> Result<()> {
    remove_unneeded_tokens(db, parent, id, now).await?;
    if help {
        let tokens: Vec<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
        for collection in counted_collections(parent.0) {
            let flagged = doc! { stored::UNCOUNTED_TOKEN: { "$in": tokens.clone() } };
            resume(db, collection, flagged, &mut |_| true).await?;
        }
    }
    Ok(())
}

/// The collections whose documents the documents of this collection count.
fn counted_collections(host: &str) -> Vec<&'static str> {
    let links = Edges::get().links().iter();
    let links = links.filter(|link| link.host.collection == host && link.counts());
    let mut out: Vec<&'static str> = links.map(|link| link.child.collection).collect();
    out.sort_unstable();
    out.dedup();
    out
}

/// Removes the tokens of a parent that no child has any more. Searches for children with these tokens twice, with a durable write in
/// between: either a crash can no longer undo the state that the first read saw, or the second read differs.
pub(super) async fn remove_unneeded_tokens(
    db: &Database,
    parent: &Parent,
    id: &Bson,
    now: &CountState,
) -> Result<bool> {
    let mut tokens: HashSet<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
    for look in 0..2 {
        if look == 1 {
            let one = std::slice::from_ref(id);
            driver::durable_read(db, parent.0, "_id", one, &doc! { "_id": 1 }).await?;
        }
        for collection in counted_collections(parent.0) {
            let asked: Vec<Bson> = tokens.iter().copied().map(Bson::ObjectId).collect();
            let fields = doc! { "_id": 0, stored::UNCOUNTED_TOKEN: 1 };
            let found = driver::read_by(
                db,
                collection,
                stored::UNCOUNTED_TOKEN,
                &asked,
                &fields,
                None,
            )
            .await?;
            for op in found.iter().flat_map(count_flags) {
                tokens.remove(&op.token);
            }
        }
        if tokens.is_empty() {
            return Ok(false);
        }
    }
    let tokens: Vec<ObjectId> = tokens.into_iter().collect();
    remove_tokens(db, parent, id, &tokens).await?;
    Ok(true)
}

/// Removes the tokens that no child has any more from all parents of this collection that meet a condition; returns how many parents had
/// such tokens.
///
/// # Errors
/// The driver's.
pub(crate) async fn remove_orphaned_tokens(
    db: &Database,
    host: &'static str,
    among: &Document,
    wanted: &mut Wanted<'_>,
) -> Result<u64> {
    let args = FindArgs {
        projection: Some(doc! { stored::COUNTS: 1 }),
        ..FindArgs::default()
    };
    let mut filter = doc! { stored::COUNTED_TOKEN: { "$exists": true } };
    filter.extend(among.clone());
    let mut rows = driver::open(db, host, filter, args, None).await?;
    let mut out = 0;
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        let Some(found) = row else { continue };
        let id = found.get("_id").cloned().unwrap_or(Bson::Null);
        let now = CountState::read(&found);
        let tokens: Vec<ObjectId> = now.tokens.iter().map(|(token, _)| *token).collect();
        if !tokens.is_empty() && wanted((&id, &tokens)) {
            let parent = (host, IdKey::new(&id));
            out += u64::from(remove_unneeded_tokens(db, &parent, &id, &now).await?);
        }
    }
    Ok(out)
}
