#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "drafts", new(NewDraft, deserialize, skip(stage)))]
pub struct Draft {
    #[serde(rename = "_id")]
    pub id: Id<Draft>,
    pub title: String,
    #[default(3)]
    pub copies: i32,
    #[default(Stage::first())]
    pub stage: Stage,
}
