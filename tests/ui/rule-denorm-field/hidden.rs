// A source field less visible than its model.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

pub mod stock {
    use mongo_model::{Id, MongoEmbed, MongoModel};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoEmbed)]
    pub(crate) struct Size {
        pub(crate) width: i64,
    }

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "parts")]
    pub struct Part {
        #[serde(rename = "_id")]
        pub id: Id<Part>,
        pub(crate) size: Size,
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
