//! `rust_decimal::Decimal` is stored as a number: ranges, sorts and groups follow its value.

use bson::{Bson, doc};
use mongo_model::MongoModel;
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "priced")]
struct Priced {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    #[serde(with = "mongo_model::decimal")]
    price: Decimal,
    #[serde(with = "mongo_model::decimal::option", default)]
    discount: Option<Decimal>,
}

fn number(text: &str) -> Decimal {
    text.parse().expect("a number")
}

fn priced(id: i32, price: &str) -> Priced {
    Priced {
        id,
        price: number(price),
        discount: (id % 2 == 0).then(|| number("0.50")),
    }
}

#[tokio::test]
async fn a_decimal_is_a_number() {
    alone("decimals", async |bench| {
        let db = &bench.db;
        bench.index(&[Priced::meta()]).await;
        let most = Decimal::MAX.to_string();
        let prices = ["9.50", "10.00", "100.00", "-0.0000001", &most];
        let all: Vec<Priced> = (0..)
            .zip(prices)
            .map(|(id, price)| priced(id, price))
            .collect();
        Priced::insert_many(db, &all).await.expect("stored");
        let stored = bench.stored("priced", 0).await;
        assert!(
            matches!(stored.get("price"), Some(Bson::Decimal128(_))),
            "{stored}"
        );
        assert_eq!(
            Priced::get(db, 0).await.expect("read").as_ref(),
            Some(&all[0])
        );
        let nine = Priced::find(db, |p| p.price.gte(Decimal::from(9))).sort(|p| p.price.asc());
        let nine: Vec<i32> = nine.await.expect("found").iter().map(|p| p.id).collect();
        assert_eq!(nine, [0, 1, 2, 4]);
        let one = Priced::find(db, |p| p.price.is_in([number("10")])).await;
        assert_eq!(one.expect("found"), [all[1].clone()], "10 equals 10.00");
        let half = Priced::scan(db, |p| p.discount.eq(number("0.5"))).await;
        assert_eq!(half.expect("found").len(), 3);
        Priced::update(db, 0)
            .set(|p| p.price, number("12"))
            .await
            .expect("set");
        assert_eq!(
            bench
                .stored("priced", 0)
                .await
                .get("price")
                .map(Bson::element_type),
            Some(bson::spec::ElementType::Decimal128)
        );
    })
    .await;
}

#[tokio::test]
async fn numbers_of_others_are_read_and_text_is_not() {
    alone("decimals_foreign", async |bench| {
        let decimal = |text: &str| Bson::Decimal128(text.parse().expect("a number"));
        let foreign = [
            decimal("1E+3"),
            7.into(),
            7_i64.into(),
            "7".into(),
            decimal("NaN"),
            decimal("1E+300"),
        ];
        let foreign = (0..).zip(foreign);
        bench
            .seed(
                "priced",
                foreign.map(|(id, price): (i32, Bson)| doc! { "_id": id, "price": price }),
            )
            .await;
        for (id, price) in [(0, 1000), (1, 7), (2, 7)] {
            let read = Priced::get(&bench.db, id)
                .await
                .expect("read")
                .expect("there");
            assert_eq!(read.price, Decimal::from(price));
        }
        for id in 3..6 {
            let read = Priced::get(&bench.db, id)
                .await
                .expect_err("no number")
                .to_string();
            assert!(read.contains("price: "), "{read}");
        }
    })
    .await;
}
