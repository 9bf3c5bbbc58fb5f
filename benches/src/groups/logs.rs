//! The last 5,000 messages of a host.

use std::hint::black_box;

use bson::{RawDocumentBuf, doc};
use futures::FutureExt;
use mongo_model::{Database, Id};
use serde::de::DeserializeOwned;

use crate::Result;
use crate::context::Context;
use crate::models::{Host, Line, LogMsg, nth};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let messages = context.size(1_000_000, 5_000);
    let hosts = context.size(50, 5);
    let last = context.size(5_000, 500) as u32;
    context
        .seed((0..messages).map(|n| LogMsg::nth(n, hosts)))
        .await?;
    let db = &context.db;
    let host = Id::from_raw(nth(2, 1));
    let title = format!("the last {last} messages of a host, out of {messages}");
    let race = context
        .race(&title, 60)
        .sends("by hand", || {
            by_hand::<LogMsg>(db, host, last, false).boxed()
        })
        .sends("by hand, batch of n + 1", || {
            by_hand::<LogMsg>(db, host, last, true).boxed()
        })
        .sends("by hand, not decoded", || {
            by_hand::<RawDocumentBuf>(db, host, last, true).boxed()
        })
        .sends("mongo-model", || latest(db, host, last).boxed())
        .sends("mongo-model, borrowed", || borrowed(db, host, last).boxed())
        .run()
        .await?;
    let each = race.each("mongo-model", Measure::Client) / 1e3;
    Ok(Section {
        name: "logs",
        rows: vec![
            Row::wall(&title, &race, "mongo-model", "by hand", Limit::AtMost(0.88)),
            Row::number(&title, "client CPU per document", each, 0.9, "µs"),
        ],
        tables: vec![race.table("document", Measure::Client)],
        ..Section::default()
    })
}

async fn by_hand<T: DeserializeOwned + Send + Sync>(
    db: &Database,
    host: Id<Host>,
    last: u32,
    whole_batch: bool,
) -> Result<usize> {
    let collection = db.collection::<T>("logmsg");
    let mut find = collection
        .find(doc! { "host": host.into_raw() })
        .sort(doc! { "time": -1, "_id": -1 })
        .limit(last.into());
    if whole_batch {
        find = find.batch_size(last + 1);
    }
    Ok(black_box(Context::all(find).await?).len())
}

async fn borrowed(db: &Database, host: Id<Host>, last: u32) -> Result<usize> {
    let found = LogMsg::by_host(db, host).limit(last.into());
    let count = found
        .for_each::<Line<'_>>(|line| {
            black_box(line);
        })
        .await?;
    Ok(usize::try_from(count)?)
}

pub(super) async fn latest(db: &Database, host: Id<Host>, last: u32) -> Result<usize> {
    let found = LogMsg::by_host(db, host).limit(last.into()).await?;
    Ok(black_box(found).len())
}
