//! One connection of a client, with a connection of its own to each shard.

use std::collections::BTreeSet;
use std::sync::Arc;

use bson::{Bson, Document, doc};
use tokio::net::TcpStream;
use tokio::sync::OwnedRwLockReadGuard;

use crate::Routed;
use crate::dispatch;
use crate::shared::{Cursor, Outcome, Shared, Transaction, refuse};
use crate::table::Table;
use crate::wire;

/// Fields that belong to the message of a command and that another command of the same client needs.
pub(crate) const OF_SESSION: [&str; 6] = [
    "lsid",
    "txnNumber",
    "autocommit",
    "startTransaction",
    "readConcern",
    "apiVersion",
];

pub(crate) struct Front {
    pub(crate) shared: Arc<Shared>,
    links: Vec<Option<TcpStream>>,
    /// The client's description of itself, by which `$currentOp` shows it.
    client: Option<Document>,
    contacts: BTreeSet<usize>,
    /// No chunk moves while a command has this.
    pub(crate) pass: Option<OwnedRwLockReadGuard<()>>,
}

/// A command as the client has sent it.
pub(crate) struct Request {
    pub(crate) name: String,
    pub(crate) database: String,
    pub(crate) body: Document,
}

impl Request {
    fn new(mut body: Document) -> Self {
        let database = match body.remove("$db") {
            Some(Bson::String(database)) => database,
            _ => "admin".to_owned(),
        };
        for field in ["$clusterTime", "$readPreference"] {
            body.remove(field);
        }
        if let Ok(concern) = body.get_document_mut("readConcern") {
            concern.remove("afterClusterTime");
            concern.remove("atClusterTime");
            if concern.is_empty() {
                body.remove("readConcern");
            }
        }
        let name = body.keys().next().cloned().unwrap_or_default();
        Self {
            name,
            database,
            body,
        }
    }

    /// The collection that the command names.
    pub(crate) fn collection(&self) -> Result<&str, Document> {
        let name = self.body.get_str(&self.name);
        name.map_err(|_| refuse(73, "InvalidNamespace", "the collection name is no text"))
    }

    /// `database.collection`.
    pub(crate) fn namespace(&self) -> Result<String, Document> {
        Ok(format!("{}.{}", self.database, self.collection()?))
    }

    /// A read in the same session.
    pub(crate) fn in_session(&self, mut command: Document) -> Document {
        for field in OF_SESSION {
            if field == "txnNumber" && !self.is_in_transaction() {
                continue;
            }
            if let Some(value) = self.body.get(field) {
                command.insert(field, value.clone());
            }
        }
        command
    }

    pub(crate) fn is_in_transaction(&self) -> bool {
        !self.body.get_bool("autocommit").unwrap_or(true)
    }
}

impl Front {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let links = shared.hosts.iter().map(|_| None).collect();
        Self {
            shared,
            links,
            client: None,
            contacts: BTreeSet::new(),
            pass: None,
        }
    }

    /// Waits until no chunk moves.
    pub(crate) async fn enter(&mut self) {
        let gate = Arc::clone(&self.shared.gate);
        self.pass = Some(gate.read_owned().await);
    }

    /// Answers a client until it closes the connection.
    pub(crate) async fn serve(mut self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_nodelay(true)?;
        while let Some(mut message) = wire::read(&mut stream).await? {
            let body = std::mem::take(&mut message.body);
            let reply = self.answer(body).await;
            if message.awaits_reply {
                wire::reply(&mut stream, &message, &reply).await?;
            }
        }
        Ok(())
    }

    async fn answer(&mut self, body: Document) -> Document {
        if let Ok(client) = body.get_document("client") {
            self.client = Some(client.clone());
        }
        let request = Request::new(body);
        if matches!(&*request.name, "hello" | "isMaster" | "ismaster") {
            return dispatch::hello();
        }
        if !self.has_open_transaction(&request) {
            self.enter().await;
        }
        if request.body.get_bool("startTransaction").unwrap_or(false) {
            self.begin_transaction(&request.body);
        }
        self.contacts.clear();
        let outcome = Box::pin(self.dispatch(&request)).await;
        self.pass = None;
        let collection = request.collection().unwrap_or_default();
        self.shared.state().commands.push(Routed {
            namespace: format!("{}.{collection}", request.database),
            name: request.name,
            shards: self.contacts.iter().copied().collect(),
        });
        outcome.unwrap_or_else(|refusal| refusal)
    }

    /// The table of a collection that is sharded.
    pub(crate) fn table(&self, namespace: &str) -> Option<Table> {
        self.shared.table(namespace)
    }

    /// Sends a command to one shard, as a part of the client's transaction if it has one.
    pub(crate) async fn send(
        &mut self,
        shard: usize,
        database: &str,
        mut command: Document,
    ) -> Outcome {
        self.contacts.insert(shard);
        if !command.get_bool("autocommit").unwrap_or(true) {
            self.join(shard, &mut command);
        }
        self.call(shard, database, command).await
    }

    /// Sends a command of the router itself, which belongs to no session of the client.
    pub(crate) async fn call(
        &mut self,
        shard: usize,
        database: &str,
        mut command: Document,
    ) -> Outcome {
        command.insert("$db", database);
        let outcome = self.exchange(shard, &command).await;
        let mut reply = outcome.map_err(|error| {
            self.links[shard] = None;
            refuse(
                6,
                "HostUnreachable",
                format!("shard{shard} is lost: {error}"),
            )
        })?;
        for field in [
            "$clusterTime",
            "operationTime",
            "$configTime",
            "$topologyTime",
        ] {
            reply.remove(field);
        }
        let is_ok = reply.get("ok").is_some_and(|ok| match ok {
            Bson::Double(ok) => *ok == 1.0,
            Bson::Int32(ok) => *ok == 1,
            other => other.as_bool() == Some(true),
        });
        if is_ok { Ok(reply) } else { Err(reply) }
    }

    async fn exchange(&mut self, shard: usize, command: &Document) -> std::io::Result<Document> {
        if self.links[shard].is_none() {
            let mut stream = TcpStream::connect(&self.shared.hosts[shard]).await?;
            stream.set_nodelay(true)?;
            let mut hello = doc! { "hello": 1 };
            if let Some(client) = &self.client {
                hello.insert("client", client.clone());
            }
            hello.insert("$db", "admin");
            wire::call(&mut stream, &hello).await?;
            self.links[shard] = Some(stream);
        }
        match &mut self.links[shard] {
            Some(stream) => wire::call(stream, command).await,
            None => Err(std::io::ErrorKind::NotConnected.into()),
        }
    }

    /// Sends a command to several shards in turn, and returns the replies, the failing ones too.
    pub(crate) async fn send_all(
        &mut self,
        shards: &BTreeSet<usize>,
        database: &str,
        command: &Document,
    ) -> Vec<Outcome> {
        let mut outcomes = Vec::new();
        for shard in shards {
            outcomes.push(self.send(*shard, database, command.clone()).await);
        }
        outcomes
    }

    /// Forwards a command to one shard and remembers the cursor of its reply.
    pub(crate) async fn forward(&mut self, shard: usize, request: &Request) -> Outcome {
        let reply = self
            .send(shard, &request.database, request.body.clone())
            .await?;
        if let Ok(cursor) = reply.get_document("cursor")
            && let Ok(id) = cursor.get_i64("id")
            && id != 0
        {
            let cursor = Cursor {
                shard,
                scratch: Vec::new(),
            };
            self.shared.state().cursors.insert(id, cursor);
        }
        Ok(reply)
    }

    /// True if moves wait for the transaction of a command anyway. It must not wait for a move, which can wait for a command that waits
    /// for this transaction.
    fn has_open_transaction(&self, request: &Request) -> bool {
        let state = self.shared.state();
        let transaction = state.transactions.get(&session_of(&request.body));
        request.is_in_transaction()
            && !request.body.contains_key("startTransaction")
            && transaction.is_some_and(|transaction| !transaction.participants.is_empty())
    }

    fn begin_transaction(&mut self, body: &Document) {
        let transaction = Transaction {
            number: body.get_i64("txnNumber").unwrap_or(0),
            is_open: true,
            participants: BTreeSet::new(),
            read_concern: body.get_document("readConcern").ok().cloned(),
        };
        let mut state = self.shared.state();
        state.transactions.insert(session_of(body), transaction);
    }

    /// Makes a shard part of the transaction at the first command that it gets.
    fn join(&mut self, shard: usize, command: &mut Document) {
        let mut state = self.shared.state();
        let transaction = state.transactions.entry(session_of(command)).or_default();
        command.remove("startTransaction");
        command.remove("readConcern");
        if transaction.participants.insert(shard) {
            command.insert("startTransaction", true);
            if let Some(concern) = &transaction.read_concern {
                command.insert("readConcern", concern.clone());
            }
        }
    }

    /// Commits or aborts on each participant in turn: all of them are told, and the first failure is the reply.
    pub(crate) async fn end_transaction(&mut self, request: &Request) -> Outcome {
        let number = request.body.get_i64("txnNumber").unwrap_or(0);
        let participants = {
            let state = self.shared.state();
            let transaction = state.transactions.get(&session_of(&request.body));
            transaction
                .filter(|transaction| transaction.number == number)
                .map(|transaction| transaction.participants.clone())
        };
        let Some(participants) = participants else {
            let message = "the router knows no such transaction";
            return Err(refuse(251, "NoSuchTransaction", message));
        };
        let mut command = request.body.clone();
        command.remove("recoveryToken");
        let mut result = Ok(doc! { "ok": 1.0 });
        for shard in participants {
            self.contacts.insert(shard);
            // Not a first contact, so nothing is joined.
            let outcome = self.call(shard, "admin", command.clone()).await;
            if result.is_ok() {
                result = outcome;
            }
        }
        let session = session_of(&request.body);
        if let Some(transaction) = self.shared.state().transactions.get_mut(&session) {
            transaction.is_open = false;
        }
        self.shared.ended.notify_waiters();
        result
    }
}

impl Front {
    /// Forgets the transactions of sessions that have ended.
    pub(crate) fn forget_sessions(&self, request: &Request) {
        let sessions = request.body.get_array(&request.name).into_iter().flatten();
        for session in sessions.filter_map(Bson::as_document) {
            let session = session.to_vec().unwrap_or_default();
            self.shared.state().transactions.remove(&session);
        }
        self.shared.ended.notify_waiters();
    }
}

fn session_of(body: &Document) -> Vec<u8> {
    let session = body.get_document("lsid").ok();
    session
        .and_then(|session| session.to_vec().ok())
        .unwrap_or_default()
}
