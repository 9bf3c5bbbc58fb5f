//! Products with the 200 parts that each refers to.

use std::collections::{HashMap, HashSet};
use std::hint::black_box;

use bson::oid::ObjectId;
use bson::{Document, RawArrayBuf, doc, rawdoc};
use futures::{FutureExt, StreamExt, TryStreamExt};
use mongo_model::{Database, Id, MongoModel};
use mongodb::Collection;
use serde::Deserialize;

use crate::Result;
use crate::context::Context;
use crate::models::{Part, Product};
use crate::race::Measure;
use crate::report::{Limit, Row, Section};

const PARTS: usize = 20_000;
/// The shelf of the products that are joined.
pub(super) const MANY: i32 = 1;

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let parts = context.size(PARTS, 300);
    let products = context.size(100, 3);
    context.seed((0..parts).map(Part::nth)).await?;
    context
        .seed((0..products).map(|n| Product::nth(n, MANY, parts)))
        .await?;
    let mut section = Section {
        name: "joins",
        ..Section::default()
    };
    one(context, &mut section).await?;
    many(context, &mut section).await?;
    Ok(section)
}

/// A product and its parts, by one `$lookup`.
#[derive(Debug, Deserialize)]
struct Looked {
    #[serde(rename = "_id")]
    _id: ObjectId,
    #[serde(rename = "name")]
    _name: String,
    references: usize,
    parts: Vec<Part>,
}

fn products(db: &Database) -> Collection<Product> {
    db.collection("products")
}

fn parts(db: &Database) -> Collection<Part> {
    db.collection("parts")
}

/// The form that each reference gets in a join by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// A `&Part`: one part for all references to it.
    Yes,
    /// A `Part` of its own, as the loaders give unless sharing is requested.
    No,
}

/// The parts of these products as a careful programmer asks for them: each once, in one command.
async fn by_hand(
    db: &Database,
    products: &[Product],
    whole_batch: bool,
    shared: Shared,
) -> Result<usize> {
    let ids: HashSet<ObjectId> = products
        .iter()
        .flat_map(|product| product.parts.iter().map(|id| *id.as_raw()))
        .collect();
    let batch = ids.len() as u32 + 1;
    let ids: Vec<ObjectId> = ids.into_iter().collect();
    let parts = parts(db);
    let mut find = parts.find(doc! { "_id": { "$in": ids } });
    if whole_batch {
        find = find.batch_size(batch);
    }
    let found = Context::all(find).await?;
    let by_id: HashMap<ObjectId, Part> = found
        .into_iter()
        .map(|part| (part.id.into_raw(), part))
        .collect();
    let of = |product: &Product| -> Vec<&Part> {
        let parts = product.parts.iter().filter_map(|id| by_id.get(id.as_raw()));
        parts.collect()
    };
    let joined = products.iter().map(of);
    Ok(match shared {
        Shared::Yes => black_box(joined.collect::<Vec<_>>())
            .iter()
            .map(Vec::len)
            .sum(),
        Shared::No => {
            let own = |parts: Vec<&Part>| -> Vec<Part> { parts.into_iter().cloned().collect() };
            black_box(joined.map(own).collect::<Vec<_>>())
                .iter()
                .map(Vec::len)
                .sum()
        }
    })
}

async fn one_by_hand(db: &Database, id: Id<Product>, whole_batch: bool) -> Result<usize> {
    let product = products(db).find_one(doc! { "_id": id.into_raw() }).await?;
    let product = product.ok_or("it is stored")?;
    by_hand(db, &[product], whole_batch, Shared::Yes).await
}

async fn one_loaded(db: &Database, id: Id<Product>) -> Result<usize> {
    let product = Product::get(db, id).await?.ok_or("it is stored")?;
    Ok(black_box(product.load_parts(db).await?).len())
}

async fn one_by_one(db: &Database, id: Id<Product>) -> Result<usize> {
    let product = products(db).find_one(doc! { "_id": id.into_raw() }).await?;
    let mut found = Vec::new();
    for id in product.ok_or("it is stored")?.parts {
        found.extend(parts(db).find_one(doc! { "_id": id.into_raw() }).await?);
    }
    Ok(black_box(found).len())
}

async fn many_by_hand(db: &Database, whole_batch: bool, shared: Shared) -> Result<usize> {
    let products = Context::all(products(db).find(doc! { "shelf": MANY })).await?;
    by_hand(db, &products, whole_batch, shared).await
}

/// The same, where all references to a part get the same one, as by hand.
async fn many_shared(db: &Database) -> Result<usize> {
    let products = Product::find(db, |p| p.shelf.eq(MANY)).await?;
    let joined = Product::load_parts_many(db, &products).shared().await?;
    Ok(black_box(joined).iter().map(|joined| joined.1.len()).sum())
}

/// The replies of the same command, of which nothing is decoded: no join can be faster.
async fn many_undecoded(db: &Database) -> Result<usize> {
    let products = Product::find(db, |p| p.shelf.eq(MANY)).await?;
    let mut ids: Vec<ObjectId> = products
        .iter()
        .flat_map(|product| product.parts.iter().map(|id| *id.as_raw()))
        .collect();
    let references = ids.len();
    ids.sort_unstable();
    ids.dedup();
    let mut filter = RawArrayBuf::new();
    ids.iter().for_each(|id| filter.push(*id));
    let command = rawdoc! {
        "find": "parts",
        "filter": { "_id": { "$in": filter } },
        "batchSize": i32::try_from(ids.len())? + 1,
    };
    let mut batches = db.run_raw_cursor_command(command).batch().await?;
    while let Some(batch) = batches.next().await {
        black_box(batch?);
    }
    Ok(references)
}

pub(super) async fn many_loaded(db: &Database) -> Result<usize> {
    let products = Product::find(db, |p| p.shelf.eq(MANY)).await?;
    let joined = Product::load_parts_many(db, &products).await?;
    Ok(black_box(joined).iter().map(|joined| joined.1.len()).sum())
}

/// The server gives each part of a product once, so what it gives is not counted but the references are.
async fn looked_up(db: &Database, of: Document) -> Result<usize> {
    let pipeline = [
        doc! { "$match": of },
        doc! { "$lookup": {
            "from": "parts", "localField": "parts", "foreignField": "_id", "as": "found",
        } },
        doc! { "$project": { "name": 1, "references": { "$size": "$parts" }, "parts": "$found" } },
    ];
    let mut cursor = products(db)
        .aggregate(pipeline)
        .with_type::<Looked>()
        .await?;
    let mut references = 0;
    while let Some(product) = cursor.try_next().await? {
        references += product.references;
        black_box(product.parts);
    }
    Ok(references)
}

async fn one(context: &Context, section: &mut Section) -> Result<()> {
    let db = &context.db;
    let id = Id::from_raw(crate::models::nth(4, 0));
    let title = "1 product x 200 references";
    let race = context
        .race(title, 150)
        .sends("by hand", || one_by_hand(db, id, false).boxed())
        .sends("by hand, batch of n + 1", || {
            one_by_hand(db, id, true).boxed()
        })
        .sends("mongo-model", || one_loaded(db, id).boxed())
        .sends("$lookup", || {
            looked_up(db, doc! { "_id": id.into_raw() }).boxed()
        })
        .run()
        .await?;
    let limit = Limit::AtMost(0.85);
    section
        .rows
        .push(Row::wall(title, &race, "mongo-model", "by hand", limit));
    section
        .tables
        .push(race.table("reference", Measure::Client));

    let title = "1 product x 200 references, one query each";
    let race = context
        .race(title, 10)
        .sends("N + 1 queries", || one_by_one(db, id).boxed())
        .sends("mongo-model", || one_loaded(db, id).boxed())
        .run()
        .await?;
    section
        .tables
        .push(race.table("reference", Measure::Client));
    Ok(())
}

async fn many(context: &Context, section: &mut Section) -> Result<()> {
    let db = &context.db;
    let products = Product::find(db, |p| p.shelf.eq(MANY)).await?;
    let distinct: HashSet<Id<Part>> = products.iter().flat_map(|p| p.parts.clone()).collect();
    let title = format!(
        "{} products x 200 references, {} distinct of {}",
        products.len(),
        distinct.len(),
        parts(db).estimated_document_count().await?,
    );
    let race = context
        .race(&title, 41)
        .sends("by hand", || many_by_hand(db, false, Shared::Yes).boxed())
        .sends("by hand, batch of n + 1", || {
            many_by_hand(db, true, Shared::Yes).boxed()
        })
        .sends("by hand, a value per reference", || {
            many_by_hand(db, false, Shared::No).boxed()
        })
        .sends("mongo-model", || many_loaded(db).boxed())
        .sends("mongo-model, shared", || many_shared(db).boxed())
        .sends("$lookup", || looked_up(db, doc! { "shelf": MANY }).boxed())
        .sends("not decoded", || many_undecoded(db).boxed())
        .run()
        .await?;
    section.rows.push(Row::wall_and_cpu(
        &title,
        &race,
        ("mongo-model, shared", "by hand"),
        Limit::AtMost(0.8),
        Limit::AtMost(0.5),
    ));
    section.rows.push(Row::wall_and_cpu(
        &title,
        &race,
        ("mongo-model", "by hand, a value per reference"),
        Limit::AtMost(0.8),
        Limit::AtMost(0.5),
    ));
    section.rows.push(Row::wall(
        &title,
        &race,
        "mongo-model, shared",
        "not decoded",
        Limit::AtMost(1.12),
    ));
    section.rows.push(Row::wall(
        &title,
        &race,
        "mongo-model",
        "$lookup",
        Limit::Faster(3.0),
    ));
    section
        .tables
        .push(race.table("reference", Measure::Client));
    Ok(())
}
