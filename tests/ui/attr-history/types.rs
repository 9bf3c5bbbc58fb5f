// The history of a model that keeps none.

use mongo_model::{Database, Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
}

async fn show(db: &Database, id: Id<Part>) {
    let _ = Part::history(db, id).newest(None).await;
}

fn main() {}
