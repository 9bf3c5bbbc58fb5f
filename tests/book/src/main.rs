//! `mongo-model-book` is called by mdBook, with the book as JSON. `mongo-model-book build guide` is mdBook itself, with the feature `build`;
//! `mongo-model-book check guide/book` checks the links of the built book.

use std::error::Error;
use std::fmt::Write as _;
use std::io::Read;
use std::path::Path;
use std::process::ExitCode;

use mongo_model_book::{Pages, add_linked_files, broken_links, root};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        // Every renderer gets the same pages.
        ["supports", _] => Ok(()),
        #[cfg(feature = "build")]
        ["build", guide] => mdbook_driver::MDBook::load(guide)
            .and_then(|book| book.build())
            .map_err(Into::into),
        ["check", book] => check(Path::new(book)),
        [] => preprocess(),
        _ => Err("usage: mongo-model-book [build FOLDER | check FOLDER]; `build` needs the feature of that name".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn check(book: &Path) -> Result<(), Box<dyn Error>> {
    let broken = broken_links(book)?;
    if broken.is_empty() {
        println!("every link leads somewhere");
        return Ok(());
    }
    Err(broken.join("\n").into())
}

/// Reads mdBook's context and book, and prints the book with the pages that were added.
fn preprocess() -> Result<(), Box<dyn Error>> {
    let mut input = String::new();
    std::io::stdin().read_to_string(&mut input)?;
    let mut input: Value = serde_json::from_str(&input)?;
    let book = &mut input[1];
    // `sections` before mdBook 0.5.
    let key = if book["items"].is_array() {
        "items"
    } else {
        "sections"
    };
    let items = book[key].as_array_mut().ok_or("a book without chapters")?;
    let mut pages = Pages::new();
    for item in items.iter() {
        collect_pages(item, &mut pages);
    }
    let own: Vec<String> = pages.keys().cloned().collect();
    add_linked_files(&root(), &mut pages).map_err(|broken| broken.join("\n"))?;
    for item in items.iter_mut() {
        put_pages(item, &pages);
    }
    pages.retain(|path, _| !own.contains(path));
    let numbered = items
        .iter()
        .filter(|item| item["Chapter"]["number"].is_array());
    let number = numbered.count() + 1;
    items.push(json!({ "PartTitle": "From the repository" }));
    items.extend(chapters(&pages, number));
    println!("{}", serde_json::to_string(book)?);
    Ok(())
}

fn collect_pages(item: &Value, pages: &mut Pages) {
    let chapter = &item["Chapter"];
    if let (Some(path), Some(content)) = (chapter["path"].as_str(), chapter["content"].as_str()) {
        pages.insert(path.to_owned(), content.to_owned());
    }
    for item in chapter["sub_items"].as_array().into_iter().flatten() {
        collect_pages(item, pages);
    }
}

fn put_pages(item: &mut Value, pages: &Pages) {
    let Some(chapter) = item.get_mut("Chapter") else {
        return;
    };
    if let Some(text) = chapter["path"].as_str().and_then(|path| pages.get(path)) {
        chapter["content"] = json!(text);
    }
    for item in chapter["sub_items"].as_array_mut().into_iter().flatten() {
        put_pages(item, pages);
    }
}

/// The pages that were added, as chapters from this number on: the rules below their list, and the sources below theirs.
fn chapters(pages: &Pages, mut number: usize) -> Vec<Value> {
    let is_rule = |path: &str| path.contains("/docs/rules/") && !path.ends_with("/README.md");
    let is_source = |path: &str| path.ends_with(".rs.md");
    let mut out = Vec::new();
    let alone = pages
        .iter()
        .filter(|(path, _)| !is_rule(path) && !is_source(path));
    for (path, text) in alone {
        let below: Vec<_> = match path.ends_with("/docs/rules/README.md") {
            true => pages.iter().filter(|(path, _)| is_rule(path)).collect(),
            false => Vec::new(),
        };
        out.push(chapter(path, text, number, &below));
        number += 1;
    }
    let sources: Vec<_> = pages.iter().filter(|(path, _)| is_source(path)).collect();
    let mut list =
        "# Examples and sources\n\nThe files that the pages of this book lead to.\n\n".to_owned();
    for (path, text) in &sources {
        let path = path.trim_start_matches("repository/");
        let _ = writeln!(list, "- [{}]({path})", heading(text).unwrap_or(path));
    }
    out.push(chapter("repository/sources.md", &list, number, &sources));
    out
}

/// A chapter that is named by its first heading, with chapters below it. mdBook nests them by their numbers.
fn chapter(path: &str, text: &str, number: usize, below: &[(&String, &String)]) -> Value {
    let name = heading(text).unwrap_or(path);
    let chapter = |path: &str, text: &str, number: Value, parents: &[&str]| {
        json!({ "Chapter": {
            "name": heading(text).unwrap_or(path),
            "content": text,
            "number": number,
            "sub_items": [],
            "path": path,
            "source_path": null,
            "parent_names": parents,
        } })
    };
    let below = below.iter().enumerate();
    let below: Vec<Value> = below
        .map(|(n, (path, text))| chapter(path, text, json!([number, n + 1]), &[name]))
        .collect();
    let mut out = chapter(path, text, json!([number]), &[]);
    out["Chapter"]["sub_items"] = json!(below);
    out
}

fn heading(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("# "))
}
