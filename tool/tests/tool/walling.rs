//! `check` of models that got a wall after their documents were stored.

use std::path::PathBuf;

use bson::{Document, doc};

use crate::seed::id;
use crate::support::{Place, demo, golden, run};

/// The program with models behind a wall.
fn walled() -> PathBuf {
    demo().with_file_name(format!("walled{}", std::env::consts::EXE_SUFFIX))
}

fn member(n: u8, of: Option<u8>, team: u8) -> Document {
    let mut member = doc! { "_id": id(n), "team": id(team) };
    member.extend(of.map(|of| ("o".to_owned(), id(of).into())));
    member
}

/// Teams 11 and 12 of two tenants, and these members.
async fn prepare(name: &str, members: Vec<Document>) -> Place {
    let place = Place::new(name).await;
    run(walled(), &place.arguments(&["apply", "--yes"])).code(0);
    let teams = [
        doc! { "_id": id(11), "org": id(1) },
        doc! { "_id": id(12), "org": id(2) },
    ];
    let stored = place.db.collection("teams").insert_many(teams).await;
    stored.expect("stored");
    let stored = place.db.collection("members").insert_many(members).await;
    stored.expect("stored");
    place
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn documents_without_a_tenant_and_references_through_the_wall_are_counted() {
    let members = vec![
        member(21, Some(1), 11),
        member(22, Some(1), 12),
        member(23, Some(2), 11),
        member(24, Some(2), 12),
        member(25, None, 11),
        member(26, None, 12),
    ];
    let place = prepare("check_walled", members).await;
    let ran = run(walled(), &place.arguments(&["check"])).code(1);
    golden("check-walled.txt", &place.masked(&ran.out));
    let json = run(walled(), &place.arguments(&["check", "--json"]));
    let json = json.code(1).json();
    let findings = json["collections"][0]["findings"].as_array();
    let findings = findings.expect("findings").iter();
    let findings = findings.map(|one| (one["kind"].as_str(), one["count"].as_u64()));
    let expected = [
        (Some("no_tenant"), Some(2)),
        (Some("other_tenant"), Some(2)),
    ];
    assert_eq!(findings.collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn documents_inside_of_the_wall_are_fine() {
    let place = prepare("check_walled_fine", vec![member(21, Some(1), 11)]).await;
    run(walled(), &place.arguments(&["check"])).code(0);
}

#[test]
fn the_register_has_every_personal_field() {
    let ran = run(walled(), &["personal"]).code(0);
    let register = "Member  members
    phone        of the Member, becomes absent
    name         of the Member, becomes \"gone\"
    tax          of the Member, stays 7y: tax
    greeting     of Member (sponsor), becomes absent
    visits.note  of the Member, becomes \"\"

5 personal fields of 1 model
";
    assert_eq!(ran.out, register);
    let json = run(walled(), &["personal", "--json"]).code(0).json();
    let greeting = &json["fields"][3];
    assert_eq!(
        (&greeting["person"], &greeting["reference"]),
        (&"Member".into(), &"sponsor".into())
    );
}
