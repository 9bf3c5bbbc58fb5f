// A history would keep what is personal inside of an embedded document.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "customers")]
pub struct Customer {
    #[serde(rename = "_id")]
    pub id: Id<Customer>,
    #[personal(erased = "gone")]
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Comment {
    #[parent(Customer)]
    pub by: Id<Customer>,
    #[personal(of = by, erased = "")]
    pub text: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts", history)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    pub title: String,
    #[embed(max = 20)]
    pub comments: Vec<Comment>,
}

fn main() {}
