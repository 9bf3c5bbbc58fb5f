//! Shared documents: each is read once, and the same for all that refer to it.

use std::sync::Arc;

use mongo_model::Error;
use mongo_model::load::Loaded;

use crate::common::alone;
use crate::loading::{Kit, Part, kit, part};

fn ids(parts: &[Arc<Part>]) -> Vec<i32> {
    parts.iter().map(|part| part.id).collect()
}

#[tokio::test]
async fn all_references_to_a_document_get_the_same() {
    alone("sharing", async |bench| {
        bench.kit_parts(1..=4).await;
        let kits = [kit(1, &[3, 1, 3, 9]), kit(2, &[1, 2])];
        let joined = Kit::load_parts_many(&bench.db, &kits).shared();
        let joined = joined.await.expect("loaded");
        assert_eq!(bench.asked_ids("kit_parts"), [1, 2, 3, 9]);
        let [(first, of_first), (_, of_second)] = &joined[..] else {
            panic!("two kits")
        };
        assert_eq!(first.id, 1);
        assert_eq!(ids(of_first), [3, 1, 3]);
        assert_eq!(of_first.missing(), [9]);
        assert_eq!(ids(of_second), [1, 2]);
        assert!(Arc::ptr_eq(&of_first[0], &of_first[2]));
        assert!(Arc::ptr_eq(&of_first[1], &of_second[0]));
        assert_eq!(*of_first[0], part(3));
        // Two places each, and the loader keeps none.
        let held = |part: &Arc<Part>| Arc::strong_count(part);
        assert_eq!(
            [held(&of_first[0]), held(&of_first[1]), held(&of_second[1])],
            [2, 2, 1]
        );
    })
    .await;
}

#[tokio::test]
async fn shared_as_everything_else_is_asked() {
    alone("sharing_options", async |bench| {
        bench.kit_parts(1..=5).await;
        let both = [kit(1, &[3, 8, 1]), kit(2, &[5, 3])];
        let db = &bench.db;
        let slots = Kit::load_parts_many(db, &both).keep_slots().shared().await;
        let slots = slots.expect("loaded");
        let places: Vec<Option<i32>> = slots[0]
            .1
            .iter()
            .map(|slot| Some(slot.as_ref()?.id))
            .collect();
        assert_eq!(places, [Some(3), None, Some(1)]);

        let filtered = Kit::load_parts_many(db, &both)
            .filter(|p| p.value.gt(2))
            .sort(|p| p.id.desc());
        let filtered = filtered.shared().await.expect("loaded");
        assert_eq!(
            [ids(&filtered[0].1), ids(&filtered[1].1)],
            [vec![3], vec![5, 3]]
        );
        assert!(Arc::ptr_eq(&filtered[0].1[0], &filtered[1].1[1]));

        let known = [part(3)];
        bench.forget();
        let reused: Loaded<Arc<Part>, i32> = both[1]
            .load_parts(db)
            .reuse(&known)
            .shared()
            .await
            .expect("loaded");
        assert_eq!(bench.asked_ids("kit_parts"), [5]);
        assert_eq!(ids(&reused), [5, 3]);

        let strict = both[0]
            .load_parts(db)
            .strict()
            .shared()
            .await
            .expect_err("8 dangles");
        assert!(matches!(strict, Error::Dangling { .. }), "{strict}");

        let mut main = kit(3, &[]);
        main.main = Some(4);
        let one = main.load_main(db).shared().await.expect("loaded");
        assert_eq!(one.value().map(|part| part.id), Some(4));
    })
    .await;
}
