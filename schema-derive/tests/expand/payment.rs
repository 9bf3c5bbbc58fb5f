#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Payment {
    Card { last_four: String },
    Transfer(Transfer),
    Cash,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoEmbed)]
pub struct Range<T> {
    pub from: T,
    #[serde(default)]
    pub to: Option<T>,
}
