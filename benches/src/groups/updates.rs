//! Calls on one document, which cost one round trip here and there.

use std::hint::black_box;

use bson::{Document, doc};
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel};

use crate::Result;
use crate::context::Context;
use crate::models::{Gear, Part, nth};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

pub(crate) async fn run(context: &Context) -> Result<Section> {
    context.seed((0..1_000).map(Gear::nth)).await?;
    context.seed((0..1_000).map(Part::nth)).await?;
    let db = &context.db;
    let calls = context.size(200, 5);
    let mut section = Section {
        name: "updates",
        ..Section::default()
    };

    let limit = Limit::AtMost(1.02);
    let title = "update of a source that touches no copied field";
    let update = context
        .race(title, 40)
        .sends("by hand", || {
            updated_by_hand(db, calls, Document::new()).boxed()
        })
        .sends("by hand, guarded", || {
            // A program that also deletes documents in steps has to leave those alone that are being deleted.
            let guard = doc! { "_dn.del": { "$exists": false } };
            updated_by_hand(db, calls, guard).boxed()
        })
        .sends("mongo-model", || updated(db, calls).boxed())
        .run()
        .await?;
    // The server finds a document by its `_id` alone without a plan; with a guard it makes one.
    for (theirs, limit) in [
        ("by hand", Limit::AtMost(1.25)),
        ("by hand, guarded", limit),
    ] {
        let row = Row::wall(title, &update, "mongo-model", theirs, limit);
        section.rows.push(row);
    }
    section.tables.push(update.table("call", Measure::Client));

    let title = "find of one document by its id";
    let find = context
        .race(title, 40)
        .sends("by hand", || found_by_hand(db, calls).boxed())
        .sends("mongo-model", || found(db, calls).boxed())
        .run()
        .await?;
    let row = Row::wall(title, &find, "mongo-model", "by hand", limit);
    section.rows.push(row);
    section.tables.push(find.table("call", Measure::Client));
    Ok(section)
}

async fn updated_by_hand(db: &Database, calls: usize, guard: Document) -> Result<usize> {
    let gears = db.collection::<Gear>("gears");
    let mut matched = 0;
    for n in 0..calls {
        let change = doc! { "$inc": { "qty": 1_i64 } };
        let mut filter = doc! { "_id": nth(8, n) };
        filter.extend(guard.clone());
        let done = gears.update_one(filter, change).await?;
        matched += done.matched_count;
    }
    Ok(usize::try_from(matched)?)
}

async fn updated(db: &Database, calls: usize) -> Result<usize> {
    let mut matched = 0;
    for n in 0..calls {
        let id = Id::from_raw(nth(8, n));
        matched += Gear::update(db, id).inc(|g| g.qty, 1).await?.matched;
    }
    Ok(usize::try_from(matched)?)
}

async fn found_by_hand(db: &Database, calls: usize) -> Result<usize> {
    let parts = db.collection::<Part>("parts");
    let mut found = 0;
    for n in 0..calls {
        let part = parts.find_one(doc! { "_id": nth(3, n) }).await?;
        found += usize::from(black_box(part).is_some());
    }
    Ok(found)
}

async fn found(db: &Database, calls: usize) -> Result<usize> {
    let mut found = 0;
    for n in 0..calls {
        let part = Part::get(db, Id::from_raw(nth(3, n))).await?;
        found += usize::from(black_box(part).is_some());
    }
    Ok(found)
}
