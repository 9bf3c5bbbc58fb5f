// Both sides of a two-way reference belong to one tenant.

use mongo_model::{Database, Error, Id, MongoModel, Tenants};
use serde::{Deserialize, Serialize};

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org)]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: Id<Team>,
    pub org: i64,
    #[refs(Player, inverse = team, max = 11)]
    pub players: Vec<Id<Player>>,
    #[refs(Cup, inverse = teams, max = 20)]
    pub cups: Vec<Id<Cup>>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "players", tenant = org)]
pub struct Player {
    #[serde(rename = "_id")]
    pub id: Id<Player>,
    pub org: i64,
    #[parent(Team, inverse = players)]
    pub team: Id<Team>,
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "cups", tenant = org)]
pub struct Cup {
    #[serde(rename = "_id")]
    pub id: Id<Cup>,
    pub org: i64,
    #[refs(Team, inverse = cups, max = 20)]
    pub teams: Vec<Id<Team>>,
}

pub async fn change(
    db: &Database,
    team: Id<Team>,
    player: Id<Player>,
    cup: Id<Cup>,
) -> Result<(), Error> {
    let tenant = db.tenant(7_i64);
    Player::reassign_team(&tenant, player, team).await?;
    Team::add_cup(&tenant, team, cup).await?;
    Cup::remove_team(&tenant, cup, team).await?;
    Cup::replace_teams(&tenant, cup, [team]).await?;
    Ok(())
}

pub fn main() {}
