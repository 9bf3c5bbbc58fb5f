//! Rules about the items of buckets, and about the other fields of one.

use mongo_model::{BucketId, Error, Id, MongoEmbed, MongoModel, Result, sync_validators, verify};
use serde::{Deserialize, Serialize};

use super::Host;
use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Sample {
    pub id: i64,
    #[check(range = -50.0..=50.0)]
    pub heat: f64,
    #[check(len = 1..=5)]
    pub unit: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "checked_pages", bucket(samples))]
pub struct SamplePage {
    #[serde(rename = "_id")]
    pub id: BucketId<Host>,
    #[parent(Host, on_delete = cascade, unchecked)]
    pub host: Id<Host>,
    pub count: i64,
    #[embed(max = 20)]
    pub samples: Vec<Sample>,
    #[check(range = 0..=9)]
    pub seen: Option<i64>,
}

fn sample(id: i64, heat: f64, unit: &str) -> Sample {
    Sample {
        id,
        heat,
        unit: unit.to_owned(),
    }
}

#[track_caller]
fn broken<T: std::fmt::Debug>(result: Result<T>) -> Vec<String> {
    match result.expect_err("a rule is broken") {
        Error::Invalid { violations, .. } => violations.iter().map(ToString::to_string).collect(),
        other => panic!("{other:?}"),
    }
}

async fn stored(bench: &Bench, host: Id<Host>) -> Vec<i64> {
    let pages = SamplePage::by_host(&bench.db, host).await.expect("read");
    let samples = pages.iter().flat_map(|page| &page.samples);
    samples.map(|sample| sample.id).collect()
}

#[tokio::test]
async fn no_item_that_breaks_a_rule_is_pushed() {
    on_both("bucket_checked", async |bench| {
        let db = &bench.db;
        bench.index(&[SamplePage::meta()]).await;
        sync_validators(db)
            .only::<SamplePage>()
            .error()
            .await
            .expect("applied");
        let host = Id::new();
        bench.forget();
        let wrong = sample(1, 50.5, "");
        let both = [
            "samples.heat must be -50 to 50",
            "samples.unit must have a length of 1 to 5",
        ];
        assert_eq!(broken(SamplePage::push(db, host, &wrong).await), both);
        let many = [sample(2, 1.0, "C"), sample(3, f64::NAN, "C")];
        let many = SamplePage::push_many(db, host, &many).await;
        assert_eq!(broken(many), both[..1]);
        assert_eq!(bench.sent(), Vec::<String>::new(), "nothing is sent");
        let right = [sample(4, 50.0, "C"), sample(5, -50.0, "C")];
        SamplePage::push_many(db, host, &right)
            .await
            .expect("pushed");
        assert_eq!(stored(bench, host).await, [4, 5]);

        // The other fields of a bucket are changed by updates.
        let page = SamplePage::by_host(db, host).await.expect("read").remove(0);
        let seen = |by| SamplePage::update(db, page.id).inc(|p| p.seen, by);
        seen(9).await.expect("changed");
        assert_eq!(broken(seen(1).await), ["seen must be 0 to 9"]);
        let found = verify(db).only::<SamplePage>().await.expect("verified");
        assert!(found.invalid.is_empty(), "{found}");
    })
    .await;
}
