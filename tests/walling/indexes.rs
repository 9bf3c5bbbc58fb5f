//! The indexes of walled models begin with the tenant.

use bson::doc;
use mongo_model::geo::Point;
use mongo_model::{Id, MongoModel, Tenants};
use serde::{Deserialize, Serialize};

use super::{Invoice, Note, invoice, prepare, tenant};
use crate::common::alone;

fn keys(meta: &'static mongo_model::model::ModelMeta) -> Vec<String> {
    let all = mongo_model::index::definitions(meta).into_iter();
    all.map(|one| {
        one.keys
            .iter()
            .map(|(path, _)| path.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    })
    .collect()
}

#[test]
fn declared_indexes_have_the_tenant_in_front() {
    let own = |meta| {
        keys(meta)
            .into_iter()
            .filter(|keys| !keys.starts_with("_dn"))
    };
    let invoices: Vec<String> = own(Invoice::meta()).collect();
    assert_eq!(invoices, ["o status cents _id", "o number", "plan _id"]);
    let notes: Vec<String> = own(Note::meta()).collect();
    assert_eq!(
        notes,
        ["org title deleted_at", "org title", "org deleted_at"]
    );
}

#[tokio::test]
async fn queries_are_served_by_indexes_that_begin_with_the_tenant() {
    alone("wall_explain", async |bench| {
        prepare(bench).await;
        let db = tenant(bench, 1);
        let many: Vec<Invoice> = (0..40).map(|number| invoice(1, number)).collect();
        Invoice::insert_many(&db, &many).await.expect("stored");
        bench.forget();
        Invoice::find_one(&db, |i| i.number.eq(3))
            .await
            .expect("found");
        let plan = bench.plan().await;
        plan.assert_served_by("o");
        assert_eq!((plan.keys, plan.documents), (1, 1));
        Invoice::open(&db, 1).await.expect("found");
        let plan = bench.plan().await;
        plan.assert_served_by("o");
        assert!(!plan.has("SORT"));
        Invoice::open(&db, 1).page(3).await.expect("a page");
        bench.plan().await.assert_served_by("o");
        Invoice::scan(&db, |i| i.all()).await.expect("found");
        bench.plan().await.assert_served_by("o");
        Invoice::count(&db, |i| i.number.gt(5))
            .await
            .expect("counted");
        bench.plan().await.assert_served_by("o");
        Invoice::group_by(&db, |i| i.status)
            .count()
            .await
            .expect("grouped");
        bench.plan().await.assert_served_by("o");
    })
    .await;
}

/// Indexes of other kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "places", tenant = shop)]
pub(crate) struct Place {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Place>,
    pub(crate) shop: i64,
    #[index(text)]
    pub(crate) about: String,
    #[index(hashed)]
    pub(crate) code: String,
    #[index(geo)]
    pub(crate) at: [f64; 2],
    #[index(expire_after = "1d")]
    pub(crate) seen: bson::DateTime,
    #[index(unique, partial(exists))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tag: Option<String>,
}

/// Its address is unique over all tenants.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "people", tenant = shop)]
pub(crate) struct Person {
    #[serde(rename = "_id")]
    pub(crate) id: Id<Person>,
    pub(crate) shop: i64,
    #[index(
        unique,
        across_tenants = "a person signs in before the tenant is known"
    )]
    pub(crate) email: String,
    #[index(unique)]
    pub(crate) number: i32,
}

#[tokio::test]
async fn an_index_across_tenants_is_unique_over_all() {
    alone("wall_people", async |bench| {
        bench.index(&[Person::meta()]).await;
        let own = keys(Person::meta());
        assert_eq!(own, ["email", "shop number"]);
        let person = |shop: i64, email: &str, number: i32| Person {
            id: Id::new(),
            shop,
            email: email.to_owned(),
            number,
        };
        let (one, other) = (bench.db.tenant(1_i64), bench.db.tenant(2_i64));
        let first = person(1, "a@b.c", 1);
        Person::insert(&one, &first).await.expect("stored");
        let second = person(2, "a@b.c", 1);
        let upsert = || Person::upsert(&other, &second).on_key(|p| p.email);
        for refused in [
            Person::insert(&other, &second).await,
            upsert().await,
            upsert().set(|p| p.number, 5).await,
        ] {
            let error = refused.expect_err("taken");
            assert!(Person::is_duplicate(&error, |p| p.email), "{error}");
        }
        Person::insert(&other, &person(2, "d@e.f", 1))
            .await
            .expect("the number is free");
        bench.forget();
        let found = Person::find_one(&other, |p| p.email.eq("a@b.c")).await;
        assert_eq!(found.expect("read"), None);
        bench.plan().await.assert_served_by("email");
        let found = Person::find_one(&one, |p| p.email.eq("a@b.c")).await;
        assert_eq!(found.expect("read"), Some(first));
    })
    .await;
}

#[tokio::test]
async fn indexes_of_other_kinds_serve_a_tenant() {
    alone("wall_kinds", async |bench| {
        bench.index(&[Place::meta()]).await;
        let place = |shop: i64, tag: Option<&str>| Place {
            id: Id::new(),
            shop,
            about: "a quiet garden".to_owned(),
            code: "g".to_owned(),
            at: [13.4, 52.5],
            seen: bson::DateTime::now(),
            tag: tag.map(str::to_owned),
        };
        for shop in [1, 2] {
            let db = bench.db.tenant(shop);
            let both = [place(shop, Some("a")), place(shop, None), place(shop, None)];
            Place::insert_many(&db, &both).await.expect("stored");
        }
        bench.forget();
        let db = bench.db.tenant(1_i64);
        let found = Place::find(&db, |p| p.about.text("garden")).await;
        assert_eq!(found.expect("found").len(), 3);
        assert!(bench.plan().await.has("TEXT_MATCH"));
        let found = Place::find(&db, |p| p.code.eq("g")).await;
        assert_eq!(found.expect("found").len(), 3);
        bench.plan().await.assert_served_by("shop");
        let here = Point {
            lng: 13.4,
            lat: 52.5,
        };
        let found = Place::find(&db, |p| p.at.near(here, 10.0)).await;
        assert_eq!(found.expect("found").len(), 3);
        bench.plan().await.assert_served_by("shop");
        let near = Place::find(&db, |p| p.at.near(here, 10.0)).with_distance();
        assert_eq!(near.await.expect("found").len(), 3);
        bench.plan().await.assert_served_by("shop");
        let second = Place::insert(&db, &place(1, Some("a"))).await;
        let second = second.expect_err("a second tag");
        assert!(Place::is_duplicate(&second, |p| p.tag), "{second}");
        let again = mongo_model::plan_indexes(&bench.db).models(&[Place::meta()]);
        let again = again.await.expect("planned");
        assert!(again.is_empty(), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn a_model_that_becomes_walled_plans_its_indexes_and_is_filled_in() {
    alone("wall_retrofit", async |bench| {
        let people = bench.raw("people");
        people
            .insert_one(doc! { "_id": bson::oid::ObjectId::new(), "email": "a@b.c", "number": 1 })
            .await
            .expect("stored");
        let number = mongodb::IndexModel::builder()
            .keys(doc! { "number": 1 })
            .build();
        people.create_index(number).await.expect("created");
        let plan = mongo_model::plan_indexes(&bench.db).models(&[Person::meta()]);
        let plan = plan.await.expect("planned").to_string();
        for part in ["shop_1_number_1", "email_1", "number_1"] {
            assert!(plan.contains(part), "{part}: {plan}");
        }
        let one = bench.db.tenant(1_i64);
        let found = Person::find_one(&one, |p| p.number.eq(1)).await;
        assert_eq!(found.expect("read"), None, "nobody has it yet");
        let lacking = doc! { "shop": { "$exists": false } };
        let fill = doc! { "$set": { "shop": 1_i64 } };
        people.update_many(lacking, fill).await.expect("filled");
        bench.index(&[Person::meta()]).await;
        let found = Person::find_one(&one, |p| p.number.eq(1)).await;
        assert_eq!(found.expect("read").map(|one| one.shop), Some(1));
    })
    .await;
}
