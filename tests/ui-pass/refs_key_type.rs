// A reference by key has the type of the key, whatever holds it.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: Id<Host>,
    #[index(unique)]
    pub ipaddr: String,
    #[index(unique)]
    pub number: i64,
    pub name: String,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logmsg")]
pub struct LogMsg {
    #[serde(rename = "_id")]
    pub id: Id<LogMsg>,
    #[parent(Host, key = ipaddr)]
    pub host: String,
    #[parent(Host, key = ipaddr)]
    pub option: Option<Name>,
    #[refs(Host, key = number)]
    pub hosts: Vec<i64>,
    #[refs(Host, key = ipaddr, max = 5)]
    pub set: std::collections::BTreeSet<String>,
    #[parent(Host, key = id)]
    pub by_id: Id<Host>,
    #[parent(Host, key = ipaddr)]
    #[denorm(from = Host, field = name)]
    pub entry: HostRef,
    #[refs(Host, key = number)]
    #[denorm(from = Host, field = name)]
    pub entries: Vec<HostNumber>,
    pub inside: Inside,
}

type Name = String;

#[derive(Serialize, Deserialize, MongoEmbed)]
pub struct Inside {
    #[parent(Host, key = ipaddr)]
    pub host: String,
}

pub fn main() {
    let keys: Vec<_> = LogMsg::meta()
        .shape
        .fields
        .iter()
        .filter_map(|field| field.relation.map(|relation| (field.rust, relation.key)))
        .collect();
    assert_eq!(
        keys,
        [
            ("host", Some("ipaddr")),
            ("option", Some("ipaddr")),
            ("hosts", Some("number")),
            ("set", Some("ipaddr")),
            ("by_id", Some("id")),
            ("entry", Some("ipaddr")),
            ("entries", Some("number")),
        ]
    );
    let (host, number): (String, i64) = (HostRef { id: "10.0.0.1".to_owned(), name: String::new() }.id, 1);
    let entry = HostNumber { id: number, name: host };
    assert_eq!(entry.id, 1);
}
