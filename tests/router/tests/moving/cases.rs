//! One chunk moves during one call.

use bson::{Document, doc};
use mongo_model::{Id, MongoModel, Tenants};

use super::Bench;
use super::models::{Club, Person, club, person};
use super::models::{Host, Log, Org, Part, Product, Task, Team};
use super::models::{host, log, part, product, task, team};

/// A host with logs on both shards; the chunk of some of them that are on the second shard.
async fn host_with_logs(bench: &Bench) -> (Host, Vec<Log>, usize) {
    let one = host("a");
    Host::insert(&bench.db, &one).await.expect("stored");
    let logs: Vec<Log> = (0..24).map(|n| log(&one, n)).collect();
    Log::insert_many(&bench.db, &logs).await.expect("stored");
    let chunk = bench.chunk_there("logs", logs.iter().map(|one| one.id.into_raw()));
    (one, logs, chunk)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn copies_follow_a_source_while_a_chunk_moves() {
    let bench = Bench::start().await;
    let (one, _, chunk) = host_with_logs(&bench).await;
    bench.check().await;
    bench.move_during("logs", "update", chunk);
    let update = Host::update(&bench.db, one.id).set(|h| h.name, "b");
    let outcome = update.await.expect("changed");
    assert!(outcome.pending.is_empty());
    bench.assert_moved();
    let follows = bench.count("logs", doc! { "host_name": "b" }).await;
    assert_eq!(follows, 24);
    bench.check().await;

    // Both chunks move while many sources change. The update is the caller's, and passes over sources of the chunk.
    bench.move_back("logs", chunk).await;
    let mut hosts: Vec<Host> = (0..12).map(|_| host("b")).collect();
    Host::insert_many(&bench.db, &hosts).await.expect("stored");
    hosts.push(one);
    let moved = bench.chunk_there("hosts", hosts.iter().map(|one| one.id.into_raw()));
    let in_chunk = |host: &&Host| bench.place_of_id("hosts", host.id).0 == moved;
    let passed_over: Vec<&Host> = hosts.iter().filter(in_chunk).collect();
    bench.move_during("hosts", "update", moved);
    bench.move_during("logs", "update", chunk);
    let ids = hosts.iter().map(|host| host.id);
    let update = Host::update_many(&bench.db, |h| h.id.is_in(ids)).set(|h| h.name, "c");
    update.await.expect("changed");
    let left = bench.count("hosts", doc! { "name": "b" }).await;
    assert_eq!(left, passed_over.len() as u64);
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn children_are_deleted_while_a_chunk_moves() {
    let bench = Bench::start().await;
    let (one, logs, chunk) = host_with_logs(&bench).await;
    // The first log of the chunk stays.
    let in_chunk = |log: &Log| bench.place_of_id("logs", log.id).0 == chunk;
    let first = logs.iter().position(in_chunk).expect("a log of the chunk");
    let mut kept = logs.clone();
    let last = kept.remove(first);
    let mut gone = kept.split_off(19);
    kept.push(last);
    let single = gone.pop().expect("a log");
    Log::delete(&bench.db, single.id).await.expect("deleted");
    let gone: Vec<Id<Log>> = gone.iter().map(|log| log.id).collect();
    let deleted = Log::delete_many(&bench.db, |l| l.id.is_in(gone)).await;
    assert_eq!(deleted.expect("deleted").deleted, 3);
    bench.move_back("logs", chunk).await;
    let stored = Host::get(&bench.db, one.id).await.expect("read");
    assert_eq!(stored.expect("stored").logs, 20);
    bench.check().await;
    let changed = Log::update_many(&bench.db, |l| l.host.eq(one.id)).set(|l| l.text, "x");
    bench.move_during("logs", "update", chunk);
    changed.await.expect("changed");
    bench.assert_moved();
    // An update of many of the caller's is the server's, which passes over the documents of the chunk.
    let changed = bench.count("logs", doc! { "text": "x" }).await;
    let is_in_chunk = |log: &&Log| bench.place_of_id("logs", log.id).0 == chunk;
    let passed_over = kept.iter().filter(is_in_chunk).count();
    assert!(passed_over > 0, "the chunk has documents");
    assert_eq!(changed, (kept.len() - passed_over) as u64);
    bench.check().await;

    bench.move_back("logs", chunk).await;
    bench.move_during("logs", "delete", chunk);
    Host::delete(&bench.db, one.id).await.expect("deleted");
    bench.assert_moved();
    assert_eq!(
        bench
            .count("logs", doc! { "host": one.id.into_raw() })
            .await,
        0
    );
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_delete_of_many_reaches_a_chunk_that_moves() {
    let bench = Bench::start().await;
    let (one, _, chunk) = host_with_logs(&bench).await;
    bench.move_during("logs", "update", chunk);
    let deleted = Log::delete_many(&bench.db, |l| l.host.eq(one.id)).await;
    assert_eq!(deleted.expect("deleted").deleted, 24);
    bench.assert_moved();
    assert_eq!(bench.count("logs", doc! {}).await, 0);
    let stored = Host::get(&bench.db, one.id).await.expect("read");
    assert_eq!(stored.expect("stored").logs, 0);
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn arrays_follow_while_a_chunk_moves() {
    let bench = Bench::start().await;
    let db = &bench.db;
    let (nut, bolt) = (part("nut"), part("bolt"));
    Part::insert_many(db, [&nut, &bolt]).await.expect("stored");
    let wheels: Vec<Product> = (0..24).map(|_| product(&[&nut, &bolt])).collect();
    Product::insert_many(db, &wheels).await.expect("stored");
    let chunk = bench.chunk_there("products", wheels.iter().map(|one| one.id.into_raw()));
    bench.move_during("products", "update", chunk);
    let update = Part::update(db, bolt.id).set(|p| p.name, "screw");
    update.await.expect("changed");
    bench.assert_moved();
    bench.check().await;
    bench.move_back("products", chunk).await;
    bench.move_during("products", "update", chunk);
    Part::delete(db, nut.id).await.expect("deleted");
    bench.assert_moved();
    for wheel in Product::find(db, |p| p.id.is_in(wheels.iter().map(|w| w.id)))
        .await
        .expect("read")
    {
        assert_eq!(wheel.parts.len(), 1);
        assert_eq!(wheel.parts[0].name, "screw");
    }
    bench.check().await;

    let people: Vec<Person> = (0..24).map(|n| person(&format!("{n}"))).collect();
    Person::insert_many(db, &people).await.expect("stored");
    let (chess, golf) = (club(&people[..20]), club(&people[10..]));
    Club::insert(db, &chess).await.expect("stored");
    Club::insert(db, &golf).await.expect("stored");
    bench.check().await;
    Club::add_member(db, chess.id, people[23].id)
        .await
        .expect("added");
    Club::remove_member(db, golf.id, people[12].id)
        .await
        .expect("removed");
    bench.check().await;
    let places = people.iter().map(|one| bench.place_of_id("people", one.id));
    let chunk = places
        .into_iter()
        .find(|(_, shard)| *shard == 1)
        .expect("one there")
        .0;
    bench.move_during("people", "update", chunk);
    Club::delete(db, chess.id).await.expect("deleted");
    let of_chess = bench
        .count("people", doc! { "clubs": chess.id.into_raw() })
        .await;
    assert_eq!(of_chess, 0);
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_tenant_on_two_shards_is_right_while_a_chunk_moves() {
    let bench = Bench::start().await;
    let org = Org { id: Id::new() };
    Org::insert(&bench.db, &org).await.expect("stored");
    let tenant = &bench.db.tenant(org.id);
    let one = team(org.id, "a");
    let tasks: Vec<Task> = (0..20).map(|_| task(&one)).collect();
    let namespace = bench.namespace("tasks");
    let key = |task: &Task| doc! { "o": org.id.into_raw(), "_id": task.id.into_raw() };
    for middle in [&tasks[5], &tasks[10]] {
        bench
            .router
            .split(&namespace, &key(middle))
            .await
            .expect("split");
    }
    let (first, middle, last) = (
        bench.place("tasks", &key(&tasks[0])).0,
        bench.place("tasks", &key(&tasks[7])).0,
        bench.place("tasks", &key(&tasks[19])).0,
    );
    for (chunk, shard) in [(first, 0), (middle, 1), (last, 1)] {
        bench
            .router
            .move_chunk(&namespace, chunk, shard)
            .await
            .expect("moved");
    }
    Team::insert(tenant, &one).await.expect("stored");
    Task::insert_many(tenant, &tasks).await.expect("stored");
    bench.check().await;

    bench.move_during("tasks", "update", middle);
    let update = Team::update(tenant, one.id).set(|t| t.name, "b");
    update.await.expect("changed");
    bench.assert_moved();
    bench.check().await;
    bench.move_back("tasks", middle).await;
    bench.move_during("tasks", "update", middle);
    let update = Task::update_many(tenant, |t| t.done.eq(false)).set(|t| t.done, true);
    update.await.expect("changed");
    // The documents of the chunk are passed over: the statement is the caller's.
    assert_eq!(bench.count("tasks", doc! { "done": true }).await, 15);
    Task::delete(tenant, tasks[19].id).await.expect("deleted");
    bench.check().await;

    bench.move_back("tasks", middle).await;
    bench.move_during("tasks", "delete", middle);
    Team::delete(tenant, one.id).await.expect("deleted");
    bench.assert_moved();
    assert_eq!(
        bench
            .count("tasks", doc! { "team": one.id.into_raw() })
            .await,
        0
    );
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_change_of_one_document_contacts_one_shard() {
    let bench = Bench::start().await;
    let db = &bench.db;
    let (one, logs, _) = host_with_logs(&bench).await;
    let writes = ["update", "findAndModify", "delete", "insert"];
    let check = |collection: &str, call: &str| {
        let sent = bench.sent(collection, &writes);
        assert!(!sent.is_empty(), "{call}");
        assert!(
            sent.iter().all(|one| one.shards.len() == 1),
            "{call}: {sent:?}"
        );
    };
    let _ = bench.router.take_commands();
    Log::insert(db, &log(&one, 100)).await.expect("stored");
    check("logs", "insert of a child");
    Log::delete(db, logs[0].id).await.expect("deleted");
    check("hosts", "delete of a child");
    Log::update(db, logs[1].id)
        .set(|l| l.text, "y")
        .await
        .expect("changed");
    check("logs", "update of a child");
    let update = Host::update(db, one.id).set(|h| h.name, "b").returning();
    let _ = update.await.expect("changed");
    check("hosts", "update of a source");
    Host::get(db, one.id).await.expect("read");
    let reads = bench.sent("hosts", &["find"]);
    assert!(reads.iter().all(|one| one.shards.len() == 1), "{reads:?}");
    bench.check().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_transaction_is_on_several_shards() {
    let bench = Bench::start().await;
    let db = &bench.db;
    let (one, logs, _) = host_with_logs(&bench).await;
    let aborted = mongo_model::transaction(db, async |tx| {
        Host::update(db, one.id)
            .set(|h| h.name, "b")
            .within(tx)
            .await?;
        for log in &logs[..4] {
            Log::delete(db, log.id).within(tx).await?;
        }
        Err::<(), _>(mongo_model::Error::from(mongodb::error::Error::custom(
            "undone",
        )))
    });
    assert!(aborted.await.is_err());
    assert_eq!(bench.count("logs", doc! { "host_name": "a" }).await, 24);
    let _ = bench.router.take_commands();
    let committed = mongo_model::transaction(db, async |tx| {
        Host::update(db, one.id)
            .set(|h| h.name, "b")
            .within(tx)
            .await?;
        for log in &logs[..4] {
            Log::delete(db, log.id).within(tx).await?;
        }
        Ok(())
    });
    committed.await.expect("committed");
    let ends = bench.router.take_commands();
    let ends = ends.iter().find(|one| one.name == "commitTransaction");
    assert_eq!(ends.expect("committed").shards, [0, 1]);
    assert_eq!(bench.count("logs", doc! { "host_name": "b" }).await, 20);
    bench.check().await;
    let left: Option<Document> = db
        .collection("logs")
        .find_one(doc! { "host_name": "a" })
        .await
        .expect("read");
    assert_eq!(left, None);
}
