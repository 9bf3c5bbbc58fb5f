// Ids that are stored in another form than that of their type: by one function, or by a type that says so.

use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "users")]
pub struct User {
    #[serde(rename = "_id", with = "bson::serde_helpers::uuid_1::AsBinary")]
    pub id: uuid::Uuid,
    pub name: String,
}

mod posts {
    use bson::serde_helpers::uuid_1;
    use mongo_model::MongoModel;
    use serde::{Deserialize, Serialize};

    use super::User;

    #[derive(Serialize, Deserialize, MongoModel)]
    #[model(collection = "posts")]
    pub struct Post {
        #[serde(rename = "_id", with = "uuid_1::AsBinary")]
        pub id: uuid::Uuid,
        #[parent(User)]
        #[serde(with = "uuid_1::AsBinary")]
        pub author: uuid::Uuid,
        #[refs(User)]
        #[denorm(from = User, field = name)]
        pub readers: Vec<Reader>,
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct HostId(#[serde(with = "bson::serde_helpers::uuid_1::AsBinary")] uuid::Uuid);

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts")]
pub struct Host {
    #[serde(rename = "_id")]
    pub id: HostId,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "logs")]
pub struct Log {
    #[serde(rename = "_id")]
    pub id: Id<Log>,
    #[parent(Host)]
    pub host: Option<HostId>,
    #[refs(Host)]
    pub hops: Vec<HostId>,
    #[parent(Host)]
    #[serde(default, deserialize_with = "lenient")]
    pub relay: Option<HostId>,
}

fn lenient<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<HostId>, D::Error> {
    Ok(HostId::deserialize(from).ok())
}

pub fn main() {}
