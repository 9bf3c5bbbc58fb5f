// The element is named as the user names it.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub mod text {
    use mongo_model::MongoEmbed;
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoEmbed)]
    pub struct Line {
        pub text: String,
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 1000)]
    pub lines: Vec<text::Line>,
}

fn main() {}
