//! Joins of many parents, of many ids, and of ids of every type.

use bson::{Bson, doc};
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};
use crate::joining::{Product, id, part_ids, parts, product};

#[tokio::test]
async fn overlapping_parents_ask_for_the_union_once() {
    on_both("overlap", async |bench| {
        bench.parts(1..=9).await;
        let products = [
            product(1, &[1, 2, 3]),
            product(2, &[]),
            product(3, &[3, 99, 2, 3, 4]),
        ];
        let loaded = Product::load_parts_many(&bench.db, &products)
            .await
            .expect("loaded");
        assert_eq!(loaded.len(), 3);
        for ((found, loaded), (number, there)) in loaded.iter().zip([
            (1, parts(&[1, 2, 3])),
            (2, vec![]),
            (3, parts(&[3, 2, 3, 4])),
        ]) {
            assert_eq!((found.id, loaded.values()), (number, &there[..]));
        }
        assert_eq!(loaded[0].1.missing(), []);
        assert_eq!(loaded[2].1.missing(), part_ids(&[99]));
        assert_eq!(
            bench.asked("parts").len(),
            5,
            "the union of both, each once"
        );

        Product::insert_many(&bench.db, &products)
            .await
            .expect("stored");
        bench.forget();
        let found = Product::scan(&bench.db, |p| p.all()).await.expect("found");
        Product::load_parts_many(&bench.db, &found)
            .await
            .expect("loaded");
        assert_eq!(bench.sent(), ["find", "find"], "never a query per parent");
    })
    .await;
}

#[tokio::test]
async fn two_thousand_five_hundred_ids_at_a_time() {
    on_both("chunks", async |bench| {
        let db = &bench.db;
        bench.parts(0..24_000).await;
        let numbers: Vec<u32> = (0..24_000).rev().collect();
        let products: Vec<Product> = (1..)
            .zip(numbers.chunks(3_000))
            .map(|(n, numbers)| product(n, numbers))
            .collect();
        let loaded = Product::load_parts_many(db, &products)
            .await
            .expect("loaded");
        for ((_, loaded), numbers) in loaded.into_iter().zip(numbers.chunks(3_000)) {
            assert_eq!(loaded.into_vec(), parts(numbers), "in stored order");
        }
        assert_eq!(bench.sent(), ["find"; 10], "and no getMore");
        // Ids that stand twice count once.
        let twice: Vec<Product> = (0..8).map(|n| product(n, &numbers[..2_500])).collect();
        let loaded = Product::load_parts_many(db, &twice).await.expect("loaded");
        assert_eq!(loaded.iter().map(|(_, l)| l.len()).sum::<usize>(), 20_000);
        assert_eq!(bench.sent(), ["find"]);
    })
    .await;
}

#[tokio::test]
async fn the_join_goes_by_the_id_index() {
    alone("id_index", async |bench| {
        bench.parts(0..500).await;
        let loaded = product(1, &[7, 300, 7, 2])
            .load_parts(&bench.db)
            .await
            .expect("loaded");
        assert_eq!(loaded.len(), 4);
        let plan = bench.plan().await;
        plan.assert_served_by("_id");
        assert_eq!(plan.documents, 3, "{plan:#?}");
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "countries")]
struct Country {
    #[serde(rename = "_id")]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "numbers")]
struct Number {
    #[serde(rename = "_id")]
    id: i64,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "events")]
struct Event {
    #[serde(rename = "_id")]
    id: Id<Event, bson::Uuid>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Plate {
    country: String,
    number: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "cars")]
struct Car {
    #[serde(rename = "_id")]
    plate: Plate,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "trips")]
struct Trip {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Country, unchecked)]
    countries: Vec<String>,
    #[refs(Number, unchecked)]
    numbers: Vec<i64>,
    #[refs(Event, unchecked)]
    events: Vec<Id<Event, bson::Uuid>>,
    #[refs(Car, unchecked)]
    cars: Vec<Plate>,
    #[parent(Car, unchecked)]
    main: Option<Plate>,
}

fn plate(number: i64) -> Plate {
    Plate {
        country: "NO".to_owned(),
        number,
    }
}

fn event(n: u8) -> Id<Event, bson::Uuid> {
    Id::from_raw(bson::Uuid::from_bytes([n; 16]))
}

fn trip() -> Trip {
    Trip {
        id: 1,
        countries: ["IT", "$x", "a.b", "IT"].map(str::to_owned).into(),
        numbers: vec![3, 1, 9],
        events: vec![event(2), event(1), event(9)],
        cars: vec![plate(2), plate(1), plate(9)],
        main: Some(plate(2)),
    }
}

#[tokio::test]
async fn ids_of_every_type() {
    on_both("id_types", async |bench| {
        let db = &bench.db;
        let countries = ["$x", "IT", "NO"].map(|code| Country {
            code: code.to_owned(),
        });
        Country::insert_many(db, &countries).await.expect("stored");
        let events = [1, 2].map(|n| Event { id: event(n) });
        Event::insert_many(db, &events).await.expect("stored");
        let cars = [1, 2].map(|n| Car { plate: plate(n) });
        Car::insert_many(db, &cars).await.expect("stored");
        bench.index(&[Trip::meta()]).await;
        Trip::insert(db, &trip()).await.expect("stored");
        let trip = Trip::get(db, 1).await.expect("read").expect("there");
        bench.forget();

        let loaded = trip.load_countries(db).await.expect("loaded");
        let codes: Vec<&str> = loaded.iter().map(|country| country.code.as_str()).collect();
        assert_eq!(codes, ["IT", "$x", "IT"]);
        assert_eq!(loaded.missing(), ["a.b".to_owned()]);
        let loaded = trip.load_events(db).await.expect("loaded");
        assert_eq!(
            loaded.iter().map(|e| e.id).collect::<Vec<_>>(),
            [event(2), event(1)]
        );
        assert_eq!(loaded.missing(), [event(9)]);
        let loaded = trip.load_cars(db).await.expect("loaded");
        assert_eq!(
            loaded.iter().map(|car| &car.plate).collect::<Vec<_>>(),
            [&plate(2), &plate(1)]
        );
        assert_eq!(loaded.missing(), [plate(9)]);
        let loaded = trip.load_main(db).await.expect("loaded");
        assert_eq!(loaded.value(), Some(&cars[1]));
        let trips = [trip];
        let loaded = Trip::load(db, &trips, |t| t.cars).await.expect("loaded");
        assert_eq!(loaded[0].1.len(), 2);
        let loaded = Trip::load(db, &trips, |t| t.main).await.expect("loaded");
        assert_eq!(loaded[0].1.values(), [cars[1].clone()]);

        assert_eq!(Trip::by_countries(db, "$x").await.expect("found").len(), 1);
        assert_eq!(Trip::by_events(db, event(9)).await.expect("found").len(), 1);
        assert_eq!(Trip::by_cars(db, plate(9)).await.expect("found").len(), 1);
        assert_eq!(Trip::by_main(db, plate(1)).await.expect("found").len(), 0);
        let car = Car::get(db, plate(1)).await.expect("found");
        assert_eq!(car, Some(cars[0].clone()));
        assert_eq!(
            Event::get(db, event(1)).await.expect("found"),
            Some(events[0].clone())
        );
    })
    .await;
}

#[tokio::test]
async fn a_number_is_the_same_id_in_every_width() {
    alone("widths", async |bench| {
        let narrow = doc! { "_id": 1, "name": "int" };
        let wide = doc! { "_id": 2_i64, "name": "long" };
        bench.seed("numbers", [narrow, wide]).await;
        let mut trip = bson::serialize_to_document(&trip()).expect("encodes");
        trip.insert("numbers", [3.into(), 1.into(), 2.into(), Bson::Int64(1)]);
        bench.seed("trips", [trip]).await;
        let trip = Trip::get(&bench.db, 1).await.expect("read").expect("there");
        bench.forget();
        let loaded = trip.load_numbers(&bench.db).await.expect("loaded");
        let names: Vec<&str> = loaded.iter().map(|number| number.name.as_str()).collect();
        assert_eq!(names, ["int", "long", "int"]);
        assert_eq!(loaded.missing(), [3_i64]);
        let asked = bench.asked("numbers");
        assert_eq!(
            asked,
            [1_i64, 2, 3].map(Bson::from),
            "in the order of the index"
        );
    })
    .await;
}

#[tokio::test]
async fn a_string_is_not_the_object_id_that_it_spells() {
    alone("strings", async |bench| {
        let text = id(7).to_string();
        let oid = doc! { "_id": id(7).into_raw() };
        bench.seed("countries", [oid]).await;
        let trip = Trip {
            countries: vec![text.clone()],
            ..trip()
        };
        let loaded = trip.load_countries(&bench.db).await.expect("loaded");
        assert_eq!((loaded.len(), loaded.missing()), (0, &[text][..]));
    })
    .await;
}
