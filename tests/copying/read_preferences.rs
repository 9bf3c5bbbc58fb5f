//! A client may read from secondaries. What the library reads in order to write, or to refuse a write, comes from the primary all the
//! same: a secondary may not have the write that matters yet.

use bson::Document;
use mongo_model::{Id, MongoModel, backfill, recover, repair, verify};
use mongodb::Database;
use mongodb::options::{DatabaseOptions, ReadPreference, ReadPreferenceOptions, SelectionCriteria};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pref_authors")]
struct Author {
    #[serde(rename = "_id")]
    id: Id<Author>,
    #[index(unique)]
    email: String,
    name: String,
    #[count(Post)]
    number: i64,
    #[recent(Post, max = 2, sort = -time, fields(title))]
    last: Vec<RecentPost>,
    #[refs(Post, inverse = likes)]
    liked: Vec<Id<Post>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pref_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: Id<Post>,
    #[parent(Author, sort = -time, on_delete = cascade)]
    #[denorm(from = Author, field = name)]
    author: PostAuthor,
    #[refs(Author, inverse = liked, max = 20, on_delete = pull)]
    likes: Vec<Id<Author>>,
    title: String,
    time: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "pref_reviews")]
struct Review {
    #[serde(rename = "_id")]
    id: Id<Review>,
    #[parent(Post, on_delete = deny)]
    post: Id<Post>,
}

fn author(email: &str) -> Author {
    Author {
        id: Id::new(),
        email: email.to_owned(),
        name: email.to_owned(),
        number: 0,
        last: Vec::new(),
        liked: Vec::new(),
    }
}

fn post(author: &Author, time: i64) -> Post {
    Post {
        id: Id::new(),
        author: PostAuthor {
            id: author.id,
            name: author.name.clone(),
        },
        likes: Vec::new(),
        title: format!("post {time}"),
        time,
    }
}

/// The database as a client has it that prefers secondaries.
fn from_secondaries(bench: &Bench) -> Database {
    let prefers = ReadPreference::SecondaryPreferred {
        options: Some(ReadPreferenceOptions::default()),
    };
    let options = DatabaseOptions::builder()
        .selection_criteria(SelectionCriteria::ReadPreference(prefers))
        .build();
    bench.client.database_with_options(bench.db.name(), options)
}

/// The names of the commands since the log was cleared that a secondary may serve.
fn sent_anywhere(bench: &Bench) -> Vec<String> {
    let anywhere = |command: &Document| {
        let preference = command.get_document("$readPreference").ok();
        preference.and_then(|it| it.get_str("mode").ok()) == Some("secondaryPreferred")
    };
    let sent = bench.take().into_iter();
    sent.filter(|sent| anywhere(&sent.command))
        .map(|sent| sent.name)
        .collect()
}

#[tokio::test]
async fn what_a_write_rests_on_is_read_from_the_primary() {
    in_set("pref", async |bench| {
        bench
            .index(&[Author::meta(), Post::meta(), Review::meta()])
            .await;
        let db = &from_secondaries(bench);
        let (ann, bob) = (author("ann"), author("bob"));
        Author::insert(db, &ann).await.expect("stored");
        Author::insert_many(db, [&bob]).await.expect("stored");
        let (first, second) = (post(&ann, 1), post(&ann, 2));
        Post::insert(db, &first).await.expect("stored");
        Post::insert_many(db, [&second, &post(&bob, 3), &post(&bob, 4)])
            .await
            .expect("stored");
        Author::update(db, ann.id)
            .set(|a| a.name, "Anna")
            .await
            .expect("changed");
        Author::update_many(db, |a| a.email.eq("bob"))
            .set(|a| a.name, "Bert")
            .await
            .expect("changed");
        Author::update(db, ann.id)
            .set(|a| a.email, "anna")
            .await
            .expect("changed");
        let mut bob = Author::get(db, bob.id).await.expect("read").expect("bob");
        assert_eq!(sent_anywhere(bench), ["find"], "only the user's own read");
        bob.name = "Bob".to_owned();
        bob.save(db).await.expect("saved");
        Post::add_like(db, first.id, ann.id).await.expect("liked");
        Post::add_like(db, first.id, bob.id).await.expect("liked");
        let to_bob = PostAuthor {
            id: bob.id,
            name: bob.name.clone(),
        };
        Post::update(db, first.id)
            .set(|p| p.author, to_bob)
            .await
            .expect("given away");
        Review::insert(
            db,
            &Review {
                id: Id::new(),
                post: first.id,
            },
        )
        .await
        .expect("stored");
        Post::delete(db, first.id).await.expect_err("reviewed");
        Author::delete(db, bob.id).await.expect_err("reviewed");
        Post::delete(db, second.id).await.expect("deleted");
        Author::delete(db, ann.id).await.expect("deleted");
        Author::rebuild_last(db, bob.id).await.expect("rebuilt");
        Author::recount_number(db, bob.id).await.expect("recounted");
        backfill(db).await.expect("filled");
        let report = verify(db).await.expect("verified");
        assert!(report.is_clean(), "{report}");
        repair(db).await.expect("repaired");
        recover(db).await.expect("recovered");
        assert_eq!(sent_anywhere(bench), [""; 0]);

        let found = Post::find(db, |p| p.author.id.eq(bob.id)).await;
        assert_eq!(found.expect("read").len(), 3);
        Post::by_author(db, bob.id).await.expect("read");
        let count = Post::count(db, |p| p.author.id.eq(bob.id)).await;
        assert_eq!(count.expect("counted"), 3);
        assert_eq!(sent_anywhere(bench), ["find", "find", "aggregate"]);
    })
    .await;
}
