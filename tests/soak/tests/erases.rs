//! An erase of a person that stops between any two of its steps is finished by the recovery: no value of the person is left anywhere.

use std::collections::BTreeMap;

use bson::{Document, doc};
use futures::TryStreamExt;
use mongo_model::{Database, Id, MongoEmbed, MongoModel, Result, recover, sync_indexes};
use mongo_model_dev_server::{DevServer, Topology};
use mongo_model_soak::parts::{ON_BOTH, side_by_side};
use mongo_model_soak::points::{FAULTS, passed, stopped};
use mongo_model_soak::ways::Ways;
use serde::{Deserialize, Serialize};

const PLANTED: &str = "planted-4711";

const POINTS: [&str; 14] = [
    "after_erase_flag",
    "after_erase_place",
    "after_erase",
    "before_w1",
    "after_w1",
    "before_w2",
    "mid_w2",
    "after_w2",
    "after_w3",
    "sweep_after_read",
    "sweep_after_fix",
    "recent_after_pull",
    "after_c1",
    "after_c2",
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erase_writers")]
struct Writer {
    #[serde(rename = "_id")]
    id: Id<Writer, i64>,
    #[personal(erased = "gone")]
    name: String,
    #[index(unique)]
    #[personal(erased = "gone-{id}")]
    email: String,
    home: Option<Home>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Home {
    #[personal(erased = "")]
    street: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Remark {
    #[parent(Writer)]
    by: Id<Writer, i64>,
    #[personal(of = by, erased = "")]
    text: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[serde(tag = "kind")]
#[model(collection = "erase_visits")]
enum Visit {
    Call(Call),
    Meeting(Meeting),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Call {
    #[serde(rename = "_id")]
    id: Id<Visit, i64>,
    #[parent(Writer)]
    with: Id<Writer, i64>,
    #[personal(of = with, erased = "")]
    number: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Meeting {
    #[serde(rename = "_id")]
    id: Id<Visit, i64>,
    #[parent(Writer)]
    with: Id<Writer, i64>,
    #[personal(of = with)]
    at: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erase_boards")]
struct Board {
    #[serde(rename = "_id")]
    id: Id<Board, i64>,
    #[embed(max = 10)]
    remarks: Vec<Remark>,
    #[recent(Note, max = 2, sort = time, fields(time, text))]
    last: Vec<LastNote>,
    #[sum(Note, field = age)]
    ages: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erase_notes")]
struct Note {
    #[serde(rename = "_id")]
    id: Id<Note, i64>,
    #[parent(Board)]
    board: Id<Board, i64>,
    #[parent(Writer)]
    writer: Id<Writer, i64>,
    #[denorm(from = Writer, field = name)]
    writer_name: String,
    #[denorm(from = Writer, field = home.street)]
    street: Option<String>,
    #[personal(of = writer, erased = "")]
    text: String,
    #[personal(of = writer, erased = 0)]
    age: i32,
    time: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "erase_quotes")]
struct Quote {
    #[serde(rename = "_id")]
    id: Id<Quote, i64>,
    #[parent(Note)]
    note: Id<Note, i64>,
    #[denorm(from = Note, field = text)]
    text: String,
    #[denorm(from = Note, field = writer_name)]
    by: String,
}

const COLLECTIONS: [&str; 5] = [
    "erase_writers",
    "erase_visits",
    "erase_boards",
    "erase_notes",
    "erase_quotes",
];

async fn prepare(db: &Database) -> Result<()> {
    for collection in COLLECTIONS {
        let collection = db.collection::<Document>(collection);
        collection.delete_many(doc! {}).await?;
    }
    let writer = |id, text: &str| Writer {
        id: Id::from_raw(id),
        name: text.to_owned(),
        email: format!("{id}-{text}"),
        home: Some(Home {
            street: text.to_owned(),
        }),
    };
    let text = |id: i64| if id == 1 { PLANTED } else { "other" };
    let visits = [1, 2].map(|with| {
        let call = Visit::from(Call {
            id: Id::from_raw(with),
            with: Id::from_raw(with),
            number: text(with).to_owned(),
        });
        let meeting = Visit::from(Meeting {
            id: Id::from_raw(with + 2),
            with: Id::from_raw(with),
            at: Some(text(with).to_owned()),
        });
        [call, meeting]
    });
    let remark = |by| Remark {
        by: Id::from_raw(by),
        text: text(by).to_owned(),
    };
    Writer::insert_many(db, &[writer(1, PLANTED), writer(2, "other")]).await?;
    let board = Board {
        id: Id::from_raw(1),
        remarks: [1, 2, 1].map(remark).to_vec(),
        last: Vec::new(),
        ages: 0,
    };
    Board::insert(db, &board).await?;
    Visit::insert_many(db, &visits.concat()).await?;
    let note = |id: i64| Note {
        id: Id::from_raw(id),
        board: Id::from_raw(1),
        writer: Id::from_raw(1 + id % 2),
        writer_name: String::new(),
        street: None,
        text: if id % 2 == 0 { PLANTED } else { "other" }.to_owned(),
        age: 30,
        time: id,
    };
    let notes: Vec<Note> = (0..6).map(note).collect();
    Note::insert_many(db, &notes).await?;
    let quote = |id| Quote {
        id: Id::from_raw(id),
        note: Id::from_raw(id),
        text: String::new(),
        by: String::new(),
    };
    let quotes: Vec<Quote> = (0..6).map(quote).collect();
    Quote::insert_many(db, &quotes).await?;
    Ok(())
}

async fn run(db: &Database) -> Result<()> {
    Writer::erase(db, Id::from_raw(1)).await.map(drop)
}

/// Checks that the recovery leaves no value of the person and no flag, and the values of the other person.
async fn right(db: &Database, at: &str) {
    recover(db).await.expect("recovered");
    let mut others = 0;
    for collection in COLLECTIONS {
        let collection = db.collection::<Document>(collection);
        let all = collection.find(doc! {}).await.expect("read");
        let all: Vec<Document> = all.try_collect().await.expect("read");
        for document in all {
            let text = document.to_string();
            assert!(!text.contains(PLANTED), "{at}: {document}");
            others += text.matches("other").count();
            let dn = document.get_document("_dn").cloned().unwrap_or_default();
            let mut left = ["a", "p", "u", "b", "v", "c"].iter();
            assert!(!left.any(|flag| dn.contains_key(flag)), "{at}: {document}");
        }
    }
    // Three of the other writer, three of each note, two of each quote, one in the list, one remark, two visits.
    assert_eq!(others, 3 + 9 + 6 + 1 + 1 + 2, "{at}");
    let board = Board::get(db, Id::from_raw(1))
        .await
        .expect("read")
        .expect("the board");
    assert_eq!(board.ages, 90, "{at}");
    assert!(recover(db).await.expect("recovered").is_idle(), "{at}");
}

async fn every_fault(topology: Topology, mut ways: Ways) {
    let server = DevServer::shared(topology).await.expect("a server");
    let client = server.client().await.expect("a client");
    let db = client.database(&server.unique_db("erase_faults"));
    sync_indexes(&db)
        .models(&[
            Writer::meta(),
            Board::meta(),
            Note::meta(),
            Quote::meta(),
            Visit::meta(),
        ])
        .await
        .expect("indexes");
    prepare(&db).await.expect("prepared");
    let points: BTreeMap<_, _> = passed(&POINTS, run(&db)).await;
    right(&db, "no fault").await;
    for name in POINTS {
        assert!(
            points.contains_key(name),
            "nothing passes {name}: {points:?}"
        );
    }
    for (name, times) in points {
        // Two of the ways in turn.
        let mut stops = ways.of(name, times.min(2), &FAULTS);
        stops.extend(
            (stops.len() == 1)
                .then(|| ways.of(name, times, &FAULTS))
                .into_iter()
                .flatten(),
        );
        for (nth, fault) in stops {
            prepare(&db).await.expect("prepared");
            let again = stopped(name, nth, fault, async || run(&db).await).await;
            assert!(again.is_none_or(|done| done.is_ok()), "{name}");
            right(&db, &format!("stopped at {name} ({nth}) by {fault:?}")).await;
        }
    }
    db.drop().await.expect("dropped");
}

#[tokio::test]
async fn an_erase_that_stops_at_any_point_is_finished() {
    let test = "an_erase_that_stops_at_any_point_is_finished";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::in_turn(topology)).await;
    })
    .await;
}

#[tokio::test]
#[ignore = "half a minute"]
async fn an_erase_that_stops_at_any_point_in_any_way_is_finished() {
    let test = "an_erase_that_stops_at_any_point_in_any_way_is_finished";
    side_by_side(test, &ON_BOTH, async |topology| {
        every_fault(topology, Ways::all()).await;
    })
    .await;
}
