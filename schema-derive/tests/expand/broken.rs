#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[embed(mx = 20)]
    pub comments: Vec<Comment>,
}
