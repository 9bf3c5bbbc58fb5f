//! Calls inside of a tenant wall, beside the same calls on the same model without one.

use std::hint::black_box;

use bson::doc;
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel, Tenant, Tenants};

use crate::Result;
use crate::context::Context;
use crate::models::{Bill, WalledBill, nth};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

/// How many tenants share the collection.
const TENANTS: i64 = 10;

pub(crate) async fn run(context: &Context) -> Result<Section> {
    context.seed((0..10_000).map(Bill::nth)).await?;
    context.seed((0..10_000).map(WalledBill::nth)).await?;
    let db = &context.db;
    let tenants: Vec<Tenant<i64>> = (0..TENANTS).map(|of| db.tenant(of)).collect();
    let tenants = &tenants;
    let calls = context.size(200, 5);
    let find = context
        .race("find of one document by its id, inside of a wall", 100)
        .sends("without a wall", || found(db, calls).boxed())
        .sends("with a tenant", || found_inside(tenants, calls).boxed())
        .sends("by hand, with the tenant in the filter", || {
            found_by_hand(db, calls).boxed()
        })
        .run()
        .await?;
    let insert = context
        .race("insert of one, inside of a wall", 100)
        .sends("without a wall", || stored(db, calls).boxed())
        .sends("with a tenant", || stored_inside(tenants, calls).boxed())
        .run()
        .await?;
    let mut section = Section {
        name: "walls",
        ..Section::default()
    };
    // The server finds a document by its `_id` alone without a plan; with a tenant beside it makes one.
    for (race, theirs) in [
        (&find, "without a wall"),
        (&find, "by hand, with the tenant in the filter"),
        (&insert, "without a wall"),
    ] {
        let limit = Limit::AtMost(1.02);
        let row = Row::wall(race.title(), race, "with a tenant", theirs, limit);
        section.rows.push(row);
    }
    section.tables.push(find.table("call", Measure::Client));
    section
        .tables
        .push(insert.table("document", Measure::Client));
    Ok(section)
}

async fn found(db: &Database, calls: usize) -> Result<usize> {
    let mut found = 0;
    for n in 0..calls {
        let bill = Bill::get(db, Id::from_raw(nth(9, n))).await?;
        found += usize::from(black_box(bill).is_some());
    }
    Ok(found)
}

async fn found_by_hand(db: &Database, calls: usize) -> Result<usize> {
    let bills = db.collection::<WalledBill>("walled_bills");
    let mut found = 0;
    for n in 0..calls {
        let of = n as i64 % TENANTS;
        let bill = bills.find_one(doc! { "_id": nth(9, n), "of": of }).await?;
        found += usize::from(black_box(bill).is_some());
    }
    Ok(found)
}

async fn found_inside(tenants: &[Tenant<i64>], calls: usize) -> Result<usize> {
    let mut found = 0;
    for n in 0..calls {
        let id = Id::from_raw(nth(9, n));
        let bill = WalledBill::get(&tenants[n % tenants.len()], id).await?;
        found += usize::from(black_box(bill).is_some());
    }
    Ok(found)
}

async fn stored(db: &Database, calls: usize) -> Result<usize> {
    for _ in 0..calls {
        Bill::insert(db, &Bill::new(0)).await?;
    }
    Ok(calls)
}

async fn stored_inside(tenants: &[Tenant<i64>], calls: usize) -> Result<usize> {
    for n in 0..calls {
        let of = n % tenants.len();
        WalledBill::insert(&tenants[of], &WalledBill::new(of)).await?;
    }
    Ok(calls)
}
