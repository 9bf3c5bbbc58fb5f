//! The projection documents that are sent, and the results.

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::projecting::{Address, Geo, Product, ProductPart, Summary, id, product};

fn summary(n: u8) -> Summary {
    Summary {
        id: id(n),
        name: format!("product {n}"),
        catalog_number: i64::from(n),
    }
}

/// The projection of the one command since the log was cleared.
#[track_caller]
fn sent(bench: &Bench) -> Document {
    let command = bench.only();
    assert_eq!(command.get_str("find").ok(), Some("products"));
    command
        .get_document("projection")
        .expect("a projection")
        .clone()
}

#[tokio::test]
async fn the_fields_of_the_struct_are_asked_for() {
    on_both("summary", async |bench| {
        let db = &bench.db;
        bench.products(1..=3).await;
        let asked = doc! { "_id": 1, "name": 1, "catalogNumber": 1 };

        let found = Product::find(db, |p| p.catalog_number.gt(1))
            .sort(|p| p.catalog_number.asc())
            .project::<Summary>()
            .await
            .expect("found");
        assert_eq!(found, [summary(2), summary(3)]);
        assert_eq!(sent(bench), asked);

        // Options may follow the projection.
        let found = Product::scan(db, |p| p.all())
            .project::<Summary>()
            .sort(|p| p.catalog_number.desc())
            .limit(1)
            .await
            .expect("found");
        assert_eq!(found, [summary(3)]);
        assert_eq!(sent(bench), asked);

        let one = Product::find_one(db, |p| p.catalog_number.eq(2)).project::<Summary>();
        assert_eq!(one.await.expect("found"), Some(summary(2)));
        assert_eq!(sent(bench), asked);

        let one = Product::get(db, id(1)).project::<Summary>();
        assert_eq!(one.await.expect("found"), Some(summary(1)));
        assert_eq!(sent(bench), asked);

        let none = Product::get(db, id(9)).project::<Summary>();
        assert_eq!(none.await.expect("asked"), None);
        bench.forget();

        let streamed: Vec<Summary> = Product::scan(db, |p| p.all())
            .project::<Summary>()
            .sort(|p| p.catalog_number.asc())
            .batch_size(2)
            .stream()
            .try_collect()
            .await
            .expect("streamed");
        assert_eq!(streamed, [summary(1), summary(2), summary(3)]);
        assert_eq!(bench.sent(), ["find", "getMore"]);

        // The model itself is a projection of itself: everything.
        let whole = Product::get(db, id(1)).project::<Product>();
        assert_eq!(whole.await.expect("found"), Some(product(1)));
        assert!(!bench.only().contains_key("projection"));
    })
    .await;
}

#[tokio::test]
async fn ids_alone() {
    on_both("ids", async |bench| {
        let db = &bench.db;
        bench.products(1..=3).await;
        let ids: Vec<Id<Product>> = Product::find(db, |p| p.catalog_number.gt(1))
            .ids()
            .sort(|p| p.catalog_number.desc())
            .await
            .expect("found");
        assert_eq!(ids, [id(3), id(2)]);
        assert_eq!(sent(bench), doc! { "_id": 1 });
        let one = Product::find_one(db, |p| p.catalog_number.eq(2)).id().await;
        assert_eq!(one.expect("found"), Some(id(2)));
        assert_eq!(sent(bench), doc! { "_id": 1 });
    })
    .await;
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Geo)]
struct Lat {
    lat: i64,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Address)]
struct Place {
    #[serde(rename = "zipCode")]
    zip_code: String,
    #[projection(nested)]
    geo: Lat,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Address)]
struct City {
    city: String,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = ProductPart)]
struct PartName {
    name: String,
}

/// Without the `_id`.
#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Product)]
struct Inside {
    #[projection(nested)]
    address: Option<Place>,
    #[projection(nested)]
    stores: Vec<City>,
    #[projection(nested)]
    parts: Vec<PartName>,
    #[serde(with = "bson::serde_helpers::datetime::AsRfc3339String")]
    made: bson::DateTime,
    note: Option<String>,
}

#[tokio::test]
async fn nested_projections_are_dotted_paths() {
    alone("nested", async |bench| {
        bench.products(1..=2).await;
        let found = Product::find(&bench.db, |p| p.catalog_number.gte(1))
            .sort(|p| p.catalog_number.asc())
            .project::<Inside>()
            .await
            .expect("found");
        assert_eq!(
            sent(bench),
            doc! {
                "_id": 0, "address.zipCode": 1, "address.geo.lat": 1, "stores.city": 1, "parts.name": 1, "made": 1, "note": 1,
            }
        );
        let inside = |n: u8, address| Inside {
            address,
            stores: ["Bonn", "Oslo"].map(|city| City { city: city.to_owned() }).into(),
            parts: vec![PartName {
                name: format!("part {n}"),
            }],
            made: bson::DateTime::from_millis(1_000 * i64::from(n)),
            note: None,
        };
        let place = Place {
            zip_code: "2".to_owned(),
            geo: Lat { lat: 2 },
        };
        assert_eq!(found, [inside(1, None), inside(2, Some(place))]);
    })
    .await;
}

#[tokio::test]
async fn a_stored_value_of_another_type_is_an_error_that_names_the_document() {
    alone("wrong", async |bench| {
        let db = &bench.db;
        bench
            .seed(
                "products",
                [doc! { "_id": id(1).into_raw(), "name": 5, "catalogNumber": 1_i64 }],
            )
            .await;
        let found = Product::scan(db, |p| p.all()).project::<Summary>().await;
        match found.expect_err("refused") {
            Error::Decode {
                model,
                id: found,
                source,
            } => {
                assert_eq!(model, "Product");
                assert!(found.contains(&id(1).to_string()), "{found}");
                assert!(source.to_string().contains("expected a string"), "{source}");
            }
            other => panic!("{other}"),
        }
        // A field that is not read cannot fail to decode.
        let ids = Product::scan(db, |p| p.all()).ids().await;
        assert_eq!(ids.expect("found"), [id(1)]);

        bench.seed("products", [doc! { "_id": "text" }]).await;
        let found = Product::scan(db, |p| p.all()).ids().await;
        match found.expect_err("refused") {
            Error::Decode { model, id, .. } => assert_eq!((model, &*id), ("Product", "\"text\"")),
            other => panic!("{other}"),
        }
    })
    .await;
}

#[tokio::test]
async fn in_a_transaction() {
    in_set("transaction", async |bench| {
        let db = &bench.db;
        bench.products([1]).await;
        let part = bson::oid::ObjectId::from_bytes([2; 12]);
        let part = bson::doc! { "_id": part, "partName": "part", "qty": 1_i64 };
        bench.seed("projected_parts", [part]).await;
        let mut session = bench.transaction().await;
        Product::insert(db, &product(2))
            .driver_session(&mut session)
            .await
            .expect("stored");
        let inside = Product::find(db, |p| p.catalog_number.eq(2))
            .project::<Summary>()
            .driver_session(&mut session)
            .await;
        assert_eq!(inside.expect("found"), [summary(2)]);
        let inside = Product::get(db, id(2))
            .driver_session(&mut session)
            .id()
            .await;
        assert_eq!(inside.expect("found"), Some(id(2)));
        let outside = Product::find(db, |p| p.catalog_number.eq(2)).ids().await;
        assert_eq!(outside.expect("found"), []);
        session.abort_transaction().await.expect("aborted");
        let mut session = bench.client.start_session().await.expect("a session");
        let ids = Product::find(db, |p| p.catalog_number.gte(1))
            .driver_session(&mut session)
            .ids()
            .await;
        assert_eq!(ids.expect("found"), [id(1)]);
    })
    .await;
}

/// A projection without the `_id`, so that an index may cover it.
#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Product)]
struct OnlyName {
    #[allow(dead_code, reason = "read only")]
    name: String,
}

#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Product)]
struct LentName<'a> {
    #[allow(dead_code, reason = "read only")]
    name: &'a str,
}

#[tokio::test]
async fn an_error_names_a_document_whose_id_is_not_read() {
    on_both("wrong_without_id", async |bench| {
        let db = &bench.db;
        bench.products(1..=3).await;
        let wrong = |n: u8| doc! { "_id": id(n).into_raw(), "name": i32::from(n), "catalogNumber": i64::from(n) };
        bench.seed("products", [wrong(7), wrong(8)]).await;
        let named = |found: Result<(), Error>| match found.expect_err("refused") {
            Error::Decode { model, id: found, source } => {
                assert_eq!(model, "Product");
                assert!(found.contains(&id(7).to_string()), "{found}: {source}");
            }
            other => panic!("{other}"),
        };
        let all = || Product::scan(db, |p| p.all()).sort(|p| p.name.asc());
        bench.forget();
        named(all().project::<OnlyName>().await.map(drop));
        assert_eq!(bench.sent(), ["find", "find"]);
        bench.forget();
        named(all().project::<OnlyName>().stream().try_for_each(async |_| Ok(())).await);
        let one = Product::find_one(db, |p| p.catalog_number.eq(7));
        named(one.project::<OnlyName>().await.map(drop));
        named(all().for_each::<LentName<'_>>(|_| {}).await.map(drop));
        let mut session = bench.client.start_session().await.expect("a session");
        named(all().project::<OnlyName>().driver_session(&mut session).await.map(drop));
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct OldPlace {
    #[serde(alias = "town")]
    city: String,
    zip: String,
}

/// Its fields had other names once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "renamed_shops")]
struct OldShop {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(alias = "label", alias = "title")]
    name: String,
    #[serde(default, alias = "count")]
    stock: i64,
    #[serde(alias = "at")]
    place: OldPlace,
    note: String,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = OldShop)]
struct OldShopView {
    #[serde(alias = "title", alias = "label")]
    name: String,
    #[serde(default, alias = "count")]
    stock: i64,
    #[projection(nested)]
    #[serde(alias = "at")]
    place: OldPlaceView,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = OldPlace)]
struct OldPlaceView {
    #[serde(alias = "town")]
    city: String,
}

#[tokio::test]
async fn a_field_is_asked_for_by_all_its_names() {
    on_both("aliases", async |bench| {
        let db = &bench.db;
        let place = doc! { "town": "Rome", "zip": "1" };
        bench
            .seed(
                "renamed_shops",
                [
                    doc! { "_id": 1, "name": "a", "stock": 7, "place": { "city": "Rome", "zip": "1" }, "note": "" },
                    doc! { "_id": 2, "label": "a", "count": 7, "at": place.clone(), "note": "" },
                    doc! { "_id": 3, "title": "a", "count": 7, "place": place, "note": "" },
                ],
            )
            .await;
        for id in 1..=3 {
            let whole = OldShop::get(db, id).await.expect("read").expect("there");
            bench.forget();
            let view = OldShop::get(db, id).project::<OldShopView>().await;
            let view = view.expect("read").expect("there");
            assert_eq!((&view.name, view.stock), (&whole.name, whole.stock), "{id}");
            assert_eq!(view.place.city, whole.place.city, "{id}");
            let asked = bench.only().get_document("projection").cloned();
            let fields = doc! {
                "_id": 0, "name": 1, "title": 1, "label": 1, "stock": 1, "count": 1,
                "place.city": 1, "place.town": 1, "at.city": 1, "at.town": 1,
            };
            assert_eq!(asked.ok(), Some(fields));
        }
    })
    .await;
}
