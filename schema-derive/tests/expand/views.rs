#[derive(Debug, Clone, Serialize, Deserialize, MongoProjection)]
#[projection(of = Product)]
pub struct ProductName {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
}

#[derive(Debug, MongoProjection)]
#[projection(of = LogMsg)]
pub struct Line<'a> {
    pub message: &'a str,
}
