//! Changes by another program that lead through the wall of a tenant: nothing follows them there.

use bson::doc;
use mongo_model::{MongoModel, Tenants};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, in_set};
use crate::running::Running;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_crews", tenant = org)]
struct Crew {
    #[serde(rename = "_id")]
    id: i64,
    org: i64,
    name: String,
    #[count(Sailor)]
    sailors: i64,
    #[recent(Sailor, max = 2, sort = -age, fields(age))]
    eldest: Vec<EldestSailor>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_sailors", tenant = org)]
struct Sailor {
    #[serde(rename = "_id")]
    id: i64,
    org: i64,
    #[parent(Crew, on_delete = cascade)]
    crew: i64,
    #[denorm(from = Crew, field = name)]
    crew_name: String,
    age: i64,
}

/// Two tenants, each with a crew and a sailor under the number of the tenant.
async fn stored(bench: &Bench) {
    for n in [1, 2] {
        let (db, name) = (bench.db.tenant(n), format!("crew {n}"));
        let crew = Crew {
            id: n,
            org: n,
            name: name.clone(),
            sailors: 0,
            eldest: Vec::new(),
        };
        Crew::insert(&db, &crew).await.expect("stored");
        let sailor = Sailor {
            id: n,
            org: n,
            crew: n,
            crew_name: name,
            age: n,
        };
        Sailor::insert(&db, &sailor).await.expect("stored");
    }
}

#[tokio::test]
async fn a_reference_through_the_wall_is_followed_nowhere() {
    in_set("follow_wall", async |bench| {
        bench.index(&[Crew::meta(), Sailor::meta()]).await;
        let running = Running::begin(bench).await;
        stored(bench).await;
        running.caught_up(&bench.db).await;
        let change = async |collection: &str, set| {
            let (one, set) = (bench.raw(collection), doc! { "$set": set });
            let this = doc! { "_id": if collection == "f_crews" { 1_i64 } else { 2 } };
            one.update_one(this, set).await.expect("changed");
            running.caught_up(&bench.db).await;
        };
        let before = Crew::get(&bench.db.tenant(1_i64), 1).await.expect("read");
        change("f_sailors", doc! { "crew": 1_i64 }).await;
        change("f_sailors", doc! { "age": 90_i64 }).await;
        let crew = Crew::get(&bench.db.tenant(1_i64), 1).await.expect("read");
        assert_eq!(crew, before);
        change("f_crews", doc! { "name": "renamed" }).await;
        let names = async |of: i64| {
            let sailor = Sailor::get(&bench.db.tenant(of), of).await.expect("read");
            sailor.map(|sailor| sailor.crew_name)
        };
        assert_eq!(names(1).await.as_deref(), Some("renamed"));
        assert_eq!(names(2).await.as_deref(), Some("crew 2"));
        // Its own crew has lost it.
        let left = Crew::get(&bench.db.tenant(2_i64), 2).await.expect("read");
        let left = left.expect("stored");
        assert_eq!((left.sailors, left.eldest), (0, vec![]));
        let one = mongo_model::verify(&bench.db.tenant(1_i64)).await;
        let one = one.expect("verified");
        assert!(one.is_settled(), "{one}");
        running.kill().await;
    })
    .await;
}
