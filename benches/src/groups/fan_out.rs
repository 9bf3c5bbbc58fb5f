//! A source is renamed, and 10,000 documents hold a copy of its name.

use std::cell::Cell;

use bson::doc;
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel};
use mongodb::options::{Acknowledgment, WriteConcern};

use crate::Result;
use crate::context::Context;
use crate::models::{Assembly, Gear, nth};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let assemblies = context.size(100_000, 400);
    let gears = 200;
    let db = &context.db;
    // Stored by the library: the first change of a source that another program has stored reads all of its copies, once.
    context.seed(std::iter::empty::<Gear>()).await?;
    context.seed(std::iter::empty::<Assembly>()).await?;
    let all: Vec<Gear> = (0..gears).map(Gear::nth).collect();
    Gear::insert_many(db, &all).await?;
    let all: Vec<Assembly> = (0..assemblies).map(|n| Assembly::nth(n, gears)).collect();
    for some in all.chunks(10_000) {
        Assembly::insert_many(db, some).await?;
    }
    mongo_model::settle(db).await;
    let copies = assemblies / 10;
    let title = format!("rename that {copies} documents of {assemblies} follow");
    let renames = Cell::new(0);
    // Each turn gives another gear a name that it never had.
    let next = || {
        renames.set(renames.get() + 1);
        (renames.get() % gears, format!("name {}", renames.get()))
    };
    let race = context
        .race(&title, 25)
        .sends("bare updateMany", || {
            let (gear, name) = next();
            copies_by_hand(db, gear, name, false).boxed()
        })
        .sends("bare updateMany, journaled", || {
            let (gear, name) = next();
            copies_by_hand(db, gear, name, true).boxed()
        })
        .sends("both by hand", || {
            let (gear, name) = next();
            both_by_hand(db, gear, name).boxed()
        })
        .sends("mongo-model", || {
            let (gear, name) = next();
            renamed(db, gear, name, copies).boxed()
        })
        .run()
        .await?;
    let limit = Limit::AtMost(1.1);
    let row = Row::wall(&title, &race, "mongo-model", "bare updateMany", limit);
    Ok(Section {
        name: "fan-out",
        rows: vec![row],
        tables: vec![race.table("document", Measure::Client)],
        ..Section::default()
    })
}

async fn copies_by_hand(
    db: &Database,
    gear: usize,
    name: String,
    journaled: bool,
) -> Result<usize> {
    let concern = WriteConcern::builder()
        .w(Acknowledgment::Majority)
        .journal(true)
        .build();
    let gear = nth(8, gear);
    let assemblies = db.collection::<Assembly>("assemblies");
    let mut update = assemblies
        .update_many(
            doc! { "parts.id": gear },
            doc! { "$set": { "parts.$[part].name": name } },
        )
        .array_filters([doc! { "part.id": gear }]);
    if journaled {
        update = update.write_concern(concern);
    }
    Ok(usize::try_from(update.await?.modified_count)?)
}

/// The source first, as a careful programmer does it; what stops in between leaves copies wrong for ever.
async fn both_by_hand(db: &Database, gear: usize, name: String) -> Result<usize> {
    let gears = db.collection::<Gear>("gears");
    let change = doc! { "$set": { "name": &name } };
    gears
        .update_one(doc! { "_id": nth(8, gear) }, change)
        .await?;
    copies_by_hand(db, gear, name, false).await
}

async fn renamed(db: &Database, gear: usize, name: String, copies: usize) -> Result<usize> {
    let id = Id::from_raw(nth(8, gear));
    let done = Gear::update(db, id).set(|g| g.name, &name).await?;
    if let [pending, ..] = done.pending.as_slice() {
        return Err(format!("copies are left pending: {pending}").into());
    }
    Ok(copies)
}
