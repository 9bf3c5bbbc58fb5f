//! Bounds of documents: their largest size, values refused before they are sent, and values that the server refuses.

mod agreeing;
mod checks;
mod comparing;
mod copied;
mod crates;
mod decimals;
mod generated;
mod judging;
mod lengths;
mod server;
mod stored;

use bson::{Binary, DateTime};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "lowercase")]
pub(crate) enum State {
    Draft,
    Published,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", rename_all = "lowercase")]
pub(crate) enum Media {
    Image {
        width: i32,
        #[model(max_len = 5)]
        alt: String,
    },
    Video {
        seconds: i64,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Comment {
    #[model(max_len = 8)]
    pub(crate) text: String,
    pub(crate) at: DateTime,
}

/// Every field has a bound.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "articles", index(keys(tags, state)))]
pub(crate) struct Article {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Article>,
    #[model(max_len = 10)]
    pub(crate) title: String,
    pub(crate) state: State,
    pub(crate) media: Option<Media>,
    #[model(max_len = 4)]
    #[embed(max = 3)]
    pub(crate) tags: Vec<String>,
    #[embed(max = 2)]
    #[serde(default)]
    pub(crate) comments: Vec<Comment>,
    #[model(max_len = 16)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) thumb: Option<Binary>,
    pub(crate) ratio: f64,
    pub(crate) views: u32,
}

pub(crate) fn article(title: &str) -> Article {
    Article {
        id: Id::new(),
        title: title.to_owned(),
        state: State::Published,
        media: None,
        tags: Vec::new(),
        comments: Vec::new(),
        thumb: None,
        ratio: 0.5,
        views: 1,
    }
}
