// A condition compares with a constant.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products", index(keys(b), partial(open = maybe)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[index(partial(eq = Status::Open))]
    pub a: String,
    #[index(partial(gt = 5u8))]
    pub b: i32,
    #[index(partial(eq = 99999999999999999999))]
    pub c: i64,
    #[index(partial(eq = 'c'))]
    pub d: String,
    #[index(partial(eq = None))]
    pub e: Option<String>,
    #[index(partial(eq = OPEN))]
    pub f: String,
    #[index(partial(lt = 5 + 5))]
    pub g: i32,
    pub open: bool,
}

fn main() {}
