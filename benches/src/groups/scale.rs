//! Work that grows without bounds: a source with a million copies, the comparison of ten million references, and 200 tasks at once. Optional, only
//! with `--scale`: the sizes are those of `--followers`, `--references` and `--tasks`.

mod memory;
mod mixed;
mod renamed;
mod verified;

use bson::{RawDocumentBuf, doc, rawdoc};
use mongo_model::{Database, Id, MongoModel, settle};
use serde::{Deserialize, Serialize};

pub(crate) use self::renamed::rename_in_this_process;
use crate::Result;
use crate::context::Context;
use crate::report::Section;

/// How much the group stores and starts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    /// The copies of one source.
    pub(crate) followers: usize,
    /// The references that a verification compares.
    pub(crate) references: usize,
    /// The tasks that read and write at once.
    pub(crate) tasks: usize,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes {
            followers: 100_000,
            references: 1_000_000,
            tasks: 200,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "scale_hosts")]
struct Server {
    #[serde(rename = "_id")]
    id: Id<Server>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "scale_messages")]
struct Message {
    #[serde(rename = "_id")]
    id: Id<Message>,
    #[parent(Server, sort = -number)]
    host: Id<Server>,
    #[denorm(from = Server, via = host, field = name)]
    host_name: String,
    number: i64,
    text: String,
}

pub(crate) async fn run(context: &Context) -> Result<Section> {
    let mut section = Section {
        name: "scale",
        ..Section::default()
    };
    renamed::measure(context, &mut section).await?;
    context.db.drop().await?;
    verified::measure(context, &mut section).await?;
    context.db.drop().await?;
    mixed::measure(context, &mut section).await?;
    Ok(section)
}

/// The id of the `n`th document of a kind; in the order of their numbers.
fn ordered(kind: u8, n: usize) -> bson::oid::ObjectId {
    let mut bytes = [kind; 12];
    bytes[4..].copy_from_slice(&(n as u64).to_be_bytes());
    bson::oid::ObjectId::from_bytes(bytes)
}

fn server(n: usize) -> Server {
    Server {
        id: Id::from_raw(ordered(1, n)),
        name: "first".to_owned(),
    }
}

async fn create(context: &Context, servers: usize) -> Result<()> {
    context.index(&[Server::meta(), Message::meta()]).await?;
    let all: Vec<Server> = (0..servers).map(server).collect();
    Server::insert_many(&context.db, &all).await?;
    settle(&context.db).await;
    Ok(())
}

/// Stores the messages of these numbers as the library would, each of the server that `server` says.
async fn store_messages(
    db: &Database,
    numbers: std::ops::Range<usize>,
    server: impl Fn(usize) -> usize,
) -> Result<()> {
    let collection = db.collection::<RawDocumentBuf>("scale_messages");
    let mut numbers = numbers.peekable();
    while numbers.peek().is_some() {
        let some: Vec<RawDocumentBuf> = numbers
            .by_ref()
            .take(10_000)
            .map(|n| {
                rawdoc! {
                    "_id": ordered(2, n),
                    "host": ordered(1, server(n)),
                    "host_name": "first",
                    "_r_host": 1_i64,
                    "number": n as i64,
                    "text": "connection refused: no route to host, will not be tried again",
                }
            })
            .collect();
        collection.insert_many(some).ordered(false).await?;
    }
    Ok(())
}

/// How many messages of a server do not have this name.
async fn stale(db: &Database, server: usize, name: &str) -> Result<u64> {
    let messages = db.collection::<bson::Document>("scale_messages");
    let other = doc! { "host": ordered(1, server), "host_name": { "$ne": name } };
    Ok(messages.count_documents(other).await?)
}
