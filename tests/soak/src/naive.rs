//! The same operations as one would write them with the driver alone: a second update brings the copies along. The harness has
//! to show that this goes wrong, or it would show nothing.

use bson::{Bson, Document, doc};
use mongo_model::Database;
use mongodb::Collection;
use mongodb::error::Result;
use mongodb::options::{Acknowledgment, WriteConcern};

use crate::client::{PARTS, PRODUCTS, STOCKS, fresh};
use crate::models::{Part, Product, Stock, key};
use crate::random::Random;

/// The longest pause inside an operation, in milliseconds.
const PAUSE: u8 = 25;

fn collection(db: &Database, name: &str) -> Collection<Document> {
    let options = mongodb::options::CollectionOptions::builder()
        .write_concern(
            WriteConcern::builder()
                .w(Acknowledgment::Majority)
                .journal(true)
                .build(),
        )
        .build();
    db.collection_with_options(name, options)
}

fn id<M>(n: u8) -> Bson {
    Bson::ObjectId(*key::<M>(n).as_raw())
}

/// One operation.
pub(crate) async fn step(db: &Database, random: &mut Random) -> Result<()> {
    let part = id::<Part>(random.below(PARTS));
    let product = doc! { "_id": id::<Product>(random.below(PRODUCTS)) };
    let stock = doc! { "_id": id::<Stock>(random.below(STOCKS)) };
    let (parts, products, stocks) = (
        collection(db, "parts"),
        collection(db, "products"),
        collection(db, "stocks"),
    );
    let named = async || -> Result<String> {
        let read = parts.find_one(doc! { "_id": &part }).await?;
        Ok(read
            .and_then(|part| Some(part.get_str("name").ok()?.to_owned()))
            .unwrap_or_default())
    };
    match random.below(8) {
        0..=3 => {
            let name = fresh();
            parts
                .update_one(doc! { "_id": &part }, doc! { "$set": { "name": &name } })
                .await?;
            products
                .update_many(
                    doc! { "parts.id": &part },
                    doc! { "$set": { "parts.$[e].name": &name } },
                )
                .array_filters([doc! { "e.id": &part }])
                .await?;
            stocks
                .update_many(
                    doc! { "part": &part },
                    doc! { "$set": { "part_name": &name } },
                )
                .await?;
        }
        4 | 5 => {
            let name = named().await?;
            random.pause(PAUSE).await;
            let new = doc! { "$push": { "parts": { "id": &part, "name": name, "unit": null } } };
            let mut room = product;
            room.insert("parts.7", doc! { "$exists": false });
            products.update_one(room, new).await?;
        }
        6 => {
            let gone = doc! { "$pull": { "parts": { "id": &part } } };
            products.update_one(product, gone).await?;
        }
        _ => {
            let name = named().await?;
            random.pause(PAUSE).await;
            let set = doc! { "$set": { "part": &part, "part_name": name } };
            stocks.update_one(stock, set).await?;
        }
    }
    Ok(())
}
