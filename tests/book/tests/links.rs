//! Every link of the guide has a page in the built book.

use std::fs;

use mongo_model_book::{Pages, add_linked_files, root};

#[test]
fn links_that_leave_the_guide_get_pages() {
    let root = root();
    let source = root.join("guide/src");
    let summary = fs::read_to_string(source.join("SUMMARY.md")).expect("SUMMARY.md");
    let paths = summary
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    let mut pages: Pages = paths
        .map(|path| {
            let text = fs::read_to_string(source.join(path)).expect("a page");
            (path.to_owned(), text)
        })
        .collect();
    let own = pages.len();
    if let Err(broken) = add_linked_files(&root, &mut pages) {
        panic!("{broken:#?}");
    }
    assert!(pages.contains_key("repository/docs/rules/EMBED_UNBOUNDED.md"));
    assert!(pages["repository/examples/shop.rs.md"].contains("<a id=\"L"));
    assert!(pages.len() > own + 100, "{} of {own}", pages.len());
    let leaves = pages.iter().filter(|(path, text)| {
        let depth = path.matches('/').count();
        text.contains(&format!("]({}", "../".repeat(depth + 1)))
    });
    let leaves: Vec<&String> = leaves.map(|(path, _)| path).collect();
    assert!(leaves.is_empty(), "links leave the book: {leaves:?}");
}
