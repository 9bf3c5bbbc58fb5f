//! One-off migrations: each runs once, in order, whichever program dies where.

#[path = "../common/mod.rs"]
mod common;
mod killed;
mod undone;

use bson::{DateTime, Document, doc};
use mongo_model::migrations::MigrationState;
use mongo_model::{
    Database, Error, Migration, MongoModel, Result, list_migrations, migrate_all, migration,
};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Serialize, Deserialize, MongoModel)]
#[model(collection = "items")]
pub struct Item {
    #[serde(rename = "_id")]
    pub id: i32,
    #[serde(default)]
    pub number: i32,
    /// Missing in older documents, so that its index cannot be built before the first migration has run.
    #[serde(default)]
    #[index(unique)]
    pub code: i32,
    /// The number of times that a migration has met it.
    #[serde(default)]
    pub met: i32,
}

const ITEMS: i32 = 8;
const BATCH: u32 = 3;

/// Walks twice, so that the second walk has a position of its own.
#[migration(name = "1_number_items", undo = forget_numbers)]
async fn number_items(m: &Migration) -> Result<()> {
    count_call(m.db(), "number_items").await?;
    let mut all = Item::scan(m.db(), |_| mongo_model::filter::everything());
    let same_code = has_switch(m.db(), "same code").await?;
    if has_switch(m.db(), "skip").await? {
        all = all.skip_undecodable(|_| ());
    }
    let changed = m.each(all, async |item: Item| {
        if item.id == 7 && has_switch(m.db(), "refuse 7").await? {
            return Err(Error::aborted("7 is refused"));
        }
        let number = Item::update(m.db(), item.id).set(|i| i.number, item.id * 10);
        let code = number.set(|i| i.code, if same_code { 1 } else { item.id });
        code.inc(|i| i.met, 1).await?;
        Ok(())
    });
    assert_eq!(changed.batch(BATCH).await?, ITEMS as u64);
    let late = Item::scan(m.db(), |i| i.id.gt(5));
    m.each(late, async |_: Item| Ok(()))
        .batch(BATCH)
        .await
        .map(drop)
}

async fn forget_numbers(m: &Migration) -> Result<()> {
    let all = Item::scan(m.db(), |_| mongo_model::filter::everything());
    let forget = async |item: Item| {
        Item::update(m.db(), item.id).set(|i| i.number, 0).await?;
        Ok(())
    };
    m.each(all, forget).batch(BATCH).await.map(drop)
}

#[migration(after("1_number_items", "make_archive"), needs = index(Item, code))]
async fn close_archive(m: &Migration) -> Result<()> {
    count_call(m.db(), "close_archive").await
}

#[migration]
async fn make_archive(m: &Migration) -> Result<()> {
    count_call(m.db(), "make_archive").await
}

/// The order of the three.
const ORDER: [&str; 3] = ["1_number_items", "make_archive", "close_archive"];

async fn count_call(db: &Database, name: &str) -> Result<()> {
    let calls = db.collection::<Document>("calls");
    let one_more = doc! { "$inc": { "n": 1 } };
    calls
        .update_one(doc! { "_id": name }, one_more)
        .upsert(true)
        .await?;
    Ok(())
}

async fn has_switch(db: &Database, name: &str) -> Result<bool> {
    let switches = db.collection::<Document>("switches");
    Ok(switches.find_one(doc! { "_id": name }).await?.is_some())
}

async fn store_items(bench: &Bench) {
    for collection in ["items", "calls", "_dn.migrations", "_dn.locks"] {
        bench.raw(collection).drop().await.expect("dropped");
    }
    bench
        .seed("items", (1..=ITEMS).map(|id| doc! { "_id": id }))
        .await;
}

/// The number of times that each item was met.
async fn met(bench: &Bench) -> Vec<i32> {
    let all = Item::scan(&bench.db, |_| mongo_model::filter::everything());
    let all = all.sort(|i| i.id.asc()).await.expect("read");
    assert!(
        all.iter()
            .all(|item| item.met == 0 || item.number == item.id * 10)
    );
    bench.forget();
    all.iter().map(|item| item.met).collect()
}

/// The number of times that a function was called.
async fn calls(bench: &Bench, name: &str) -> i32 {
    bench
        .stored("calls", name)
        .await
        .get_i32("n")
        .expect("a number")
}

/// The holder of the lock has paused for so long that another program may take it.
async fn pass_time(bench: &Bench) {
    let past = doc! { "$set": { "until": DateTime::from_millis(1) } };
    let locks = bench.raw("_dn.locks");
    locks.update_many(doc! {}, past).await.expect("changed");
    bench.forget();
}

/// Runs a program that dies after so many of its commands, as seen from another one, when its lock is free. Gives true if it had ended before.
async fn run_and_kill<R: Future<Output: Send> + Send + 'static>(
    bench: &Bench,
    commands: usize,
    program: impl FnOnce(Database) -> R,
) -> bool {
    let first = bench.stranger().await;
    let running = tokio::spawn(program(first.db.clone()));
    while bench.count() < commands && !running.is_finished() {
        tokio::task::yield_now().await;
    }
    let is_done = running.is_finished();
    running.abort();
    running.await.ok();
    // Its last command has arrived.
    bench.end(first).await;
    pass_time(bench).await;
    is_done
}

#[tokio::test]
async fn each_runs_once_and_in_order() {
    on_both("migrations_order", async |bench| {
        store_items(bench).await;
        let done = migrate_all(&bench.db).await.expect("migrated");
        assert_eq!(done.ran, ORDER);
        let ledger = |command: &Document| {
            command
                .iter()
                .any(|(_, value)| value.as_str() == Some("_dn.migrations"))
        };
        let sent = bench.take();
        let own = |command: &Document| {
            let names = ["_dn.migrations", "_dn.locks"];
            names
                .iter()
                .any(|name| command.values().next().and_then(|of| of.as_str()) == Some(name))
        };
        let names: Vec<&str> = sent
            .iter()
            .filter(|sent| own(&sent.command))
            .map(|sent| &*sent.name)
            .collect();
        let mut wanted = vec!["find", "findAndModify", "find"];
        // The walks of the first have three batches and one.
        for batches in [4, 0, 0] {
            wanted.extend(["findAndModify", "findAndModify"]);
            wanted.extend(vec!["update"; batches + 1]);
        }
        wanted.push("findAndModify");
        assert_eq!(names, wanted);
        let of_items = sent.iter().filter(|sent| {
            let collection = sent.command.values().next();
            collection.and_then(|name| name.as_str()) == Some("items")
        });
        let sent_names: Vec<&str> = of_items.map(|sent| &*sent.name).collect();
        assert_eq!(
            sent_names[sent_names.len() - 2..],
            ["listIndexes", "createIndexes"]
        );
        let is_durable = |command: &Document| {
            let concern = command.get_document("writeConcern");
            concern.is_ok_and(|concern| *concern == doc! { "w": "majority", "j": true })
        };
        let writes = sent
            .iter()
            .filter(|sent| ledger(&sent.command) && sent.name != "find");
        assert!(writes.map(|sent| &sent.command).all(is_durable));
        assert_eq!(met(bench).await, [1; ITEMS as usize]);

        let again = migrate_all(&bench.db).await.expect("nothing to do");
        assert_eq!(
            (again.ran.len(), bench.sent()),
            (0, vec!["find".to_owned()])
        );
        let all = list_migrations(&bench.db).await.expect("listed");
        assert!(
            all.iter()
                .all(|one| one.state == MigrationState::Done && one.finished.is_some())
        );
        assert_eq!(all[0].documents, ITEMS as u64 + 3);
        assert_eq!(all[2].needs, ["{ code: 1 } unique of items"]);
        let program = all[0].program.as_deref().expect("a program");
        assert!(program.starts_with("mongo-model-workspace "), "{program}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn five_programs_at_once_run_each_once() {
    on_both("migrations_many", async |bench| {
        store_items(bench).await;
        let programs = (0..5).map(|_| {
            let db = bench.db.clone();
            tokio::spawn(async move { migrate_all(&db).await })
        });
        let mut ran = Vec::new();
        for program in programs.collect::<Vec<_>>() {
            ran.extend(program.await.expect("ended").expect("migrated").ran);
        }
        ran.sort_unstable();
        assert_eq!(ran, ["1_number_items", "close_archive", "make_archive"]);
        assert_eq!(met(bench).await, [1; ITEMS as usize]);
        for name in ["number_items", "make_archive", "close_archive"] {
            assert_eq!(calls(bench, name).await, 1, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn one_that_fails_continues_at_its_position() {
    alone("migrations_failed", async |bench| {
        store_items(bench).await;
        bench.seed("switches", [doc! { "_id": "refuse 7" }]).await;
        let failed = migrate_all(&bench.db).await.expect_err("refused");
        assert_eq!(
            failed.to_string(),
            "the migration `1_number_items` failed, and the next run continues it: 7 is refused"
        );
        let stored = bench.stored("_dn.migrations", ORDER[0]).await;
        assert_eq!(
            (stored.get_str("state").ok(), stored.get_str("error").ok()),
            (Some("failed"), Some("7 is refused"))
        );
        let all = list_migrations(&bench.db).await.expect("listed");
        let states: Vec<_> = all.iter().map(|one| (one.state, one.documents)).collect();
        let pending = (MigrationState::Pending, 0);
        assert_eq!(states, [(MigrationState::Failed, 6), pending, pending]);
        assert_eq!(met(bench).await, [1, 1, 1, 1, 1, 1, 0, 0]);

        // Still refused: it meets none of the first six again.
        migrate_all(&bench.db).await.expect_err("refused");
        assert_eq!(met(bench).await, [1, 1, 1, 1, 1, 1, 0, 0]);
        bench.raw("switches").drop().await.expect("dropped");
        let done = migrate_all(&bench.db).await.expect("migrated");
        assert_eq!(done.ran, ORDER);
        assert_eq!(met(bench).await, [1; ITEMS as usize]);
        let stored = bench.stored("_dn.migrations", ORDER[0]).await;
        assert!(!stored.contains_key("error"), "{stored}");
    })
    .await;
}

/// Two documents have one key: the migration that needs the unique index fails before its function is called, and continues later.
#[tokio::test]
async fn an_index_that_cannot_be_built_is_an_error_of_the_migration() {
    alone("migrations_index", async |bench| {
        store_items(bench).await;
        bench.seed("switches", [doc! { "_id": "same code" }]).await;
        let failed = migrate_all(&bench.db).await.expect_err("two have a code").to_string();
        assert!(
            failed.starts_with("the migration `close_archive` failed, and the next run continues it: the indexes are not all as declared"),
            "{failed}"
        );
        assert_eq!(bench.len("calls").await, 2);
        let all = list_migrations(&bench.db).await.expect("listed");
        let states: Vec<_> = all.iter().map(|one| one.state).collect();
        let done = MigrationState::Done;
        assert_eq!(states, [done, done, MigrationState::Failed]);

        let own = vec![doc! { "$set": { "code": "$_id" } }];
        bench.raw("items").update_many(doc! {}, own).await.expect("changed");
        let done = migrate_all(&bench.db).await.expect("migrated");
        assert_eq!((done.ran, calls(bench, "close_archive").await), (vec!["close_archive"], 1));
    })
    .await;
}

#[tokio::test]
async fn a_walk_leaves_no_document_out() {
    alone("migrations_lenient", async |bench| {
        store_items(bench).await;
        bench.seed("switches", [doc! { "_id": "skip" }]).await;
        let refused = migrate_all(&bench.db).await.expect_err("refused");
        assert!(
            refused.to_string().ends_with("remove `skip_undecodable`"),
            "{refused}"
        );
        assert_eq!(met(bench).await, [0; ITEMS as usize]);
    })
    .await;
}

/// A newer program has run what this one does not know, or writes its ledger in another form.
#[tokio::test]
async fn a_newer_database_is_left_alone() {
    alone("migrations_ahead", async |bench| {
        let db = &bench.db;
        store_items(bench).await;
        bench.seed("_dn.migrations", [doc! { "_id": "later", "format": 1, "state": "done", "token": 1_i64 }]).await;
        let ahead = migrate_all(db).await.expect_err("ahead");
        assert!(matches!(&ahead, Error::MigrationsAhead { names } if *names == ["later"]), "{ahead}");
        assert_eq!(bench.sent(), ["find"]);
        let done = migrate_all(db).allow_ahead().await.expect("migrated");
        assert_eq!(done.ran, ORDER);
        let all = list_migrations(db).await.expect("listed");
        assert_eq!((&*all[3].name, all[3].linked), ("later", false));

        store_items(bench).await;
        bench.seed("_dn.migrations", [doc! { "_id": "make_archive", "format": 2, "state": "half" }]).await;
        let newer = migrate_all(db).allow_ahead().await.expect_err("newer");
        assert_eq!(
            newer.to_string(),
            "the ledger has the migration `make_archive` in format 2, and this program knows formats up to 1: use a newer program"
        );
        assert_eq!(bench.sent(), ["find"]);
        assert_eq!(met(bench).await, [0; ITEMS as usize]);
    })
    .await;
}
