//! Loading ids that no document has, and loading no ids at all.

use bson::{Bson, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{alone, on_both};
use crate::loading::{Kit, Part, kit, numbers, part};

#[tokio::test]
async fn strict_names_the_model_the_field_and_the_ids() {
    on_both("strict", async |bench| {
        let db = &bench.db;
        bench.kit_parts([1, 2]).await;
        let gone = kit(1, &[1, 77, 2, 77, 78]);
        let error = gone.load_parts(db).strict().await.expect_err("dangling");
        let Error::Dangling {
            model,
            field,
            target,
            ids,
        } = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!((*model, field.as_str(), *target), ("Kit", "parts", "Part"));
        assert_eq!(ids, &[Bson::Int32(77), Bson::Int32(78)]);
        assert_eq!(
            error.to_string(),
            "Kit.parts refers to documents of Part that do not exist: 77, 78"
        );
        let kits = [kit(2, &[1]), gone];
        let error = Kit::load_parts_many(db, &kits).strict().await;
        assert!(matches!(error, Err(Error::Dangling { .. })), "{error:?}");
        let error = Kit::load(db, &kits, |k| k.parts).strict().await;
        assert!(matches!(error, Err(Error::Dangling { .. })), "{error:?}");

        let whole = kit(3, &[2, 1, 2])
            .load_parts(db)
            .strict()
            .await
            .expect("all there");
        assert_eq!(numbers(&whole), [2, 1, 2]);
        let one = Kit {
            main: Some(77),
            ..kit(4, &[])
        };
        let error = one.load_main(db).strict().await;
        assert!(matches!(error, Err(Error::Dangling { .. })), "{error:?}");
        let none = kit(5, &[])
            .load_main(db)
            .strict()
            .await
            .expect("no reference");
        assert_eq!(none.value(), None);
    })
    .await;
}

#[tokio::test]
async fn slots_keep_their_places() {
    on_both("slots", async |bench| {
        let db = &bench.db;
        bench.kit_parts([1, 2]).await;
        let kit = kit(1, &[2, 77, 1, 77, 2]);
        let slots = kit.load_parts(db).keep_slots().await.expect("loaded");
        let found = [Some(part(2)), None, Some(part(1)), None, Some(part(2))];
        assert_eq!(slots.slots(), found);
        assert_eq!(slots.missing(), [77]);
        assert_eq!(bench.asked_ids("kit_parts"), [1, 2, 77]);
        let kits = [kit];
        let many = Kit::load_parts_many(db, &kits)
            .keep_slots()
            .await
            .expect("loaded");
        assert_eq!(many[0].1.slots(), found);
        let dropped = kits[0]
            .load_parts(db)
            .keep_slots()
            .drop_missing()
            .await
            .expect("loaded");
        assert_eq!(
            (numbers(&dropped), dropped.missing()),
            (vec![2, 1, 2], &[77][..])
        );
    })
    .await;
}

/// The places of a rack, some of them empty.
#[derive(Debug, Clone, Serialize, Deserialize, MongoModel)]
#[model(collection = "racks")]
struct Rack {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Part, max = 10)]
    places: Vec<Option<i32>>,
}

#[tokio::test]
async fn nulls_keep_their_slots() {
    on_both("null_slots", async |bench| {
        let db = &bench.db;
        bench.kit_parts([1, 2]).await;
        let rack = Rack {
            id: 1,
            places: vec![None, Some(2), None, Some(77), Some(1), None],
        };
        let found = [None, Some(part(2)), None, None, Some(part(1)), None];
        let slots = rack.load_places(db).keep_slots().await.expect("loaded");
        assert_eq!((slots.slots(), slots.missing()), (&found[..], &[77][..]));
        assert_eq!(bench.asked_ids("kit_parts"), [1, 2, 77]);
        let racks = [rack];
        let many = Rack::load_places_many(db, &racks).keep_slots().await;
        assert_eq!(many.expect("loaded")[0].1.slots(), found);
        let shared = Rack::load_places_many(db, &racks).keep_slots().shared();
        let shared = shared.await.expect("loaded");
        let shared = shared[0].1.slots().iter();
        let shared: Vec<_> = shared.map(|slot| slot.as_deref().cloned()).collect();
        assert_eq!(shared, found);
        let at = Rack::load(db, &racks, |r| r.places).keep_slots().await;
        assert_eq!(at.expect("loaded")[0].1.slots(), found);
        bench.forget();

        // Without slots a null is nothing: neither missing nor counted.
        let dense = racks[0].load_places(db).limit(1).await.expect("loaded");
        assert_eq!(numbers(&dense), [2]);
        let error = racks[0].load_places(db).strict().await;
        let Err(Error::Dangling { ids, .. }) = error else {
            panic!("{error:?}");
        };
        assert_eq!(ids, [Bson::Int32(77)]);
        let empty = Rack {
            id: 2,
            places: vec![None, None],
        };
        bench.forget();
        let slots = empty.load_places(db).keep_slots().await.expect("loaded");
        assert_eq!(slots.slots(), [None, None]);
        assert_eq!(bench.count(), 0);
    })
    .await;
}

#[tokio::test]
async fn null_and_absent_references_ask_for_nothing() {
    alone("null_refs", async |bench| {
        let db = &bench.db;
        bench
            .seed(
                "kits",
                [
                    doc! { "_id": 1, "parts": [], "main": null },
                    doc! { "_id": 2, "parts": [] },
                ],
            )
            .await;
        let kits = Kit::scan(db, |k| k.all()).await.expect("found");
        bench.forget();
        for kit in &kits {
            let none = kit.load_main(db).await.expect("nothing to do");
            assert_eq!((none.value(), none.missing()), (None, None));
        }
        let many = Kit::load_main_many(db, &kits).await.expect("nothing to do");
        assert!(many.len() == 2 && many.iter().all(|(_, one)| one.value().is_none()));
        let filtered = kits[0]
            .load_parts(db)
            .filter(|p| p.value.gt(1))
            .sort(|p| p.name.asc());
        assert_eq!(filtered.await.expect("nothing to do").values(), []);
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn each_parent_gets_its_own_and_only_its_own() {
    on_both("own", async |bench| {
        let db = &bench.db;
        bench.kit_parts(1..=3).await;
        let kits = [
            kit(1, &[]),
            Kit {
                main: Some(2),
                ..kit(2, &[])
            },
            Kit {
                main: Some(9),
                ..kit(3, &[])
            },
        ];
        let many = Kit::load_main_many(db, &kits).await.expect("loaded");
        let found: Vec<_> = many
            .iter()
            .map(|(kit, one)| (kit.id, one.value().cloned(), one.missing().copied()))
            .collect();
        assert_eq!(
            found,
            [
                (1, None, None),
                (2, Some(part(2)), None),
                (3, None, Some(9))
            ]
        );
        assert_eq!(bench.asked_ids("kit_parts"), [2, 9]);

        // Shared by two parents, owned by each.
        let kits = [kit(1, &[1]), kit(2, &[1])];
        let many = Kit::load_parts_many(db, &kits).await.expect("loaded");
        assert_eq!(bench.asked_ids("kit_parts"), [1]);
        let mut parts: Vec<Part> = many.into_iter().flat_map(|(_, parts)| parts).collect();
        parts[0].name.push_str(" changed");
        assert_eq!(parts[1], part(1));
    })
    .await;
}

#[tokio::test]
async fn what_is_at_hand_is_not_asked_for() {
    on_both("reuse", async |bench| {
        let db = &bench.db;
        bench.kit_parts([1, 2, 3]).await;
        let at_hand = [part(1), part(3)];
        let kits = [kit(1, &[3, 2, 1]), kit(2, &[1])];
        let many = Kit::load_parts_many(db, &kits)
            .reuse(&at_hand)
            .await
            .expect("loaded");
        assert_eq!(numbers(&many[0].1), [3, 2, 1]);
        assert_eq!(numbers(&many[1].1), [1]);
        assert_eq!(bench.asked_ids("kit_parts"), [2]);
        let one = kits[1]
            .load_parts(db)
            .reuse(&at_hand)
            .await
            .expect("loaded");
        assert_eq!(one.values(), [part(1)]);
        assert!(bench.sent().is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_stored_reference_of_another_type_is_an_error_that_names_it() {
    alone("bad_refs", async |bench| {
        let db = &bench.db;
        for (id, parts) in [
            (1, doc! { "p": [1, null] }),
            (2, doc! { "p": [1, "two"] }),
            (3, doc! { "p": { "not": "an array" } }),
        ] {
            let parts = parts.get("p").cloned().expect("seed");
            bench
                .seed("kits", [doc! { "_id": id, "parts": parts, "main": null }])
                .await;
            let error = Kit::get(db, id).await.expect_err("not what the model says");
            let Error::Decode { model, id: of, .. } = &error else {
                panic!("{error:?}");
            };
            assert_eq!((*model, of.as_str()), ("Kit", id.to_string().as_str()));
            assert!(
                error.to_string().contains("parts"),
                "the path is named: {error}"
            );
        }
    })
    .await;
}
