// An array on the other side does not name this one.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    #[refs(Club, inverse = members)]
    pub clubs: Vec<Id<Club>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    #[serde(rename = "_id")]
    pub id: Id<Club>,
    #[refs(Person)]
    pub members: Vec<Id<Person>>,
}

fn main() {}
