//! Ranks: the place that a query gives, the command that it sends, and the order that comes of it.

use bson::{Bson, doc};
use futures::future::join_all;
use mongo_model::{Error, Id, MongoModel, Rank};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ranked_lists")]
struct List {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ranked_tasks")]
struct Task {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(List, sort = rank)]
    list: i32,
    rank: Rank,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "ranked_pages")]
struct Page {
    #[serde(rename = "_id")]
    id: Id<Page>,
    #[parent(Page, tree(depth = 4), sort = rank)]
    above: Option<Id<Page>>,
    #[ancestors]
    path: Vec<Id<Page>>,
    rank: Rank,
}

async fn lists(bench: &Bench) {
    bench.index(&[List::meta(), Task::meta()]).await;
    for id in [1, 2] {
        List::insert(&bench.db, &List { id }).await.expect("stored");
    }
}

async fn store(bench: &Bench, id: i32, list: i32, rank: Rank) {
    let task = Task { id, list, rank };
    Task::insert(&bench.db, &task)
        .settled()
        .await
        .expect("stored");
}

async fn sorted(bench: &Bench, list: i32) -> Vec<i32> {
    let tasks = Task::find(&bench.db, |t| t.list.eq(list));
    let tasks = tasks.sort(|t| t.rank.asc()).await.expect("found");
    tasks.into_iter().map(|task| task.id).collect()
}

#[tokio::test]
async fn a_rank_is_at_the_place_that_was_asked_for() {
    on_both("ranks", async |bench: &Bench| {
        lists(bench).await;
        let db = &bench.db;
        let of_first = || Task::find(db, |t| t.list.eq(1));
        for id in [1, 2] {
            let last = of_first().rank_last(|t| t.rank).await.expect("a rank");
            store(bench, id, 1, last).await;
        }
        let first = of_first().rank_first(|t| t.rank).await.expect("a rank");
        store(bench, 3, 1, first).await;
        let one = Task::get(db, 1).await.expect("read").expect("stored");
        let after = of_first().rank_after(|t| t.rank, &one.rank);
        store(bench, 4, 1, after.await.expect("a rank")).await;
        let before = of_first().rank_before(|t| t.rank, &one.rank);
        store(bench, 5, 1, before.await.expect("a rank")).await;
        assert_eq!(sorted(bench, 1).await, [3, 5, 1, 4, 2]);

        // A move writes the document alone; the other list has an order of its own.
        let end = of_first().rank_last(|t| t.rank).await.expect("a rank");
        Task::update(db, 3)
            .set(|t| t.rank, end)
            .await
            .expect("moved");
        assert_eq!(sorted(bench, 1).await, [5, 1, 4, 2, 3]);
        let other = Task::find(db, |t| t.list.eq(2)).rank_last(|t| t.rank);
        store(bench, 6, 2, other.await.expect("a rank")).await;
        assert_eq!(sorted(bench, 2).await, [6]);
    })
    .await;
}

#[tokio::test]
async fn a_rank_is_one_find_that_the_index_of_the_parent_serves() {
    in_set("ranks_command", async |bench: &Bench| {
        lists(bench).await;
        for (id, rank) in (1..=50).zip(Rank::spread()) {
            store(bench, id, 1, rank).await;
        }
        let rank = Task::get(&bench.db, 7)
            .await
            .expect("read")
            .expect("stored")
            .rank;
        let next = async || {
            let after = Task::find(&bench.db, |t| t.list.eq(1)).skip(3);
            after.rank_after(|t| t.rank, &rank).await.expect("a rank")
        };
        bench.forget();
        next().await;
        let command = bench.only();
        assert_eq!(
            command.get_document("projection").expect("one"),
            &doc! { "_id": 0, "rank": 1 }
        );
        assert_eq!(
            command.get("limit").map(Bson::to_string),
            Some("1".to_owned())
        );
        assert!(!command.contains_key("skip"));
        bench.forget();
        next().await;
        let plan = bench.plan().await;
        plan.assert_served_by("list");
        assert!(
            plan.stages
                .iter()
                .any(|stage| stage == "PROJECTION_COVERED")
        );
    })
    .await;
}

#[tokio::test]
async fn programs_that_ask_for_one_place_get_different_ranks() {
    in_set("ranks_race", async |bench: &Bench| {
        lists(bench).await;
        let some: Vec<Rank> = Rank::spread().take(2).collect();
        for (id, rank) in some.iter().enumerate() {
            store(
                bench,
                i32::try_from(id).expect("small") - 2,
                1,
                rank.clone(),
            )
            .await;
        }
        let asked = (0..20).map(async |_| {
            let after = Task::find(&bench.db, |t| t.list.eq(1)).rank_after(|t| t.rank, &some[0]);
            after.await.expect("a rank")
        });
        let ranks = join_all(asked).await;
        for (id, rank) in ranks.iter().enumerate() {
            assert!(some[0] < *rank && *rank < some[1]);
            store(bench, i32::try_from(id).expect("small"), 1, rank.clone()).await;
        }
        let different: std::collections::BTreeSet<&Rank> = ranks.iter().collect();
        assert!(different.len() > 15, "{}", different.len());
        assert_eq!(sorted(bench, 1).await.len(), 22);
    })
    .await;
}

#[tokio::test]
async fn a_place_without_room_is_an_error_and_a_spread_makes_room() {
    in_set("ranks_full", async |bench: &Bench| {
        lists(bench).await;
        let low: Rank = "i0".parse().expect("a rank");
        let high: Rank = format!("i0{}1", "0".repeat(Rank::MAX - 3))
            .parse()
            .expect("a rank");
        store(bench, 1, 1, low.clone()).await;
        store(bench, 2, 1, high).await;
        let of_list = || Task::find(&bench.db, |t| t.list.eq(1));
        let refused = of_list().rank_after(|t| t.rank, &low).await;
        let refused = refused.expect_err("no room").to_string();
        assert!(
            refused.contains("Task.rank") && refused.contains("Rank::spread"),
            "{refused}"
        );
        let tasks = of_list().sort(|t| t.rank.asc()).await.expect("found");
        for (task, rank) in tasks.iter().zip(Rank::spread()) {
            let update = Task::update(&bench.db, task.id).set(|t| t.rank, rank);
            update.await.expect("ranked");
        }
        let first = Task::get(&bench.db, 1)
            .await
            .expect("read")
            .expect("stored")
            .rank;
        of_list()
            .rank_after(|t| t.rank, &first)
            .await
            .expect("a rank");
        assert_eq!(sorted(bench, 1).await, [1, 2]);
    })
    .await;
}

#[tokio::test]
async fn a_stored_text_that_is_no_rank_is_an_error_where_it_is_read() {
    in_set("ranks_foreign", async |bench: &Bench| {
        lists(bench).await;
        let tasks = bench.db.collection::<bson::Document>("ranked_tasks");
        let foreign = doc! { "_id": 1, "list": 1, "rank": "Top" };
        tasks.insert_one(foreign).await.expect("stored");
        let read = Task::get(&bench.db, 1).await.expect_err("no rank");
        assert!(matches!(read, Error::Decode { .. }), "{read:?}");
        assert!(!read.to_string().contains("Top"), "{read}");
    })
    .await;
}

#[tokio::test]
async fn documents_of_a_tree_have_an_order_below_their_parent() {
    in_set("ranks_tree", async |bench: &Bench| {
        bench.index(&[Page::meta()]).await;
        let db = &bench.db;
        let store = async |above: Option<Id<Page>>, rank| {
            let (id, path) = (Id::new(), Vec::new());
            let page = Page {
                id,
                above,
                path,
                rank,
            };
            Page::insert(db, &page).settled().await.expect("stored");
            page
        };
        let root = store(
            None,
            Page::roots(db).rank_last(|p| p.rank).await.expect("a rank"),
        )
        .await;
        let below = || Page::children(db, root.id);
        let one = store(
            Some(root.id),
            below().rank_last(|p| p.rank).await.expect("a rank"),
        )
        .await;
        let two = store(
            Some(root.id),
            below().rank_first(|p| p.rank).await.expect("a rank"),
        )
        .await;
        bench.forget();
        let after = below()
            .rank_after(|p| p.rank, &two.rank)
            .await
            .expect("a rank");
        bench.plan().await.assert_served_by("above");
        let three = store(Some(root.id), after).await;
        let pages = below().sort(|p| p.rank.asc()).await.expect("found");
        let ids: Vec<Id<Page>> = pages.iter().map(|page| page.id).collect();
        assert_eq!(ids, [two.id, three.id, one.id]);
    })
    .await;
}
