//! One update of many documents: U1 to U4 of PROTOCOL 15.C5.

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongodb::options::UpdateModifications;

use super::{Prepared, pending_marks, still};
use crate::crud::driver::{self, Lasting, UpdateArgs};
use crate::denorm::edges::Edges;
use crate::denorm::flags;
use crate::denorm::outcome::{Outcome, Pending, What};
use crate::denorm::{source, target};
use crate::error::Result;
use crate::model::ModelMeta;
use crate::{ClientSession, Database};

/// Changes many documents; what is copied from them, and what they copy, follows.
pub(crate) async fn update_many(
    db: &Database,
    edges: &'static Edges,
    meta: &'static ModelMeta,
    prepared: &Prepared,
    mut filter: Document,
    mut operators: Document,
    session: Option<&mut ClientSession>,
) -> Result<Outcome> {
    let collection = meta.collection;
    let token = ObjectId::new();
    prepared.mark(&mut operators);
    if !prepared.touched.is_empty() {
        filter.insert("_dn.del", doc! { "$exists": false });
        flags::merge(&mut operators, "$set", doc! { "_dn.b": token });
        flags::bump(&mut operators, &prepared.touched);
    }
    let args = UpdateArgs {
        filter,
        changes: UpdateModifications::Document(operators),
        many: true,
        upsert: false,
        lasting: Lasting::Durable,
    };
    let in_session = session.is_some();
    fault!("before_w1");
    let result = driver::update(db, collection, args, session).await?;
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
    let flags = prepared.touched.iter().map(|edge| Pending {
        edge: (*edge).to_owned(),
        collection: collection.to_owned(),
        what: What::Sources(token),
        reason: None,
    });
    let flags: Vec<Pending> = flags.collect();
    if in_session {
        outcome.pending = marks;
        outcome.pending.extend(flags);
        return Ok(outcome);
    }
    if !marks.is_empty() {
        fault!("after_i1");
        let filter = doc! { "_dn.u.t": prepared.token };
        match target::resume(db, edges, collection, filter, &mut |_| true).await {
            Ok(verified) => {
                outcome
                    .pending
                    .extend(verified.failed.into_iter().flat_map(|(_, reason)| {
                        let mut marks = marks.clone();
                        marks
                            .iter_mut()
                            .for_each(|mark| mark.reason = Some(reason.clone()));
                        marks
                    }))
            }
            Err(error) => outcome.pending.extend(still(error, marks)?),
        }
    }
    if !flags.is_empty() {
        let filter = of_batch(&prepared.touched, token);
        match source::resume(db, edges, collection, filter, &mut |_| true).await {
            Ok(left) => outcome.pending.extend(left.pending),
            Err(error) => outcome.pending.extend(still(error, flags)?),
        }
    }
    Ok(outcome)
}

/// The sources that one `update_many` changed and nobody has looked at yet, found through the index of pending edges.
pub(crate) fn of_batch(touched: &[&str], token: ObjectId) -> Document {
    doc! { "_dn.p": { "$in": touched.to_vec() }, "_dn.b": token }
}
