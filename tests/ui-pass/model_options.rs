// Each option is one that MongoDB knows.

use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(
    collection = "readings",
    options(
        read_preference = secondary_preferred,
        read_concern = majority,
        write_concern = 2,
        max_time = "500ms"
    )
)]
pub struct Reading {
    #[serde(rename = "_id")]
    pub id: Id<Reading>,
}

pub fn main() {
    let options = Reading::meta().options;
    assert_eq!(options.read_preference, Some("secondaryPreferred"));
    assert_eq!(options.write_concern, Some("2"));
    assert_eq!(options.max_time_ms, Some(500));
}
