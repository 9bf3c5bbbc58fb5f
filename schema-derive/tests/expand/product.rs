#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "products", access(of_maker(manufacturer, sort(-catalog_number), limit = 20)))]
pub struct Product {
    #[serde(rename = "_id")]
    pub id: Id<Product>,
    pub name: String,
    #[index(name = "maker")]
    pub manufacturer: String,
    #[index(unique)]
    pub catalog_number: i64,
    #[refs(Part, max = 2000, on_delete = pull)]
    #[denorm(from = Part, field = name)]
    pub parts: Vec<ProductPart>,
}
