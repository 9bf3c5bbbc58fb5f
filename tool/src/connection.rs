//! The connection to the server, and the messages when it fails.

use std::io::Write;
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model::{ServerDefect, ServerVersion};
use mongodb::Database;
use mongodb::error::{Error, ErrorKind};
use mongodb::event::EventHandler;
use mongodb::event::command::{CommandEvent, CommandStartedEvent};
use mongodb::options::ClientOptions;

use crate::cli::Global;
use crate::failure::{Failure, Result, cause, sentence};
use crate::output::count;
use crate::secrets::remember_secrets;

/// The wire version of MongoDB 4.4.
const OLDEST_WIRE_VERSION: i32 = 9;

/// A database that answers.
#[derive(Debug)]
pub(crate) struct Connection {
    /// The database.
    pub(crate) db: Database,
    /// The hosts of the connection string, without credentials.
    pub(crate) hosts: String,
    /// The server's version: `6.0.5`.
    pub(crate) version: String,
}

impl Connection {
    /// Connects, and asks the server for its version.
    pub(crate) async fn open(global: &Global) -> Result<Self> {
        let Some(uri) = global.uris.first().filter(|uri| !uri.is_empty()) else {
            return Err(Failure::new("no server is named")
                .help("set MONGODB_URI, or pass `--uri mongodb://host:27017/database`"));
        };
        remember_secrets(uri);
        let mut options = ClientOptions::parse(uri).await.map_err(|error| {
            let said = cause(&error);
            match error.kind.as_ref() {
                ErrorKind::DnsResolve { .. } => {
                    Failure::new(format!("the host is not found: {said}"))
                        .help("correct the host in the connection string")
                }
                _ => Failure::new(format!("the connection string is not valid: {said}")).help(
                    "write it as `mongodb://user:password@host:27017/database`; a `@`, `:`, `/` or `%` in user or password is written as `%40`, `%3A`, `%2F`, `%25`",
                ),
            }
        })?;
        let timeout = Duration::from_secs(global.timeout);
        let timeout = *options.server_selection_timeout.get_or_insert(timeout);
        options.connect_timeout.get_or_insert(timeout);
        options
            .app_name
            .get_or_insert_with(|| "mongo-model".to_owned());
        if global.show_commands {
            options.command_event_handler = Some(EventHandler::callback(|event| {
                if let CommandEvent::Started(started) = event {
                    show(&started);
                }
            }));
        }
        let hosts: Vec<String> = options.hosts.iter().map(ToString::to_string).collect();
        let hosts = hosts.join(", ");
        let name = global
            .dbs
            .first()
            .cloned()
            .or_else(|| options.default_database.clone());
        let Some(name) = name else {
            return Err(Failure::new("no database is named").help(
                "pass `--db NAME`, or write it into the connection string: `mongodb://host/NAME`",
            ));
        };
        let client = mongodb::Client::with_options(options)?;
        let admin = client.database("admin");
        let hello = admin.run_command(doc! { "hello": 1 }).await;
        let hello = hello.map_err(|error| unreachable_server(&hosts, timeout, &error))?;
        let version = match admin.run_command(doc! { "buildInfo": 1 }).await {
            Ok(info) => info.get_str("version").unwrap_or("unknown").to_owned(),
            Err(_) => "unknown".to_owned(),
        };
        if hello.get_i32("maxWireVersion").unwrap_or(i32::MAX) < OLDEST_WIRE_VERSION {
            return Err(too_old(&hosts, &version));
        }
        Ok(Connection {
            db: client.database(&name),
            hosts,
            version,
        })
    }

    /// The known defects of the server's version.
    pub(crate) fn server_defects(&self) -> Vec<ServerDefect> {
        let version = ServerVersion::parse(&self.version);
        version
            .into_iter()
            .flat_map(ServerVersion::defects)
            .collect()
    }

    /// The collections and views that exist, by name.
    pub(crate) async fn collections(&self) -> Result<Vec<Document>> {
        let command =
            doc! { "listCollections": 1, "authorizedCollections": true, "nameOnly": true };
        let found = self.db.run_cursor_command(command).await?;
        let mut found: Vec<Document> = found.try_collect().await?;
        found.retain(|one| !name_of(one).starts_with("system."));
        found.sort_by(|a, b| name_of(a).cmp(name_of(b)));
        Ok(found)
    }

    /// As [`collections`](Self::collections); none at all is a failure.
    pub(crate) async fn some_collections(&self) -> Result<Vec<Document>> {
        let found = self.collections().await?;
        if found.is_empty() {
            let message = format!(
                "the database `{}` on {} has no collections",
                self.db.name(),
                self.hosts
            );
            let help = "check the name; `mongo-model apply` makes the collections and indexes of a new database";
            return Err(Failure::new(message).help(help));
        }
        Ok(found)
    }

    /// The number of documents in a collection, by its metadata.
    pub(crate) async fn estimated_count(&self, collection: &str) -> Result<u64> {
        let collection = self.db.collection::<Document>(collection);
        Ok(collection.estimated_document_count().await?)
    }

    /// The place of the data, in words: `` `shop` on localhost:27017 (MongoDB 6.0.5) ``.
    pub(crate) fn place(&self) -> String {
        format!(
            "`{}` on {} (MongoDB {})",
            self.db.name(),
            self.hosts,
            self.version
        )
    }
}

/// The name in an entry of `listCollections`.
pub(crate) fn name_of(listed: &Document) -> &str {
    listed.get_str("name").unwrap_or_default()
}

/// Prints the commands that are sent, without values: `find comments`, `aggregate comments [$sample, $match]`.
fn show(started: &CommandStartedEvent) {
    let name = &started.command_name;
    let command = match started.command.get_document(name) {
        // `explain` holds the command that it explains.
        Ok(explained) => explained,
        Err(_) => &started.command,
    };
    let collection = match command.iter().next() {
        Some((_, Bson::String(collection))) => collection.as_str(),
        _ => command.get_str("collection").unwrap_or(""),
    };
    let stages = command.get_array("pipeline").into_iter().flatten();
    let stages: Vec<&str> = stages
        .filter_map(|stage| stage.as_document()?.keys().next().map(String::as_str))
        .collect();
    let stages = match stages.is_empty() {
        true => String::new(),
        false => format!(" [{}]", stages.join(", ")),
    };
    let place = [started.db.as_str(), collection];
    let place: Vec<&str> = place.into_iter().filter(|part| !part.is_empty()).collect();
    // Several connections send at once: one call writes one line.
    let line = format!("sent: {name} {}{stages}\n", place.join("."));
    let _ = std::io::stderr().lock().write_all(line.as_bytes());
}

fn unreachable_server(hosts: &str, timeout: Duration, error: &Error) -> Failure {
    match error.kind.as_ref() {
        ErrorKind::ServerSelection { message, .. } if message.contains("wire version") => {
            too_old(hosts, "of that version").help(message.clone())
        }
        ErrorKind::ServerSelection { .. } => Failure::new(format!(
            "no server answers at {hosts} within {}",
            count(timeout.as_secs(), "second")
        ))
        .help("start the server, or correct the connection string; `--timeout` waits longer"),
        _ => sentence(error),
    }
}

fn too_old(hosts: &str, version: &str) -> Failure {
    Failure::new(format!(
        "the server at {hosts} is too old: MongoDB {version}; mongo-model needs 4.4 or newer"
    ))
}
