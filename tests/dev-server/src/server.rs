//! The server as its users see it.

use std::{fmt, panic::resume_unwind, sync::OnceLock};

use mongodb::{Client, options::ClientOptions};
use tokio::{runtime, task::spawn_blocking};

use crate::{
    Environment, Error, binary,
    given::{Given, examine},
    launch::{Launched, launch},
    mongod::Mongod,
    unique,
};

/// The kind of server that a test needs. A server of another kind is never handed out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Topology {
    /// Whatever `$MONGODB_URI` names; without it a standalone, which is there the soonest. For a
    /// test that holds on every server, and so runs on the one its user chose.
    Any,
    /// One server that is no member of a replica set. For a test of what such a server refuses.
    Standalone,
    /// A replica set of this many members, 1 or 3, which transactions and change streams need; the
    /// set that `$MONGODB_URI` names may have more.
    ReplicaSet(u8),
}

impl Topology {
    /// How many members of a replica set to start; none for a standalone.
    fn members(self) -> Result<Option<u8>, Error> {
        match self {
            Self::Any | Self::Standalone => Ok(None),
            Self::ReplicaSet(members @ (1 | 3)) => Ok(Some(members)),
            Self::ReplicaSet(members) => Err(Error::Members(members)),
        }
    }
}

/// A MongoDB server that is ready for use. One that was started here ends when this is dropped,
/// which takes a moment, and at the latest with the process.
pub struct DevServer {
    uri: String,
    /// The processes that were started here, and live as long as this: none if the server was given.
    pub(crate) members: Vec<Mongod>,
}

impl DevServer {
    /// A server of one's own, or the one of `$MONGODB_URI`.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not become ready; see [`Error`].
    pub async fn start(topology: Topology) -> Result<Self, Error> {
        Self::start_in(Environment::from_process(), topology).await
    }

    /// Like [`start`](Self::start), with other variables than those of this process.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not become ready; see [`Error`].
    pub async fn start_in(environment: Environment, topology: Topology) -> Result<Self, Error> {
        blocking(move || start(&environment, topology)).await
    }

    /// The server that this process shares, one for each topology, started on first use. The first
    /// outcome stands: where there is no server, every later test learns it at once.
    ///
    /// # Errors
    ///
    /// If there is no server, or it does not become ready; see [`Error`].
    pub async fn shared(topology: Topology) -> Result<&'static Self, Error> {
        static ANY: OnceLock<Result<DevServer, Error>> = OnceLock::new();
        static STANDALONE: OnceLock<Result<DevServer, Error>> = OnceLock::new();
        static SET_OF_ONE: OnceLock<Result<DevServer, Error>> = OnceLock::new();
        static SET_OF_THREE: OnceLock<Result<DevServer, Error>> = OnceLock::new();

        let environment = Environment::from_process();
        let shared = match (topology, topology.members()?) {
            (Topology::Any, _) if environment.mongodb_uri.is_some() => &ANY,
            // Without a given server the two are the same, so one serves both.
            (_, None) => &STANDALONE,
            (_, Some(1)) => &SET_OF_ONE,
            (_, Some(_)) => &SET_OF_THREE,
        };
        blocking(move || {
            shared
                .get_or_init(|| start(&environment, topology))
                .as_ref()
                .map_err(Clone::clone)
        })
        .await
    }

    /// The connection string.
    #[must_use]
    pub fn uri(&self) -> &str {
        &self.uri
    }

    /// A new client. A client belongs to the runtime it was made on, and every `#[tokio::test]` has
    /// its own, so tests cannot share one.
    ///
    /// # Errors
    ///
    /// If the driver refuses the connection string.
    pub async fn client(&self) -> Result<Client, Error> {
        self.client_with(|_| ()).await
    }

    /// A new client whose options were changed before it was made, say to
    /// [log its commands](crate::monitor::CommandLog::attach).
    ///
    /// # Errors
    ///
    /// If the driver refuses the options.
    pub async fn client_with(
        &self,
        configure: impl FnOnce(&mut ClientOptions),
    ) -> Result<Client, Error> {
        let mut options = ClientOptions::parse(&self.uri)
            .await
            .map_err(Error::Client)?;
        configure(&mut options);
        Client::with_options(options).map_err(Error::Client)
    }

    /// A database name that no other test uses, also on a server that others share: as much of
    /// `prefix` as a name of less than 64 bytes has room for, and a unique suffix. Characters that a
    /// name must not hold are replaced.
    #[must_use]
    pub fn unique_db(&self, prefix: &str) -> String {
        unique::database(prefix)
    }
}

impl fmt::Debug for DevServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("DevServer");
        if self.members.is_empty() {
            // The uri was given, and may hold a password.
            return debug.finish_non_exhaustive();
        }
        debug
            .field("uri", &self.uri)
            .field("members", &self.members)
            .finish()
    }
}

/// Runs what blocks on a thread that may, for a caller whose runtime may have one thread alone.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    spawn_blocking(work)
        .await
        // The one other error is a runtime that ends before the work began, and then nothing polls
        // this any more.
        .unwrap_or_else(|error| resume_unwind(error.into_panic()))
}

/// Finds a server, on a runtime that ends with the search: nothing of a shared server may be bound
/// to the runtime of the test that happened to start it.
fn start(environment: &Environment, topology: Topology) -> Result<DevServer, Error> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Start {
            reason: error.to_string(),
            log: String::new(),
        })?
        .block_on(search(environment, topology))
}

async fn search(environment: &Environment, topology: Topology) -> Result<DevServer, Error> {
    let members = topology.members()?;
    let passed_over = match &environment.mongodb_uri {
        None => "it is not set".to_owned(),
        Some(uri) => match examine(uri, topology).await? {
            Given::Suits => {
                return Ok(DevServer {
                    uri: uri.clone(),
                    members: Vec::new(),
                });
            }
            Given::Differs(reason) => {
                // Or its user would take the tests for ones of that server.
                eprintln!(
                    "mongo-model-dev-server: passing over the server of MONGODB_URI for \
                     {topology:?}: {reason}"
                );
                reason
            }
        },
    };
    let binary = binary::find(environment, &passed_over)?;
    let Launched { uri, members } = launch(&binary, members, &environment.arguments).await?;
    Ok(DevServer { uri, members })
}
