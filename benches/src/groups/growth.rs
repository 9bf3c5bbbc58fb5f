//! Twice as much costs twice as much, and nothing to do costs nothing.

use bson::{Bson, Document, doc};
use futures::{FutureExt, TryStreamExt};
use mongo_model::{Database, MongoModel, Sweeper, recover, sync_indexes, verify};

use crate::Result;
use crate::context::Context;
use crate::models::{Assembly, Gear, Part, Product};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

/// Twice as much would be four times the work if it grew with the square; what is above 2 is left to caches that no longer hold it.
const LINEAR: Limit = Limit::AtMost(2.5);

const SHELF: i32 = 7;

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "growth",
        ..Section::default()
    };
    let size = context.size(10_000, 200);
    let client = context.db.client();
    let name = context.db.name();
    let half = client.database(&format!("{name}_half"));
    let whole = client.database(&format!("{name}_whole"));
    for (db, size) in [(&half, size), (&whole, 2 * size)] {
        seed(db, size).await?;
    }
    let (half, whole) = (&half, &whole);

    let races = [
        (
            "load of all references",
            context
                .race("load of all references", 15)
                .sends("half", || loaded(half).boxed())
                .sends("whole", || loaded(whole).boxed()),
        ),
        (
            "rename that half of the documents follow",
            context
                .race("rename that half of the documents follow", 15)
                .sends("half", || renamed(half).boxed())
                .sends("whole", || renamed(whole).boxed()),
        ),
        (
            "verify of all copies",
            context
                .race("verify of all copies", 15)
                .sends("half", || verified(half).boxed())
                .sends("whole", || verified(whole).boxed()),
        ),
    ];
    for (title, race) in races {
        let race = race.run().await?;
        let ratio = race.ratio("whole", "half", Measure::Wall);
        let row = Row::of(title, "half as much", ratio, LINEAR);
        section.rows.push(row.without_bar());
        section.tables.push(race.table("run", Measure::Client));
    }
    idle(whole, &mut section).await?;
    half.drop().await?;
    whole.drop().await?;
    Ok(section)
}

/// So many documents with 20 copies, and a hundredth as many with 200 references.
async fn seed(db: &Database, size: usize) -> Result<()> {
    let gears = 40;
    let all: Vec<Gear> = (0..gears).map(Gear::nth).collect();
    db.collection::<Gear>("gears").insert_many(&all).await?;
    let all: Vec<Assembly> = (0..size).map(|n| Assembly::nth(n, gears)).collect();
    let assemblies = db.collection::<Assembly>("assemblies");
    assemblies.insert_many(&all).await?;
    let parts: Vec<Part> = (0..size).map(Part::nth).collect();
    db.collection::<Part>("parts").insert_many(&parts).await?;
    let all: Vec<Product> = (0..size / 100)
        .map(|n| Product::nth(n, SHELF, size))
        .collect();
    let products = db.collection::<Product>("products");
    products.insert_many(&all).await?;
    sync_indexes(db).await?;
    Ok(())
}

async fn loaded(db: &Database) -> Result<usize> {
    let products = Product::find(db, |p| p.shelf.eq(SHELF)).await?;
    let joined = Product::load_parts_many(db, &products).await?;
    let missing: usize = joined.iter().map(|(_, parts)| parts.missing().len()).sum();
    Ok(missing)
}

async fn renamed(db: &Database) -> Result<usize> {
    let name = bson::oid::ObjectId::new().to_hex();
    let done = Gear::update(db, Gear::nth(1).id)
        .set(|g| g.name, &name)
        .await?;
    Ok(done.pending.len())
}

async fn verified(db: &Database) -> Result<usize> {
    let found = verify(db).only::<Assembly>().await?;
    if !found.is_clean() {
        return Err(format!("copies are wrong: {found}").into());
    }
    Ok(0)
}

/// Counts what the server examines for a look of a sweeper, and for a recovery, when nothing is flagged.
async fn idle(db: &Database, section: &mut Section) -> Result<()> {
    let mut sweeper = Sweeper::new(db);
    db.run_command(doc! { "profile": 2 }).await?;
    let looked = sweeper.sweep().await?;
    let recovered = recover(db).await?;
    db.run_command(doc! { "profile": 0 }).await?;
    if !looked.is_idle() || !recovered.is_idle() {
        return Err(format!("something is flagged: {looked:?}, {recovered:?}").into());
    }
    let profile = db.collection::<Document>("system.profile");
    let of_ours = doc! { "ns": { "$not": { "$regex": "system\\.profile$" } } };
    let seen: Vec<Document> = profile.find(of_ours).await?.try_collect().await?;
    let number = |found: &Document, key: &str| {
        let value = found.get(key);
        let wide = value.and_then(Bson::as_i64);
        wide.or_else(|| Some(value?.as_i32()?.into())).unwrap_or(0)
    };
    let examined: i64 = seen
        .iter()
        .map(|found| number(found, "keysExamined") + number(found, "docsExamined"))
        .sum();
    section.rows.push(Row::number(
        "a sweeper's look and a recovery at rest",
        "keys and documents examined",
        examined as f64,
        0.0,
        "examined",
    ));
    section.notes.push(format!(
        "A look of a sweeper and a `recover` at rest sent {} commands together, of all models of this program.",
        seen.len()
    ));
    Ok(())
}
