//! `migrations`: what is pending is listed, runs once, and is undone.

use bson::{Document, doc};
use futures::TryStreamExt;
use regex_lite::Regex;

use crate::seed::id;
use crate::support::{Place, demo, example, golden, run};

/// The ledger of the database.
fn ledger(place: &Place) -> mongodb::Collection<Document> {
    place.db.collection("_dn.migrations")
}

async fn partnos(place: &Place) -> Vec<String> {
    let parts = place.db.collection::<Document>("parts");
    let partnos = parts.distinct("partno", doc! {}).await.expect("read");
    let texts = partnos
        .iter()
        .map(|one| one.as_str().expect("a text").to_owned());
    texts.collect()
}

/// All documents of the database.
async fn contents(place: &Place) -> Vec<(String, Vec<Document>)> {
    let mut names = place.db.list_collection_names().await.expect("listed");
    names.sort_unstable();
    let mut contents = Vec::new();
    for name in names {
        let documents = place.db.collection::<Document>(&name).find(doc! {}).await;
        let documents = documents.expect("read").try_collect().await;
        contents.push((name, documents.expect("read")));
    }
    contents
}

/// The text without times and versions.
fn masked(place: &Place, text: &str) -> String {
    let text = place.masked(text);
    let time = Regex::new(r"\d{4}-\d\d-\d\dT[\d:.]+Z").expect("a pattern");
    let text = time.replace_all(&text, "TIME").into_owned();
    text.replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

/// The command ends with this code and sentence, and the ledger is as it was.
async fn refused(place: &Place, args: &[&str], sentence: &str) {
    let count = async || {
        ledger(place)
            .count_documents(doc! {})
            .await
            .expect("counted")
    };
    let before = count().await;
    let ran = place.demo(args).code(2);
    let first = ran.err.lines().find(|line| line.starts_with("error: "));
    assert_eq!(
        first,
        Some(format!("error: {sentence}").as_str()),
        "{}",
        ran.err
    );
    assert_eq!(count().await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn what_is_pending_runs_once_and_in_order() {
    let place = Place::spoiled("migrations_run").await;
    let planned = place.demo(&["migrations", "plan"]).code(1);
    let mut shown = planned.out;
    let unconfirmed = "nothing was written: the command was not confirmed";
    refused(&place, &["migrations", "run"], unconfirmed).await;
    assert_eq!(partnos(&place).await, ["part-1", "part-2", "part-3"]);

    // A product that is none stops the third.
    let failed = place.demo(&["migrations", "run", "--yes"]).code(2);
    let running = "running drop_audit\nrunning raise_partnos\nrunning trim_names\n";
    assert!(failed.err.starts_with(running), "{}", failed.err);
    let sentence = "error: the migration `trim_names` failed, and the next run continues it: ";
    assert!(failed.err.contains(sentence), "{}", failed.err);
    assert_eq!(partnos(&place).await, ["PART-1", "PART-2", "PART-3"]);
    shown.push_str(&place.demo(&["migrations", "status"]).code(1).out);
    shown.push_str(&place.demo(&["migrations", "plan"]).code(1).out);
    golden("migrations.txt", &masked(&place, &shown));

    let products = place.db.collection::<Document>("products");
    products
        .delete_one(doc! { "_id": id(13) })
        .await
        .expect("deleted");
    let ran = place.demo(&["migrations", "run", "--yes"]).code(0);
    assert_eq!(ran.out, "ran trim_names\n");
    // Nothing is left, so that there is no question.
    let again = place.demo(&["migrations", "run"]).code(0);
    assert_eq!(again.out, "3 migrations done\n");
    let document = place.demo(&["migrations", "run", "--json"]).code(0).json();
    assert_eq!(document["command"], "migrations run");
    assert_eq!(document["migrations"], serde_json::json!([]));
    let document = place
        .demo(&["migrations", "status", "--json"])
        .code(0)
        .json();
    let raised = &document["migrations"][1];
    assert_eq!(document["ok"], true);
    assert_eq!(raised["name"], "raise_partnos");
    assert_eq!(raised["after"], serde_json::json!(["drop_audit"]));
    assert_eq!(
        (&raised["state"], &raised["documents"]),
        (&"done".into(), &3.into())
    );
    assert_eq!(
        (&raised["has_undo"], &raised["linked"]),
        (&true.into(), &true.into())
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dry_run_shows_the_changes_and_makes_none() {
    let place = Place::spoiled("migrations_dry").await;
    let dry = &["migrations", "run", "--dry-run", "--yes"][..];
    let before = contents(&place).await;
    let undecodable = "the migration `trim_names` fails on the copies: Product ObjectId(\"00000000000000000000000d\"): cannot be decoded: name: expected a string, found int32";
    refused(&place, dry, undecodable).await;
    // The third product is not among the copies.
    let some = [dry, &["--samples", "2"]].concat();
    let ran = place.demo(&some).code(0);
    golden("migrations-dry-run.txt", &masked(&place, &ran.out));
    let document = place
        .demo(&[&some[..], &["--json"]].concat())
        .code(0)
        .json();
    assert_eq!(
        document["migrations"],
        serde_json::json!(["drop_audit", "raise_partnos", "trim_names"])
    );
    let parts = &document["collections"][1];
    assert_eq!(
        (&parts["copied"], &parts["changed"]),
        (&2.into(), &2.into())
    );
    let field = &parts["examples"][0]["fields"][0];
    assert_eq!(
        (&field["old"], &field["new"]),
        (&"part-1".into(), &"PART-1".into())
    );

    assert_eq!(contents(&place).await, before);
    let names = place
        .db
        .client()
        .list_database_names()
        .await
        .expect("listed");
    let copies = names
        .iter()
        .filter(|name| name.starts_with("mongo_model_dry_run_"));
    assert_eq!(copies.count(), 0);
    // What is done is not run on the copies either.
    place.demo(&["migrations", "run", "--yes"]).code(2);
    let ran = place.demo(&some).code(0);
    assert!(
        ran.out
            .starts_with("trim_names would run\n\nno changes of copies"),
        "{}",
        ran.out
    );
}

/// A migration that is interrupted runs again: on copies it does so each time.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn a_dry_run_shows_what_a_second_run_changes() {
    let place = Place::new("migrations_twice").await;
    let one = doc! { "_id": 1, "born": "before", "by": "before", "touched": 3 };
    let added = place.db.collection::<Document>("added");
    added.insert_one(one).await.expect("stored");
    let args = place.arguments(&["migrations", "run", "--dry-run", "--yes"]);
    let ran = run(example("after"), &args).code(1);
    let twice = "count_all would run\n\
        added: 1 changed of 1 document\n    1  touched: 3 -> 4\n\n\
        a second run changes more, as one would after an interruption:\n\
        added: 1 changed of 1 document\n    1  touched: 4 -> 5\n\n";
    assert!(ran.out.starts_with(twice), "{}", ran.out);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn one_is_undone_and_runs_again() {
    let place = Place::spoiled("migrations_undo").await;
    let undo = |name| ["migrations", "undo", name, "--yes"];
    let of = |name: &str, why: &str| format!("an undo of the migration `{name}`: {why}");
    let unknown = of("none", "the program has none of this name");
    refused(&place, &undo("none"), &unknown).await;
    place.demo(&["migrations", "run", "--yes"]).code(2);
    let lasting = of("drop_audit", "it declares no `undo`");
    refused(&place, &undo("drop_audit"), &lasting).await;
    let undone = place.demo(&undo("raise_partnos")).code(0);
    assert_eq!(undone.out, "undid raise_partnos\n");
    assert_eq!(partnos(&place).await, ["part-1", "part-2", "part-3"]);
    refused(
        &place,
        &undo("raise_partnos"),
        &of("raise_partnos", "it is not done"),
    )
    .await;
    let planned = place.demo(&["migrations", "plan"]).code(1);
    assert!(
        planned.out.contains("1. run       raise_partnos"),
        "{}",
        planned.out
    );

    let set = doc! { "$set": { "state": "undoing" } };
    ledger(&place)
        .update_one(doc! { "_id": "raise_partnos" }, set)
        .await
        .expect("changed");
    let half = "to run migrations while `raise_partnos` is half undone: undo it once more";
    refused(&place, &["migrations", "run", "--yes"], half).await;
    let status = place.demo(&["migrations", "status"]).code(1);
    let help = "`demo migrations undo raise_partnos` completes its undo";
    assert!(status.out.contains(help), "{}", status.out);
    place.demo(&undo("raise_partnos")).code(0);
}

/// A newer program has run what this one does not have, or writes its ledger in another form.
#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn an_older_program_is_refused() {
    let place = Place::new("migrations_ahead").await;
    let later = doc! { "_id": "later", "format": 1, "state": "done", "token": 1_i64 };
    ledger(&place).insert_one(later).await.expect("stored");
    let ahead = "the database is ahead of this program, which does not know the migrations later";
    refused(&place, &["migrations", "run", "--yes"], ahead).await;
    for action in ["status", "plan"] {
        let ran = place.demo(&["migrations", action]).code(1);
        assert!(ran.out.contains(ahead), "{}", ran.out);
    }
    let ran = place
        .demo(&["migrations", "run", "--yes", "--allow-ahead"])
        .code(0);
    assert_eq!(
        ran.out,
        "ran drop_audit\nran raise_partnos\nran trim_names\n"
    );
    // The database is ahead although nothing is pending.
    place.demo(&["migrations", "status"]).code(1);
    refused(&place, &["migrations", "run"], ahead).await;

    let newer = doc! { "$set": { "format": 2 } };
    ledger(&place)
        .update_one(doc! { "_id": "later" }, newer)
        .await
        .expect("changed");
    let newer = "the ledger has the migration `later` in format 2, and this program knows formats up to 1: use a newer program";
    for action in ["status", "plan", "run"] {
        refused(&place, &["migrations", action], newer).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn migrations_without_an_order_and_a_choice_of_models_are_refused() {
    let place = Place::new("migrations_ring").await;
    let ringed = demo().with_file_name(format!("walled{}", std::env::consts::EXE_SUFFIX));
    let ring = "error: migrations come after each other in a ring: ";
    for action in [&["status"][..], &["plan"], &["run", "--yes"]] {
        let args = [&["migrations"], action].concat();
        let ran = run(&ringed, &place.arguments(&args)).code(2);
        assert!(ran.err.starts_with(ring), "{}", ran.err);
    }
    let chosen = "a migration changes a database, and `--model` chooses among models";
    refused(&place, &["migrations", "status", "--model", "Part"], chosen).await;
}
