#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "orders", index(keys(customer, -placed)), schema_version = 2, migrate = upgrade, events(OrderEvent, readers(mails, billing)), history(skip(placed, customer_name), keep = "1y"))]
#[serde(rename_all = "camelCase")]
pub struct Order {
    #[serde(rename = "_id")]
    pub id: Id<Order>,
    pub placed: DateTime,
    #[parent(Customer, on_delete = unset)]
    pub customer: Option<Id<Customer>>,
    #[denorm(from = Customer, field = name)]
    pub customer_name: Option<String>,
    #[embed(max = 100)]
    pub lines: Vec<OrderLine>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
pub struct OrderLine {
    #[parent(Part)]
    #[denorm(from = Part, fields(name, price), snapshot)]
    pub part: LinePart,
    pub quantity: i32,
}
