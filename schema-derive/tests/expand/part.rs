/// A part that products list.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts")]
pub struct Part {
    #[serde(rename = "_id")]
    pub id: Id<Part>,
    #[index(unique)]
    pub partno: String,
    #[model(max_len = 80)]
    pub name: String,
    #[volatile]
    pub qty: i64,
    pub price: Decimal128,
}
