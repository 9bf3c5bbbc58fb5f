//! Trees: the ancestors that inserts and saves store, and the finds around a document.

mod common;
mod moving;

use bson::{Bson, doc};
use futures::TryStreamExt;
use mongo_model::denorm::{Defect, Difference};
use mongo_model::{Error, Id, MongoModel, Transaction, repair, verify};
use serde::{Deserialize, Serialize};

use self::common::{Bench, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "categories", new(NewCategory))]
struct Category {
    #[serde(rename = "_id")]
    id: Id<Category>,
    name: String,
    #[parent(Category, tree(depth = 3))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    above: Option<Id<Category>>,
    #[ancestors]
    path: Vec<Id<Category>>,
    #[count(Category)]
    #[serde(default)]
    below: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "folders")]
struct Folder {
    #[serde(rename = "_id")]
    id: String,
    #[parent(Folder, tree(depth = 12), on_delete = cascade)]
    inside: Option<String>,
    #[ancestors]
    #[serde(rename = "in")]
    all: Vec<String>,
    #[version]
    version: i64,
}

fn category(name: &str, above: Option<&Category>) -> Category {
    Category::from(NewCategory {
        name: name.to_owned(),
        above: above.map(|above| above.id),
    })
}

fn folder(id: &str, inside: Option<&str>) -> Folder {
    Folder {
        id: id.to_owned(),
        inside: inside.map(str::to_owned),
        all: vec!["a lie".to_owned()],
        version: 0,
    }
}

/// Stores folders in a collection with the declared indexes.
async fn store_folders(bench: &Bench, all: &[Folder]) {
    bench.index(&[Folder::meta()]).await;
    let stored = Folder::insert_many(&bench.db, all);
    stored.await.expect("inserted");
}

async fn read(bench: &Bench, category: &Category) -> Category {
    let read = Category::get(&bench.db, category.id).await;
    bench.forget();
    read.expect("read").expect("stored")
}

/// A root with a shelf, which has a box, and another shelf; as they are stored.
async fn shop(bench: &Bench) -> [Category; 4] {
    bench.index(&[Category::meta()]).await;
    let root = category("shop", None);
    let shelf = category("shelf", Some(&root));
    let other = category("other", Some(&root));
    let small = category("box", Some(&shelf));
    for one in [&root, &shelf, &other, &small] {
        Category::insert(&bench.db, one).await.expect("inserted");
    }
    let mut all = [root, shelf, other, small];
    for one in &mut all {
        *one = read(bench, one).await;
    }
    all
}

#[tokio::test]
async fn an_insert_stores_the_ancestors() {
    on_both("tree_insert", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        assert_eq!(root.path, []);
        assert_eq!(shelf.path, [root.id]);
        assert_eq!(other.path, [root.id]);
        assert_eq!(small.path, [root.id, shelf.id]);
        assert_eq!((root.below, shelf.below), (2, 1));

        let tiny = category("tiny", Some(&small));
        Category::insert(&bench.db, &tiny).await.expect("inserted");
        let too_deep = category("too deep", Some(&tiny));
        let refused = Category::insert(&bench.db, &too_deep).await;
        assert!(matches!(refused, Err(Error::Invalid { .. })), "{refused:?}");
        let nowhere = category("nowhere", Some(&too_deep));
        let refused = Category::insert(&bench.db, &nowhere).await;
        let Err(Error::Dangling { field, ids, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!(
            (field.as_str(), ids),
            ("above", &vec![Bson::from(too_deep.id)])
        );
        assert_eq!(bench.len("categories").await, 5);
        assert!(verify(&bench.db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_whole_tree_is_inserted_at_once() {
    on_both("tree_insert_many", async |bench: &Bench| {
        bench.index(&[Folder::meta()]).await;
        let top = folder("top", None);
        Folder::insert(&bench.db, &top).await.expect("inserted");
        bench.forget();
        let new = [
            folder("a", Some("top")),
            folder("b", Some("a")),
            folder("c", Some("b")),
            folder("d", None),
        ];
        Folder::insert_many(&bench.db, &new)
            .await
            .expect("inserted");
        let sent = bench.take();
        let first = &sent[0];
        assert_eq!(first.name, "find");
        let keys = first.command.get_document("filter").expect("a filter");
        assert_eq!(*keys, doc! { "_id": { "$in": ["top"] } });
        let c = bench.stored("folders", "c").await;
        assert_eq!(
            *c.get("in").expect("the ancestors"),
            Bson::from(vec!["top", "a", "b"])
        );
        let d = bench.stored("folders", "d").await;
        assert_eq!(
            *d.get("in").expect("the ancestors"),
            Bson::Array(Vec::new())
        );

        let child_first = [folder("f", Some("e")), folder("e", None)];
        let refused = Folder::insert_many(&bench.db, &child_first).await;
        assert!(
            matches!(refused, Err(Error::Dangling { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.len("folders").await, 5);
    })
    .await;
}

#[tokio::test]
async fn an_insert_below_a_parent_reads_it_once_more() {
    on_both("tree_costs", async |bench: &Bench| {
        bench.index(&[Folder::meta()]).await;
        Folder::insert(&bench.db, &folder("a", None))
            .await
            .expect("inserted");
        // Whole trees begin with a root, for which nothing is read.
        assert_eq!(bench.sent(), ["insert"]);
        Folder::insert(&bench.db, &folder("b", Some("a")))
            .await
            .expect("inserted");
        assert_eq!(bench.sent()[..2], ["find", "insert"]);
    })
    .await;
}

#[tokio::test]
async fn a_save_leaves_a_document_in_its_place() {
    on_both("tree_save", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        let mut renamed = small.clone();
        renamed.name = "carton".to_owned();
        renamed.path = vec![other.id];
        renamed.save(&bench.db).await.expect("saved");
        let stored = read(bench, &small).await;
        assert_eq!(
            (stored.name.as_str(), &stored.path),
            ("carton", &small.path)
        );

        for above in [Some(other.id), None] {
            renamed.above = above;
            let refused = renamed.save(&bench.db).await;
            assert!(
                matches!(refused, Err(Error::OtherParent { .. })),
                "{refused:?}"
            );
        }
        assert_eq!(read(bench, &small).await, stored);
        assert_eq!(read(bench, &other).await.below, 0);

        let new = category("new", Some(&shelf));
        new.save(&bench.db).await.expect("saved");
        assert_eq!(read(bench, &new).await.path, [root.id, shelf.id]);
        assert_eq!(read(bench, &shelf).await.below, 2);
        assert!(verify(&bench.db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_save_of_a_version_leaves_a_document_in_its_place() {
    in_set("tree_save_version", async |bench: &Bench| {
        bench.index(&[Folder::meta()]).await;
        let all = [folder("a", None), folder("b", Some("a")), folder("c", None)];
        Folder::insert_many(&bench.db, &all)
            .await
            .expect("inserted");
        let mut b = Folder::get(&bench.db, "b")
            .await
            .expect("read")
            .expect("stored");
        b.all = Vec::new();
        b.save_if_unchanged(&bench.db).await.expect("saved");
        b.inside = Some("c".to_owned());
        let refused = b.save_if_unchanged(&bench.db).await;
        assert!(
            matches!(refused, Err(Error::OtherParent { .. })),
            "{refused:?}"
        );
        let mut a = Folder::get(&bench.db, "a")
            .await
            .expect("read")
            .expect("stored");
        let saved = Folder::save_many_if_unchanged(&bench.db, [&mut a, &mut b]).await;
        let saved = saved.expect("sent");
        assert_eq!((saved.saved, saved.unsaved.len()), (1, 1));
        let refused = &saved.unsaved[0].error;
        assert!(matches!(refused, Error::OtherParent { .. }), "{refused:?}");
        let stored = bench.stored("folders", "b").await;
        assert_eq!(
            *stored.get("in").expect("the ancestors"),
            Bson::from(vec!["a"])
        );
        assert_eq!(stored.get("inside"), Some(&Bson::from("a")));
    })
    .await;
}

#[tokio::test]
async fn each_find_around_a_document_is_one_command_that_an_index_serves() {
    in_set("tree_finds", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        let (db, ids) = (&bench.db, |found: &[Category]| -> Vec<Id<Category>> {
            found.iter().map(|one| one.id).collect()
        });
        let found = Category::children(db, root.id)
            .sort(|c| c.name.asc())
            .await
            .expect("found");
        assert_eq!(ids(&found), [other.id, shelf.id]);
        bench.plan().await.assert_served_by("above");
        let found = Category::roots(db).await.expect("found");
        assert_eq!(ids(&found), [root.id]);
        bench.plan().await.assert_served_by("above");
        let found = Category::descendants(db, root.id)
            .sort(|c| c.name.asc())
            .await
            .expect("found");
        assert_eq!(ids(&found), [small.id, other.id, shelf.id]);
        bench.plan().await.assert_served_by("path");
        assert_eq!(
            Category::descendants(db, root.id)
                .count()
                .await
                .expect("counted"),
            3
        );
        bench.plan().await.assert_served_by("path");
        let found = root.descendants_within(db, 1).sort(|c| c.name.asc());
        assert_eq!(ids(&found.await.expect("found")), [other.id, shelf.id]);
        bench.plan().await.assert_served_by("path");
        let found = root.descendants_within(db, 2).count();
        assert_eq!(found.await.expect("counted"), 3);
        let found = shelf.descendants_within(db, 1).await.expect("found");
        assert_eq!(ids(&found), [small.id]);
        assert!(
            small
                .descendants_within(db, 9)
                .await
                .expect("found")
                .is_empty()
        );
        bench.forget();
        let found = small.ancestors(db).await.expect("found");
        assert_eq!(
            found.iter().map(|one| one.id).collect::<Vec<_>>(),
            [root.id, shelf.id]
        );
        assert_eq!(bench.only().get("find"), Some(&Bson::from("categories")));
        let found = shelf.siblings(db).await.expect("found");
        assert_eq!(ids(&found), [other.id]);
        bench.plan().await.assert_served_by("above");
        assert!(root.siblings(db).await.expect("found").is_empty());
        bench.forget();
        assert!(root.ancestors(db).await.expect("found").is_empty());
        assert_eq!(bench.count(), 0);
    })
    .await;
}

#[tokio::test]
async fn delete_rules_apply_to_subtrees() {
    on_both("tree_deletes", async |bench: &Bench| {
        let [root, shelf, _, small] = shop(bench).await;
        let refused = Category::delete(&bench.db, shelf.id).await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        Category::delete(&bench.db, small.id)
            .await
            .expect("deleted");
        Category::delete(&bench.db, shelf.id)
            .await
            .expect("deleted");
        assert_eq!(read(bench, &root).await.below, 1);

        let all = [
            folder("a", None),
            folder("b", Some("a")),
            folder("c", Some("b")),
            folder("d", None),
        ];
        store_folders(bench, &all).await;
        Folder::delete(&bench.db, "a").await.expect("deleted");
        assert_eq!(bench.len("folders").await, 1);
        assert!(verify(&bench.db).await.expect("verified").is_clean());
    })
    .await;
}

/// The number of documents whose ancestors `verify` finds to be wrong.
async fn count_stale(bench: &Bench) -> u64 {
    let found = verify(&bench.db)
        .only::<Category>()
        .await
        .expect("verified");
    let report = found.reference("categories.above");
    report.expect("the reference").count(Defect::Stale)
}

#[tokio::test]
async fn verify_finds_wrong_ancestors_and_repair_corrects_them() {
    on_both("tree_repair", async |bench: &Bench| {
        let [root, shelf, other, small] = shop(bench).await;
        let tiny = category("tiny", Some(&small));
        Category::insert(&bench.db, &tiny).await.expect("inserted");
        // Another program moves a shelf with its box, and stores a category without ancestors.
        let below_other = doc! { "$set": { "above": other.id } };
        let categories = bench.raw("categories");
        let moved = categories.update_one(doc! { "_id": shelf.id }, below_other);
        moved.await.expect("moved");
        let foreign: Id<Category> = Id::new();
        let document = doc! { "_id": foreign, "name": "foreign", "above": root.id };
        bench.seed("categories", [document]).await;

        assert_eq!(count_stale(bench).await, 2);
        let streamed = verify(&bench.db).only::<Category>().stream();
        let streamed: Vec<Difference> = streamed.try_collect().await.expect("verified");
        let wrong = streamed.iter().filter(|one| one.path == "path");
        assert_eq!(wrong.count(), 2);

        let repaired = repair(&bench.db)
            .only::<Category>()
            .await
            .expect("repaired");
        assert!(repaired.refused.is_empty(), "{repaired}");
        let paths =
            async |id: Id<Category>| bench.stored("categories", id).await.get("path").cloned();
        assert_eq!(
            paths(shelf.id).await,
            Some(Bson::from(vec![root.id, other.id]))
        );
        assert_eq!(
            paths(small.id).await,
            Some(Bson::from(vec![root.id, other.id, shelf.id]))
        );
        assert_eq!(paths(foreign).await, Some(Bson::from(vec![root.id])));
        // It would be deeper than the tree may be.
        assert_eq!(
            paths(tiny.id).await,
            Some(Bson::from(vec![root.id, shelf.id, small.id]))
        );
        assert_eq!(count_stale(bench).await, 1);
    })
    .await;
}

#[tokio::test]
async fn repair_leaves_a_ring() {
    in_set("tree_ring", async |bench: &Bench| {
        let [_, shelf, _, small] = shop(bench).await;
        let below_itself = doc! { "$set": { "above": small.id } };
        let categories = bench.raw("categories");
        let moved = categories.update_one(doc! { "_id": shelf.id }, below_itself);
        moved.await.expect("moved");
        repair(&bench.db)
            .only::<Category>()
            .await
            .expect("repaired");
        let found = verify(&bench.db)
            .only::<Category>()
            .await
            .expect("verified");
        let report = found.reference("categories.above").expect("the reference");
        assert_eq!(report.count(Defect::Ring), 2, "{found}");
        let stored = bench.stored("categories", small.id).await;
        assert!(stored.get_array("path").expect("ancestors").len() <= 3);
    })
    .await;
}

#[tokio::test]
async fn a_transaction_stores_a_parent_and_its_child() {
    in_set("tree_transaction", async |bench: &Bench| {
        let [root, shelf, ..] = shop(bench).await;
        let new = category("new", Some(&shelf));
        let below = category("below", Some(&new));
        let mut tx = Transaction::begin(&bench.db).await.expect("begun");
        let stored = Category::insert(&bench.db, &new).within(&mut tx).await;
        stored.expect("inserted");
        below.save(&bench.db).within(&mut tx).await.expect("saved");
        tx.commit(&bench.db).await.expect("committed");
        assert_eq!(read(bench, &below).await.path, [root.id, shelf.id, new.id]);
        assert_eq!(read(bench, &new).await.below, 1);
    })
    .await;
}

#[tokio::test]
async fn an_upsert_stores_the_ancestors_of_a_new_document() {
    on_both("tree_upsert", async |bench: &Bench| {
        let [root, shelf, ..] = shop(bench).await;
        let new = category("new", Some(&shelf));
        for name in ["first", "second"] {
            let upserted = Category::upsert(&bench.db, &new).set(|c| c.name, name);
            upserted.await.expect("upserted");
        }
        let stored = read(bench, &new).await;
        assert_eq!(stored.name, "second");
        assert_eq!(stored.path, [root.id, shelf.id]);
    })
    .await;
}
