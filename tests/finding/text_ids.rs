//! Text that is an ObjectId to serde is none to a filter, an index or a reference: reads refuse it on every path.

use std::collections::BTreeMap;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mongo_model::{Id, MongoEmbed, MongoModel, MongoProjection};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "text_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: Id<Team>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Badge {
    by: ObjectId,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "text_players")]
struct Player {
    #[serde(rename = "_id")]
    id: i32,
    #[parent(Team)]
    team: Id<Team>,
    deputy: Option<ObjectId>,
    #[embed(max = 9)]
    former: Vec<ObjectId>,
    #[embed(max = 9)]
    badges: Vec<Badge>,
    #[model(allow(embed_map, reason = "few"))]
    #[embed(max = 9)]
    seats: BTreeMap<String, ObjectId>,
    #[serde(with = "bson::serde_helpers::object_id::FromHexString")]
    code: String,
    text: String,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Player)]
struct Seat {
    team: Id<Team>,
}

fn stored(id: i32) -> Document {
    let of = |n| ObjectId::from_bytes([n; 12]);
    doc! {
        "_id": id, "team": of(1), "deputy": of(2), "former": [of(3)], "badges": [{ "by": of(4) }, { "by": of(5) }],
        "seats": { "a": of(6) }, "code": of(7), "text": of(8).to_hex(),
    }
}

#[tokio::test]
async fn text_is_no_object_id() {
    alone("text_ids", async |bench| {
        let hex = ObjectId::from_bytes([1; 12]).to_hex();
        bench.seed("text_players", [stored(0)]).await;
        let read = Player::get(&bench.db, 0)
            .await
            .expect("read")
            .expect("there");
        assert_eq!(read.text.len(), 24);
        let wrong: [(&str, &str, bson::Bson); 5] = [
            ("team", "team", hex.clone().into()),
            ("deputy", "deputy", hex.clone().into()),
            (
                "former",
                "former.1",
                vec![bson::Bson::from(read.former[0]), hex.clone().into()].into(),
            ),
            ("badges", "badges.0.by", bson::bson!([{ "by": &hex }])),
            ("seats", "seats.a", bson::bson!({ "a": &hex })),
        ];
        for (id, (field, path, value)) in (1..).zip(wrong) {
            let mut document = stored(id);
            document.insert(field, value);
            bench.seed("text_players", [document]).await;
            let refused = Player::get(&bench.db, id)
                .await
                .expect_err(path)
                .to_string();
            let said = format!("{path}: expected an ObjectId, found string");
            assert!(refused.contains(&said), "{refused}");
        }
        let seats = Player::find(&bench.db, |p| p.id.eq(1))
            .project::<Seat>()
            .await;
        let refused = seats.expect_err("text").to_string();
        assert!(
            refused.contains("team: expected an ObjectId, found string"),
            "{refused}"
        );
        bench.seed("text_teams", [doc! { "_id": &hex }]).await;
        let teams = Team::scan(&bench.db, |t| t.all()).await.expect_err("text");
        assert!(
            teams.to_string().contains("_id: expected an ObjectId"),
            "{teams}"
        );
    })
    .await;
}
