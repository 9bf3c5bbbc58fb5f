// `max` is what the attribute is for, also where what does not fit goes to buckets.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Reader {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "papers")]
pub struct Paper {
    #[serde(rename = "_id")]
    pub id: Id<Paper>,
    #[embed(overflow = MoreReaders)]
    #[serde(default)]
    pub readers: Vec<Reader>,
    #[serde(default)]
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "more_readers", bucket(readers))]
pub struct MoreReaders {
    #[serde(rename = "_id")]
    pub id: BucketId<Paper>,
    #[parent(Paper)]
    pub paper: Id<Paper>,
    pub count: i64,
    #[embed(max = 100)]
    pub readers: Vec<Reader>,
}

fn main() {}
