//! Capabilities of the server. A call checks those that it needs before it writes anything that it could not finish.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::doc;
use futures::FutureExt;
use mongodb::Database;
use mongodb::error::ErrorKind;

use super::primary;
use crate::error::defects::ServerVersion;
use crate::error::server::{Deployment, Feature, Server};
use crate::error::{Error, Result};

/// The largest number of handles that are remembered.
const HANDLES: usize = 1_024;

/// A handle: its address, and the name of the database, because the address of a dropped one is soon used again.
type Handle = (usize, String);

/// The servers that handles have led to. The driver shows nothing else that tells two clients apart, an address
/// may be used again by a handle of another server, and a standalone server may be started again as a replica set. So what is remembered
/// here saves a `hello` where a mistake is harmless, and decides nothing else: that a server lacks a feature is never taken from here, and
/// a call that is let through by mistake ends with the server's refusal of its first command. A call that repeats what fails asks with
/// [`require_asked`].
fn known_servers() -> MutexGuard<'static, HashMap<Handle, Server>> {
    static KNOWN: OnceLock<Mutex<HashMap<Handle, Server>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default).lock();
    known.unwrap_or_else(PoisonError::into_inner)
}

fn handle_of(db: &Database) -> Handle {
    (std::ptr::from_ref(db.client()).addr(), db.name().to_owned())
}

/// Asks the primary what it is: a standalone server, a replica set or a sharded cluster, and of which version. Sends a `hello` and a
/// `buildInfo`.
///
/// Calls that not every server can serve ask by themselves, before they write anything, and are [`Error::Unsupported`] where the server
/// lacks something: once for a handle and its clones, and again before each refusal.
///
/// ```no_run
/// # use mongo_model::{Database, Deployment, Feature};
/// # async fn example(db: &Database) -> mongo_model::Result<()> {
/// let server = mongo_model::capabilities(db).await?;
/// assert!(server.supports(Feature::Queues), "{server}");
/// assert_eq!(server.deployment, Deployment::ReplicaSet);
/// for defect in server.version.into_iter().flat_map(|version| version.defects()) {
///     eprintln!("upgrade {server}: {defect}");
/// }
/// # Ok(()) }
/// ```
///
/// # Errors
/// The driver's.
pub async fn capabilities(db: &Database) -> Result<Server> {
    let server = ask(db).await?;
    let info = db.run_command(doc! { "buildInfo": 1 });
    let version = match info.selection_criteria(primary()).await {
        Ok(info) => info.get_str("version").ok().and_then(ServerVersion::parse),
        // A server of another vendor need not have the command.
        Err(error) if matches!(*error.kind, ErrorKind::Command(_)) => None,
        Err(error) => return Err(error.into()),
    };
    Ok(Server { version, ..server })
}

/// Asks for the deployment and the release alone. Sends one `hello`.
///
/// # Errors
/// The driver's.
pub(crate) async fn ask(db: &Database) -> Result<Server> {
    let hello = db.run_command(doc! { "hello": 1 });
    let reply = hello.selection_criteria(primary()).await?;
    let server = Server::of_hello(&reply);
    let mut known = known_servers();
    if known.len() >= HANDLES {
        known.clear();
    }
    known.insert(handle_of(db), server);
    Ok(server)
}

/// Refuses a call that needs a feature which the server lacks. Sends a `hello` unless the handle's server is known to have it. If the
/// `hello` fails, the call is not refused: it is the call's own commands that are sent again after a lost reply.
///
/// # Errors
/// [`Error::Unsupported`].
pub(crate) async fn require(db: &Database, feature: Feature) -> Result<()> {
    let last = known_servers().get(&handle_of(db)).copied();
    if last.is_some_and(|server| server.supports(feature)) {
        return Ok(());
    }
    match require_asked(db, feature).boxed().await {
        Err(error @ Error::Unsupported { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// True if the server is known as a standalone one, which an old answer may say wrongly: for a choice of which either side is right on
/// every server, and one is cheaper. Sends a `hello` for the first call of a handle; a server that does not answer is none.
pub(crate) async fn may_be_standalone(db: &Database) -> bool {
    let last = known_servers().get(&handle_of(db)).copied();
    let server = match last {
        Some(server) => Ok(server),
        None => ask(db).boxed().await,
    };
    server.is_ok_and(|server| server.deployment == Deployment::Standalone)
}

/// Refuses a call that needs a feature which the server lacks, never by memory. Sends one `hello`.
///
/// # Errors
/// [`Error::Unsupported`]; the driver's.
pub(crate) async fn require_asked(db: &Database, feature: Feature) -> Result<()> {
    let server = ask(db).await?;
    match server.supports(feature) {
        true => Ok(()),
        false => Err(Error::Unsupported { feature, server }),
    }
}
