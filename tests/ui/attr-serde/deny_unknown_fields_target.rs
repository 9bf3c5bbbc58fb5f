// The library stores its own fields in the documents that others refer to, too.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
#[serde(deny_unknown_fields)]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User)]
    #[denorm(from = User, field = name)]
    pub author: PostAuthor,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "letters")]
pub struct Letter {
    #[serde(rename = "_id")]
    pub id: Id<Letter>,
    #[parent(User, on_delete = cascade)]
    pub to: Id<User>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(deny_unknown_fields)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees")]
pub enum Employee {
    Hourly(Hourly),
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    #[refs(Employee, max = 20)]
    pub members: Vec<Id<Employee>>,
}

fn main() {}
