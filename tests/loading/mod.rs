//! Loaders: policies, order, filters, limits per parent, nesting, paging. Their commands and results.

mod children;
mod nested;
mod paging;
mod policies;
mod shape;
mod sharing;
mod views;
mod walking;

use bson::{Bson, Document};
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::Bench;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kit_parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    pub value: i32,
}

/// A document with references of every kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "kits")]
pub struct Kit {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Part, max = 3000)]
    pub parts: Vec<i32>,
    #[parent(Part)]
    pub main: Option<i32>,
}

pub(crate) fn part(n: i32) -> Part {
    Part {
        id: n,
        name: format!("part-{n}"),
        value: n % 10,
    }
}

pub(crate) fn kit(id: i32, parts: &[i32]) -> Kit {
    Kit {
        id,
        parts: parts.to_vec(),
        main: None,
    }
}

impl Bench {
    /// Stores the parts with these numbers; clears the command log.
    pub(crate) async fn kit_parts(&self, numbers: impl IntoIterator<Item = i32>) {
        let parts: Vec<Part> = numbers.into_iter().map(part).collect();
        Part::insert_many(&self.db, &parts).await.expect("stored");
        self.forget();
    }

    /// The ids in the only command since the log was cleared, a `find` by `_id` in `collection`.
    #[track_caller]
    pub(crate) fn asked_ids(&self, collection: &str) -> Vec<i32> {
        let sent = self.only();
        assert_eq!(sent.get_str("find").ok(), Some(collection), "{sent}");
        ids_in(sent.get_document("filter").expect("a filter"))
    }
}

/// The ids of `{ _id: { $in: [..] } }`, sorted.
#[track_caller]
pub(crate) fn ids_in(filter: &Document) -> Vec<i32> {
    let ids = filter.get_document("_id").expect("by id");
    let ids = ids.get_array("$in").expect("ids");
    let mut ids: Vec<i32> = ids.iter().filter_map(Bson::as_i32).collect();
    ids.sort_unstable();
    ids
}

pub(crate) fn numbers<'p>(parts: impl IntoIterator<Item = &'p Part>) -> Vec<i32> {
    parts.into_iter().map(|part| part.id).collect()
}
