// Beside text keys stands no array, behind an alias or in an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub type Years = Vec<i32>;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Dates {
    #[embed(max = 5)]
    pub years: Years,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", index(keys(years, text(title))))]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    #[embed(max = 5)]
    pub years: Years,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", index(keys(dates.years, text(title))))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    pub title: String,
    pub dates: Dates,
}

fn main() {}
