//! Hosts, messages that copy from them, boards that keep lists and numbers of notes, and teams.

use mongo_model::model::ModelMeta;
use mongo_model::{MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

/// Copied by everything.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_hosts")]
pub(crate) struct Host {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    pub(crate) name: String,
    pub(crate) load: i64,
}

/// Goes with its host. Copies one field.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_messages")]
pub(crate) struct Message {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[parent(Host, on_delete = cascade)]
    pub(crate) host: i64,
    #[denorm(from = Host, field = name)]
    pub(crate) host_name: String,
}

/// Copies a copy, and loses its reference with the message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_labels")]
pub(crate) struct Label {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[parent(Message, on_delete = unset)]
    pub(crate) message: Option<i64>,
    #[denorm(from = Message, field = host_name)]
    pub(crate) says: Option<String>,
}

/// Holds copies in an array, which lose an entry with its host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_racks")]
pub(crate) struct Rack {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[refs(Host, max = 8, on_delete = pull)]
    #[denorm(from = Host, field = name)]
    pub(crate) hosts: Vec<RackHost>,
}

/// Keeps its last notes, their number, and its tasks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_boards")]
pub(crate) struct Board {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[recent(Note, max = 2, sort = time, fields(time, text))]
    pub(crate) last: Vec<LastNote>,
    #[count(Note)]
    pub(crate) notes: i64,
    #[sum(Note, field = time)]
    pub(crate) times: i64,
    #[max(Note, field = time)]
    pub(crate) latest: Option<i64>,
    #[min(Note, field = time)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) earliest: Option<i64>,
    #[refs(Task, inverse = board, max = 100)]
    pub(crate) tasks: Vec<i64>,
    /// Long: the server stores the whole of a document that an update makes much larger, and such an event names no writer.
    #[serde(default)]
    pub(crate) about: String,
}

impl Board {
    /// A board without notes and tasks.
    pub(crate) fn new(id: i64) -> Board {
        Board {
            id,
            last: Vec::new(),
            notes: 0,
            times: 0,
            latest: None,
            earliest: None,
            tasks: Vec::new(),
            about: "the notes of a board".repeat(40),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_notes")]
pub(crate) struct Note {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[parent(Board, sort = -time, on_delete = cascade)]
    pub(crate) board: i64,
    pub(crate) time: i64,
    pub(crate) text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_tasks")]
pub(crate) struct Task {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[parent(Board, inverse = tasks, on_delete = unset)]
    pub(crate) board: Option<i64>,
}

/// Its teams follow the entries of the teams.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_users")]
pub(crate) struct User {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    pub(crate) name: String,
    #[refs(Team, inverse = members)]
    pub(crate) teams: Vec<i64>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_teams")]
pub(crate) struct Team {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[refs(User, inverse = teams, max = 8)]
    pub(crate) members: Vec<Member>,
}

/// A role of its own, and a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub(crate) struct Member {
    #[parent(User)]
    pub(crate) user: i64,
    pub(crate) role: String,
    #[denorm(from = User, field = name)]
    pub(crate) name: String,
}

/// Not deleted while it has offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_sellers")]
pub(crate) struct Seller {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    pub(crate) name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_offers")]
pub(crate) struct Offer {
    #[serde(rename = "_id")]
    pub(crate) id: i64,
    #[parent(Seller)]
    pub(crate) seller: i64,
    #[denorm(from = Seller, field = name)]
    pub(crate) seller_name: String,
}

pub(crate) fn all() -> Vec<&'static ModelMeta> {
    vec![
        Host::meta(),
        Message::meta(),
        Label::meta(),
        Rack::meta(),
        Board::meta(),
        Note::meta(),
        Task::meta(),
        User::meta(),
        Team::meta(),
        Seller::meta(),
        Offer::meta(),
    ]
}
