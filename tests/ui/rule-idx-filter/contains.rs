// A part of a text, and words, without an index of the parts.
use mongo_model::{Database, Id, MongoModel, Result};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "films")]
pub struct Film {
    #[serde(rename = "_id")]
    pub id: Id<Film>,
    #[index]
    pub title: String,
}

async fn films(db: &Database) -> Result<()> {
    Film::find(db, |f| f.title.contains_ci("odyss")).await?;
    Film::scan(db, |f| f.title.has_words_ci("ody")).await?;
    Ok(())
}

fn main() {}
