// BSON binary, a set of small numbers, and an array of integers for a reason.

use std::collections::BTreeSet;

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "files")]
pub struct File {
    #[serde(rename = "_id")]
    pub id: Id<File>,
    pub bytes: bson::Binary,
    #[embed(max = 10)]
    pub numbers: Vec<i32>,
    #[embed(max = 10)]
    pub levels: BTreeSet<u8>,
    #[model(allow(bytes_as_array, reason = "three small numbers"))]
    pub rgb: [u8; 3],
}

pub fn main() {}
