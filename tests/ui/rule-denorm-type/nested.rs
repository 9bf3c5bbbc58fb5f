// A copy from inside an embedded document: another type, a document that may be absent, and one in a generated entry.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Profile {
    pub name: String,
    pub motto: Option<String>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: Id<User>,
    pub profile: Profile,
    pub former: Option<Profile>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
pub struct Comment {
    #[serde(rename = "_id")]
    pub id: Id<Comment>,
    #[parent(User)]
    pub author: Id<User>,
    #[denorm(from = User, field = profile.name)]
    pub number: i64,
    #[denorm(from = User, field = profile.name)]
    pub optional: Option<String>,
    #[denorm(from = User, field = profile.motto)]
    pub motto: String,
    #[denorm(from = User, field = former.name)]
    pub former: String,
    #[denorm(from = User, field = former.motto)]
    pub twice: Option<Option<String>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "talks")]
pub struct Talk {
    #[serde(rename = "_id")]
    pub id: Id<Talk>,
    #[refs(User)]
    #[denorm(from = User, field = former.name)]
    pub speakers: Vec<Speaker>,
}

fn main() {}
