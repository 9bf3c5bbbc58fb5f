//! The indexes of walled models begin with the tenant.

use mongo_model::MongoModel;

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
