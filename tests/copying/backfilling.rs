//! `backfill` fills newly declared copies.

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoModel, backfill, recover, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: String,
    name: String,
    motto: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_members")]
struct Member {
    #[serde(rename = "_id")]
    id: String,
    #[parent(Team)]
    team: String,
    #[denorm(from = Team, field = name, via = team)]
    team_name: String,
    #[denorm(from = Team, field = motto, via = team)]
    team_motto: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "f_cups")]
struct Cup {
    #[serde(rename = "_id")]
    id: i64,
    #[refs(Team, max = 100)]
    #[denorm(from = Team, fields(name))]
    teams: Vec<CupTeam>,
}

async fn start(bench: &Bench) {
    bench
        .index(&[Team::meta(), Member::meta(), Cup::meta()])
        .await;
}

fn member(id: &str, team: &str) -> Document {
    doc! { "_id": id, "team": team, "born": 1990 }
}

/// How many documents there are with the copy.
async fn filled(bench: &Bench) -> Vec<String> {
    let filter = doc! { "team_name": { "$exists": true } };
    let ids = bench.raw("f_members").distinct("_id", filter).await;
    bench.forget();
    let ids = ids.expect("read");
    ids.iter()
        .map(|id| id.as_str().expect("a string").to_owned())
        .collect()
}

/// Nothing lacks copies: a further run looks, and writes nothing.
async fn idle(bench: &Bench) {
    bench.forget();
    assert!(backfill(&bench.db).await.expect("looked").is_idle());
    let sent = bench.sent();
    assert!(sent.iter().all(|name| name == "find"), "{sent:?}");
    assert!(recover(&bench.db).await.expect("recovered").is_idle());
    let found = verify(&bench.db).await.expect("looked");
    assert!(found.is_clean(), "{found}");
    bench.forget();
}

#[tokio::test]
async fn one_document_first_then_the_rest_then_nothing() {
    on_both("backfill_ids", async |bench| {
        start(bench).await;
        bench
            .seed(
                "f_teams",
                [doc! { "_id": "red", "name": "Red", "motto": "up" }],
            )
            .await;
        let members = ["migrant1", "migrant2", "migrant3"].map(|id| member(id, "red"));
        bench.seed("f_members", members).await;

        let done = backfill(&bench.db)
            .reference("f_members.team")
            .ids(["migrant1"])
            .await
            .expect("filled");
        assert_eq!((done.lacking, done.sources, done.changed), (1, 0, 1));
        assert_eq!(filled(bench).await, ["migrant1"]);
        let first = bench.stored("f_members", "migrant1").await;
        assert_eq!(first.get("team_motto"), Some(&Bson::from("up")));
        assert_eq!(first.get("born"), Some(&Bson::from(1990)));
        assert_eq!(first.get("_dn"), None);

        let mut told = Vec::new();
        let done = backfill(&bench.db)
            .only::<Member>()
            .progress(|done| told.push(done.clone()))
            .await
            .expect("filled");
        assert_eq!((done.lacking, done.sources), (2, 1));
        assert_eq!(told, [done]);
        assert_eq!(filled(bench).await, ["migrant1", "migrant2", "migrant3"]);
        idle(bench).await;

        // The source follows its revision from here on.
        Team::update(&bench.db, "red")
            .set(|t| t.name, "Crimson")
            .await
            .expect("renamed");
        let third = bench.stored("f_members", "migrant3").await;
        assert_eq!(third.get("team_name"), Some(&Bson::from("Crimson")));
        idle(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_field_that_is_copied_from_now_on_is_filled_too() {
    alone("backfill_field", async |bench| {
        start(bench).await;
        // Both were written by the library when only the name was copied; one team has no motto to copy.
        bench
            .seed(
                "f_teams",
                [
                    doc! { "_id": "red", "name": "Red", "motto": "up", "_dn": { "r": 5 } },
                    doc! { "_id": "blue", "name": "Blue", "_dn": { "r": 5 } },
                ],
            )
            .await;
        let copied = |id: &str, team: &str, name: &str| doc! { "_id": id, "team": team, "team_name": name, "_r_team": 5 };
        bench
            .seed("f_members", [copied("a", "red", "Red"), copied("b", "blue", "Blue")])
            .await;
        let done = backfill(&bench.db).await.expect("filled");
        assert_eq!((done.lacking, done.sources, done.changed), (1, 1, 1));
        let a = bench.stored("f_members", "a").await;
        assert_eq!(a.get("team_motto"), Some(&Bson::from("up")));
        let red = bench.stored("f_teams", "red").await;
        assert_eq!(red.get("_dn"), Some(&Bson::from(doc! { "r": 6 })));
        idle(bench).await;
    })
    .await;
}

#[tokio::test]
async fn entries_are_filled_and_what_leads_nowhere_is_left() {
    alone("backfill_entries", async |bench| {
        start(bench).await;
        let teams = (0..600).map(|n| doc! { "_id": format!("t{n}"), "name": format!("T{n}") });
        bench.seed("f_teams", teams).await;
        let cups = (0..1_500_i64).map(|n| {
            let entry = |n: i64| doc! { "id": format!("t{}", n % 600) };
            doc! { "_id": n, "teams": [entry(n), entry(n + 1), { "id": "nobody" }] }
        });
        bench.seed("f_cups", cups).await;
        let mut calls = 0;
        let done = backfill(&bench.db)
            .reference("f_cups.teams")
            .progress(|_| calls += 1)
            .await
            .expect("filled");
        // The first batch fills all copies of every team; the rest lacks nothing by then.
        assert_eq!((done.lacking, done.sources, calls), (1_000, 600, 1));
        assert_eq!(done.refused, []);
        let updates: usize = bench
            .take()
            .iter()
            .filter(|sent| sent.name == "update")
            .filter_map(|sent| sent.command.get_array("updates").ok())
            .map(Vec::len)
            .sum();
        // Per page of sources one flag; per source, since it had no revision at all, one above its copies with what makes that durable,
        // a fan-out along both of its edges, and one clear.
        assert_eq!(updates, 2 + 600 * 6);
        assert!(backfill(&bench.db).await.expect("looked").is_idle());
        let last = bench.stored("f_cups", 1_499_i64).await;
        let entries = last.get_array("teams").expect("entries");
        let names: Vec<_> = entries
            .iter()
            .map(|entry| entry.as_document().expect("an entry").get_str("name").ok())
            .collect();
        assert_eq!(names, [Some("T299"), Some("T300"), None]);
        bench.forget();
    })
    .await;
}

#[tokio::test]
async fn what_is_interrupted_is_flagged_and_goes_on() {
    alone("backfill_resumed", async |bench| {
        let refuse =
            doc! { "$or": [{ "_id": { "$ne": "b" } }, { "team_name": { "$exists": false } }] };
        let create = bench.db.create_collection("f_members");
        create.validator(refuse).await.expect("created");
        start(bench).await;
        bench
            .seed("f_teams", [doc! { "_id": "red", "name": "Red" }])
            .await;
        bench
            .seed("f_members", ["a", "b", "c"].map(|id| member(id, "red")))
            .await;
        let done = backfill(&bench.db).await.expect("run");
        assert_eq!(done.refused.len(), 1, "{done:?}");
        assert_eq!(filled(bench).await, ["a", "c"]);
        let red = bench.stored("f_teams", "red").await;
        let flagged = red.get_document("_dn").expect("own").get_array("p");
        assert_eq!(flagged.expect("flagged").len(), 1);

        let lift = doc! { "collMod": "f_members", "validator": {} };
        bench.db.run_command(lift).await.expect("lifted");
        backfill(&bench.db).await.expect("filled");
        assert_eq!(filled(bench).await, ["a", "b", "c"]);
        idle(bench).await;
    })
    .await;
}

#[tokio::test]
async fn an_edge_that_is_not_there_is_an_error() {
    alone("backfill_unknown", async |bench| {
        let error = backfill(&bench.db).reference("f_members.tem").await;
        let error = error.expect_err("no such edge");
        assert!(matches!(error, Error::Impossible { .. }));
        assert_eq!(
            error.to_string(),
            "no model declares copies that follow at `f_members.tem`"
        );
        assert_eq!(bench.sent(), Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn what_other_programs_wrote_is_overwritten_and_reported() {
    on_both("backfill_differs", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench
            .seed("f_teams", [doc! { "_id": "red", "name": "Red" }])
            .await;
        let named = |id: &str, name: &str| doc! { "_id": id, "team": "red", "team_name": name };
        let members = [
            named("same", "Red"),
            named("other", "by hand"),
            member("none", "red"),
        ];
        bench.seed("f_members", members).await;
        let done = backfill(db).only::<Member>().await.expect("filled");
        assert_eq!((done.lacking, done.overwritten), (3, 1), "{done:?}");
        let [finding] = done.findings.as_slice() else {
            panic!("{done:?}");
        };
        assert_eq!(finding.path, "team_name");
        assert_eq!(
            (&finding.id, &finding.have),
            (&Bson::from("other"), &Some("by hand".into()))
        );
        assert_eq!(finding.want, Some("Red".into()));
        let other = bench.stored("f_members", "other").await;
        assert_eq!(other.get_str("team_name").ok(), Some("Red"));
        idle(bench).await;
    })
    .await;
}
