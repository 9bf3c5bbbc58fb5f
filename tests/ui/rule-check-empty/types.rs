// A rule about integers is met by one that the field's type holds.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "products")]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    #[check(range = 256..)]
    pub small: u8,
    #[check(range = ..0)]
    pub pieces: Option<u32>,
    #[check(range = -300..=-200)]
    pub offset: i8,
    #[check(one_of(300, -1))]
    pub step: u8,
    #[check(each(range = ..=-1))]
    #[embed(max = 5)]
    pub sizes: Vec<u16>,
}

fn main() {}
