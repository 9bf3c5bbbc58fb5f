//! A driver in front of the router: reads of several shards, indexes, and collections that are sharded by a command.

use std::collections::BTreeSet;

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use mongo_model_router::Router;
use mongodb::error::{Error, ErrorKind, WriteFailure};
use mongodb::options::{Collation, CollationStrength, IndexOptions};
use mongodb::{Client, Collection, Database, IndexModel};

async fn start(shard_everything: bool) -> (Router, Client) {
    let router = Router::start(2, shard_everything).await.expect("a router");
    let client = Client::with_uri_str(router.uri()).await;
    (router, client.expect("a client"))
}

fn code(error: &Error) -> i32 {
    match &*error.kind {
        ErrorKind::Write(WriteFailure::WriteError(error)) => error.code,
        ErrorKind::Command(error) => error.code,
        _ => panic!("{error:?}"),
    }
}

async fn numbers(cursor: mongodb::Cursor<Document>) -> Vec<i32> {
    let rows: Vec<Document> = cursor.try_collect().await.expect("read");
    let numbers = rows.iter().map(|row| row.get_i32("n").expect("a number"));
    numbers.collect()
}

#[tokio::test]
async fn a_read_of_several_shards_is_the_servers() {
    let (router, client) = start(true).await;
    let db = client.database("joined");
    let people = db.collection::<Document>("people");
    let documents = (0..50).map(|n| doc! { "_id": n, "n": n, "group": n % 3, "x": [n, n + 1] });
    people.insert_many(documents).await.expect("inserted");
    let _ = router.take_commands();

    let sorted = people.find(doc! { "group": 1 }).sort(doc! { "n": -1 });
    let sorted = sorted.skip(2).limit(5).batch_size(2).await;
    assert_eq!(numbers(sorted.expect("found")).await, [43, 40, 37, 34, 31]);
    let commands = router.take_commands();
    let names: Vec<&str> = commands.iter().map(|routed| &*routed.name).collect();
    assert_eq!(names, ["find", "getMore", "getMore"]);
    assert_eq!(commands[0].shards, [0, 1]);

    let first = people.find_one(doc! { "x": 7 }).sort(doc! { "n": 1 });
    let first = first.projection(doc! { "_id": 0, "x.$": 1 }).await;
    assert_eq!(first.expect("found"), Some(doc! { "x": [7] }));
    let none = people.find_one(doc! { "n": 99 }).await;
    assert_eq!(none.expect("read"), None);
    let all = people
        .find(doc! {})
        .sort(doc! { "n": 1 })
        .batch_size(7)
        .await;
    assert_eq!(
        numbers(all.expect("found")).await,
        (0..50).collect::<Vec<_>>()
    );

    let count = people.count_documents(doc! { "group": 1 }).await;
    assert_eq!(count.expect("counted"), 17);
    let count = doc! { "count": "people", "query": { "group": 1 }, "skip": 10, "limit": 5 };
    let count = db.run_command(count).await.expect("counted");
    assert_eq!(count.get_i32("n").expect("a number"), 5);
    let groups = people.distinct("group", doc! { "n": { "$gt": 3 } }).await;
    let groups: BTreeSet<i32> = groups
        .expect("read")
        .iter()
        .filter_map(Bson::as_i32)
        .collect();
    assert_eq!(groups, [0, 1, 2].into());
    let explain = doc! { "explain": { "find": "people", "filter": {} } };
    assert!(db.run_command(explain).await.is_ok());

    let databases = client.list_database_names().await.expect("listed");
    assert!(databases.contains(&"joined".to_owned()), "{databases:?}");
    assert!(
        !databases.iter().any(|name| name.starts_with("router")),
        "{databases:?}"
    );
    db.drop().await.expect("dropped");
    assert_eq!(people.count_documents(doc! {}).await.expect("counted"), 0);
}

#[tokio::test]
async fn texts_name_a_shard_where_they_are_compared_exactly() {
    let (router, client) = start(true).await;
    let db = client.database("texts");
    let english = Collation::builder()
        .locale("en")
        .strength(CollationStrength::Secondary);
    let english = english.build();
    let simple = Collation::builder().locale("simple").build();
    let plain = db.collection::<Document>("plain");
    let collated = db.collection::<Document>("collated");
    db.create_collection("collated")
        .collation(english.clone())
        .await
        .expect("created");
    for people in [&plain, &collated] {
        let documents = ["a", "b", "c", "d", "e", "f"].map(|id| doc! { "_id": id });
        people.insert_many(documents).await.expect("inserted");
    }
    let _ = router.take_commands();
    let capital = doc! { "_id": "E" };
    for (people, collation, finds, shards) in [
        (&plain, None, false, 1),
        (&plain, Some(&simple), false, 1),
        (&plain, Some(&english), true, 2),
        (&collated, None, true, 2),
        (&collated, Some(&simple), false, 1),
    ] {
        let found = people.find_one(capital.clone());
        let found = match collation {
            Some(collation) => found.collation(collation.clone()).await,
            None => found.await,
        };
        assert_eq!(found.expect("read").is_some(), finds);
        assert_eq!(router.take_commands()[0].shards.len(), shards);
    }
    let set = doc! { "$set": { "n": 1 } };
    let changed = collated.find_one_and_update(doc! { "_id": "e" }, set.clone());
    let changed = changed.collation(simple).await.expect("changed");
    assert!(changed.is_some());
    let refused = collated.find_one_and_update(doc! { "_id": "e" }, set).await;
    assert_eq!(code(&refused.expect_err("refused")), 61);
    let refused = db.run_command(doc! { "validate": "plain" }).await;
    assert_eq!(code(&refused.expect_err("refused")), 115);
}

#[tokio::test]
async fn a_pipeline_runs_over_all_shards() {
    let (router, client) = start(true).await;
    let db = client.database("pipelines");
    let (people, groups) = (
        db.collection::<Document>("people"),
        db.collection::<Document>("groups"),
    );
    let documents = (0..30).map(|n| doc! { "_id": n, "n": n, "group": n % 3 });
    people.insert_many(documents).await.expect("inserted");
    let documents = (0..3).map(|n| doc! { "_id": n, "name": format!("g{n}") });
    groups.insert_many(documents).await.expect("inserted");
    let pipeline = [
        doc! { "$match": { "n": { "$gte": 10 } } },
        doc! { "$group": { "_id": "$group", "n": { "$sum": 1 } } },
        doc! { "$lookup": { "from": "groups", "localField": "_id", "foreignField": "_id", "as": "group" } },
        doc! { "$sort": { "_id": 1 } },
    ];
    let rows = people
        .aggregate(pipeline)
        .batch_size(1)
        .await
        .expect("read");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(
        rows[1],
        doc! { "_id": 1, "n": 7, "group": [{ "_id": 1, "name": "g1" }] }
    );
    let union = [
        doc! { "$match": { "_id": 3 } },
        doc! { "$unionWith": { "coll": "groups", "pipeline": [{ "$match": { "_id": 2 } }] } },
    ];
    let rows = people.aggregate(union).await.expect("read");
    let rows: Vec<Document> = rows.try_collect().await.expect("read");
    assert_eq!(rows.len(), 2, "{rows:?}");
    let _ = router.take_commands();
    let point = [
        doc! { "$match": { "_id": 3 } },
        doc! { "$project": { "n": 1 } },
    ];
    let rows = people.aggregate(point).await.expect("read");
    assert_eq!(numbers(rows).await, [3]);
    assert_eq!(router.take_commands()[0].shards.len(), 1);
    let changes = people.watch().await.expect_err("refused");
    assert_eq!(code(&changes), 115);
}

#[tokio::test]
async fn an_index_is_on_every_shard_or_on_none() {
    let (router, client) = start(true).await;
    let db = client.database("indexes");
    let people = db.collection::<Document>("people");
    let documents = (0..20).map(|n| doc! { "_id": n, "n": n % 2, "text": "a" });
    people.insert_many(documents).await.expect("inserted");
    let index = |key: Document, is_unique: bool| {
        let options = IndexOptions::builder().unique(is_unique).build();
        IndexModel::builder().keys(key).options(options).build()
    };
    people
        .create_index(index(doc! { "n": 1 }, false))
        .await
        .expect("built");
    let refused = people.create_index(index(doc! { "text": 1 }, true)).await;
    assert_eq!(code(&refused.expect_err("refused")), 67);
    // An index that one shard builds and the other cannot is on neither.
    let place = |n: i32| router.place_of("indexes.people", &doc! { "_id": n });
    for (shard, name) in [(0, "on the first"), (1, "on the second")] {
        let n = (0..20).find(|n| place(*n).expect("sharded").1 == shard);
        let one = doc! { "_id": n.expect("a document there") };
        let set = doc! { "$set": { name: "no place" } };
        people.update_one(one, set).await.expect("updated");
        let index = index(doc! { name: "2dsphere" }, false);
        assert!(people.create_index(index).await.is_err());
    }
    assert_eq!(
        people.list_index_names().await.expect("listed"),
        ["_id_", "n_1"]
    );
    people.drop_index("n_1").await.expect("dropped");
    assert_eq!(people.list_index_names().await.expect("listed"), ["_id_"]);
    let command = doc! { "collMod": "people", "validator": { "n": { "$lt": 9 } } };
    db.run_command(command).await.expect("changed");
    for n in 20..30 {
        assert!(people.insert_one(doc! { "_id": n, "n": 9 }).await.is_err());
    }
    let names = db.list_collection_names().await.expect("listed");
    assert_eq!(names, ["people"]);
    people.drop().await.expect("dropped");
    let documents = (0..10).map(|n| doc! { "_id": n, "n": 9 });
    people
        .insert_many(documents)
        .await
        .expect("no validator is left");
}

async fn shard(
    client: &Client,
    namespace: &str,
    key: Document,
) -> mongodb::error::Result<Document> {
    let command = doc! { "shardCollection": namespace, "key": key };
    client.database("admin").run_command(command).await
}

#[tokio::test]
async fn a_collection_with_documents_is_sharded_by_an_index() {
    let (router, client) = start(false).await;
    let db: Database = client.database("tenants");
    let tasks: Collection<Document> = db.collection("tasks");
    let documents =
        (0..40).map(|n| doc! { "_id": n, "o": (if n % 2 == 0 { "a" } else { "z" }), "n": n });
    tasks.insert_many(documents).await.expect("inserted");
    let key = doc! { "o": 1, "_id": 1 };
    let refused = shard(&client, "tenants.tasks", key.clone()).await;
    assert_eq!(code(&refused.expect_err("refused")), 72);
    let index = IndexModel::builder().keys(key.clone()).build();
    tasks.create_index(index).await.expect("built");
    shard(&client, "tenants.tasks", key.clone())
        .await
        .expect("sharded");
    shard(&client, "tenants.tasks", key.clone())
        .await
        .expect("is sharded already");
    let refused = shard(&client, "tenants.tasks", doc! { "_id": 1 }).await;
    assert_eq!(code(&refused.expect_err("refused")), 23);

    let config = client.database("config");
    let entry = config.collection::<Document>("collections");
    let entry = entry
        .find_one(doc! { "_id": "tenants.tasks" })
        .await
        .expect("read");
    let entry = entry.expect("an entry");
    assert_eq!(entry.get_document("key").expect("a key"), &key);
    let chunks = config.collection::<Document>("chunks");
    let of_table = doc! { "uuid": entry.get("uuid").cloned() };
    let shards = chunks.distinct("shard", of_table).await.expect("read");
    assert_eq!(shards.len(), 2);
    let shards = config
        .collection::<Document>("shards")
        .count_documents(doc! {})
        .await;
    assert_eq!(shards.expect("counted"), 2);

    let _ = router.take_commands();
    assert_eq!(
        tasks
            .count_documents(doc! { "o": "z" })
            .await
            .expect("counted"),
        20
    );
    assert_eq!(router.take_commands()[0].shards.len(), 1);
    assert_eq!(tasks.count_documents(doc! {}).await.expect("counted"), 40);
    assert_eq!(router.take_commands()[0].shards, [0, 1]);
    refuses_changes_of_the_key(&tasks).await;
}

async fn refuses_changes_of_the_key(tasks: &Collection<Document>) {
    let one = doc! { "_id": 1, "o": "z" };
    for (update, is_refused) in [
        (vec![doc! { "$set": { "o": "z", "n": 5 } }], false),
        (vec![doc! { "$set": { "o": "a" } }], true),
        (vec![doc! { "$unset": { "o": 1 } }], true),
        (vec![doc! { "$rename": { "n": "o" } }], true),
        (
            vec![doc! { "$set": { "n": 6 } }, doc! { "$unset": "m" }],
            false,
        ),
        (
            vec![
                doc! { "$set": { "o": { "$concat": ["$o", "b"] } } },
                doc! { "$unset": "m" },
            ],
            true,
        ),
    ] {
        let updated = match &*update {
            [update] => tasks.update_one(one.clone(), update.clone()).await,
            stages => tasks.update_one(one.clone(), stages.to_vec()).await,
        };
        match updated {
            Ok(_) => assert!(!is_refused, "{update:?}"),
            Err(error) => {
                assert!(is_refused, "{update:?}: {error:?}");
                assert_eq!(code(&error), 66);
            }
        }
    }
    let replaced = tasks
        .replace_one(one.clone(), doc! { "o": "a", "n": 1 })
        .await;
    assert_eq!(code(&replaced.expect_err("refused")), 66);
    let replaced = tasks
        .replace_one(one.clone(), doc! { "o": "z", "n": 1 })
        .await;
    assert_eq!(replaced.expect("replaced").modified_count, 1);
    let set = doc! { "$set": { "n": 3 } };
    let changed = tasks.find_one_and_update(one.clone(), set.clone()).await;
    assert!(changed.expect("changed").is_some());
    let refused = tasks
        .find_one_and_update(doc! { "_id": 1 }, set.clone())
        .await;
    assert_eq!(code(&refused.expect_err("refused")), 61);
    let refused = tasks
        .find_one_and_update(one, doc! { "$set": { "o": "a" } })
        .await;
    assert_eq!(code(&refused.expect_err("refused")), 66);
    let upserted = tasks
        .find_one_and_update(doc! { "_id": 99, "o": "n" }, set.clone())
        .upsert(true)
        .await;
    assert_eq!(upserted.expect("upserted"), None);
    let refused = tasks
        .update_one(doc! { "_id": 100 }, set)
        .upsert(true)
        .await;
    assert_eq!(code(&refused.expect_err("refused")), 61);
    assert_eq!(tasks.count_documents(doc! {}).await.expect("counted"), 41);
}

#[tokio::test]
async fn an_update_of_many_passes_over_a_chunk_that_moves() {
    let (router, client) = start(true).await;
    let people = client.database("moves").collection::<Document>("people");
    let documents = (0..40).map(|n| doc! { "_id": n, "n": 0 });
    people.insert_many(documents).await.expect("inserted");
    let place = |n: i32| {
        router
            .place_of("moves.people", &doc! { "_id": n })
            .expect("sharded")
    };
    let n = (0..40)
        .find(|n| place(*n).1 == 1)
        .expect("a document there");
    let chunk = place(n).0;
    let moved: Vec<i32> = (0..40).filter(|n| place(*n).0 == chunk).collect();

    router.move_during("moves.people", "update", chunk, 0);
    let set = doc! { "$set": { "n": 1 } };
    let updated = people
        .update_many(doc! {}, set.clone())
        .await
        .expect("updated");
    assert_eq!(router.planned_moves(), 0);
    assert_eq!(updated.modified_count, 40 - moved.len() as u64);
    let missed = people
        .find(doc! { "n": 0 })
        .sort(doc! { "_id": 1 })
        .await
        .expect("found");
    let missed: Vec<Document> = missed.try_collect().await.expect("read");
    let missed: Vec<i32> = missed
        .iter()
        .map(|one| one.get_i32("_id").expect("a number"))
        .collect();
    assert_eq!(missed, moved);
    assert_eq!(place(n).1, 0);

    router
        .move_chunk("moves.people", chunk, 1)
        .await
        .expect("moved");
    assert_eq!(people.count_documents(doc! {}).await.expect("counted"), 40);
    router.move_during("moves.people", "delete", chunk, 0);
    let deleted = people.delete_many(doc! {}).await.expect("deleted");
    assert_eq!(deleted.deleted_count, 40 - moved.len() as u64);
    assert!(router.move_chunk("moves.people", 99, 1).await.is_err());
}
