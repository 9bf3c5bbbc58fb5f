//! Another program stored a source anew and so wiped its revision: the next change gets a revision above those of all copies, which the
//! server compares, however many there are.

use bson::oid::ObjectId;
use bson::{Bson, Document, doc};
use mongo_model::Error;
use mongo_model::{Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, number, on_both};
use crate::settled::{revision, settled};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "new_makers")]
struct Maker {
    #[serde(rename = "_id")]
    id: Id<Maker>,
    name: String,
    #[index(unique)]
    code: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "new_tools")]
struct Tool {
    #[serde(rename = "_id")]
    id: i64,
    #[parent(Maker, key = code, sort = -made)]
    maker: String,
    #[denorm(from = Maker, field = name)]
    maker_name: String,
    made: i64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "new_kits")]
struct Kit {
    #[serde(rename = "_id")]
    id: i64,
    #[refs(Maker, max = 5)]
    #[denorm(from = Maker, field = name)]
    makers: Vec<KitMaker>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Shelf {
    #[refs(Maker, max = 5)]
    #[denorm(from = Maker, field = name)]
    makers: Vec<ShelfMaker>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "new_rooms")]
struct Room {
    #[serde(rename = "_id")]
    id: i64,
    #[embed(max = 5)]
    shelves: Vec<Shelf>,
}

const COPIES: i64 = 300;

/// Above those of the clock, so that a revision by the clock alone would lose.
const AHEAD: i64 = 1 << 60;

fn copy(maker: ObjectId, r: impl Into<Bson>) -> Document {
    doc! { "id": maker, "name": "old", "_r": r.into() }
}

/// A maker as another program stored it, and copies of it in documents of every shape. In one collection the newest of them is the newest
/// of all; beside each copy is a newer one of another maker.
async fn stored(bench: &Bench, newest_in: &str) -> ObjectId {
    let maker = ObjectId::new();
    let other = ObjectId::new();
    let makers = [
        doc! { "_id": maker, "name": "new", "code": "m" },
        doc! { "_id": other, "name": "old", "code": "o" },
    ];
    bench.seed("new_makers", makers).await;
    let r = |collection: &str, n: i64| match n {
        7 if collection == newest_in => Bson::Int64(AHEAD),
        8 => Bson::String("no number".to_owned()),
        9 => Bson::Null,
        n => Bson::Int64(n),
    };
    let beside = copy(other, AHEAD + 5);
    let tool = |n: i64| doc! { "_id": n, "maker": "m", "maker_name": "old", "made": n, "_r_maker": r("new_tools", n) };
    bench.seed("new_tools", (0..COPIES).map(tool)).await;
    let kit = |n: i64| doc! { "_id": n, "makers": [beside.clone(), copy(maker, r("new_kits", n))] };
    bench.seed("new_kits", (0..COPIES).map(kit)).await;
    let room = |n: i64| {
        let own = copy(maker, r("new_rooms", n));
        doc! { "_id": n, "shelves": [{ "makers": [beside.clone()] }, { "makers": [beside.clone(), own] }] }
    };
    bench.seed("new_rooms", (0..COPIES).map(room)).await;
    maker
}

/// The names in all copies of a maker.
async fn stale(bench: &Bench, maker: ObjectId) -> u64 {
    let of = |holder: &str| doc! { holder: { "$elemMatch": { "id": maker, "name": { "$ne": "newer" } } } };
    let kits = bench.raw("new_kits").count_documents(of("makers")).await;
    let rooms = bench.raw("new_rooms");
    let inner = of("makers");
    let rooms = rooms.count_documents(doc! { "shelves": { "$elemMatch": inner } });
    let tools = bench.raw("new_tools");
    let tools = tools.count_documents(doc! { "maker": "m", "maker_name": { "$ne": "newer" } });
    let (rooms, tools) = (rooms.await.expect("counted"), tools.await.expect("counted"));
    kits.expect("counted") + rooms + tools
}

async fn start(bench: &Bench) {
    let models = [Maker::meta(), Tool::meta(), Kit::meta(), Room::meta()];
    bench.index(&models).await;
}

#[tokio::test]
async fn the_newest_copy_is_found_by_the_server() {
    for newest_in in ["new_tools", "new_kits", "new_rooms"] {
        on_both("newest", async |bench| {
            start(bench).await;
            let maker = stored(bench, newest_in).await;
            let renamed = Maker::update(&bench.db, Id::from_raw(maker))
                .set(|m| m.name, "newer")
                .await
                .expect("renamed");
            assert_eq!(renamed.pending, []);
            let sent = bench.take();
            let looks: Vec<Document> = sent
                .into_iter()
                .filter(|sent| ["aggregate", "find", "getMore"].contains(&sent.name.as_str()))
                .map(|sent| sent.command)
                .collect();
            let targets: Vec<&str> = looks
                .iter()
                .map(|look| look.get_str("aggregate").expect("a collection"))
                .collect();
            assert_eq!(targets, ["new_kits", "new_rooms", "new_tools"]);
            for look in looks {
                assert_is_one_row_by_the_index(bench, look, newest_in).await;
            }
            assert_eq!(stale(bench, maker).await, 0);
            let r = revision::<Maker>(bench, &Id::from_raw(maker)).await;
            assert_eq!(number(&r), AHEAD + 1);
            // The copies of the other maker keep their revisions, which its next change gets above.
            settled(bench).await;
        })
        .await;
    }
}

async fn assert_is_one_row_by_the_index(bench: &Bench, look: Document, newest_in: &str) {
    let target = look.get_str("aggregate").expect("a collection").to_owned();
    let path = match target.as_str() {
        "new_tools" => "maker",
        "new_kits" => "makers.id",
        _ => "shelves.makers.id",
    };
    let plan = bench.explain(look.clone()).await;
    plan.assert_served_by(path);
    let keys = vec![path.to_owned(), "_id".to_owned()];
    assert!(plan.indexes.iter().all(|index| *index == keys), "{plan:#?}");
    let own = |key: &str| !key.starts_with('$') && !["lsid", "comment"].contains(&key);
    let again: Document = look.into_iter().filter(|(key, _)| own(key)).collect();
    let reply = bench.db.run_command(again).await.expect("read");
    let cursor = reply.get_document("cursor").expect("a cursor");
    assert_eq!(
        cursor.get_i64("id").ok(),
        Some(0),
        "nothing is left to read"
    );
    let rows = cursor.get_array("firstBatch").expect("rows");
    let [Bson::Document(row)] = rows.as_slice() else {
        panic!("{target}: {rows:?}");
    };
    // By now the copies have the new revision.
    assert_eq!(row.get_i64("r").ok(), Some(AHEAD + 1), "{newest_in}");
}

#[tokio::test]
async fn many_sources_share_the_look() {
    on_both("newest_many", async |bench| {
        start(bench).await;
        let makers: Vec<ObjectId> = (0..150).map(|_| ObjectId::new()).collect();
        let maker =
            |(n, id): (usize, &ObjectId)| doc! { "_id": id, "name": "new", "code": format!("{n}") };
        bench
            .seed("new_makers", makers.iter().enumerate().map(maker))
            .await;
        let kit = |(n, id): (i64, &ObjectId)| doc! { "_id": n, "makers": [copy(*id, AHEAD + n)] };
        bench
            .seed("new_kits", (0_i64..).zip(&makers).map(kit))
            .await;
        Maker::update_many(&bench.db, |m| m.code.gte(""))
            .set(|m| m.name, "newer")
            .await
            .expect("renamed");
        let sent = bench.sent();
        let looks = sent.iter().filter(|name| *name == "aggregate").count();
        assert_eq!(looks, 3, "one per edge: {sent:?}");
        let more = sent.windows(2).any(|pair| pair == ["aggregate", "getMore"]);
        assert!(!more, "{sent:?}");
        for (n, id) in (0_i64..).zip(&makers) {
            assert_eq!(stale(bench, *id).await, 0);
            let r = revision::<Maker>(bench, &Id::from_raw(*id)).await;
            assert_eq!(number(&r), AHEAD + n + 1);
        }
        settled(bench).await;
    })
    .await;
}

#[tokio::test]
async fn a_look_without_its_index_is_refused() {
    on_both("newest_index", async |bench| {
        start(bench).await;
        let maker = stored(bench, "new_kits").await;
        let kits = bench.raw("new_kits");
        kits.drop_indexes().await.expect("dropped");
        let renamed = Maker::update(&bench.db, Id::from_raw(maker))
            .set(|m| m.name, "newer")
            .await;
        match renamed {
            Err(Error::MissingIndex {
                reference: edge, ..
            }) => assert_eq!(edge, "new_kits.makers"),
            other => panic!("{other:?}"),
        }
        start(bench).await;
        mongo_model::recover(&bench.db).await.expect("recovered");
        assert_eq!(stale(bench, maker).await, 0);
        settled(bench).await;
    })
    .await;
}
