//! Moves in trees: what they store, what they refuse, and the commands that they send.

use bson::{Bson, Document, doc};
use futures::TryStreamExt;
use futures::future::join_all;
use mongo_model::{Error, Id, MongoModel, recover, verify};

use super::common::{Bench, in_set, on_both};
use super::{Category, Folder, category, folder, read, shop, store_folders};

async fn assert_clean(bench: &Bench) {
    let found = verify(&bench.db).await.expect("verified");
    assert!(found.is_clean(), "{found}");
    let trees = bench.raw("_dn.trees");
    let moving = trees.count_documents(doc! { "moving": { "$exists": true } });
    assert_eq!(moving.await.expect("counted"), 0);
    bench.forget();
}

async fn path(bench: &Bench, id: &str) -> Vec<String> {
    let stored = bench.stored("folders", id).await;
    let path = stored.get_array("in").expect("the ancestors").iter();
    path.map(|id| id.as_str().expect("an id").to_owned())
        .collect()
}

#[tokio::test]
async fn a_document_moves_with_everything_below_it() {
    on_both("move_subtree", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        let tiny = category("tiny", Some(&small));
        Category::insert(&bench.db, &tiny).await.expect("inserted");
        let moved = Category::move_to(&bench.db, shelf.id, None).await;
        let moved = moved.expect("moved");
        assert_eq!((moved.matched, moved.modified), (1, 3));
        assert!(moved.pending.is_empty(), "{moved:?}");
        let stored = read(bench, &shelf).await;
        assert_eq!((stored.above, stored.path), (None, Vec::new()));
        // A root has the reference as an insert stores it.
        let stored = bench.stored("categories", shelf.id).await;
        assert_eq!(stored.get("above"), None);
        assert_eq!(read(bench, &small).await.path, [shelf.id]);
        assert_eq!(read(bench, &tiny).await.path, [shelf.id, small.id]);
        assert_eq!(read(bench, &root).await.below, 1);
        assert_clean(bench).await;

        // The deepest document would have four ancestors.
        let refused = Category::move_to(&bench.db, shelf.id, Some(other.id)).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
        Category::delete(&bench.db, tiny.id).await.expect("deleted");
        let moved = Category::move_to(&bench.db, shelf.id, Some(other.id)).await;
        moved.expect("moved");
        assert_eq!(
            read(bench, &small).await.path,
            [root.id, other.id, shelf.id]
        );
        assert_eq!(read(bench, &other).await.below, 1);
        let new = category("new", Some(&shelf));
        Category::insert(&bench.db, &new).await.expect("inserted");
        assert_eq!(read(bench, &new).await.path, [root.id, other.id, shelf.id]);
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
        assert_clean(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_refused_move_changes_nothing() {
    on_both("move_refused", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        let all = async || -> Vec<Document> {
            let categories = bench.raw("categories");
            let found = categories.find(doc! {}).sort(doc! { "_id": 1 }).await;
            let found = found.expect("found");
            found.try_collect().await.expect("read")
        };
        let before = all().await;
        for to in [shelf.id, small.id] {
            let refused = Category::move_to(&bench.db, shelf.id, Some(to)).await;
            let Err(error @ Error::BelowItself { .. }) = refused else {
                panic!("{refused:?}");
            };
            let text = format!(
                "Category {} cannot be moved to {}, which is the document itself or below it",
                Bson::from(shelf.id),
                Bson::from(to)
            );
            assert_eq!((error.to_string(), error.http_status()), (text, 409));
        }
        let missing: Id<Category> = Id::new();
        let refused = Category::move_to(&bench.db, shelf.id, Some(missing)).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        let refused = Category::move_to(&bench.db, missing, Some(root.id)).await;
        assert!(
            matches!(refused, Err(Error::NotFound { .. })),
            "{refused:?}"
        );
        assert_eq!(all().await, before);
        assert_clean(bench).await;

        // The server refuses the document in its new place.
        let unique = doc! { "createIndexes": "categories", "indexes": [
            { "key": { "above": 1, "name": 1 }, "name": "once", "unique": true },
        ] };
        bench.db.run_command(unique).await.expect("created");
        let same = category("other", Some(&shelf));
        Category::insert(&bench.db, &same).await.expect("inserted");
        let refused = Category::move_to(&bench.db, same.id, Some(root.id)).await;
        assert!(
            matches!(refused, Err(Error::Duplicate { .. })),
            "{refused:?}"
        );
        assert_eq!(read(bench, &same).await.path, [root.id, shelf.id]);
        assert_eq!(read(bench, &other).await.path, [root.id]);
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
        assert_clean(bench).await;
        Category::move_to(&bench.db, same.id, None)
            .await
            .expect("moved");
        assert_clean(bench).await;
    })
    .await;
}

#[tokio::test]
async fn of_two_moves_that_cross_one_is_refused() {
    on_both("move_crossing", async |bench: &Bench| {
        let all = [
            folder("a", None),
            folder("b", None),
            folder("a1", Some("a")),
            folder("b1", Some("b")),
        ];
        store_folders(bench, &all).await;
        for _ in 0..5 {
            let (a, b) = tokio::join!(
                Folder::move_to(&bench.db, "a", Some("b1".to_owned())),
                Folder::move_to(&bench.db, "b", Some("a1".to_owned())),
            );
            let (top, refused) = if a.is_ok() { ("b", b) } else { ("a", a) };
            assert!(
                matches!(refused, Err(Error::BelowItself { .. })),
                "{refused:?}"
            );
            assert!(path(bench, top).await.is_empty());
            assert_clean(bench).await;
            for id in ["a", "b"] {
                Folder::move_to(&bench.db, id, None).await.expect("moved");
                let stored = bench.stored("folders", id).await;
                assert_eq!(stored.get("inside"), Some(&Bson::Null));
            }
        }
    })
    .await;
}

#[tokio::test]
async fn documents_that_are_inserted_below_a_moving_one_get_its_ancestors() {
    on_both("move_inserts", async |bench: &Bench| {
        let all = [
            folder("a", None),
            folder("b", None),
            folder("x", None),
            folder("y", Some("x")),
        ];
        store_folders(bench, &all).await;
        let moves = async {
            for to in ["a", "b", "a", "b"] {
                let moved = Folder::move_to(&bench.db, "x", Some(to.to_owned())).await;
                moved.expect("moved");
            }
        };
        let inserts = (0..40).map(|n| async move {
            let (above, id) = (format!("n{}", n - 10), format!("n{n}"));
            let above = if n < 10 { "y" } else { above.as_str() };
            match n {
                0..10 => Folder::insert(&bench.db, &folder(&id, Some(above)))
                    .await
                    .map(drop),
                _ => match Folder::insert(&bench.db, &folder(&id, Some(above))).await {
                    // Its parent may be on its way.
                    Err(Error::Dangling { .. }) => Ok(()),
                    inserted => inserted.map(drop),
                },
            }
        });
        let (_, inserted) = tokio::join!(moves, join_all(inserts));
        for one in inserted {
            one.expect("inserted");
        }
        recover(&bench.db).await.expect("recovered");
        assert_eq!(path(bench, "n3").await, ["b", "x", "y"]);
        assert_clean(bench).await;
        assert!(recover(&bench.db).await.expect("recovered").is_idle());
    })
    .await;
}

#[tokio::test]
async fn a_move_of_a_leaf_costs_a_few_commands_which_indexes_serve() {
    on_both("move_costs", async |bench: &Bench| {
        let all = [
            folder("a", None),
            folder("b", Some("a")),
            folder("c", Some("b")),
            folder("d", None),
        ];
        store_folders(bench, &all).await;
        bench.forget();
        Folder::move_to(&bench.db, "b", Some("d".to_owned()))
            .await
            .expect("moved");
        let sent = bench.take();
        let names: Vec<&str> = sent.iter().map(|one| one.name.as_str()).collect();
        let of_reference = ["find", "update", "find", "find", "findAndModify", "update"];
        let begins = ["findAndModify", "aggregate", "aggregate", "update"];
        let ends = ["find", "update", "update", "update", "find"];
        assert_eq!(names, [&begins[..], &of_reference, &ends].concat());
        let below = sent.iter().find(|one| {
            let filter = one.command.get_document("filter");
            one.name == "find" && filter.is_ok_and(|filter| filter.contains_key("in"))
        });
        let below = below.expect("the documents below").command.clone();
        bench.explain(below).await.assert_served_by("in");
        let levels = sent.iter().filter(|one| one.name == "aggregate").nth(1);
        let levels = levels.expect("the levels below").command.clone();
        bench.explain(levels).await.assert_served_by("in");
        assert_clean(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_large_subtree_moves_in_steps_and_keeps_its_versions() {
    in_set("move_large", async |bench: &Bench| {
        bench.index(&[Folder::meta()]).await;
        let mut all = vec![folder("a", None), folder("b", None), folder("x", Some("a"))];
        all.extend((0..2_300).map(|n| folder(&format!("n{n}"), Some("x"))));
        Folder::insert_many(&bench.db, &all)
            .await
            .expect("inserted");
        let before = Folder::get(&bench.db, "n7")
            .await
            .expect("read")
            .expect("stored");
        let mut steps = Vec::new();
        let moved = Folder::move_to(&bench.db, "x", Some("b".to_owned()))
            .progress(|moved| steps.push(moved))
            .await;
        assert_eq!(moved.expect("moved").modified, 2_301);
        assert_eq!(steps, [1_000, 2_000, 2_300]);
        let stored = bench.stored("folders", "n7").await;
        assert_eq!(stored.get("version").cloned(), Some(Bson::Int64(0)));
        assert_eq!(
            bench
                .stored("folders", "x")
                .await
                .get_i64("version")
                .expect("a version"),
            1
        );
        // The document was read before the move.
        let mut saved = Folder {
            all: Vec::new(),
            ..before
        };
        saved.save_if_unchanged(&bench.db).await.expect("saved");
        assert_eq!(path(bench, "n7").await, ["b", "x"]);
        assert_clean(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_move_that_a_program_has_left_is_finished() {
    on_both("move_left", async |bench: &Bench| {
        bench.index(&[Folder::meta()]).await;
        let all = [folder("a", None), folder("b", Some("a")), folder("c", Some("b"))];
        Folder::insert_many(&bench.db, &all).await.expect("inserted");
        let left = doc! { "_id": "folders", "revision": 7_i64, "moving": { "node": "b", "to": Bson::Null, "token": 1 } };
        let trees = bench.raw("_dn.trees");
        trees.insert_one(left).await.expect("stored");
        let done = recover(&bench.db).await.expect("recovered");
        assert_eq!(done.moves, 1);
        assert_eq!(path(bench, "c").await, ["b"]);
        let state: Option<Document> = trees.find_one(doc! {}).await.expect("read");
        let state = state.expect("stored");
        assert_eq!(state, doc! { "_id": "folders", "revision": 7_i64 });
        assert_clean(bench).await;

        // The next move does the same.
        let left = doc! { "$inc": { "revision": 1_i64 }, "$set": { "moving": { "node": "c", "to": "a", "token": 1 } } };
        trees.update_one(doc! {}, left).await.expect("stored");
        Folder::move_to(&bench.db, "b", Some("c".to_owned())).await.expect("moved");
        assert_eq!(path(bench, "b").await, ["a", "c"]);
        assert_clean(bench).await;
    })
    .await;
}
