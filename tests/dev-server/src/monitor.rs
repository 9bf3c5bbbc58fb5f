//! A record of the commands that a client sends, for tests of what goes over the wire.
//!
//! ```no_run
//! use mongo_model_dev_server::{DevServer, Topology, monitor::CommandLog};
//!
//! # async fn example() -> Result<(), mongo_model_dev_server::Error> {
//! let server = DevServer::shared(Topology::Any).await?;
//! let log = CommandLog::new();
//! let client = server.client_with(|options| log.attach(options)).await?;
//! // ... use the client ...
//! assert_eq!(log.names(), ["insert", "find"]);
//! # Ok(())
//! # }
//! ```

use std::{
    mem,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use mongodb::{
    bson::Document,
    event::{EventHandler, command::CommandEvent},
    options::ClientOptions,
};

/// The commands a driver sends, or a test to see whether the server is there, that no user of a
/// database asked for; in lower case.
const NOISE: [&str; 7] = [
    "authenticate",
    "endsessions",
    "hello",
    "ismaster",
    "ping",
    "saslcontinue",
    "saslstart",
];

/// A command as it was sent.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StartedCommand {
    /// The name of the command, such as `find`.
    pub name: String,
    /// The database it was sent to.
    pub db: String,
    /// The whole command, with what the driver adds, such as `lsid`.
    pub command: Document,
}

/// The commands that clients started, in the order in which they did. Clones share one record.
#[derive(Clone, Debug, Default)]
pub struct CommandLog {
    commands: Arc<Mutex<Vec<StartedCommand>>>,
    with_noise: bool,
}

impl CommandLog {
    /// A record of the commands that a user sends: without connection handshakes, `hello`, `ping`
    /// and `endSessions`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A record of every command the driver reports.
    #[must_use]
    pub fn with_noise() -> Self {
        Self {
            with_noise: true,
            ..Self::default()
        }
    }

    /// Records the commands of clients made from these options, in place of any handler of command
    /// events the options had.
    ///
    /// A command is in the record before it is sent, so one whose outcome was awaited is there.
    pub fn attach(&self, options: &mut ClientOptions) {
        let log = self.clone();
        options.command_event_handler = Some(EventHandler::callback(move |event| {
            if let CommandEvent::Started(started) = event {
                log.record(StartedCommand {
                    name: started.command_name,
                    db: started.db,
                    command: started.command,
                });
            }
        }));
    }

    /// The commands so far, which are then no longer in the record.
    #[must_use]
    pub fn take(&self) -> Vec<StartedCommand> {
        mem::take(&mut *self.lock())
    }

    /// The commands so far.
    #[must_use]
    pub fn commands(&self) -> Vec<StartedCommand> {
        self.lock().clone()
    }

    /// The names of the commands so far.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.lock()
            .iter()
            .map(|command| command.name.clone())
            .collect()
    }

    fn record(&self, command: StartedCommand) {
        let is_noise = NOISE.contains(&command.name.to_ascii_lowercase().as_str());
        if self.with_noise || !is_noise {
            self.lock().push(command);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Vec<StartedCommand>> {
        // A test that failed while it held the lock left the record whole.
        self.commands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
