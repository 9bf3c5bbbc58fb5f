//! Lists of the last children that meet conditions.

use bson::{Bson, Document, doc};
use mongo_model::{Id, MongoModel, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::keeping::settled::settled;

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "only_boards")]
pub(crate) struct Board {
    #[serde(rename = "_id")]
    id: Id<Board, i64>,
    #[recent(Post, max = 3, sort = -time, fields(title), only(open = true, rank = 1))]
    #[serde(default)]
    latest: Vec<BoardPost>,
}

#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "only_posts", soft_delete)]
pub(crate) struct Post {
    #[serde(rename = "_id")]
    id: Id<Post, i64>,
    #[parent(Board)]
    board: Id<Board, i64>,
    time: i64,
    title: String,
    #[serde(rename = "o")]
    open: bool,
    rank: i32,
    #[deleted]
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<bson::DateTime>,
}

fn post(n: i64, board: i64, open: bool) -> Post {
    Post {
        id: Id::from_raw(n),
        board: Id::from_raw(board),
        time: n,
        title: format!("post {n}"),
        open,
        rank: 1,
        deleted: None,
    }
}

/// The list of each board is that of its last open posts as they are stored, and nothing is under way.
async fn check(bench: &Bench, what: &str) {
    recover(&bench.db).await.expect("recovered");
    settled(bench).await;
    for n in 1..=2_i64 {
        let shown = doc! { "board": n, "o": true, "rank": 1, "deleted": null };
        let posts = bench.raw("only_posts");
        let last = posts.find(shown).sort(doc! { "time": -1, "_id": -1 });
        let mut rows = last.limit(3).await.expect("found");
        let mut want = Vec::new();
        while rows.advance().await.expect("read") {
            let post: Document = rows.deserialize_current().expect("a document");
            want.push((post.get("_id").cloned(), post.get("title").cloned()));
        }
        let board = bench.stored("only_boards", n).await;
        let latest = board.get_array("latest").expect("a list").iter();
        let latest = latest.filter_map(Bson::as_document);
        let is: Vec<_> = latest
            .map(|entry| (entry.get("id").cloned(), entry.get("title").cloned()))
            .collect();
        assert_eq!(is, want, "{what}: board {n}");
    }
}

#[tokio::test]
async fn a_list_shows_the_children_that_meet_its_conditions() {
    on_both("only_lists", async |bench| {
        bench.index(&[Board::meta(), Post::meta()]).await;
        let db = &bench.db;
        let boards = [1, 2].map(|n| Board {
            id: Id::from_raw(n),
            latest: Vec::new(),
        });
        Board::insert_many(db, &boards).await.expect("boards");
        let posts: Vec<Post> = (0..12).map(|n| post(n, 1 + n % 2, n % 3 != 0)).collect();
        Post::insert_many(db, &posts).await.expect("posts");
        check(bench, "insert_many").await;
        Post::insert(db, &post(20, 1, false)).await.expect("stored");
        check(bench, "a post that is left out").await;
        Post::insert(db, &post(21, 1, true)).await.expect("stored");
        check(bench, "a post that is shown").await;
        let update = |n: i64| Post::update(db, Id::from_raw(n));
        update(21).set(|p| p.open, false).await.expect("closed");
        check(bench, "a shown post that closes").await;
        update(20).set(|p| p.open, true).await.expect("opened");
        check(bench, "a post that opens").await;
        update(20).inc(|p| p.rank, 1).await.expect("ranked");
        check(bench, "another condition").await;
        let title = update(21).set(|p| p.title, "hidden".to_owned());
        title.await.expect("renamed");
        check(bench, "a hidden post with another title").await;
        let moved = update(11).set(|p| p.board, Id::from_raw(1));
        moved.set(|p| p.open, false).await.expect("moved");
        check(bench, "a move that closes").await;
        let moved = update(11).set(|p| p.board, Id::from_raw(2));
        moved.set(|p| p.open, true).await.expect("moved");
        check(bench, "a move that opens").await;
        let all = || Post::update_many(db, |p| p.board.eq(Id::<Board, i64>::from_raw(2)));
        all().set(|p| p.open, false).await.expect("closed");
        check(bench, "many that close").await;
        all().set(|p| p.open, true).await.expect("opened");
        check(bench, "many that open").await;
        let mut read = Post::get(db, Id::from_raw(11))
            .await
            .expect("read")
            .expect("a post");
        read.open = false;
        read.save(db).await.expect("saved");
        check(bench, "a save that closes").await;
        read.open = true;
        read.save(db).await.expect("saved");
        check(bench, "a save that opens").await;
        Post::delete(db, Id::from_raw(11)).await.expect("deleted");
        check(bench, "a soft delete").await;
        Post::restore(db, Id::from_raw(11)).await.expect("restored");
        check(bench, "a restore").await;
        Post::delete(db, Id::from_raw(11)).await.expect("deleted");
        Post::purge(db, Id::from_raw(11)).await.expect("purged");
        check(bench, "a purge").await;

        let posts = bench.raw("only_posts");
        let closed = posts.update_many(doc! { "board": 1_i64 }, doc! { "$set": { "o": false } });
        closed.await.expect("closed by another program");
        let models = [Board::meta(), Post::meta()];
        let found = verify(db).models(&models).await.expect("looked");
        assert!(!found.is_settled(), "{found}");
        repair(db).models(&models).await.expect("repaired");
        check(bench, "a repair").await;
        let found = verify(db).models(&models).await.expect("looked");
        assert!(found.is_settled(), "{found}");
    })
    .await;
}
