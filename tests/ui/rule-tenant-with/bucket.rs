// Two tenants would open the same bucket of what they share, and an array overflows by calls that have no tenant.

use mongo_model::{BucketId, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub id: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logs", bucket(lines), tenant = org)]
pub struct Log {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    pub org: i64,
    #[parent(Host)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<Line>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", tenant = org)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub org: i64,
    #[embed(max = 50, overflow = MoreComments)]
    pub comments: Vec<Line>,
    pub has_extras: bool,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments", bucket(comments), tenant = org)]
pub struct MoreComments {
    #[serde(rename = "_id")]
    pub id: BucketId<Post>,
    pub org: i64,
    #[parent(Post)]
    pub post: Id<Post>,
    pub count: i64,
    #[embed(max = 50)]
    pub comments: Vec<Line>,
}

fn main() {}
