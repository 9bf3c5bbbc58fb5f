//! Joins see live documents.

use mongo_model::{Id, MongoModel};

use crate::common::on_both;
use crate::soft_deleting::{Board, Post, User, board, post, users};

#[tokio::test]
async fn references_lead_to_live_documents() {
    on_both("refs", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let ids: Vec<Id<User>> = all.iter().map(|user| user.id).collect();
        let board = board(ids.clone());
        Board::insert(db, &board).await.expect("stored");
        bench.forget();
        let loaded = board.load_watchers(db).await.expect("loaded");
        assert_eq!((loaded.len(), loaded.missing()), (2, &[ids[1]][..]));
        assert_eq!(bench.sent(), ["find"]);
        let loaded = board
            .load_watchers(db)
            .with_deleted()
            .await
            .expect("loaded");
        assert_eq!((loaded.len(), loaded.missing().len()), (3, 0));
        let loaded = board
            .load_watchers(db)
            .only_deleted()
            .await
            .expect("loaded");
        assert_eq!((loaded.len(), loaded.missing().len()), (1, 2));
        let many = Board::load_watchers_many(db, std::slice::from_ref(&board))
            .await
            .expect("loaded");
        assert_eq!(many[0].1.len(), 2);
        let got = User::get_many(db, ids.clone()).await.expect("loaded");
        assert_eq!(got.missing(), &[ids[1]]);
        assert_eq!(
            User::get_many(db, ids)
                .with_deleted()
                .await
                .expect("loaded")
                .len(),
            3
        );
    })
    .await;
}

#[tokio::test]
async fn live_children_are_found() {
    on_both("children", async |bench| {
        let (db, all) = (&bench.db, users(bench).await);
        let boards = [1, 2].map(|_| board(Vec::new()));
        Board::insert_many(db, &boards).await.expect("stored");
        let posts: Vec<Post> = (1..=4)
            .map(|place| post(&all[0], boards[0].id, place))
            .collect();
        Post::insert_many(db, &posts).await.expect("stored");
        Post::delete(db, posts[3].id).await.expect("deleted");
        bench.forget();
        let places = |posts: &[Post]| posts.iter().map(|post| post.place).collect::<Vec<_>>();
        let found = Post::by_board(db, boards[0].id).await.expect("read");
        assert_eq!(places(&found), [3, 2, 1]);
        let found = Post::by_board(db, boards[0].id)
            .only_deleted()
            .await
            .expect("read");
        assert_eq!(places(&found), [4]);
        bench.forget();

        let many = Post::by_board_many(db, &boards).await.expect("read");
        assert_eq!((places(&many[0].1), many[1].1.len()), (vec![3, 2, 1], 0));
        let many = Post::by_board_many(db, &boards)
            .with_deleted()
            .await
            .expect("read");
        assert_eq!(places(&many[0].1), [4, 3, 2, 1]);
        let many = Post::by_board_many(db, &boards)
            .limit(2)
            .await
            .expect("read");
        assert_eq!(places(&many[0].1), [3, 2]);
        let many = Post::by_board_many(db, &boards)
            .limit(2)
            .with_deleted()
            .await
            .expect("read");
        assert_eq!(places(&many[0].1), [4, 3]);
        let counts = Post::by_board_many(db, &boards)
            .count()
            .await
            .expect("counted");
        assert_eq!((counts[0].1, counts[1].1), (3, 0));
        let counts = Post::by_board_many(db, &boards)
            .count()
            .only_deleted()
            .await
            .expect("counted");
        assert_eq!(counts[0].1, 1);
        let each = || Post::by_board_many(db, &boards).filter_each(|_, p| p.place.gte(2));
        assert_eq!(places(&each().await.expect("read")[0].1), [3, 2]);
        let many = each().with_deleted().await.expect("read");
        assert_eq!(places(&many[0].1), [4, 3, 2]);
        assert_eq!(each().count().await.expect("counted")[0].1, 2);
        // One command each.
        assert_eq!(bench.sent().len(), 9);
    })
    .await;
}
