//! Decimals under `range` and `finite` and in comparisons: exact, with the server as the oracle.

use bson::{Bson, Decimal128, Document, doc};
use futures::TryStreamExt;
use mongo_model::validator::conditions;
use mongo_model::{
    Error, MongoEmbed, MongoModel, Result, plan_validators, sync_validators, verify,
};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};

/// The program and the server calculate the same.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "exact_numbers",
    check(a < b, a == b, a >= n, n != b, a > 0.1),
    check(a + b == sum, a * b == product, n * n * a == times, a + n + b == plus)
)]
struct Numbers {
    #[serde(rename = "_id")]
    id: i32,
    a: Decimal128,
    b: Decimal128,
    n: i64,
    sum: Decimal128,
    product: Decimal128,
    times: Decimal128,
    plus: Decimal128,
}

fn decimal(text: &str) -> Decimal128 {
    text.parse().expect("a decimal")
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Digits of which many are 0, 5 or 9: such sums are rounded half to even.
    fn decimal(&mut self) -> Decimal128 {
        const SPECIAL: [&str; 12] = [
            "NaN",
            "Infinity",
            "-Infinity",
            "0",
            "-0",
            "0E+6111",
            "0E-6176",
            "1E-6176",
            "-1E-6176",
            "9.999999999999999999999999999999999E+6144",
            "-9.999999999999999999999999999999999E+6144",
            "1E+6144",
        ];
        if self.below(8) == 0 {
            let n = usize::try_from(self.below(12)).expect("small");
            return decimal(SPECIAL[n]);
        }
        let sign = if self.below(2) == 0 { "-" } else { "" };
        let same = self.below(3);
        let digits = (0..=self.below(34)).map(|_| match same {
            0 => ["0", "5", "9", "4"][usize::try_from(self.below(4)).expect("small")],
            _ => ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
                [usize::try_from(self.below(10)).expect("small")],
        });
        let digits: String = digits.collect();
        let exponent = match self.below(10) {
            0 => i64::try_from(self.below(12_200)).expect("small") - 6_170,
            1 => -6_176 + i64::try_from(self.below(40)).expect("small"),
            _ => i64::try_from(self.below(45)).expect("small") - 38,
        };
        decimal(&format!("{sign}{digits}E{exponent}"))
    }

    fn whole(&mut self) -> i64 {
        match self.below(4) {
            0 => i64::try_from(self.below(1_000)).expect("small") - 500,
            1 => i64::MAX - i64::try_from(self.below(3)).expect("small"),
            2 => 3_037_000_500,
            _ => i64::try_from(self.below(1 << 31)).expect("small") * 1_000_003,
        }
    }
}

#[tokio::test]
async fn the_server_and_the_program_compare_and_calculate_decimals_in_the_same_way() {
    alone("exact_numbers", async |bench| {
        let mut random = Random(39);
        let all = (0..4_000).map(|id| {
            let (a, b) = (random.decimal(), random.decimal());
            let b = if id % 9 == 0 { a } else { b };
            doc! { "_id": id, "a": a, "b": b, "n": random.whole() }
        });
        bench.seed("exact_numbers", all).await;
        let results = doc! {
            "sum": { "$add": ["$a", "$b"] },
            "product": { "$multiply": ["$a", "$b"] },
            "times": { "$multiply": ["$n", "$n", "$a"] },
            "plus": { "$add": ["$a", "$n", "$b"] },
        };
        let expressions = conditions(Numbers::meta());
        let expressions = expressions.get_document("$expr").expect("comparisons");
        let expressions = expressions.get_array("$and").expect("all").clone();
        let pipeline = [
            doc! { "$set": results },
            doc! { "$set": { "met": expressions } },
        ];
        let numbers = bench.raw("exact_numbers");
        let calculated = numbers.aggregate(pipeline);
        let calculated = calculated.await.expect("calculated");
        let calculated: Vec<Document> = calculated.try_collect().await.expect("read");
        assert_eq!(calculated.len(), 4_000);
        for document in calculated {
            let ours = Numbers::meta().comparisons.iter();
            let ours = ours.map(|comparison| {
                let is_met = comparison.is_met_by(Numbers::meta(), &document);
                (comparison.text, is_met)
            });
            let theirs = document.get_array("met").expect("each");
            let theirs = theirs
                .iter()
                .map(|is_met| is_met.as_bool().expect("true or false"));
            for ((text, ours), theirs) in ours.zip(theirs) {
                assert_eq!(ours, theirs, "{text}: {document}");
            }
            for result in &Numbers::meta().comparisons[5..] {
                assert!(
                    result.is_met_by(Numbers::meta(), &document),
                    "{result}: {document}"
                );
            }
        }
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Line {
    #[check(range = 0.01..1000)]
    price: Decimal128,
    quantity: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "priced_orders",
    strict,
    schema_version = 1,
    check(price * quantity <= limit, paid <= limit)
)]
struct Order {
    #[serde(rename = "_id")]
    id: i32,
    #[check(range = 0.01..=99.99)]
    price: Decimal128,
    quantity: i32,
    limit: Decimal128,
    #[serde(skip_serializing_if = "Option::is_none")]
    paid: Option<Decimal128>,
    #[check(each(range = ..=1))]
    #[embed(max = 5)]
    #[serde(default)]
    rates: Vec<Decimal128>,
    #[embed(max = 5)]
    #[serde(default)]
    lines: Vec<Line>,
    #[check(finite = false)]
    any: Decimal128,
}

fn order(id: i32) -> Order {
    Order {
        id,
        price: decimal("10.00"),
        quantity: 3,
        limit: decimal("50"),
        paid: Some(decimal("20.5")),
        rates: vec![decimal("0.3")],
        lines: vec![Line {
            price: decimal("999.99"),
            quantity: 1,
        }],
        any: decimal("NaN"),
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn whole_documents_and_values_are_judged_before_they_are_sent() {
    alone("decimals_whole", async |bench| {
        let db = &bench.db;
        let wrong = Order {
            price: decimal("99.99000000000000000000000000000001"),
            limit: decimal("Infinity"),
            rates: vec![
                decimal("1.000000000000000000000000000000000"),
                decimal("NaN"),
            ],
            lines: vec![Line {
                price: decimal("1E+3"),
                quantity: 1,
            }],
            ..order(1)
        };
        let all = [
            "price must be 0.01 to 99.99",
            "limit must be a finite number",
            "rates.1 must be at most 1",
            "rates.1 must be a finite number",
            "lines.0.price must be at least 0.01 and less than 1000",
        ];
        assert_eq!(broken(Order::insert(db, &wrong).await), all);
        let wrong = Order {
            limit: decimal("29.99999999999999999999999999999999"),
            ..order(1)
        };
        assert_eq!(
            broken(Order::insert(db, &wrong).await),
            ["price must meet `price * quantity <= limit`"]
        );
        let set = Order::update(db, 1).set(|o| o.price, decimal("0.009"));
        assert_eq!(broken(set.await), all[..1]);
        let push = Order::update(db, 1).push(|o| o.rates, decimal("1.1"));
        assert_eq!(broken(push.await), ["rates must be at most 1"]);
        assert_eq!(bench.count(), 0);
        Order::insert(db, &order(1)).await.expect("right");
    })
    .await;
}

#[tokio::test]
async fn arithmetic_carries_the_condition_that_the_result_is_right() {
    on_both("decimals_operators", async |bench| {
        let db = &bench.db;
        Order::insert(db, &order(1)).await.expect("inserted");
        bench.forget();
        let update = || Order::update(db, 1);
        update()
            .inc(|o| o.price, decimal("0.01"))
            .await
            .expect("10.01");
        assert_eq!(bench.count(), 1, "no round trip more");
        let price = ["price must be 0.01 to 99.99"];
        assert_eq!(
            broken(update().inc(|o| o.price, decimal("-10.01")).await),
            price
        );
        update()
            .inc(|o| o.price, decimal("-10.00"))
            .await
            .expect("0.01");
        update()
            .mul(|o| o.price, decimal("1600"))
            .await
            .expect("16.00");
        let product = ["price must meet `price * quantity <= limit`"];
        assert_eq!(
            broken(update().inc(|o| o.price, decimal("0.67")).await),
            product
        );
        update()
            .inc(|o| o.price, decimal("0.66"))
            .await
            .expect("49.98");
        assert_eq!(broken(update().inc(|o| o.quantity, 1).await), product);
        // NaN is less than every number, so the product is at most the limit.
        assert_eq!(
            broken(update().mul(|o| o.price, decimal("NaN")).await),
            price
        );
        assert_eq!(
            broken(update().max(|o| o.price, decimal("100")).await)[..1],
            price
        );
        let paid = ["paid must meet `paid <= limit`"];
        assert_eq!(
            broken(update().inc(|o| o.paid, decimal("29.51")).await),
            paid
        );
        update()
            .inc(|o| o.paid, decimal("29.50"))
            .await
            .expect("50");
        let line = |by| update().inc_where(|o| o.lines, |l| l.quantity.eq(1), |l| l.price, by);
        let least = ["lines.price must be at least 0.01 and less than 1000"];
        assert_eq!(broken(line(decimal("0.01")).await), least);
        // The server rounds the sum to 34 digits, which are those of 1000.
        let rounded = "0.00".to_owned() + &"9".repeat(31);
        assert_eq!(broken(line(decimal(&rounded)).await), least);
        line(decimal(&rounded[..rounded.len() - 2]))
            .await
            .expect("less");
        let stored = bench.raw("priced_orders").find_one(doc! { "_id": 1 }).await;
        let stored = stored.expect("read").expect("there");
        assert_eq!(
            stored.get("price"),
            Some(&Bson::Decimal128(decimal("16.66")))
        );
        assert_eq!(
            stored.get("paid"),
            Some(&Bson::Decimal128(decimal("50.00")))
        );
    })
    .await;
}

#[tokio::test]
async fn the_server_and_verify_know_the_rules() {
    alone("decimals_server", async |bench| {
        let db = &bench.db;
        let wrong = |id: i32, field: &str, value: Bson| {
            let mut document = bson::serialize_to_document(&order(id)).expect("encoded");
            document.insert(field, value);
            document
        };
        let all = [
            wrong(1, "price", decimal("99.991").into()),
            wrong(2, "price", decimal("NaN").into()),
            wrong(3, "limit", decimal("Infinity").into()),
            wrong(4, "limit", decimal("29.99").into()),
            wrong(5, "rates", vec![decimal("1.1")].into()),
        ];
        bench.seed("priced_orders", all.clone()).await;
        let plan = plan_validators(db).only::<Order>().await.expect("planned");
        assert_eq!(plan.changes[0].broken, 5);
        let report = verify(db).only::<Order>().await.expect("verified");
        let rules: Vec<String> = report
            .invalid
            .iter()
            .map(|one| format!("{} {}", one.path, one.rule))
            .collect();
        let expected = [
            "price must be 0.01 to 99.99",
            "price must meet `price * quantity <= limit`",
            "limit must be a finite number",
            "rates must be at most 1",
        ];
        assert_eq!(rules, expected);
        bench
            .raw("priced_orders")
            .delete_many(doc! {})
            .await
            .expect("deleted");
        let sync = sync_validators(db).only::<Order>().error();
        sync.await.expect("set");
        for document in all {
            let refused = bench.raw("priced_orders").insert_one(document).await;
            refused.expect_err("the validator refuses it");
        }
        Order::insert(db, &order(6)).await.expect("right");
    })
    .await;
}
