//! If the server drops one connection, the caller does not notice.

use bson::{Document, doc};
use futures::{StreamExt, TryStreamExt};
use mongo_model::watch::Change;
use mongo_model::{Database, Error, MongoModel};
use mongo_model_dev_server::monitor::CommandLog;
use mongo_model_dev_server::{DevServer, Environment, Topology};
use mongodb::Client;
use serde::{Deserialize, Serialize};

use super::{Kit, MANY, Part, kit, numbers, part, part_id};

/// A set whose connections can be dropped.
pub(super) struct Fragile {
    server: DevServer,
    other: Client,
    pub(super) db: Database,
    pub(super) log: CommandLog,
}

impl Fragile {
    pub(super) async fn new() -> Self {
        let environment = Environment {
            mongodb_uri: None,
            arguments: ["--setParameter", "enableTestCommands=1"]
                .map(str::to_owned)
                .into(),
            ..Environment::from_process()
        };
        let server = DevServer::start_in(environment, Topology::ReplicaSet(1))
            .await
            .expect("a set");
        let log = CommandLog::new();
        let client = server
            .client_with(|options| log.attach(options))
            .await
            .expect("a client");
        Fragile {
            other: server.client().await.expect("a client"),
            db: client.database("fragile"),
            log,
            server,
        }
    }

    /// The server drops the connection over which the next of these commands comes.
    async fn drop_next(&self, command: &str) {
        let data = doc! { "failCommands": [command], "closeConnection": true };
        self.fail(1, data).await;
    }

    /// The server says of the next of these commands that it has killed their plans.
    async fn kill_next(&self, times: i32, command: &str, code: i32) {
        let data = doc! { "failCommands": [command], "errorCode": code };
        self.fail(times, data).await;
    }

    pub(super) async fn fail(&self, times: i32, data: Document) {
        let fail =
            doc! { "configureFailPoint": "failCommand", "mode": { "times": times }, "data": data };
        let admin = self.other.database("admin");
        admin.run_command(fail).await.expect("configured");
        drop(self.log.take());
    }

    /// The command was sent twice, and nothing else.
    #[track_caller]
    fn assert_twice(&self, name: &str) -> [Document; 2] {
        let sent = self.log.take();
        let names: Vec<&str> = sent.iter().map(|sent| sent.name.as_str()).collect();
        assert_eq!(names, [name, name]);
        let commands: Vec<Document> = sent.into_iter().map(|sent| sent.command).collect();
        commands.try_into().expect("two")
    }
}

#[tokio::test]
async fn reads_are_sent_again() {
    let set = Fragile::new().await;
    let db = &set.db;
    let parts: Vec<Part> = (0..MANY).map(part).collect();
    Part::insert_many(db, &parts).await.expect("stored");
    Kit::insert(db, &kit(1, 3)).await.expect("stored");
    let all: Vec<i32> = (0..MANY).collect();

    set.drop_next("find").await;
    let find = || Part::find(db, |p| p.id.gte(part_id(0))).sort(|p| p.id.asc());
    assert_eq!(numbers(&find().await.expect("found")), all);
    let sent = set.log.take();
    assert_eq!(sent[1].name, "find");

    set.drop_next("find").await;
    let streamed: Vec<Part> = find().limit(9).stream().try_collect().await.expect("found");
    assert_eq!(numbers(&streamed), all[..9]);
    set.assert_twice("find");

    set.drop_next("find").await;
    let one = Part::get(db, part_id(7)).await.expect("found");
    assert_eq!(one, Some(part(7)));
    set.assert_twice("find");

    for many in [3, MANY] {
        set.drop_next("find").await;
        let loaded = kit(1, many).load_parts(db).await.expect("loaded");
        let expected: Vec<i32> = (0..many).rev().collect();
        assert_eq!(numbers(loaded.values()), expected, "{many} ids");
        let [first, second] = set.assert_twice("find");
        assert_eq!(first.get("filter"), second.get("filter"));
    }

    set.drop_next("find").await;
    let of = [part(1), part(2)];
    let children = Kit::by_main_many(db, &of).await.expect("loaded");
    assert_eq!((children[0].1.len(), children[1].1.len()), (1, 0));
    set.assert_twice("find");

    set.drop_next("aggregate").await;
    let first = Kit::by_main_many(db, &of).limit(1).await.expect("loaded");
    assert_eq!(first[0].1.len(), 1);
    set.assert_twice("aggregate");
    drop(set.server);
}

#[tokio::test]
async fn a_read_whose_plan_was_killed_is_sent_again_once() {
    let set = Fragile::new().await;
    let db = &set.db;
    let parts: Vec<Part> = (0..MANY).map(part).collect();
    Part::insert_many(db, &parts).await.expect("stored");
    let all = || Part::find(db, |p| p.id.gte(part_id(0)));
    for code in [175, 510, 511] {
        set.kill_next(1, "find", code).await;
        assert_eq!(all().await.expect("found").len(), parts.len());
        assert_eq!(set.log.take()[1].name, "find");

        for many in [3, MANY] {
            set.kill_next(1, "find", code).await;
            let loaded = kit(1, many).load_parts(db).await.expect("loaded");
            assert_eq!(loaded.values().len(), parts.len().min(many as usize));
            set.assert_twice("find");
        }

        set.kill_next(1, "aggregate", code).await;
        let counted = Part::count(db, |p| p.id.gte(part_id(0)));
        assert_eq!(counted.await.expect("counted"), parts.len() as u64);
        set.assert_twice("aggregate");

        let of = [part(1), part(2)];
        set.kill_next(1, "aggregate", code).await;
        Kit::by_main_many(db, &of).limit(1).await.expect("loaded");
        set.assert_twice("aggregate");

        set.kill_next(2, "find", code).await;
        let error = all().await.expect_err("killed again");
        assert!(matches!(error, Error::Driver(_)), "{error}");
        set.assert_twice("find");
    }
    // Another error is the caller's at once.
    set.kill_next(1, "find", 2).await;
    all().await.expect_err("refused");
    assert_eq!(set.log.take().len(), 1);
}

/// The second version has the name in other letters.
#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "renewed", schema_version = 2, migrate = renew, unversioned = 1)]
struct Renewed {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

fn renew(mut old: Document, _version: i32) -> Result<Document, String> {
    let name = old.get_str("name").map_err(|error| error.to_string())?;
    let name = name.to_uppercase();
    old.insert("name", name);
    Ok(old)
}

/// The server closes a cursor that stays unused for half an hour.
#[tokio::test]
async fn a_cursor_that_the_server_closed_is_said_and_a_migration_goes_on() {
    let set = Fragile::new().await;
    let db = &set.db;
    let parts: Vec<Part> = (0..MANY).map(part).collect();
    Part::insert_many(db, &parts).await.expect("stored");
    for code in [43, 237, 175] {
        set.kill_next(1, "getMore", code).await;
        let all = Part::find(db, |p| p.id.gte(part_id(0))).batch_size(2);
        let mut rows = Box::pin(all.stream());
        for _ in 0..2 {
            rows.try_next().await.expect("read").expect("a part");
        }
        let error = rows.try_next().await.expect_err("closed");
        assert!(error.is_transient(), "{error}");
        let said = error.to_string();
        let words = "parts: the server closed the cursor after 2 documents: ";
        assert!(said.contains(words), "{said}");
    }
    let old = (0..9).map(|n| doc! { "_id": n, "name": "ann" });
    let renewed = db.collection::<Document>("renewed");
    renewed.insert_many(old).await.expect("stored");
    set.kill_next(1, "getMore", 43).await;
    let migrated = Renewed::migrate(db).batch(2).await.expect("migrated");
    assert_eq!((migrated.migrated, migrated.refused.len()), (9, 0));
    let old = Renewed::count(db, |r| r.id.gte(0)).await.expect("counted");
    assert_eq!(old, 9);
    let lower = renewed.count_documents(doc! { "name": "ann" }).await;
    assert_eq!(lower.expect("counted"), 0);
}

#[tokio::test]
async fn an_insert_is_sent_again_and_stored_once() {
    let set = Fragile::new().await;
    let db = &set.db;
    let parts: Vec<Part> = (0..500).map(part).collect();
    set.drop_next("insert").await;
    let outcome = Part::insert_many(db, &parts).await.expect("stored");
    assert_eq!(outcome.inserted, 500);
    let [first, second] = set.assert_twice("insert");
    let same = |key| {
        assert!(
            first.get(key).is_some() && first.get(key) == second.get(key),
            "{key}"
        )
    };
    // The number by which the server knows that it has done this.
    same("txnNumber");
    same("lsid");
    let stored = Part::count(db, |p| p.id.gte(part_id(0)))
        .await
        .expect("counted");
    assert_eq!(stored, 500);
}

/// A server that is too busy refuses a command before it begins: the call may be sent again later.
#[tokio::test]
async fn an_overloaded_server() {
    let set = Fragile::new().await;
    let client = set.server.client_with(|options| {
        options.retry_reads = Some(false);
        options.retry_writes = Some(false);
    });
    let db = &client.await.expect("a client").database("fragile");
    let labels = ["SystemOverloadedError", "RetryableError"];
    for data in [
        doc! { "errorCode": 462 },
        doc! { "errorCode": 462, "errorLabels": labels.to_vec() },
        doc! { "errorCode": 2, "errorLabels": ["SystemOverloadedError"] },
        doc! { "errorCode": 2, "errorLabels": ["RetryableError"] },
    ] {
        let mut all = doc! { "failCommands": ["insert", "find"] };
        all.extend(data.clone());
        set.fail(2, all).await;
        let stored = Part::insert(db, &part(1)).await;
        let read = Part::get(db, part_id(1)).await.map(drop);
        for error in [stored.map(drop), read].map(|done| done.expect_err("refused")) {
            assert!(error.is_transient(), "{data}: {error}");
        }
    }
    set.fail(1, doc! { "failCommands": ["insert"], "errorCode": 2 })
        .await;
    let error = Part::insert(db, &part(1)).await.expect_err("refused");
    assert!(!error.is_transient(), "{error}");
    Part::insert(db, &part(1)).await.expect("stored");
}

/// Killed by an operator, dropped with its connection, ended by an election.
#[tokio::test]
async fn a_stream_in_the_order_of_ids_goes_on_behind_its_last_document() {
    let set = Fragile::new().await;
    let db = &set.db;
    let parts: Vec<Part> = (0..MANY).map(part).collect();
    Part::insert_many(db, &parts).await.expect("stored");
    let in_order = || {
        let all = Part::find(db, |p| p.id.gte(part_id(0))).sort(|p| p.id.asc());
        Box::pin(all.batch_size(2).stream())
    };
    for code in [43, 237, 175, 11_602, 10_107, 0] {
        let mut rows = in_order();
        let mut read = vec![rows.try_next().await.expect("read").expect("one")];
        match code {
            0 => set.drop_next("getMore").await,
            code => set.kill_next(1, "getMore", code).await,
        }
        read.extend([rows.try_next().await.expect("read").expect("another")]);
        read.extend([rows.try_next().await.expect("read").expect("a third")]);
        let sent = set.log.take().into_iter().map(|sent| sent.name);
        assert_eq!(sent.collect::<Vec<_>>(), ["getMore", "find"], "{code}");
        read.extend(rows.try_collect::<Vec<_>>().await.expect("read"));
        assert_eq!(numbers(&read), Vec::from_iter(0..MANY), "{code}");
    }
    // The server ends a session that stays unused for half an hour, and its cursors with it.
    let mut rows = in_order();
    let first = rows.try_next().await.expect("read");
    let admin = set.other.database("admin");
    let kill = doc! { "killAllSessions": [] };
    admin.run_command(kill).await.expect("killed");
    drop(set.log.take());
    let rest: Vec<Part> = rows.try_collect().await.expect("read");
    assert_eq!(numbers(first.iter().chain(&rest)), Vec::from_iter(0..MANY));
    let again = set
        .log
        .take()
        .into_iter()
        .filter(|sent| sent.name == "find");
    assert_eq!(again.count(), 1);
}

#[tokio::test]
async fn a_watch_goes_on_behind_the_last_change() {
    let set = Fragile::new().await;
    let db = &set.db;
    let mut changes = Part::watch(db).await.expect("watched");
    let lost = [
        doc! { "failCommands": ["getMore"], "closeConnection": true },
        doc! { "failCommands": ["getMore"], "errorCode": 43 },
        doc! { "failCommands": ["getMore"], "errorCode": 237 },
        // Another primary was elected.
        doc! { "failCommands": ["getMore", "find"], "errorCode": 189 },
        // The documents of the changes cannot be read at first.
        doc! { "failCommands": ["find"], "closeConnection": true },
        doc! { "failCommands": ["aggregate", "getMore"], "closeConnection": true },
    ];
    for (n, fail) in (0..).zip(lost) {
        set.fail(3, fail.clone()).await;
        let other = db.clone();
        Part::insert(&other, &part(n)).await.expect("stored");
        let change = changes.next().await.expect("a change").expect("read");
        assert!(
            matches!(&change, Change::Inserted(told) if *told == part(n)),
            "{fail}: {change:?}"
        );
    }

    // The oplog does not reach back to the place of the stream.
    let lost = doc! { "failCommands": ["getMore"], "errorCode": 286 };
    set.fail(1, lost).await;
    let change = changes.next().await.expect("a change").expect("read");
    assert!(matches!(change, Change::Missed), "{change:?}");
    Part::insert(db, &part(7)).await.expect("stored");
    let change = changes.next().await.expect("a change").expect("read");
    assert!(
        matches!(&change, Change::Inserted(told) if *told == part(7)),
        "{change:?}"
    );

    // An error that time does not heal ends it.
    set.fail(1, doc! { "failCommands": ["getMore"], "errorCode": 13 })
        .await;
    let error = changes.next().await.expect("an error");
    assert!(matches!(error, Err(Error::Driver(_))), "{error:?}");
    assert!(changes.next().await.is_none());
}
