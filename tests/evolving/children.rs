//! Lists of the last children, made again from children that are older than the program.

use bson::{Document, doc};
use mongo_model::{MongoModel, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "c_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    #[recent(Line, max = 3, sort = at, fields(at, text))]
    last: Vec<HostLine>,
}

/// Version 1 called its text `body`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "c_lines",
    schema_version = 2,
    migrate = text,
    unversioned = 1
)]
struct Line {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, sort = -at)]
    host: i32,
    at: i64,
    text: String,
}

fn text(mut old: Document, _version: i32) -> Document {
    let body = old.remove("body");
    old.extend(body.map(|body| ("text".to_owned(), body)));
    old
}

#[tokio::test]
async fn a_list_of_older_children_can_be_read() {
    on_both("older_children", async |bench| {
        let db = &bench.db;
        bench.index(&[Host::meta(), Line::meta()]).await;
        let host = Host {
            id: 1,
            last: vec![],
        };
        Host::insert(db, &host).await.expect("stored");
        let old =
            |n: i32| doc! { "_id": n, "host": 1, "at": i64::from(n), "body": format!("line {n}") };
        bench.seed("c_lines", (0..5).map(old)).await;
        let found = verify(db).only::<Host>().await.expect("looked");
        assert!(!found.is_clean(), "{found}");
        repair(db).only::<Host>().await.expect("repaired");
        let text = "new".to_owned();
        Line::insert(
            db,
            &Line {
                id: 9,
                host: 1,
                at: 3,
                text,
            },
        )
        .await
        .expect("stored");
        let host = Host::get(db, 1).await.expect("readable").expect("there");
        let texts: Vec<&str> = host.last.iter().map(|line| &*line.text).collect();
        assert_eq!(texts, ["line 3", "new", "line 4"]);
        let found = verify(db).only::<Host>().await.expect("looked");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}
