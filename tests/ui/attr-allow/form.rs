// The form is `allow(rule, reason = "..")`.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Line {
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[model(allow)]
    pub bare: String,
    #[model(allow = "embed_too_many")]
    pub value: String,
    #[model(allow())]
    pub empty: String,
    #[model(allow("embed_too_many", reason = "read together"))]
    pub string: String,
    #[model(allow(reason = "read together"))]
    pub no_rule: String,
}

fn main() {}
