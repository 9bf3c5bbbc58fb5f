//! Fields that are set if there is a value: of a request that names those to change.

use bson::{Bson, Document};
use mongo_model::update::{ReturnedIf, Swapped};
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "profiles")]
struct Profile {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    age: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    motto: Option<String>,
    nick: Option<String>,
    any: Bson,
}

/// What a client sends: absent fields stay, and the inner `None` is a null.
#[derive(Default)]
struct Patch {
    name: Option<String>,
    age: Option<i64>,
    motto: Option<Option<String>>,
    nick: Option<Option<String>>,
    any: Option<Bson>,
}

fn profile(id: i32) -> Profile {
    Profile {
        id,
        name: "Ann".to_owned(),
        age: 30,
        motto: Some("now".to_owned()),
        nick: Some("A".to_owned()),
        any: Bson::Int32(1),
    }
}

async fn patch(bench: &Bench, patch: Patch) -> Document {
    let patched = Profile::update(&bench.db, 1)
        .set_some(|p| p.name, patch.name)
        .set_some(|p| p.age, patch.age)
        .set_some(|p| p.motto, patch.motto)
        .set_some(|p| p.nick, patch.nick)
        .set_some(|p| p.any, patch.any);
    patched.await.expect("changed");
    assert_eq!(bench.sent(), ["update"]);
    bench.stored("profiles", 1).await
}

#[tokio::test]
async fn fields_without_a_value_stay() {
    on_both("set_some", async |bench| {
        let before = profile(1);
        Profile::insert(&bench.db, &before).await.expect("stored");
        bench.forget();
        let change = Patch {
            age: Some(31),
            motto: Some(Some("later".to_owned())),
            ..Patch::default()
        };
        patch(bench, change).await;
        let stored = Profile::get(&bench.db, 1).await.expect("read");
        let expected = Profile {
            age: 31,
            motto: Some("later".to_owned()),
            ..before
        };
        assert_eq!(stored, Some(expected));
    })
    .await;
}

#[tokio::test]
async fn a_none_removes_what_may_be_absent() {
    alone("set_none", async |bench| {
        Profile::insert(&bench.db, &profile(1))
            .await
            .expect("stored");
        bench.forget();
        let change = Patch {
            motto: Some(None),
            nick: Some(None),
            any: Some(Bson::Null),
            ..Patch::default()
        };
        let stored = patch(bench, change).await;
        assert_eq!(stored.get("motto"), None);
        assert_eq!(stored.get("nick"), Some(&Bson::Null));
        assert_eq!(stored.get("any"), Some(&Bson::Null));
        let whole = Profile::get(&bench.db, 1).await.expect("read");
        assert_eq!(whole.expect("there").motto, None);
    })
    .await;
}

#[tokio::test]
async fn an_update_without_values_changes_nothing() {
    alone("set_nothing", async |bench| {
        let db = &bench.db;
        Profile::insert(db, &profile(1)).await.expect("stored");
        bench.forget();
        let empty = |id| Profile::update(db, id).set_some(|p| p.name, None::<String>);
        assert_eq!(empty(1).await.expect("nothing to do").modified, 0);
        assert_eq!(bench.sent(), [""; 0]);

        let read = empty(1).returning().await.expect("read");
        assert_eq!(read.document, profile(1));
        assert_eq!(bench.sent(), ["find"]);
        let missing = empty(2).returning().await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );

        let many = Profile::update_many(db, |p| p.id.gte(1)).set_some(|p| p.age, None::<i64>);
        assert_eq!(many.await.expect("nothing to do").matched, 0);
        let upsert = Profile::upsert(db, &profile(2)).set_some(|p| p.age, None::<i64>);
        assert_eq!(upsert.await.expect("stored").inserted, 1);
        assert!(Profile::get(db, 2).await.expect("read").is_some());
    })
    .await;
}

#[tokio::test]
async fn a_condition_counts_also_where_nothing_changes() {
    on_both("set_nothing_if", async |bench| {
        let db = &bench.db;
        Profile::insert(db, &profile(1)).await.expect("stored");
        bench.forget();
        let empty = |id| Profile::update(db, id).set_some(|p| p.age, None::<i64>);
        let unmet = empty(1).only_if(|p| p.age.gt(30)).await;
        assert!(matches!(unmet, Ok(Swapped::Not(_))), "{unmet:?}");
        assert_eq!(bench.sent(), ["find", "find"]);
        let met = empty(1).only_if(|p| p.age.eq(30)).await;
        assert!(met.expect("read").is_done());
        assert_eq!(bench.sent(), ["find"]);

        let unmet = empty(1).only_if(|p| p.age.gt(30)).returning().await;
        let Ok(ReturnedIf::Not(current)) = unmet else {
            panic!("{unmet:?}")
        };
        assert_eq!(*current, profile(1));
        let met = empty(1).only_if(|p| p.age.eq(30)).returning().await;
        assert_eq!(met.expect("read").done().expect("met").document, profile(1));
        let missing = empty(2).only_if(|p| p.age.eq(30)).await;
        assert!(
            matches!(missing, Err(Error::NotFound { .. })),
            "{missing:?}"
        );
    })
    .await;
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "profile_logs")]
struct ProfileLog {
    #[serde(rename = "_id")]
    id: i32,
    #[embed(max = 3)]
    lines: Vec<LogLine>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct LogLine {
    n: i32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    mark: Option<i32>,
}

#[tokio::test]
async fn every_set_of_a_none_stores_what_an_insert_does() {
    on_both("set_none", async |bench| {
        let db = &bench.db;
        Profile::insert(db, &profile(1)).await.expect("stored");
        let none = Profile::update(db, 1)
            .set(|p| p.motto, None)
            .set(|p| p.nick, None);
        none.await.expect("changed");
        let inserted = Profile {
            motto: None,
            nick: None,
            ..profile(2)
        };
        Profile::insert(db, &inserted).await.expect("stored");
        let mut expected = bench.stored("profiles", 2).await;
        expected.insert("_id", 1);
        assert_eq!(bench.stored("profiles", 1).await, expected);
        assert!(!expected.contains_key("motto") && expected.contains_key("nick"));

        let line = LogLine {
            n: 1,
            text: Some("a".to_owned()),
            mark: Some(1),
        };
        let log = ProfileLog {
            id: 1,
            lines: vec![line],
        };
        ProfileLog::insert(db, &log).await.expect("stored");
        let none = ProfileLog::update(db, 1)
            .set_where(|l| l.lines, |l| l.n.eq(1), |l| l.text, None)
            .set_where(|l| l.lines, |l| l.n.eq(1), |l| l.mark, None);
        none.await.expect("changed");
        let stored = bench.stored("profile_logs", 1).await;
        let lines = stored.get_array("lines").expect("an array");
        assert_eq!(*lines, [bson::bson!({ "n": 1, "mark": null })]);
    })
    .await;
}
