//! Lists of the newest children, relations in documents of several kinds, and queries that the profiler recorded.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use mongodb::options::IndexOptions;
use mongodb::{Database, IndexModel};

use super::data::Random;
use super::{answers, folder, pull};
use crate::support::Place;

const ANSWERS: &[&str] = &[
    "reference logs.host",
    "recent hosts.latest",
    "wrong_list hosts.latest",
    "undeclared_recent hosts.newest",
    // As long as no list is declared, its elements refer and copy.
    "reference hosts.last_ids",
    "reference hosts.newest._id",
    "copy hosts.newest.sent",
    "copy hosts.newest.text",
    "undeclared_recent hosts.last_ids",
    "reference vehicles.owner_id",
    "reference vehicles.depot",
    "reference invoices.payment.account_id",
    "reference trips.vehicle_id",
    "copy vehicles.owner_name",
    "copy vehicles.depot_city",
    "copy invoices.payment.account_name",
    "copy trips.label",
    "stale vehicles.owner_name",
    "tagged vehicles.kind",
    "tagged invoices.payment.type",
    "index vehicles.plate_1",
    "index vehicles.label_-1",
    "index vehicles.load_1",
    "undeclared_index vehicles.label_1_plate_1",
];

const KINDS: [&str; 3] = ["car", "truck", "bike"];

/// Fills a database.
pub(super) async fn fill(db: &Database) {
    let mut random = Random::new(11);
    let mut all = lists(&mut random);
    all.extend(vehicles(&mut random));
    all.extend(other_scripts());
    for (name, documents) in all {
        let stored = db.collection::<Document>(name);
        stored.insert_many(documents).await.expect("stored");
    }
    let unique = IndexOptions::builder().unique(true).build();
    let trucks = doc! { "kind": "truck" };
    let partial = IndexOptions::builder()
        .partial_filter_expression(trucks)
        .build();
    for (keys, options) in [
        (doc! { "plate": 1 }, Some(unique)),
        (doc! { "label": -1 }, None),
        (doc! { "load": 1 }, Some(partial)),
        (doc! { "label": 1, "plate": 1 }, None),
    ] {
        let index = IndexModel::builder().keys(keys).options(options).build();
        let stored = db.collection::<Document>("vehicles");
        stored.create_index(index).await.expect("built");
    }
}

/// Hosts with their newest messages, one in eight of them wrong.
fn lists(random: &mut Random) -> Vec<(&'static str, Vec<Document>)> {
    let start = 1_700_000_000_000_i64;
    let hosts: Vec<ObjectId> = (0..40).map(|_| ObjectId::new()).collect();
    let mut logs: Vec<Document> = (0..600)
        .map(|n: i64| {
            let sent = DateTime::from_millis(start + random.below(90_000_000) as i64);
            doc! { "_id": ObjectId::new(), "host": hosts[random.below(40)], "sent": sent, "text": format!("message {n}"), "level": random.below(5) as i32 }
        })
        .collect();
    logs.sort_by_key(|log| {
        std::cmp::Reverse(log.get_datetime("sent").expect("a date").timestamp_millis())
    });
    let hosts = hosts
        .iter()
        .enumerate()
        .map(|(n, id)| {
            let own = logs.iter().filter(|log| log.get_object_id("host").expect("an id") == *id);
            let own: Vec<&Document> = own.skip(usize::from(n % 8 == 3)).collect();
            let element = |log: &Document, id: &str| {
                doc! { id: log.get_object_id("_id").expect("an id"), "sent": *log.get_datetime("sent").expect("a date"), "text": log.get_str("text").expect("text") }
            };
            let latest: Vec<Document> = own.iter().take(5).map(|log| element(log, "id")).collect();
            let newest: Vec<Document> = own.iter().take(4).rev().map(|log| element(log, "_id")).collect();
            let ids: Vec<Bson> = own.iter().take(3).filter_map(|log| log.get("_id").cloned()).collect();
            doc! { "_id": id, "name": format!("host {n}"), "latest": latest, "newest": newest, "last_ids": ids }
        })
        .collect();
    // In another order than that of their dates.
    logs.sort_by_key(|log| log.get_str("text").expect("text").len());
    vec![("hosts", hosts), ("logs", logs)]
}

/// Names in other scripts, of which no two name each other: an age is no city, though there is a city with its number.
fn other_scripts() -> Vec<(&'static str, Vec<Document>)> {
    let cities = (0..20_i32).map(|n| doc! { "_id": n, "имя": format!("g{n}") });
    let people = (0..40_i32).map(|n| {
        let state = ["новый", "старый"][n as usize % 2];
        doc! { "имя": format!("x{n}"), "возраст": n % 18, "naïve": "a", "nai\u{308}f": "b", "日本": n, "😀": n % 3, "статус": state }
    });
    vec![("города", cities.collect()), ("люди", people.collect())]
}

/// Vehicles of three kinds, and what refers to them and to what they refer.
fn vehicles(random: &mut Random) -> Vec<(&'static str, Vec<Document>)> {
    let ids = |n: usize| -> Vec<ObjectId> { (0..n).map(|_| ObjectId::new()).collect() };
    let (owners, depots, accounts, fleet) = (ids(60), ids(20), ids(30), ids(300));
    let all_named = |ids: &[ObjectId], word: &str, field: &str| -> Vec<Document> {
        let one = |(n, id): (usize, &ObjectId)| doc! { "_id": id, field: format!("{word} {n}") };
        ids.iter().enumerate().map(one).collect()
    };
    let vehicles = (0..300).map(|n| {
        let (owner, kind) = (random.below(60), random.below(3));
        let name = if random.percent(10) { "someone else".to_owned() } else { format!("owner {owner}") };
        let mut vehicle = doc! {
            "_id": fleet[n], "kind": KINDS[kind], "label": format!("vehicle {n}"), "plate": format!("B-{n}"),
            "owner_id": owners[owner], "owner_name": name,
        };
        match kind {
            0 => vehicle.extend(doc! { "seats": 4_i32, "doors": 5_i32 }),
            1 => {
                let depot = random.below(20);
                vehicle.extend(doc! { "load": random.below(40) as i32, "depot": depots[depot], "depot_city": format!("city {depot}") });
            }
            _ => vehicle.extend(doc! { "gears": 7_i32, "frame": "steel tube" }),
        }
        vehicle
    });
    let vehicles: Vec<Document> = vehicles.collect();
    let invoices = (0..200).map(|n: i32| {
        let account = random.below(30);
        let payment = match n % 2 {
            0 => doc! { "type": "account", "account_id": accounts[account], "account_name": format!("account {account}"), "term": 30_i32 },
            _ => doc! { "type": "card", "last4": format!("{n:04}"), "expires": "12/30" },
        };
        doc! { "number": n, "payment": payment }
    });
    let invoices: Vec<Document> = invoices.collect();
    let trips = (0..200).map(|_| {
        let vehicle = random.below(300);
        doc! { "vehicle_id": fleet[vehicle], "label": format!("vehicle {vehicle}"), "km": random.below(900) as i32 }
    });
    let trips: Vec<Document> = trips.collect();
    vec![
        ("owners", all_named(&owners, "owner", "name")),
        ("depots", all_named(&depots, "city", "city")),
        ("accounts", all_named(&accounts, "account", "name")),
        ("vehicles", vehicles),
        ("invoices", invoices),
        ("trips", trips),
    ]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn lists_and_relations_of_several_kinds_are_found() {
    let place = Place::new("kinds").await;
    fill(&place.db).await;
    let out = folder("kinds");
    let ran = pull(&place, out.to_str().expect("a path"), &["--json"]).code(1);
    let scores = answers::compare(&ran.json(), ANSWERS);
    scores.print();
    assert_eq!((scores.wrong(), scores.missed()), (0, 0), "{scores:#?}");
    let read = |file: &str| std::fs::read_to_string(out.join(file)).expect("written");
    for (file, text) in [
        (
            "hosts.rs",
            "#[recent(Log, max = 5, sort = -sent, fields(sent, text))]",
        ),
        ("hosts.rs", "pub latest: Vec<RecentLog>,"),
        ("vehicles.rs", "common(label)"),
        ("vehicles.rs", "#[denorm(from = Owner, field = name)]"),
        ("vehicles.rs", "#[index(unique)]"),
        ("vehicles.rs", "#[index(desc)]"),
        ("trips.rs", "#[denorm(from = Vehicle, field = label)]"),
        ("mod.rs", "#[path = \"люди.rs\"]\npub mod люди;"),
        ("люди.rs", "pub struct Люди {"),
        ("люди.rs", "    pub возраст: i32,"),
        (
            "люди.rs",
            "    #[serde(rename = \"nai\\u{308}f\")]\n    pub naïf: String,",
        ),
        ("люди.rs", "pub статус: Статус,"),
    ] {
        assert!(read(file).contains(text), "{text}: {}", read(file));
    }
    let count = |text: &str| read("vehicles.rs").matches(text).count();
    assert_eq!(count("#[parent(Owner"), 3, "{}", read("vehicles.rs"));
    assert_eq!(count("#[denorm(from = Depot"), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn recorded_queries_that_no_index_serves_are_proposed() {
    let place = Place::new("profiled").await;
    let orders = place.db.collection::<Document>("orders");
    let some = (0..50_i32)
        .map(|n| doc! { "state": "open", "total": n, "placed": DateTime::now(), "user": n % 7 });
    orders.insert_many(some).await.expect("stored");
    place
        .db
        .run_command(doc! { "profile": 2 })
        .await
        .expect("profiled");
    for _ in 0..3 {
        let found = orders
            .find_one(doc! { "state": "open", "total": { "$gt": 3 } })
            .sort(doc! { "placed": -1 });
        found.await.expect("found");
    }
    orders.find_one(doc! { "user": 3 }).await.expect("found");
    // No index of its fields would serve this one, and one serves the next.
    let either = doc! { "$or": [{ "user": 1 }, { "total": 2 }] };
    orders.find_one(either).await.expect("found");
    let by_id = doc! { "_id": ObjectId::new() };
    orders.find_one(by_id).await.expect("found");
    place
        .db
        .run_command(doc! { "profile": 0 })
        .await
        .expect("not profiled");
    let out = folder("profiled");
    let ran = pull(&place, out.to_str().expect("a path"), &["--json"]).code(0);
    let document = ran.json();
    let group = document["collections"]
        .as_array()
        .expect("groups")
        .iter()
        .find(|group| group["collection"] == "orders")
        .expect("orders");
    let proposed: Vec<&str> = group["findings"]
        .as_array()
        .expect("findings")
        .iter()
        .filter(|finding| finding["kind"] == "proposed_index")
        .map(|finding| finding["message"].as_str().expect("text"))
        .collect();
    let [first, second] = proposed.as_slice() else {
        panic!("{proposed:?}");
    };
    assert!(
        first.starts_with("the profiler recorded 3 queries by `state`, by ranges of `total`, in the order of `placed`")
            && first.ends_with("`index(keys(state, -placed, total))` would serve it"),
        "{first}"
    );
    assert!(
        second.contains("1 query by `user`")
            && second.ends_with("`#[index]` on `user` would serve it"),
        "{second}"
    );
}
