#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "persons")]
pub struct Person {
    #[serde(rename = "_id")]
    pub id: Id<Person>,
    pub name: String,
    #[embed(max = 20)]
    pub addresses: Vec<Address>,
    #[refs(Task, inverse = owner)]
    pub tasks: Vec<Id<Task>>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks")]
pub struct Task {
    #[serde(rename = "_id")]
    pub id: Id<Task>,
    #[index]
    pub due: Option<DateTime>,
    #[parent(Person, inverse = tasks)]
    pub owner: Id<Person>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub street_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub city: Option<String>,
}
