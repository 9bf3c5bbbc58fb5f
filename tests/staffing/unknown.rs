//! Documents of kinds that a newer program has stored.

use bson::{Document, doc};
use mongo_model::validator::json_schema;
use mongo_model::{Error, Id, MongoEmbed, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "machines", common(name))]
pub enum Machine {
    Lathe(Lathe),
    #[serde(other)]
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Lathe {
    #[serde(rename = "_id")]
    pub id: Id<Machine, i32>,
    #[index]
    pub name: String,
    pub length: i32,
}

/// Refers to machines, whatever they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "repairs")]
pub struct Repair {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Machine)]
    pub of: Id<Machine, i32>,
    #[denorm(from = Machine, field = name)]
    pub of_name: String,
}

fn lathe(id: i32, name: &str) -> Machine {
    let (id, name) = (Id::from_raw(id), name.to_owned());
    Machine::Lathe(Lathe {
        id,
        name,
        length: 3,
    })
}

fn robot() -> Document {
    doc! { "_id": 9, "kind": "Robot", "name": "R2", "arms": 6 }
}

async fn stored(bench: &Bench) {
    bench.index(&[Machine::meta(), Repair::meta()]).await;
    Machine::insert(&bench.db, &lathe(1, "L1"))
        .await
        .expect("stored");
    bench.seed("machines", [robot()]).await;
}

#[tokio::test]
async fn an_unknown_kind_is_read_as_such_and_never_written() {
    on_both("staff_unknown_kinds", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let found = Machine::scan(db, |m| m.all()).sort(|m| m.id.asc()).await;
        assert_eq!(found.expect("read"), [lathe(1, "L1"), Machine::Unknown]);
        let one = Machine::get(db, Id::from_raw(9)).await;
        assert_eq!(one.expect("read"), Some(Machine::Unknown));
        let lathes = Machine::find_lathe(db, |l| l.name.is_in(["L1", "R2"])).await;
        assert_eq!(lathes.expect("read").len(), 1);
        let found = Machine::get_lathe(db, Id::from_raw(9)).await;
        assert_eq!(found.expect("read"), None);
        bench.forget();
        let refused = |error: Result<(), Error>| match error {
            Err(Error::UnknownVariant { model: "Machine" }) => {}
            other => panic!("{other:?}"),
        };
        refused(Machine::Unknown.save(db).await.map(drop));
        refused(Machine::insert(db, &Machine::Unknown).await.map(drop));
        let both = [lathe(2, "L2"), Machine::Unknown];
        refused(Machine::insert_many(db, &both).await.map(drop));
        let back = Repair::by_of_many(db, &[Machine::Unknown]).await;
        refused(back.map(drop));
        assert!(bench.sent().is_empty(), "nothing was sent");
        assert_eq!(bench.stored("machines", 9).await, robot());
    })
    .await;
}

#[tokio::test]
async fn what_all_kinds_have_goes_on_in_unknown_ones() {
    on_both("staff_unknown_copies", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let repair = Repair {
            id: 1,
            of: Id::from_raw(9),
            of_name: String::new(),
        };
        Repair::insert(db, &repair).await.expect("stored");
        Machine::update(db, Id::from_raw(9))
            .set(|m| m.name, "R3")
            .await
            .expect("renamed");
        let repair = Repair::get(db, 1).await.expect("read").expect("there");
        assert_eq!(repair.of_name, "R3");
        let refused = Machine::update(db, Id::from_raw(9)).set(|m| m.lathe.length, 4);
        assert!(matches!(refused.await, Err(Error::NotFound { .. })));
        let report = verify(db).only::<Machine>().only::<Repair>().await;
        assert!(report.expect("verified").is_clean());
        let robot = bench.stored("machines", 9).await.into_iter();
        let robot: Document = robot.filter(|(key, _)| key != "_dn").collect();
        assert_eq!(
            robot,
            doc! { "_id": 9, "kind": "Robot", "name": "R3", "arms": 6 }
        );
    })
    .await;
}

// A validator that knows the kinds of this program alone would stop the newer one.
#[test]
fn a_validator_lets_unknown_kinds_in() {
    let schema = json_schema(Machine::meta());
    let properties = schema.get_document("properties").expect("properties");
    let kind = properties.get_document("kind").expect("the tag");
    assert_eq!(*kind, doc! { "bsonType": "string" });
}

#[test]
#[should_panic(expected = "a document of `Machine` of an unknown kind has no `_id` in memory")]
fn what_is_not_in_memory_has_no_id() {
    Machine::Unknown.id();
}
