//! Documents of an older schema: their migration keeps their tenant.

use bson::{Document, doc};
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use super::{Org, org, tenant};
use crate::common::on_both;

/// Version 1 had documents without a tenant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "folders", tenant = org, schema_version = 2, migrate = settled, unversioned = 1)]
struct Folder {
    #[serde(rename = "_id")]
    id: i32,
    org: Id<Org>,
    name: String,
}

/// Gives the tenant that the name says.
fn settled(mut old: Document, _version: i32) -> Document {
    let of = match old.get_str("name") {
        Ok("two") => 2,
        _ => 1,
    };
    old.insert("org", org(of));
    old
}

#[tokio::test]
async fn a_migration_fills_in_a_tenant_and_changes_none() {
    on_both("wall_migrated", async |bench| {
        let old = [
            doc! { "_id": 1, "name": "one" },
            doc! { "_id": 2, "name": "two" },
            doc! { "_id": 3, "org": null, "name": "two" },
            doc! { "_id": 4, "org": org(2), "name": "two" },
            doc! { "_id": 5, "org": org(1), "name": "two" },
        ];
        let stored = bench.raw("folders").insert_many(&old).await;
        stored.expect("stored");
        let done = Folder::migrate(&bench.db).await.expect("looked at");
        assert_eq!((done.found, done.migrated), (5, 4), "{done:?}");
        let [refused] = &done.refused[..] else {
            panic!("{done:?}");
        };
        assert!(
            refused.reason.contains("gives a Folder another tenant"),
            "{refused:?}"
        );
        let kept = bench.raw("folders").find_one(doc! { "_id": 5 }).await;
        assert_eq!(kept.expect("read").as_ref(), Some(&old[4]));
        for (of, ids) in [(1, vec![1]), (2, vec![2, 3, 4])] {
            let db = tenant(bench, of);
            let found = Folder::find(&db, |f| f.id.lte(4)).ids();
            let mut found = found.await.expect("found");
            found.sort_unstable();
            assert_eq!(found, ids);
        }

        let db = tenant(bench, 1);
        let changed = Folder::update(&db, 5).set(|f| f.name, "three");
        let error = changed.await.expect_err("its migration is refused");
        assert!(matches!(error, Error::Impossible { .. }), "{error:?}");
        let kept = bench.raw("folders").find_one(doc! { "_id": 5 }).await;
        assert_eq!(kept.expect("read").as_ref(), Some(&old[4]));
    })
    .await;
}
