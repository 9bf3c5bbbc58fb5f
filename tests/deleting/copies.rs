//! Copies go with the reference that they hang on.

use bson::{Document, doc};
use mongo_model::model::ModelMeta;
use mongo_model::{Error, Id, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::{plain, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "copy_parts")]
struct Part {
    #[serde(rename = "_id")]
    id: Id<Part>,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "copy_kits")]
struct Kit {
    #[serde(rename = "_id")]
    id: Id<Kit>,
    #[refs(Part, max = 100, on_delete = pull)]
    #[denorm(from = Part, field = name)]
    parts: Vec<KitPart>,
    #[parent(Part, on_delete = unset)]
    main: Option<Id<Part>>,
    #[denorm(from = Part, field = name, via = main)]
    main_name: Option<String>,
}

/// Copies the kit's own copy of a part's name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "copy_shelves")]
struct Shelf {
    #[serde(rename = "_id")]
    id: Id<Shelf>,
    #[parent(Kit, on_delete = cascade)]
    kit: Id<Kit>,
    #[denorm(from = Kit, field = main_name)]
    main_name: Option<String>,
}

/// It refuses the delete of its kit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "copy_orders")]
struct Order {
    #[serde(rename = "_id")]
    id: Id<Order>,
    #[parent(Kit)]
    kit: Id<Kit>,
    #[denorm(from = Kit, field = main_name)]
    main_name: Option<String>,
}

/// The models of these tests: all documents that they store.
fn models() -> [&'static ModelMeta; 4] {
    [Part::meta(), Kit::meta(), Shelf::meta(), Order::meta()]
}

async fn start(bench: &Bench) -> (Part, Part, Kit, Shelf) {
    bench
        .index(&[Part::meta(), Kit::meta(), Shelf::meta(), Order::meta()])
        .await;
    let db = &bench.db;
    let part = |name: &str| Part {
        id: Id::new(),
        name: name.to_owned(),
    };
    let (bolt, nut) = (part("bolt"), part("nut"));
    Part::insert_many(db, [&bolt, &nut]).await.expect("stored");
    let kit = Kit {
        id: Id::new(),
        parts: [&bolt, &nut]
            .map(|part| KitPart {
                id: part.id,
                name: part.name.clone(),
            })
            .to_vec(),
        main: Some(bolt.id),
        main_name: Some("bolt".to_owned()),
    };
    Kit::insert(db, &kit).await.expect("stored");
    let shelf = Shelf {
        id: Id::new(),
        kit: kit.id,
        main_name: kit.main_name.clone(),
    };
    Shelf::insert(db, &shelf).await.expect("stored");
    settled(bench).await;
    (bolt, nut, kit, shelf)
}

async fn shown(bench: &Bench, collection: &str, id: bson::oid::ObjectId) -> Document {
    plain(bench.stored(collection, id).await)
}

// B54, B55: entries are pulled, a reference is unset with its copies, and copies of those follow.
#[tokio::test]
async fn copies_go_with_their_reference() {
    on_both("copy_gone", async |bench| {
        let (bolt, nut, kit, shelf) = start(bench).await;
        let done = Part::delete(&bench.db, bolt.id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 0, 2));
        let (kit_id, nut_id) = (*kit.id.as_raw(), *nut.id.as_raw());
        assert_eq!(
            shown(bench, "copy_kits", kit_id).await,
            doc! { "_id": kit_id, "parts": [{ "id": nut_id, "name": "nut" }] }
        );
        let stored = bench.stored("copy_kits", kit_id).await;
        assert!(!stored.contains_key("_r_main"), "{stored}");
        let shelf_id = *shelf.id.as_raw();
        assert_eq!(
            shown(bench, "copy_shelves", shelf_id).await,
            doc! { "_id": shelf_id, "kit": kit_id }
        );
        settled(bench).await;
        let verified = mongo_model::verify(&bench.db)
            .models(&models())
            .await
            .expect("looked");
        assert!(verified.is_clean(), "{verified}");
    })
    .await;
}

// A document deleted with a source deletes its own copies and children, too.
#[tokio::test]
async fn a_cascade_from_a_source() {
    on_both("copy_cascade", async |bench| {
        let (.., kit, _) = start(bench).await;
        let done = Kit::delete(&bench.db, kit.id).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded, done.changed), (1, 1, 0));
        assert_eq!(
            (
                bench.len("copy_kits").await,
                bench.len("copy_shelves").await
            ),
            (0, 0)
        );
        settled(bench).await;
    })
    .await;
}

// A reference with copies that refuses leaves the source as it was: writable, and its copies following.
#[tokio::test]
async fn a_refused_source_goes_on() {
    on_both("copy_refused", async |bench| {
        let db = &bench.db;
        let (bolt, _, kit, shelf) = start(bench).await;
        let order = Order {
            id: Id::new(),
            kit: kit.id,
            main_name: None,
        };
        Order::insert(db, &order).await.expect("stored");
        let refused = Kit::delete(db, kit.id).await;
        assert!(
            matches!(refused, Err(Error::Referenced { model: "Kit", .. })),
            "{refused:?}"
        );
        settled(bench).await;
        Part::update(db, bolt.id)
            .set(|p| p.name, "screw")
            .await
            .expect("renamed");
        let shelf = shown(bench, "copy_shelves", *shelf.id.as_raw()).await;
        assert_eq!(shelf.get_str("main_name").ok(), Some("screw"));
        settled(bench).await;
        Order::delete(db, order.id).await.expect("deleted");
        Kit::delete(db, kit.id).await.expect("deleted");
        settled(bench).await;
    })
    .await;
}
