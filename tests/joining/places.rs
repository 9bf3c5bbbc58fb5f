//! References wherever they stand: in options, documents, arrays of documents, entries and tagged enums.

use mongo_model::{Database, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::on_both;
use crate::joining::{Part, id, part_ids, parts};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Author {
    #[parent(Part)]
    #[serde(rename = "a")]
    id: Option<Id<Part>>,
    #[refs(Part, max = 5)]
    liked: Vec<Id<Part>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct PartRef {
    #[parent(Part)]
    id: Id<Part>,
    #[denorm(from = Part, field = name)]
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Flat {
    #[parent(Part)]
    editor: Option<Id<Part>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "kind")]
enum Target {
    Part {
        #[parent(Part)]
        part: Id<Part>,
    },
    Nothing,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
#[serde(rename_all = "camelCase")]
struct Comment {
    #[serde(rename = "_id")]
    id: i32,
    first_author: Author,
    last_author: Option<Author>,
    #[embed(max = 10)]
    all_authors: Vec<Author>,
    #[embed(max = 10)]
    part_refs: Vec<PartRef>,
    #[serde(flatten)]
    flat: Flat,
    target: Target,
}

fn author(n: Option<u32>, liked: &[u32]) -> Author {
    Author {
        id: n.map(id),
        liked: part_ids(liked),
    }
}

fn part_ref(n: u32) -> PartRef {
    PartRef {
        id: id(n),
        name: String::new(),
    }
}

fn comments() -> [Comment; 2] {
    [
        Comment {
            id: 1,
            first_author: author(Some(3), &[2, 1, 2]),
            last_author: None,
            all_authors: vec![
                author(Some(2), &[9, 4]),
                author(None, &[]),
                author(Some(2), &[1]),
            ],
            part_refs: vec![part_ref(5), part_ref(1)],
            flat: Flat {
                editor: Some(id(4)),
            },
            target: Target::Part { part: id(2) },
        },
        Comment {
            id: 2,
            first_author: author(None, &[]),
            last_author: Some(author(Some(1), &[1])),
            all_authors: vec![],
            part_refs: vec![part_ref(9)],
            flat: Flat { editor: None },
            target: Target::Nothing,
        },
    ]
}

/// The parts that are there, and those that are missing.
type Numbers = (&'static [u32], &'static [u32]);

/// Loads along a path, and compares with what is there and what is missing for each of the two comments.
macro_rules! loads {
    ($bench:expr, $path:expr, $first:expr, $second:expr, distinct $ids:literal) => {{
        let comments = comments();
        let loaded = Comment::load(&$bench.db, &comments, $path)
            .await
            .expect("loaded");
        let found: Vec<(Vec<Part>, Vec<Id<Part>>)> = loaded
            .into_iter()
            .map(|(_, loaded)| (loaded.values().to_vec(), loaded.missing().to_vec()))
            .collect();
        let of = |(there, missing): Numbers| (parts(there), part_ids(missing));
        let (first, second): (Numbers, Numbers) = ($first, $second);
        let expected = [of(first), of(second)];
        assert_eq!(found, expected);
        assert_eq!($bench.asked("parts").len(), $ids);
    }};
}

#[tokio::test]
async fn references_are_loaded_from_where_they_stand() {
    on_both("places", async |bench| {
        bench.parts(1..=5).await;
        loads!(bench, |c| c.first_author.id, (&[3], &[]), (&[], &[]), distinct 1);
        loads!(bench, |c| c.first_author.liked, (&[2, 1, 2], &[]), (&[], &[]), distinct 2);
        loads!(bench, |c| c.last_author.id, (&[], &[]), (&[1], &[]), distinct 1);
        loads!(bench, |c| c.last_author.liked, (&[], &[]), (&[1], &[]), distinct 1);
        loads!(bench, |c| c.all_authors.id, (&[2, 2], &[]), (&[], &[]), distinct 1);
        loads!(bench, |c| c.all_authors.liked, (&[4, 1], &[9]), (&[], &[]), distinct 3);
        loads!(bench, |c| c.part_refs.id, (&[5, 1], &[]), (&[], &[9]), distinct 3);
        loads!(bench, |c| c.flat.editor, (&[4], &[]), (&[], &[]), distinct 1);
        loads!(bench, |c| c.target.part, (&[2], &[]), (&[], &[]), distinct 1);
    })
    .await;
}

#[tokio::test]
async fn references_inside_documents_are_found_back() {
    on_both("found_back", async |bench| {
        let db: &Database = &bench.db;
        bench.index(&[Comment::meta()]).await;
        let comments = comments();
        bench.place(&comments).await;
        let found = Comment::find(db, |c| c.all_authors.liked.contains(id(9)))
            .await
            .expect("found");
        assert_eq!(found, [comments[0].clone()]);
        bench.plan().await.assert_served_by("allAuthors.liked");
        let found = Comment::find(db, |c| c.last_author.id.eq(id(1)))
            .await
            .expect("found");
        assert_eq!(found, [comments[1].clone()]);
        bench.plan().await.assert_served_by("lastAuthor.a");
        let found = Comment::find(db, |c| c.part_refs.any(|r| r.id.eq(id(9))))
            .await
            .expect("found");
        assert_eq!(found, [comments[1].clone()]);
        bench.plan().await.assert_served_by("partRefs.id");
        let found = Comment::find(db, |c| c.flat.editor.eq(id(4)))
            .await
            .expect("found");
        assert_eq!(found, [comments[0].clone()]);
        bench.plan().await.assert_served_by("editor");
    })
    .await;
}
