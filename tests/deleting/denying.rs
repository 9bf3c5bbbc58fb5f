//! References that deny a delete: nothing is deleted, and the error names the documents that refer.

use bson::{Bson, doc};
use mongo_model::{Blocker, Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{everything, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_parts")]
struct Part {
    #[serde(rename = "_id")]
    id: i32,
    #[index(unique)]
    number: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_kits")]
struct Kit {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Part, max = 100)]
    parts: Vec<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_orders")]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Part, key = number, sort = -time)]
    number: String,
    time: i64,
}

/// A company, its people, who are deleted with it, and their bills, which deny that.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_firms")]
struct Firm {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_staff")]
struct Staff {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Firm, on_delete = cascade)]
    firm: i32,
    /// Refuses, but not where both go.
    #[parent(Staff)]
    boss: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "deny_bills")]
struct Bill {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Staff)]
    of: i32,
}

fn part(id: i32) -> Part {
    Part {
        id,
        number: format!("n{id}"),
    }
}

fn kit(id: i32, parts: &[i32]) -> Kit {
    Kit {
        id,
        parts: parts.to_vec(),
    }
}

fn staff(id: i32, firm: i32, boss: Option<i32>) -> Staff {
    Staff { id, firm, boss }
}

async fn start(bench: &Bench) {
    bench
        .index(&[
            Part::meta(),
            Kit::meta(),
            Order::meta(),
            Firm::meta(),
            Staff::meta(),
            Bill::meta(),
        ])
        .await;
}

#[track_caller]
fn blockers<T: std::fmt::Debug>(refused: Result<T, Error>) -> (&'static str, Bson, Vec<Blocker>) {
    match refused {
        Err(Error::Referenced { model, id, by }) => (model, *id, by),
        other => panic!("{other:?}"),
    }
}

// A referenced document stays, with the documents that refer; another one is deleted. Each reference is read by its index.
#[tokio::test]
async fn a_reference_refuses() {
    on_both("deny_one", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench.place(&[part(1), part(2)]).await;
        bench.place(&[kit(1, &[1, 3]), kit(2, &[1])]).await;
        let order = Order {
            id: 1,
            number: "n1".to_owned(),
            time: 5,
        };
        bench.place(&[order]).await;
        let before = everything(bench).await;
        bench.forget();
        let refused = Part::delete(db, 1).await;
        let shown = refused.as_ref().expect_err("refused").to_string();
        let sent = bench.take();
        let (model, id, by) = blockers(refused);
        assert_eq!((model, id), ("Part", Bson::Int32(1)));
        let by: Vec<_> = by
            .iter()
            .map(|by| {
                (
                    by.model,
                    by.field.as_str(),
                    by.count,
                    by.more,
                    by.sample.clone(),
                )
            })
            .collect();
        assert_eq!(
            by,
            [
                ("Kit", "Kit.parts", 2, false, Bson::Int32(1)),
                ("Order", "Order.number", 1, false, Bson::Int32(1)),
            ]
        );
        assert_eq!(
            shown,
            "Part 1 is referred to by Kit.parts (2, such as 1), Order.number (1, such as 1)"
        );
        let finds: Vec<_> = sent
            .into_iter()
            .filter(|sent| sent.name == "find")
            .collect();
        assert_eq!(finds.len(), 3);
        for (sent, key) in finds[1..].iter().zip(["parts", "number"]) {
            bench
                .explain(sent.command.clone())
                .await
                .assert_served_by(key);
        }
        assert_eq!(everything(bench).await, before);

        bench.forget();
        let done = Part::delete(db, 2).await.expect("deleted");
        assert_eq!((done.deleted, done.dangling), (1, 0));
        // Reads its key and the referring documents, marks it, reads documents that came to refer before the mark, decides, and deletes.
        assert_eq!(
            bench.sent(),
            [
                "find",
                "find",
                "find",
                "findAndModify",
                "find",
                "find",
                "update",
                "delete"
            ]
        );
        assert_eq!(bench.len("deny_parts").await, 1);
        settled(bench).await;
        let gone = Part::delete(db, 2).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
    })
    .await;
}

// The third of five documents is referenced: none of them is deleted.
#[tokio::test]
async fn one_of_many_refuses_for_all() {
    on_both("deny_many", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let parts: Vec<Part> = (1..=5).map(part).collect();
        bench.place(&parts).await;
        let kits: Vec<Kit> = (1..=3).map(|id| kit(id, &[3])).collect();
        bench.place(&kits).await;
        let before = everything(bench).await;
        bench.forget();
        let refused = Part::delete_many(db, |p| p.id.lte(5)).await;
        assert!(
            bench
                .sent()
                .iter()
                .all(|name| name == "find" || name == "aggregate")
        );
        let (model, id, by) = blockers(refused);
        assert_eq!((model, id), ("Part", Bson::Int32(3)));
        assert_eq!(
            (by.len(), by[0].count, by[0].field.as_str()),
            (1, 3, "Kit.parts")
        );
        assert_eq!(everything(bench).await, before);
        bench
            .raw("deny_kits")
            .delete_many(doc! {})
            .await
            .expect("gone");
        let done = Part::delete_many(db, |p| p.id.lte(4))
            .await
            .expect("deleted");
        assert_eq!((done.deleted, bench.len("deny_parts").await), (4, 1));
        settled(bench).await;
    })
    .await;
}

// 15.A8: a refusal below a cascade is found before anything is written, and nothing is left of the attempt.
#[tokio::test]
async fn a_refusal_below_a_cascade() {
    on_both("deny_below", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench.place(&[Firm { id: 1 }, Firm { id: 2 }]).await;
        bench
            .place(&[staff(1, 1, None), staff(2, 1, Some(1)), staff(3, 2, None)])
            .await;
        bench.place(&[Bill { id: 1, of: 2 }]).await;
        let before = everything(bench).await;
        bench.forget();
        let refused = Firm::delete(db, 1).await;
        assert!(
            bench
                .sent()
                .iter()
                .all(|name| name == "find" || name == "aggregate")
        );
        let (model, id, by) = blockers(refused);
        assert_eq!((model, id), ("Staff", Bson::Int32(2)));
        assert_eq!(
            (by.len(), by[0].field.as_str(), by[0].count),
            (1, "Bill.of", 1)
        );
        assert_eq!(everything(bench).await, before);

        bench
            .raw("deny_bills")
            .delete_many(doc! {})
            .await
            .expect("gone");
        let done = Firm::delete(db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 2));
        assert_eq!(bench.len("deny_staff").await, 1);
        settled(bench).await;
    })
    .await;
}

// A document that is deleted itself denies nothing: one that refers to itself, some that refer to each other, children of one parent.
#[tokio::test]
async fn who_goes_refuses_nothing() {
    on_both("deny_within", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench.place(&[Firm { id: 1 }]).await;
        let all = [
            staff(1, 1, Some(1)),
            staff(2, 1, Some(3)),
            staff(3, 1, Some(2)),
            staff(4, 9, Some(3)),
        ];
        bench.place(&all).await;
        Staff::delete(db, 1).await.expect("only itself refers");
        let (_, id, by) = blockers(Staff::delete_many(db, |s| s.id.lte(3)).await);
        assert_eq!((id, by[0].sample.clone()), (Bson::Int32(3), Bson::Int32(4)));
        let (_, id, _) = blockers(Firm::delete(db, 1).await);
        assert_eq!(id, Bson::Int32(3));
        assert_eq!(bench.len("deny_staff").await, 3);
        settled(bench).await;
        Staff::delete(db, 4).await.expect("nobody refers");
        let (_, id, _) = blockers(Staff::delete(db, 2).await);
        assert_eq!(id, Bson::Int32(2));
        let done = Firm::delete(db, 1).await.expect("all of them go");
        assert_eq!((done.deleted, done.cascaded), (1, 2));
        assert_eq!(bench.len("deny_staff").await, 0);
        bench
            .place(&[staff(5, 1, Some(6)), staff(6, 1, Some(5))])
            .await;
        let done = Staff::delete_many(db, |s| s.id.gt(0))
            .await
            .expect("both go");
        assert_eq!(done.deleted, 2);
        settled(bench).await;
    })
    .await;
}

// Without the index nothing is written: a look that reads everything is no look.
#[tokio::test]
async fn a_missing_index_is_said() {
    on_both("deny_index", async |bench| {
        bench.place(&[part(1)]).await;
        bench.place(&[kit(1, &[2])]).await;
        let refused = Part::delete(&bench.db, 1).await;
        let Err(Error::MissingIndex {
            reference: edge,
            collection,
            ..
        }) = refused
        else {
            panic!("{refused:?}");
        };
        assert_eq!(
            (edge.as_str(), collection),
            ("deny_kits.parts", "deny_kits")
        );
        assert_eq!(bench.len("deny_parts").await, 1);
    })
    .await;
}
