//! A second run: edits stay, news come in, conflicts are marked, and nothing is overwritten unasked.

use std::fs;

use bson::{Document, doc};

use super::{folder, pull};
use crate::support::Place;

async fn small(name: &str) -> Place {
    let place = Place::new(name).await;
    let books: Vec<Document> = (0..20).map(|n: i32| doc! { "title": format!("Title {n}"), "pages": 100 + n, "isbn": format!("{n}") }).collect();
    place
        .db
        .collection("books")
        .insert_many(books)
        .await
        .expect("stored");
    place
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn edits_are_kept() {
    let place = small("rerun").await;
    let out = folder("rerun");
    let (path, books) = (out.to_str().expect("a path"), out.join("books.rs"));
    let ran = pull(&place, path, &[]).code(0);
    assert!(
        ran.out.contains("nothing needs a review") && ran.out.contains("wrote "),
        "{}",
        ran.out
    );
    let first = fs::read_to_string(&books).expect("read");
    assert!(
        first.contains("#[model(collection = \"books\")]") && first.contains("pub pages: i32"),
        "{first}"
    );
    assert!(
        pull(&place, path, &[])
            .code(0)
            .out
            .contains("books.rs is as it was")
    );

    // An edit at the top, and a new field at the end.
    let edited = first.replace(
        "pub title: String",
        "/// As on the cover.\n    pub title: String",
    );
    fs::write(&books, &edited).expect("written");
    let new = doc! { "title": "New", "pages": 1, "isbn": "20", "year": 2000 };
    place
        .db
        .collection("books")
        .insert_one(new)
        .await
        .expect("stored");
    let ran = pull(&place, path, &[]).code(0);
    assert!(ran.out.contains("and kept its edits"), "{}", ran.out);
    let merged = fs::read_to_string(&books).expect("read");
    assert!(
        merged.contains("/// As on the cover.") && merged.contains("pub year: Option<i32>"),
        "{merged}"
    );

    // An edit of a line that the data changes too.
    fs::write(&books, merged.replace("pub pages: i32", "pub pages: u16")).expect("written");
    let odd = doc! { "title": "Odd", "pages": "many", "isbn": "21" };
    place
        .db
        .collection("books")
        .insert_one(odd)
        .await
        .expect("stored");
    let ran = pull(&place, path, &[]).code(1);
    assert!(ran.out.contains("conflict in "), "{}", ran.out);
    let marked = fs::read_to_string(&books).expect("read");
    for line in [
        "<<<<<<<",
        ">>>>>>>",
        "pub pages: u16",
        "pub pages: Bson",
        "/// As on the cover.",
    ] {
        assert!(marked.contains(line), "{line}: {marked}");
    }
    let ran = pull(&place, path, &[]).code(2);
    assert!(
        ran.err.contains("has conflicts of the last run"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(&books).expect("read"), marked);
    let ran = pull(&place, path, &["--force"]).code(1);
    assert!(ran.out.contains("overwrote "), "{}", ran.out);
    assert!(!fs::read_to_string(&books).expect("read").contains("cover"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn files_of_others_and_deleted_files_stay_as_they_are() {
    let place = small("rerun_files").await;
    let out = folder("rerun-files");
    let file = out.join("models.rs");
    fs::write(&file, "// mine\n").expect("written");
    let path = file.to_str().expect("a path");
    let ran = pull(&place, path, &[]).code(2);
    assert!(
        ran.err
            .contains("is there already, and `pull` has not written it")
            && ran.err.contains("--force"),
        "{}",
        ran.err
    );
    assert_eq!(fs::read_to_string(&file).expect("read"), "// mine\n");
    fs::remove_file(&file).expect("removed");
    pull(&place, path, &[]).code(0);
    assert!(
        fs::read_to_string(&file)
            .expect("read")
            .contains("pub struct Book {")
    );
    fs::remove_file(&file).expect("removed");
    let ran = pull(&place, path, &[]).code(0);
    assert!(
        ran.out.contains("was deleted, and stays so") && !file.exists(),
        "{}",
        ran.out
    );
    pull(&place, path, &["--force"]).code(0);
    assert!(file.exists());
}
