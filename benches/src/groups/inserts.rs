//! Storing many documents, and one.

use bson::RawDocumentBuf;
use futures::FutureExt;
use mongo_model::{Database, Id, MongoModel};

use crate::Result;
use crate::context::Context;
use crate::models::Part;
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let parts: Vec<Part> = (0..context.size(100_000, 500)).map(Part::nth).collect();
    let parts = &parts;
    let encoded = parts.iter().map(bson::serialize_to_raw_document_buf);
    let encoded: Vec<RawDocumentBuf> = encoded.collect::<bson::error::Result<_>>()?;
    let encoded = &encoded;
    let db = &context.db;
    let title = format!("insert_many of {}", parts.len());
    let many = context
        .race(&title, 15)
        .sends("by hand", || by_hand(db, parts).boxed())
        .after(|| emptied(db).boxed())
        .sends("mongo-model", || stored(db, parts).boxed())
        .after(|| emptied(db).boxed())
        .sends("by the driver, encoded before", || {
            sent_encoded(db, encoded).boxed()
        })
        .after(|| emptied(db).boxed())
        .run()
        .await?;

    emptied(db).await?;
    let calls = context.size(200, 5);
    let title_of_one = "insert of one";
    let one = context
        .race(title_of_one, 40)
        .sends("by hand", || one_by_one_by_hand(db, calls).boxed())
        .sends("mongo-model", || one_by_one(db, calls).boxed())
        .run()
        .await?;
    Ok(Section {
        name: "inserts",
        rows: vec![
            Row::wall_and_cpu(
                &title,
                &many,
                ("mongo-model", "by hand"),
                Limit::AtMost(0.87),
                Limit::AtMost(0.55),
            ),
            Row::wall(
                &title,
                &many,
                "mongo-model",
                "by the driver, encoded before",
                Limit::AtMost(1.1),
            ),
            Row::wall(
                title_of_one,
                &one,
                "mongo-model",
                "by hand",
                Limit::AtMost(1.02),
            ),
        ],
        tables: vec![
            many.table("document", Measure::Client),
            one.table("document", Measure::Client),
        ],
        ..Section::default()
    })
}

async fn emptied(db: &Database) -> Result<usize> {
    db.collection::<Part>("parts").drop().await?;
    // Neither pays for the making of the collection.
    db.create_collection("parts").await?;
    Ok(0)
}

async fn by_hand(db: &Database, parts: &[Part]) -> Result<usize> {
    let done = db.collection::<Part>("parts").insert_many(parts).await?;
    Ok(done.inserted_ids.len())
}

/// The driver's part alone: it copies each document twice, and collects the ids.
async fn sent_encoded(db: &Database, parts: &[RawDocumentBuf]) -> Result<usize> {
    let collection = db.collection::<RawDocumentBuf>("parts");
    Ok(collection.insert_many(parts).await?.inserted_ids.len())
}

async fn stored(db: &Database, parts: &[Part]) -> Result<usize> {
    let done = Part::insert_many(db, parts).await?;
    Ok(usize::try_from(done.inserted)?)
}

async fn one_by_one_by_hand(db: &Database, calls: usize) -> Result<usize> {
    let collection = db.collection::<Part>("parts");
    let mut part = Part::nth(0);
    for _ in 0..calls {
        part.id = Id::new();
        collection.insert_one(&part).await?;
    }
    Ok(calls)
}

async fn one_by_one(db: &Database, calls: usize) -> Result<usize> {
    let mut part = Part::nth(0);
    for _ in 0..calls {
        part.id = Id::new();
        Part::insert(db, &part).await?;
    }
    Ok(calls)
}
