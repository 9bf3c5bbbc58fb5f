//! Reads that leave out documents which cannot be decoded.

use bson::{Bson, doc};
use futures::TryStreamExt;
use mongo_model::{Error, Id, MongoModel, MongoProjection, SkippedDocument};
use serde::{Deserialize, Serialize};

use crate::common::{Bench, on_both};

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lenient_films", schema_version = 2, unversioned = 2)]
pub struct Film {
    #[serde(rename = "_id")]
    pub id: i32,
    #[index]
    pub year: i32,
    pub title: String,
    #[embed(max = 5)]
    pub stars: Vec<i32>,
    #[parent(Maker, unchecked)]
    pub maker: Id<Maker>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "lenient_makers")]
pub struct Maker {
    #[serde(rename = "_id")]
    pub id: Id<Maker>,
    pub name: String,
}

#[derive(Debug, PartialEq, Deserialize, MongoProjection)]
#[projection(of = Film)]
pub(crate) struct Titled {
    pub(crate) title: String,
}

#[derive(Debug, Deserialize, MongoProjection)]
#[projection(of = Film)]
pub(crate) struct Line<'a> {
    pub(crate) title: &'a str,
}

/// Ten films, of which three cannot be read: the title of number 3 is a number, a star of number 5 is a text, number 8 was stored by a
/// newer program.
async fn seed(bench: &Bench) -> Maker {
    let maker = Maker {
        id: Id::new(),
        name: "m".to_owned(),
    };
    Maker::insert(&bench.db, &maker).await.expect("stored");
    bench.index(&[Film::meta()]).await;
    let films = (0..10).map(|id| {
        let mut film = doc! {
            "_id": id, "year": 1990, "title": format!("film {id}"), "stars": [1, 2], "maker": &maker.id,
        };
        match id {
            3 => film.insert("title", 7),
            5 => film.insert("stars", vec![Bson::Int32(1), Bson::from("two")]),
            8 => film.insert("schema_version", 9),
            _ => None,
        };
        film
    });
    bench.seed("lenient_films", films).await;
    maker
}

fn shown(skipped: &[SkippedDocument]) -> Vec<String> {
    let shown = skipped.iter().map(|document| {
        assert_eq!(document.model, "Film");
        format!("{} {}", document.id, document.path)
    });
    shown.collect()
}

#[tokio::test]
async fn one_document_does_not_end_a_list() {
    on_both("lenient", async |bench| {
        let db = &bench.db;
        seed(bench).await;
        let all = || Film::find(db, |f| f.year.eq(1990)).sort(|f| f.id.asc());
        let error = all().await.expect_err("not readable");
        assert!(matches!(error, Error::Decode { .. }), "{error}");
        let bad = ["3 title", "5 stars.1", "8 schema_version"];
        let good = [0, 1, 2, 4, 6, 7, 9];

        let mut skipped = Vec::new();
        bench.forget();
        let films = all().skip_undecodable(|film| skipped.push(film)).await;
        assert_eq!(bench.sent(), ["find"]);
        let ids: Vec<i32> = films.expect("read").iter().map(|film| film.id).collect();
        assert_eq!(
            (ids, shown(&skipped)),
            (good.to_vec(), bad.map(str::to_owned).to_vec())
        );
        assert!(matches!(skipped[2].error, Error::NewerSchema { .. }));

        let mut skipped = Vec::new();
        let stream = all()
            .skip_undecodable(|film| skipped.push(film))
            .batch_size(2)
            .stream();
        let films: Vec<Film> = stream.try_collect().await.expect("read");
        assert_eq!(
            (films.len(), shown(&skipped)),
            (7, bad.map(str::to_owned).to_vec())
        );
    })
    .await;
}

#[tokio::test]
async fn projections_joins_and_pages_leave_them_out_too() {
    on_both("lenient_forms", async |bench| {
        let db = &bench.db;
        let maker = seed(bench).await;
        let all = || Film::find(db, |f| f.year.eq(1990)).sort(|f| f.id.asc());

        // A projection without the `_id` names the document all the same, with the same command.
        let mut skipped = Vec::new();
        bench.forget();
        let titles = all()
            .skip_undecodable(|film| skipped.push(film))
            .project::<Titled>();
        assert_eq!(titles.await.expect("read").len(), 8);
        assert_eq!(bench.sent(), ["find"]);
        assert_eq!(shown(&skipped), ["3 title", "8 schema_version"]);

        let mut skipped = Vec::new();
        let mut read = String::new();
        let lines = all().skip_undecodable(|film| skipped.push(film));
        let count = lines.for_each::<Line<'_>>(|line| read.push_str(line.title));
        assert_eq!(count.await.expect("read"), 8);
        assert_eq!(
            (read.len(), shown(&skipped)),
            (
                48,
                vec!["3 title".to_owned(), "8 schema_version".to_owned()]
            )
        );

        let mut skipped = Vec::new();
        let joined = all()
            .skip_undecodable(|film| skipped.push(film))
            .join(Film::load_maker_many)
            .await
            .expect("joined");
        assert_eq!(joined.len(), 7);
        assert!(
            joined
                .iter()
                .all(|film| film.loaded.value() == Some(&maker))
        );
        assert_eq!(skipped.len(), 3);

        // A page that has nothing that can be read is not the last one.
        let mut after = None;
        let (mut pages, mut ids, mut skipped) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            let page = all()
                .skip_undecodable(|film| skipped.push(film))
                .page(1)
                .after(after)
                .await;
            let page = page.expect("a page");
            pages.push(page.items.len());
            ids.extend(page.items.iter().map(|film| film.id));
            after = page.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(ids, [0, 1, 2, 4, 6, 7, 9]);
        assert_eq!(pages, [1, 1, 1, 0, 1, 0, 1, 1, 0, 1]);
    })
    .await;
}

#[tokio::test]
async fn an_error_that_is_about_no_document_ends_the_read() {
    on_both("lenient_errors", async |bench| {
        seed(bench).await;
        let refused = Film::find(&bench.db, |f| f.year.eq(1990)).hint("no such index");
        let mut skipped = 0;
        let refused = refused.skip_undecodable(|_| skipped += 1).await;
        assert!(matches!(refused, Err(Error::Driver(_))), "{refused:?}");
        assert_eq!(skipped, 0);
    })
    .await;
}
