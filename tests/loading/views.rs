//! Projections in loads, views that fall back to copies, and policies that the field declares.

use bson::doc;
use mongo_model::{Error, Id, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "view_users")]
pub struct User {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[serde(rename = "mail")]
    pub email: String,
    pub age: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "view_posts")]
pub struct Post {
    #[serde(rename = "_id")]
    pub id: Id<Post>,
    #[parent(User)]
    #[denorm(from = User, fields(name, email))]
    pub author: PostAuthor,
    #[refs(User, max = 10, missing = keep_slots)]
    #[denorm(from = User, field = name)]
    pub likes: Vec<Like>,
    #[refs(User, max = 10, missing = strict)]
    pub readers: Vec<i32>,
    #[parent(User, missing = strict)]
    pub owner: i32,
}

/// Without an `_id`: the loader reads it, and does not return it.
#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = User)]
struct Name {
    name: String,
}

/// The mongoose example: what is copied is always there, what is only in the source when it was loaded.
#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = User, fallback = PostAuthor)]
struct Author {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[serde(rename = "mail")]
    email: String,
    age: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = User, fallback = Like)]
struct Fan {
    name: String,
    age: Option<i32>,
}

/// Without the reference: the join back reads it, and does not return it.
#[derive(Debug, Clone, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Post)]
struct Short {
    #[serde(rename = "_id")]
    id: Id<Post>,
}

fn user(id: i32, name: &str) -> User {
    User {
        id,
        name: name.to_owned(),
        email: format!("{name}@example.com"),
        age: 20 + id,
    }
}

fn post(author: &User, likes: &[i32]) -> Post {
    let like = |&id: &i32| Like {
        id,
        name: format!("copied-{id}"),
    };
    Post {
        id: Id::new(),
        author: PostAuthor {
            id: author.id,
            name: author.name.clone(),
            email: author.email.clone(),
        },
        likes: likes.iter().map(like).collect(),
        readers: vec![],
        owner: 1,
    }
}

impl Bench {
    async fn users(&self) -> [User; 2] {
        let users = [user(1, "ann"), user(2, "bob")];
        User::insert_many(&self.db, &users).await.expect("stored");
        self.forget();
        users
    }
}

#[tokio::test]
async fn a_projection_is_told_apart_by_an_id_that_it_does_not_have() {
    on_both("projected_join", async |bench| {
        let db = &bench.db;
        let [ann, bob] = bench.users().await;
        let posts = [post(&bob, &[2, 1, 9]), post(&ann, &[1])];
        let many = Post::load_likes_many(db, &posts)
            .drop_missing()
            .project::<Name>()
            .await
            .expect("loaded");
        let names: Vec<Vec<&str>> = many
            .iter()
            .map(|(_, names)| names.iter().map(|n| n.name.as_str()).collect())
            .collect();
        assert_eq!(names, [vec!["bob", "ann"], vec!["ann"]]);
        assert_eq!(many[0].1.missing(), [9]);
        let sent = bench.only();
        assert_eq!(
            sent.get_document("projection").expect("projected"),
            &doc! { "_id": 1, "name": 1 }
        );
        let author = posts[0]
            .load_author(db)
            .project::<Name>()
            .await
            .expect("loaded");
        assert_eq!(author.value().map(|name| name.name.as_str()), Some("bob"));
        bench.forget();

        // Back again, with and without a limit: the reference is read if the rows must be grouped by it.
        bench.place(&posts).await;
        let users = [ann, bob];
        let all = Post::by_author_many(db, &users)
            .project::<Short>()
            .await
            .expect("found");
        let ids = |many: &[(&User, Vec<Short>)]| {
            many.iter()
                .map(|(_, found)| found.iter().map(|post| post.id).collect())
                .collect::<Vec<Vec<_>>>()
        };
        assert_eq!(ids(&all), [vec![posts[1].id], vec![posts[0].id]]);
        let sent = bench.only();
        assert_eq!(
            sent.get_document("projection").expect("projected"),
            &doc! { "_id": 1, "author.id": 1 }
        );
        let some = Post::by_author_many(db, &users)
            .limit(1)
            .project::<Short>()
            .await
            .expect("found");
        assert_eq!(ids(&some), ids(&all));
        let one = Post::by_author(db, 1)
            .project::<Short>()
            .await
            .expect("found");
        assert_eq!(one[0].id, posts[1].id);
        assert_eq!(
            Post::by_author(db, 2).ids().await.expect("found"),
            [posts[0].id]
        );
    })
    .await;
}

#[tokio::test]
async fn the_loaded_source_wins_and_the_copy_stands_in() {
    on_both("fallback", async |bench| {
        let db = &bench.db;
        let [ann, _] = bench.users().await;
        let stale = Post {
            author: PostAuthor {
                id: 1,
                name: "old name".to_owned(),
                email: "old".to_owned(),
            },
            ..post(&ann, &[2, 9, 1])
        };
        let gone = post(&user(7, "gone"), &[]);
        let posts = [stale, gone];
        let many = Post::load_author_many(db, &posts)
            .with_fallback::<Author, _>()
            .await
            .expect("loaded");
        let (loaded, missing): (Vec<_>, Vec<_>) = many
            .iter()
            .map(|(_, one)| (one.value().cloned(), one.missing().copied()))
            .unzip();
        assert_eq!(
            loaded,
            [
                Some(Author {
                    id: 1,
                    name: "ann".to_owned(),
                    email: "ann@example.com".to_owned(),
                    age: Some(21)
                }),
                Some(Author {
                    id: 7,
                    name: "gone".to_owned(),
                    email: "gone@example.com".to_owned(),
                    age: None
                }),
            ]
        );
        assert_eq!(missing, [None, Some(7)]);
        let sent = bench.only();
        assert_eq!(
            sent.get_document("projection").expect("projected"),
            &doc! { "_id": 1, "name": 1, "mail": 1, "age": 1 }
        );

        let fans = posts[0]
            .load_likes(db)
            .drop_missing()
            .with_fallback::<Fan, _>(&posts[0])
            .await
            .expect("loaded");
        let fan = |name: &str, age| Fan {
            name: name.to_owned(),
            age,
        };
        assert_eq!(
            fans.values(),
            [
                fan("bob", Some(22)),
                fan("copied-9", None),
                fan("ann", Some(21))
            ]
        );
        assert_eq!(fans.missing(), [9]);
        let second = posts[0]
            .load_likes(db)
            .drop_missing()
            .skip(1)
            .limit(1)
            .with_fallback::<Fan, _>(&posts[0])
            .await
            .expect("loaded");
        assert_eq!(second.values(), [fan("copied-9", None)]);
        bench.forget();

        let sorted = posts[0]
            .load_likes(db)
            .drop_missing()
            .sort(|u| u.name.asc())
            .with_fallback::<Fan, _>(&posts[0])
            .await;
        assert!(
            matches!(sorted, Err(Error::Impossible { .. })),
            "{sorted:?}"
        );
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_field_declares_its_policy() {
    alone("declared", async |bench| {
        let db = &bench.db;
        let [ann, _] = bench.users().await;
        let post = Post {
            readers: vec![1, 9],
            owner: 8,
            ..post(&ann, &[9, 2])
        };
        let likes = post.load_likes(db).await.expect("loaded");
        assert_eq!(
            likes
                .slots()
                .iter()
                .map(Option::is_some)
                .collect::<Vec<_>>(),
            [false, true]
        );
        let readers = post.load_readers(db).await;
        assert!(
            matches!(&readers, Err(Error::Dangling { field, .. }) if field == "readers"),
            "{readers:?}"
        );
        let owner = post.load_owner(db).await;
        assert!(
            matches!(&owner, Err(Error::Dangling { field, .. }) if field == "owner"),
            "{owner:?}"
        );
        let posts = [post];
        let many = Post::load(db, &posts, |p| p.readers).await;
        assert!(matches!(many, Err(Error::Dangling { .. })), "{many:?}");
        let lenient = Post::load_readers_many(db, &posts)
            .drop_missing()
            .await
            .expect("loaded");
        assert_eq!((lenient[0].1.len(), lenient[0].1.missing()), (1, &[9][..]));
    })
    .await;
}
