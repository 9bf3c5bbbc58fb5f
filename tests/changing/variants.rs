//! A change of a field that only some variants of an embedded enum have: a document whose enum is another variant stays as it is.

use bson::{Bson, doc};
use mongo_model::update::Swapped;
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum Payment {
    #[serde(alias = "plastic")]
    Card {
        amount: i64,
        note: Option<String>,
        #[embed(max = 2)]
        marks: Vec<String>,
    },
    Transfer {
        amount: i64,
        iban: String,
    },
    Cash {
        #[serde(rename = "note")]
        coins: i64,
    },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "bills")]
pub struct Bill {
    #[serde(rename = "_id")]
    pub id: i32,
    pub payment: Payment,
    #[serde(flatten)]
    pub due: Due,
    pub late: Option<Payment>,
    pub seen: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "due")]
pub enum Due {
    On { day: i64 },
    Never,
}

fn bill(id: i32, payment: Payment) -> Bill {
    Bill {
        id,
        payment,
        due: Due::Never,
        late: None,
        seen: 0,
    }
}

fn card() -> Payment {
    Payment::Card {
        amount: 1,
        note: None,
        marks: vec![],
    }
}

async fn stored(bench: &Bench) -> Vec<Bill> {
    let transfer = Payment::Transfer {
        amount: 1,
        iban: "DE".to_owned(),
    };
    let all = vec![
        bill(1, card()),
        bill(2, transfer),
        bill(3, Payment::Cash { coins: 7 }),
        bill(4, Payment::Nothing),
    ];
    Bill::insert_many(&bench.db, &all).await.expect("stored");
    bench.forget();
    all
}

async fn all(bench: &Bench) -> Vec<Bill> {
    let mut all = Bill::scan(&bench.db, |b| b.all()).await.expect("readable");
    all.sort_by_key(|bill| bill.id);
    all
}

/// The error names the tag that is stored and those that have the field.
#[track_caller]
fn assert_other<T: std::fmt::Debug>(
    result: Result<T, Error>,
    stored: Option<&str>,
    wants: &[&str],
) {
    let Err(Error::OtherVariant {
        model: "Bill",
        found,
        variants,
        ..
    }) = &result
    else {
        panic!("{result:?}");
    };
    assert_eq!(found.as_deref(), stored.map(Bson::from).as_ref());
    assert_eq!(*variants, wants);
}

#[tokio::test]
async fn a_document_of_another_variant_is_not_changed() {
    on_both("other_variant", async |bench| {
        let db = &bench.db;
        let before = stored(bench).await;
        let both: &[&str] = &["card", "plastic", "transfer"];
        let of_card: &[&str] = &["card", "plastic"];
        assert_other(
            Bill::update(db, 3).set(|b| b.payment.amount, 5).await,
            Some("cash"),
            both,
        );
        assert_other(
            Bill::update(db, 4).inc(|b| b.payment.amount, 5).await,
            Some("nothing"),
            both,
        );
        assert_other(
            Bill::update(db, 3).unset(|b| b.payment.note).await,
            Some("cash"),
            of_card,
        );
        assert_other(
            Bill::update(db, 2).push(|b| b.payment.marks, "x").await,
            Some("transfer"),
            of_card,
        );
        assert_other(
            Bill::update(db, 1).set(|b| b.due.day, 5).await,
            Some("Never"),
            &["On"],
        );
        assert_other(
            Bill::update(db, 1).set(|b| b.late.amount, 5).await,
            None,
            both,
        );
        let swapped = Bill::update(db, 4)
            .only_if(|b| b.seen.eq(0))
            .set(|b| b.payment.amount, 5);
        assert_other(swapped.await, Some("nothing"), both);
        assert_eq!(all(bench).await, before);

        let many = Bill::update_many(db, |b| b.id.gt(0)).inc(|b| b.payment.amount, 5);
        assert_eq!(
            many.await.expect("changed").matched,
            2,
            "those that have an amount"
        );
        let coins = bench.stored("bills", 3).await;
        assert_eq!(
            coins.get_document("payment").expect("one"),
            &doc! { "type": "cash", "note": 7_i64 }
        );
    })
    .await;
}

#[tokio::test]
async fn a_document_of_the_variant_is_changed_in_one_command() {
    on_both("same_variant", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let changed = Bill::update(db, 1)
            .set(|b| b.payment.amount, 5)
            .push(|b| b.payment.marks, "x")
            .inc(|b| b.seen, 1);
        assert_eq!(changed.await.expect("changed").modified, 1);
        assert_eq!(bench.sent(), ["update"]);
        let now = all(bench).await.remove(0);
        let payment = Payment::Card {
            amount: 5,
            note: None,
            marks: vec!["x".to_owned()],
        };
        assert_eq!((now.payment, now.seen), (payment, 1));
        Bill::update(db, 2)
            .set(|b| b.payment.amount, 6)
            .await
            .expect("another variant that has it");
        let missing = Bill::update(db, 9).set(|b| b.payment.amount, 5).await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );
        let other = Bill::update(db, 1)
            .only_if(|b| b.seen.eq(7))
            .set(|b| b.payment.amount, 5);
        assert!(
            matches!(other.await, Ok(Swapped::Not(_))),
            "the condition is in the way"
        );

        // The tag's other name, as another program may have stored it.
        bench
            .raw("bills")
            .update_one(
                doc! { "_id": 1 },
                doc! { "$set": { "payment.type": "plastic" } },
            )
            .await
            .expect("renamed");
        Bill::update(db, 1)
            .set(|b| b.payment.amount, 8)
            .await
            .expect("changed");
    })
    .await;
}
