//! Numbers, lists and copies that were declared over existing data: found where documents cannot be read without them, and filled.

use bson::{Bson, doc};
use mongo_model::denorm::Remedy;
use mongo_model::{MongoModel, backfill, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "d_hosts")]
struct Host {
    #[serde(rename = "_id")]
    id: i32,
    address: String,
    #[count(Line)]
    lines: i64,
    #[recent(Line, max = 2, sort = at, fields(at, text))]
    last: Vec<HostLine>,
    #[refs(Owner, inverse = hosts, max = 5)]
    owners: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "d_lines")]
struct Line {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Host, sort = -at)]
    host: i32,
    at: i64,
    text: String,
    #[denorm(from = Host, field = address)]
    host_address: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "d_owners")]
struct Owner {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Host, inverse = owners, max = 5)]
    hosts: Vec<i32>,
}

/// Stores documents as programs do that know nothing of counts, lists and copies.
async fn start(bench: &Bench) {
    bench
        .index(&[Host::meta(), Line::meta(), Owner::meta()])
        .await;
    let host = |id: i32| doc! { "_id": id, "address": format!("10.0.0.{id}"), "owners": [1] };
    bench.seed("d_hosts", (1..=3).map(host)).await;
    let line = |n: i32| doc! { "_id": n, "host": 1 + n % 2, "at": i64::from(n), "text": "x" };
    bench.seed("d_lines", (0..5).map(line)).await;
    bench.seed("d_owners", [doc! { "_id": 1 }]).await;
}

#[tokio::test]
async fn verify_counts_documents_that_cannot_be_read() {
    on_both("declared_verify", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let models = [Host::meta(), Line::meta(), Owner::meta()];
        let found = verify(db).models(&models).samples(2).await.expect("looked");
        assert!(!found.is_clean());
        let seen = found.undecodable.iter();
        let seen: Vec<_> = seen
            .map(|one| {
                (
                    one.model,
                    &*one.path,
                    one.documents,
                    one.ids.len(),
                    one.remedy,
                )
            })
            .collect();
        let backfill = Some(Remedy::Backfill);
        let expected = [
            ("Host", "lines", 3, 2, backfill),
            ("Line", "host_address", 5, 2, backfill),
            ("Owner", "hosts", 1, 1, backfill),
        ];
        assert_eq!(seen, expected, "{found}");
        let text = found.to_string();
        assert!(
            text.contains(
                "Host: 3 documents cannot be decoded, the first is 1: lines: missing; run backfill"
            ),
            "{text}"
        );
        assert!(text.contains("#[serde(default)]"), "{text}");
        let left = repair(db).models(&models).await.expect("repaired");
        assert!(
            !left.found.is_clean(),
            "what cannot be read is not repaired: {left}"
        );
    })
    .await;
}

#[tokio::test]
async fn backfill_fills_them() {
    on_both("declared_backfill", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let models = [Host::meta(), Line::meta(), Owner::meta()];
        let done = backfill(db).models(&models).await.expect("filled");
        // Three hosts lack two fields each, one owner the other side.
        assert_eq!((done.parents, done.lacking), (7, 5), "{done:?}");
        let mut hosts = Host::scan(db, |h| h.all()).await.expect("readable");
        hosts.sort_by_key(|host| host.id);
        let counts: Vec<i64> = hosts.iter().map(|host| host.lines).collect();
        assert_eq!(counts, [3, 2, 0]);
        let last: Vec<Vec<i64>> = hosts
            .iter()
            .map(|host| host.last.iter().map(|line| line.at).collect())
            .collect();
        assert_eq!(last, [vec![2, 4], vec![1, 3], vec![]]);
        let owner = Owner::get(db, 1).await.expect("readable").expect("there");
        assert_eq!(owner.hosts.len(), 3, "{owner:?}");
        let lines = Line::scan(db, |l| l.all()).await.expect("readable");
        assert!(
            lines
                .iter()
                .all(|line| line.host_address == format!("10.0.0.{}", line.host))
        );
        let found = verify(db).models(&models).await.expect("looked");
        assert!(found.is_clean(), "{found}");
        let again = backfill(db).models(&models).await.expect("looked");
        assert!(again.is_idle(), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn one_field_is_filled_by_its_name() {
    on_both("declared_one", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let done = backfill(db)
            .reference("d_hosts.lines")
            .ids([1])
            .await
            .expect("filled");
        assert_eq!((done.parents, done.lacking), (1, 0), "{done:?}");
        let stored = bench.stored("d_hosts", 1).await;
        assert_eq!(stored.get("lines"), Some(&Bson::Int64(3)));
        assert!(!stored.contains_key("last"), "{stored}");
        assert!(!bench.stored("d_hosts", 2).await.contains_key("lines"));
    })
    .await;
}
