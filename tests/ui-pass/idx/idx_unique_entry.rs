// The reference is the key, inside an entry as elsewhere.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "reviews", index(keys(event, author.id), unique))]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: Id<Review>,
    pub event: i64,
    #[parent(User)]
    #[denorm(from = User, field = name)]
    pub author: Author,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Origin {
    #[parent(User)]
    #[denorm(from = User, field = name)]
    pub author: Writer,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "opinions", index(keys(event, origin.author.id), unique))]
pub struct Opinion {
    #[serde(rename = "_id")]
    pub id: Id<Opinion>,
    pub event: i64,
    pub origin: Origin,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Signature {
    #[parent(User)]
    pub user: Id<User>,
    #[denorm(from = User, field = name, snapshot)]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "contracts", index(keys(event, signed), unique))]
pub struct Contract {
    #[serde(rename = "_id")]
    pub id: Id<Contract>,
    pub event: i64,
    pub signed: Signature,
}

pub fn main() {
    assert_eq!(<Review as MongoModel>::meta().name, "Review");
}
