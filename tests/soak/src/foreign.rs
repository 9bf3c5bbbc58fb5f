//! Another program, by the driver alone: it renames, moves, replaces, stores and deletes, and knows nothing of copies and flags.

use std::convert::Infallible;
use std::io::Write;

use bson::{Bson, Document, doc};
use mongo_model::Database;
use mongodb::Collection;

use crate::client::{BINS, PARTS, PRODUCTS, STOCKS};
use crate::family::Family;
use crate::kept::models::moment;
use crate::models::{key, qty};
use crate::random::Random;

type Done<T = ()> = mongodb::error::Result<T>;

/// The longest pause between two writes, in milliseconds.
const PAUSE: u8 = 25;

/// Writes until it is killed. Each acknowledged write is a `.` on standard output.
pub async fn run(db: &Database, family: Family, seed: u64) -> Infallible {
    let mut random = Random::new(seed);
    loop {
        // Servers are killed: a write that fails is a write that was not made, or that is an event like any other.
        let done = match family {
            Family::Kept => kept(db, &mut random).await,
            Family::Copies | Family::Reused => copies(db, &mut random).await,
        };
        if done.is_ok() {
            let mut out = std::io::stdout();
            let _ = out.write_all(b".").and_then(|()| out.flush());
        }
        random.pause(PAUSE).await;
    }
}

fn id<M>(n: u8) -> Bson {
    Bson::ObjectId(*key::<M>(n).as_raw())
}

fn text(random: &mut Random) -> String {
    format!("foreign {} {}", random.below(200), random.below(200))
}

/// Reads a document and stores it again with one change, as object mappers do.
async fn store_again(
    collection: &Collection<Document>,
    id: Bson,
    field: &str,
    value: Bson,
) -> Done {
    let this = doc! { "_id": id };
    if let Some(mut read) = collection.find_one(this.clone()).await? {
        read.insert(field, value);
        collection.replace_one(this, read).await?;
    }
    Ok(())
}

async fn copies(db: &Database, random: &mut Random) -> Done {
    let of = |name: &str| db.collection::<Document>(name);
    let (n, of_part) = (random.below(PARTS), random.below(PARTS));
    let part = doc! { "_id": id::<()>(n) };
    let name = text(random);
    match random.below(12) {
        0..4 => drop(
            of("parts")
                .update_one(part, doc! { "$set": { "name": name } })
                .await?,
        ),
        4 => {
            let change = vec![
                doc! { "$set": { "name": name, "unit": { "$concat": ["u", { "$ifNull": ["$unit", ""] }] } } },
                doc! { "$set": { "unit": { "$substrBytes": ["$unit", 0, 6] } } },
            ];
            drop(of("parts").update_one(part, change).await?);
        }
        5 => {
            let bare = doc! { "name": name, "qty": qty(n) };
            drop(of("parts").replace_one(part, bare).await?);
        }
        6 => store_again(&of("parts"), id::<()>(n), "name", name.into()).await?,
        7 => {
            let stock = doc! { "_id": id::<()>(random.below(STOCKS)) };
            let moved = doc! { "$set": { "part": id::<()>(of_part), "first_qty": qty(of_part) } };
            drop(of("stocks").update_one(stock, moved).await?);
        }
        8 => {
            let stock = random.below(STOCKS);
            of("stocks")
                .delete_one(doc! { "_id": id::<()>(stock) })
                .await?;
            let new = doc! {
                "_id": id::<()>(stock), "part": id::<()>(of_part), "part_name": "?", "first_qty": qty(of_part), "count": 0_i64,
            };
            drop(of("stocks").insert_one(new).await);
        }
        9 => {
            let product =
                doc! { "_id": id::<()>(random.below(PRODUCTS)), "parts.0": { "$exists": true } };
            drop(
                of("products")
                    .update_one(product, doc! { "$set": { "parts.0.name": name } })
                    .await?,
            );
        }
        10 => {
            let bin = doc! { "_id": id::<()>(random.below(BINS)) };
            let change = match random.below(3) {
                0 => doc! { "$unset": { "part": "" } },
                _ => doc! { "$set": { "part": id::<()>(of_part) } },
            };
            drop(of("bins").update_one(bin, change).await?);
        }
        _ => {
            let label = doc! { "_id": id::<()>(random.below(BINS)) };
            drop(
                of("labels")
                    .update_one(label, doc! { "$set": { "says": name } })
                    .await?,
            );
        }
    }
    Ok(())
}

/// How many documents of each kind other programs change; some of them may not be there.
const SOME: u8 = 6;

async fn kept(db: &Database, random: &mut Random) -> Done {
    let of = |name: &str| db.collection::<Document>(name);
    let (n, other) = (
        i64::from(random.below(SOME)) + 1,
        i64::from(random.below(SOME)) + 1,
    );
    let this = doc! { "_id": n };
    let exists = async |name: &str, id: i64| {
        let found = of(name)
            .count_documents(doc! { "_id": id, "_dn.del": { "$exists": false } })
            .await;
        found.is_ok_and(|found| found > 0)
    };
    match random.below(10) {
        0 => drop(
            of("hosts")
                .update_one(this, doc! { "$set": { "ipaddr": text(random) } })
                .await?,
        ),
        1 if exists("hosts", other).await => {
            let message = doc! { "_id": i64::from(random.below(20)) + 1 };
            drop(
                of("logmsg")
                    .update_one(message, doc! { "$set": { "host": other } })
                    .await?,
            );
        }
        2 => {
            let message = doc! { "_id": i64::from(random.below(20)) + 1 };
            drop(
                of("logmsg")
                    .update_one(message, doc! { "$set": { "message": text(random), "at": moment(i64::from(random.below(40))) } })
                    .await?,
            );
        }
        3 => {
            let message = doc! { "_id": i64::from(random.below(20)) + 1 };
            of("logmsg").delete_one(message).await?;
        }
        4 if exists("hosts", other).await => {
            let new = doc! {
                "_id": i64::from(random.below(20)) + 1, "host": other, "ipaddr": "?", "time": i64::from(random.below(200)), "message": text(random),
                "at": moment(i64::from(random.below(40))),
            };
            drop(of("logmsg").insert_one(new).await);
        }
        5 if exists("people", other).await => drop(
            of("tasks")
                .update_one(this, doc! { "$set": { "owner": other } })
                .await?,
        ),
        6 => drop(
            of("tasks")
                .update_one(this, doc! { "$unset": { "owner": "" } })
                .await?,
        ),
        7 => drop(
            of("authors")
                .update_one(this, doc! { "$set": { "name": text(random) } })
                .await?,
        ),
        8 => drop(
            of("tags")
                .update_one(this, doc! { "$set": { "name": text(random) } })
                .await?,
        ),
        _ => store_again(&of("hosts"), n.into(), "ipaddr", text(random).into()).await?,
    }
    Ok(())
}
