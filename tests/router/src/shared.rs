//! The state that all connections of a router share.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bson::{Document, doc};
use tokio::sync::{Notify, RwLock};

use crate::Routed;
use crate::table::Table;

pub(crate) struct Shared {
    /// The address of each shard's primary.
    pub(crate) hosts: Vec<String>,
    pub(crate) shard_everything: bool,
    /// Commands share it; a move of a chunk has it alone.
    pub(crate) gate: Arc<RwLock<()>>,
    /// Tells that a transaction has ended.
    pub(crate) ended: Notify,
    state: Mutex<State>,
}

#[derive(Default)]
pub(crate) struct State {
    pub(crate) tables: HashMap<String, Table>,
    /// Sharded collections that exist on every shard.
    pub(crate) made: HashSet<String>,
    /// Collections that are not sharded although the router shards everything.
    pub(crate) plain: HashSet<String>,
    /// Collections that compare texts in their own way.
    pub(crate) collated: HashSet<String>,
    pub(crate) plans: Vec<Plan>,
    /// The number of scratch collections so far.
    pub(crate) scratches: u64,
    pub(crate) cursors: HashMap<i64, Cursor>,
    /// The open transaction of each session.
    pub(crate) transactions: HashMap<Vec<u8>, Transaction>,
    pub(crate) commands: Vec<Routed>,
}

/// A move of a chunk that waits for a write of many documents.
pub(crate) struct Plan {
    pub(crate) namespace: String,
    pub(crate) command: String,
    pub(crate) chunk: usize,
    pub(crate) to: usize,
}

/// An open cursor, and the shard that has it.
#[derive(Clone)]
pub(crate) struct Cursor {
    pub(crate) shard: usize,
    /// The scratch collections that it needs; it reads the first of them.
    pub(crate) scratch: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Transaction {
    pub(crate) number: i64,
    pub(crate) is_open: bool,
    pub(crate) participants: BTreeSet<usize>,
    pub(crate) read_concern: Option<Document>,
}

/// A reply, or the reply that says why there is none.
pub(crate) type Outcome = Result<Document, Document>;

/// The reply of a command that fails.
pub(crate) fn refuse(code: i32, name: &str, message: impl Into<String>) -> Document {
    doc! { "ok": 0.0, "errmsg": message.into(), "code": code, "codeName": name }
}

impl Shared {
    pub(crate) fn new(hosts: Vec<String>, shard_everything: bool) -> Self {
        Self {
            hosts,
            shard_everything,
            gate: Arc::default(),
            ended: Notify::new(),
            state: Mutex::default(),
        }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The table of a collection; none if it is not sharded.
    pub(crate) fn table(&self, namespace: &str) -> Option<Table> {
        let state = self.state();
        let is_collated = state.collated.contains(namespace);
        if let Some(table) = state.tables.get(namespace) {
            let mut table = table.clone();
            table.is_collated = is_collated;
            return Some(table);
        }
        let (database, collection) = namespace.split_once('.')?;
        let is_internal = matches!(database, "admin" | "config" | "local")
            || collection.starts_with("system.")
            || collection.starts_with('$')
            || state.plain.contains(namespace);
        if !self.shard_everything || is_internal {
            return None;
        }
        let mut table = Table::new(doc! { "_id": "hashed" }, self.hosts.len());
        table.is_collated = is_collated;
        Some(table)
    }

    /// All shards.
    pub(crate) fn all(&self) -> BTreeSet<usize> {
        (0..self.hosts.len()).collect()
    }
}
