//! Ids that are stored in another form than that of their type: hex strings as ObjectIds.

use bson::oid::ObjectId;
use bson::{Bson, doc};
use mongo_model::denorm::Defect;
use mongo_model::{Error, MongoEmbed, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

/// The part of `serde_with` that `serde_as` writes into the attributes.
mod serde_with {
    use std::marker::PhantomData;

    use bson::serde_helpers::object_id::FromHexString;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) struct As<T>(PhantomData<T>);

    #[derive(Serialize, Deserialize)]
    struct Hex(#[serde(with = "FromHexString")] String);

    impl As<Vec<FromHexString>> {
        pub(crate) fn serialize<S: Serializer>(ids: &[String], to: S) -> Result<S::Ok, S::Error> {
            to.collect_seq(ids.iter().cloned().map(Hex))
        }

        pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
            from: D,
        ) -> Result<Vec<String>, D::Error> {
            let ids = Vec::<Hex>::deserialize(from)?;
            Ok(ids.into_iter().map(|Hex(id)| id).collect())
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_authors")]
struct Author {
    #[serde(rename = "_id", with = "bson::serde_helpers::object_id::FromHexString")]
    id: String,
    name: String,
    #[count(Post)]
    posts: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_posts")]
struct Post {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Author, on_delete = cascade)]
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    author: String,
    #[denorm(from = Author, field = name, via = author)]
    author_name: String,
    #[refs(Author, on_delete = pull)]
    #[serde(
        default,
        with = "serde_with::As::<Vec<bson::serde_helpers::object_id::FromHexString>>"
    )]
    readers: Vec<String>,
    #[refs(Author, on_delete = pull)]
    #[denorm(from = Author, field = name)]
    editors: Vec<EditorRef>,
}

/// An id whose type says how it is stored.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, MongoEmbed,
)]
struct HostId(#[serde(with = "bson::serde_helpers::object_id::FromHexString")] String);

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: HostId,
    #[index(unique)]
    serial: HostId,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_logs")]
struct Log {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, on_delete = unset)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<HostId>,
    #[refs(Host, on_delete = pull)]
    hosts: Vec<HostId>,
    #[parent(Host, key = serial)]
    serial: HostId,
}

fn hex(n: u8) -> String {
    ObjectId::from_bytes([n; 12]).to_hex()
}

fn oid(n: u8) -> Bson {
    ObjectId::from_bytes([n; 12]).into()
}

fn author(n: u8) -> Author {
    Author {
        id: hex(n),
        name: format!("author-{n}"),
        posts: 0,
    }
}

fn post(id: i32, by: u8) -> Post {
    Post {
        id,
        author: hex(by),
        author_name: String::new(),
        readers: vec![hex(2), hex(3)],
        editors: vec![EditorRef {
            id: hex(2),
            name: String::new(),
        }],
    }
}

async fn seeded(bench: &Bench) {
    bench.index(&[Author::meta(), Post::meta()]).await;
    let authors = [author(1), author(2), author(3)];
    Author::insert_many(&bench.db, &authors)
        .await
        .expect("stored");
    for id in 1..=2 {
        Post::insert(&bench.db, &post(id, 1)).await.expect("stored");
    }
    bench.forget();
}

#[tokio::test]
async fn an_id_is_found_and_changed_in_its_stored_form() {
    on_both("forms_ids", async |bench| {
        let db = &bench.db;
        seeded(bench).await;
        let stored = bench.stored("form_authors", oid(1)).await;
        assert_eq!(stored.get("_id"), Some(&oid(1)));
        let found = Author::get(db, hex(1)).await.expect("read").expect("there");
        assert_eq!((found.id.clone(), found.posts), (hex(1), 2));
        Author::update(db, hex(1))
            .set(|a| a.name, "Ann")
            .await
            .expect("changed");
        let renamed = Author {
            name: "Bob".to_owned(),
            ..author(2)
        };
        renamed.save(db).await.expect("saved");
        assert_eq!(bench.len("form_authors").await, 3);
        let ids = Author::find(db, |a| a.id.is_in([hex(2), hex(1)])).ids();
        let mut ids = ids.await.expect("read");
        ids.sort();
        assert_eq!(ids, [hex(1), hex(2)]);
        let post = Post::get(db, 1).await.expect("read").expect("there");
        assert_eq!(post.author_name, "Ann");
        assert_eq!(
            (post.editors[0].id.clone(), &*post.editors[0].name),
            (hex(2), "Bob")
        );
        assert!(verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn references_lead_there_and_back() {
    alone("forms_joins", async |bench| {
        let db = &bench.db;
        seeded(bench).await;
        let posts = Post::by_author(db, hex(1)).await.expect("read");
        assert_eq!(posts.len(), 2);
        let generic = Post::by(db, |p| p.author, hex(1)).await.expect("read");
        assert_eq!(generic, posts);
        assert_eq!(
            Post::by_readers(db, hex(3)).count().await.expect("counted"),
            2
        );
        assert_eq!(
            Post::by_editors(db, hex(2)).count().await.expect("counted"),
            2
        );
        let by_author = posts[0].load_author(db).await.expect("loaded");
        assert_eq!(by_author.value().expect("there").id, hex(1));
        let readers = posts[0].load_readers(db).await.expect("loaded");
        let names: Vec<String> = readers.iter().map(|reader| reader.id.clone()).collect();
        assert_eq!(names, [hex(2), hex(3)]);
        let editors = Post::load_editors_many(db, &posts).await.expect("loaded");
        assert!(editors.iter().all(|(_, editors)| editors.len() == 1));
        let all = Author::find(db, |a| a.id.is_in([hex(1), hex(3)]))
            .await
            .expect("read");
        let of_each = Post::by_author_many(db, &all).await.expect("read");
        let lengths: Vec<usize> = of_each.iter().map(|(_, posts)| posts.len()).collect();
        assert_eq!(lengths.iter().sum::<usize>(), 2);
        // A dangling id is reported in the program's form.
        Author::delete(db, hex(3))
            .without_rules()
            .await
            .expect("deleted");
        let readers = posts[0].load_readers(db).await.expect("loaded");
        assert_eq!(readers.missing(), [hex(3)]);
        let report = verify(db).await.expect("verified");
        let orphans = report
            .references
            .iter()
            .map(|edge| edge.count(Defect::Orphan));
        assert_eq!(orphans.sum::<u64>(), 2, "{report}");
    })
    .await;
}

#[tokio::test]
async fn a_delete_follows_the_stored_form() {
    on_both("forms_deletes", async |bench| {
        let db = &bench.db;
        seeded(bench).await;
        Author::delete(db, hex(2)).await.expect("deleted");
        let post = Post::get(db, 1).await.expect("read").expect("there");
        assert_eq!(post.readers, [hex(3)]);
        assert!(post.editors.is_empty());
        Author::delete(db, hex(1)).await.expect("deleted");
        assert_eq!(
            (
                bench.len("form_posts").await,
                bench.len("form_authors").await
            ),
            (0, 1)
        );
        let gone = Author::delete(db, hex(1)).await;
        let id = match gone {
            Err(Error::NotFound { id, .. }) => *id,
            other => panic!("{other:?}"),
        };
        assert_eq!(id, oid(1));
        assert!(verify(db).await.expect("verified").is_clean());
    })
    .await;
}

#[tokio::test]
async fn a_type_may_say_how_it_is_stored() {
    alone("forms_types", async |bench| {
        let db = &bench.db;
        bench.index(&[Host::meta(), Log::meta()]).await;
        let id = |n| HostId(hex(n));
        for n in 1..=2 {
            let host = Host {
                id: id(n),
                serial: id(n + 10),
                name: format!("host-{n}"),
            };
            Host::insert(db, &host).await.expect("stored");
        }
        let log = Log {
            id: 1,
            host: Some(id(1)),
            hosts: vec![id(1), id(2)],
            serial: id(12),
        };
        Log::insert(db, &log).await.expect("stored");
        let stored = bench.stored("form_logs", 1).await;
        assert_eq!(
            stored,
            doc! { "_id": 1, "host": oid(1), "hosts": [oid(1), oid(2)], "serial": oid(12) }
        );
        let logs = std::slice::from_ref(&log);
        assert_eq!(Log::by_host(db, id(1)).await.expect("read"), logs);
        assert_eq!(Log::by_serial(db, id(12)).await.expect("read"), logs);
        let host = log.load_serial(db).await.expect("loaded").into_option();
        assert_eq!(host.expect("there").id, id(2));
        assert_eq!(log.load_hosts(db).await.expect("loaded").len(), 2);
        Host::delete(db, id(1)).await.expect("deleted");
        let log = Log::get(db, 1).await.expect("read").expect("there");
        assert_eq!((log.host, log.hosts), (None, vec![id(2)]));
    })
    .await;
}
