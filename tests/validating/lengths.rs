//! `max_len`: values that are refused before they are sent, and the sizes that follow from it.

use bson::spec::BinarySubtype;
use bson::{Binary, DateTime};
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, assert_too_long};
use crate::validating::{Article, Comment, Media, State, article};

fn binary(len: usize) -> Binary {
    Binary {
        subtype: BinarySubtype::BinaryOld,
        bytes: vec![7; len],
    }
}

fn comment(text: &str) -> Comment {
    Comment {
        text: text.to_owned(),
        at: DateTime::from_millis(0),
    }
}

/// The largest article that its bounds allow: four bytes for a character.
fn largest() -> Article {
    let wide = |len: usize| "\u{10348}".repeat(len);
    Article {
        id: Id::new(),
        title: wide(10),
        state: State::Published,
        media: Some(Media::Image {
            width: 1,
            alt: wide(5),
        }),
        tags: vec![wide(4); 3],
        comments: vec![comment(&wide(8)), comment(&wide(8))],
        thumb: Some(binary(16)),
        ratio: 0.5,
        views: u32::MAX,
    }
}

#[test]
fn the_largest_document_has_the_size_that_its_bounds_say() {
    let stored = bson::serialize_to_vec(&largest()).expect("encodes").len() as u64;
    assert_eq!(Article::MAX_BSON_SIZE, Some(stored));
    let limits = Article::meta().limits();
    assert_eq!(limits.max_bytes, Some(stored));
    assert_eq!(limits.depth, 3);
    assert_eq!(limits.elements, 5);
    // `_id`, and one per tag.
    assert_eq!(limits.index_entries, Some(4));
}

#[derive(Serialize, Deserialize, MongoModel)]
#[model(collection = "measured_notes")]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note>,
    text: String,
}

#[test]
fn without_a_bound_there_is_no_largest_document() {
    assert_eq!(Note::MAX_BSON_SIZE, None);
    assert_eq!(Note::meta().limits().max_bytes, None);
}

/// Asserts which value was refused, and that nothing was sent.
macro_rules! refused {
    ($bench:expr, $call:expr, $path:literal, $max:literal) => {{
        assert_too_long($call.await, $path, $max);
        assert_eq!($bench.count(), 0, "{:?}", $bench.sent());
    }};
}

#[tokio::test]
async fn a_value_that_is_too_long_is_not_sent() {
    alone("lengths", async |bench| {
        let db = &bench.db;
        let full = largest();
        Article::insert(db, &full).await.expect("within its bounds");
        let id = full.id;
        bench.forget();
        let mut long = article("12345678901");
        refused!(bench, Article::insert(db, &long), "title", 10);
        refused!(bench, long.save(db), "title", 10);
        long.title.clear();
        long.tags = vec!["a".to_owned(), "tag-1".to_owned()];
        refused!(bench, Article::insert(db, &long), "tags.1", 4);
        long.tags.clear();
        long.comments = vec![comment("123456789")];
        refused!(
            bench,
            Article::insert_many(db, [&long]),
            "comments.0.text",
            8
        );
        long.comments.clear();
        long.thumb = Some(binary(17));
        refused!(bench, Article::insert(db, &long), "thumb", 16);
        let update = || Article::update(db, id);
        refused!(bench, update().set(|a| a.title, "12345678901"), "title", 10);
        refused!(bench, update().push(|a| a.tags, "tag-1"), "tags", 4);
        refused!(
            bench,
            update().push(|a| a.comments, comment("123456789")),
            "comments.text",
            8
        );
        refused!(bench, update().set(|a| a.thumb, binary(17)), "thumb", 16);
        let image = Media::Image {
            width: 1,
            alt: "123456".to_owned(),
        };
        refused!(bench, update().set(|a| a.media, image), "media.alt", 5);
        update()
            .set(|a| a.title, "\u{10348}23456789\u{10348}")
            .await
            .expect("ten characters");
    })
    .await;
}

#[tokio::test]
async fn all_bounds_are_named_at_once_and_of_many_documents_the_wrong_one() {
    alone("all_lengths", async |bench| {
        let db = &bench.db;
        let mut wrong = article("12345678901");
        wrong.tags = vec!["tag-1".to_owned(); 4];
        wrong.comments = vec![comment("123456789"); 3];
        wrong.thumb = Some(binary(17));
        let many = Article::insert_many(db, [&article("fine"), &wrong, &wrong]).await;
        let error = many.expect_err("refused");
        let Error::Invalid {
            position,
            violations,
            ..
        } = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!(*position, Some(1));
        let broken: Vec<String> = violations.iter().map(ToString::to_string).collect();
        let expected = [
            "title must have a length of at most 10",
            "tags.0 must have a length of at most 4",
            "tags.1 must have a length of at most 4",
            "tags.2 must have a length of at most 4",
            "tags.3 must have a length of at most 4",
            "tags must have a length of at most 3",
            "comments.0.text must have a length of at most 8",
            "comments.1.text must have a length of at most 8",
            "comments.2.text must have a length of at most 8",
            "comments must have a length of at most 2",
            "thumb must have a length of at most 16",
        ];
        assert_eq!(broken, expected);
        let text = error.to_string();
        assert!(
            text.starts_with("Article: document 1: title must"),
            "{text}"
        );
        match wrong.save(db).await {
            Err(Error::Invalid {
                position: None,
                violations,
                ..
            }) => assert_eq!(violations.len(), expected.len()),
            other => panic!("{other:?}"),
        }
        assert_eq!(bench.count(), 0);
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "len_makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: i64,
    #[model(max_len = 10)]
    name: String,
    #[embed(max = 2)]
    #[model(max_len = 3)]
    tags: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "len_cars")]
struct Car {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Maker)]
    maker: i64,
    #[denorm(from = Maker, field = name)]
    maker_name: String,
    #[denorm(from = Maker, field = tags)]
    maker_tags: Vec<String>,
}

/// A copy is as long as its source may be, in the sizes as in what is refused.
#[tokio::test]
async fn a_copy_has_the_bounds_of_its_source() {
    let wide = |len: usize| "\u{10348}".repeat(len);
    let car = Car {
        id: 1,
        maker: 1,
        maker_name: wide(10),
        maker_tags: vec![wide(3); 2],
    };
    let stored = bson::serialize_to_vec(&car).expect("encodes").len() as u64;
    assert_eq!(Car::MAX_BSON_SIZE, Some(stored));
    alone("copied_lengths", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Car::meta()]).await;
        let maker = Maker {
            id: 1,
            name: wide(10),
            tags: vec![wide(3); 2],
        };
        Maker::insert(db, &maker).await.expect("stored");
        Car::insert(db, &car).await.expect("stored");
        // A value that the program puts in the place of a copy is not stored, however long it is.
        let long = Car {
            id: 2,
            maker_name: wide(11),
            maker_tags: vec![String::new(); 3],
            ..car.clone()
        };
        Car::insert(db, &long).await.expect("stored");
        let stored = Car::get(db, 2).await.expect("read").expect("there");
        assert_eq!(
            (stored.maker_name, stored.maker_tags),
            (car.maker_name.clone(), car.maker_tags.clone())
        );
        // A copy may be as long as its source.
        let name = wide(9);
        Maker::update(db, 1)
            .set(|m| m.name, name.clone())
            .set(|m| m.tags, vec![wide(2); 2])
            .await
            .expect("changed");
        let followed = Car::get(db, 1).await.expect("read").expect("there");
        assert_eq!((followed.maker_name, followed.maker_tags.len()), (name, 2));
    })
    .await;
}
