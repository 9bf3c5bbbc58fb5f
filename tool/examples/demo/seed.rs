//! Documents as programs store them that do not know the models: some are wrong. The `_id`s are the same in every run.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use mongodb::Database;
use mongodb::error::Result;

pub(crate) fn id(n: u8) -> ObjectId {
    ObjectId::from_bytes([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, n])
}

fn at(seconds: i64) -> DateTime {
    DateTime::from_millis(1_700_000_000_000 + seconds * 1_000)
}

async fn insert(db: &Database, collection: &str, documents: Vec<Document>) -> Result<()> {
    db.collection::<Document>(collection)
        .insert_many(documents)
        .await?;
    Ok(())
}

/// Fills the collections of the examples' models.
pub(crate) async fn spoil(db: &Database) -> Result<()> {
    shop(db).await?;
    logs(db).await?;
    people(db).await?;
    places(db).await?;
    staff(db).await?;
    insert(db, "audit", vec![doc! { "_id": 1, "what": "nothing" }]).await?;
    db.collection::<Document>("parts")
        .create_index(
            mongodb::IndexModel::builder()
                .keys(doc! { "weight": 1 })
                .build(),
        )
        .await?;
    Ok(())
}

async fn shop(db: &Database) -> Result<()> {
    let part = |n: u8, name: &str| {
        let price: bson::Decimal128 = "3.99"
            .parse()
            .unwrap_or_else(|_| bson::Decimal128::from_bytes([0; 16]));
        doc! { "_id": id(n), "partno": format!("part-{n}"), "name": name, "qty": i64::from(n) * 10, "cost": price, "price": price }
    };
    insert(
        db,
        "parts",
        vec![part(1, "#4 grommet"), part(2, "bolt"), part(3, "washer")],
    )
    .await?;
    let product = |n: u8, name: &str, parts: Vec<Document>| {
        doc! { "_id": id(n), "name": name, "manufacturer": "Acme Corp", "catalog_number": i64::from(n), "parts": parts }
    };
    insert(
        db,
        "products",
        vec![
            product(
                11,
                "left-handed smoke shifter",
                vec![
                    doc! { "id": id(1), "name": "#3 grommet" }, // stale
                    doc! { "id": id(2), "name": "bolt" },
                ],
            ),
            product(
                12,
                "smoke pump",
                vec![
                    doc! { "id": id(3), "name": "washer" },
                    doc! { "id": id(9), "name": "gone" }, // dangles
                ],
            ),
        ],
    )
    .await?;
    // A program that knows no types.
    insert(db, "products", vec![doc! { "_id": id(13), "name": 7, "manufacturer": "Acme Corp", "catalog_number": "13", "parts": [] }]).await
}

async fn logs(db: &Database) -> Result<()> {
    let message = |n: u8, host: u8, ipaddr: &str| {
        doc! { "_id": id(n), "time": at(i64::from(n)), "message": format!("message {n}"), "host": id(host), "ipaddr": ipaddr }
    };
    let messages: Vec<Document> = (30..36).map(|n| message(n, 21, "127.66.66.66")).collect();
    let recent: Vec<Document> = messages.iter().map(|one| doc! { "id": one.get("_id"), "time": one.get("time"), "message": one.get("message") }).collect();
    let host = doc! { "_id": id(21), "name": "goofy", "ipaddr": "127.66.66.66", "logmsgs": recent, "messages": 5_i64 }; // it has 6
    insert(db, "hosts", vec![host]).await?;
    insert(db, "logmsg", messages).await
}

async fn people(db: &Database) -> Result<()> {
    let addresses: Vec<Document> = (0..21)
        .map(|n| doc! { "street": format!("{n} Oak Street"), "city": "Cold Water" })
        .collect(); // at most 20
    let kate = doc! { "_id": id(41), "name": "Kate", "addresses": addresses, "tasks": [id(51)] }; // lacks a task
    insert(db, "persons", vec![kate]).await?;
    let task = |n: u8| doc! { "_id": id(n), "description": "paint the fence", "owner": id(41) };
    insert(db, "tasks", vec![task(51), task(52)]).await
}

async fn places(db: &Database) -> Result<()> {
    let place = |n: u8, city: &str| {
        doc! {
            "_id": id(n), "city": city, "stars": i32::from(n % 5), "about": "a garden with a view",
            "location": { "type": "Point", "coordinates": [12.48 + f64::from(n) / 100.0, 41.91] },
        }
    };
    insert(
        db,
        "places",
        (60..70)
            .map(|n| place(n, if n % 2 == 0 { "Rome" } else { "Paris" }))
            .collect(),
    )
    .await?;
    // Never expires: a string is no date.
    insert(
        db,
        "visits",
        vec![doc! { "_id": id(71), "place": id(60), "seen": "2024-01-01T00:00:00Z" }],
    )
    .await
}

async fn staff(db: &Database) -> Result<()> {
    insert(
        db,
        "employees",
        vec![
            doc! { "_id": id(81), "kind": "Hourly", "first": "Ann", "last": "Lee", "rate": 20_i64 }, // version 1
            doc! { "_id": id(82), "kind": "Salary", "name": "Bob Ray", "yearly": 40_000_i64, "bonus": 0_i64, "schema_version": 2 },
            doc! { "_id": id(83), "kind": "Robot", "name": "R2", "schema_version": 2 }, // no such variant
            doc! { "_id": id(84), "kind": "Salary", "name": "Eve", "yearly": Bson::Null, "bonus": 0_i64, "schema_version": 3 }, // newer
        ],
    )
    .await
}
