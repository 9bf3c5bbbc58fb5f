//! The links of a built book.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

/// Links of the built book that lead to no file, or to no place in it. The page for printing, which has all others, is left out.
///
/// # Errors
/// That of reading a file.
pub fn broken_links(book: &Path) -> io::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    read_pages(book, book, &mut pages)?;
    let ids: BTreeMap<&str, BTreeSet<String>> = pages
        .iter()
        .map(|(page, html)| (page.as_str(), values(html, "id").into_iter().collect()))
        .collect();
    let mut broken = Vec::new();
    for (page, html) in &pages {
        let folder = page.rsplit_once('/').map_or("", |(folder, _)| folder);
        let links = ["href", "src"].map(|name| values(html, name)).concat();
        for link in links {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            if path.contains(':') {
                continue;
            }
            let path = path.split('?').next().unwrap_or_default();
            let target = match path {
                "" => page.clone(),
                path => crate::normalised(&format!("{folder}/{path}")),
            };
            let found = match ids.get(target.as_str()) {
                Some(ids) => anchor.is_empty() || ids.contains(anchor),
                None => book.join(&target).is_file(),
            };
            if !found {
                broken.push(format!("{page}: {link}"));
            }
        }
    }
    Ok(broken)
}

fn read_pages(book: &Path, folder: &Path, pages: &mut BTreeMap<String, String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            read_pages(book, &path, pages)?;
        } else if path
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let name = path.strip_prefix(book).expect("inside the book");
            let name = name.to_string_lossy().replace('\\', "/");
            if !["print.html", "toc.html", "404.html"].contains(&name.as_str()) {
                pages.insert(name, fs::read_to_string(&path)?);
            }
        }
    }
    Ok(())
}

/// The values of an attribute.
fn values(html: &str, name: &str) -> Vec<String> {
    let start = format!(" {name}=\"");
    let found = html.split(&start).skip(1);
    found
        .filter_map(|rest| rest.split('"').next())
        .map(|value| value.replace("&amp;", "&"))
        .collect()
}
