// Names that the server refuses, and those of the library.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "")]
pub struct Empty {
    #[serde(rename = "_id")]
    pub id: Id<Empty>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a$b")]
pub struct Dollar {
    #[serde(rename = "_id")]
    pub id: Id<Dollar>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "system.users")]
pub struct System {
    #[serde(rename = "_id")]
    pub id: Id<System>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a.system.b")]
pub struct Inside {
    #[serde(rename = "_id")]
    pub id: Id<Inside>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "_dn.locks")]
pub struct Library {
    #[serde(rename = "_id")]
    pub id: Id<Library>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = ".posts")]
pub struct Dot {
    #[serde(rename = "_id")]
    pub id: Id<Dot>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "posts.")]
pub struct End {
    #[serde(rename = "_id")]
    pub id: Id<End>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "a\0b")]
pub struct Nul {
    #[serde(rename = "_id")]
    pub id: Id<Nul>,
}

fn main() {}
