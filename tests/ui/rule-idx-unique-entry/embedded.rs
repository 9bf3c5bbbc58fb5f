// The document with the reference and its copies is a struct of the program.

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
pub struct Author {
    #[parent(User)]
    pub user: Id<User>,
    #[denorm(from = User, field = name)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews", index(keys(event, author), unique))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    pub event: i64,
    pub author: Author,
}

fn main() {}
