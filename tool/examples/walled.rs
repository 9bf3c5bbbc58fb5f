//! The one-line program with models behind a wall: each document of `Team` and `Member` belongs to one `Org`. Its two migrations wait for each other.

use std::process::ExitCode;

use mongo_model::{Id, Migration, MongoEmbed, MongoModel, Result, migration};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
struct Org {
    #[serde(rename = "_id")]
    id: Id<Org>,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org)]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team>,
    org: Id<Org>,
}

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "members", tenant = org)]
struct Member {
    #[serde(rename = "_id")]
    id: Id<Member>,
    #[serde(rename = "o")]
    org: Id<Org>,
    #[parent(Team)]
    team: Id<Team>,
    #[personal]
    phone: Option<String>,
    #[personal(erased = "gone")]
    #[serde(default)]
    name: String,
    #[personal(keep_for = "7y", reason = "tax")]
    tax: Option<String>,
    #[parent(Member, on_delete = unset)]
    sponsor: Option<Id<Member>>,
    #[personal(of = sponsor)]
    greeting: Option<String>,
    #[embed(max = 5)]
    #[serde(default)]
    visits: Vec<Visit>,
}

#[derive(Debug, Serialize, Deserialize, MongoEmbed)]
struct Visit {
    day: i32,
    #[personal(erased = "")]
    note: String,
}

#[migration(after = "fill_orgs")]
async fn make_orgs(_: &Migration) -> Result<()> {
    Ok(())
}

#[migration(after = "make_orgs")]
async fn fill_orgs(_: &Migration) -> Result<()> {
    Ok(())
}

fn main() -> ExitCode {
    mongo_model_tool::main()
}
