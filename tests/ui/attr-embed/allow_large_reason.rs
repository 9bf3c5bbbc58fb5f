// `allow_large` gives a reason.

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
    #[embed(max = 500, allow_large = "")]
    pub empty: Vec<Line>,
    #[embed(max = 500, allow_large = "  ")]
    pub blank: Vec<Line>,
    #[embed(max = 500, allow_large = true)]
    pub value: Vec<Line>,
    #[embed(max = 500, allow_large)]
    pub bare: Vec<Line>,
}

fn main() {}
