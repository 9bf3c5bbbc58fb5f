//! Single calls: what they send and answer.

use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoModel, Tenants};

use super::{Invoice, Note, Org, invoice, note, org, prepare, tenant};
use crate::common::{alone, on_both};

#[tokio::test]
async fn a_read_by_id_has_the_tenant() {
    alone("wall_get", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let mine = invoice(1, 1);
        Invoice::insert(&one, &mine).await.expect("stored");
        bench.forget();
        assert_eq!(
            Invoice::get(&one, mine.id).await.expect("read"),
            Some(mine.clone())
        );
        let sent = bench.only();
        let wanted = doc! { "_id": mine.id, "o": { "$eq": org(1) } };
        assert_eq!(sent.get_document("filter").expect("a filter"), &wanted);
        assert_eq!(Invoice::get(&other, mine.id).await.expect("read"), None);
    })
    .await;
}

#[tokio::test]
async fn ids_of_another_tenant_are_missing() {
    alone("wall_many", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let (mine, theirs) = (invoice(1, 1), invoice(2, 1));
        Invoice::insert(&one, &mine).await.expect("stored");
        Invoice::insert(&other, &theirs).await.expect("stored");
        let all = Invoice::get_many(&one, [theirs.id, mine.id]).await;
        let all = all.expect("read");
        assert_eq!(all.values(), [mine]);
        assert_eq!(all.missing(), [theirs.id]);
        let gone = Invoice::update(&one, theirs.id).set(|i| i.text, "x").await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        let gone = Invoice::delete(&one, theirs.id).await;
        assert!(matches!(gone, Err(Error::NotFound { .. })), "{gone:?}");
        let stored = Invoice::get(&other, theirs.id).await.expect("read");
        assert_eq!(stored, Some(theirs));
    })
    .await;
}

#[tokio::test]
async fn a_page_token_of_another_tenant_is_refused() {
    alone("wall_pages", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        for of in [1, 2] {
            let all: Vec<Invoice> = (0..6).map(|n| invoice(of, n * 2)).collect();
            let db = tenant(bench, of);
            Invoice::insert_many(&db, &all).await.expect("stored");
        }
        let theirs = Invoice::open(&other, 0).page(2).await.expect("a page");
        let token = theirs.next.expect("a token");
        bench.forget();
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        for db in [&one, &across] {
            let page = Invoice::open(db, 0).page(9).after(token.clone()).await;
            let error = page.expect_err("a token of another tenant");
            assert!(matches!(error, Error::WrongCursor { .. }), "{error}");
            assert!(!error.to_string().contains("0202"), "no value: {error}");
        }
        assert_eq!(bench.count(), 0, "nothing is sent");
        let token = token.to_string().parse::<mongo_model::crud::PageToken>();
        let rest = Invoice::open(&other, 0)
            .page(9)
            .after(token.expect("a token"));
        assert_eq!(rest.await.expect("a page").items.len(), 4);
    })
    .await;
}

#[tokio::test]
async fn natural_keys_are_unique_in_each_tenant() {
    on_both("wall_unique", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        Invoice::insert(&one, &invoice(1, 7)).await.expect("stored");
        Invoice::insert(&other, &invoice(2, 7))
            .await
            .expect("stored");
        let error = Invoice::insert(&one, &invoice(1, 7))
            .await
            .expect_err("a second 7");
        assert!(Invoice::is_duplicate(&error, |i| i.number), "{error}");
        let upsert = Invoice::upsert(&other, &invoice(2, 7)).on_key(|i| i.number);
        let done = upsert.set(|i| i.text, "found").await.expect("changed");
        assert_eq!((done.matched, done.inserted), (1, 0));
        let mine = Invoice::find_one(&one, |i| i.number.eq(7))
            .await
            .expect("read");
        assert_eq!(mine.expect("stored").text, "");
    })
    .await;
}

#[tokio::test]
async fn a_document_of_another_tenant_is_not_stored() {
    alone("wall_foreign", async |bench| {
        prepare(bench).await;
        let one = tenant(bench, 1);
        let foreign = invoice(2, 1);
        let other = |error: Error| assert!(matches!(error, Error::OtherTenant { .. }), "{error}");
        other(Invoice::insert(&one, &foreign).await.expect_err("refused"));
        other(
            Invoice::insert_many(&one, [&invoice(1, 2), &foreign])
                .await
                .expect_err("refused"),
        );
        other(foreign.save(&one).await.expect_err("refused"));
        other(Invoice::upsert(&one, &foreign).await.expect_err("refused"));
        let mut foreign = note(2, "a");
        other(foreign.save_if_unchanged(&one).await.expect_err("refused"));
        assert_eq!(bench.count(), 0, "nothing is sent");

        let mine = note(1, "b");
        Note::insert(&one, &mine).await.expect("stored");
        let moved = Note::update_with(&one, mine.id, |note| note.org = org(2)).await;
        other(moved.expect_err("refused"));
        assert_eq!(
            bench.stored("notes", mine.id).await.get("org"),
            Some(&Bson::from(org(1)))
        );
    })
    .await;
}

#[tokio::test]
async fn a_save_does_not_take_over_a_document_of_another_tenant() {
    on_both("wall_save", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        let theirs = invoice(2, 1);
        Invoice::insert(&other, &theirs).await.expect("stored");
        let taken = Invoice {
            id: theirs.id,
            ..invoice(1, 1)
        };
        let error = taken.save(&one).await.expect_err("their id");
        assert!(Invoice::is_duplicate(&error, |i| i.id), "{error}");
        let across = bench.db.across_tenants::<Id<Org>>("a test");
        let error = taken.save(&across).await.expect_err("their id");
        assert!(Invoice::is_duplicate(&error, |i| i.id), "{error}");
        let stored = Invoice::get(&other, theirs.id).await.expect("read");
        assert_eq!(stored, Some(theirs));
    })
    .await;
}

#[tokio::test]
async fn a_call_across_tenants_sees_all_and_says_why() {
    alone("wall_across", async |bench| {
        prepare(bench).await;
        for of in [1, 2] {
            let db = tenant(bench, of);
            Invoice::insert(&db, &invoice(of, 7)).await.expect("stored");
        }
        bench.forget();
        let across = bench.db.across_tenants::<Id<Org>>("monthly run");
        assert_eq!(
            Invoice::scan(&across, |i| i.number.eq(7))
                .await
                .expect("found")
                .len(),
            2
        );
        let sent = bench.only();
        let comment = sent.get_str("comment").expect("a comment");
        assert!(
            comment
                .starts_with("across tenants: monthly run; Invoice::find tests/walling/calls.rs:"),
            "{comment}"
        );
        assert_eq!(
            sent.get_document("filter").expect("a filter"),
            &doc! { "number": { "$eq": 7 } }
        );
        let groups = Invoice::group_by(&across, |i| i.number)
            .count()
            .await
            .expect("grouped");
        assert_eq!(groups[0].totals, (2,));
        let one = tenant(bench, 1);
        let find = || Invoice::find(&one, |i| i.number.eq(7));
        let (numbers, texts) = find().facet(|i| (i.number, i.text)).await.expect("counted");
        assert_eq!((numbers[0].totals, texts.len()), (1, 1));
        let lines = find().unwind(|i| i.lines).await.expect("found");
        assert_eq!(lines, invoice(1, 7).lines);
        let pipeline = find().into_pipeline().expect("a pipeline");
        let mine = doc! { "$match": { "number": { "$eq": 7 }, "o": { "$eq": org(1) } } };
        assert_eq!(pipeline, [mine]);
        assert!(
            !format!("{:?}", tenant(bench, 1)).contains("0101"),
            "no value in Debug"
        );
    })
    .await;
}

#[tokio::test]
async fn a_filter_on_the_tenant_itself_cannot_open_the_wall() {
    alone("wall_filter", async |bench| {
        prepare(bench).await;
        let (one, other) = (tenant(bench, 1), tenant(bench, 2));
        Invoice::insert(&other, &invoice(2, 1))
            .await
            .expect("stored");
        let theirs = Invoice::scan(&one, |i| i.org.eq(org(2)))
            .await
            .expect("found");
        assert!(theirs.is_empty());
        let raw = || mongo_model::raw_filter::<Invoice>(doc! { "$or": [{}, { "o": org(2) }] });
        let theirs = Invoice::scan(&one, |i| raw().or(i.org.eq(org(2))))
            .await
            .expect("found");
        assert!(theirs.is_empty());
        let either = Invoice::scan(&one, |i| i.number.eq(1).or(i.org.ne(org(1)))).await;
        assert!(either.expect("found").is_empty());
    })
    .await;
}
