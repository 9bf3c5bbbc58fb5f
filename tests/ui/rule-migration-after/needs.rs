// A needed index names a model and its fields.

use mongo_model::{Id, Migration, MongoModel, Result, migration};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "members")]
pub struct Member {
    #[serde(rename = "_id")]
    pub id: Id<Member>,
    #[index(unique)]
    pub email: String,
}

pub struct Guest;

#[migration(needs = index(Member, emial))]
async fn greet_members(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(needs = index(Guest, email))]
async fn greet_guests(_m: &Migration) -> Result<()> {
    Ok(())
}

fn main() {}
