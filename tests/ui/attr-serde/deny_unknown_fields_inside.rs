// What an embedded document, a flattened one or a variant refers to is flagged in the document as well.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub name: String,
}

#[derive(Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Author {
    #[parent(User)]
    pub id: Id<User>,
    #[denorm(from = User, field = name)]
    pub name: String,
    pub since: i64,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
#[serde(deny_unknown_fields)]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(max = 3)]
    pub authors: Vec<Author>,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(deny_unknown_fields)]
pub struct Note {
    pub text: String,
    #[serde(flatten)]
    pub by: Author,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(deny_unknown_fields)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    pub rate: i64,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[parent(User)]
    pub manager: Id<User>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees")]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    #[serde(rename = "_id")]
    pub id: Id<Shape>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "shapes", schema_version = 2)]
pub enum Shape {
    Circle(Circle),
}

fn main() {}
