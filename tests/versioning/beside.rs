//! Versions beside copies, references and numbers: what the library keeps moves no version, and no version keeps it from following.

use bson::{Bson, doc};
use mongo_model::{Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::versioning::conflict;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "vparts")]
pub struct VPart {
    #[serde(rename = "_id")]
    pub id: Id<VPart>,
    pub name: String,
    pub qty: i64,
    #[count(VProduct)]
    pub used: i64,
    #[version]
    pub version: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "vproducts")]
pub struct VProduct {
    #[serde(rename = "_id")]
    pub id: Id<VProduct>,
    pub title: String,
    #[parent(VPart)]
    pub part: Id<VPart>,
    #[denorm(from = VPart, field = name)]
    pub part_name: String,
    #[version]
    pub version: i64,
}

pub(crate) fn part(name: &str) -> VPart {
    VPart {
        id: Id::new(),
        name: name.to_owned(),
        qty: 1,
        used: 0,
        version: 0,
    }
}

#[tokio::test]
async fn copies_follow_a_versioned_source_and_bump_no_target() {
    on_both("version_copies", async |bench| {
        let db = &bench.db;
        bench.index(&[VPart::meta(), VProduct::meta()]).await;
        let (mut nut, bolt) = (part("nut"), part("bolt"));
        VPart::insert_many(db, [&nut, &bolt]).await.expect("stored");
        let mut product = VProduct {
            id: Id::new(),
            title: "box".to_owned(),
            part: nut.id,
            part_name: "nut".to_owned(),
            version: 0,
        };
        VProduct::insert(db, &product).await.expect("stored");
        // It is counted, which is no change of the part's own.
        let stored = bench.stored("vparts", nut.id.into_raw()).await;
        assert_eq!(
            (stored.get_i64("used").ok(), stored.get_i64("version").ok()),
            (Some(1), Some(0))
        );

        nut.name = "hex nut".to_owned();
        let saved = nut.save_if_unchanged(db).await.expect("saved");
        assert!(saved.pending.is_empty(), "{saved:?}");
        assert_eq!(nut.version, 1);
        let stored = bench.stored("vproducts", product.id.into_raw()).await;
        assert_eq!(stored.get_str("part_name").ok(), Some("hex nut"));
        assert_eq!(stored.get_i64("version").ok(), Some(0));
        assert_eq!(
            bench
                .stored("vparts", nut.id.into_raw())
                .await
                .get_i64("used")
                .ok(),
            Some(1)
        );

        // So the target's reader is not disturbed, and does not put the old copy back.
        product.title = "crate".to_owned();
        product.save_if_unchanged(db).await.expect("saved");
        let stored = bench.stored("vproducts", product.id.into_raw()).await;
        assert_eq!(stored.get_str("title").ok(), Some("crate"));
        assert_eq!(stored.get_str("part_name").ok(), Some("hex nut"));
        assert_eq!(stored.get_i64("version").ok(), Some(1));

        // Updates of a copied field, of another one, and of a reference, each move it by one.
        VPart::update(db, nut.id)
            .set(|p| p.name, "lock nut")
            .await
            .expect("changed");
        VPart::update(db, nut.id)
            .inc(|p| p.qty, 1)
            .await
            .expect("changed");
        VPart::update(db, nut.id)
            .set(|p| p.name, "wing nut")
            .inc(|p| p.qty, 1)
            .await
            .expect("changed");
        let stored = bench.stored("vparts", nut.id.into_raw()).await;
        assert_eq!(
            (stored.get_i64("version").ok(), stored.get_i64("qty").ok()),
            (Some(4), Some(3))
        );
        VProduct::update(db, product.id)
            .set(|p| p.part, bolt.id)
            .await
            .expect("changed");
        let stored = bench.stored("vproducts", product.id.into_raw()).await;
        assert_eq!(stored.get_i64("version").ok(), Some(2));
        assert_eq!(stored.get_str("part_name").ok(), Some("bolt"));
        let counted = [nut.id, bolt.id];
        for (part, used) in counted.into_iter().zip([0, 1]) {
            assert_eq!(
                bench
                    .stored("vparts", part.into_raw())
                    .await
                    .get_i64("used")
                    .ok(),
                Some(used)
            );
        }
        VPart::update_many(db, |p| p.id.is_in([nut.id, bolt.id]))
            .set(|p| p.name, "part")
            .await
            .expect("changed");
        let stored = bench.stored("vparts", bolt.id.into_raw()).await;
        assert_eq!(
            (stored.get_i64("version").ok(), stored.get_str("name").ok()),
            (Some(1), Some("part"))
        );
        let stored = bench.stored("vproducts", product.id.into_raw()).await;
        assert_eq!(stored.get_i64("version").ok(), Some(2));
        assert_eq!(stored.get_str("part_name").ok(), Some("part"));

        // A stale source, and a stale target, change nothing.
        nut.name = "old".to_owned();
        let current: VPart = conflict(nut.save_if_unchanged(db).await.expect_err("too late"))
            .current()
            .expect("a part");
        assert_eq!((current.name.as_str(), current.version), ("part", 5));
        let mut stale = product.clone();
        stale.part = nut.id;
        conflict(stale.save_if_unchanged(db).await.expect_err("too late"));
        assert_eq!(
            bench
                .stored("vproducts", product.id.into_raw())
                .await
                .get_object_id("part")
                .ok(),
            Some(bolt.id.into_raw())
        );

        // A reference that was read in time is stored with its copy.
        let mut product = VProduct::get(db, product.id)
            .await
            .expect("read")
            .expect("there");
        product.part = nut.id;
        product.save_if_unchanged(db).await.expect("saved");
        let stored = bench.stored("vproducts", product.id.into_raw()).await;
        assert_eq!(stored.get_i64("version").ok(), Some(3));
        assert_eq!(stored.get("part"), Some(&Bson::ObjectId(nut.id.into_raw())));
        assert!(
            !stored
                .get_document("_dn")
                .is_ok_and(|dn| dn.contains_key("u")),
            "{stored}"
        );
        let found = mongo_model::verify(db).await.expect("verified");
        assert!(found.is_clean(), "{found}");
        let parts = bench.raw("vparts");
        let flagged = parts.count_documents(doc! { "_dn.p": { "$exists": true } });
        assert_eq!(flagged.await.expect("counted"), 0);
    })
    .await;
}
