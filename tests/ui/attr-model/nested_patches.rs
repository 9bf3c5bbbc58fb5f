use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(patch = AddressPatch, view = AddressView)]
pub struct Address {
    pub city: String,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[model(patch = PairPatch)]
pub struct Pair<T> {
    pub one: T,
}

#[derive(Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type")]
#[model(patch = MediaPatch)]
pub enum Media {
    Image { width: i32 },
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "houses",
    patch(HouseMove, only(name), nested(address = AddressPatch)),
    patch(HouseSale, nested(adress = AddressPatch)),
    patch(HouseName, nested(id = AddressPatch)),
    patch(HousePlace, nested(address)),
    view(HouseView, nested(address = AddressPatch))
)]
pub struct House {
    #[serde(rename = "_id")]
    pub id: Id<House>,
    pub name: String,
    pub address: Address,
}

fn main() {}
