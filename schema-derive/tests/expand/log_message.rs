#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    pub time: DateTime,
    #[model(max_len = 500)]
    pub message: String,
    #[parent(Host, sort = -time, on_delete = cascade)]
    pub host: Id<Host>,
    #[denorm(from = Host, field = ipaddr)]
    pub ipaddr: String,
}
