#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees", common(name))]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: Id<Employee>,
    #[index]
    pub name: String,
    pub rate: i64,
}
