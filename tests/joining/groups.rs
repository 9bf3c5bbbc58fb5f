//! Groups whose keys are references, joined with the documents that they refer to.

use mongo_model::{Id, MongoModel, MongoProjection, filter};
use serde::{Deserialize, Serialize};

use crate::common::{in_set, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    #[index(unique)]
    code: String,
    name: String,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, MongoProjection)]
#[projection(of = Maker)]
struct MakerName {
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "engines")]
struct Engine {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Maker, unchecked)]
    maker: Option<Id<Maker>>,
    #[parent(Maker, key = code, unchecked)]
    code: String,
    #[refs(Maker, max = 10, unchecked)]
    tuners: Vec<Id<Maker>>,
    power: i64,
}

fn maker(code: &str) -> Maker {
    Maker {
        id: Id::new(),
        code: code.to_owned(),
        name: format!("maker {code}"),
    }
}

#[tokio::test]
async fn keys_are_joined_with_one_more_find() {
    on_both("group_join", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Engine::meta()]).await;
        let (one, two, gone) = (maker("1"), maker("2"), maker("3"));
        bench.place([&one, &two]).await;
        let engine = |id, maker: Option<&Maker>, code: &str, tuners: &[&Maker]| Engine {
            id,
            maker: maker.map(|maker| maker.id),
            code: code.to_owned(),
            tuners: tuners.iter().map(|maker| maker.id).collect(),
            power: i64::from(id),
        };
        let engines = [
            engine(1, Some(&one), "2", &[&two, &one]),
            engine(2, Some(&one), "2", &[&two]),
            engine(3, Some(&two), "?", &[]),
            engine(4, Some(&gone), "1", &[&gone]),
            engine(5, None, "1", &[]),
        ];
        bench.place(&engines).await;
        let groups = Engine::group_by(db, |e| e.maker)
            .count()
            .sum(|e| e.power)
            .sort(|(_, power)| power.desc())
            .join_key(db)
            .await
            .expect("joined");
        assert_eq!(bench.sent(), ["aggregate", "find"]);
        let rows: Vec<_> = groups
            .iter()
            .map(|group| (group.key, group.totals, group.loaded.value()))
            .collect();
        let expected = [
            (None, (1, 5), None),
            (Some(gone.id), (1, 4), None),
            (Some(two.id), (1, 3), Some(&two)),
            (Some(one.id), (2, 3), Some(&one)),
        ];
        assert_eq!(rows.len(), 4);
        for row in &expected {
            assert!(rows.contains(row), "{row:?}");
        }
        let missing: Vec<_> = groups
            .iter()
            .filter_map(|group| group.loaded.missing())
            .collect();
        assert_eq!(missing, [&gone.id]);
        bench.forget();

        // By a natural key, and by the items of an array of references.
        let by_code = Engine::scan(db, |e| e.power.gt(0))
            .group_by(|e| e.code)
            .count()
            .join_key(db)
            .project::<MakerName>()
            .await
            .expect("joined");
        let names: Vec<_> = by_code
            .iter()
            .map(|group| group.loaded.value().map(|maker| maker.name.as_str()))
            .collect();
        assert_eq!(names, [Some("maker 1"), Some("maker 2"), None]);
        let tuners = Engine::scan(db, |_| filter::everything())
            .unwind(|e| e.tuners)
            .group_by(|tuner| tuner)
            .count()
            .sort(|(engines,)| engines.desc())
            .limit(1)
            .join_key(db)
            .await
            .expect("joined");
        assert_eq!(tuners[0].loaded.value(), Some(&two));
        assert_eq!(tuners[0].totals, (2,));
        bench.forget();
        let none = Engine::scan(db, |e| e.power.gt(100))
            .group_by(|e| e.maker)
            .join_key(db);
        assert_eq!(none.await.expect("joined").len(), 0);
        assert_eq!(bench.sent(), ["aggregate"]);
    })
    .await;
}

#[tokio::test]
async fn both_commands_run_in_the_session() {
    in_set("group_join_session", async |bench| {
        let db = &bench.db;
        bench.index(&[Maker::meta(), Engine::meta()]).await;
        let new = maker("1");
        let mut session = bench.transaction().await;
        Maker::insert(db, &new)
            .driver_session(&mut session)
            .await
            .expect("stored");
        let engine = Engine {
            id: 1,
            maker: Some(new.id),
            code: "1".to_owned(),
            tuners: Vec::new(),
            power: 1,
        };
        Engine::insert(db, &engine)
            .driver_session(&mut session)
            .await
            .expect("stored");
        let groups = Engine::group_by(db, |e| e.maker)
            .count()
            .driver_session(&mut session)
            .join_key(db)
            .await
            .expect("joined");
        assert_eq!(groups[0].loaded.value(), Some(&new));
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}
