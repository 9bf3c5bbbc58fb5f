//! Documents that are nested deeper than the library reads and writes: the bound is an error, never the end of the stack. Each test
//! runs on a worker thread, whose stack is that of a web server's.

use bson::raw::RawBsonRef;
use bson::{Bson, Document, RawDocumentBuf, doc, rawdoc};
use mongo_model::crud::PageToken;
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "nests", index(keys(size, id)))]
struct Nest {
    #[serde(rename = "_id")]
    id: i32,
    size: i32,
    any: Bson,
}

/// As many documents inside each other.
fn nested(levels: usize) -> RawDocumentBuf {
    let mut inner = rawdoc! {};
    for level in 1..levels {
        // A reader of arrays is another one.
        inner = if level % 2 == 0 {
            rawdoc! { "d": inner }
        } else {
            rawdoc! { "d": [RawBsonRef::Document(&inner)] }
        };
    }
    inner
}

/// The levels that `nested` has, with its arrays.
fn levels(documents: usize) -> usize {
    documents + documents / 2
}

fn value(documents: usize) -> Bson {
    Bson::Document(Document::try_from(nested(documents)).expect("a document"))
}

fn nest(id: i32, any: Bson) -> Nest {
    Nest { id, size: 1, any }
}

fn token(raw: &RawDocumentBuf) -> String {
    raw.as_bytes()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn assert_refused(read: &Result<PageToken, Error>) {
    assert!(matches!(read, Err(Error::WrongCursor { .. })), "{read:?}");
    let message = read.as_ref().expect_err("refused").to_string();
    assert!(message.len() < 1_000, "{} characters", message.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_any_depth_and_length_is_an_error() {
    let read = tokio::spawn(async {
        for documents in [67, 200, 500, 1_500] {
            let raw = rawdoc! { "o": "", "a": [RawBsonRef::Document(&nested(documents))] };
            assert_refused(&token(&raw).parse());
        }
        let long = "a".repeat(1 << 20);
        assert_refused(&long.parse());
        assert_refused(&token(&rawdoc! { "o": "", "a": [RawBsonRef::Undefined] }).parse());
        // Bytes that are almost a token: each is refused or read, and nothing ends the thread.
        let whole =
            rawdoc! { "o": "nests: size, _id", "a": [RawBsonRef::Document(&nested(60)), 1] };
        for at in 0..whole.as_bytes().len() {
            for byte in [0, 1, 3, 4, 0x7f, 0xff] {
                let mut bytes = whole.as_bytes().to_vec();
                bytes[at] = byte;
                let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                if let Ok(token) = text.parse::<PageToken>() {
                    assert_eq!(token.to_string().parse::<PageToken>().ok(), Some(token));
                }
            }
        }
    });
    read.await.expect("the thread lives");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_of_another_order_is_not_repeated_whole() {
    alone("nested_token", async |bench| {
        let db = bench.db.clone();
        let read = tokio::spawn(async move {
            let order = "x".repeat(20_000);
            let cursor = token(&rawdoc! { "o": order, "a": [1, 1] });
            let cursor: PageToken = cursor.parse().expect("a token");
            let page = Nest::scan(&db, |n| n.all()).sort(|n| n.size.asc()).page(2);
            let refused = page.after(cursor).await.expect_err("another order");
            assert!(refused.to_string().len() < 1_000);
            assert!(format!("{refused:?}").len() < 1_000);
        });
        read.await.expect("the thread lives");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_has_at_most_a_hundred_levels() {
    alone("nested_document", async |bench| {
        let db = bench.db.clone();
        let raw = bench.raw("nests");
        let done = tokio::spawn(async move {
            // The document itself is one more.
            let most = nest(1, value(66));
            assert_eq!(levels(66) + 1, 100);
            Nest::insert(&db, &most).await.expect("stored");
            assert_eq!(Nest::get(&db, 1).await.expect("read"), Some(most));
            for documents in [67, 200] {
                let deep = Nest::insert(&db, &nest(2, value(documents))).await;
                let deep = deep.expect_err("too deep").to_string();
                assert!(deep.contains("nested deeper than 100 levels"), "{deep}");
                let set = Nest::update(&db, 1).set(|n| n.any, value(documents)).await;
                let set = set.expect_err("too deep").to_string();
                assert!(set.contains("nested deeper than 100 levels"), "{set}");
            }
            // Another program may store more.
            let foreign = doc! { "_id": 3, "size": 2, "any": value(110) };
            raw.insert_one(foreign).await.expect("stored");
            let read = Nest::get(&db, 3).await.expect_err("too deep").to_string();
            assert!(
                read.contains("any: nested deeper than 100 levels"),
                "{read}"
            );
            let set = Nest::update(&db, 3).set(|n| n.size, 4).await;
            set.expect("changed");
            mongo_model::recover(&db).await.expect("recovered");
            mongo_model::verify(&db).await.expect("verified");
            Nest::delete(&db, 3).await.expect("deleted");
        });
        done.await.expect("the thread lives");
    })
    .await;
}

#[tokio::test]
async fn an_error_does_not_repeat_a_long_value() {
    alone("nested_long", async |bench| {
        let long = "x".repeat(1_000_000);
        let foreign = doc! { "_id": 1, "size": &long, "any": 1 };
        bench.seed("nests", [foreign]).await;
        let read = Nest::get(&bench.db, 1).await.expect_err("no number");
        let text = read.to_string();
        assert!(text.contains("size: expected i32, found string"), "{text}");
        for message in [
            format!("{read:?}"),
            format!("{:?}", long.parse::<PageToken>()),
        ] {
            assert!(message.len() < 2_000, "{} characters", message.len());
        }
    })
    .await;
}
