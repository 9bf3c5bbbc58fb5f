//! Erases, and what they send.

use bson::oid::ObjectId;
use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoModel, verify};
use serde::{Deserialize, Serialize};

use super::{Comment, PLANTED, Post, User, hits, planted};
use crate::common::{alone, on_both};

#[tokio::test]
async fn an_erase_leaves_no_value_anywhere() {
    on_both("erase", async |bench| {
        let (db, (id, other)) = (&bench.db, planted(bench).await);
        let before = User::get(db, other)
            .await
            .expect("read")
            .expect("the other");
        let certificate = User::erase(db, id).await.expect("erased");
        assert_eq!(hits(db).await, 0);
        assert!(certificate.finished && certificate.pending.is_empty());
        let erased: Vec<_> = certificate
            .erased
            .iter()
            .map(|one| {
                let fields: Vec<&str> = one.fields.iter().map(String::as_str).collect();
                (one.collection, &*one.reference, fields, one.documents)
            })
            .collect();
        assert_eq!(
            erased,
            [
                (
                    "erased_users",
                    "_id",
                    vec!["name", "email", "phone", "home", "tags"],
                    1
                ),
                ("erased_comments", "author", vec!["text"], 3),
                ("erased_posts", "author", vec!["body"], 2),
                ("erased_users", "invited_by", vec!["invitation"], 1),
            ]
        );
        let copies: Vec<_> = certificate
            .copies
            .iter()
            .map(|copy| (copy.collection, &*copy.path, &*copy.source))
            .collect();
        assert_eq!(
            copies,
            [
                ("erased_comments", "about", "erased_posts.author_name"),
                ("erased_posts", "author_name", "erased_users.name"),
                ("erased_posts", "comments.text", "erased_comments.text"),
                ("erased_posts", "readers.name", "erased_users.name"),
                ("erased_posts", "street", "erased_users.home"),
            ]
        );
        let kept = &certificate.kept[0];
        assert_eq!(
            (&*kept.field, kept.keep_for, kept.reason),
            ("tax_number", "7y", "tax")
        );
        let json = serde_json::to_string(&certificate).expect("JSON");
        assert!(
            json.contains(&id.to_string()) && !json.contains(PLANTED),
            "{json}"
        );
        let user = User::get(db, id).await.expect("read").expect("the person");
        assert_eq!(
            (&*user.name, &*user.tax_number, &*user.language),
            ("gone", "tax 1", "en")
        );
        assert_eq!(user.email, format!("gone-{id}@example.com"));
        assert_eq!((user.phone, user.home, user.tags), (None, None, Vec::new()));
        assert_eq!(user.version, 1);
        let now = User::get(db, other)
            .await
            .expect("read")
            .expect("the other");
        assert_eq!(
            (now.name, now.phone, now.tags),
            (before.name, before.phone, before.tags)
        );
        let found = verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found:?}");
        let flags =
            doc! { "$or": [{ "_dn.a": { "$exists": true } }, { "_dn.p": { "$exists": true } }] };
        for collection in [
            User::meta().collection,
            Post::meta().collection,
            Comment::meta().collection,
        ] {
            let left = bench.raw(collection).count_documents(flags.clone()).await;
            assert_eq!(left.expect("counted"), 0, "{collection}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_repeated_erase_changes_nothing() {
    alone("again", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench).await);
        let first = User::erase(db, id).await.expect("erased");
        let posts = bench.raw(Post::meta().collection);
        let of_person = doc! { "author": Bson::from(id) };
        let before = posts.find_one(of_person.clone()).await.expect("read");
        let again = User::erase(db, id).await.expect("erased again");
        assert_eq!(again, first);
        let after = posts.find_one(of_person).await.expect("read");
        assert_eq!(after, before);
    })
    .await;
}

#[tokio::test]
async fn an_erase_of_nobody_writes_nothing() {
    alone("nobody", async |bench| {
        let nobody = User::erase(&bench.db, Id::new()).await;
        assert!(
            matches!(nobody, Err(Error::NotFound { model: "User", .. })),
            "{nobody:?}"
        );
        assert_eq!(bench.sent(), ["findAndModify"]);
    })
    .await;
}

#[tokio::test]
async fn a_person_that_is_marked_as_deleted_is_erased() {
    alone("deleted", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench).await);
        User::delete(db, id).without_rules().await.expect("deleted");
        User::erase(db, id).await.expect("erased");
        assert_eq!(hits(db).await, 0);
    })
    .await;
}

/// The flag, the person with its copies at every step, and the documents of each reference with theirs; the flag goes last.
#[tokio::test]
async fn an_erase_is_one_update_for_each_reference() {
    alone("commands", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench).await);
        User::erase(db, id).await.expect("erased");
        let sent = bench.take();
        let all: Vec<_> = sent
            .iter()
            .map(|one| {
                let collection = one.command.get_str(&one.name).unwrap_or_default();
                format!("{} {collection}", one.name)
            })
            .collect();
        let first = ["findAndModify erased_users", "findAndModify erased_users"];
        assert_eq!(all[..2], first);
        // Two edges of the person, its posts with their comments, and three references: 21 for what follows.
        assert_eq!(all.len(), 24, "{all:?}");
        assert_eq!(all[23], "update erased_users");
        let durable = doc! { "w": "majority", "j": true };
        for one in sent.iter().filter(|one| one.name != "find") {
            let concern = one.command.get_document("writeConcern").ok();
            assert_eq!(concern, Some(&durable), "{}", one.command);
        }
    })
    .await;
}

#[tokio::test]
async fn a_document_with_a_tombstone_is_erased_when_it_is_released() {
    alone("entombed", async |bench| {
        let (db, (id, _)) = (&bench.db, planted(bench).await);
        let tombstone = doc! { "$set": { "_dn.del": ObjectId::new(), "_dn.p": ["~del"] } };
        let posts = bench.raw("erased_posts");
        let of_person = doc! { "author": Bson::from(id) };
        let entombed = posts.update_many(of_person, tombstone).await;
        assert_eq!(entombed.expect("entombed").modified_count, 2);
        let certificate = User::erase(db, id).await.expect("erased");
        assert!(certificate.finished, "{certificate:?}");
        assert_eq!(hits(db).await, 0);
    })
    .await;
}

/// Nothing else concerns it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erased_guests")]
struct Guest {
    #[serde(rename = "_id")]
    id: Id<Guest>,
    #[personal]
    phone: Option<String>,
    nights: i32,
}

#[tokio::test]
async fn a_save_leaves_an_erase_that_is_under_way() {
    on_both("erase_saved", async |bench| {
        bench.index(&[Guest::meta()]).await;
        let mut guest = Guest {
            id: Id::new(),
            phone: Some(PLANTED.to_owned()),
            nights: 1,
        };
        Guest::insert(&bench.db, &guest).await.expect("inserted");
        let flag = doc! { "$set": { "_dn.a": ObjectId::new() } };
        let this = doc! { "_id": guest.id };
        let guests = bench.raw("erased_guests");
        guests.update_one(this, flag).await.expect("flagged");
        guest.nights = 2;
        guest.save(&bench.db).await.expect("saved");
        let recovered = mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(recovered.erases, 1);
        let stored = Guest::get(&bench.db, guest.id).await.expect("read");
        let stored = stored.expect("stored");
        assert_eq!((stored.phone, stored.nights), (None, 2));
    })
    .await;
}
