// An alias does not hide them.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub type Bytes = Vec<u8>;
pub type Hash = [u8; 16];

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "files")]
pub struct File {
    #[serde(rename = "_id")]
    pub id: Id<File>,
    pub bytes: Bytes,
    pub hash: Hash,
}

fn main() {}
