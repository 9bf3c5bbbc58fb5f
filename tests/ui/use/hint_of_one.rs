// A write of one document finds it by its `_id`: it would ignore the name of an index.

use mongo_model::{Database, Id, MongoModel, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index]
    pub name: String,
}

pub async fn first(db: &Database, id: Id<Part>) -> Result<()> {
    Part::update(db, id).set(|p| p.name, "nut").hint("name_1").await?;
    Ok(())
}

pub async fn last(db: &Database, id: Id<Part>) -> Result<()> {
    Part::delete(db, id).comment("by night").hint("name_1").await?;
    Ok(())
}

fn main() {}
