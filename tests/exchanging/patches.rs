//! Patches.

use bson::{Bson, doc};
use mongo_model::update::{ReturnedIf, Swapped};
use mongo_model::{Error, Id, MongoModel, Versioned, transaction_boxed};
use serde_json::{Value, json};

use super::{Offer, OfferNames, OfferPatch, Seller, date, offer, refused, text};
use crate::common::{alone, in_set, on_both};

fn patch(json: Value) -> OfferPatch {
    serde_json::from_value(json).expect("read")
}

#[tokio::test]
async fn it_sends_what_the_same_calls_of_set_some_send() {
    on_both("patch", async |bench| {
        let db = &bench.db;
        let (seller, offer) = offer(bench).await;
        let given = patch(json!({
            "title": "Castle",
            "motto": "Higher",
            "price": "9.75",
            "rate": "0.07",
            "starts": "2031-01-01T00:00:00Z",
            "ends": "2031-01-02T00:00:00Z",
            "place": { "opened": "1991-01-01T00:00:00Z", "guide": seller.id.to_string(), "stops": [] },
            "fans": []
        }));
        let other = Offer {
            id: Id::new(),
            title: "Other".to_owned(),
            ..offer.clone()
        };
        Offer::insert(db, &other).await.expect("stored");
        bench.forget();
        let update = Offer::update(db, offer.id).patch(given.clone());
        update.await.expect("changed");
        let by_patch = bench.sent();
        let update = Offer::update(db, other.id)
            .set_some(|o| o.title, Some("Castle by hand"))
            .set_some(|o| o.slogan, given.slogan)
            .set_some(|o| o.price, given.price)
            .set_some(|o| o.rate, given.rate)
            .set_some(|o| o.starts, given.starts)
            .set_some(|o| o.ends, given.ends)
            .set_some(|o| o.place, given.place)
            .set_some(|o| o.fans, given.fans);
        update.await.expect("changed");
        assert_eq!(by_patch, bench.sent());
        let (mut one, mut two) = (
            bench.stored("offers", offer.id).await,
            bench.stored("offers", other.id).await,
        );
        for differs in ["_id", "title", "created", "updated", "_dn"] {
            one.remove(differs);
            two.remove(differs);
        }
        assert_eq!(one, two);

        let stored = bench.stored("offers", offer.id).await;
        assert_eq!(stored.get("title"), Some(&text("Castle")));
        let starts = date("2031-01-01T00:00:00Z");
        assert_eq!(stored.get("starts"), Some(&Bson::DateTime(starts)));
        let price = Bson::Decimal128("9.75".parse().expect("a number"));
        assert_eq!(stored.get("price"), Some(&price));
        assert_eq!(stored.get("fans"), Some(&Bson::Array(vec![])));
        assert_eq!(stored.get("code"), Some(&text("H1")));
    })
    .await;
}

#[tokio::test]
async fn an_absent_field_stays_and_null_removes_an_optional_one() {
    alone("patch_null", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        let given = json!({ "note": "New", "ends": "2031-01-02T00:00:00Z", "motto": "x" });
        let change = |json| Offer::update(db, offer.id).patch(patch(json));
        change(given).await.expect("changed");
        change(json!({ "motto": "y" })).await.expect("changed");
        let stored = bench.stored("offers", offer.id).await;
        assert_eq!(stored.get("note"), Some(&text("New")));
        assert_eq!(stored.get("motto"), Some(&text("y")));
        let none = json!({ "note": null, "ends": null, "motto": null, "sponsor": null });
        change(none).await.expect("changed");
        let stored = bench.stored("offers", offer.id).await;
        assert_eq!(stored.get("note"), None);
        assert_eq!(stored.get("ends"), Some(&Bson::Null));
        assert_eq!(stored.get("motto"), Some(&Bson::Null));
        assert_eq!(stored.get("sponsor"), Some(&Bson::Null));
        let said = refused::<OfferPatch>(json!({ "title": null }));
        assert!(said.starts_with("`title`: "), "{said}");
    })
    .await;
}

#[tokio::test]
async fn references_are_given_by_ids_and_their_copies_follow() {
    on_both("patch_refs", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        let bob = Seller {
            id: Id::new(),
            name: "Bob".to_owned(),
        };
        Seller::insert(db, &bob).await.expect("stored");
        let id = bob.id.to_string();
        let given = json!({ "seller": id });
        let changed = Offer::update(db, offer.id)
            .patch(patch(given))
            .returning()
            .await;
        assert_eq!(changed.expect("changed").seller_name, "Bob");
        for given in [json!({ "sponsor": id }), json!({ "partners": [id, id] })] {
            Offer::update(db, offer.id)
                .patch(patch(given))
                .await
                .expect("changed");
        }
        let stored = Offer::get(db, offer.id)
            .await
            .expect("read")
            .expect("stored");
        assert_eq!(stored.sponsor.expect("one").name, "Bob");
        assert_eq!(stored.partners[0].name, "Bob");
        let nobody = json!({ "seller": Id::<Seller>::new().to_string() });
        let nobody = Offer::update(db, offer.id).patch(patch(nobody)).await;
        assert!(matches!(nobody, Err(Error::Dangling { .. })), "{nobody:?}");
    })
    .await;
}

#[tokio::test]
async fn an_empty_patch_changes_nothing() {
    alone("patch_empty", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        bench.forget();
        let empty = || Offer::update(db, offer.id).patch(patch(json!({})));
        assert_eq!(empty().await.expect("nothing to do").modified, 0);
        assert_eq!(bench.sent(), [""; 0]);
        let read = empty().returning().await.expect("read");
        assert_eq!(read.document.version, offer.version);
        assert_eq!(bench.sent(), ["find"]);
        let missing = Offer::update(db, Id::new()).patch(OfferPatch::default());
        let missing = missing.returning().await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );
    })
    .await;
}

#[tokio::test]
async fn it_goes_with_conditions_versions_and_transactions() {
    in_set("patch_if", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        let title = |title: &str| patch(json!({ "title": title }));
        let version = offer.version;
        let change = |name| Offer::update(db, offer.id).patch(title(name));
        let done = change("One").only_if(|o| o.version.eq(version));
        let done = done.returning().await.expect("sent");
        let ReturnedIf::Done(done) = done else {
            panic!("{done:?}");
        };
        assert_eq!(done.document.title, "One");
        assert_eq!(done.document.version, version + 1);
        let late = change("Two").only_if(|o| o.version.eq(version)).await;
        assert!(matches!(late, Ok(Swapped::Not(_))), "{late:?}");
        let aborted = transaction_boxed(db, |tx, db| {
            let patch = title("Three");
            let id = offer.id;
            Box::pin(async move {
                Offer::update(db, id).patch(patch).within(tx).await?;
                Err::<(), _>(Error::aborted(std::io::Error::other("no")))
            })
        });
        assert!(aborted.await.is_err());
        let stored = bench.stored("offers", offer.id).await;
        assert_eq!(stored.get("title"), Some(&text("One")));
        let many = Offer::update_many(db, |o| o.title.eq("One")).patch(title("Four"));
        assert_eq!(many.await.expect("changed").modified, 1);
        let found = bench.raw("offers").find_one(doc! { "title": "Four" }).await;
        assert!(found.expect("read").is_some());
    })
    .await;
}

#[tokio::test]
async fn a_field_of_a_patch_may_have_another_name() {
    alone("patch_names", async |bench| {
        let db = &bench.db;
        let (seller, offer) = offer(bench).await;
        let given = json!({ "name": "Pier", "remark": "Late", "by": seller.id.to_string() });
        let names: OfferNames = serde_json::from_value(given).expect("read");
        Offer::update(db, offer.id)
            .patch(names)
            .await
            .expect("changed");
        let stored = bench.stored("offers", offer.id).await;
        assert_eq!(stored.get("title"), Some(&text("Pier")));
        assert_eq!(stored.get("note"), Some(&text("Late")));
        assert!(stored.get("name").or(stored.get("remark")).is_none());
        let said = refused::<OfferNames>(json!({ "title": "Pier" }));
        assert!(said.starts_with("unknown field `title`"), "{said}");
    })
    .await;
}

#[tokio::test]
async fn the_tag_of_an_answer_is_the_version_that_a_change_is_for() {
    alone("patch_tag", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        let title = |title: &str| patch(json!({ "title": title }));
        let change = |name, tag: &str| Offer::update(db, offer.id).patch(title(name)).if_match(tag);
        let tag = offer.etag();
        assert_eq!(tag, format!("\"{}\"", offer.version));
        bench.forget();
        let done = change("One", &tag).await.expect("sent");
        assert!(matches!(done, Swapped::Done(_)));
        assert_eq!(bench.sent(), ["update"]);
        for wrong in [
            &*tag, "", "x", "\"\"", "\"x\"", "W/\"1\"", "1", "\"-1\"", "\"1", "\"$ne\"",
        ] {
            let late = change("Two", wrong).returning().await.expect("sent");
            let ReturnedIf::Not(now) = late else {
                panic!("{wrong}");
            };
            assert_eq!((&*now.title, now.version), ("One", offer.version + 1));
        }
        let list = format!("{tag}, \"{}\"", offer.version + 1);
        let done = change("Three", &list).await.expect("sent");
        assert!(matches!(done, Swapped::Done(_)));
        let done = change("Four", "*").await.expect("sent");
        assert!(matches!(done, Swapped::Done(_)));
        let update = Offer::update(db, offer.id).patch(title("Five"));
        let done = update.if_version(offer.version + 3).await.expect("sent");
        assert!(matches!(done, Swapped::Done(_)));
        let gone = Offer::update(db, Id::new()).patch(title("Six"));
        let gone = gone.if_match(&tag).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_required_is_there_or_an_error() {
    alone("required", async |bench| {
        let db = &bench.db;
        let (_, offer) = offer(bench).await;
        bench.forget();
        let stored: Offer = Offer::get(db, offer.id).required().await.expect("stored");
        assert_eq!(
            (stored.id, bench.sent()),
            (offer.id, vec!["find".to_owned()])
        );
        let missing = Id::new();
        let error = Offer::get(db, missing).required().await.expect_err("none");
        let Error::NotFound { model, id } = &error else {
            panic!("{error}");
        };
        assert_eq!(
            (*model, &**id),
            ("Offer", &Bson::ObjectId(missing.into_raw()))
        );
        assert_eq!(error.http_status(), 404);
        let none = Offer::find_one(db, |o| o.title.eq("No")).required().await;
        assert!(matches!(none, Err(Error::NotFound { .. })));
        Offer::delete(db, offer.id).await.expect("deleted");
        let deleted = Offer::get(db, offer.id).required();
        assert!(matches!(deleted.await, Err(Error::NotFound { .. })));
        let deleted = Offer::get(db, offer.id).required().with_deleted();
        assert_eq!(deleted.await.expect("stored").id, offer.id);
    })
    .await;
}
