//! The bound of a copied field is kept where the source is changed; a document with a copy is not refused for it.

use bson::doc;
use mongo_model::MongoModel;
use serde::{Deserialize, Serialize};

use crate::common::{assert_too_long, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "l_users")]
struct User {
    #[serde(rename = "_id")]
    id: i32,
    #[model(max_len = 5)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "l_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    text: String,
    #[parent(User)]
    user: i32,
    #[denorm(from = User, field = name, via = user)]
    #[model(max_len = 5)]
    user_name: String,
    #[refs(User, max = 5)]
    #[denorm(from = User, field = name)]
    readers: Vec<PostReader>,
}

#[tokio::test]
async fn a_copy_is_as_long_as_its_source() {
    on_both("copied_length", async |bench| {
        let db = &bench.db;
        bench.index(&[User::meta(), Post::meta()]).await;
        let name = "Ann".to_owned();
        User::insert(db, &User { id: 1, name })
            .await
            .expect("stored");
        let refused = User::update(db, 1).set(|u| u.name, "too long").await;
        assert_too_long(refused, "name", 5);
        // Another program knows no bound.
        let longer = doc! { "$set": { "name": "Ann Lee" } };
        bench
            .raw("l_users")
            .update_one(doc! { "_id": 1 }, longer)
            .await
            .expect("changed");
        let reader = PostReader {
            id: 1,
            name: String::new(),
        };
        let mut post = Post {
            id: 1,
            text: "a".to_owned(),
            user: 1,
            user_name: "Ann Lee".to_owned(),
            readers: vec![reader],
        };
        Post::insert(db, &post).await.expect("stored");
        post = Post::get(db, 1).await.expect("read").expect("there");
        assert_eq!(
            (&*post.user_name, &*post.readers[0].name),
            ("Ann Lee", "Ann Lee")
        );
        post.text = "b".to_owned();
        post.save(db).await.expect("saved");
        Post::update(db, 1)
            .set(|p| p.readers, post.readers.clone())
            .await
            .expect("changed");
        let found = Post::get(db, 1).await.expect("read").expect("there");
        assert_eq!(found, post);
    })
    .await;
}
