// Keys before the text of a text index, and text without an index beside a condition that an index serves.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "articles", index(keys(shop, text(title))))]
pub struct Article {
    #[serde(rename = "_id")]
    pub id: Id<Article>,
    #[index(unique)]
    pub code: String,
    pub shop: i64,
    pub title: String,
    pub note: String,
}

pub async fn calls(db: &mongo_model::Database) {
    let _ = Article::find(db, |a| a.title.text("grommet"));
    let _ = Article::find(db, |a| a.code.eq("a").and(a.title.text("grommet")));
    let _ = Article::find(db, |a| a.code.eq("a").and(a.note.text("grommet")));
    let _ = Article::find(db, |a| a.note.text("grommet").and(a.code.eq("a")));
}

fn main() {}
