// A copy from a model: in an entry, beside a parent, and by path.

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
        pub name: String,
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(stock::Part)]
    #[denorm(from = stock::Part, field = name)]
    pub parts: Vec<ProductPart>,
    #[parent(stock::Part)]
    pub main: Id<stock::Part>,
    #[denorm(from = stock::Part, field = name)]
    pub main_name: String,
}

pub fn main() {}
