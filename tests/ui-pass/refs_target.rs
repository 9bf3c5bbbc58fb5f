// A model, by path and by alias.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub mod stock {
    use mongo_model::{Id, MongoModel};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "parts")]
    pub struct Part {
        #[serde(rename = "_id")]
        pub id: Id<Part>,
    }
}

pub type Component = stock::Part;

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(stock::Part)]
    pub path: Vec<Id<stock::Part>>,
    #[refs(Component)]
    pub alias: Vec<Id<stock::Part>>,
}

pub fn main() {}
