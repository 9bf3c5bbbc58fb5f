#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "accounts")]
pub struct Account {
    #[serde(rename = "_id")]
    pub id: Id<Account>,
    pub balance: i64,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "mails", queue(priority = urgency, max_attempts = 3))]
pub struct Mail {
    #[serde(rename = "_id")]
    pub id: Id<Mail>,
    pub urgency: i32,
}
