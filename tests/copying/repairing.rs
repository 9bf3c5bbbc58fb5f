//! `repair` corrects the defects that `verify` finds, and writes nothing else.

use bson::{Bson, Document, doc, oid::ObjectId};
use mongo_model::denorm::Defect;
use mongo_model::{MongoModel, recover, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};
use mongo_model::Id;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "r_makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "r_gadgets")]
struct Gadget {
    #[serde(rename = "_id")]
    id: i64,
    #[refs(Maker, max = 100)]
    #[denorm(from = Maker, fields(name))]
    makers: Vec<GadgetMaker>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "r_boxes")]
struct Carton {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Maker)]
    maker: Id<Maker>,
    #[denorm(from = Maker, field = name, via = maker)]
    maker_name: String,
}

/// Copied from a copy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "r_pallets")]
struct Pallet {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Carton)]
    carton: i64,
    #[denorm(from = Carton, field = maker_name, via = carton)]
    maker_name: String,
}

async fn start(bench: &Bench) {
    bench
        .index(&[
            Maker::meta(),
            Gadget::meta(),
            Carton::meta(),
            Pallet::meta(),
        ])
        .await;
}

/// Everything is right, nothing is flagged, and another repair writes nothing.
async fn right(bench: &Bench) {
    bench.forget();
    assert!(repair(&bench.db).await.expect("looked").is_idle());
    let writes = ["update", "findAndModify", "insert", "delete"];
    let sent = bench.sent();
    assert!(
        !sent.iter().any(|name| writes.contains(&name.as_str())),
        "{sent:?}"
    );
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    let found = verify(&bench.db).await.expect("looked");
    assert!(found.is_clean(), "{found}");
    bench.forget();
}

fn maker(id: ObjectId, name: &str, r: i32) -> Document {
    doc! { "_id": id, "name": name, "_dn": { "r": r } }
}

/// The revision of a source that a repair has raised above all that another program may have put back.
fn far(source: &Document) -> i64 {
    let dn = source.get_document("_dn").expect("own fields");
    let names: Vec<&String> = dn.keys().collect();
    assert_eq!(names, ["r"], "{source}");
    let r = dn.get_i64("r").expect("a long");
    assert!(r > 1_000_000_000_000, "{source}");
    r
}

/// W2 of a writer that read the maker's name before another program changed it, and that is late. Returns how many copies it reached.
async fn late(bench: &Bench, maker: ObjectId, r: i32) -> u64 {
    let older = doc! { "maker": maker, "_r_maker": { "$not": { "$gte": r } } };
    let change = doc! { "$set": { "maker_name": "before", "_r_maker": r } };
    let done = bench.raw("r_boxes").update_many(older, change).await;
    done.expect("W2").matched_count
}

#[tokio::test]
async fn stale_copies_become_what_their_sources_say() {
    on_both("repair_stale", async |bench| {
        start(bench).await;
        let (a, b) = (ObjectId::new(), ObjectId::new());
        bench.seed("r_makers", [maker(a, "a", 3), maker(b, "b", 1)]).await;
        let entry = |id: ObjectId, name: &str, r: i32| doc! { "id": id, "name": name, "_r": r };
        bench
            .seed(
                "r_gadgets",
                [
                    // The source's current revision, which fences out every ordinary correction; twice, next to a correct entry.
                    doc! { "_id": 1_i64, "makers": [entry(a, "A", 3), entry(b, "b", 1), entry(a, "x", 3)], "note": "kept" },
                    // Older, and two references in one document.
                    doc! { "_id": 2_i64, "makers": [entry(a, "A", 2), entry(b, "B", 1)] },
                    // Without a revision; of another type.
                    doc! { "_id": 3_i64, "makers": [{ "id": a, "name": "old" }, { "id": b, "name": Bson::Symbol("b".to_owned()) }] },
                    doc! { "_id": 4_i64, "makers": [entry(a, "a", 3)] },
                ],
            )
            .await;
        bench
            .seed(
                "r_boxes",
                [
                    doc! { "_id": 1_i64, "maker": a, "maker_name": "A", "_r_maker": 3, "_dn": { "r": 5 } },
                    doc! { "_id": 2_i64, "maker": b, "maker_name": "b", "_r_maker": 1, "_dn": { "r": 5 } },
                ],
            )
            .await;
        let done = repair(&bench.db).await.expect("repaired");
        assert_eq!((done.documents, done.sources), (4, 0), "{done}");
        assert_eq!(done.refused, []);
        let gadgets = done.found.reference("r_gadgets.makers").expect("edge");
        assert_eq!(gadgets.count(Defect::Stale), 5, "{done}");
        assert_eq!(gadgets.count(Defect::WrongType), 1, "{done}");
        right(bench).await;
        let stored = bench.stored("r_gadgets", 1_i64).await;
        // The source was raised, so that nothing that was read before can be written any more. The correct entry was not touched.
        let now = far(&bench.stored("r_makers", a).await);
        let new = doc! { "id": a, "name": "a", "_r": now };
        let whole = doc! { "_id": 1_i64, "makers": [&new, &entry(b, "b", 1), &new], "note": "kept" };
        assert_eq!(stored, whole);
        let carton = bench.stored("r_boxes", 1_i64).await;
        assert_eq!(carton.get("maker_name"), Some(&Bson::from("a")));
        // Other documents may copy the corrected one: they had to follow.
        assert_eq!(carton.get("_dn"), Some(&Bson::from(doc! { "r": 6 })));
    })
    .await;
}

#[tokio::test]
async fn copies_of_copies_follow_a_correction() {
    alone("repair_chain", async |bench| {
        start(bench).await;
        let a = ObjectId::new();
        bench.seed("r_makers", [maker(a, "a", 1)]).await;
        bench
            .seed("r_boxes", [doc! { "_id": 1_i64, "maker": a, "maker_name": "A", "_r_maker": 1, "_dn": { "r": 1 } }])
            .await;
        bench
            .seed("r_pallets", [doc! { "_id": 1_i64, "carton": 1_i64, "maker_name": "A", "_r_carton": 1 }])
            .await;
        repair(&bench.db).await.expect("repaired");
        assert_eq!(bench.stored("r_pallets", 1_i64).await.get("maker_name"), Some(&Bson::from("a")));
        right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_source_from_a_backup_gets_ahead_of_its_copies() {
    on_both("repair_ahead", async |bench| {
        start(bench).await;
        let (a, b) = (ObjectId::new(), ObjectId::new());
        // `a` was restored; a whole document was written over `b`.
        bench
            .seed(
                "r_makers",
                [maker(a, "a", 2), doc! { "_id": b, "name": "b" }],
            )
            .await;
        let entry = |id: ObjectId, name: &str, r: i32| doc! { "id": id, "name": name, "_r": r };
        bench
            .seed(
                "r_gadgets",
                [
                    doc! { "_id": 1_i64, "makers": [entry(a, "later", 7), entry(b, "b", 4)] },
                    doc! { "_id": 2_i64, "makers": [entry(a, "a", 5)] },
                    doc! { "_id": 3_i64, "makers": [entry(a, "a", 2)] },
                ],
            )
            .await;
        let done = repair(&bench.db).await.expect("repaired");
        assert_eq!((done.documents, done.sources), (0, 2), "{done}");
        let gadgets = done.found.reference("r_gadgets.makers").expect("edge");
        assert_eq!(gadgets.count(Defect::Ahead), 3, "{done}");
        right(bench).await;
        let now = far(&bench.stored("r_makers", a).await);
        let first = bench.stored("r_gadgets", 1_i64).await;
        let entries = first.get_array("makers").expect("entries");
        assert_eq!(
            entries[0],
            Bson::from(doc! { "id": a, "name": "a", "_r": now })
        );

        // And it is followed again.
        Maker::update(&bench.db, Id::from(a))
            .set(|m| m.name, "new")
            .await
            .expect("renamed");
        let second = bench.stored("r_gadgets", 2_i64).await;
        let entries = second.get_array("makers").expect("entries");
        assert_eq!(
            entries[0],
            Bson::from(doc! { "id": a, "name": "new", "_r": now + 1 })
        );
        right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn what_has_no_source_is_reported_and_left() {
    alone("repair_orphans", async |bench| {
        start(bench).await;
        let a = ObjectId::new();
        bench.seed("r_makers", [maker(a, "a", 1)]).await;
        let orphan = doc! { "_id": 1_i64, "makers": [{ "id": ObjectId::new(), "name": "?" }] };
        let text = doc! { "_id": 2_i64, "makers": [{ "id": a.to_hex(), "name": "?" }] };
        bench
            .seed("r_gadgets", [orphan.clone(), text.clone()])
            .await;
        let done = repair(&bench.db).only::<Gadget>().await.expect("looked");
        assert!(done.is_idle(), "{done}");
        assert!(!bench.sent().contains(&"update".to_owned()));
        let gadgets = done.found.reference("r_gadgets.makers").expect("edge");
        assert_eq!(
            (
                gadgets.count(Defect::Orphan),
                gadgets.count(Defect::WrongType)
            ),
            (1, 1),
            "{done}"
        );
        assert_eq!(bench.stored("r_gadgets", 1_i64).await, orphan);
        assert_eq!(bench.stored("r_gadgets", 2_i64).await, text);
    })
    .await;
}

// A writer has flagged the source, and then another program changed it. The writer is about to fan out what it read before that.
#[tokio::test]
async fn what_is_flagged_is_finished_before_whoever_is_at_it() {
    on_both("repair_flagged", async |bench| {
        start(bench).await;
        for copied in ["old", "now"] {
            let a = ObjectId::new();
            let mut source = maker(a, "now", 3);
            let own = source.get_document_mut("_dn").expect("own fields");
            own.insert("p", vec!["r_boxes.maker", "r_gadgets.makers"]);
            bench.seed("r_makers", [source]).await;
            let carton = doc! { "_id": 1_i64, "maker": a, "maker_name": copied, "_r_maker": 2, "_dn": { "r": 1 } };
            bench.seed("r_boxes", [carton]).await;
            let done = repair(&bench.db).await.expect("repaired");
            assert_eq!((done.sources, done.documents), (1, 0), "{done}");
            assert_eq!(done.refused, []);
            assert_eq!(late(bench, a, 3).await, 0, "{copied}");
            let stored = bench.stored("r_boxes", 1_i64).await;
            assert_eq!(stored.get_str("maker_name").ok(), Some("now"));
            let now = far(&bench.stored("r_makers", a).await);
            assert_eq!(stored.get_i64("_r_maker").ok(), Some(now));
            right(bench).await;
            for name in ["r_makers", "r_boxes"] {
                bench.raw(name).delete_many(doc! {}).await.expect("deleted");
            }
        }
    })
    .await;
}

// The flag of the late writer is gone: another program has finished its work.
#[tokio::test]
async fn a_late_fan_out_does_not_undo_a_repair() {
    on_both("repair_late", async |bench| {
        start(bench).await;
        let a = ObjectId::new();
        bench.seed("r_makers", [maker(a, "now", 3)]).await;
        let carton = |n: i64, r: i32| doc! { "_id": n, "maker": a, "maker_name": "before", "_r_maker": r, "_dn": { "r": 1 } };
        bench.seed("r_boxes", [carton(1, 3), carton(2, 2)]).await;
        let done = repair(&bench.db).only::<Carton>().await.expect("repaired");
        assert_eq!((done.sources, done.documents), (0, 2), "{done}");
        let now = far(&bench.stored("r_makers", a).await);
        for n in [1_i64, 2] {
            let stored = bench.stored("r_boxes", n).await;
            assert_eq!(stored.get_i64("_r_maker").ok(), Some(now));
        }
        assert_eq!(late(bench, a, 3).await, 0);
        right(bench).await;
    })
    .await;
}

// The mark of an insert whose writer has read the source, and then another program changed it.
#[tokio::test]
async fn what_is_marked_is_compared_before_whoever_is_at_it() {
    on_both("repair_marked", async |bench| {
        start(bench).await;
        let a = ObjectId::new();
        bench.seed("r_makers", [maker(a, "now", 3)]).await;
        let own = doc! { "r": 1, "u": [{ "t": ObjectId::new() }] };
        let carton = doc! { "_id": 1_i64, "maker": a, "maker_name": "now", "_dn": own };
        bench.seed("r_boxes", [carton]).await;
        repair(&bench.db).await.expect("repaired");
        // I3 is a W2 of one document that has the mark.
        assert_eq!(late(bench, a, 3).await, 0);
        right(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_document_that_the_server_refuses_stays_flagged_and_stops_no_other() {
    alone("repair_refused", async |bench| {
        let refuse = doc! { "makers.name": { "$ne": "a" } };
        let create = bench.db.create_collection("r_gadgets");
        create.validator(refuse).await.expect("created");
        start(bench).await;
        let (a, b) = (ObjectId::new(), ObjectId::new());
        bench
            .seed("r_makers", [maker(a, "a", 1), maker(b, "b", 1)])
            .await;
        let gadget =
            |n: i64, id: ObjectId| doc! { "_id": n, "makers": [{ "id": id, "name": "?" }] };
        bench.seed("r_gadgets", [gadget(1, a), gadget(2, b)]).await;
        let done = repair(&bench.db).await.expect("repaired");
        let refused: Vec<&Bson> = done.refused.iter().map(|(id, _)| id).collect();
        assert_eq!(refused, [&Bson::Int64(1)], "{done}");
        assert_eq!(done.documents, 1);
        let marked = bench.stored("r_gadgets", 1_i64).await;
        assert!(marked.get_document("_dn").expect("own").contains_key("u"));
        let found = verify(&bench.db).await.expect("looked");
        assert!(found.is_clean(), "{found}");
    })
    .await;
}
