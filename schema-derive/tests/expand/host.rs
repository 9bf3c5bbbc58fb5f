#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    pub name: String,
    #[index(unique)]
    pub ipaddr: String,
    #[recent(LogMsg, max = 1000, sort = time, fields(time, message))]
    pub logmsgs: Vec<RecentLog>,
    #[count(LogMsg)]
    pub messages: i64,
}
