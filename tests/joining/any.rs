//! References that lead to one of several models.

use bson::{Bson, doc};
use mongo_model::{Error, Id, MongoEmbed, MongoModel};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, alone, in_set, on_both};
use crate::joining::{Part, id, part};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "photos")]
struct Photo {
    #[serde(rename = "_id")]
    id: i32,
    #[index(unique)]
    slug: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
#[serde(tag = "type", content = "ref", rename_all = "snake_case")]
enum Subject {
    Part(#[parent(Part, unchecked)] Id<Part>),
    Photo(#[parent(Photo, unchecked)] i32),
    OldPhoto(#[parent(Photo, key = slug, unchecked)] String),
    Reply(#[parent(Comment, missing = strict, unchecked)] i32),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Quote {
    of: Option<Subject>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "comments")]
struct Comment {
    #[serde(rename = "_id")]
    id: i32,
    on: Subject,
    #[serde(rename = "m")]
    maybe: Option<Subject>,
    #[embed(max = 20)]
    tags: Vec<Subject>,
    #[embed(max = 5)]
    quotes: Vec<Quote>,
}

fn comment(n: i32, on: Subject) -> Comment {
    Comment {
        id: n,
        on,
        maybe: None,
        tags: vec![],
        quotes: vec![],
    }
}

fn photo(n: i32) -> Photo {
    Photo {
        id: n,
        slug: format!("slug-{n}"),
    }
}

/// The loaded document as text: `part 1`, `photo 2`, `comment 3`.
fn text(loaded: &SubjectLoaded) -> String {
    match loaded {
        SubjectLoaded::Part(part) => part.name.replace('-', " "),
        SubjectLoaded::Photo(photo) => format!("photo {}", photo.id),
        SubjectLoaded::OldPhoto(photo) => format!("old photo {}", photo.id),
        SubjectLoaded::Reply(comment) => format!("comment {}", comment.id),
    }
}

fn texts<'l>(loaded: impl IntoIterator<Item = &'l SubjectLoaded>) -> Vec<String> {
    loaded.into_iter().map(text).collect()
}

impl Bench {
    /// Stores parts and photos 1 to 5; clears the command log.
    async fn subjects(&self) {
        let metas = [Part::meta(), Photo::meta(), Comment::meta()];
        self.index(&metas).await;
        let parts: Vec<Part> = (1..=5).map(part).collect();
        Part::insert_many(&self.db, &parts).await.expect("stored");
        let photos: Vec<Photo> = (1..=5).map(photo).collect();
        Photo::insert_many(&self.db, &photos).await.expect("stored");
        self.forget();
    }

    /// The collection, the field and the values of each `find` since the last call.
    #[track_caller]
    fn finds(&self) -> Vec<(String, String, Vec<Bson>)> {
        let asked = self.take().into_iter().map(|sent| {
            let collection = sent.command.get_str("find").expect("a find").to_owned();
            let filter = sent.command.get_document("filter").expect("a filter");
            let (field, values) = filter.iter().next().expect("a condition");
            let values = values.as_document().expect("an operator");
            let values = values.get_array("$in").expect("ids").clone();
            (collection, field.clone(), values)
        });
        asked.collect()
    }
}

fn find(
    collection: &str,
    field: &str,
    values: impl Into<Vec<Bson>>,
) -> (String, String, Vec<Bson>) {
    (collection.to_owned(), field.to_owned(), values.into())
}

#[tokio::test]
async fn one_command_per_model_that_occurs() {
    on_both("any_models", async |bench| {
        let db = &bench.db;
        bench.subjects().await;
        let comments = [
            comment(1, Subject::Photo(2)),
            comment(2, Subject::Part(id(3))),
            comment(3, Subject::Photo(77)),
            comment(4, Subject::Photo(2)),
            comment(5, Subject::OldPhoto("slug-4".to_owned())),
            comment(6, Subject::Part(id(88))),
        ];
        let loaded = Comment::load_any(db, &comments, |c| c.on)
            .await
            .expect("loaded");
        let found: Vec<_> = loaded
            .iter()
            .map(|(comment, on)| (comment.id, texts(on), on.missing().to_vec()))
            .collect();
        assert_eq!(
            found,
            [
                (1, vec!["photo 2".to_owned()], vec![]),
                (2, vec!["part 3".to_owned()], vec![]),
                (3, vec![], vec![Subject::Photo(77)]),
                (4, vec!["photo 2".to_owned()], vec![]),
                (5, vec!["old photo 4".to_owned()], vec![]),
                (6, vec![], vec![Subject::Part(id(88))]),
            ]
        );
        assert_eq!(
            bench.finds(),
            [
                find(
                    "parts",
                    "_id",
                    [id(3), id(88)].map(|id| id.into_raw().into())
                ),
                find("photos", "_id", [2.into(), 77.into()]),
                find("photos", "slug", ["slug-4".into()]),
            ]
        );

        let only_parts = &comments[1..2];
        let loaded = Comment::load_any(db, only_parts, |c| c.on).await;
        assert_eq!(texts(&loaded.expect("loaded")[0].1), ["part 3"]);
        assert_eq!(bench.finds().len(), 1, "nothing for what does not occur");
    })
    .await;
}

#[tokio::test]
async fn options_arrays_and_documents_in_stored_order() {
    on_both("any_places", async |bench| {
        let db = &bench.db;
        bench.subjects().await;
        let quote = |of| Quote { of };
        let full = Comment {
            maybe: Some(Subject::Part(id(1))),
            tags: vec![
                Subject::Photo(3),
                Subject::Part(id(2)),
                Subject::Photo(9),
                Subject::Part(id(9)),
                Subject::Photo(3),
                Subject::Photo(9),
                Subject::Part(id(1)),
            ],
            quotes: vec![
                quote(Some(Subject::Photo(5))),
                quote(None),
                quote(Some(Subject::Part(id(5)))),
            ],
            ..comment(1, Subject::Photo(1))
        };
        let comments = [full, comment(2, Subject::Photo(1))];
        Comment::insert_many(db, &comments).await.expect("stored");
        let stored = bench.stored("comments", 1).await;
        assert_eq!(
            *stored.get_document("on").expect("a reference"),
            doc! { "type": "photo", "ref": 1 }
        );

        let maybe = Comment::load_any(db, &comments, |c| c.maybe)
            .await
            .expect("loaded");
        assert_eq!(texts(&maybe[0].1), ["part 1"]);
        assert!(maybe[1].1.is_empty() && maybe[1].1.missing().is_empty());
        assert_eq!(bench.finds().len(), 1);

        let tags = Comment::load_any(db, &comments, |c| c.tags)
            .await
            .expect("loaded");
        let expected = ["photo 3", "part 2", "photo 3", "part 1"];
        assert_eq!(texts(&tags[0].1), expected);
        assert_eq!(
            tags[0].1.missing(),
            [Subject::Photo(9), Subject::Part(id(9))]
        );
        assert_eq!(bench.finds().len(), 2);

        let quoted = Comment::load_any(db, &comments, |c| c.quotes.of)
            .await
            .expect("loaded");
        assert_eq!(texts(&quoted[0].1), ["photo 5", "part 5"]);
        bench.forget();
        let none = Comment::load_any(db, &comments[1..], |c| c.quotes.of).await;
        assert!(none.expect("nothing to do")[0].1.is_empty());
        let none = Comment::load_any(db, &[] as &[Comment], |c| c.on).await;
        assert!(none.expect("nothing to do").is_empty());
        assert_eq!(bench.sent(), [""; 0]);
    })
    .await;
}

#[tokio::test]
async fn a_variant_may_be_strict() {
    alone("any_strict", async |bench| {
        let db = &bench.db;
        bench.subjects().await;
        let first = comment(1, Subject::Photo(1));
        Comment::insert(db, &first).await.expect("stored");
        let comments = [comment(2, Subject::Reply(1)), comment(3, Subject::Photo(9))];
        let loaded = Comment::load_any(db, &comments, |c| c.on)
            .await
            .expect("photos may dangle");
        assert_eq!(texts(&loaded[0].1), ["comment 1"]);
        assert_eq!(loaded[1].1.missing(), [Subject::Photo(9)]);
        let comments = [comment(4, Subject::Reply(7)), comments[0].clone()];
        let error = Comment::load_any(db, &comments, |c| c.on).await;
        let Err(Error::Dangling {
            model: "Comment",
            field,
            target: "Comment",
            ids,
        }) = &error
        else {
            panic!("{error:?}");
        };
        assert_eq!((field.as_str(), &ids[..]), ("on", &[Bson::Int32(7)][..]));
    })
    .await;
}

#[tokio::test]
async fn the_way_back_asks_for_the_model_and_the_id() {
    on_both("any_back", async |bench| {
        let db = &bench.db;
        bench.subjects().await;
        let comments: Vec<Comment> = (0..60)
            .map(|n| {
                let on = match n % 3 {
                    0 => Subject::Photo(n % 5),
                    1 => Subject::Reply(n % 5),
                    _ => Subject::Part(id(1)),
                };
                Comment {
                    tags: vec![on.clone(), Subject::Photo(n)],
                    maybe: (n % 2 == 0).then(|| on.clone()),
                    ..comment(n, on)
                }
            })
            .collect();
        Comment::insert_many(db, &comments).await.expect("stored");
        bench.forget();
        let ids = |found: &[Comment]| found.iter().map(|c| c.id).collect::<Vec<_>>();
        let having = |keep: &dyn Fn(&Comment) -> bool| {
            let kept = comments.iter().filter(|comment| keep(comment));
            kept.map(|comment| comment.id).collect::<Vec<_>>()
        };

        // A reply has the same id as a photo: the model is part of the question.
        let wanted = Subject::Photo(2);
        let found = Comment::find(db, |c| c.on.is(&wanted))
            .await
            .expect("found");
        assert_eq!(ids(&found), having(&|c| c.on == wanted));
        assert!(!found.is_empty());
        let sent = bench.only();
        let filter = doc! { "on.type": { "$eq": "photo" }, "on.ref": { "$eq": 2 } };
        assert_eq!(*sent.get_document("filter").expect("a filter"), filter);
        let plan = bench.explain(sent).await;
        plan.assert_served_by("on.ref");
        assert!(plan.documents < 60, "{plan:#?}");

        let found = Comment::find(db, |c| c.maybe.is(Subject::Part(id(1)))).await;
        let expected = having(&|c| c.maybe == Some(Subject::Part(id(1))));
        assert_eq!(ids(&found.expect("found")), expected);
        bench.plan().await.assert_served_by("m.ref");

        // The tag of one element and the id of another are no match.
        let wanted = Subject::Reply(3);
        let found = Comment::find(db, |c| c.tags.any(|tag| tag.is(&wanted)))
            .await
            .expect("found");
        assert_eq!(ids(&found), having(&|c| c.tags.contains(&wanted)));
        bench.plan().await.assert_served_by("tags.ref");
    })
    .await;
}

#[test]
fn one_index_for_all_variants() {
    let indexes = mongo_model::index::definitions(Comment::meta());
    let keys: Vec<Vec<&str>> = indexes
        .iter()
        .map(|index| index.keys.iter().map(|(path, _)| path.as_str()).collect())
        // Another model of this collection holds copies.
        .filter(|keys: &Vec<&str>| keys != &["_dn.u.t"])
        .collect();
    assert_eq!(
        keys,
        [
            ["on.ref", "_id"],
            ["m.ref", "_id"],
            ["tags.ref", "_id"],
            ["quotes.of.ref", "_id"]
        ]
    );
}

#[tokio::test]
async fn in_a_transaction() {
    in_set("any_session", async |bench| {
        let db = &bench.db;
        bench.subjects().await;
        let mut session = bench.transaction().await;
        Photo::insert(db, &photo(9))
            .driver_session(&mut session)
            .await
            .expect("stored");
        let comments = [comment(1, Subject::Photo(9))];
        let outside = Comment::load_any(db, &comments, |c| c.on).await;
        assert_eq!(outside.expect("loaded")[0].1.missing(), [Subject::Photo(9)]);
        let inside = Comment::load_any(db, &comments, |c| c.on)
            .driver_session(&mut session)
            .await;
        assert_eq!(texts(&inside.expect("loaded")[0].1), ["photo 9"]);
        session.abort_transaction().await.expect("aborted");
    })
    .await;
}
