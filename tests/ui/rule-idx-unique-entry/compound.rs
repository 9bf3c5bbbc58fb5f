// The entry holds the copied name: after a rename the same pair has another key.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews", index(keys(event, author), unique))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    pub event: i64,
    #[parent(User)]
    #[denorm(from = User, field = name)]
    pub author: Author,
}

fn main() {}
