//! The connection to the server, the messages when it fails, and the removal of credentials from all output.

use std::io::Write;
use std::sync::OnceLock;
use std::time::Duration;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongodb::Database;
use mongodb::error::{Error, ErrorKind};
use mongodb::event::EventHandler;
use mongodb::event::command::{CommandEvent, CommandStartedEvent};
use mongodb::options::ClientOptions;

use crate::cli::Global;
use crate::failure::{Failure, Result};
use crate::output::count;

/// The wire version of MongoDB 4.4.
const OLDEST_WIRE_VERSION: i32 = 9;

/// Strings that no output contains.
static SECRETS: OnceLock<Vec<String>> = OnceLock::new();

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
        let Some(uri) = global.uri.as_deref().filter(|uri| !uri.is_empty()) else {
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
            .db
            .clone()
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

    /// How many documents a collection has, by its metadata.
    pub(crate) async fn estimated_count(&self, collection: &str) -> Result<u64> {
        let collection = self.db.collection::<Document>(collection);
        Ok(collection.estimated_document_count().await?)
    }

    /// Where the data is, in words: `` `shop` on localhost:27017 (MongoDB 6.0.5) ``.
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

/// One sentence about an error of the driver.
pub(crate) fn sentence(error: &Error) -> Failure {
    const UNAUTHORIZED: i32 = 13;
    const AUTHENTICATION_FAILED: i32 = 18;
    match error.kind.as_ref() {
        ErrorKind::Authentication { .. } => refused_credentials(),
        ErrorKind::Command(refused) if refused.code == AUTHENTICATION_FAILED => {
            refused_credentials()
        }
        ErrorKind::Command(refused) if refused.code == UNAUTHORIZED => Failure::new(format!(
            "the user may not do this: {}",
            without_values(&refused.message)
        )),
        ErrorKind::Command(refused) => Failure::new(format!(
            "the server refused: {} ({})",
            refused.message, refused.code_name
        )),
        ErrorKind::ServerSelection { .. } => Failure::new("the server does not answer any more"),
        ErrorKind::Io(cause) => Failure::new(format!("the connection was lost: {cause}")),
        _ => Failure::new(cause(error)),
    }
}

/// `not authorized on shop to execute command { find: "parts", .. }` without the command's fields.
fn without_values(message: &str) -> String {
    match message.split_once('{') {
        Some((said, command)) => {
            let name = command.split(':').next().unwrap_or_default().trim();
            format!("{said}`{name}`")
        }
        None => message.to_owned(),
    }
}

fn refused_credentials() -> Failure {
    Failure::new("the server refused the user name or the password")
        .help("check both and `authSource` in the connection string")
}

/// The cause of the error, without the driver's labels.
fn cause(error: &Error) -> String {
    error.kind.to_string()
}

/// Notes what [`redact`] removes.
fn remember_secrets(uri: &str) {
    let mut secrets = vec![uri.to_owned()];
    let user = uri.split_once("://").map_or(uri, |(_, rest)| rest);
    // A password that is not percent-encoded may hold an @ or a slash.
    if let Some((user, _)) = user.rsplit_once('@') {
        secrets.push(format!("{user}@"));
        if let Some((_, password)) = user.split_once(':') {
            secrets.push(format!(":{password}"));
            secrets.push(password.to_owned());
            secrets.push(percent_decoded(password));
        }
    }
    // Options that are credentials.
    let options = uri.split_once('?').map_or("", |(_, options)| options);
    for (key, value) in options.split('&').filter_map(|pair| pair.split_once('=')) {
        let key = key.to_ascii_lowercase();
        if key == "authmechanismproperties" || key.ends_with("password") {
            secrets.push(value.to_owned());
            secrets.push(percent_decoded(value));
        }
    }
    secrets.retain(|secret| secret.len() > 3);
    // A secret that holds another one goes first.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    // One process has one connection.
    let _ = SECRETS.set(secrets);
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend(before.as_bytes());
        match after.get(..2).map(|digits| u8::from_str_radix(digits, 16)) {
            Some(Ok(byte)) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            _ => {
                bytes.push(b'%');
                rest = after;
            }
        }
    }
    bytes.extend(rest.as_bytes());
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The text without credentials.
pub(crate) fn redact(text: &str) -> String {
    let secrets = SECRETS.get().map(Vec::as_slice).unwrap_or_default();
    secrets
        .iter()
        .fold(text.to_owned(), |text, secret| text.replace(secret, "***"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_names_the_command_alone() {
        let said =
            "not authorized on shop to execute command { find: \"parts\", filter: { name: 1 } }";
        let shown = "not authorized on shop to execute command `find`";
        assert_eq!(without_values(said), shown);
        assert_eq!(without_values("no"), "no");
    }

    #[test]
    fn credentials_are_redacted() {
        remember_secrets(
            "mongodb://ann:s3cr:et%21@db.example/shop?tlsCertificateKeyFilePassword=other",
        );
        assert_eq!(
            redact("cannot parse s3cr:et%21 or s3cr:et! at ann:s3cr:et%21@db.example with other"),
            "cannot parse *** or *** at ***db.example with ***"
        );
    }
}
