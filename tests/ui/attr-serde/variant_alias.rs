// Another tag for a variant that finders and references ask for.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "employees")]
#[serde(tag = "kind")]
pub enum Employee {
    #[serde(alias = "hourly")]
    Hourly(Hourly),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
pub enum Subject {
    #[serde(rename = "post", alias = "Post")]
    Post(#[parent(Post)] Id<Post>),
}

fn main() {}
