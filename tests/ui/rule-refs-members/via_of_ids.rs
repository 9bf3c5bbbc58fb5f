// Ids need no `via`.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs")]
pub struct Club {
    #[serde(rename = "_id")]
    pub id: Id<Club>,
    #[refs(Fan, via = fan)]
    pub fans: Vec<Id<Fan>>,
    #[refs(Fan, inverse = clubs, via = fan)]
    pub others: Vec<Id<Fan>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "fans")]
pub struct Fan {
    #[serde(rename = "_id")]
    pub id: Id<Fan>,
    #[refs(Club, inverse = others)]
    pub clubs: Vec<Id<Club>>,
}

fn main() {}
