use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(patch = AddressPatch)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Owner {
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "houses",
    patch(HousePatch, nested(owner = AddressPatch)),
    patch(HouseMove, nested(rooms = AddressPatch))
)]
pub struct House {
    #[serde(rename = "_id")]
    pub id: Id<House>,
    pub owner: Owner,
    #[embed(max = 9)]
    pub rooms: Vec<Address>,
}

fn main() {}
