//! Documents of several kinds in one collection: what is stored, what is found, which indexes there are, and that references and
//! copies work through the variants.

mod children;
mod copies;
mod related;
mod unknown;

use bson::{Document, doc};
use mongo_model::index::definitions;
use mongo_model::{Error, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "teams")]
pub struct Team {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "employees", common(name, team, team_name))]
pub enum Employee {
    Hourly(Hourly),
    Salary(Salary),
    #[serde(rename = "external")]
    PartTime(PartTime),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Hourly {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    #[parent(Team)]
    pub team: i32,
    #[denorm(from = Team, field = name)]
    #[serde(default)]
    pub team_name: String,
    #[index]
    pub rate: f64,
    #[embed(max = 2)]
    #[serde(default)]
    pub shifts: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct Salary {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    #[parent(Team)]
    pub team: i32,
    #[denorm(from = Team, field = name)]
    #[serde(default)]
    pub team_name: String,
    #[index(unique)]
    pub badge: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
pub struct PartTime {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub name: String,
    #[parent(Team)]
    pub team: i32,
    #[denorm(from = Team, field = name)]
    #[serde(default)]
    pub team_name: String,
    pub hours: i32,
}

pub(crate) fn hourly(id: i32, name: &str, rate: f64) -> Hourly {
    Hourly {
        id,
        name: name.to_owned(),
        team: 1,
        team_name: "Blue".to_owned(),
        rate,
        shifts: Vec::new(),
    }
}

pub(crate) fn salary(id: i32, name: &str, badge: i64) -> Salary {
    Salary {
        id,
        name: name.to_owned(),
        team: 1,
        team_name: "Blue".to_owned(),
        badge,
    }
}

pub(crate) fn part_time(id: i32, name: &str, hours: i32) -> PartTime {
    PartTime {
        id,
        name: name.to_owned(),
        team: 1,
        team_name: "Blue".to_owned(),
        hours,
    }
}

pub(crate) fn staff() -> Vec<Employee> {
    vec![
        hourly(1, "Ann", 10.0).into(),
        hourly(2, "Bob", 20.0).into(),
        salary(3, "Cid", 7).into(),
        salary(4, "Dan", 8).into(),
        part_time(5, "Eve", 12).into(),
    ]
}

pub(crate) async fn stored(bench: &Bench) {
    bench.index(&[Team::meta(), Employee::meta()]).await;
    let name = "Blue".to_owned();
    Team::insert(&bench.db, &Team { id: 1, name })
        .await
        .expect("a team");
    Employee::insert_many(&bench.db, &staff())
        .await
        .expect("stored");
    bench.forget();
}

#[tokio::test]
async fn each_document_says_its_kind_and_is_read_as_it() {
    on_both("staff_kinds", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let one = bench.stored("employees", 5).await;
        assert_eq!(one.get_str("kind").expect("a kind"), "external");
        assert_eq!(one.get_i32("hours").expect("hours"), 12);
        let mut all = Employee::scan(db, |e| e.all()).await.expect("read");
        all.sort_by_key(|one| *one.id());
        assert_eq!(all, staff());
        let one = Employee::get(db, 3).await.expect("read").expect("there");
        assert_eq!(one, salary(3, "Cid", 7).into());
        let named = Employee::find(db, |e| e.name.eq("Bob")).await;
        assert_eq!(named.expect("read"), [hourly(2, "Bob", 20.0).into()]);
    })
    .await;
}

// The server's validator does not require a field that only one variant has.
#[tokio::test]
async fn the_server_checks_every_kind() {
    on_both("staff_checked", async |bench| {
        let db = &bench.db;
        let checked = mongo_model::sync_validators(db).only::<Employee>().error();
        checked.await.expect("a validator");
        stored(bench).await;
        let employees = bench.raw("employees");
        let without = employees
            .insert_one(doc! { "_id": 9, "name": "Nobody" })
            .await;
        let error = without.expect_err("it has no kind").to_string();
        assert!(error.contains("121"), "{error}");
        let wrong = doc! { "$set": { "hours": "many" } };
        assert!(
            employees
                .update_one(doc! { "_id": 5 }, wrong)
                .await
                .is_err()
        );
    })
    .await;
}

#[tokio::test]
async fn a_finder_of_a_variant_reads_that_variant() {
    alone("staff_finders", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        let found = Employee::find_hourly(db, |h| h.rate.gt(15.0)).await;
        assert_eq!(found.expect("read"), [hourly(2, "Bob", 20.0)]);
        let asked = bench.only();
        let filter = asked.get_document("filter").expect("a filter");
        let kind = doc! { "kind": "Hourly" };
        assert_eq!(
            *filter,
            doc! { "$and": [kind, { "rate": { "$gt": 15.0 } }] }
        );
        let plan = bench.explain(asked).await;
        assert_eq!(plan.indexes, [["rate"]], "{plan:?}");
        // The same through the model: the variant goes without saying.
        let found = Employee::find(db, |e| e.salary.badge.eq(8)).await;
        assert_eq!(found.expect("read"), [salary(4, "Dan", 8).into()]);
        let plan = bench.plan().await;
        assert_eq!(plan.indexes, [["badge"]], "{plan:?}");
        let either = Employee::find(db, |e| e.salary.badge.eq(8).or(e.hourly.rate.lt(15.0)));
        assert_eq!(either.await.expect("read").len(), 2);
        // A field of all variants, in the finder of one variant.
        let named = Employee::find_salary(db, |s| s.name.eq("Ann")).await;
        assert_eq!(named.expect("read"), []);
        assert_eq!(Employee::get_salary(db, 1).await.expect("read"), None);
        let ann = Employee::get_hourly(db, 1).await.expect("read");
        assert_eq!(ann, Some(hourly(1, "Ann", 10.0)));
        let all = Employee::scan_part_time(db, |p| p.hours.gt(0)).await;
        assert_eq!(all.expect("read"), [part_time(5, "Eve", 12)]);
        let few = Employee::count_hourly(db, |h| h.rate.gt(0.0)).await;
        assert_eq!(few.expect("counted"), 2);
        let others = Employee::scan(db, |e| !e.hourly.rate.gt(15.0)).await;
        assert_eq!(others.expect("read").len(), 4);
    })
    .await;
}

#[tokio::test]
async fn an_index_of_some_variants_holds_their_documents_alone() {
    alone("staff_indexes", async |bench| {
        let db = &bench.db;
        let all = definitions(Employee::meta());
        let shown: Vec<(String, Option<Document>)> = all
            .iter()
            .map(|one| (one.keys[0].0.clone(), one.partial.clone()))
            .filter(|(key, _)| !key.starts_with('_'))
            .collect();
        let only = |kind: &str| Some(doc! { "kind": { "$eq": kind } });
        assert_eq!(
            shown,
            [
                ("name".to_owned(), None),
                ("rate".to_owned(), only("Hourly")),
                ("badge".to_owned(), only("Salary")),
                ("team".to_owned(), None),
            ]
        );
        stored(bench).await;
        // A unique index on a field of some variants does not limit the others.
        let more = [hourly(6, "Fay", 1.0).into(), hourly(7, "Gus", 1.0).into()];
        Employee::insert_many(db, &more).await.expect("stored");
        let twice = Employee::insert(db, &salary(8, "Hal", 7).into()).await;
        assert!(matches!(twice, Err(Error::Duplicate { .. })), "{twice:?}");
    })
    .await;
}

#[tokio::test]
async fn a_change_of_a_variants_field_changes_that_variant() {
    alone("staff_changes", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        Employee::update(db, 1)
            .set(|e| e.hourly.rate, 11.0)
            .await
            .expect("changed");
        Employee::update(db, 1)
            .push(|e| e.hourly.shifts, "night")
            .await
            .expect("changed");
        let before = bench.stored("employees", 3).await;
        let other = Employee::update(db, 3).set(|e| e.hourly.rate, 11.0).await;
        assert!(matches!(other, Err(Error::NotFound { .. })), "{other:?}");
        assert_eq!(bench.stored("employees", 3).await, before);
        Employee::update(db, 3)
            .set(|e| e.name, "Kim")
            .await
            .expect("changed");
        let all = Employee::update_many(db, |e| e.id.gt(0)).inc(|e| e.part_time.hours, 1);
        assert_eq!(all.await.expect("changed").modified, 1);
        let ann = Employee::get_hourly(db, 1).await.expect("read");
        let ann = ann.expect("there");
        assert_eq!((ann.rate, &*ann.shifts), (11.0, &["night".to_owned()][..]));
        let full = Employee::update(db, 1).push_all(|e| e.hourly.shifts, ["a", "b"]);
        assert!(matches!(full.await, Err(Error::Full { .. })));
        let gone = Employee::delete_many(db, |e| e.hourly.rate.gt(0.0)).await;
        assert_eq!(gone.expect("deleted").deleted, 2);
        assert_eq!(bench.len("employees").await, 3);
    })
    .await;
}

#[tokio::test]
async fn an_unknown_kind_is_an_error_that_names_it() {
    alone("staff_unknown", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        bench
            .seed(
                "employees",
                [doc! { "_id": 9, "kind": "Robot", "name": "R", "team": 1 }],
            )
            .await;
        let error = Employee::get(db, 9).await.expect_err("unknown");
        let text = error.to_string();
        assert!(matches!(error, Error::Decode { .. }), "{error:?}");
        assert!(
            text.starts_with("Employee 9: cannot be decoded: "),
            "{text}"
        );
        assert!(text.contains("unknown variant `Robot`"), "{text}");
        // A read of one variant does not return it.
        let found = Employee::find_hourly(db, |h| h.name.is_in(["R", "Ann"])).await;
        assert_eq!(found.expect("read").len(), 1);
    })
    .await;
}
