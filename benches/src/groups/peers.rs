//! Mappers of other languages, each in a process of its own that runs the tasks it gets: optional, only with `--peers`.

mod worker;

use bson::{Document, doc};
use futures::FutureExt;
use mongo_model::Id;

use self::worker::Worker;
use super::{joins, logs};
use crate::Result;
use crate::context::Context;
use crate::models::{LogMsg, Part, Product, nth};
use crate::race::{Measure, Race};
use crate::report::{Limit, Row, Section};

/// How many times as fast the join is.
const LIMITS: [(&str, f64); 3] = [
    (worker::MONGOOSE, 6.0),
    (worker::MONGOOSE_LEAN, 4.0),
    (worker::BEANIE, 15.0),
];

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "peers",
        ..Section::default()
    };
    let parts = context.size(20_000, 300);
    let products = context.size(100, 3);
    let messages = context.size(1_000_000, 5_000);
    let last = context.size(5_000, 500) as u32;
    let hosts = context.size(50, 5);
    let all = || (0..products).map(|n| Product::nth(n, joins::MANY, parts));
    context.seed((0..parts).map(Part::nth)).await?;
    context.seed(all()).await?;
    let messages = (0..messages).map(|n| LogMsg::nth(n, hosts));
    context.seed(messages).await?;
    let linked = all().map(|product| linked(&product));
    let of_beanie = context.db.collection::<Document>("beanie_products");
    of_beanie.drop().await?;
    of_beanie.insert_many(linked).await?;

    let host = nth(2, 1);
    let arguments = [host.to_hex(), last.to_string()];
    let (uri, database) = (context.uri(), context.db.name());
    let mut workers = Vec::new();
    for started in [
        Worker::mongoose(uri, database, &arguments),
        Worker::beanie(uri, database, &arguments),
    ] {
        match started {
            Ok(worker) => {
                let versions = worker.versions();
                section.notes.push(format!("Compared with {versions}."));
                workers.push(worker);
            }
            Err(missing) => section.notes.push(format!("Left out: {missing}.")),
        }
    }
    let db = &context.db;
    let title = format!("{products} products x 200 references");
    let race = context
        .race(&title, 9)
        .sends("mongo-model", || joins::many_loaded(db).boxed());
    let race = against(race, &workers, "join").run().await?;
    for peer in race.names().iter().skip(1) {
        let ratio = race.ratio("mongo-model", peer, Measure::Wall);
        let known = LIMITS.iter().find(|(name, _)| name == peer);
        if let Some((_, times)) = known {
            let row = Row::of(&title, *peer, ratio, Limit::Faster(*times));
            section.rows.push(row);
        }
    }
    section
        .tables
        .push(race.table("reference", Measure::Client));

    let title = format!("the last {last} messages of a host");
    let race = context.race(&title, 9).sends("mongo-model", || {
        logs::latest(db, Id::from_raw(host), last).boxed()
    });
    let race = against(race, &workers, "logs").run().await?;
    section.tables.push(race.table("document", Measure::Client));
    Ok(section)
}

/// The product as beanie stores it.
fn linked(product: &Product) -> Document {
    let link = |id: &Id<Part>| doc! { "$ref": "parts", "$id": id.into_raw() };
    let parts: Vec<Document> = product.parts.iter().map(link).collect();
    doc! { "name": &product.name, "shelf": product.shelf, "parts": parts }
}

/// Adds each way in which a worker can do this.
fn against<'a>(mut race: Race<'a>, workers: &'a [Worker], task: &'static str) -> Race<'a> {
    for worker in workers {
        for (name, suffix) in worker.ways() {
            race = race.elsewhere(name, move || worker.does(&format!("{task}{suffix}")));
        }
    }
    race
}
