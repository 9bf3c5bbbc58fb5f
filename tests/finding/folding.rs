//! Comparisons without regard to case, by an index with a collation.

use mongo_model::{Error, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "members",
    index(keys(city, age), collation(locale = "en", strength = 1))
)]
struct Member {
    #[serde(rename = "_id")]
    id: i32,
    #[index]
    #[index(collation(locale = "en", strength = 2), name = "name_ci")]
    name: String,
    #[index(collation(locale = "en", strength = 2))]
    email: Option<String>,
    city: String,
    age: i32,
    #[index]
    team: String,
}

async fn members(bench: &Bench) {
    bench.index(&[Member::meta()]).await;
    let names = ["Ann", "ann", "ANNA", "Bob", "bo", "Änne", "anton"];
    let all: Vec<Member> = (0..)
        .zip(names)
        .map(|(id, name)| Member {
            id,
            name: name.to_owned(),
            email: Some(format!("{name}{id}@Example.com")),
            city: if id % 2 == 0 { "Zürich" } else { "ZURICH" }.to_owned(),
            age: 30 + id,
            team: "red".to_owned(),
        })
        .collect();
    bench.place(&all).await;
}

fn ids(found: &[Member]) -> Vec<i32> {
    let mut ids: Vec<i32> = found.iter().map(|member| member.id).collect();
    ids.sort_unstable();
    ids
}

/// The command has the collation of the index, and the server uses that index and no scan.
async fn by_index(bench: &Bench, strength: i64, key: &str) {
    let sent = bench.only();
    let collation = sent.get_document("collation").expect("a collation");
    assert_eq!(collation.get_str("locale").ok(), Some("en"), "{sent}");
    assert_eq!(
        crate::common::number(&collation["strength"]),
        strength,
        "{sent}"
    );
    let plan = bench.explain(sent).await;
    plan.assert_served_by(key);
    assert!(!plan.has("SORT"), "{plan:#?}");
}

#[tokio::test]
async fn equality_and_prefixes_ignore_case() {
    on_both("folding", async |bench| {
        members(bench).await;
        let db = &bench.db;
        let found = Member::find(db, |m| m.name.eq_ci("ANN")).await;
        assert_eq!(ids(&found.expect("found")), [0, 1]);
        by_index(bench, 2, "name").await;
        let found = Member::find(db, |m| m.name.is_in_ci(["BOB", "anna"])).await;
        assert_eq!(ids(&found.expect("found")), [2, 3]);
        by_index(bench, 2, "name").await;
        let found = Member::find(db, |m| m.name.starts_with_ci("an")).await;
        assert_eq!(ids(&found.expect("found")), [0, 1, 2, 6]);
        by_index(bench, 2, "name").await;
        let one = Member::find_one(db, |m| m.email.eq_ci("BOB3@example.com")).await;
        assert_eq!(one.expect("found").map(|member| member.id), Some(3));
        by_index(bench, 2, "email").await;
        // Strength 1 takes accents for nothing too.
        let count = Member::count(db, |m| m.city.eq_ci("zurich").and(m.age.gt(31))).await;
        assert_eq!(count.expect("counted"), 5);
        by_index(bench, 1, "city").await;
        assert!(
            Member::exists(db, |m| m.name.eq_ci("bO"))
                .await
                .expect("asked")
        );
        by_index(bench, 2, "name").await;
        // Without it, letters are letters.
        let found = Member::find(db, |m| m.name.eq("ANN")).await;
        assert!(found.expect("found").is_empty());
        assert!(!bench.only().contains_key("collation"));
    })
    .await;
}

#[tokio::test]
async fn an_order_ignores_case() {
    alone("folding_sort", async |bench| {
        members(bench).await;
        let db = &bench.db;
        let names =
            |found: Vec<Member>| -> Vec<String> { found.into_iter().map(|m| m.name).collect() };
        let sorted = Member::find(db, |m| m.name.starts_with_ci(""))
            .sort(|m| m.name.asc_ci())
            .await
            .expect("found");
        let sorted = names(sorted);
        assert_eq!(sorted[2..], ["ANNA", "Änne", "anton", "bo", "Bob"]);
        by_index(bench, 2, "name").await;
        let exact = Member::find(db, |m| m.name.gte(""))
            .sort(|m| m.name.asc())
            .await;
        assert_eq!(names(exact.expect("found"))[..2], ["ANNA", "Ann"]);
        bench.forget();
        let mut cursor = None;
        let mut paged = Vec::new();
        loop {
            let page = Member::scan(db, |m| m.age.gt(0)).sort(|m| m.name.asc_ci());
            let page = page.page(2).after(cursor).await.expect("a page");
            paged.extend(names(page.items));
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(paged.len(), 7);
        assert_eq!(paged[2..], sorted[2..]);
        // A cursor of one order is none of another.
        let first = Member::scan(db, |m| m.age.gt(0))
            .sort(|m| m.name.asc_ci())
            .page(2)
            .await;
        let next = first.expect("a page").next;
        let other = Member::scan(db, |m| m.age.gt(0))
            .sort(|m| m.name.asc())
            .page(2)
            .after(next)
            .await;
        assert!(matches!(other, Err(Error::WrongCursor { .. })), "{other:?}");
    })
    .await;
}

/// A command compares all strings in one way.
#[tokio::test]
async fn two_ways_in_one_command_are_refused() {
    alone("folding_refused", async |bench| {
        members(bench).await;
        let db = &bench.db;
        let both = |found: mongo_model::Result<Vec<Member>>| match found {
            Err(Error::TwoCollations { model }) => assert_eq!(model, "Member"),
            other => panic!("{other:?}"),
        };
        both(Member::find(db, |m| m.name.eq_ci("ann").and(m.team.eq("red"))).await);
        both(Member::find(db, |m| m.team.eq("red").or(m.name.eq_ci("ann"))).await);
        both(
            Member::find(db, |m| m.name.eq_ci("ann"))
                .filter(|m| m.team.eq("red"))
                .await,
        );
        both(
            Member::find(db, |m| m.team.eq("red"))
                .filter(|m| m.name.eq_ci("ann"))
                .await,
        );
        both(
            Member::find(db, |m| m.team.eq("red"))
                .sort(|m| m.name.asc_ci())
                .await,
        );
        both(Member::find(db, |m| m.name.eq_ci("ann").and(m.city.eq_ci("zurich"))).await);
        both(Member::scan(db, |m| !m.name.eq_ci("ann").and(m.team.eq("red"))).await);
        let changed = Member::update_many(db, |m| m.name.eq_ci("ann"))
            .set(|m| m.age, 1)
            .await;
        assert!(
            matches!(changed, Err(Error::Impossible { .. })),
            "{changed:?}"
        );
        assert_eq!(bench.sent(), [""; 0]);
        // Numbers are compared in one way only.
        let found = Member::find(db, |m| {
            m.name.eq_ci("ann").and(m.age.gt(30)).and(m.id.lt(9))
        });
        assert_eq!(ids(&found.await.expect("found")), [1]);
        let found =
            Member::scan(db, |m| !m.name.eq_ci("ann")).filter(|m| m.name.starts_with_ci("b"));
        assert_eq!(ids(&found.await.expect("found")), [3, 4]);
    })
    .await;
}
