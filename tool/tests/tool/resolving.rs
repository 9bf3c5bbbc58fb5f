//! `resolve`: a dry run shows the updates, `--apply` makes those that lose nothing, and says what is left.

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, doc};
use futures::TryStreamExt;

use crate::support::{Place, Ran, cargo_mongo_model, run};

fn resolve(place: &Place, args: &[&str]) -> Ran {
    run(
        cargo_mongo_model(),
        &place.arguments(&[&["resolve"], args].concat()),
    )
}

async fn fill(place: &Place, values: Vec<Bson>) {
    let all = values.into_iter().enumerate();
    let all = all.map(|(n, v)| doc! { "_id": i32::try_from(n).expect("small"), "a": { "v": v } });
    let stored = place.db.collection::<Document>("t");
    stored.insert_many(all).await.expect("stored");
}

async fn values(place: &Place) -> Vec<Option<Bson>> {
    let stored = place.db.collection::<Document>("t");
    let stored = stored.find(doc! {});
    let all: Vec<Document> = stored
        .sort(doc! { "_id": 1 })
        .await
        .expect("read")
        .try_collect()
        .await
        .expect("read");
    let value = |one: Document| one.get_document("a").ok().and_then(|a| a.get("v").cloned());
    all.into_iter().map(value).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn only_exact_conversions_are_made() {
    let id = ObjectId::new();
    let day = DateTime::builder()
        .year(2024)
        .month(1)
        .day(31)
        .build()
        .expect("a day");
    let text = |text: &str| Bson::from(text);
    let decimal: bson::Decimal128 = "12.50".parse().expect("a decimal");
    // The type, the values, and what becomes of them.
    let cases: Vec<(&str, Vec<(Bson, Bson)>)> = vec![
        (
            "int",
            vec![
                (text("12"), Bson::Int32(12)),
                (text("-7"), Bson::Int32(-7)),
                (text("012"), text("012")),
                (text("+1"), text("+1")),
                (text("1.0"), text("1.0")),
                (text("3000000000"), text("3000000000")),
                (text(""), text("")),
                (Bson::from(vec!["12"]), Bson::from(vec!["12"])),
            ],
        ),
        (
            "long",
            vec![(text("3000000000"), Bson::Int64(3_000_000_000))],
        ),
        (
            "double",
            vec![
                (text("9.1"), Bson::Double(9.1)),
                (text("9.10"), text("9.10")),
                (text("NaN"), text("NaN")),
                (text("Infinity"), text("Infinity")),
            ],
        ),
        (
            "decimal",
            vec![
                (text("12.50"), Bson::Decimal128(decimal)),
                (text("NaN"), text("NaN")),
            ],
        ),
        (
            "object-id",
            vec![
                (Bson::from(id.to_hex()), Bson::from(id)),
                (
                    Bson::from(id.to_hex().to_uppercase() + "A"),
                    Bson::from(id.to_hex().to_uppercase() + "A"),
                ),
            ],
        ),
        (
            "date",
            vec![
                (text("2024-01-31"), Bson::from(day)),
                (text("2024-01-31T00:00:00Z"), Bson::from(day)),
                (text("2024-01-31T00:00:00.000Z"), Bson::from(day)),
                (text("31.01.2024"), text("31.01.2024")),
            ],
        ),
        (
            "string",
            vec![
                (Bson::Int64(5), text("5")),
                (Bson::Double(5.0), Bson::Double(5.0)),
            ],
        ),
        (
            "array",
            vec![(Bson::Null, Bson::Array(vec![])), (text("a"), text("a"))],
        ),
    ];
    for (to, values_of) in cases {
        let place = Place::new("exact").await;
        fill(
            &place,
            values_of.iter().map(|(value, _)| value.clone()).collect(),
        )
        .await;
        let args = ["--collection", "t", "--field", "a.v", "--to", to, "--json"];
        let will = values_of
            .iter()
            .filter(|(value, other)| value != other)
            .count();
        let left = values_of.len() - will;
        let dry = resolve(&place, &args).json();
        assert_eq!(dry["updates"][0]["documents"], will, "{to}: {dry}");
        assert_eq!(dry["left"]["documents"], left, "{to}: {dry}");
        let before: Vec<_> = values_of
            .iter()
            .map(|(value, _)| Some(value.clone()))
            .collect();
        assert_eq!(values(&place).await, before, "nothing is written");
        let done = resolve(&place, &[&args[..], &["--apply", "--yes"]].concat());
        let done = done.code(i32::from(left > 0)).json();
        assert_eq!(
            (&done["changed"], &done["left"]["documents"]),
            (&will.into(), &left.into())
        );
        let after: Vec<_> = values_of
            .into_iter()
            .map(|(_, other)| Some(other))
            .collect();
        assert_eq!(values(&place).await, after, "{to}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_report_of_pull_names_the_command_and_the_dry_run_the_update() {
    let place = Place::new("advised").await;
    let mut all: Vec<Bson> = (0..40).map(Bson::Int32).collect();
    all[3] = "3".into();
    all[4] = "4".into();
    all[5] = "".into();
    all[6] = "many".into();
    fill(&place, all).await;
    let out = crate::support::target().join("tmp").join("pull-advised");
    let _ = std::fs::remove_dir_all(&out);
    let out = out.to_str().expect("a path");
    let pulled = run(
        cargo_mongo_model(),
        &place.arguments(&["pull", "--out", out]),
    )
    .code(1);
    let command = "resolve --collection t --field a.v --to int --remove-empty";
    let help = format!("help: `cargo mongo-model {command}`");
    assert!(pulled.out.contains(&help), "{}", pulled.out);
    let args: Vec<&str> = command.split(' ').skip(1).collect();
    let dry = resolve(&place, &args).code(1);
    for part in [
        "db.getCollection(\"t\").updateMany(",
        "2 documents would change\n      3\n      4\n",
        "1 document would change\n      5\n",
        "1 document left as they are: no exact conversion\n      6\n",
        "nothing was written: `--apply` changes the documents",
    ] {
        assert!(dry.out.contains(part), "{part}: {}", dry.out);
    }
    // Without a terminal and without `--yes` nothing is written.
    let asked = resolve(&place, &[&args[..], &["--apply"]].concat()).code(2);
    assert!(asked.err.contains("not confirmed"), "{}", asked.err);
    let some = resolve(
        &place,
        &[&args[..], &["--apply", "--yes", "--limit", "1"]].concat(),
    );
    let some = some.code(1).out;
    assert!(
        some.contains("1 document changed") && some.contains("2 documents to go"),
        "{some}"
    );
    let rest = resolve(&place, &[&args[..], &["--apply", "--yes"]].concat())
        .code(1)
        .out;
    assert!(
        rest.contains("2 documents changed") && !rest.contains("to go"),
        "{rest}"
    );
    let now = values(&place).await;
    assert_eq!(
        (&now[3], &now[5], &now[6]),
        (&Some(Bson::Int32(3)), &None, &Some("many".into()))
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn no_update_goes_into_an_array_or_where_none_can_go() {
    let place = Place::new("unresolved").await;
    let stored = place.db.collection::<Document>("t");
    let inside = doc! { "_id": 1, "a": [{ "v": "1" }, { "v": "x" }] };
    stored.insert_one(inside.clone()).await.expect("stored");
    let args = [
        "--collection",
        "t",
        "--field",
        "a.v",
        "--to",
        "int",
        "--remove-empty",
    ];
    let done = resolve(&place, &[&args[..], &["--apply", "--yes"]].concat()).code(1);
    assert!(
        done.out.contains("1 document left as they are"),
        "{}",
        done.out
    );
    let now = stored.find_one(doc! {}).await.expect("read");
    assert_eq!(now, Some(inside));
    for (collection, field, message) in [
        ("u", "a", "no collection is called `u`"),
        ("t", "_id", "the server changes no `_id`"),
        ("t", "a..v", "`a..v` is no path of a field"),
        ("t", "$a", "`$a` is no path of a field"),
    ] {
        let args = ["--collection", collection, "--field", field, "--to", "int"];
        let ran = resolve(&place, &args).code(2);
        assert!(ran.err.contains(message), "{}", ran.err);
    }
}
