// A union has no names to store.

use mongo_model::{MongoEmbed, MongoModel};

#[derive(MongoModel)]
#[model(collection = "a")]
pub union Bits {
    pub int: i32,
    pub float: f32,
}

#[derive(MongoEmbed)]
pub union Raw {
    pub int: i32,
    pub float: f32,
}

fn main() {}
