// The closure of a transaction in a spawned task borrows the database.

use mongo_model::{Database, Id, MongoModel, Result, transaction};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    pub name: String,
}

async fn rename(db: Database, id: Id<Part>, name: String) -> Result<()> {
    transaction(&db, async |tx| {
        Part::update(&db, id).set(|p| p.name, name.clone()).within(tx).await?;
        Ok(())
    })
    .await
}

pub fn spawned(_: impl Future<Output = Result<()>> + Send + 'static) {}

pub fn handler(db: Database, id: Id<Part>) {
    spawned(rename(db, id, "bolt".to_owned()));
}

fn main() {}
