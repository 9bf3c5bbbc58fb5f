//! A source is renamed, and 10,000 documents hold a copy of its name.

use std::cell::Cell;

use bson::doc;
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel};
use mongo_model_dev_server::Topology;
use mongodb::options::{Acknowledgment, WriteConcern};

use crate::Result;
use crate::context::Context;
use crate::models::{Assembly, Gear, nth};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

const GEARS: usize = 200;

/// The floor: no fan-out that stores revisions does less.
const WITH_REVISION: &str = "bare updateMany, journaled, that sets a revision too";

/// An update of the copies alone. No finisher resumes it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bare {
    AsConfigured,
    Journaled,
    WithRevision,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "fan-out",
        ..Section::default()
    };
    measure(context, "", &mut section).await?;
    let set = context.on(Topology::ReplicaSet(1)).await?;
    measure(&set, ", set of 1", &mut section).await?;
    Ok(section)
}

async fn measure(context: &Context, place: &str, section: &mut Section) -> Result<()> {
    let assemblies = context.size(100_000, 400);
    let db = &context.db;
    seed(context, assemblies).await?;
    let copies = assemblies / 10;
    let title = format!("rename that {copies} documents of {assemblies} follow{place}");
    let turns = Cell::new(0);
    // Each turn gives another gear a name that it never had. The variants share none: a revision by hand is not the library's.
    let next = |variant: usize| {
        turns.set(turns.get() + 1);
        let turn = turns.get();
        ((turn * 5 + variant) % GEARS, turn)
    };
    let bare = |variant, how| {
        let (gear, turn) = next(variant);
        copies_by_hand(db, gear, turn, how).boxed()
    };
    let race = context
        .race(&title, 25)
        .sends("bare updateMany", || bare(0, Bare::AsConfigured))
        .sends("bare updateMany, journaled", || bare(1, Bare::Journaled))
        .sends(WITH_REVISION, || bare(2, Bare::WithRevision))
        .sends("both by hand", || {
            let (gear, turn) = next(3);
            both_by_hand(db, gear, turn).boxed()
        })
        .sends("mongo-model", || {
            let (gear, turn) = next(4);
            renamed(db, gear, turn, copies).boxed()
        })
        .run()
        .await?;
    for (theirs, most) in [("bare updateMany", 1.1), (WITH_REVISION, 1.05)] {
        let limit = Limit::AtMost(most);
        let row = Row::wall(&title, &race, "mongo-model", theirs, limit);
        section.rows.push(row);
    }
    section.tables.push(race.table("document", Measure::Client));
    Ok(())
}

/// Stored by the library, so that each copy has a revision before the first turn.
async fn seed(context: &Context, assemblies: usize) -> Result<()> {
    let db = &context.db;
    context.seed(std::iter::empty::<Gear>()).await?;
    context.seed(std::iter::empty::<Assembly>()).await?;
    let all: Vec<Gear> = (0..GEARS).map(Gear::nth).collect();
    Gear::insert_many(db, &all).await?;
    let all: Vec<Assembly> = (0..assemblies).map(|n| Assembly::nth(n, GEARS)).collect();
    for some in all.chunks(10_000) {
        Assembly::insert_many(db, some).await?;
    }
    mongo_model::settle(db).await;
    Ok(())
}

fn name(turn: usize) -> String {
    format!("name {turn}")
}

async fn copies_by_hand(db: &Database, gear: usize, turn: usize, how: Bare) -> Result<usize> {
    let concern = WriteConcern::builder()
        .w(Acknowledgment::Majority)
        .journal(true)
        .build();
    let gear = nth(8, gear);
    let assemblies = db.collection::<Assembly>("assemblies");
    let mut set = doc! { "parts.$[part].name": name(turn) };
    if how == Bare::WithRevision {
        set.insert("parts.$[part]._r", turn as i64 + 1);
    }
    let mut update = assemblies
        .update_many(doc! { "parts.id": gear }, doc! { "$set": set })
        .array_filters([doc! { "part.id": gear }]);
    if how != Bare::AsConfigured {
        update = update.write_concern(concern);
    }
    Ok(usize::try_from(update.await?.modified_count)?)
}

/// The source first, as a careful programmer does it; what stops in between leaves copies wrong for ever.
async fn both_by_hand(db: &Database, gear: usize, turn: usize) -> Result<usize> {
    let gears = db.collection::<Gear>("gears");
    let change = doc! { "$set": { "name": name(turn) } };
    gears
        .update_one(doc! { "_id": nth(8, gear) }, change)
        .await?;
    copies_by_hand(db, gear, turn, Bare::AsConfigured).await
}

async fn renamed(db: &Database, gear: usize, turn: usize, copies: usize) -> Result<usize> {
    let id = Id::from_raw(nth(8, gear));
    let done = Gear::update(db, id).set(|g| g.name, name(turn)).await?;
    if let [pending, ..] = done.pending.as_slice() {
        return Err(format!("copies are left pending: {pending}").into());
    }
    Ok(copies)
}
