//! Defaults of new documents: constants, calls and paths, beside the defaults of serde and of the standard library.
#![deny(warnings)]

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Default, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub enum Stage {
    #[default]
    Draft,
    Live,
}

const STARS: i64 = 3;

/// Named as a local of the expansion.
fn given() -> Vec<String> {
    vec!["new".to_owned()]
}

#[derive(Debug, Default, Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", new(NewPage, deserialize, skip(stage)))]
pub struct Page {
    #[serde(rename = "_id")]
    pub id: Id<Page>,
    #[model(default(STARS))]
    pub stars: i64,
    #[serde(default)]
    #[embed(max = 9)]
    #[model(default(given()))]
    pub tags: Vec<String>,
    #[model(default(Stage::Live))]
    pub stage: Stage,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "leaves", new(NewLeaf, deserialize))]
pub struct Leaf {
    #[serde(rename = "_id")]
    pub id: Id<Leaf>,
    #[default("green".to_owned())]
    pub color: String,
    #[default(Some(7))]
    pub veins: Option<i32>,
    #[default(if cfg!(test) { 1 } else { 1 })]
    pub sides: i32,
}

pub fn main() {
    let page: NewPage = serde_json::from_str("{}").expect("read");
    let page = Page::from(page);
    assert_eq!((page.stars, page.tags, page.stage), (3, given(), Stage::Live));
    let leaf: NewLeaf = serde_json::from_str("{}").expect("read");
    assert_eq!((&*leaf.color, leaf.veins, leaf.sides), ("green", Some(7), 1));
}
