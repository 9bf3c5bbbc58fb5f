//! The speed of a reader of events whose handler does nothing: what it costs to read events, to note that they are handled, and to hold the leases.

use std::convert::Infallible;
use std::future::ready;
use std::time::Instant;

use bson::DateTime;
use mongo_model::{Id, MongoModel, settle, sync_indexes};
use mongo_model_dev_server::Topology;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::context::Context;
use crate::report::{Row, Section};

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "event_parts", events(i64, readers(one)))]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    #[index]
    price: i64,
}

/// The number of events of each document.
const EACH: i64 = 10;

/// The most milliseconds for a thousand events: 5,000 events a second.
const MOST: f64 = 200.0;

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let context = context.on(Topology::ReplicaSet(1)).await?;
    let db = &context.db;
    sync_indexes(db).models(&[Part::meta()]).await?;
    let part = |_| Part {
        id: Id::new(),
        price: 0,
    };
    let parts: Vec<Part> = (0..context.size(1_000, 50)).map(part).collect();
    Part::insert_many(db, &parts).emit(|_| 1).await?;
    for event in 2..=EACH {
        let all = Part::update_many(db, |p| p.price.gte(0)).inc(|p| p.price, 1);
        all.emit(event).settled().await?;
    }
    settle(db).await;
    let reader = Part::events(db).reader("one");
    let mut times = Vec::new();
    for _ in 0..context.size(5, 1) {
        let began = Instant::now();
        let worked = reader.work(|_| ready(Ok::<_, Infallible>(()))).await?;
        let took = began.elapsed().as_secs_f64() * 1_000.0;
        times.push(took / (worked.handled.max(1) as f64 / 1_000.0));
        reader.replay(DateTime::MIN).await?;
    }
    times.sort_by(f64::total_cmp);
    let median = times[times.len() / 2];
    let mut section = Section {
        name: "events",
        ..Section::default()
    };
    let work = "a reader handles 1,000 events";
    let against = format!("{} events, 16 parts", parts.len() as i64 * EACH);
    section
        .rows
        .push(Row::number(work, against, median, MOST, "ms"));
    let speed = 1_000_000.0 / median;
    section.notes.push(format!(
        "A reader of one program handles {speed:.0} events a second."
    ));
    Ok(section)
}
