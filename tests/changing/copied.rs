//! Fields that others copy, changed by every operator.

use bson::doc;
use mongo_model::MongoModel;

use crate::changing::{Part, Size, Thing, ThingEntry, thing};
use crate::common::on_both;

#[tokio::test]
async fn every_change_reaches_the_copies() {
    on_both("copied", async |bench| {
        let db = &bench.db;
        bench.index(&[Part::meta(), Thing::meta()]).await;
        let part = Part {
            id: 1,
            name: "bolt".to_owned(),
            size: Size { width: 1 },
            qty: 1,
        };
        Part::insert(db, &part).await.expect("stored");
        let holder = Thing {
            entries: vec![ThingEntry {
                id: 1,
                name: "bolt".to_owned(),
                size: Size { width: 1 },
            }],
            ..thing(1)
        };
        Thing::insert(db, &holder).await.expect("stored");
        bench.forget();
        // Each update, with the name and the width that the copy must then have.
        let update = || Part::update(db, 1);
        let changes = [
            (update().set(|p| p.name, "nut"), ("nut", 1)),
            (update().set(|p| p.size, Size { width: 2 }), ("nut", 2)),
            (update().inc(|p| p.size.width, 1), ("nut", 3)),
            (
                update().inc(|p| p.qty, 1).set(|p| p.name, "washer"),
                ("washer", 3),
            ),
            (update().max(|p| p.name, "zip"), ("zip", 3)),
        ];
        for (change, (name, width)) in changes {
            let done = change.await.expect("changed");
            assert_eq!((done.matched, done.pending.len()), (1, 0));
            assert_eq!(bench.sent(), ["findAndModify", "update", "update"]);
            let stored = Thing::get(db, 1).await.expect("read").expect("stored");
            let entry = &stored.entries[0];
            assert_eq!((entry.name.as_str(), entry.size.width), (name, width));
            bench.forget();
        }
        let done = Part::update_many(db, |p| p.id.eq(1))
            .set(|p| p.name, "pin")
            .await
            .expect("changed");
        assert_eq!((done.matched, done.modified, done.pending.len()), (1, 1, 0));
        let stored = bench.stored("things", 1).await;
        let entry = stored.get_array("entries").expect("entries")[0].clone();
        let r = entry
            .as_document()
            .and_then(|entry| entry.get("_r"))
            .cloned();
        let source = bench.stored("parts", 1).await;
        let revision = source.get_document("_dn").expect("flags").get("r").cloned();
        assert_eq!(r, revision, "the copy says which revision it is of");
        assert_eq!(
            entry.as_document().expect("an entry").get_str("name").ok(),
            Some("pin")
        );
        bench.forget();

        Part::update(db, 1)
            .inc(|p| p.qty, 1)
            .await
            .expect("changed");
        assert_eq!(bench.sent(), ["update"], "nobody copies it");
        let unflagged = doc! { "_dn.p": { "$exists": true } };
        assert_eq!(
            bench.raw("parts").count_documents(unflagged).await.ok(),
            Some(0)
        );
    })
    .await;
}
