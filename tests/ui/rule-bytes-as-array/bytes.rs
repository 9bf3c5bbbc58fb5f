// Bytes are stored as an array of integers.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "files")]
pub struct File {
    #[serde(rename = "_id")]
    pub id: Id<File>,
    pub vector: Vec<u8>,
    pub hash: [u8; 16],
    pub maybe: Option<Vec<u8>>,
    pub boxed: Box<[u8]>,
}

fn main() {}
