//! Collections that compare strings in their own way: ids and references are the bytes that they are.

use bson::{Bson, Document, doc};
use mongo_model::index::plan_indexes;
use mongo_model::{Error, MongoModel, backfill, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "collated_writers")]
struct Writer {
    #[serde(rename = "_id")]
    id: String,
    #[index(unique)]
    handle: String,
    name: String,
    #[count(Essay, via = writer)]
    essays: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "collated_essays")]
struct Essay {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Writer, on_delete = cascade)]
    writer: String,
    #[denorm(from = Writer, field = name, via = writer)]
    writer_name: String,
    #[parent(Writer, key = handle, on_delete = unset, unchecked)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reviewer: Option<String>,
    #[refs(Writer, on_delete = pull)]
    readers: Vec<String>,
    #[refs(Writer, on_delete = pull)]
    #[denorm(from = Writer, field = name)]
    fans: Vec<Fan>,
    #[index]
    title: String,
}

fn writer(id: &str) -> Writer {
    Writer {
        id: id.to_owned(),
        handle: format!("@{id}"),
        name: format!("name of {id}"),
        essays: 0,
    }
}

fn essay(id: i32, of: &str) -> Essay {
    Essay {
        id,
        writer: of.to_owned(),
        writer_name: String::new(),
        reviewer: Some(format!("@{of}")),
        readers: vec!["ann".to_owned(), "ANN".to_owned()],
        fans: ["ann", "ANN"]
            .map(|id| Fan {
                id: id.to_owned(),
                name: String::new(),
            })
            .to_vec(),
        title: format!("essay {id}"),
    }
}

/// The collection takes upper and lower case for equal.
async fn collated(bench: &Bench, collection: &str) {
    let command = doc! { "create": collection, "collation": { "locale": "en", "strength": 2 } };
    bench.db.run_command(command).await.expect("created");
}

async fn start(bench: &Bench) {
    collated(bench, "collated_essays").await;
    bench.index(&[Writer::meta(), Essay::meta()]).await;
    for id in ["ann", "ANN"] {
        Writer::insert(&bench.db, &writer(id))
            .await
            .expect("stored");
    }
    for (id, of) in [(1, "ann"), (2, "ANN"), (3, "ANN")] {
        Essay::insert(&bench.db, &essay(id, of))
            .await
            .expect("stored");
    }
    bench.forget();
}

async fn read(bench: &Bench, id: i32) -> Essay {
    Essay::get(&bench.db, id)
        .await
        .expect("read")
        .expect("there")
}

#[tokio::test]
async fn a_rename_reaches_its_own_copies() {
    on_both("collated_rename", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Writer::update(db, "ann")
            .set(|w| w.name, "Ann")
            .await
            .expect("renamed");
        let (first, second) = (read(bench, 1).await, read(bench, 2).await);
        assert_eq!(
            (&*first.writer_name, &*second.writer_name),
            ("Ann", "name of ANN")
        );
        let names = |essay: &Essay| {
            essay
                .fans
                .iter()
                .map(|fan| fan.name.clone())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&second), ["Ann", "name of ANN"]);
        let counts: Vec<i64> = {
            let ann = Writer::get(db, "ann").await.expect("read").expect("there");
            let other = Writer::get(db, "ANN").await.expect("read").expect("there");
            vec![ann.essays, other.essays]
        };
        assert_eq!(counts, [1, 2]);
        assert!(verify(db).await.expect("verified").is_clean());
        repair(db).await.expect("repaired");
        backfill(db).await.expect("filled");
        recover(db).await.expect("recovered");
        assert_eq!(read(bench, 2).await, second);
    })
    .await;
}

#[tokio::test]
async fn a_delete_takes_its_own_children() {
    on_both("collated_delete", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Writer::delete(db, "ann").await.expect("deleted");
        assert!(Essay::get(db, 1).await.expect("read").is_none());
        for id in [2, 3] {
            let left = read(bench, id).await;
            assert_eq!(
                (&*left.writer, left.reviewer.as_deref()),
                ("ANN", Some("@ANN"))
            );
            assert_eq!(left.readers, ["ANN"]);
            assert_eq!(left.fans.len(), 1);
        }
        assert!(verify(db).await.expect("verified").is_clean());
        // Many at once, by a filter of the program.
        Writer::insert(db, &writer("ann")).await.expect("stored");
        Essay::insert(db, &essay(1, "ann")).await.expect("stored");
        let many = Writer::delete_many(db, |w| w.handle.eq("@ANN"));
        assert_eq!(many.await.expect("deleted").cascaded, 2);
        assert_eq!(read(bench, 1).await.readers, ["ann"]);
    })
    .await;
}

#[tokio::test]
async fn references_are_found_by_their_bytes() {
    alone("collated_finds", async |bench| {
        let db = &bench.db;
        start(bench).await;
        assert_eq!(
            Essay::by_writer(db, "ann").count().await.expect("counted"),
            1
        );
        bench.plan().await.assert_served_by("writer");
        let found = Essay::by_writer(db, "ann").await.expect("read");
        bench.plan().await.assert_served_by("writer");
        assert_eq!(found.len(), 1);
        let found = Essay::by_reviewer(db, "@ANN").await.expect("read");
        assert_eq!(
            found.iter().map(|essay| essay.id).collect::<Vec<_>>(),
            [2, 3]
        );
        let all = Writer::find(db, |w| w.id.is_in(["ann", "ANN"]))
            .await
            .expect("read");
        let of_each = Essay::by_writer_many(db, &all).await.expect("read");
        for (writer, essays) in &of_each {
            assert!(essays.iter().all(|essay| essay.writer == writer.id));
        }
        // A filter that the program writes means what the collection means.
        assert_eq!(
            Essay::find(db, |e| e.title.eq("ESSAY 1"))
                .await
                .expect("read")
                .len(),
            1
        );
    })
    .await;
}

#[tokio::test]
async fn sources_with_a_collation_are_found_by_their_bytes() {
    on_both("collated_sources", async |bench| {
        let db = &bench.db;
        collated(bench, "collated_writers").await;
        bench.index(&[Writer::meta(), Essay::meta()]).await;
        Writer::insert(db, &writer("ann")).await.expect("stored");
        assert!(Writer::get(db, "ANN").await.expect("read").is_none());
        let gone = Writer::update(db, "ANN").set(|w| w.name, "x").await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        let gone = Writer::delete(db, "ANN").await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        assert_eq!(
            Writer::get(db, "ann").await.expect("read"),
            Some(writer("ann"))
        );
        let mut of_ann = essay(1, "ann");
        of_ann.fans.pop();
        of_ann.readers.pop();
        Essay::insert(db, &of_ann).await.expect("stored");
        let strange = Essay {
            reviewer: Some("@ANN".to_owned()),
            id: 2,
            ..of_ann.clone()
        };
        Essay::insert(db, &strange)
            .await
            .expect("a key without copies");
        bench.forget();
        let loaded = strange.load_reviewer(db).await.expect("loaded");
        bench.plan().await.assert_served_by("handle");
        assert_eq!(
            (loaded.value(), loaded.missing().map(String::as_str)),
            (None, Some("@ANN"))
        );
        Writer::update(db, "ann")
            .set(|w| w.name, "Ann")
            .await
            .expect("renamed");
        assert_eq!(read(bench, 1).await.writer_name, "Ann");
        Writer::delete(db, "ann").await.expect("deleted");
        assert_eq!(bench.len("collated_essays").await, 0);
    })
    .await;
}

#[tokio::test]
async fn the_indexes_of_references_have_no_collation() {
    alone("collated_indexes", async |bench| {
        let db = &bench.db;
        for collection in ["collated_essays", "collated_writers"] {
            collated(bench, collection).await;
        }
        bench.index(&[Writer::meta(), Essay::meta()]).await;
        let collated = async |collection: &str| {
            let listed = db
                .run_command(doc! { "listIndexes": collection })
                .await
                .expect("listed");
            let listed = listed
                .get_document("cursor")
                .and_then(|all| all.get_array("firstBatch"));
            let listed = listed
                .expect("indexes")
                .iter()
                .filter_map(Bson::as_document);
            let mut names: Vec<String> = listed
                .filter(|index| index.contains_key("collation"))
                .map(|index| index.get_str("name").expect("a name").to_owned())
                .collect();
            names.sort();
            names
        };
        assert_eq!(collated("collated_essays").await, ["_id_", "title_1"]);
        assert_eq!(
            collated("collated_writers").await,
            ["_id_", "handle_1_unique"]
        );
        let plan = plan_indexes(db)
            .models(&[Writer::meta(), Essay::meta()])
            .await
            .expect("planned");
        assert!(plan.is_empty(), "{plan}");
        // An index that was built earlier with the collection's collation conflicts with the declared one.
        let index = doc! { "dropIndexes": "collated_essays", "index": "writer_1__id_1" };
        db.run_command(index).await.expect("dropped");
        let index = doc! { "key": { "writer": 1, "_id": 1 }, "name": "writer_1__id_1" };
        let create = doc! { "createIndexes": "collated_essays", "indexes": [index] };
        db.run_command(create).await.expect("created");
        let plan = plan_indexes(db)
            .models(&[Essay::meta()])
            .await
            .expect("planned");
        assert_eq!(plan.collections[0].conflicts.len(), 1, "{plan}");
        mongo_model::sync_indexes(db)
            .models(&[Essay::meta()])
            .replace_conflicts()
            .await
            .expect("replaced");
        assert_eq!(collated("collated_essays").await, ["_id_", "title_1"]);
    })
    .await;
}

/// Commands that compare no string that the library has chosen.
const OTHERS: [&str; 5] = [
    "insert",
    "getMore",
    "commitTransaction",
    "abortTransaction",
    "endSessions",
];

#[tokio::test]
async fn every_command_says_how_it_compares() {
    on_both("collated_commands", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Writer::update(db, "ann")
            .set(|w| w.name, "Ann")
            .await
            .expect("renamed");
        let mut saved = read(bench, 2).await;
        saved.writer = "ann".to_owned();
        saved.save(db).await.expect("moved");
        Essay::by_writer(db, "ann").await.expect("read");
        saved.load_readers(db).await.expect("loaded");
        Essay::update(db, 2)
            .set(|e| e.writer, "ANN")
            .await
            .expect("moved back");
        verify(db).await.expect("verified");
        repair(db).await.expect("repaired");
        backfill(db).await.expect("filled");
        recover(db).await.expect("recovered");
        Writer::delete(db, "ann").await.expect("deleted");
        let binary = |document: &Document| {
            let collation = document.get_document("collation");
            collation.is_ok_and(|collation| *collation == doc! { "locale": "simple" })
        };
        for sent in bench.take() {
            let list = match sent.name.as_str() {
                "update" => "updates",
                "delete" => "deletes",
                name if OTHERS.contains(&name) => continue,
                _ => {
                    assert!(binary(&sent.command), "{}", sent.command);
                    continue;
                }
            };
            for statement in sent.command.get_array(list).expect("statements") {
                assert!(statement.as_document().is_some_and(binary), "{statement}");
            }
        }
    })
    .await;
}
