//! Values of every BSON type are data, in every filter and in every operator: one that looks like a pattern or like operators is
//! compared and stored as it is. Rust's own equality says what is found.

use bson::oid::ObjectId;
use bson::spec::BinarySubtype;
use bson::{Bson, DateTime, JavaScriptCodeWithScope, Timestamp, bson, doc};
use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "compared_owners")]
struct Owner {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "compared")]
struct Thing {
    #[serde(rename = "_id")]
    id: i32,
    #[index(unique)]
    any: Bson,
    #[embed(max = 100)]
    list: Vec<Bson>,
    #[parent(Owner)]
    owner: i32,
    #[denorm(from = Owner, field = name)]
    owner_name: String,
}

fn regex(pattern: &str) -> Bson {
    let text = |text: &str| bson::raw::CString::try_from(text).expect("no NUL");
    Bson::RegularExpression(bson::Regex {
        pattern: text(pattern),
        options: text(""),
    })
}

/// Values of every type, among them some that a server could take for something else.
fn values() -> Vec<Bson> {
    vec![
        Bson::Double(1.5),
        "abc".into(),
        "^a".into(),
        "$any".into(),
        "".into(),
        bson!({}),
        bson!({ "a": 1 }),
        bson!({ "$gt": 1 }),
        bson!({ "$regex": "^a" }),
        bson!({ "$exists": true, "a": 1 }),
        bson!([]),
        bson!([11, 12]),
        bson!([[13]]),
        Bson::Binary(bson::Binary {
            subtype: BinarySubtype::Generic,
            bytes: vec![1],
        }),
        Bson::ObjectId(ObjectId::from_bytes([7; 12])),
        Bson::Boolean(true),
        Bson::DateTime(DateTime::from_millis(5)),
        Bson::Null,
        regex("^a"),
        regex("^"),
        Bson::JavaScriptCode("a".to_owned()),
        Bson::JavaScriptCodeWithScope(JavaScriptCodeWithScope {
            code: "a".to_owned(),
            scope: doc! { "$gt": 1 },
        }),
        Bson::Int32(1),
        Bson::Timestamp(Timestamp {
            time: 3,
            increment: 4,
        }),
        Bson::Int64(2),
        Bson::Decimal128("2.5".parse().expect("a number")),
        Bson::MinKey,
        Bson::MaxKey,
    ]
}

fn things() -> Vec<Thing> {
    let each = values().into_iter().zip(0..);
    each.map(|(value, id)| Thing {
        id,
        list: vec![value.clone(), "other".into()],
        any: value,
        owner: 1,
        owner_name: String::new(),
    })
    .collect()
}

async fn seed(bench: &Bench) -> Vec<Thing> {
    let owners = (1..=2).map(|id| Owner {
        id,
        name: format!("o{id}"),
    });
    let owners: Vec<Owner> = owners.collect();
    Owner::insert_many(&bench.db, &owners)
        .await
        .expect("stored");
    bench.index(&[Owner::meta(), Thing::meta()]).await;
    let all = things();
    Thing::insert_many(&bench.db, &all).await.expect("stored");
    all
}

/// The field equals the value as the server compares: an array also by its elements.
fn equals(stored: &Bson, value: &Bson) -> bool {
    stored == value || stored.as_array().is_some_and(|all| all.contains(value))
}

macro_rules! found {
    ($bench:expr, $filter:expr) => {{
        let found = Thing::scan(&$bench.db, $filter).await;
        found.map(|found| {
            let mut ids: Vec<i32> = found.iter().map(|thing| thing.id).collect();
            ids.sort_unstable();
            ids
        })
    }};
}

#[tokio::test]
async fn each_value_is_found_as_it_is() {
    alone("compared_filters", async |bench| {
        let all = seed(bench).await;
        let where_ = |holds: &dyn Fn(&Thing) -> bool| -> Vec<i32> {
            let holding = all.iter().filter(|thing| holds(thing));
            holding.map(|thing| thing.id).collect()
        };
        for v in &values() {
            let equal = where_(&|t| equals(&t.any, v));
            let differs = where_(&|t| !equals(&t.any, v));
            let either = where_(&|t| equals(&t.any, v) || equals(&t.any, &"abc".into()));
            let neither = where_(&|t| !equals(&t.any, v) && !equals(&t.any, &"abc".into()));
            let both = || [v.clone(), "abc".into()];
            let found = Thing::find(&bench.db, |t| t.any.eq(v.clone())).await;
            assert_eq!(found.expect("found").len(), equal.len(), "eq {v:?}");
            let found = Thing::find(&bench.db, |t| t.any.is_in(both())).await;
            assert_eq!(found.expect("found").len(), either.len(), "is_in {v:?}");
            assert_eq!(
                found!(bench, |t| t.any.eq(v.clone())).expect("eq"),
                equal,
                "eq {v:?}"
            );
            assert_eq!(
                found!(bench, |t| t.any.ne(v.clone())).expect("ne"),
                differs,
                "ne {v:?}"
            );
            assert_eq!(
                found!(bench, |t| !t.any.eq(v.clone())).expect("not"),
                differs,
                "not {v:?}"
            );
            assert_eq!(
                found!(bench, |t| t.any.is_in(both())).expect("in"),
                either,
                "is_in {v:?}"
            );
            assert_eq!(
                found!(bench, |t| t.any.not_in(both())).expect("nin"),
                neither,
                "not_in {v:?}"
            );
            let holding = where_(&|t| t.list.contains(v));
            assert_eq!(
                found!(bench, |t| t.list.contains(v.clone())).expect("has"),
                holding,
                "contains {v:?}"
            );

            let range = found!(bench, |t| t.any.gte(v.clone()).and(t.any.lte(v.clone())));
            match (v, range) {
                // The bounds of an index do not hold arrays of arrays.
                (Bson::Array(_), range) => drop(range.expect("a range")),
                (Bson::RegularExpression(_), Err(Error::Impossible { .. })) => {}
                (v, range) => {
                    let range = range.expect("a range");
                    let here = where_(&|t| t.any == *v);
                    assert!(
                        here.iter().all(|id| range.contains(id)),
                        "range {v:?}: {range:?}"
                    );
                    let scalar = |id: &i32| !matches!(all[*id as usize].any, Bson::Array(_));
                    let range: Vec<i32> = range.into_iter().filter(scalar).collect();
                    let equal: Vec<i32> = equal.into_iter().filter(scalar).collect();
                    assert_eq!(range, equal, "range {v:?}");
                }
            }
        }
        for find in [
            found!(bench, |t| t.any.eq(Bson::Undefined)),
            found!(bench, |t| t.any.is_in([Bson::Undefined])),
            found!(bench, |t| t.any.gt(regex("a"))),
        ] {
            assert!(matches!(find, Err(Error::Impossible { .. })), "{find:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_delete_of_a_list_deletes_what_it_names() {
    alone("compared_delete", async |bench| {
        let all = seed(bench).await;
        let named = [regex("^a"), bson!({ "$gt": 1 })];
        let gone = Thing::delete_many(&bench.db, |t| t.any.is_in(named.clone())).await;
        gone.expect("deleted");
        let left = found!(bench, |t| t.all()).expect("left");
        let expected: Vec<i32> = all
            .iter()
            .filter(|t| !named.contains(&t.any))
            .map(|t| t.id)
            .collect();
        assert_eq!(left, expected);
    })
    .await;
}

#[tokio::test]
async fn each_value_is_stored_as_it_is() {
    alone("compared_operators", async |bench| {
        let (db, mut all) = (&bench.db, seed(bench).await);
        db.collection::<bson::Document>("compared")
            .delete_many(doc! {})
            .await
            .expect("deleted");
        all.truncate(1);
        let first = &mut all[0];
        Thing::insert(db, first).await.expect("stored");
        for v in &values() {
            let read = async || Thing::get(db, 0).await.expect("read").expect("there");
            Thing::update(db, 0)
                .set(|t| t.any, v.clone())
                .await
                .expect("set");
            assert_eq!(read().await.any, *v, "set");
            // With copies to fill in, the update is a pipeline, in which a document is an expression.
            for (owner, name) in [(2, "o2"), (1, "o1")] {
                let set = Thing::update(db, 0)
                    .set(|t| t.owner, owner)
                    .set(|t| t.any, v.clone());
                set.set(|t| t.list, vec![v.clone()]).await.expect("set");
                let thing = read().await;
                assert_eq!((&thing.any, &*thing.owner_name), (v, name));
                assert_eq!(thing.list, std::slice::from_ref(v), "set of a list");
            }
            for n in [1, 1] {
                let added = Thing::update(db, 0).add_to_set(|t| t.list, v.clone()).await;
                added.expect("added");
                assert_eq!(read().await.list.len(), n, "add_to_set {v:?}");
                let added =
                    Thing::update_many(db, |t| t.id.eq(0)).add_to_set(|t| t.list, v.clone());
                added.await.expect("added");
                assert_eq!(read().await.list.len(), n, "add_to_set of many {v:?}");
            }
            Thing::update(db, 0)
                .push(|t| t.list, Bson::from("abc"))
                .await
                .expect("pushed");
            let mut before = vec![v.clone(), "abc".into()];
            assert_eq!(read().await.list, before);
            Thing::update(db, 0)
                .pull(|t| t.list, v.clone())
                .await
                .expect("pulled");
            before.retain(|value| value != v);
            assert_eq!(read().await.list, before, "pull {v:?}");
            let parts = [v.clone(), "x".into()];
            let set = Thing::update(db, 0).set(|t| t.list, parts.to_vec());
            set.await.expect("set");
            let add = Thing::update(db, 0).add_to_set(|t| t.list, Bson::from(parts.to_vec()));
            add.await.expect("added");
            assert_eq!(read().await.list.len(), 3, "an array of the elements {v:?}");
            let swapped = Thing::update(db, 0).only_if(|t| t.any.is_in([v.clone()]));
            let swapped = swapped.set(|t| t.list, Vec::new()).await.expect("sent");
            assert!(swapped.is_done(), "only_if {v:?}");
            let again = Thing {
                id: 99,
                ..read().await
            };
            let upserted = Thing::upsert(db, &again)
                .on_key(|t| t.any)
                .await
                .expect("sent");
            assert_eq!(upserted.matched, 1, "upsert {v:?}");
        }
    })
    .await;
}
