//! References behind the keys of maps, which are data: every rule is followed, and one of several models is told from the others.

use std::collections::BTreeMap;

use bson::Bson;
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hidden_keys")]
struct Key {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Casket {
    #[parent(Key)]
    key: i32,
    #[parent(Key, on_delete = unset)]
    spare: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Shelf {
    #[embed(max = 5)]
    caskets: BTreeMap<String, Casket>,
}

/// References with other rules in maps of maps, and in maps in an array.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hidden_vaults")]
struct Vault {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 5)]
    by_name: BTreeMap<String, Shelf>,
    #[embed(max = 5)]
    shelves: Vec<Shelf>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "ref", rename_all = "snake_case")]
enum Thing {
    Key(#[parent(Key, on_delete = pull)] i32),
    Label(#[parent(Label, on_delete = pull)] i32),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hidden_labels")]
struct Label {
    #[serde(rename = "_id")]
    id: i32,
}

/// Elements that refer to one of several models.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "hidden_drawers")]
struct Drawer {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 5)]
    things: Vec<Thing>,
    #[embed(max = 5)]
    by_place: BTreeMap<String, Thing>,
}

async fn vaults(bench: &Bench) {
    let models = [Key::meta(), Vault::meta(), Label::meta(), Drawer::meta()];
    bench.index(&models).await;
    let keys: Vec<Key> = (0..=4).map(|id| Key { id }).collect();
    bench.place(&keys).await;
    bench.place(&[Label { id: 1 }, Label { id: 2 }]).await;
}

// Other rules are followed there as well.
#[tokio::test]
async fn other_rules_below_keys() {
    on_both("hidden_rules", async |bench| {
        let db = &bench.db;
        vaults(bench).await;
        let shelf = |spare: Option<i32>| Shelf {
            caskets: [("$a.b", spare), ("c", None)]
                .into_iter()
                .map(|(name, spare)| (name.to_owned(), Casket { key: 1, spare }))
                .collect(),
        };
        let vault = |id, spare| Vault {
            id,
            by_name: [("x.y".to_owned(), shelf(spare))].into(),
            shelves: vec![shelf(None), shelf(spare)],
        };
        bench.place(&[vault(1, Some(2)), vault(2, Some(3))]).await;
        let refused = Key::delete(db, 1).await;
        let Err(Error::Referenced { by, .. }) = &refused else {
            panic!("{refused:?}");
        };
        let mut by: Vec<(&str, u64)> = by.iter().map(|by| (&*by.field, by.count)).collect();
        by.sort_unstable();
        let expected = [
            ("Vault.by_name.caskets.key", 2),
            ("Vault.shelves.caskets.key", 2),
        ];
        assert_eq!(by, expected);
        // It names the document that is referred to, and not the first of those that would be deleted.
        let refused = Key::delete_many(db, |k| k.id.is_in([0, 1])).await;
        let Err(Error::Referenced { id, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!(**id, Bson::Int32(1));
        let done = Key::delete(db, 2).await.expect("deleted");
        assert_eq!((done.deleted, done.changed), (1, 2));
        let read = Vault::scan(db, |v| v.all()).await.expect("read");
        assert_eq!(read, [vault(1, None), vault(2, Some(3))]);
        Key::delete(db, 4).await.expect("nobody refers to it");
        settled(bench).await;
    })
    .await;
}

// The same id of another model is another reference.
#[tokio::test]
async fn elements_of_one_of_several_models() {
    on_both("hidden_several", async |bench| {
        let db = &bench.db;
        vaults(bench).await;
        let all = [Thing::Key(1), Thing::Label(1), Thing::Key(2)];
        let by_place = all.iter().enumerate();
        let by_place = by_place.map(|(n, thing)| (format!("p.{n}"), thing.clone()));
        let drawer = Drawer {
            id: 1,
            things: all.to_vec(),
            by_place: by_place.collect(),
        };
        bench.place(&[drawer]).await;
        Key::delete(db, 1).await.expect("deleted");
        let left = Drawer::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(left.things, all[1..]);
        let places: Vec<&str> = left.by_place.keys().map(String::as_str).collect();
        assert_eq!(places, ["p.1", "p.2"]);
        Label::delete(db, 1).await.expect("deleted");
        let left = Drawer::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(left.things, all[2..]);
        assert_eq!(left.by_place.len(), 1);
        settled(bench).await;
    })
    .await;
}
