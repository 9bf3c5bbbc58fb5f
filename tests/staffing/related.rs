//! References and copies of models with variants, in both directions.

use mongo_model::{MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::staffing::{Employee, Team, hourly, part_time, salary, stored};

/// Refers to a model with variants, and copies what they all have.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "badges")]
pub struct Desk {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Employee)]
    pub of: i32,
    #[denorm(from = Employee, field = name)]
    pub of_name: String,
}

#[tokio::test]
async fn copies_in_and_of_variants_follow() {
    on_both("staff_copies", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        bench.index(&[Desk::meta()]).await;
        let desk = |id, of| Desk {
            id,
            of,
            of_name: String::new(),
        };
        Desk::insert_many(db, &[desk(1, 1), desk(2, 3)])
            .await
            .expect("stored");
        let desks = Desk::scan(db, |d| d.all())
            .sort(|d| d.id.asc())
            .await
            .expect("read");
        assert_eq!((&*desks[0].of_name, &*desks[1].of_name), ("Ann", "Cid"));
        // Change the team, which all variants copy.
        Team::update(db, 1)
            .set(|t| t.name, "Red")
            .await
            .expect("renamed");
        let ann = Employee::get_hourly(db, 1)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(ann.team_name, "Red");
        let cid = Employee::get_salary(db, 3)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(cid.team_name, "Red");
        // Change the source that has variants, by an update and by a save.
        Employee::update(db, 1)
            .set(|e| e.name, "Anna")
            .await
            .expect("renamed");
        let renamed: Employee = salary(3, "Sid", 7).into();
        renamed.save(db).await.expect("saved");
        let desks = Desk::scan(db, |d| d.all())
            .sort(|d| d.id.asc())
            .await
            .expect("read");
        assert_eq!((&*desks[0].of_name, &*desks[1].of_name), ("Anna", "Sid"));
        let cid = Employee::get_salary(db, 3)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(
            cid.team_name, "Red",
            "a save leaves copies as they are stored"
        );
        let report = verify(db)
            .only::<Employee>()
            .only::<Desk>()
            .await
            .expect("verified");
        assert!(report.is_clean(), "{report:?}");
        // Joins: one query, whatever the variants.
        bench.forget();
        let people = desks_of(bench).await;
        assert_eq!(people.len(), 2);
        let all = Employee::scan(db, |e| e.all()).await.expect("read");
        bench.forget();
        let teams = Employee::load(db, &all, |e| e.team).await.expect("loaded");
        assert_eq!(bench.sent(), ["find"]);
        assert!(teams.iter().all(|(_, team)| team.values().len() == 1));
        let refused = Team::delete(db, 1).await;
        assert!(refused.is_err(), "{refused:?}");
        let refused = Employee::delete(db, 1).await;
        assert!(refused.is_err(), "{refused:?}");
        let other: Employee = hourly(20, "Zoe", 1.0).into();
        Employee::insert(db, &other).await.expect("stored");
        let zoe = Employee::get_hourly(db, 20)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(
            zoe.team_name, "Red",
            "a new document's copies are those of its source"
        );
    })
    .await;
}

async fn desks_of(bench: &crate::common::Bench) -> Vec<Employee> {
    let desks = Desk::scan(&bench.db, |d| d.all()).await.expect("read");
    bench.forget();
    let mut out = Vec::new();
    let loaded = Desk::load_of_many(&bench.db, &desks).await.expect("loaded");
    assert_eq!(bench.sent(), ["find"], "one query, whatever the variants");
    for (_, employee) in &loaded {
        out.extend(employee.value().cloned());
    }
    out
}

/// Refers to employees of all kinds, in an order of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "rooms")]
pub struct Room {
    #[serde(rename = "_id")]
    pub id: i32,
    #[refs(Employee, max = 10)]
    pub people: Vec<i32>,
}

#[tokio::test]
async fn references_to_all_kinds_are_one_command_and_keep_their_order() {
    on_both("staff_refs", async |bench| {
        let db = &bench.db;
        stored(bench).await;
        bench.index(&[Room::meta()]).await;
        let room = |id, people: &[i32]| Room {
            id,
            people: people.to_vec(),
        };
        let rooms = [room(1, &[5, 1, 4, 1, 9]), room(2, &[3])];
        bench.place(&rooms).await;
        let loaded = rooms[0].load_people(db).await.expect("loaded");
        let asked = bench.only();
        let filter = asked.get_document("filter").expect("a filter");
        assert_eq!(filter.keys().collect::<Vec<_>>(), ["_id"]);
        assert_eq!(*loaded.missing(), [9]);
        let ann: Employee = hourly(1, "Ann", 10.0).into();
        let all = loaded.into_vec();
        let expected = [
            part_time(5, "Eve", 12).into(),
            ann.clone(),
            salary(4, "Dan", 8).into(),
            ann,
        ];
        assert_eq!(all, expected);
        // Load the people of many rooms at once; then find rooms by a person.
        let joined = Room::load_people_many(db, &rooms).await.expect("loaded");
        bench.only();
        let kinds = joined.iter().map(|(_, people)| people.len());
        assert_eq!(kinds.collect::<Vec<_>>(), [4, 1]);
        let with_ann = Room::by_people(db, 1).await.expect("found");
        assert_eq!(with_ann, [rooms[0].clone()]);
    })
    .await;
}
