#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "log_pages", bucket(lines))]
pub struct LogPage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, on_delete = cascade)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 50)]
    pub lines: Vec<LogLine>,
}
