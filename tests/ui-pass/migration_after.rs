// Two migrations of one name in other modules have names of their own in the ledger.

use mongo_model::{Id, Migration, MongoModel, Result, migration};
use serde::{Deserialize, Serialize};

mod users {
    use super::*;

    #[migration(name = "users_split")]
    async fn split(_m: &Migration) -> Result<()> {
        Ok(())
    }
}

mod orders {
    use super::*;

    #[migration(name = "orders_split", after = "users_split")]
    async fn split(_m: &Migration) -> Result<()> {
        Ok(())
    }

    #[migration(name = "orders_join", after("users_split", "orders_split"))]
    async fn join(_m: &Migration) -> Result<()> {
        Ok(())
    }
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "members", index(keys(club, joined)))]
pub struct Member {
    #[serde(rename = "_id")]
    pub id: Id<Member>,
    #[index(unique)]
    pub email: String,
    pub club: String,
    pub joined: bson::DateTime,
}

#[migration(needs = index(Member, email))]
async fn greet_members(_m: &Migration) -> Result<()> {
    Ok(())
}

#[migration(after = "greet_members", needs(index(Member, email), index(self::Member, club, joined)))]
async fn sort_members(_m: &Migration) -> Result<()> {
    Ok(())
}

pub fn main() {}
