//! The models: sharded by the hash of the `_id`, and by tenant.

use bson::DateTime;
use mongo_model::model::ModelMeta;
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hosts", shard_key(hashed(id)), history)]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Host>,
    #[model(max_len = 100)]
    pub(crate) name: String,
    #[count(Log)]
    #[serde(default)]
    pub(crate) logs: i64,
    #[recent(Log, sort = at, max = 2, fields(at, text))]
    #[serde(default)]
    pub(crate) last: Vec<RecentLog>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "logs", shard_key(hashed(id)))]
pub(crate) struct Log {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Log>,
    #[parent(Host, sort = -at, on_delete = cascade)]
    pub(crate) host: Id<Host>,
    #[denorm(from = Host, field = name)]
    pub(crate) host_name: String,
    #[immutable]
    pub(crate) at: DateTime,
    #[model(max_len = 100)]
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parts", shard_key(hashed(id)))]
pub(crate) struct Part {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Part>,
    #[model(max_len = 100)]
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "products", shard_key(hashed(id)))]
pub(crate) struct Product {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Product>,
    #[refs(Part, max = 20, on_delete = pull)]
    #[denorm(from = Part, field = name)]
    #[serde(default)]
    pub(crate) parts: Vec<ProductPart>,
    #[version]
    pub(crate) version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "orgs")]
pub(crate) struct Org {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Org>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams", tenant = org, shard_key(org, id))]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Team>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[model(max_len = 100)]
    pub(crate) name: String,
    #[count(Task)]
    #[serde(default)]
    pub(crate) tasks: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "tasks", tenant = org, shard_key(org, id))]
pub(crate) struct Task {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Task>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[parent(Team, on_delete = cascade)]
    pub(crate) team: Id<Team>,
    #[denorm(from = Team, field = name)]
    pub(crate) team_name: String,
    #[index]
    pub(crate) done: bool,
    #[version]
    pub(crate) version: i64,
}

/// A page of a tree.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pages", tenant = org, shard_key(org, id))]
pub(crate) struct Page {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Page>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[parent(Page, tree(depth = 5), on_delete = cascade)]
    pub(crate) above: Option<Id<Page>>,
    #[ancestors]
    pub(crate) path: Vec<Id<Page>>,
}

/// With events and a delete that only marks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "notes",
    tenant = org,
    shard_key(org, hashed(id)),
    soft_delete,
    events(String, readers(mails))
)]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Note>,
    #[serde(rename = "o")]
    pub(crate) org: Id<Org>,
    #[model(max_len = 100)]
    pub(crate) text: String,
    #[deleted]
    #[index]
    pub(crate) deleted_at: Option<DateTime>,
}

/// One side of a two-way reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "clubs", shard_key(hashed(id)))]
pub(crate) struct Club {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Club>,
    #[refs(Person, inverse = clubs, max = 50)]
    #[serde(default)]
    pub(crate) members: Vec<Id<Person>>,
}

/// The other side.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "people", shard_key(hashed(id)))]
pub(crate) struct Person {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Person>,
    #[model(max_len = 100)]
    pub(crate) name: String,
    #[refs(Club, inverse = members, max = 50)]
    #[serde(default)]
    pub(crate) clubs: Vec<Id<Club>>,
}

/// All of them.
pub(crate) fn all() -> Vec<&'static ModelMeta> {
    vec![
        Host::meta(),
        Log::meta(),
        Part::meta(),
        Product::meta(),
        Org::meta(),
        Team::meta(),
        Task::meta(),
        Page::meta(),
        Note::meta(),
        Club::meta(),
        Person::meta(),
    ]
}

pub(crate) fn host(name: &str) -> Host {
    Host {
        id: Id::new(),
        name: name.to_owned(),
        logs: 0,
        last: Vec::new(),
    }
}

pub(crate) fn log(host: &Host, n: i64) -> Log {
    Log {
        id: Id::new(),
        host: host.id,
        host_name: host.name.clone(),
        at: DateTime::from_millis(n),
        text: format!("{n}"),
    }
}

pub(crate) fn part(name: &str) -> Part {
    Part {
        id: Id::new(),
        name: name.to_owned(),
    }
}

pub(crate) fn product(parts: &[&Part]) -> Product {
    Product {
        id: Id::new(),
        parts: parts
            .iter()
            .map(|part| ProductPart {
                id: part.id,
                name: part.name.clone(),
            })
            .collect(),
        version: 0,
    }
}

pub(crate) fn team(org: Id<Org>, name: &str) -> Team {
    Team {
        id: Id::new(),
        org,
        name: name.to_owned(),
        tasks: 0,
    }
}

pub(crate) fn task(team: &Team) -> Task {
    Task {
        id: Id::new(),
        org: team.org,
        team: team.id,
        team_name: team.name.clone(),
        done: false,
        version: 0,
    }
}

pub(crate) fn page(org: Id<Org>, above: Option<&Page>) -> Page {
    Page {
        id: Id::new(),
        org,
        above: above.map(|page| page.id),
        path: Vec::new(),
    }
}

pub(crate) fn note(org: Id<Org>) -> Note {
    Note {
        id: Id::new(),
        org,
        text: "a".to_owned(),
        deleted_at: None,
    }
}

pub(crate) fn person(name: &str) -> Person {
    Person {
        id: Id::new(),
        name: name.to_owned(),
        clubs: Vec::new(),
    }
}

pub(crate) fn club(members: &[Person]) -> Club {
    Club {
        id: Id::new(),
        members: members.iter().map(|person| person.id).collect(),
    }
}
