// Calls that name no actor, of models that require one.

use mongo_model::{Database, Id, MongoModel, Tenants};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "deeds", history(by = required))]
struct Deed {
    #[serde(rename = "_id")]
    id: Id<Deed>,
    text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "bills", tenant = org, history(by = required))]
struct Bill {
    #[serde(rename = "_id")]
    id: Id<Bill>,
    org: i64,
    text: String,
}

async fn change(db: &Database, deed: Id<Deed>, bill: Id<Bill>) {
    let _ = Deed::update(db, deed).set(|d| d.text, "a").await;
    let _ = Bill::update(&db.tenant(1_i64), bill).set(|b| b.text, "a").await;
}

fn main() {}
