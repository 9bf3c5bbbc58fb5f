//! Groups: their totals, their plans, and that money is exact.

use std::time::Duration;

use bson::{Decimal128, doc};
use mongo_model::crud::Group;
use mongo_model::{Error, MongoModel, filter, raw_filter};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "sales",
    index(keys(status, cents)),
    access(of_customer(customer))
)]
#[model(index(keys(customer, -status)))]
struct Sale {
    #[serde(rename = "_id")]
    id: i32,
    customer: i32,
    status: Status,
    cents: i64,
    total: Decimal128,
    #[serde(skip_serializing_if = "Option::is_none")]
    rebate: Option<i32>,
    weight: f64,
    #[index(sparse)]
    #[serde(skip_serializing_if = "Option::is_none")]
    coupon: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
#[serde(rename_all = "lowercase")]
enum Status {
    Open,
    Paid,
}

fn decimal(text: &str) -> Decimal128 {
    text.parse().expect("a decimal")
}

fn sale(id: i32) -> Sale {
    Sale {
        id,
        customer: id % 3,
        status: if id % 2 == 0 {
            Status::Open
        } else {
            Status::Paid
        },
        cents: i64::from(id) * 10,
        total: decimal("0.10"),
        rebate: (id % 4 == 0).then_some(id),
        weight: 0.5,
        coupon: None,
    }
}

async fn sales(bench: &Bench, sales: &[Sale]) {
    bench.index(&[Sale::meta()]).await;
    bench.place(sales).await;
}

struct Total {
    status: Status,
    sales: u64,
    cents: i64,
}

#[tokio::test]
async fn documents_are_counted_and_added_up() {
    on_both("group_totals", async |bench| {
        sales(bench, &(0..12).map(sale).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let of_customer = || Sale::find(db, |s| s.customer.eq(0)).group_by(|s| s.status);
        // 0, 3, 6 and 9.
        let totals = of_customer()
            .count()
            .sum(|s| s.cents)
            .into_rows(|status, (sales, cents)| Total {
                status,
                sales,
                cents,
            })
            .await
            .expect("grouped");
        let totals: Vec<_> = totals
            .iter()
            .map(|t| (t.status, t.sales, t.cents))
            .collect();
        assert_eq!(totals, [(Status::Open, 2, 60), (Status::Paid, 2, 120)]);
        assert_eq!(bench.count(), 1);
        bench.plan().await.assert_served_by("customer");

        let all = of_customer()
            .avg(|s| s.cents)
            .min(|s| s.cents)
            .max(|s| s.total)
            .sum(|s| s.rebate)
            .avg(|s| s.rebate)
            .max(|s| s.rebate)
            .sum(|s| s.weight)
            .avg(|s| s.weight)
            .await
            .expect("grouped");
        let paid = (
            Some(decimal("60")),
            Some(30),
            Some(decimal("0.10")),
            0,
            None,
            None,
            1.0,
            Some(0.5),
        );
        assert_eq!(
            all[1],
            Group {
                key: Status::Paid,
                totals: paid
            }
        );
        let open = all[0].totals;
        assert_eq!((open.3, open.4, open.5), (0, Some(decimal("0")), Some(0)));
    })
    .await;
}

/// A field whose type is an `Option` has a minimum of that type, also where only serde knows its values.
#[tokio::test]
async fn an_optional_field_has_an_optional_minimum() {
    on_both("group_optional", async |bench| {
        let db = &bench.db;
        let parcels = [None, Some(7), Some(3)].map(|grams| Parcel {
            id: grams.unwrap_or_default(),
            depot: 1,
            size: grams.map(|side| Size { side }),
            weight: grams.map(Weight),
        });
        bench.place(&parcels).await;
        let totals = Parcel::scan(db, |_| filter::everything())
            .group_by(|p| p.depot)
            .min(|p| p.weight)
            .max(|p| p.weight)
            .min(|p| p.size)
            .max(|p| p.size.side)
            .into_rows(
                |_, totals: (Option<Weight>, Option<Weight>, Option<Size>, Option<i32>)| totals,
            )
            .await
            .expect("grouped");
        let expected = (
            Some(Weight(3)),
            Some(Weight(7)),
            Some(Size { side: 3 }),
            Some(7),
        );
        assert_eq!(totals, [expected]);
        let none = Parcel::scan(db, |p| p.weight.eq(None))
            .group_by(|p| p.depot)
            .min(|p| p.weight)
            .await
            .expect("grouped");
        assert_eq!(none[0].totals, (None,));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "parcels")]
struct Parcel {
    #[serde(rename = "_id")]
    id: i32,
    depot: i32,
    size: Option<Size>,
    #[serde(with = "tenths")]
    weight: Option<Weight>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, mongo_model::MongoEmbed)]
struct Size {
    side: i32,
}

/// No type that the library knows.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
struct Weight(i32);

/// A weight is stored in tenths.
mod tenths {
    use super::Weight;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    pub(super) fn serialize<S: Serializer>(
        weight: &Option<Weight>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        weight.map(|weight| weight.0 * 10).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Weight>, D::Error> {
        let stored = Option::<i32>::deserialize(from)?;
        Ok(stored.map(|tenths| Weight(tenths / 10)))
    }
}

/// Hundred times ten cents are ten, and not a float near it.
#[tokio::test]
async fn money_is_exact() {
    alone("group_money", async |bench| {
        let mut all: Vec<Sale> = (0..100).map(sale).collect();
        for sale in &mut all {
            sale.status = Status::Open;
            sale.cents = 95_000_000_000_000_001;
        }
        sales(bench, &all).await;
        let db = &bench.db;
        let sums = Sale::scan(db, |_| filter::everything()).group_by(|s| s.status);
        let sums = sums
            .sum(|s| s.total)
            .avg(|s| s.total)
            .avg(|s| s.cents)
            .await;
        let sums = sums.expect("grouped")[0].totals;
        assert_eq!(sums.0, decimal("10.00"));
        assert_eq!(sums.1, Some(decimal("0.10")));
        // An average of floats would be 95000000000000000.
        assert_eq!(sums.2, Some(decimal("95000000000000001")));
        let half = Sale::scan(db, |s| s.id.lt(50))
            .group_by(|s| s.status)
            .sum(|s| s.cents);
        assert_eq!(
            half.await.expect("grouped")[0].totals.0,
            4_750_000_000_000_000_050
        );
        // More than 64 bits hold.
        let whole = Sale::group_by(db, |s| s.status)
            .sum(|s| s.cents)
            .await
            .map(drop);
        match whole {
            Err(Error::SumTooLarge { field, .. }) => assert_eq!(field, "Sale.cents"),
            other => panic!("{other:?}"),
        }
    })
    .await;
}

/// A grouping of everything walks along an index; one that has all the fields answers by itself.
#[tokio::test]
async fn an_index_serves_a_grouping_of_everything() {
    alone("group_served", async |bench| {
        sales(bench, &(0..50).map(sale).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let groups = Sale::group_by(db, |s| s.status)
            .count()
            .sum(|s| s.cents)
            .max(|s| s.cents);
        let groups = groups.await.expect("grouped");
        assert_eq!(groups[0].totals, (25, 6_000, Some(480)));
        let plan = bench.plan().await;
        plan.assert_served_by("status");
        assert_eq!(plan.documents, 0, "{plan:#?}");
        let read = Sale::group_by(db, |s| s.status).sum(|s| s.total);
        read.await.expect("grouped");
        let plan = bench.plan().await;
        plan.assert_served_by("status");
        assert!(!plan.has("SORT"), "{plan:#?}");
        let pattern = Sale::of_customer(db, 1).group_by(|s| s.status).count();
        assert_eq!(pattern.await.expect("grouped").len(), 2);
        bench.plan().await.assert_served_by("customer");
        let scanned = Sale::scan(db, |s| s.weight.gt(0.0))
            .group_by(|s| s.coupon)
            .count();
        let scanned = scanned.await.expect("grouped");
        assert_eq!(
            scanned,
            [Group {
                key: None,
                totals: (50,)
            }]
        );
        assert!(bench.plan().await.has("COLLSCAN"));
    })
    .await;
}

#[tokio::test]
async fn a_grouping_takes_options_and_a_session() {
    in_set("group_options", async |bench| {
        sales(bench, &(0..6).map(sale).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let last = Sale::find(db, |s| s.customer.gte(0))
            .sort(|s| s.id.desc())
            .limit(3)
            .group_by(|s| s.status)
            .count()
            .max_time(Duration::from_secs(4))
            .comment("sums")
            .await;
        let last: Vec<u64> = last
            .expect("grouped")
            .iter()
            .map(|group| group.totals.0)
            .collect();
        assert_eq!(last, [1, 2]);
        let sent = bench.only();
        assert_eq!(sent.get_str("comment").ok(), Some("sums"));
        assert_eq!(crate::common::number(&sent["maxTimeMS"]), 4_000);
        let none = Sale::find(db, |s| s.customer.gte(0))
            .limit(0)
            .group_by(|s| s.status)
            .count();
        assert!(none.await.expect("grouped").is_empty());
        assert_eq!(bench.sent(), [""; 0]);
        let mut session = bench.transaction().await;
        let new = sale(100);
        Sale::insert(db, &new)
            .driver_session(&mut session)
            .await
            .expect("stored");
        let inside = Sale::group_by(db, |s| s.status)
            .count()
            .driver_session(&mut session)
            .await;
        let inside: Vec<u64> = inside
            .expect("grouped")
            .iter()
            .map(|group| group.totals.0)
            .collect();
        assert_eq!(inside, [4, 3]);
        session.abort_transaction().await.expect("aborted");
        bench.forget();
        let near = doc! { "place": { "$nearSphere": [1.0, 2.0] } };
        let refused = Sale::scan(db, |_| raw_filter(near))
            .group_by(|s| s.status)
            .count()
            .await;
        assert!(
            matches!(refused, Err(Error::OperatorRefused { .. })),
            "{refused:?}"
        );
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn the_first_and_the_last_of_a_group_follow_the_order() {
    on_both("group_first", async |bench| {
        sales(bench, &(0..12).map(sale).collect::<Vec<_>>()).await;
        let db = &bench.db;
        let of_customer = || Sale::find(db, |s| s.customer.eq(0));
        // 0, 3, 6 and 9.
        let groups = of_customer()
            .sort(|s| s.id.desc())
            .group_by(|s| s.status)
            .first(|s| s.cents)
            .last(|s| s.cents)
            .first(|s| s.rebate)
            .sort(|(newest, ..)| newest.desc())
            .await
            .expect("grouped");
        let totals: Vec<_> = groups
            .iter()
            .map(|group| (group.key, group.totals))
            .collect();
        let expected = [
            (Status::Paid, (Some(90), Some(30), None)),
            (Status::Open, (Some(60), Some(0), None)),
        ];
        assert_eq!(totals, expected);
        assert_eq!(bench.sent(), ["aggregate"]);
        let open = of_customer()
            .sort(|s| s.id.asc())
            .limit(1)
            .group_by(|s| s.status)
            .last(|s| s.rebate);
        assert_eq!(open.await.expect("grouped")[0].totals, (Some(0),));
        bench.forget();
        let unordered = of_customer().group_by(|s| s.status).first(|s| s.cents);
        let error = unordered.await.expect_err("no order");
        assert!(matches!(error, Error::Impossible { .. }), "{error:?}");
        assert!(error.to_string().contains("`.sort(..)`"), "{error}");
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

/// A total of the documents that meet a condition counts as many as a count with that condition.
macro_rules! assert_only {
    ($bench:expr, $($condition:expr;)+) => {$(
        let db = &$bench.db;
        let all = || Sale::scan(db, |_| filter::everything()).group_by(|s| s.status);
        let groups = all().count().count().only($condition).sum(|s| s.cents).only($condition);
        let groups = groups.await.expect("grouped");
        let counted: u64 = groups.iter().map(|group| group.totals.1).sum();
        let sum: i64 = groups.iter().map(|group| group.totals.2).sum();
        let found = Sale::scan(db, $condition).await.expect("found");
        let condition = stringify!($condition);
        assert_eq!(counted, found.len() as u64, "{condition}");
        assert_eq!(sum, found.iter().map(|sale| sale.cents).sum::<i64>(), "{condition}");
        // The others are in their groups all the same.
        assert_eq!(groups.iter().map(|group| group.totals.0).sum::<u64>(), 12);
    )+};
}

#[tokio::test]
async fn a_total_counts_the_documents_that_meet_its_condition() {
    on_both("group_only", async |bench| {
        let mut all: Vec<Sale> = (0..12).map(sale).collect();
        for (n, sale) in all.iter_mut().enumerate() {
            sale.coupon =
                [None, Some("spring"), Some("$status"), Some("")][n % 4].map(str::to_owned);
            sale.weight = [-1.5, 0.0, f64::NAN, 2.5, f64::INFINITY][n % 5];
        }
        sales(bench, &all).await;
        assert_only!(
            bench,
            |s| s.status.eq(Status::Paid);
            |s| s.status.ne(Status::Paid);
            |s| s.cents.gt(30).and(s.cents.lte(90));
            |s| s.cents.is_in([0, 50, 7]);
            |s| s.cents.not_in([0, 50]);
            |s| s.rebate.is_none();
            |s| s.rebate.is_some();
            |s| s.rebate.gte(4);
            |s| s.rebate.exists(false);
            |s| !s.rebate.lt(5);
            |s| s.coupon.eq("$status".to_owned());
            |s| s.coupon.gt("a".to_owned());
            |s| s.coupon.starts_with("s");
            |s| !s.coupon.starts_with("s");
            |s| s.weight.lt(1.0);
            |s| s.weight.gte(f64::NEG_INFINITY);
            |s| s.weight.gte(f64::NAN);
            |s| s.weight.gt(f64::NAN);
            |s| s.weight.eq(f64::NAN);
            |s| s.total.lte(decimal("0.1"));
            |s| s.customer.eq(1).or(s.cents.lt(20)).and(!s.status.eq(Status::Open));
            |s| s.id.lt_field(s.customer);
            |s| s.customer.lt_field(s.id);
            |s| s.id.gt(5);
        );
        // An average, an extreme and a number of values leave the others out too.
        let groups = Sale::scan(&bench.db, |_| filter::everything())
            .group_by(|s| s.status)
            .avg(|s| s.cents)
            .only(|s| s.cents.gt(100))
            .min(|s| s.cents)
            .only(|s| s.cents.gt(20))
            .count_distinct(|s| s.customer)
            .only(|s| s.cents.lt(20))
            .await
            .expect("grouped");
        let totals: Vec<_> = groups.into_iter().map(|group| group.totals).collect();
        assert_eq!(
            totals,
            [(None, Some(40), 1), (Some(decimal("110")), Some(30), 1)]
        );
    })
    .await;
}

#[tokio::test]
async fn a_condition_of_a_total_is_no_special_index() {
    alone("group_only_refused", async |bench| {
        sales(bench, &[sale(1)]).await;
        bench.forget();
        let all = || Sale::scan(&bench.db, |_| filter::everything()).group_by(|s| s.status);
        let refused = all().count().only(|_| raw_filter(doc! { "tags": { "$size": 2 } }));
        let message = refused.await.expect_err("refused").to_string();
        assert_eq!(
            message,
            "Sale: `only` of a total does not take $size; filter the documents of the grouping instead"
        );
        assert_eq!(bench.count(), 0);
    })
    .await;
}
