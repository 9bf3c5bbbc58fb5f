// A generic model can be neither registered nor checked.

use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "pages")]
pub struct Page<T> {
    #[serde(rename = "_id")]
    pub id: i64,
    pub items: T,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "names")]
pub struct Name<'a> {
    #[serde(rename = "_id")]
    pub name: &'a str,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "grids")]
pub struct Grid<const N: usize> {
    #[serde(rename = "_id")]
    pub id: i64,
}

fn main() {}
