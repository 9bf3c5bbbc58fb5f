// The entry stands in an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Origin {
    #[parent(User)]
    #[denorm(from = User, field = name)]
    pub author: Author,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews", index(keys(event, origin.author), unique))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    pub event: i64,
    pub origin: Origin,
}

fn main() {}
