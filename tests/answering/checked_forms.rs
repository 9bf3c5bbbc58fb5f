//! The same for references in other places, and for the writes that seldom store one: versions, migrations, sagas, soft deletes.

use bson::{Bson, Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, Saga, SagaOutcome, recover, settle, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, behind};
use crate::inserting::commands;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
    #[count(Game)]
    games: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_clubs", soft_delete)]
struct Club {
    #[serde(rename = "_id")]
    id: i32,
    #[deleted]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    gone: Option<bson::DateTime>,
}

/// Counted by its team.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_games")]
struct Game {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team)]
    team: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_contracts")]
struct Contract {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Club)]
    club: i32,
    pay: i32,
    #[version]
    version: i64,
}

/// Version 1 called its reference `of`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_badges", schema_version = 2, migrate = renamed, unversioned = 1)]
struct Badge {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Club, on_delete = deny)]
    club: i32,
    #[serde(default)]
    text: String,
}

fn renamed(mut old: Document, _version: i32) -> Document {
    let club = old.remove("of");
    old.extend(club.map(|club| ("club".to_owned(), club)));
    old.insert("text", "migrated");
    old
}

/// Copies that need no mark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_photos")]
struct Photo {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team, on_delete = unset)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    team: Option<i32>,
    #[denorm(from = Team, via = team, field = name, level = fire_and_forget)]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    team_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "id")]
enum Subject {
    Team(#[parent(Team)] i32),
    Club(#[parent(Club)] i32),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "form_notes")]
struct Note {
    #[serde(rename = "_id")]
    id: i32,
    on: Subject,
    text: String,
}

fn team(id: i32) -> Team {
    Team {
        id,
        name: format!("team {id}"),
        games: 0,
    }
}

async fn index(bench: &Bench) {
    let models = [
        Team::meta(),
        Club::meta(),
        Game::meta(),
        Contract::meta(),
        Badge::meta(),
        Photo::meta(),
        Note::meta(),
    ];
    bench.index(&models).await;
    let clubs = [1, 2].map(|id| Club { id, gone: None });
    Club::insert_many(&bench.db, &clubs).await.expect("stored");
    let teams = [team(1), team(2)];
    Team::insert_many(&bench.db, &teams).await.expect("stored");
    settle(&bench.db).await;
    bench.forget();
}

fn sent(bench: &Bench) -> Vec<String> {
    let sent = commands(bench).into_iter();
    sent.map(|(name, to)| format!("{name} {}", to.replace("form_", "")))
        .collect()
}

/// Checks that an error is about this reference.
fn dangles(error: Error, at: (&str, &str, &str), id: i32) {
    match error {
        Error::Dangling {
            model,
            field,
            target,
            ids,
        } => {
            assert_eq!((model, field.as_str(), target), at);
            assert_eq!(ids, [Bson::Int32(id)]);
        }
        error => panic!("{error}"),
    }
}

async fn sound(bench: &Bench) {
    settle(&bench.db).await;
    let recovered = recover(&bench.db).await.expect("recovered");
    assert!(recovered.is_idle(), "{recovered:?}");
    let verified = verify(&bench.db).await.expect("verified");
    assert!(verified.is_clean(), "{verified}");
    bench.forget();
}

#[tokio::test]
async fn a_parent_that_is_updated_next_is_not_read() {
    behind("forms_counted", async |bench| {
        index(bench).await;
        let db = &bench.db;
        // The first insert learns the epoch of the parent.
        Game::insert(db, &Game { id: 1, team: 1 })
            .await
            .expect("stored");
        sound(bench).await;
        Game::insert(db, &Game { id: 2, team: 1 })
            .await
            .expect("stored");
        assert_eq!(sent(bench)[..2], ["insert games", "findAndModify teams"]);
        sound(bench).await;
        let error = Game::insert(db, &Game { id: 3, team: 9 }).await;
        dangles(
            error.expect_err("no such team"),
            ("Game", "team", "Team"),
            9,
        );
        settle(db).await;
        assert_eq!(bench.len("form_games").await, 2);
        let stored = Team::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(stored.games, 2);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn versions_that_keep_their_references_are_swapped_together() {
    behind("forms_versions", async |bench| {
        index(bench).await;
        let db = &bench.db;
        let contract = |id| Contract {
            id,
            club: 1,
            pay: 1,
            version: 0,
        };
        let mut all: Vec<Contract> = (1..=3).map(contract).collect();
        Contract::insert_many(db, &all).await.expect("stored");
        // Behind the answer, the clubs are read.
        settle(db).await;
        bench.forget();
        all.iter_mut().for_each(|one| one.pay = 2);
        let done = Contract::save_many_if_unchanged(db, &mut all).await;
        assert_eq!(done.expect("saved").saved, 3);
        assert_eq!(sent(bench), ["update contracts"]);
        // One moves to another club, one to none that is there, and one has been changed meanwhile.
        let raise = Contract::update(db, 3).set(|c| c.pay, 9).await;
        raise.expect("changed");
        all[0].club = 2;
        all[1].club = 7;
        let done = Contract::save_many_if_unchanged(db, &mut all).await;
        let mut done = done.expect("saved in part");
        assert_eq!((done.saved, done.unsaved.len()), (1, 2));
        let (conflict, dangling) = (done.unsaved.pop(), done.unsaved.pop());
        let conflict = conflict.expect("two").error;
        assert!(matches!(conflict, Error::Conflict(_)), "{conflict}");
        let dangling = dangling.expect("two").error;
        dangles(dangling, ("Contract", "club", "Club"), 7);
        let stored = bench.stored("form_contracts", 1).await;
        assert_eq!(stored.get_i32("club").expect("a club"), 2);
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_migration_is_stopped_by_no_old_reference() {
    behind("forms_migrations", async |bench| {
        index(bench).await;
        let db = &bench.db;
        let old = |id: i32| doc! { "_id": id, "club": 7 };
        bench.seed("form_badges", (1..=20).map(old)).await;
        let done = Badge::migrate(db).await.expect("migrated");
        assert_eq!((done.migrated, done.refused.len()), (20, 0), "{done:?}");
        assert_eq!(sent(bench), ["find badges", "update badges"]);
        // An update migrates the document before it changes another field.
        bench.seed("form_badges", [old(30)]).await;
        let update = Badge::update(db, 30).set(|b| b.text, "x");
        update.await.expect("updated");
        // References that the migration itself stores are checked.
        let renamed = [(40, 1), (41, 7)];
        let renamed = renamed.map(|(id, club)| doc! { "_id": id, "of": club });
        bench.seed("form_badges", renamed).await;
        let done = Badge::migrate(db).await.expect("migrated");
        assert_eq!((done.migrated, done.refused.len()), (1, 1), "{done:?}");
        let reason = &done.refused[0].reason;
        assert!(reason.contains("Badge.club refers to"), "{reason}");
        let stored = bench.stored("form_badges", 40).await;
        assert!(
            !stored.contains_key("of") && !stored.contains_key("_dn"),
            "{stored}"
        );
        let again = Badge::migrate(db).await.expect("migrated");
        assert_eq!((again.found, again.migrated), (1, 0), "{again:?}");
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_marked_as_deleted_is_there() {
    behind("forms_soft", async |bench| {
        index(bench).await;
        let db = &bench.db;
        Club::delete(db, 2).await.expect("marked");
        bench.forget();
        let contract = |id, club| Contract {
            id,
            club,
            pay: 1,
            version: 0,
        };
        let stored = Contract::insert(db, &contract(1, 2)).await;
        stored.expect("the club is stored");
        let error = Contract::insert(db, &contract(2, 9)).await;
        dangles(error.expect_err("no club"), ("Contract", "club", "Club"), 9);
        settle(db).await;
        let refused = Club::purge(db, 2).await.expect_err("referred to");
        assert!(matches!(refused, Error::Referenced { .. }), "{refused}");
        Contract::insert(db, &contract(3, 1)).await.expect("stored");
        let refused = Club::delete(db, 1).await.expect_err("referred to");
        assert!(matches!(refused, Error::Referenced { .. }), "{refused}");
        Contract::delete(db, 1).await.expect("deleted");
        Club::purge(db, 2).await.expect("purged");
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_saga_stores_no_checked_reference() {
    behind("forms_saga", async |bench| {
        index(bench).await;
        let db = &bench.db;
        let contract = Contract {
            id: 1,
            club: 1,
            pay: 1,
            version: 0,
        };
        Contract::insert(db, &contract).await.expect("stored");
        settle(db).await;
        let to = |club: i32| Contract::update(db, 1).set(|c| c.club, club);
        let error = Saga::new(db, "move").step(to(2), to(1)).run().await;
        let error = error.expect_err("refused").to_string();
        assert!(error.contains("stores a checked reference"), "{error}");
        let pay = |by: i32| Contract::update(db, 1).inc(|c| c.pay, by);
        let done = Saga::new(db, "raise").step(pay(1), pay(-1)).run().await;
        assert!(matches!(done.expect("run"), SagaOutcome::Done));
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn copies_that_need_no_mark_do_not_make_it_unchecked() {
    behind("forms_levels", async |bench| {
        index(bench).await;
        let db = &bench.db;
        let photo = |id, team| Photo {
            id,
            team,
            team_name: None,
        };
        let error = Photo::insert(db, &photo(1, Some(9))).await;
        dangles(error.expect_err("no team"), ("Photo", "team", "Team"), 9);
        settle(db).await;
        assert_eq!(bench.len("form_photos").await, 0);
        Photo::insert(db, &photo(1, Some(1))).await.expect("stored");
        Photo::insert(db, &photo(2, None)).await.expect("stored");
        settle(db).await;
        let stored = Photo::get(db, 1).await.expect("read").expect("stored");
        assert_eq!(stored.team_name.as_deref(), Some("team 1"));
        Team::delete(db, 1).await.expect("deleted");
        let stored = bench.stored("form_photos", 1).await;
        assert!(!stored.contains_key("team"), "{stored}");
        sound(bench).await;
    })
    .await;
}

#[tokio::test]
async fn one_of_several_models_is_looked_for_in_its_own() {
    behind("forms_subjects", async |bench| {
        index(bench).await;
        let db = &bench.db;
        Team::insert(db, &team(5)).await.expect("stored");
        settle(db).await;
        bench.forget();
        let note = |id, on| Note {
            id,
            on,
            text: "x".to_owned(),
        };
        let mut first = note(1, Subject::Team(5));
        Note::insert(db, &first).await.expect("stored");
        assert_eq!(sent(bench)[..2], ["insert notes", "find teams"]);
        let error = Note::insert(db, &note(2, Subject::Club(5))).await;
        dangles(error.expect_err("no club"), ("Note", "on.id", "Club"), 5);
        settle(db).await;
        // The same number means another document.
        first.on = Subject::Club(5);
        let error = first.save(db).await.expect_err("no club");
        dangles(error, ("Note", "on.id", "Club"), 5);
        first.on = Subject::Club(2);
        first.save(db).await.expect("stored");
        sound(bench).await;
    })
    .await;
}
