//! A rule is followed wherever its reference stands.

use std::collections::BTreeMap;

use bson::{Document, doc};
use mongo_model::{Error, MongoEmbed, MongoModel, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};
use crate::deleting::settled::settled;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_users")]
struct User {
    #[serde(rename = "_id")]
    id: String,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_photos")]
struct Photo {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_songs")]
struct Song {
    #[serde(rename = "_id")]
    id: i32,
}

/// Shared by models that flatten it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Owned {
    #[parent(User, on_delete = cascade)]
    owner: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Section {
    title: String,
    #[refs(User, max = 10, on_delete = pull)]
    readers: Vec<String>,
    #[refs(User, max = 10, on_delete = pull)]
    #[denorm(from = User, field = name)]
    mentions: Vec<SectionMention>,
    #[parent(User, on_delete = unset)]
    editor: Option<String>,
    #[denorm(from = User, field = name, via = editor)]
    editor_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "ref", rename_all = "snake_case")]
enum Subject {
    Photo(#[parent(Photo, on_delete = cascade)] i32),
    Song(#[parent(Song)] i32),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_pages")]
struct Page {
    #[serde(rename = "_id")]
    id: i32,
    #[serde(flatten)]
    owned: Owned,
    #[embed(max = 10)]
    sections: Vec<Section>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: i32,
    on: Subject,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_grants")]
struct Grants {
    #[serde(rename = "_id")]
    id: i32,
    #[refs(Team, max = 10)]
    by_team: BTreeMap<String, i32>,
    #[refs(Crew, max = 10, on_delete = cascade)]
    crews: BTreeMap<String, i32>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_crews")]
struct Crew {
    #[serde(rename = "_id")]
    id: i32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "place_teams")]
struct Team {
    #[serde(rename = "_id")]
    id: String,
}

async fn start(bench: &Bench) {
    bench
        .index(&[
            User::meta(),
            Photo::meta(),
            Song::meta(),
            Page::meta(),
            Comment::meta(),
        ])
        .await;
}

fn section(readers: &[&str], mentions: &[&str], editor: Option<&str>) -> Document {
    let strings = |all: &[&str]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let mentions: Vec<Document> = mentions
        .iter()
        .map(|id| doc! { "id": id, "name": format!("name of {id}") })
        .collect();
    let mut section = doc! { "title": "t", "readers": strings(readers), "mentions": mentions };
    if let Some(editor) = editor {
        section.insert("editor", editor);
        section.insert("editor_name", format!("name of {editor}"));
    }
    section
}

// D02, D19: in a flattened struct, in an embedded document inside an array, in an array of ids and of entries inside that.
#[tokio::test]
async fn inside_embedded_documents() {
    on_both("place_embedded", async |bench| {
        start(bench).await;
        let user =
            |id: &str| doc! { "_id": id, "name": format!("name of {id}"), "_dn": { "r": 5 } };
        bench.seed("place_users", ["a", "b"].map(user)).await;
        bench
            .seed(
                "place_pages",
                [
                    doc! { "_id": 1, "owner": "b", "sections": [
                        section(&["a", "b"], &["b", "a"], Some("a")),
                        { "title": "bare", "readers": [], "mentions": [] },
                        section(&["b"], &["b"], Some("b")),
                    ] },
                    doc! { "_id": 2, "owner": "a", "sections": [] },
                    doc! { "_id": 3, "sections": [{ "title": "old" }, section(&["a"], &[], None)] },
                ],
            )
            .await;
        let done = User::delete(&bench.db, "a").await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        assert_eq!(
            bench.stored("place_pages", 1).await,
            doc! { "_id": 1, "owner": "b", "sections": [
                section(&["b"], &["b"], None),
                { "title": "bare", "readers": [], "mentions": [] },
                section(&["b"], &["b"], Some("b")),
            ] }
        );
        assert_eq!(
            bench.stored("place_pages", 3).await,
            doc! { "_id": 3, "sections": [{ "title": "old" }, section(&[], &[], None)] }
        );
        assert_eq!(bench.len("place_pages").await, 2);
        settled(bench).await;
    })
    .await;
}

// A reference to one of several models: the same id of another model is another reference.
#[tokio::test]
async fn one_of_several_models() {
    on_both("place_several", async |bench| {
        let db = &bench.db;
        start(bench).await;
        bench.place(&[Photo { id: 1 }, Photo { id: 2 }]).await;
        bench.place(&[Song { id: 1 }, Song { id: 2 }]).await;
        let comment = |id, on| Comment { id, on };
        let all = [
            comment(1, Subject::Photo(1)),
            comment(2, Subject::Song(1)),
            comment(3, Subject::Photo(2)),
        ];
        bench.place(&all).await;
        assert!(
            verify(db)
                .only::<Comment>()
                .await
                .expect("looked")
                .is_clean()
        );
        let done = Photo::delete(db, 1).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        let refused = Song::delete(db, 1).await;
        assert!(
            matches!(refused, Err(Error::Referenced { .. })),
            "{refused:?}"
        );
        Song::delete(db, 2)
            .await
            .expect("nobody refers to this song");
        let found = Comment::scan(db, |c| c.all()).await.expect("read");
        assert_eq!(found, all[1..]);
        settled(bench).await;
    })
    .await;
}

// In the keys and in the values of a map.
#[tokio::test]
async fn inside_maps() {
    on_both("place_maps", async |bench| {
        let db = &bench.db;
        bench.index(&[Team::meta(), Grants::meta()]).await;
        let team = |id: &str| Team { id: id.to_owned() };
        bench.place(&[team("a"), team("b")]).await;
        bench
            .place(&[Crew { id: 7 }, Crew { id: 8 }, Crew { id: 9 }])
            .await;
        bench
            .seed(
                "place_grants",
                [
                    doc! { "_id": 1, "by_team": { "a": 1 }, "crews": { "x": 7 } },
                    doc! { "_id": 2, "by_team": {}, "crews": { "x": 8, "y": 9 } },
                    doc! { "_id": 3 },
                ],
            )
            .await;
        let refused = Team::delete(db, "a").await;
        let Err(Error::Referenced { by, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert_eq!((by[0].field.as_str(), by[0].count), ("Grants.by_team", 1));
        Team::delete(db, "b").await.expect("deleted");
        let done = Crew::delete(db, 9).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 1));
        let done = Crew::delete(db, 8).await.expect("deleted");
        assert_eq!((done.deleted, done.cascaded), (1, 0));
        assert_eq!(
            (
                bench.len("place_grants").await,
                bench.len("place_crews").await
            ),
            (2, 1)
        );
        settled(bench).await;
    })
    .await;
}
