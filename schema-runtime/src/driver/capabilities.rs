//! Capabilities of the server. A call checks those that it needs before it writes anything that it could not finish.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use bson::doc;
use mongodb::Database;

use super::primary;
use crate::error::server::{Deployment, Feature, Server};
use crate::error::{Error, Result};

/// How many handles are remembered at most.
const HANDLES: usize = 1_024;

/// The servers that handles have led to, by the address of the handle. An address may be used again by a handle of another server, so
/// nothing is refused because of what is remembered here, and a call that is let through by mistake has to end with the server's own refusal
/// of its first command: a call that repeats what fails asks with [`require_asked`].
fn known_servers() -> MutexGuard<'static, HashMap<usize, Server>> {
    static KNOWN: OnceLock<Mutex<HashMap<usize, Server>>> = OnceLock::new();
    let known = KNOWN.get_or_init(Mutex::default).lock();
    known.unwrap_or_else(PoisonError::into_inner)
}

/// Asks the primary what it is: a standalone server, a replica set or a sharded cluster, and of which release. Sends one `hello`.
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
/// # Ok(()) }
/// ```
///
/// # Errors
/// The driver's.
pub async fn capabilities(db: &Database) -> Result<Server> {
    let hello = db.run_command(doc! { "hello": 1 });
    let reply = hello.selection_criteria(primary()).await?;
    let server = Server::of_hello(&reply);
    let mut known = known_servers();
    if known.len() >= HANDLES {
        known.clear();
    }
    known.insert(std::ptr::from_ref(db.client()).addr(), server);
    Ok(server)
}

/// Refuses a call that needs a feature which the server lacks. Sends a `hello` unless the handle's server is known to have it. If the
/// `hello` fails, the call is not refused: it is the call's own commands that are sent again after a lost reply.
///
/// # Errors
/// [`Error::Unsupported`].
pub(crate) async fn require(db: &Database, feature: Feature) -> Result<()> {
    let handle = std::ptr::from_ref(db.client()).addr();
    let last = known_servers().get(&handle).copied();
    if last.is_some_and(|server| server.supports(feature)) {
        return Ok(());
    }
    match require_asked(db, feature).await {
        Err(error @ Error::Unsupported { .. }) => Err(error),
        _ => Ok(()),
    }
}

/// True if the server is a standalone one. Sends a `hello` for the first call of a handle; a server that does not answer is none.
pub(crate) async fn is_standalone(db: &Database) -> bool {
    static KNOWN: OnceLock<Mutex<HashMap<(usize, String), bool>>> = OnceLock::new();
    let known = || {
        let known = KNOWN.get_or_init(Mutex::default).lock();
        known.unwrap_or_else(PoisonError::into_inner)
    };
    // The address may be used again. An old answer costs a command that nothing needs, or a wait.
    let handle = (std::ptr::from_ref(db.client()).addr(), db.name().to_owned());
    let before = known().get(&handle).copied();
    if let Some(standalone) = before {
        return standalone;
    }
    let Ok(server) = capabilities(db).await else {
        return false;
    };
    let standalone = server.deployment == Deployment::Standalone;
    let mut known = known();
    if known.len() >= HANDLES {
        known.clear();
    }
    known.insert(handle, standalone);
    standalone
}

/// Refuses a call that needs a feature which the server lacks, never by memory. Sends one `hello`.
///
/// # Errors
/// [`Error::Unsupported`]; the driver's.
pub(crate) async fn require_asked(db: &Database, feature: Feature) -> Result<()> {
    let server = capabilities(db).await?;
    match server.supports(feature) {
        true => Ok(()),
        false => Err(Error::Unsupported { feature, server }),
    }
}
