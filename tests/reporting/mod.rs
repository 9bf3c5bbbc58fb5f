//! The report of a program's models: its contents, its output, and the parts that the server adds.

use mongo_model::{Finding, Id, MongoModel, report};
use serde::{Deserialize, Serialize};

use crate::common::alone;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "authors")]
pub struct Author {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
    #[refs(Book)]
    #[serde(default)]
    pub books: Vec<Id<Book>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "books",
    schema_version = 1,
    index(keys(+title, year)),
    index(keys(title)),
    index(keys(year))
)]
pub struct Book {
    #[serde(rename = "_id")]
    pub id: Id<Book>,
    pub title: String,
    pub year: i32,
    /// Money.
    pub price: f64,
    #[parent(Author)]
    pub author: i32,
    #[parent(Press)]
    pub press: i32,
    #[denorm(from = Press, field = name)]
    pub press_name: String,
    #[denorm(from = Press, field = name)]
    pub publisher: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "presses")]
pub struct Press {
    #[serde(rename = "_id")]
    pub id: i32,
    pub name: String,
}

/// The same again, on purpose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(
    collection = "reviews",
    allow(denorm_all, reason = "presses are dropped next month")
)]
pub struct Review {
    #[serde(rename = "_id")]
    pub id: i32,
    #[parent(Press)]
    pub press: i32,
    #[denorm(from = Press, field = name)]
    pub press_name: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "chapters")]
pub struct Chapter {
    #[serde(rename = "_id")]
    pub id: i32,
    pub number: i32,
    pub rank: i32,
    #[parent(Press, sort = number)]
    pub press: i32,
    #[denorm(from = Press, field = name, via = press)]
    pub press_name: String,
    #[parent(Author, sort = rank)]
    pub author: i32,
}

/// Its number stays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, MongoModel)]
#[model(collection = "verses")]
pub struct Verse {
    #[serde(rename = "_id")]
    pub id: i32,
    #[immutable]
    pub number: i32,
    #[parent(Press, sort = number)]
    pub press: i32,
    #[denorm(from = Press, field = name)]
    pub press_name: String,
}

fn of(model: &str) -> Vec<(&'static str, String)> {
    let all = report();
    let found = all.models.into_iter().find(|found| found.model == model);
    let findings = found.expect("a model").findings.into_iter();
    findings
        .map(|Finding { rule, field, .. }| (rule, field))
        .collect()
}

#[test]
fn it_says_what_one_model_and_what_several_show() {
    let books = of("Book");
    let has = |rule: &'static str, field: &str| books.contains(&(rule, field.to_owned()));
    assert!(has("IDX_REDUNDANT", "title: 1"), "{books:?}");
    assert!(has("MONEY_FLOAT", "price"), "{books:?}");
    assert!(has("REFS_TWO_WAY", "author"), "{books:?}");
    assert!(has("DENORM_TWICE", "publisher"), "{books:?}");
    assert!(has("DENORM_ALL", "press_name"), "{books:?}");
    let redundant = books.iter().filter(|(rule, _)| *rule == "IDX_REDUNDANT");
    assert_eq!(redundant.count(), 1, "said once: {books:?}");
    assert_eq!(of("Author"), [("REFS_TWO_WAY", "books".to_owned())]);
    assert_eq!(of("Press"), []);
    assert_eq!(of("Review"), [], "what is allowed is not advised");
}

// A reference without copies whose rule is to refuse has no second index.
#[test]
fn a_sort_field_that_could_be_immutable_saves_an_index() {
    let all = report();
    let of = |name: &str| {
        let found = all.models.iter().find(|model| model.model == name);
        found.expect("a model")
    };
    let advice = |name: &str| -> Vec<String> {
        let findings = of(name).findings.iter();
        let findings = findings.filter(|found| found.rule == "PARENT_SORT_FIXED");
        findings
            .map(|found| format!("{}: {}", found.field, found.says))
            .collect()
    };
    assert_eq!(
        advice("Chapter"),
        [
            "number: if it never changes, add `#[immutable]`: the index `press: 1, _id: 1` is then not needed, because `press: 1, number: 1, _id: 1` serves in its place"
        ]
    );
    assert_eq!(advice("Verse"), [] as [String; 0]);
    let (chapter, verse) = (&of("Chapter").indexes, &of("Verse").indexes);
    assert_eq!(
        chapter.as_slice(),
        [
            "press: 1, number: 1, _id: 1",
            "press: 1, _id: 1",
            "author: 1, rank: 1, _id: 1",
            "_dn.u.t: 1"
        ]
    );
    assert_eq!(
        verse.as_slice(),
        ["press: 1, number: 1, _id: 1", "_dn.u.t: 1"]
    );
}

#[test]
fn it_is_shown_as_text_and_as_markdown() {
    let all = report();
    assert!(!all.is_empty());
    let text = all.to_string();
    let author = "Author (authors): 3 indexes, 1 piece of advice\n  insert: 2 commands in 2 round trips, 3 behind the answer, 4 indexes; update: 1 command, 0 indexes; delete, if nothing refers to it: 7 commands in 7 round trips, 4 indexes\n  books: `Book` refers back: if these are the two sides of one relation, add `inverse = author` here, and `inverse = books` to `Book::author` [REFS_TWO_WAY]\n";
    assert!(
        text.starts_with(author) || text.contains(&format!("\n{author}")),
        "{text}"
    );
    assert!(text.contains("\nPress (presses): "), "{text}");
    assert!(text.contains(", schema version 1, "), "{text}");
    let page = all.markdown();
    assert!(
        page.starts_with("| model | about | rule | advice |\n|---|---|---|---|\n"),
        "{page}"
    );
    assert!(
        page.contains("\n| Book | price | `MONEY_FLOAT` | a float does not hold sums of money exactly: use `Decimal128`, or an `i64` of the smallest unit |\n"),
        "{page}"
    );
    assert_eq!(page.lines().count(), 2 + all.findings().count());
}

#[tokio::test]
async fn the_server_knows_which_indexes_are_used() {
    alone("report_usage", async |bench| {
        let db = &bench.db;
        let models = [Author::meta(), Book::meta(), Press::meta(), Review::meta()];
        bench.index(&models).await;
        Book::find(db, |b| b.year.eq(1984)).await.expect("read");
        bench.forget();
        let used = report().with_usage(db).await.expect("asked");
        assert!(bench.sent().iter().all(|name| name == "aggregate"));
        let unused: Vec<&str> = used
            .findings()
            .filter(|(model, found)| model.model == "Book" && found.rule == "IDX_UNUSED")
            .map(|(_, found)| &*found.field)
            .collect();
        assert!(unused.contains(&"title: 1"), "{unused:?}");
        assert!(!unused.contains(&"year: 1"), "{unused:?}");
        assert!(
            unused.iter().all(|key| !key.starts_with("_dn")),
            "{unused:?}"
        );
    })
    .await;
}
