// A field is read where it may be named.

use shop::Product;

mod shop {
    use mongo_model::{Id, MongoModel};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "products")]
    pub struct Product {
        #[serde(rename = "_id")]
        pub id: Id<Product>,
        cost: i64,
    }
}

#[derive(serde::Deserialize, mongo_model::MongoProjection)]
#[projection(of = Product)]
pub struct Costs {
    pub cost: i64,
}

fn main() {}
