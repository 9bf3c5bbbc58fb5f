//! `report --html`: one page with all models, which loads nothing, and shows no text of the database as HTML.

use std::fs;
use std::path::PathBuf;

use bson::doc;

use crate::locking::with_past;
use crate::support::{Place, command, demo, run, target};

/// The models of the demo.
const MODELS: [&str; 10] = [
    "Employee",
    "Host",
    "KernelPage",
    "LogMsg",
    "Part",
    "Person",
    "Place",
    "Product",
    "Task",
    "Visit",
];

fn folder(name: &str) -> PathBuf {
    let folder = target().join("tmp").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// The page without the texts of styles and scripts.
fn markup(page: &str) -> String {
    let mut out = page.to_owned();
    for name in ["style", "script"] {
        let (open, close) = (format!("<{name}>"), format!("</{name}>"));
        let mut from = 0;
        while let Some(start) = out[from..].find(&open).map(|at| from + at + open.len()) {
            let end = start + out[start..].find(&close).expect("it ends");
            out.replace_range(start..end, "");
            from = start;
        }
    }
    out
}

#[track_caller]
fn assert_well_formed(page: &str) {
    let markup = markup(page);
    let mut open: Vec<&str> = Vec::new();
    let mut tags = markup.split('<');
    assert_eq!(tags.next(), Some(""));
    assert_eq!(tags.next(), Some("!doctype html>\n"));
    for tag in tags {
        let (tag, text) = tag.split_once('>').expect("it ends");
        assert!(!text.contains('>'), "<{tag}>{text}");
        match tag.strip_prefix('/') {
            Some(closed) => assert_eq!(open.pop(), Some(closed)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split([' ', '\n']).next().unwrap_or_default()),
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
    }
    assert!(open.is_empty(), "{open:?}");
}

/// Everything that a browser would load is in the page.
#[track_caller]
fn assert_loads_nothing(page: &str) {
    for part in ["src=", "href=\"", "url("] {
        for (at, _) in page.match_indices(part) {
            let rest = &page[at + part.len()..];
            assert!(rest.starts_with('#'), "{part}{}", &rest[..40]);
        }
    }
    for part in [
        "@import",
        "fetch(",
        "import(",
        "XMLHttpRequest",
        "<link",
        "<img",
        "<iframe",
    ] {
        assert!(!page.contains(part), "{part}");
    }
    let addresses = page.matches("http").count() - page.matches("http-equiv").count();
    let names = page
        .matches(r#"xmlns="http://www.w3.org/2000/svg""#)
        .count();
    assert_eq!((addresses, names), (1, 1));
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn the_page_has_each_model_and_loads_nothing() {
    let file = folder("report-html").join("report.html");
    let ran = run(
        demo(),
        &["report", "--html", file.to_str().expect("a path")],
    )
    .code(0);
    assert!(ran.out.starts_with("wrote "), "{}", ran.out);
    let page = fs::read_to_string(&file).expect("written");
    assert_well_formed(&page);
    assert_loads_nothing(&page);
    for model in MODELS {
        assert!(page.contains(&format!("<h3>{model}</h3>")), "{model}");
    }
    assert_eq!(
        page.matches("<details class=\"entry\" id=\"model-").count(),
        MODELS.len()
    );
    for part in [
        "<svg ",
        "schema version 2",
        "<code>logmsgs[].message</code>",
        "<span class=\"chip\">max 1000</span>",
        "<span class=\"chip\">-&gt; hosts.Host</span>",
        "bytes a document",
        "<code>{ host: 1, time: -1, _id: -1 }</code>",
        "insert: 1 command",
        "[VEC_NO_DEFAULT]",
    ] {
        assert!(page.contains(part), "{part}");
    }
    for absent in ["id=\"findings\"", "id=\"changes\"", " uses since "] {
        assert!(!page.contains(absent), "{absent}");
    }
    assert_eq!(run(demo(), &["report", "--html"]).code(0).out, page);
    let one = run(demo(), &["report", "--html", "--model", "Part"])
        .code(0)
        .out;
    assert_eq!(one.matches("<h3>").count(), 1);
    run(demo(), &["report", "--html", "--json"]).code(2);
    run(demo(), &["report", "--check"]).code(2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn the_page_has_findings_and_uses_and_no_html_of_the_database() {
    let place = Place::spoiled("report_page").await;
    let hostile = "<script>alert('`1`')</script>";
    place.db.create_collection(hostile).await.expect("made");
    let index = doc! { "key": { "<img src=x onerror=alert(1)>": 1 }, "name": "\"><b>" };
    let indexes = doc! { "createIndexes": "parts", "indexes": [index] };
    place.db.run_command(indexes).await.expect("made");
    let page = place
        .demo(&["report", "--html", "--check", "--usage"])
        .code(0)
        .out;
    assert_well_formed(&page);
    assert_eq!(page.matches("<script>").count(), 1);
    for part in [
        "id=\"findings\"",
        "&lt;script&gt;alert(&#39;`1`&#39;)&lt;/script&gt;",
        "<code>{ &lt;img src=x onerror=alert(1)&gt;: 1 }</code>",
        "has <code>kind</code> that is not one of",
        "declared by no model",
        " uses since ",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let page = place.demo(&["report", "--html", "--check"]).code(0).out;
    assert!(page.contains("id=\"findings\"") && !page.contains(" uses since "));
}

#[test]
fn the_page_has_the_changes_since_the_newest_release() {
    let folder = folder("report-changes");
    let file = folder.join("mongo-model.lock");
    let path = file.to_str().expect("a path");
    let page = || {
        let mut report = command(demo(), &["report", "--html"]);
        let done = report.env("CARGO_MANIFEST_DIR", &folder).output();
        String::from_utf8(done.expect("it runs").stdout).expect("a text")
    };
    run(demo(), &["lock", "--path", path]).code(0);
    assert!(!page().contains("id=\"changes\""), "there is no release");
    run(demo(), &["lock", "--as", "1.4.0", "--path", path]).code(0);
    assert!(page().contains("nothing has changed"));
    let text = fs::read_to_string(&file).expect("written");
    let past = with_past(&text, "manufacturer = \"string\"\n", "");
    fs::write(&file, past).expect("written");
    let page = page();
    assert_well_formed(&page);
    for part in [
        "Changes since release 1.4.0",
        "products.Product <code>manufacturer</code>",
        "<td class=\"is-yes\">yes</td>",
        "<td class=\"is-no\">no</td>",
        "<td class=\"is-loses\">loses</td>",
    ] {
        assert!(page.contains(part), "{part}");
    }
}
