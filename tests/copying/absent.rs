//! Copies beside a reference that is absent: there is nothing that they could be copies of, whatever a program says.

use bson::{Bson, doc};
use mongo_model::{MongoEmbed, MongoModel, repair, verify};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_editors")]
struct Editor {
    #[serde(rename = "_id")]
    id: i32,
    name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoEmbed)]
struct Review {
    mark: i32,
    #[parent(Editor)]
    editor: Option<i32>,
    #[denorm(from = Editor, field = name)]
    editor_name: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "n_papers")]
struct Paper {
    #[serde(rename = "_id")]
    id: i32,
    title: String,
    #[parent(Editor, on_delete = unset)]
    editor: Option<i32>,
    #[denorm(from = Editor, field = name, via = editor)]
    editor_name: Option<String>,
    #[embed(max = 5)]
    reviews: Vec<Review>,
    last: Option<Review>,
}

fn review(editor: Option<i32>, name: Option<&str>) -> Review {
    Review {
        mark: 1,
        editor,
        editor_name: name.map(str::to_owned),
    }
}

fn paper(id: i32, editor: Option<i32>, name: Option<&str>) -> Paper {
    Paper {
        id,
        title: "a paper".to_owned(),
        editor,
        editor_name: name.map(str::to_owned),
        reviews: vec![review(editor, name), review(Some(1), Some("Ann"))],
        last: Some(review(editor, name)),
    }
}

async fn start(bench: &Bench) {
    bench.index(&[Editor::meta(), Paper::meta()]).await;
    let name = "Ann".to_owned();
    Editor::insert(&bench.db, &Editor { id: 1, name })
        .await
        .expect("stored");
    bench.forget();
}

/// The paper has no editor, and nothing is said of one; the copies beside references are there.
async fn assert_none(bench: &Bench, id: i32) {
    let found = Paper::get(&bench.db, id)
        .await
        .expect("read")
        .expect("there");
    let reviews = vec![review(None, None), review(Some(1), Some("Ann"))];
    let last = Some(review(None, None));
    assert_eq!(
        found,
        Paper {
            reviews,
            last,
            ..paper(id, None, None)
        }
    );
    let report = verify(&bench.db).only::<Paper>().await.expect("looked");
    assert!(report.is_clean(), "{report}");
}

#[tokio::test]
async fn they_are_cleared_on_every_path() {
    on_both("absent_paths", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let garbage = |id| paper(id, None, Some("garbage"));
        Paper::insert(db, &garbage(1)).await.expect("stored");
        assert_none(bench, 1).await;
        Paper::insert_many(db, [&garbage(2), &garbage(3)])
            .await
            .expect("stored");
        assert_none(bench, 2).await;
        garbage(4).save(db).await.expect("saved");
        assert_none(bench, 4).await;
        garbage(1).save(db).await.expect("saved over it");
        assert_none(bench, 1).await;
        // The program forgets the reference, and leaves the name as it was read.
        Paper::insert(db, &paper(5, Some(1), Some("Ann")))
            .await
            .expect("stored");
        garbage(5).save(db).await.expect("saved");
        assert_none(bench, 5).await;
        Paper::insert(db, &paper(6, Some(1), Some("Ann")))
            .await
            .expect("stored");
        let changed = Paper::update(db, 6)
            .set(|p| p.editor, None)
            .set(|p| p.last, Some(review(None, Some("garbage"))))
            .set(|p| p.reviews, vec![review(None, Some("garbage"))])
            .await;
        changed.expect("changed");
        let changed = Paper::update(db, 6)
            .push(|p| p.reviews, review(Some(1), Some("Ann")))
            .await;
        changed.expect("added");
        assert_none(bench, 6).await;
        let many = Paper::update_many(db, |p| p.id.eq(6)).set(
            |p| p.reviews,
            vec![review(None, Some("garbage")), review(Some(1), Some("Ann"))],
        );
        many.await.expect("changed");
        assert_none(bench, 6).await;
    })
    .await;
}

#[tokio::test]
async fn those_of_other_programs_are_found_and_taken_out() {
    on_both("absent_repair", async |bench| {
        let db = &bench.db;
        start(bench).await;
        Paper::insert(db, &paper(1, None, None))
            .await
            .expect("stored");
        Paper::insert(db, &paper(2, None, None))
            .await
            .expect("stored");
        let names =
            doc! { "editor_name": "x", "reviews.0.editor_name": "y", "last.editor_name": "z" };
        let raw = bench.raw("n_papers");
        raw.update_one(doc! { "_id": 1 }, doc! { "$set": names })
            .await
            .expect("changed");
        let report = verify(db).only::<Paper>().await.expect("looked");
        let paths: Vec<_> = report
            .references
            .iter()
            .flat_map(|edge| &edge.findings)
            .collect();
        let paths: Vec<_> = paths
            .iter()
            .map(|one| (one.path.as_str(), one.want.clone()))
            .collect();
        let expected = [
            ("editor_name", None),
            ("last.editor_name", None),
            ("reviews.0.editor_name", None),
        ];
        assert_eq!(paths, expected, "{report}");
        let done = repair(db).only::<Paper>().await.expect("repaired");
        assert!(done.documents > 0 && done.refused.is_empty(), "{done}");
        assert_none(bench, 1).await;
        let again = repair(db).only::<Paper>().await.expect("repaired");
        assert!(again.is_idle(), "{again}");
        let stored = bench.stored("n_papers", 1).await;
        assert_eq!(stored.get("editor"), Some(&Bson::Null));
    })
    .await;
}

#[tokio::test]
async fn a_save_over_what_another_program_left_clears_it() {
    on_both("absent_save", async |bench| {
        let db = &bench.db;
        start(bench).await;
        let mut one = paper(1, None, None);
        one.reviews.clear();
        one.last = None;
        Paper::insert(db, &one).await.expect("stored");
        let raw = bench.raw("n_papers");
        let garbage = doc! { "$set": { "editor_name": "x" } };
        raw.update_one(doc! { "_id": 1 }, garbage)
            .await
            .expect("changed");
        one.save(db).await.expect("saved");
        let found = Paper::get(db, 1).await.expect("read").expect("there");
        assert_eq!(found, one);
    })
    .await;
}
