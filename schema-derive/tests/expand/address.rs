#[derive(MongoEmbed)]
#[model(patch(AddressPatch, skip(secret), nested(spot = SpotPatch)))]
pub struct Address {
    #[serde(rename = "town")]
    pub city: String,
    pub spot: Option<Spot>,
    secret: String,
}

#[derive(MongoModel)]
#[model(collection = "houses", patch(HousePatch, nested(address = AddressPatch)))]
pub struct House {
    #[serde(rename = "_id")]
    pub id: Id<House>,
    pub address: Address,
}
