//! One update of many documents: U1 to U4 of PROTOCOL 15.C5.

use std::sync::Arc;

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongodb::options::UpdateModifications;
use mongodb::results::UpdateResult;

use super::early::{self, Changed, Early, Rest};
use super::inside::{self, with_copies};
use super::{Prepared, into_pending, pending_counts, pending_marks};
use crate::driver::{FindArgs, Lasting, UpdateArgs};
use crate::error::Result;
use crate::finisher;
use crate::graph::edges::Edge;
use crate::graph::flags;
use crate::graph::source::Source;
use crate::outcome::{Outcome, Pending, What};
use crate::propagation::parents::ParentChanges;
use crate::propagation::target::Unverified;
use crate::propagation::{counter, source, target};
use crate::schema::model::ModelMeta;
use crate::schema::stored;
use crate::{ClientSession, Database, driver};

/// Changes many documents, and propagates to the copies of them and in them.
pub(crate) async fn update_many(
    db: &Database,
    meta: &'static ModelMeta,
    mut prepared: Prepared,
    mut filter: Document,
    mut operators: Document,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let collection = meta.collection;
    let token = ObjectId::new();
    // Flags are how the changed sources are found at all.
    prepared.touched = prepared.touched.all_flagged();
    let piped = prepared.moves;
    if !piped {
        prepared.mark(&mut operators);
    }
    if let Some(passed_over) = prepared.passed_over.take() {
        filter = doc! { "$and": [filter, passed_over] };
    }
    if !prepared.touched.is_empty() || prepared.begun.is_some() || prepared.marking.is_some() {
        filter.insert(stored::TOMBSTONE, doc! { "$exists": false });
    }
    let changes = if piped {
        // Children that are only counted are found by a flag of their own.
        let batch = (!prepared.touched.is_empty()).then_some(token);
        UpdateModifications::Pipeline(prepared.pipeline(&operators, batch))
    } else if prepared.touched.is_empty() {
        UpdateModifications::Document(operators)
    } else {
        crate::bson_util::operators::merge(&mut operators, "$set", doc! { stored::BATCH: token });
        flags::bump(&mut operators, &prepared.touched.flagged);
        UpdateModifications::Document(operators)
    };
    let in_session = session.is_some();
    fault!("before_w1");
    let result = with_copies!(db, !prepared.touched.inside.is_empty(), session, _own => {
        write(db, collection, &prepared, (&filter, &changes), token, session).await
    });
    fault!("after_w1");
    let mut outcome = Outcome {
        matched: result.matched_count,
        modified: result.modified_count,
        ..Outcome::default()
    };
    if result.modified_count == 0 {
        return Ok(outcome);
    }
    let marks = pending_marks(collection, prepared.token, &prepared.references);
    let flags = prepared.touched.flagged.iter().map(|edge| Pending {
        edge: (*edge).to_owned(),
        collection: collection.to_owned(),
        what: What::Sources(token),
        reason: None,
    });
    let flags: Vec<Pending> = flags.collect();
    let counts = prepared
        .begun
        .map(|begun| pending_counts(collection, begun));
    if in_session {
        outcome.pending = marks;
        outcome.pending.extend(flags);
        outcome.pending.extend(counts.into_iter().flatten());
        return Ok(outcome);
    }
    let rest = match apply(db, collection, &prepared, token).await {
        Ok(Early::Done(_)) => return Ok(outcome),
        Ok(Early::Not(rest)) => rest,
        Err(error) => {
            let all = marks.into_iter().chain(flags);
            let all = all.chain(counts.into_iter().flatten()).collect();
            outcome.pending = into_pending(error, all)?;
            return Ok(outcome);
        }
    };
    let left = follow(db, collection, &prepared, token, (marks, flags), &rest).await?;
    outcome.pending = left;
    rest.finish(outcome.pending.is_empty());
    Ok(outcome)
}

/// The separate steps after U1: counts, new copies unless they are compared already, and sources.
async fn follow(
    db: &Database,
    collection: &'static str,
    prepared: &Prepared,
    token: ObjectId,
    (marks, flags): (Vec<Pending>, Vec<Pending>),
    rest: &Rest,
) -> Result<Vec<Pending>> {
    let mut pending = Vec::new();
    if let Some(begun) = prepared.begun
        && let Err(error) = counter::finish_batch(db, collection, begun).await
    {
        let counts = pending_counts(collection, begun);
        pending.extend(into_pending(error, counts)?);
    }
    if !marks.is_empty() && !rest.copied {
        fault!("after_i1");
        let (mark, references) = (prepared.token, &prepared.references);
        let sources = prepared.sources.as_ref();
        if !early::compare_behind(db, collection, mark, references, sources).await {
            let left = resume_marks(db, collection, (mark, references), marks).await?;
            pending.extend(left);
        }
    }
    if !flags.is_empty() {
        let filter = of_batch(&prepared.touched.flagged, token);
        match source::finish_flagged(db, collection, filter, &mut |_| true).await {
            Ok(left) => pending.extend(left.pending),
            Err(error) => pending.extend(into_pending(error, flags)?),
        }
    }
    Ok(pending)
}

/// How many counted children of one call are read to apply all of their changes at once.
const CHILDREN: usize = 10_000;

/// Updates the parents of counted children before the call answers, and removes all flags of the children after that, where that is possible.
async fn apply(
    db: &Database,
    collection: &'static str,
    prepared: &Prepared,
    token: ObjectId,
) -> Result<Early> {
    let lists = ParentChanges::are_all(collection, &prepared.touched.flagged);
    if !finisher::is_behind() || prepared.begun.is_none() || !lists {
        return Ok(Early::Not(Rest::default()));
    }
    let Some(children) = changed(db, collection, prepared, token).await? else {
        return Ok(Early::Not(Rest::default()));
    };
    let is_marked = |child: &&Source| {
        flags::has_token(
            flags::marks(&child.fields, stored::key::UNVERIFIED),
            prepared.token,
        )
    };
    let marked = children.iter().filter(is_marked).map(|child| Unverified {
        id: child.id.clone(),
        tokens: vec![prepared.token],
        references: prepared.references.clone(),
    });
    let marked: Vec<Unverified> = marked.collect();
    let changed = Changed {
        begun: prepared.begun,
        children: children.into_iter().map(Arc::new).collect(),
        marked: &marked,
        sources: prepared.sources.as_ref().filter(|_| !marked.is_empty()),
        filled: true,
    };
    early::apply(db, collection, changed, &[]).await
}

/// U2 of counted children: reads durably all documents that the call has flagged or marked. `None` if they are too many.
async fn changed(
    db: &Database,
    collection: &'static str,
    prepared: &Prepared,
    token: ObjectId,
) -> Result<Option<Vec<Source>>> {
    let mut any = Vec::new();
    if !prepared.touched.is_empty() {
        any.push(of_batch(&prepared.touched.flagged, token));
    }
    if let Some(begun) = prepared.begun {
        any.push(doc! { stored::UNCOUNTED_TOKEN: begun.token });
    }
    if !prepared.references.is_empty() {
        any.push(doc! { stored::UNVERIFIED_TOKEN: prepared.token });
    }
    let args = FindArgs {
        projection: Some(doc! { "_id": 1 }),
        limit: i64::try_from(CHILDREN + 1).ok(),
        ..FindArgs::default()
    };
    let mut rows = driver::open(db, collection, doc! { "$or": any }, args, None).await?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        ids.extend(row.and_then(|mut row| row.remove("_id")));
    }
    if ids.len() > CHILDREN {
        return Ok(None);
    }
    let fields = source::fields(collection);
    let mut children = Vec::new();
    for page in ids.chunks(source::SOURCES) {
        let read = driver::durable_read(db, collection, "_id", page, &fields).await?;
        children.extend(read.into_iter().map(Source::read));
    }
    fault!("sweep_after_read");
    Ok(Some(children))
}

/// Compares the new copies under one token with the sources that these references lead to; `marks` are what is pending where that fails.
pub(crate) async fn resume_marks(
    db: &Database,
    collection: &'static str,
    (token, references): (ObjectId, &[(&'static Edge, Bson)]),
    marks: Vec<Pending>,
) -> Result<Vec<Pending>> {
    match target::verify_together(db, collection, token, references, &[]).await {
        Ok(true) => return Ok(Vec::new()),
        Ok(false) => {}
        Err(error) => return into_pending(error, marks),
    }
    let filter = doc! { stored::UNVERIFIED_TOKEN: token };
    match target::resume(db, collection, filter, &mut |_| true).await {
        Ok(verified) => {
            let failed = verified.failed.into_iter().flat_map(|(_, reason)| {
                let mut marks = marks.clone();
                marks
                    .iter_mut()
                    .for_each(|mark| mark.reason = Some(reason.clone()));
                marks
            });
            Ok(failed.collect())
        }
        Err(error) => into_pending(error, marks),
    }
}

/// U1, and in a session the copies that are to be written in its transaction.
async fn write(
    db: &Database,
    collection: &str,
    prepared: &Prepared,
    (filter, changes): (&Document, &UpdateModifications),
    token: ObjectId,
    mut session: Option<&mut ClientSession>,
) -> Result<UpdateResult> {
    let args = UpdateArgs {
        filter: filter.clone(),
        changes: changes.clone(),
        many: true,
        upsert: false,
        lasting: Lasting::Durable,
        strings: match &prepared.marking {
            Some(marking) => marking.strings,
            None => driver::Strings::AsCollection,
        },
    };
    let result = driver::update(db, collection, args, session.as_deref_mut()).await?;
    if let (Some(begun), Some(session)) = (prepared.begun, session.as_deref_mut()) {
        counter::batch_in_session(db, collection, begun, session).await?;
    }
    let Some(session) = session.filter(|_| !prepared.touched.inside.is_empty()) else {
        return Ok(result);
    };
    let args = FindArgs {
        projection: Some(source::fields(collection)),
        limit: Some(inside::SOURCES + 1),
        ..FindArgs::default()
    };
    let filter = of_batch(&prepared.touched.flagged, token);
    let mut rows = driver::open(db, collection, filter, args, Some(&mut *session)).await?;
    let mut sources = Vec::new();
    while let Some(row) = rows.next(|raw| Ok(Document::try_from(raw).ok())).await? {
        sources.extend(row.map(Source::read));
    }
    drop(rows);
    if sources.len() as i64 <= inside::SOURCES {
        let sources: Vec<&Source> = sources.iter().collect();
        inside::fan_out(db, &prepared.touched.inside, &sources, session).await?;
    }
    Ok(result)
}

/// The filter for the sources that one `update_many` changed and that are still pending; served by the index of pending edges.
pub(crate) fn of_batch(touched: &[&str], token: ObjectId) -> Document {
    doc! { stored::PENDING: { "$in": touched.to_vec() }, stored::BATCH: token }
}
