// A private source field of a type of its own.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

pub mod stock {
    use mongo_model::{Id, MongoEmbed, MongoModel};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoEmbed)]
    struct Size {
        width: i64,
    }

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "parts")]
    pub struct Part {
        #[serde(rename = "_id")]
        pub id: Id<Part>,
        size: Size,
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[refs(stock::Part)]
    #[denorm(from = stock::Part, field = size)]
    pub parts: Vec<ProductPart>,
}

fn main() {}
