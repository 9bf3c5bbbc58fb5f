// A queue that is not sharded, whose jobs are about documents that are.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "letters", shard_key(hashed(id)))]
pub struct Letter {
    #[serde(rename = "_id")]
    pub id: Id<Letter>,
    #[model(max_len = 1000)]
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue)]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    #[parent(Letter)]
    pub letter: Id<Letter>,
}

pub fn main() {}
